//! The rules of one firing and one call as state machines the engine drives.
//!
//! The engine's whole loop is: start what `ready` gives, wait for one run to end, hand it to `ended`, repeat until
//! nothing is ready and nothing runs. Order, parallelism, chaining and second phases all live behind `ready`.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::model::{CallResult, Gate, HookSet, Launch, Payload, Plan, Reading, RunEnd, ToolRun, Verdict};

/// What a dialect gets to make a script from.
#[derive(Debug, Clone)]
pub struct FiringInput {
    /// The hooks this firing works with, whatever is reloaded meanwhile.
    pub hooks: Arc<HookSet>,
    /// Who runs.
    pub plan: Arc<Plan>,
    /// The event.
    pub payload: Payload,
    /// The process id of the host these hooks see: ours.
    pub pid: u32,
    /// Wall-clock time of the firing, UTC, for hosts that write it to stdin.
    pub at: String,
    /// Facts about the host that decide outcomes and stand in no payload.
    pub host: Arc<Map<String, Value>>,
}

/// One firing.
pub trait Script: Send {
    /// The runs that may start now. Empty while everything has to wait, and when all is done.
    fn ready(&mut self) -> Vec<Launch>;

    /// A run is over; say what it means.
    fn ended(&mut self, end: &RunEnd) -> Reading;

    /// Why a planned hook was never asked for.
    fn halted(&self) -> Option<Gate>;

    /// The merged result.
    fn verdict(&mut self) -> Verdict;
}

/// One tool call: events before the tool, the recorded result, events after it.
pub trait CallScript: Send {
    /// The event before the tool.
    fn pre(&self) -> Payload;

    /// What the pre hooks make of the call.
    fn after_pre(&mut self, verdict: &Verdict) -> CallStage;

    /// The tool's part, valid after [`CallScript::after_pre`].
    fn tool(&self) -> ToolRun;

    /// What the model gets, given the verdict of the post hooks if they fired.
    fn result(&self, post: Option<&Verdict>) -> CallResult;

    /// Messages to the user or model beside the result.
    fn user_messages(&self, post: Option<&Verdict>) -> Vec<String>;
}

/// What follows the pre hooks.
#[derive(Debug, Clone)]
pub enum CallStage {
    /// The tool was skipped and nothing follows.
    Over,
    /// The tool ran; this event follows.
    Post(Payload),
}
