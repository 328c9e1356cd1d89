//! What lives from one event to the next: context that waits for the next model call.

use super::firing::Firing;
use crate::dialect::Dialect;

#[derive(Debug, Default, Clone)]
pub struct Session {
    pending: Vec<String>,
}

impl Session {
    /// Collect what `firing` adds for the model.
    pub fn add_context(&mut self, firing: &Firing) {
        self.pending.extend(firing.verdict.context.iter().cloned());
    }

    /// Texts waiting for the next model call.
    pub fn pending(&self) -> &[String] {
        &self.pending
    }

    /// The system prompt of the next model call; the waiting texts are used up by it.
    pub fn next_prompt(&mut self, dialect: &dyn Dialect, system_prompt: &str) -> String {
        let pending = std::mem::take(&mut self.pending);
        dialect.profile().next_prompt.map_or_else(|| system_prompt.to_string(), |add| add(system_prompt, &pending))
    }
}
