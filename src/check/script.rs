//! The script behind a hook's command: where it is, what stands in it.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::model::{Handler, Hook};
use crate::settings::{expand_project, expand_variable};

/// What is kept of a script's text.
const MAX_BYTES: u64 = 256 << 10;
const INTERPRETERS: [&str; 13] =
    ["sh", "bash", "zsh", "dash", "python", "python3", "node", "ruby", "perl", "bun", "deno", "tsx", "uv"];

/// The directories a command is read in.
#[derive(Debug, Clone)]
pub struct ProjectDirs {
    /// The project, for its variable and for relative paths.
    pub project: PathBuf,
    pub home: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub word: String,
    /// The file, where the word names one.
    pub file: Option<PathBuf>,
    /// Whether it depends on the working directory.
    pub relative: bool,
    /// Whether the file itself is executed; if not, an interpreter reads it.
    pub executed: bool,
    /// The program looked up in PATH, where there is one.
    pub program: Option<String>,
}

/// What the command of `hook` runs; none if it is not plain enough to be told.
pub fn target(hook: &Hook, dirs: &ProjectDirs) -> Option<Target> {
    let words = match &hook.handler {
        Handler::Shell { command } | Handler::PowerShell { command } => {
            if command.contains([';', '&', '|', '(', ')', '`', '\n', '<', '>']) || command.contains("$(") {
                return None;
            }
            shlex::split(command)?
        }
        Handler::Exec { argv } => argv.clone(),
        // The host gives a Python file to the interpreter.
        Handler::Program { path } if path.ends_with(".py") => vec!["python3".into(), path.clone()],
        Handler::Program { path } => vec![path.clone()],
        _ => return None,
    };
    let mut words = words.into_iter().skip_while(|w| is_assignment(w));
    let written = words.next()?;
    let relative = |word: &str| word.contains('/') && !word.starts_with(['/', '$', '~']);
    let first = expand(&written, dirs)?;
    let name = Path::new(&first).file_name()?.to_str()?.to_string();
    if !INTERPRETERS.contains(&name.as_str()) {
        let names_file = first.contains('/');
        return Some(Target {
            file: names_file.then(|| dirs.project.join(first.trim_start_matches("./"))),
            program: (!names_file).then(|| first.clone()),
            executed: true,
            relative: relative(&written),
            word: first,
        });
    }
    let script = script_word(words);
    let depends = script.as_deref().is_some_and(relative);
    let inline = matches!(name.as_str(), "uv" | "bun" | "deno");
    let script = script.and_then(|s| expand(&s, dirs)).filter(|_| !inline);
    Some(Target {
        word: script.clone().unwrap_or_else(|| first.clone()),
        file: script.map(|s| dirs.project.join(s.trim_start_matches("./"))),
        executed: false,
        relative: depends,
        program: (!first.contains('/')).then_some(name),
    })
}

/// The script an interpreter is given: none where the code stands in the command, or a module is named.
fn script_word(words: impl Iterator<Item = String>) -> Option<String> {
    const ENDINGS: [&str; 10] = [".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl"];
    let mut after_option = false;
    for word in words {
        if let Some(option) = word.strip_prefix('-') {
            let short = !option.starts_with('-');
            if short && option.contains(['c', 'e', 'm', 'p']) || matches!(option, "-eval" | "-print") {
                return None;
            }
            after_option = !short && !option.contains('=');
            continue;
        }
        if ENDINGS.iter().any(|e| word.ends_with(e)) || (word.contains('/') && !after_option) {
            return Some(word);
        }
        after_option = false;
    }
    None
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(n, _)| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// The word with variables that are known; none if one is not.
fn expand(word: &str, dirs: &ProjectDirs) -> Option<String> {
    let mut text = expand_project(word, &dirs.project);
    if let Some(home) = dirs.home.as_ref().map(|h| h.display().to_string()) {
        text = expand_variable(&text, "HOME", &home);
        text = text.strip_prefix("~/").map(|rest| format!("{home}/{rest}")).unwrap_or(text);
    }
    (!text.contains('$')).then_some(text)
}

/// The text of what a hook runs: its script, and the command itself.
pub fn text(hook: &Hook, dirs: &ProjectDirs) -> String {
    let mut text = hook.handler.command().unwrap_or_default().to_string();
    if let Some(file) = target(hook, dirs).and_then(|t| t.file) {
        text.push('\n');
        text.push_str(&read(&file).unwrap_or_default());
    }
    text
}

/// The beginning of a file, as text.
pub fn read(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    fs::File::open(file).ok().filter(|_| file.is_file())?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a program of this name is in PATH.
pub fn installed(program: &str) -> bool {
    const BUILTINS: [&str; 34] = [
        "cd", "echo", "printf", "test", "true", "false", "exit", "read", "set", "export", "command", "exec", ":", ".",
        "source", "eval", "if", "for", "while", "[", "!", "[[", "ulimit", "umask", "alias", "local", "trap", "wait",
        "type", "let", "declare", "time", "shift", "unset",
    ];
    BUILTINS.contains(&program) || std::env::var_os("PATH").is_none() || which::which(program).is_ok()
}
