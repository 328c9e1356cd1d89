//! Starts a hook's process in its own session with three pipes, and waits for its end.

mod posix;

#[cfg(target_os = "linux")]
pub use posix::watch;

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Pid;

use super::cause;
use super::options::EngineOptions;
use crate::model::{Invocation, SpawnCause, SpawnFailure};

/// Our ends of a running child.
#[derive(Debug)]
pub struct Spawned {
    /// The child; also its session and its process group.
    pub pid: Pid,
    /// To its stdin.
    pub stdin: OwnedFd,
    /// From its stdout.
    pub stdout: OwnedFd,
    /// From its stderr.
    pub stderr: OwnedFd,
}

/// Pauses between tries while somebody still has the script open for writing.
const BUSY_RETRIES: [Duration; 5] = [
    Duration::from_millis(2),
    Duration::from_millis(8),
    Duration::from_millis(30),
    Duration::from_millis(60),
    Duration::from_millis(100),
];

/// Start `invocation`, trying again briefly while its file is busy.
pub async fn spawn(invocation: &Invocation, options: &EngineOptions) -> Result<Spawned, SpawnFailure> {
    let mut pauses = BUSY_RETRIES.iter();
    loop {
        match spawn_once(invocation, options) {
            Err(failure) if failure.cause == SpawnCause::TextBusy => match pauses.next() {
                Some(pause) => tokio::time::sleep(*pause).await,
                None => return Err(failure),
            },
            other => return other,
        }
    }
}

fn spawn_once(invocation: &Invocation, options: &EngineOptions) -> Result<Spawned, SpawnFailure> {
    let cwd = invocation.cwd.as_deref().or(options.cwd.as_deref());
    let env = environment(&invocation.without, options.env.iter().chain(&invocation.env));
    let failed = |error: &io::Error| cause::of_failed_start(invocation, cwd, &env, error);
    let program = resolve(&invocation.argv, &env, cwd).ok_or_else(|| failed(&io::ErrorKind::NotFound.into()))?;
    let argv = c_strings(invocation.argv.iter().map(|a| a.as_bytes().to_vec())).map_err(|e| failed(&e))?;
    let envp = c_strings(env.iter().map(|(k, v)| assignment(k, v))).map_err(|e| failed(&e))?;
    let program = c_string(program.into_os_string().into_vec()).map_err(|e| failed(&e))?;
    let cwd_c = cwd.map(|c| c_string(c.as_os_str().as_bytes().to_vec())).transpose().map_err(|e| failed(&e))?;
    let open = || io::pipe().map(|(r, w)| (OwnedFd::from(r), OwnedFd::from(w)));
    let pipes = (|| Ok::<_, io::Error>((open()?, open()?, open()?)))();
    let ((stdin_r, stdin_w), (stdout_r, stdout_w), (stderr_r, stderr_w)) = pipes.map_err(|e| failed(&e))?;
    let start = posix::Start {
        program: &program,
        argv: &argv,
        env: &envp,
        cwd: cwd_c.as_deref(),
        stdio: [&stdin_r, &stdout_w, &stderr_w],
    };
    let pid = posix::start(&start).map_err(|e| failed(&e))?;
    Ok(Spawned { pid, stdin: stdin_w, stdout: stdout_r, stderr: stderr_r })
}

/// Our environment without the names that begin with one of `without`, and with `changes` applied.
fn environment<'a>(without: &[&str], changes: impl Iterator<Item = &'a (String, String)>) -> Vec<(OsString, OsString)> {
    let kept = |key: &OsString| !without.iter().any(|w| key.as_bytes().starts_with(w.as_bytes()));
    let mut env: Vec<(OsString, OsString)> = std::env::vars_os().filter(|(k, _)| kept(k)).collect();
    for (key, value) in changes {
        env.retain(|(k, _)| k.as_os_str() != key.as_str());
        env.push((key.into(), value.into()));
    }
    env
}

/// The file to execute: the path itself if it has a slash, else the first hit in PATH.
fn resolve(argv: &[String], env: &[(OsString, OsString)], cwd: Option<&Path>) -> Option<PathBuf> {
    let program = argv.first()?;
    if program.contains('/') {
        return Some(PathBuf::from(program));
    }
    let path = env.iter().find(|(k, _)| k == "PATH").map(|(_, v)| v.clone());
    cause::find_in_path(program, path.as_deref(), cwd)
}

fn assignment(key: &OsString, value: &OsString) -> Vec<u8> {
    [key.as_bytes(), b"=", value.as_bytes()].concat()
}

fn c_string(bytes: Vec<u8>) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "nul byte found in provided data"))
}

fn c_strings(items: impl Iterator<Item = Vec<u8>>) -> io::Result<Vec<CString>> {
    items.map(c_string).collect()
}
