//! Starts a hook's process in its own session with three pipes, and waits for its end.

mod posix;

pub use posix::watch;

use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::Pid;

use super::cause;
use super::options::EngineOptions;
use crate::model::{Invocation, SpawnCause, SpawnFailure};

#[derive(Debug)]
pub struct Spawned {
    /// The child; also its session and its process group.
    pub pid: Pid,
    pub stdin: OwnedFd,
    pub stdout: OwnedFd,
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

/// What the hooks of one runner get from us: our environment as the system takes it, read once, and where its PATH has
/// the shell that nearly all of them are started with.
#[derive(Debug)]
pub struct Inherited {
    variables: Vec<CString>,
    /// A PATH and its `sh`.
    shell: Mutex<Option<(OsString, PathBuf)>>,
}

impl Inherited {
    pub fn read() -> Self {
        // Nothing in an environment holds a NUL, which ends it there.
        let variables = std::env::vars_os().filter_map(|(k, v)| assignment(&k, &v).ok()).collect();
        Self { variables, shell: Mutex::default() }
    }

    /// All of it without the names that begin with one of `without`, and with `changes`, the last of a name.
    fn changed<'a>(&'a self, without: &[&str], changes: &'a [(&str, CString)]) -> Vec<&'a CStr> {
        let set = |line: &CString, by: &[(&str, CString)]| {
            let of = |name: &str| line.to_bytes().strip_prefix(name.as_bytes()).is_some_and(|r| r.starts_with(b"="));
            by.iter().any(|(name, _)| of(name))
        };
        let left_out = |line: &CString| without.iter().any(|w| line.to_bytes().starts_with(w.as_bytes()));
        let kept = self.variables.iter().filter(|line| !left_out(line) && !set(line, changes));
        let last = changes.iter().enumerate().filter(|(i, (_, line))| !set(line, &changes[i + 1..]));
        kept.chain(last.map(|(_, (_, line))| line)).map(CString::as_c_str).collect()
    }

    /// The file to execute: the path itself if it has a slash, else the first hit in the hook's own PATH.
    fn resolve(&self, program: &str, env: &[&CStr], cwd: Option<&Path>) -> Option<PathBuf> {
        if program.contains('/') {
            return Some(PathBuf::from(program));
        }
        let path = cause::path_of(env);
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        let known = shell.as_ref().filter(|(of, file)| program == "sh" && path == Some(of) && file.exists());
        if let Some((_, file)) = known {
            return Some(file.clone());
        }
        let found = cause::find_in_path(program, path, cwd)?;
        // A relative entry means another file in another directory.
        if let Some(path) = path.filter(|p| program == "sh" && std::env::split_paths(p).all(|d| d.is_absolute())) {
            *shell = Some((path.to_os_string(), found.clone()));
        }
        Some(found)
    }
}

/// Start `invocation`, trying again briefly while its file is busy.
pub async fn spawn(
    invocation: &Invocation,
    options: &EngineOptions,
    inherited: &Inherited,
) -> Result<Spawned, SpawnFailure> {
    let mut pauses = BUSY_RETRIES.iter();
    loop {
        match spawn_once(invocation, options, inherited) {
            Err(failure) if failure.cause == SpawnCause::TextBusy => match pauses.next() {
                Some(pause) => tokio::time::sleep(*pause).await,
                None => return Err(failure),
            },
            other => return other,
        }
    }
}

fn spawn_once(
    invocation: &Invocation,
    options: &EngineOptions,
    inherited: &Inherited,
) -> Result<Spawned, SpawnFailure> {
    let cwd = invocation.cwd.as_deref().or(options.cwd.as_deref());
    let changes = options.env.iter().chain(&invocation.env);
    let changes = changes.map(|(name, value)| Ok((name.as_str(), assignment(name.as_ref(), value.as_ref())?)));
    let changes: io::Result<Vec<_>> = changes.collect();
    let env = inherited.changed(&invocation.removed_env, changes.as_deref().unwrap_or_default());
    let failed = |error: &io::Error| cause::of_failed_start(invocation, cwd, &env, error);
    if let Err(error) = &changes {
        return Err(failed(error));
    }
    start(invocation, inherited, &env, cwd).map_err(|e| failed(&e))
}

fn start(invocation: &Invocation, inherited: &Inherited, env: &[&CStr], cwd: Option<&Path>) -> io::Result<Spawned> {
    let program = invocation.argv.first().and_then(|program| inherited.resolve(program, env, cwd));
    let program = c_string(program.ok_or(io::ErrorKind::NotFound)?.into_os_string().into_vec())?;
    let argv = invocation.argv.iter().map(|a| c_string(a.as_bytes().to_vec())).collect::<io::Result<Vec<_>>>()?;
    let cwd = cwd.map(|c| c_string(c.as_os_str().as_bytes().to_vec())).transpose()?;
    let ((stdin_r, stdin_w), (stdout_r, stdout_w), (stderr_r, stderr_w)) = (io::pipe()?, io::pipe()?, io::pipe()?);
    let stdio = [&stdin_r.into(), &stdout_w.into(), &stderr_w.into()];
    let pid = posix::start(&posix::Start { program: &program, argv: &argv, env, cwd: cwd.as_deref(), stdio })?;
    Ok(Spawned { pid, stdin: stdin_w.into(), stdout: stdout_r.into(), stderr: stderr_r.into() })
}

fn assignment(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    c_string([name.as_bytes(), b"=", value.as_bytes()].concat())
}

fn c_string(bytes: Vec<u8>) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "nul byte found in provided data"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inherited(lines: &[&str]) -> Inherited {
        let variables = lines.iter().map(|line| CString::new(*line).unwrap()).collect();
        Inherited { variables, shell: Mutex::default() }
    }

    #[test]
    fn the_last_change_of_a_name_counts_and_what_is_left_out_can_be_set_again() {
        let ours = inherited(&["A=1", "AB=2", "HOST_X=3", "PATH=/bin"]);
        let lines = ["A=4", "HOST_X=5", "A=6"].map(|line| CString::new(line).unwrap());
        let changes: Vec<_> = ["A", "HOST_X", "A"].into_iter().zip(lines).collect();
        let env = ours.changed(&["HOST_"], &changes);
        assert_eq!(env, [c"AB=2", c"PATH=/bin", c"HOST_X=5", c"A=6"]);
    }

    #[test]
    fn a_shell_is_that_of_the_hooks_own_path_and_there() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("sh");
        std::fs::write(&own, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).unwrap();
        let ours = inherited(&[]);
        let shell = |path: &str| ours.resolve("sh", &[&CString::new(format!("PATH={path}")).unwrap()], None);
        let both = format!("{}:/bin", dir.path().display());
        assert_eq!(shell("/bin"), Some("/bin/sh".into()));
        assert_eq!(shell(&both), Some(own.clone()));
        assert_eq!(shell(&both), Some(own.clone()), "remembered");
        std::fs::remove_file(&own).unwrap();
        assert_eq!(shell(&both), Some("/bin/sh".into()), "what was remembered is gone");
    }
}
