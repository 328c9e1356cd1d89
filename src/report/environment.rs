//! The environment lens: the same few things in your shell, as the host gives them to a hook, and as this run got them.

use serde::Serialize;

use crate::model::{Invocation, Payload};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnvironmentRow {
    pub name: String,
    /// In the shell hookdbg was started from.
    pub shell: Option<String>,
    /// What the host gives a hook.
    pub host: Option<String>,
    pub run: Option<String>,
}

/// Variables that decide whether a script that works in a shell works as a hook.
const ALWAYS: [&str; 8] = ["PATH", "HOME", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR"];

pub struct ParentShell<'a> {
    pub directory: Option<String>,
    /// The value of one of its variables.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl ParentShell<'static> {
    /// The one of this process.
    pub fn ours() -> Self {
        let directory = std::env::current_dir().ok().map(|d| d.display().to_string());
        Self { directory, variable: &|name| std::env::var(name).ok() }
    }
}

pub fn rows(invocation: &Invocation, payload: &Payload, shell: &ParentShell<'_>) -> Vec<EnvironmentRow> {
    let (shell, here) = (shell.variable, shell.directory.clone());
    let removed = |name: &str| invocation.removed_env.iter().any(|w| name.starts_with(w));
    let added = |name: &str| invocation.env.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.clone());
    let given = |name: &str| added(name).or_else(|| shell(name).filter(|_| !removed(name)));
    let mut rows = vec![EnvironmentRow {
        name: "directory".into(),
        shell: here.clone(),
        host: payload.text("cwd").filter(|c| !c.is_empty()).map(str::to_string).or_else(|| here.clone()),
        run: invocation.cwd.as_ref().map(|c| c.display().to_string()).or(here),
    }];
    rows.push(program(invocation, shell("PATH").as_deref(), given("PATH").as_deref()));
    let more = invocation.env.iter().map(|(n, _)| n.as_str()).filter(|n| !ALWAYS.contains(n));
    for name in ALWAYS.into_iter().chain(more) {
        let row = EnvironmentRow { name: name.into(), shell: shell(name), host: given(name), run: given(name) };
        let known = row.shell.is_some() || row.host.is_some();
        if known && !rows.iter().any(|r| r.name == name) {
            rows.push(row);
        }
    }
    rows
}

/// Where the program is found with each PATH.
fn program(invocation: &Invocation, shell: Option<&str>, host: Option<&str>) -> EnvironmentRow {
    let words = invocation.shell_command.as_deref().and_then(shlex::split).unwrap_or_default();
    let word = words.into_iter().find(|w| !w.contains('='));
    let word = word.or_else(|| invocation.argv.first().cloned()).unwrap_or_default();
    let found = |path: Option<&str>| {
        if word.contains('/') {
            return Some(word.clone());
        }
        which::which_in_global(&word, Some(path?)).ok()?.next().map(|p| p.display().to_string())
    };
    EnvironmentRow { name: format!("program {word}"), shell: found(shell), host: found(host), run: found(host) }
}
