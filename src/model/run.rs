//! How one run ended, what it printed, and how the dialect read it.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// Everything the engine knows about one finished run.
#[derive(Debug, Clone)]
pub struct RunEnd {
    pub hook: usize,
    /// Which run of that hook inside the firing, from zero.
    pub phase: u32,
    pub end: End,
    pub stdout: Captured,
    pub stderr: Captured,
    pub stdin: StdinUse,
    /// Milliseconds from the firing's start to this run's.
    pub started_ms: f64,
    /// Milliseconds the run took, suspension of hookdbg itself not counted.
    pub duration_ms: f64,
    /// Bytes that came after the hook's own process had ended.
    pub late_bytes: u64,
    /// Milliseconds of the run that were spent waiting for output after the hook's own process had ended.
    pub drain_ms: f64,
    pub leftovers: Vec<Leftover>,
    /// A cause the engine could make out behind the bare exit code, as one sentence.
    pub diagnosis: Option<String>,
    /// What it wrote to the file it was given, if it was given one.
    pub note: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum End {
    Exited(i32),
    /// A signal that hookdbg did not send ended it.
    Signalled(i32),
    /// It went over its limit and was ended.
    TimedOut {
        limit_ms: u64,
        /// Whether it had to be killed after it ignored the request to end.
        killed: bool,
    },
    /// The shared limit was used up before it could start.
    NeverStarted {
        limit_ms: u64,
    },
    Cancelled,
    SpawnFailed(SpawnFailure),
    Returned(Result<Value, String>),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SpawnFailure {
    pub cause: SpawnCause,
    /// One sentence with the names in it.
    pub message: String,
    /// The system's own words, as a host would show them.
    pub os_error: Option<String>,
}

/// The causes a start can fail for, told apart although the system's error is often the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpawnCause {
    MissingCwd,
    MissingProgram,
    /// The `#!` line names an interpreter that does not exist.
    BadInterpreter,
    /// The `#!` line ends in a carriage return.
    CarriageReturn,
    /// No `#!` line, and no shell in between to make up for it.
    NoInterpreterLine,
    NotExecutable,
    /// Arguments and environment are larger than the system takes.
    TooLong,
    /// Somebody still has the program open for writing.
    TextBusy,
    Other,
}

/// How much of its stdin a hook took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StdinUse {
    pub written: usize,
    pub total: usize,
    /// Whether the hook closed its end before it had all.
    pub refused: bool,
}

impl StdinUse {
    /// `all`, `part` or `none`. A small payload fits the pipe whether the hook reads it or not, so `all` means
    /// "was offered whole".
    pub fn word(&self) -> &'static str {
        if self.written == self.total && !self.refused {
            "all"
        } else if self.written == 0 {
            "none"
        } else {
            "part"
        }
    }
}

/// Output kept up to a cap: the beginning and the end; the middle is only counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    pub head: Vec<u8>,
    /// The last bytes, when there were more than fit.
    pub tail: Vec<u8>,
    pub total: u64,
}

impl Captured {
    pub fn dropped(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    pub fn truncated(&self) -> bool {
        self.dropped() > 0
    }

    /// The output as text; invalid bytes become replacement characters, a gap becomes a mark.
    pub fn text(&self) -> String {
        let mut bytes = self.head.clone();
        if self.truncated() {
            bytes.extend_from_slice(format!("\n… {} bytes not kept …\n", self.dropped()).as_bytes());
        }
        bytes.extend_from_slice(&self.tail);
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
        }
    }
}

/// A process that outlived the hook that started it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leftover {
    pub pid: i32,
    pub name: String,
    /// Whether it left the hook's own session, out of reach of a group kill.
    pub escaped: bool,
}

#[derive(Debug, Clone)]
pub struct Reading {
    pub outcome: RunOutcome,
    pub answer: Answer,
    /// One plain sentence: what the host does with this.
    pub says: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Go,
    /// The same hook runs again before any other, within this limit.
    Again(Duration),
    /// The host ends the runs that are still going.
    EndOthers,
    /// Hooks that have not started never will; one sentence says why.
    Halt(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// The host accepts it.
    Success,
    /// The host accepts it, and it blocks.
    Blocked,
    /// The host counts it as a failed hook.
    Error,
    Timeout,
    Cancelled,
    SpawnFailed,
    /// The host does not wait for it.
    Background,
}

impl RunOutcome {
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Blocked => "blocked",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::SpawnFailed => "spawn_failed",
            Self::Background => "background",
        }
    }
}

/// The answer of a hook as its dialect reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    pub kind: AnswerKind,
    /// The JSON, if it is any.
    pub json: Option<Value>,
    pub error: Option<String>,
    /// Fields that were there and have no effect, each with why.
    pub ignored: Vec<String>,
}

impl Answer {
    /// An answer of `kind` with nothing in it.
    pub fn of(kind: AnswerKind) -> Self {
        Self { kind, json: None, error: None, ignored: Vec::new() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerKind {
    Empty,
    Text,
    Json,
    /// Not what this host reads.
    Invalid,
}

impl RunEnd {
    /// The exit code, if it exited by itself.
    pub fn exit_code(&self) -> Option<i32> {
        if let End::Exited(code) = self.end { Some(code) } else { None }
    }

    /// The signal, if one that hookdbg did not send ended it.
    pub fn signal(&self) -> Option<i32> {
        if let End::Signalled(signal) = self.end { Some(signal) } else { None }
    }
}
