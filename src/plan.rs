//! From hooks, a payload and toggles to a plan: every hook with the first gate that stops it. Runs nothing.

use std::sync::Arc;

use crate::dialect::Dialect;
use crate::model::{Gate, GateKind, Hook, HookSet, Payload, Plan, PlanEntry, Standing, Toggles};

/// Ask the gates in their order: what the host never took, its rules for the event (name, matcher, condition), what its
/// settings switch off, then the user's toggles.
pub fn plan(dialect: &dyn Dialect, set: &HookSet, payload: &Payload, toggles: &Toggles) -> Plan {
    let gate = |hook: &Hook| gate(dialect, hook, payload).or_else(|| toggles.gate(hook));
    let entry = |hook: &Arc<Hook>| PlanEntry { hook: Arc::clone(hook), gate: gate(hook) };
    Plan { entries: set.hooks.iter().map(entry).collect() }
}

/// The gates of the host and its settings.
pub fn gate(dialect: &dyn Dialect, hook: &Hook, payload: &Payload) -> Option<Gate> {
    let own = || dialect.gate(hook, payload);
    match &hook.standing {
        Standing::Rejected(why) => Some(Gate::new(GateKind::File, why.clone())),
        Standing::Active => own(),
        Standing::Off(why) => own().or_else(|| Some(Gate::new(GateKind::Policy, why.clone()))),
        Standing::DisabledInFile => own().or_else(|| {
            let why = format!("`{}` is disabled by name; it stays registered", hook.name);
            Some(Gate::new(GateKind::Disabled, why))
        }),
    }
}
