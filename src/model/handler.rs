//! What a hook does when it runs, split by what it is. How it is started is its host's rule.

use serde_json::Value;

/// What a hook does when it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Handler {
    Shell {
        command: String,
    },
    PowerShell {
        command: String,
    },
    /// A program and its arguments, program first, without a shell.
    Exec {
        argv: Vec<String>,
    },
    /// A request to a URL; `variables` may be named in headers.
    Http {
        url: String,
        headers: Vec<(String, String)>,
        variables: Vec<String>,
    },
    /// A question to a model, whose reply the user gives.
    Prompt {
        prompt: String,
    },
    /// A task for an agent, whose reply the user gives.
    Agent {
        prompt: String,
    },
    /// A tool of an MCP server, whose result the user gives.
    McpTool {
        server: Option<String>,
        tool: String,
    },
    /// A program started directly, without a shell; a Python file is given to the interpreter.
    Program {
        path: String,
    },
    /// A Python function (`module.function`), imported and called in a real interpreter.
    Python {
        function: String,
    },
    /// A JavaScript function, imported and called in node.
    Module {
        path: String,
        export: String,
    },
    /// A command of the host's own language; it is shown expanded and runs nothing here.
    Action {
        line: String,
    },
    /// An in-process function, looked up by id in the runner.
    Callback {
        id: String,
    },
    /// A canned answer, or the text of the error it raises: "what if this hook said …".
    Stub {
        answer: Result<Value, String>,
    },
}

impl Handler {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Shell { .. } | Self::PowerShell { .. } | Self::Program { .. } | Self::Exec { .. } => "command",
            Self::Http { .. } => "http",
            Self::Prompt { .. } => "prompt",
            Self::Agent { .. } => "agent",
            Self::McpTool { .. } => "mcp_tool",
            Self::Python { .. } => "python",
            Self::Module { .. } => "module",
            Self::Action { .. } => "action",
            Self::Callback { .. } => "callback",
            Self::Stub { .. } => "stub",
        }
    }

    /// The command line or path, if running this hook runs somebody's program.
    pub fn command(&self) -> Option<&str> {
        match self {
            Self::Shell { command } | Self::PowerShell { command } => Some(command),
            Self::Program { path } | Self::Module { path, .. } => Some(path),
            Self::Python { function } => Some(function),
            Self::Exec { argv } => argv.first().map(String::as_str),
            Self::Http { .. } | Self::Prompt { .. } | Self::Agent { .. } | Self::McpTool { .. } => None,
            Self::Action { .. } | Self::Callback { .. } | Self::Stub { .. } => None,
        }
    }

    /// What it asks a model or a tool server, if the user has to give the reply.
    pub fn asks(&self) -> Option<&str> {
        match self {
            Self::Prompt { prompt } | Self::Agent { prompt } => Some(prompt),
            Self::McpTool { tool, .. } => Some(tool),
            Self::Shell { .. } | Self::PowerShell { .. } | Self::Exec { .. } | Self::Program { .. } => None,
            Self::Http { .. } | Self::Python { .. } | Self::Module { .. } => None,
            Self::Action { .. } | Self::Callback { .. } | Self::Stub { .. } => None,
        }
    }
}

/// The script a command line runs: its file name; the whole line where none stands out.
pub fn short_name(command: &str) -> String {
    const INTERPRETERS: [&str; 10] = ["sh", "bash", "zsh", "dash", "python", "python3", "node", "ruby", "perl", "env"];
    let file = |word: &str| word.rsplit('/').next().unwrap_or(word).to_string();
    let mut words = command.split_whitespace().filter(|w| !w.contains('=') && !w.starts_with('-'));
    let script = words.find(|w| !INTERPRETERS.contains(&file(w).as_str()));
    // Quotes and variables belong to the directory: `"$DIR"/hooks/x.sh` is x.sh.
    let name = script.map(|word| file(word.trim_matches(['"', '\'']))).unwrap_or_default();
    let plain = !name.is_empty() && !name.contains(['$', '"', '\'', ';', '{', '}', '(', '|', '&']);
    // A quote that does not close in its word means a blank inside the path.
    let closed = |word: &str| ['"', '\''].iter().all(|q| word.matches(*q).count() % 2 == 0);
    match script {
        Some(word) if plain && closed(word) && (word.contains('/') || word.contains('.')) => name,
        _ => command.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_is_the_script() {
        for (command, name) in [
            ("./hooks/guard.sh --x", "guard.sh"),
            ("/usr/bin/python3 check.py", "check.py"),
            ("X=/a/b ./nope.sh", "nope.sh"),
            ("make lint", "make lint"),
            ("echo {}", "echo {}"),
            ("\"$DIR\"/hooks/x.sh", "x.sh"),
            ("\"$DIR/hooks/x.sh\"", "x.sh"),
            ("bash '${DIR}/x y.sh'", "bash '${DIR}/x y.sh'"),
            ("\"$HOOK\"", "\"$HOOK\""),
        ] {
            assert_eq!(short_name(command), name);
        }
    }
}
