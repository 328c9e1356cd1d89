//! The massgen host: YAML hooks for all agents and for each, commands and Python functions, inputs that chain, content
//! that is injected after the tool.

mod answer;
mod call;
mod rules;
mod settings;

use std::time::Duration;

use super::Capability::{AddContext, Deny, ModifyInput};
use super::event::Effect::{self, Can};
use super::event::{AnswerField, Kind, Limits, MatchedOn, Matching, MergeClass, always, optional};
use super::glob::{GlobSyntax, ToolGlob};
use super::profile::project_files;
use super::{
    EventRow, FieldRow, Host, InputChain, LimitUnit, PayloadRule, Profile, ProjectFile, Root, SettingsPlace, Shape,
    ShortCircuit, driver, elsewhere,
};
use crate::model::{Gate, GateKind, Hook, Payload};

const BASE: &[FieldRow] = &[
    always("session_id", "\"\"", "\"s-1\"", "id of the session"),
    always("orchestrator_id", "\"\"", "\"o-1\"", "id of the orchestrator"),
    always("agent_id", "null", "\"agent_a\"", "the agent that calls the tool; decides which hooks apply"),
    optional("timestamp", "\"2026-01-05T10:00:00+00:00\"", "time of the call"),
];
const TOOL_NAME: FieldRow = always("tool_name", "\"\"", "\"Write\"", "name of the tool; matchers are compared with it");
const TOOL_INPUT: FieldRow = always("tool_input", "{}", "{\"path\":\"notes.txt\"}", "arguments of the tool");

/// The fields of a result, with what they do at an event.
const fn answer(denies: Effect, rewrites: Effect, injects: Effect) -> [AnswerField; 8] {
    [
        AnswerField::new("decision", Kind::OneOf(&["allow", "deny", "ask"]), denies),
        AnswerField::new("reason", Kind::Text, Effect::None),
        AnswerField::new("updated_input", Kind::Any, rewrites),
        AnswerField::new("inject", Kind::Object, injects),
        AnswerField::new("allowed", Kind::Bool, denies),
        AnswerField::new("modified_args", Kind::Text, rewrites),
        AnswerField::new("metadata", Kind::Object, Effect::None),
        AnswerField::new("hook_errors", Kind::Any, Effect::None),
    ]
}

const AFTER: EventRow = EventRow {
    matched_on: MatchedOn::Tool("tool_name"),
    matching: Matching::GlobList,
    limit: Limits::Each(Duration::from_secs(30)),
    top: &answer(Effect::None, Effect::None, Can(AddContext)),
    merge: MergeClass::Output,
    ..EventRow::BLANK
};
// Each event is a paragraph, so that a screen holds several.
#[rustfmt::skip]
const EVENTS: &[EventRow] = &[
    EventRow {
        name: "PreToolUse", when: "before any tool", fields: &[TOOL_NAME, TOOL_INPUT],
        top: &answer(Can(Deny), Can(ModifyInput), Effect::None), guards: Some("the tool call"),
        merge: MergeClass::Permission, ..AFTER
    },
    EventRow {
        name: "PostToolUse", when: "after a tool that succeeded",
        fields: &[TOOL_NAME, TOOL_INPUT, always("tool_output", "null", "\"done\"", "what the tool gave back")],
        ..AFTER
    },
];
/// The event, then the tool, the session, the orchestrator and the agent.
#[rustfmt::skip]
const VARIABLES: &[&str] = &[
    "MASSGEN_HOOK_TYPE", "MASSGEN_TOOL_NAME", "MASSGEN_SESSION_ID", "MASSGEN_ORCHESTRATOR_ID", "MASSGEN_AGENT_ID",
];
const PLACES: &[SettingsPlace] = &[
    SettingsPlace { root: Root::Project, path: "massgen.yaml", layer: "project" },
    SettingsPlace { root: Root::Project, path: ".massgen/config.yaml", layer: "project" },
];

const DEMO: &[ProjectFile] = project_files!("demo/massgen":
    "settings.yaml", "payloads.json", "hooks/lint-note.sh", "hooks/no-prod.sh", "hooks/only-a.sh",
    "hooks/safe-path.sh"
);
const STARTER: &[ProjectFile] = project_files!("init/massgen": "massgen.yaml", "hooks/guard.py");

fn profile() -> Profile {
    Profile {
        name: "massgen",
        about: "MassGen: commands and Python functions, for all agents or one, fail open unless told otherwise",
        places: PLACES,
        shape: Shape::Flat,
        events: EVENTS.into(),
        unknown: AFTER,
        entry_keys: &["handler", "type", "matcher", "timeout", "fail_closed"],
        short_circuit: ShortCircuit::OnDeny,
        input_chain: InputChain::Changed,
        variables: VARIABLES.into(),
        payload: PayloadRule::Closed { also: &[] },
        event_field: "hook_type",
        base_fields: BASE,
        agent_field: Some("agent_id"),
        limit_unit: LimitUnit::Seconds,
        rule: "with exit 0 stdout must be one JSON object; any other exit is a failed hook, and nothing is blocked",
        refusal: "{\"decision\":\"deny\",\"reason\":\"…\"}",
        failure_key: Some("fail_closed"),
        switches: &["override"],
        call: Some(&call::CALL),
        demo: DEMO,
        starter: STARTER,
        ..Profile::default()
    }
}

/// What this host does that can't be a value.
pub const HOST: Host = Host {
    profile,
    detects: settings::detects,
    load: settings::load,
    elsewhere,
    gate,
    driver: |input, profile| driver(input, profile, rules::MassgenRules::new),
    at: |_| None,
};

fn gate(hook: &Hook, payload: &Payload, _profile: &Profile) -> Option<Gate> {
    let agent = payload.text("agent_id").unwrap_or_default();
    match &hook.origin.scope {
        Some(own) if own.as_ref() != agent => {
            let caller =
                if agent.is_empty() { "no agent is named".to_string() } else { format!("the call is by `{agent}`") };
            return Some(Gate::new(GateKind::Policy, format!("it belongs to agent `{own}`, and {caller}")));
        }
        None if hook.options.overridden_for.iter().any(|a| a == agent) => {
            let what = format!("`override: true` for {}", hook.event);
            let why = format!("agent `{agent}` has {what}, which switches global hooks off");
            return Some(Gate::new(GateKind::Policy, why));
        }
        _ => {}
    }
    mismatch(hook.matcher.as_deref(), payload.text("tool_name").unwrap_or_default())
        .map(|why| Gate::new(GateKind::Matcher, why))
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
    let near = parts.iter().find(|p| p.eq_ignore_ascii_case(tool));
    let near = near.map_or_else(String::new, |_| format!("; case counts: write `{tool}`"));
    let how = "globs on the whole name, alternatives with |";
    Some(format!("its matcher `{matcher}` ({how}) does not fit the tool `{tool}`{near}"))
}
