//! Tells apart the causes behind one and the same system error or exit code when a start fails.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::model::{Invocation, SpawnCause, SpawnFailure};

/// Why `invocation` could not be started, given the system's `error`.
pub fn of_failed_start(invocation: &Invocation, cwd: Option<&Path>, env: &[&CStr], error: &io::Error) -> SpawnFailure {
    // A program that is not in PATH never reaches the system; these are the words it would have had.
    let words = match error.raw_os_error() {
        Some(_) => error.to_string(),
        None if error.kind() == io::ErrorKind::InvalidInput => error.to_string(),
        None => io::Error::from_raw_os_error(libc::ENOENT).to_string(),
    };
    SpawnFailure { os_error: Some(words), ..diagnose_start(invocation, cwd, env, error) }
}

fn diagnose_start(invocation: &Invocation, cwd: Option<&Path>, env: &[&CStr], error: &io::Error) -> SpawnFailure {
    let program = invocation.argv.first().map_or("", String::as_str);
    if let Some(dir) = cwd.filter(|d| !d.is_dir()) {
        let what = if dir.exists() { "is no directory" } else { "does not exist" };
        return failure(SpawnCause::MissingCwd, format!("the working directory {} {what}", dir.display()));
    }
    match error.raw_os_error() {
        Some(libc::E2BIG) => too_long(invocation, env),
        Some(libc::ETXTBSY) => {
            failure(SpawnCause::TextBusy, format!("{program} is still open for writing somewhere (text file busy)"))
        }
        _ => of_script(program, path_of(env), cwd, StartForm::Exec)
            .unwrap_or_else(|| failure(SpawnCause::Other, format!("{program} could not be started: {error}"))),
    }
}

/// What is behind exit 126 or 127 of a shell: the same causes, looked up for the command's first word.
pub fn of_shell_exit(code: i32, command: &str, cwd: Option<&Path>) -> Option<String> {
    if code != 126 && code != 127 {
        return None;
    }
    // Only a simple command line says which word failed; builtins and compounds may fail for a word inside them.
    if command.contains([';', '&', '|', '(', ')', '{', '}', '`', '\n', '<', '>']) || command.contains("$(") {
        return None;
    }
    let word = shlex::split(command)?.into_iter().find(|w| !is_assignment(w))?;
    if BUILTINS.contains(&word.as_str()) {
        return None;
    }
    let path = std::env::var_os("PATH");
    of_script(&word, path.as_deref(), cwd, StartForm::Shell).map(|f| f.message)
}

/// Words a shell does not look up in PATH.
const BUILTINS: [&str; 14] =
    [".", ":", "cd", "command", "eval", "exec", "exit", "export", "if", "set", "source", "test", "umask", "while"];

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Whether a shell stands between us and the program.
#[derive(Clone, Copy, PartialEq)]
enum StartForm {
    Exec,
    Shell,
}

fn of_script(program: &str, path: Option<&OsStr>, cwd: Option<&Path>, form: StartForm) -> Option<SpawnFailure> {
    let file = if program.contains('/') {
        cwd.map_or_else(|| PathBuf::from(program), |c| c.join(program))
    } else {
        match find_in_path(program, path, cwd) {
            Some(found) => found,
            None => return Some(failure(SpawnCause::MissingProgram, format!("{program}: no such program in PATH"))),
        }
    };
    let Ok(meta) = fs::metadata(&file) else {
        let from = cwd.map_or_else(current_dir, |c| c.display().to_string());
        return Some(failure(SpawnCause::MissingProgram, format!("{program}: no such file (looked from {from})")));
    };
    if meta.is_dir() {
        return Some(failure(SpawnCause::NotExecutable, format!("{program} is a directory")));
    }
    if meta.permissions().mode() & 0o111 == 0 {
        return Some(failure(SpawnCause::NotExecutable, format!("{program} has no execute permission; chmod +x it")));
    }
    let first = first_line(&file)?;
    match first.strip_prefix(b"#!") {
        Some(line) => of_interpreter(program, line, path, cwd),
        None if form == StartForm::Exec && !first.starts_with(b"\x7fELF") => Some(failure(
            SpawnCause::NoInterpreterLine,
            format!("{program} has no #! line, which only a shell makes up for; add #!/bin/sh"),
        )),
        None => None,
    }
}

