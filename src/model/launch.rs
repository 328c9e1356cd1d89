//! What a dialect asks the engine to run.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

#[derive(Debug, Clone)]
pub struct Launch {
    pub hook: usize,
    /// Counts from zero when the same hook is run again inside one firing.
    pub phase: u32,
    pub job: Job,
    pub limit: Limit,
}

#[derive(Debug, Clone)]
pub enum Job {
    Process(Invocation),
    Callback {
        id: String,
        input: Arc<Value>,
    },
    /// POST to a server; the answer is `{"status", "body"}`.
    Http {
        url: String,
        /// Header names and values; `$NAME` in a value is replaced for the names in `allowed`, others become empty.
        headers: Vec<(String, String)>,
        allowed: Vec<String>,
        body: Arc<[u8]>,
    },
    Stub(Result<Value, String>),
}

/// A program start, complete: nothing else reaches the child.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Program and arguments; the program is looked up in PATH unless it holds a slash.
    pub argv: Vec<String>,
    /// The shell command inside `argv`, when the program is a shell.
    pub shell_command: Option<String>,
    /// Working directory; none means ours.
    pub cwd: Option<PathBuf>,
    /// Variables added to, or changed in, the inherited environment.
    pub env: Vec<(String, String)>,
    /// Beginnings of names of variables that are not inherited.
    pub removed_env: Vec<&'static str>,
    /// A file for the hook to write to, made for this run and read afterwards.
    pub note: Option<EnvFile>,
    /// The bytes for stdin, after which it is closed.
    pub stdin: Arc<[u8]>,
}

/// A file whose path a hook finds in a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvFile {
    pub variable: &'static str,
    /// The file's name; the engine says where.
    pub name: String,
}

/// Time limits of one run; the earlier one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit {
    /// One budget shared by all runs of a group, counted from the group's first start.
    pub group: Option<(usize, Duration)>,
    /// A budget of this run alone.
    pub own: Option<Duration>,
    /// The host's own time between the request to end and the kill.
    pub grace: Option<Duration>,
}
