//! The vocabulary every layer above speaks: payloads, hooks, plans, runs, verdicts, lifecycle events.
//!
//! Plain data and small pure functions on it. Nothing here knows a host by name, reads a file or waits.

pub mod doc;
mod handler;
mod hook;
mod hook_set;
mod host_state;
mod launch;
mod lifecycle;
mod payload;
mod plan;
mod run;
mod suggest;
mod verdict;

pub use handler::{Handler, short_name};
pub use hook::{Background, Duplicates, FirstOfMatcher, Hook, HookId, HookOptions, OnFailure, Origin, Standing};
pub use hook_set::HookSet;
pub use host_state::{HostMode, HostState, HostStateError, PermissionRules};
pub use launch::{EnvFile, Invocation, Job, Launch, Limit};
pub use lifecycle::{FiringId, LIFECYCLE_VERSION, Lifecycle, LifecycleOutcome, Planned, RunId, RunStamp, Stream};
pub use payload::{Payload, PayloadError};
pub use plan::{Gate, GateKind, Plan, PlanEntry, Toggles};
pub use run::{
    Answer, AnswerKind, Captured, End, Leftover, Next, Reading, RunEnd, RunOutcome, SpawnCause, SpawnFailure, StdinUse,
};
pub use suggest::{did_you_mean, nearest};
pub use verdict::{CallResult, Decider, InjectAs, Injection, ToolRun, Verdict};