fn of_interpreter(program: &str, line: &[u8], path: Option<&OsStr>, cwd: Option<&Path>) -> Option<SpawnFailure> {
    if line.ends_with(b"\r") {
        let message = format!("the #! line of {program} ends in a carriage return (CRLF); save it with Unix line ends");
        return Some(failure(SpawnCause::CarriageReturn, message));
    }
    let mut words = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(OsStr::from_bytes);
    let interpreter = words.next()?;
    let missing = |name: &OsStr| {
        let message =
            format!("the #! line of {program} names the interpreter {}, which does not exist", name.display());
        Some(failure(SpawnCause::BadInterpreter, message))
    };
    if !Path::new(interpreter).exists() {
        return missing(interpreter);
    }
    let through_env = Path::new(interpreter).file_name() == Some(OsStr::new("env"));
    match words.find(|w| !w.as_bytes().starts_with(b"-")) {
        Some(name) if through_env && find_in_path(&name.to_string_lossy(), path, cwd).is_none() => missing(name),
        _ => None,
    }
}

fn too_long(invocation: &Invocation, env: &[&CStr]) -> SpawnFailure {
    let arguments: usize = invocation.argv.iter().map(|a| a.len() + 1).sum();
    let variables: usize = env.iter().map(|line| line.count_bytes() + 1).sum();
    let limit = rustix::process::getrlimit(rustix::process::Resource::Stack).current.map_or(u64::MAX, |s| s / 4);
    let name = |line: &CStr| {
        String::from_utf8_lossy(line.to_bytes().split(|b| *b == b'=').next().unwrap_or_default()).into_owned()
    };
    let largest = env
        .iter()
        .map(|line| (line.count_bytes() + 1, format!("variable {}", name(line))))
        .chain(invocation.argv.iter().map(|a| (a.len() + 1, "an argument".to_string())))
        .max_by_key(|(size, _)| *size);
    let mut message = format!(
        "arguments and environment are {} bytes, and the system takes {limit} in all and {MAX_STRING} for a single one",
        arguments + variables
    );
    if let Some((size, what)) = largest.filter(|(size, _)| *size > MAX_STRING) {
        message = format!("{message}; {what} alone has {size}");
    }
    failure(SpawnCause::TooLong, message)
}

/// Linux's MAX_ARG_STRLEN: 32 pages for one argument or variable.
const MAX_STRING: usize = 128 * 1024;

/// The first executable called `program` in `path`; relative entries count from `cwd`.
pub fn find_in_path(program: &str, path: Option<&OsStr>, cwd: Option<&Path>) -> Option<PathBuf> {
    let path = path.unwrap_or(OsStr::new("/bin:/usr/bin"));
    which::which_in(program, Some(path), cwd.unwrap_or(Path::new("."))).ok()
}

pub fn path_of<'a>(env: &[&'a CStr]) -> Option<&'a OsStr> {
    env.iter().find_map(|line| line.to_bytes().strip_prefix(b"PATH=")).map(OsStr::from_bytes)
}

fn first_line(file: &Path) -> Option<Vec<u8>> {
    use io::Read as _;
    let mut head = Vec::new();
    fs::File::open(file).ok()?.take(4096).read_to_end(&mut head).ok()?;
    Some(head.split(|b| *b == b'\n').next().unwrap_or_default().to_vec())
}

fn current_dir() -> String {
    std::env::current_dir().map_or_else(|_| "a directory that is gone".into(), |d| d.display().to_string())
}

fn failure(cause: SpawnCause, message: String) -> SpawnFailure {
    SpawnFailure { cause, message, os_error: None }
}
