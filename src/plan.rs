//! From hooks, a payload and toggles to a plan: every hook with the first gate that stops it. Runs nothing.

use std::sync::Arc;

use crate::dialect::Dialect;
use crate::model::{HookSet, Payload, Plan, PlanEntry, Toggles};

/// Ask the gates in their order: the host's own (event, matcher, condition), then the user's toggles.
pub fn plan(dialect: &dyn Dialect, set: &HookSet, payload: &Payload, toggles: &Toggles) -> Plan {
    let entries = set
        .hooks
        .iter()
        .map(|hook| PlanEntry {
            hook: Arc::clone(hook),
            gate: dialect.gate(hook, payload).or_else(|| toggles.gate(hook)),
        })
        .collect();
    Plan { entries }
}
