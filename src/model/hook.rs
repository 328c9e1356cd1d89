//! Configured hooks and the set a firing works with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::diag::Place;

/// One configured handler: what it listens to and what it does.
#[derive(Debug, Clone)]
pub struct Hook {
    /// Unique in its set and stable over reloads: the path to the entry in its file.
    pub id: String,
    /// The id the host itself gives it in its messages; hosts may repeat it.
    pub host_id: String,
    /// The name the host shows; toggles accept it.
    pub name: String,
    /// A short form of the name for narrow columns; toggles accept it too.
    pub label: String,
    /// The event or point it is configured under, spelled as in the file.
    pub event: String,
    /// The matcher text, if the entry has one.
    pub matcher: Option<String>,
    /// What runs.
    pub handler: Handler,
    /// The configured limit; which hooks share it is the dialect's rule.
    pub timeout: Option<Duration>,
    /// Hooks of one matcher entry carry the same number.
    pub group: usize,
    /// Where it comes from.
    pub origin: Origin,
    /// Further fields of the entry that only its dialect reads.
    pub options: Map<String, Value>,
}

/// Where a hook was configured.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// File, line and column; none for hooks registered from code.
    pub place: Option<Place>,
    /// The layer of that file.
    pub layer: Arc<str>,
    /// The agent it belongs to, for hooks that live and die with one.
    pub scope: Option<Arc<str>>,
}

/// What a hook does when it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Handler {
    /// A command line for the host's shell.
    Shell {
        /// The line as written.
        command: String,
    },
    /// A program and its arguments, without a shell.
    Exec {
        /// Program first.
        argv: Vec<String>,
    },
    /// Judged by a model or a tool server whose reply the user gives.
    Reply {
        /// `prompt`, `agent`, `mcp_tool` or `http`.
        kind: String,
        /// The prompt, tool or url.
        text: String,
    },
    /// A program started directly, without a shell; a Python file is given to the interpreter.
    Program {
        /// Its path as written.
        path: String,
    },
    /// A Python function, imported and called in a real interpreter.
    Python {
        /// `module.function`.
        function: String,
    },
    /// A JavaScript function, imported and called in node.
    Module {
        /// The module's path.
        path: String,
        /// The exported name.
        export: String,
    },
    /// A command of the host's own language; it is shown expanded and runs nothing here.
    Action {
        /// The line as written.
        line: String,
    },
    /// An in-process function, looked up by id in the runner.
    Callback {
        /// Its key in the runner.
        id: String,
    },
    /// A canned answer: "what if this hook said …".
    Stub {
        /// The answer, or the text of the error it raises.
        answer: Result<Value, String>,
    },
}

impl Handler {
    /// The word reports use.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Shell { .. } | Self::Program { .. } | Self::Exec { .. } => "command",
            Self::Reply { kind, .. } => match kind.as_str() {
                "agent" => "agent",
                "mcp_tool" => "mcp_tool",
                "http" => "http",
                _ => "prompt",
            },
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
            Self::Shell { command } => Some(command),
            Self::Program { path } | Self::Module { path, .. } => Some(path),
            Self::Python { function } => Some(function),
            Self::Exec { argv } => argv.first().map(String::as_str),
            Self::Action { .. } | Self::Reply { .. } | Self::Callback { .. } | Self::Stub { .. } => None,
        }
    }
}

/// All hooks of one load, in the order the host would hold them.
#[derive(Debug, Clone, Default)]
pub struct HookSet {
    /// The hooks.
    pub hooks: Vec<Arc<Hook>>,
    /// Settings beside the hooks that the dialect needs while firing (defaults, session fields …).
    pub settings: Map<String, Value>,
}

impl HookSet {
    /// Append `hooks`, giving their groups fresh numbers so that entries never share a limit by accident.
    pub fn append(&mut self, hooks: impl IntoIterator<Item = Hook>) {
        // Base hooks come before those of any agent, whichever was registered first.
        let at = self.hooks.iter().position(|h| h.origin.scope.is_some()).unwrap_or(self.hooks.len());
        self.insert(at, hooks);
    }

    /// Append hooks that carry their agent already, after everything else.
    pub fn append_scoped(&mut self, hooks: impl IntoIterator<Item = Hook>) {
        self.insert(self.hooks.len(), hooks);
    }

    /// Put the hooks of agent `scope` in place of those it had, or at the end.
    pub fn register_scope(&mut self, scope: &str, hooks: impl IntoIterator<Item = Hook>) {
        let at = self.hooks.iter().position(|h| h.origin.scope.as_deref() == Some(scope));
        self.unregister_scope(scope);
        let scope: Arc<str> = scope.into();
        let scoped = hooks.into_iter().map(|mut hook| {
            hook.origin.scope = Some(scope.clone());
            hook
        });
        self.insert(at.unwrap_or(self.hooks.len()), scoped);
    }

    /// Take away the hooks of agent `scope`.
    pub fn unregister_scope(&mut self, scope: &str) {
        self.hooks.retain(|h| h.origin.scope.as_deref() != Some(scope));
    }

    /// The agents that have hooks here, in order.
    pub fn scopes(&self) -> Vec<Arc<str>> {
        let mut scopes: Vec<Arc<str>> = Vec::new();
        for scope in self.hooks.iter().filter_map(|h| h.origin.scope.clone()) {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        scopes
    }

    /// Two different hooks of one event must not go by the same short name: they then go by their full ones.
    pub fn tell_labels_apart(&mut self) {
        let mut names: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for hook in &self.hooks {
            names.entry((hook.event.clone(), hook.label.clone())).or_default().insert(hook.name.clone());
        }
        for hook in &mut self.hooks {
            if names.get(&(hook.event.clone(), hook.label.clone())).is_some_and(|n| n.len() > 1) {
                let hook = Arc::make_mut(hook);
                hook.label.clone_from(&hook.name);
            }
        }
    }

    fn insert(&mut self, at: usize, hooks: impl IntoIterator<Item = Hook>) {
        let base = self.hooks.iter().map(|h| h.group + 1).max().unwrap_or(0);
        let fresh: Vec<_> = hooks
            .into_iter()
            .map(|mut hook| {
                hook.group += base;
                Arc::new(hook)
            })
            .collect();
        self.hooks.splice(at..at, fresh);
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
