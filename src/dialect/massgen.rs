//! The massgen host: YAML hooks for all agents and for each, commands and Python functions, inputs that chain, content
//! that is injected after the tool.

mod answer;
mod call;
mod script;
mod settings;

use serde_json::{Map, Value, json};

use super::Capability::{AddContext, Deny, ModifyInput};
use super::glob::{GlobSyntax, ToolGlob};
use super::{CallScript, Dialect, EventSpec, FieldSpec, FiringInput, Loaded, Presence, Root, Script, UsualPlace};
use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, GateKind, Handler, Hook, HookSet, Payload};

/// The dialect itself; it has no state.
#[derive(Debug, Clone, Copy)]
pub struct Massgen;

const fn field(name: &'static str, empty: &'static str, example: &'static str, about: &'static str) -> FieldSpec {
    FieldSpec { name, presence: Presence::Always { empty }, example, about }
}

const BASE: &[FieldSpec] = &[
    field("session_id", "\"\"", "\"s-1\"", "id of the session"),
    field("orchestrator_id", "\"\"", "\"o-1\"", "id of the orchestrator"),
    field("agent_id", "null", "\"agent_a\"", "the agent that calls the tool; decides which hooks apply"),
    FieldSpec {
        name: "timestamp",
        presence: Presence::NotEmpty,
        example: "\"2026-01-05T10:00:00+00:00\"",
        about: "time of the call",
    },
];
const TOOL_NAME: FieldSpec = field("tool_name", "\"\"", "\"Write\"", "name of the tool; matchers are compared with it");
const TOOL_INPUT: FieldSpec = field("tool_input", "{}", "{\"path\":\"notes.txt\"}", "arguments of the tool");
const EVENTS: &[EventSpec] = &[
    EventSpec {
        name: "PreToolUse",
        about: "before any tool",
        fields: &[TOOL_NAME, TOOL_INPUT],
        rights: &[Deny, ModifyInput],
        matched: Some("tool_name"),
    },
    EventSpec {
        name: "PostToolUse",
        about: "after a tool that succeeded",
        fields: &[TOOL_NAME, TOOL_INPUT, field("tool_output", "null", "\"done\"", "what the tool gave back")],
        rights: &[AddContext],
        matched: Some("tool_name"),
    },
];
const PLACES: &[UsualPlace] = &[
    UsualPlace { root: Root::Project, path: "massgen.yaml", layer: "project" },
    UsualPlace { root: Root::Project, path: ".massgen/config.yaml", layer: "project" },
];

impl Dialect for Massgen {
    fn name(&self) -> &'static str {
        "massgen"
    }

    fn about(&self) -> &'static str {
        "MassGen: commands and Python functions, for all agents or one, fail open unless told otherwise"
    }

    fn events(&self) -> &'static [EventSpec] {
        EVENTS
    }

    fn answers(&self) -> &'static super::answers::AnswerSpec {
        &super::answers::MASSGEN
    }

    fn base_fields(&self) -> &'static [FieldSpec] {
        BASE
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
        "hook_type"
    }

    fn agent_field(&self) -> Option<&'static str> {
        Some("agent_id")
    }

    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        if hook.event != payload.event {
            let why = format!("it is configured under {}, and this event is {}", hook.event, payload.event);
            return Some(Gate::new(GateKind::Event, why));
        }
        let agent = payload.text("agent_id").unwrap_or_default();
        match &hook.origin.scope {
            Some(own) if own.as_ref() != agent => {
                let caller = if agent.is_empty() {
                    "no agent is named".to_string()
                } else {
                    format!("the call is by `{agent}`")
                };
                return Some(Gate::new(GateKind::Policy, format!("it belongs to agent `{own}`, and {caller}")));
            }
            None if overridden(hook, agent) => {
                let why =
                    format!("agent `{agent}` has `override: true` for {}, which switches global hooks off", hook.event);
                return Some(Gate::new(GateKind::Policy, why));
            }
            _ => {}
        }
        mismatch(hook.matcher.as_deref(), payload.text("tool_name").unwrap_or_default())
            .map(|why| Gate::new(GateKind::Matcher, why))
    }

    fn host_id(&self, event: &str, _handler: &Handler, index: usize) -> String {
        format!("{event}-{index}")
    }

    fn script(&self, input: FiringInput) -> Box<dyn Script> {
        Box::new(script::MassgenFiring::new(input))
    }

    fn call(&self, _set: &HookSet, fields: &Map<String, Value>) -> Result<Box<dyn CallScript>, String> {
        Ok(Box::new(call::MassgenCall::new(fields)?))
    }

    fn call_template(&self) -> Value {
        json!({
            "agent_id": "agent_a", "session_id": "s-1", "orchestrator_id": "o-1",
            "tool_name": "Write", "tool_input": {"path": "notes.txt"}, "tool": {"output": "done", "ok": true}
        })
    }
}

fn overridden(hook: &Hook, agent: &str) -> bool {
    let agents = hook.options.get("overridden_for").and_then(Value::as_array);
    agents.is_some_and(|agents| agents.iter().any(|a| a == agent))
}

/// Why `matcher` does not fit `tool`; none if it does.
fn mismatch(matcher: Option<&str>, tool: &str) -> Option<String> {
    let matcher = matcher.filter(|m| !m.is_empty())?;
    let parts: Vec<&str> = matcher.split('|').map(str::trim).filter(|p| !p.is_empty()).collect();
    if parts.is_empty() {
        return Some(format!("its matcher `{matcher}` holds only separators, which fits no tool"));
    }
    let fits = |part: &&str| ToolGlob::new(part, GlobSyntax::Python).is_ok_and(|g| g.matches(tool));
    if parts.iter().any(fits) {
        return None;
    }
    let near = if parts.iter().any(|p| p.eq_ignore_ascii_case(tool)) {
        format!("; case counts: write `{tool}`")
    } else {
        String::new()
    };
    Some(format!(
        "its matcher `{matcher}` (globs on the whole name, alternatives with |) does not fit the tool `{tool}`{near}"
    ))
}
