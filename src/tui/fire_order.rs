//! An event to fire, on its way from the update function to the engine.

use std::sync::Arc;

use serde_json::Value;

use crate::model::{FiringId, HostState, Payload, Toggles};

/// Who wanted an event fired; decides where its report goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FiredFor {
    User,
    /// An item of the replay list, by its index.
    Replay(usize),
    /// A saved file; this is the pinned firing it repeats.
    Pinned(FiringId),
}

#[derive(Debug, Clone)]
pub struct FireOrder {
    /// The number its rows get before it starts.
    pub id: FiringId,
    pub payload: Payload,
    /// Hooks that are off, as they were when the order was given.
    pub toggles: Toggles,
    pub fired_for: FiredFor,
    /// The host's state, with the replies given for hooks that ask a model.
    pub host: Arc<HostState>,
    /// The user agreed to run exactly these commands.
    pub consented: bool,
}

impl FireOrder {
    /// Hooks that ask a model get these, in the order of the plan.
    pub fn set_replies(&mut self, replies: Vec<Value>) {
        self.host = Arc::new(HostState { replies, ..HostState::default() });
    }
}
