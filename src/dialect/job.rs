//! From a handler to the job the engine runs; the parts hosts share.

use std::sync::Arc;

use serde_json::Value;

use crate::model::{Handler, Invocation, Job};

/// How a host's shell reads a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shell {
    /// `sh -c`
    #[default]
    Plain,
    /// `sh -lc`: the user's profile is read first.
    Login,
    /// `/bin/sh -c`, whatever PATH says.
    Host,
}

impl Shell {
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "sh -c",
            Self::Login => "sh -lc",
            Self::Host => "/bin/sh -c",
        }
    }
}

const PYTHON_SHIM: &str = include_str!("../../assets/shims/call_function.py");
const NODE_SHIM: &str = include_str!("../../assets/shims/call_export.mjs");

/// What to run for `handler` with `stdin` (the same as `value`) and `env` added.
pub fn job(handler: &Handler, shell: Shell, stdin: &Arc<[u8]>, value: &Arc<Value>, env: Vec<(String, String)>) -> Job {
    let process = |argv: Vec<String>, shell_command: Option<String>| {
        Job::Process(Invocation {
            argv,
            shell_command,
            cwd: None,
            env,
            removed_env: Vec::new(),
            note: None,
            stdin: stdin.clone(),
        })
    };
    let words = |words: &[&str]| words.iter().map(|w| (*w).to_string()).collect::<Vec<_>>();
    match handler {
        Handler::Shell { command } => process(shell_argv(shell, command), Some(command.clone())),
        Handler::Program { path } if path.ends_with(".py") => process(words(&["python3", path]), None),
        Handler::Program { path } => process(words(&[path]), None),
        Handler::Python { function } => process(words(&["python3", "-c", PYTHON_SHIM, function]), None),
        Handler::Module { path, export } => {
            process(words(&["node", "--input-type=module", "-e", NODE_SHIM, "--", path, export]), None)
        }
        Handler::Exec { argv } => process(argv.clone(), None),
        // Only one host has PowerShell, requests and replies, and it makes these jobs itself.
        Handler::PowerShell { .. } | Handler::Http { .. } | Handler::McpTool { .. } => Job::Stub(Ok(Value::Null)),
        Handler::Prompt { .. } | Handler::Agent { .. } | Handler::Action { .. } => Job::Stub(Ok(Value::Null)),
        Handler::Callback { id } => Job::Callback { id: id.clone(), input: value.clone() },
        Handler::Stub { answer } => Job::Stub(answer.clone()),
    }
}

#[cfg(not(windows))]
fn shell_argv(shell: Shell, command: &str) -> Vec<String> {
    let (program, flag) = match shell {
        Shell::Plain => ("sh", "-c"),
        Shell::Login => ("sh", "-lc"),
        Shell::Host => ("/bin/sh", "-c"),
    };
    vec![program.into(), flag.into(), command.into()]
}

#[cfg(windows)]
fn shell_argv(_shell: Shell, command: &str) -> Vec<String> {
    vec!["cmd".into(), "/C".into(), command.into()]
}
