//! What one host does with one firing, as pure answers to the driver's questions.
//!
//! Rules are values: every method takes `&self`, so what another order of finishing, or another answer, would have led to
//! is one more call. What changes while hooks run is kept by the [`Driver`](super::driver::Driver).

use std::sync::Arc;

use crate::model::{HookSet, HostState, Job, Limit, Next, Payload, Plan, Reading, RunEnd, Verdict};

/// What a dialect gets to make rules from.
#[derive(Debug, Clone)]
pub struct FiringInput {
    /// The hooks this firing works with, whatever is reloaded meanwhile.
    pub hooks: Arc<HookSet>,
    pub plan: Arc<Plan>,
    pub payload: Payload,
    /// The process id of the host these hooks see: ours.
    pub pid: u32,
    /// Wall-clock time of the firing, UTC, for hosts that write it to stdin.
    pub at: String,
    /// Facts about the host that decide outcomes and are in no payload.
    pub host: Arc<HostState>,
}

/// One finished run, as its host reads it.
#[derive(Debug, Clone)]
pub struct Done<A> {
    pub hook: usize,
    pub answer: A,
}

/// What an answer does, as one sentence; `nothing` if it does nothing.
pub fn sentence<S: AsRef<str>>(effects: &[S], nothing: &str) -> String {
    let effects: Vec<&str> = effects.iter().map(AsRef::as_ref).collect();
    match effects.split_last() {
        None => nothing.into(),
        Some((last, [])) => format!("It {last}."),
        Some((last, rest)) => format!("It {} and {last}.", rest.join(", ")),
    }
}

pub trait Rules: Send {
    /// What a run gave, as this host reads it.
    type Answer: Send;
    /// What a hook leaves for those after it.
    type Carried: Send;

    fn start(&self) -> Self::Carried;

    /// What to run for `hook`, and how long it may take.
    fn launch(&self, hook: usize, carried: &Self::Carried) -> (Job, Limit);

    fn read(&self, end: &RunEnd) -> (Reading, Self::Answer);

    /// What follows a run. Nobody is asked after one that the user ended: that ends the firing at every host.
    fn next(&self, hook: usize, reading: &Reading, answer: &Self::Answer) -> Next;

    /// Leave what `answer` changes for the hooks after it.
    fn carry(&self, _carried: &mut Self::Carried, _answer: &Self::Answer) {}

    /// What the host makes of all runs, in the order they finished.
    fn merge(&self, done: &[Done<Self::Answer>], carried: &Self::Carried) -> Verdict;
}
