//! The events the engine emits, and the only thing it emits. Versioned and serialisable.
//!
//! The three hook events keep the field names that agents' own streams use.

use serde::Serialize;
use serde_json::Value;

use super::{CallResult, HookId, RunOutcome, ToolRun, Verdict};
use crate::diag::Diagnostic;

pub const LIFECYCLE_VERSION: u32 = 1;

/// One event through all its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FiringId(pub u64);

impl FiringId {
    /// A number no other firing of this process has.
    pub fn next() -> Self {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        Self(NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
    }
}

/// One hook executed once; unique in the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RunId(pub u64);

/// Which stream output came from. The order between the two is approximate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    Stdout,
    Stderr,
}

/// The three outcomes agents' streams know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LifecycleOutcome {
    Success,
    Error,
    Cancelled,
}

impl From<RunOutcome> for LifecycleOutcome {
    fn from(outcome: RunOutcome) -> Self {
        match outcome {
            RunOutcome::Success | RunOutcome::Blocked | RunOutcome::Background => Self::Success,
            RunOutcome::Error | RunOutcome::Timeout | RunOutcome::SpawnFailed => Self::Error,
            RunOutcome::Cancelled => Self::Cancelled,
        }
    }
}

/// What every hook event says about its hook.
#[derive(Debug, Clone, Serialize)]
pub struct RunStamp {
    pub firing: FiringId,
    pub run: RunId,
    /// Index of the hook in the firing's plan.
    pub index: usize,
    /// The same hook in every firing and after every reload.
    pub id: HookId,
    /// The host's id of the hook; hosts may repeat it.
    pub hook_id: String,
    /// The host's name of the hook.
    pub hook_name: String,
    pub hook_event: String,
    /// Milliseconds since the firing began.
    pub t: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Planned {
    pub index: usize,
    pub id: HookId,
    pub hook_name: String,
    pub label: String,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Lifecycle {
    FiringStarted {
        version: u32,
        firing: FiringId,
        /// Wall-clock time, UTC.
        at: String,
        dialect: String,
        event: String,
        /// The hooks that are planned to run, in order.
        plan: Vec<Planned>,
    },
    HookQueued {
        #[serde(flatten)]
        hook: RunStamp,
    },
    HookStarted {
        #[serde(flatten)]
        hook: RunStamp,
    },
    HookProgress {
        #[serde(flatten)]
        hook: RunStamp,
        stream: Stream,
        stdout: String,
        stderr: String,
        /// Whichever of the two it is.
        output: String,
        /// Counts the progress events of this run, from zero.
        seq: u64,
        /// Bytes left out before this text because the reader fell behind; the run's record still has them.
        skipped: u64,
    },
    /// A run ended; exactly one per started run.
    HookResponse {
        #[serde(flatten)]
        hook: RunStamp,
        outcome: LifecycleOutcome,
        /// The outcome in the report's finer words.
        detail: RunOutcome,
        exit_code: Option<i32>,
        signal: Option<i32>,
        /// What it wrote to stdout, up to the cap.
        stdout: String,
        /// What it wrote to stderr, up to the cap.
        stderr: String,
        /// Both, stdout first.
        output: String,
        duration_ms: f64,
        /// How much of that was waiting for output after its own process had ended.
        drain_ms: f64,
        says: String,
    },
    /// The recorded tool result of a call took its place between pre and post hooks.
    ToolResult {
        tool: ToolRun,
        /// What the model gets, when the call is over.
        result: Option<CallResult>,
    },
    /// Something worth saying that belongs to no run.
    Diagnostic {
        diagnostic: Diagnostic,
    },
    FiringFinished {
        firing: FiringId,
        verdict: Box<Verdict>,
        t: f64,
    },
}

impl Lifecycle {
    /// The event as JSON; a value that cannot be written becomes `null` rather than an error in a live stream.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    pub fn hook(&self) -> Option<&RunStamp> {
        match self {
            Self::HookQueued { hook }
            | Self::HookStarted { hook }
            | Self::HookProgress { hook, .. }
            | Self::HookResponse { hook, .. } => Some(hook),
            Self::FiringStarted { .. }
            | Self::ToolResult { .. }
            | Self::Diagnostic { .. }
            | Self::FiringFinished { .. } => None,
        }
    }
}
