//! Claude Code: 33 events, hooks of one event in parallel, answers merged in the order they finish.
//!
//! Rules are those observed on 2.1.325. The replies of `prompt`, `agent` and `mcp_tool` hooks are given by the user.

mod answer;
mod call;
mod condition;
mod conduct;
mod events;
mod matcher;
mod merge;
mod result;
mod script;
mod settings;
mod shell;
mod specials;
mod stdin;

use serde_json::{Map, Value, json};

pub use matcher::{Mode, fits as matcher_fits};

use super::{CallScript, Dialect, EventSpec, FieldSpec, FiringInput, Loaded, Root, Script, UsualPlace};
use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, GateKind, Handler, Hook, HookSet, Payload};

/// The dialect itself; it has no state.
#[derive(Debug, Clone, Copy)]
pub struct Claude;

/// The version whose rules these are.
pub const VERSION: &str = "2.1.325";

const PLACES: &[UsualPlace] = &[
    UsualPlace { root: Root::Home, path: ".claude/settings.json", layer: "user" },
    UsualPlace { root: Root::Project, path: ".claude/settings.json", layer: "project" },
    UsualPlace { root: Root::Project, path: ".claude/settings.local.json", layer: "local" },
];

impl Dialect for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn profile(&self) -> String {
        format!("claude@{VERSION}")
    }

    fn about(&self) -> &'static str {
        "Claude Code: commands in parallel, exit 2 blocks, JSON answers decide, deny before ask before allow"
    }

    fn events(&self) -> &'static [EventSpec] {
        events::EVENTS
    }

    fn base_fields(&self) -> &'static [FieldSpec] {
        events::BASE
    }

    fn usual_places(&self) -> &'static [UsualPlace] {
        PLACES
    }

    fn recognises(&self, source: &Source) -> bool {
        settings::recognises(source)
    }

    fn load(&self, sources: &[Source]) -> Result<Loaded, Box<Diagnostic>> {
        settings::load(sources)
    }

    fn event_field(&self) -> &'static str {
        "hook_event_name"
    }

    fn check_payload(&self, payload: &Payload) -> Vec<Diagnostic> {
        let Some(spec) = self.event(&payload.event) else { return Vec::new() };
        // The host adds fields from version to version, so an unknown one is no finding; a missing one is.
        let missing = |f: &&FieldSpec| {
            matches!(f.presence, super::Presence::Always { .. }) && !payload.fields.contains_key(f.name)
        };
        let found = spec.fields.iter().filter(missing);
        found
            .map(|f| {
                Diagnostic::warning(
                    "missing-field",
                    format!("{} payloads have `{}`; it is missing here", spec.name, f.name),
                )
            })
            .collect()
    }

    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        if let Some(Value::String(why)) = hook.options.get("not_loaded") {
            return Some(Gate::new(GateKind::File, why.clone()));
        }
        if hook.event != payload.event {
            let why = format!("it is configured under {}, and this event is {}", hook.event, payload.event);
            return Some(Gate::new(GateKind::Event, why));
        }
        if let Some(why) = matcher::mismatch(hook.matcher.as_deref(), payload) {
            return Some(Gate::new(GateKind::Matcher, why));
        }
        if let Some(why) =
            hook.options.get("if").and_then(Value::as_str).and_then(|rule| condition::mismatch(rule, payload))
        {
            return Some(Gate::new(GateKind::Condition, why));
        }
        if let Some(Value::String(why)) = hook.options.get("off") {
            return Some(Gate::new(GateKind::Policy, why.clone()));
        }
        // Only one of them runs; where the first one's matcher does not fit, this is the one.
        let first_fits =
            || matcher::mismatch(hook.options.get("duplicate_matcher").and_then(Value::as_str), payload).is_none();
        if let Some(Value::String(first)) = hook.options.get("duplicate_of").filter(|_| first_fits()) {
            let why = format!(
                "the same command with the same `if` is configured at {first}; the host runs it once, with the last one's options"
            );
            return Some(Gate::new(GateKind::Duplicate, why));
        }
        settings::unsupported(hook).map(|why| Gate::new(GateKind::Policy, why))
    }

    fn host_id(&self, event: &str, _handler: &Handler, index: usize) -> String {
        format!("{event}-{index}")
    }

    fn script(&self, input: FiringInput) -> Box<dyn Script> {
        Box::new(script::ClaudeFiring::new(input))
    }

    fn call(&self, _set: &HookSet, fields: &Map<String, Value>) -> Result<Box<dyn CallScript>, String> {
        Ok(Box::new(call::ClaudeCall::new(fields)?))
    }

    fn call_template(&self) -> Value {
        json!({
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_01",
            "tool": {"output": {"stdout": "Cargo.toml\nsrc", "stderr": "", "interrupted": false}}
        })
    }

    fn at(&self, version: &str) -> Option<std::sync::Arc<dyn Dialect>> {
        (version == VERSION).then(|| std::sync::Arc::new(*self) as std::sync::Arc<dyn Dialect>)
    }

    fn versions(&self) -> &'static [&'static str] {
        &[VERSION]
    }
}
