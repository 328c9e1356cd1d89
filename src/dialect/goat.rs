//! The goat host: fifteen events, callbacks before shell commands, strictly one after another.
//!
//! Where its specification and its original program differ, the specification decides and the sentence shown to
//! the author names the difference.

mod answer;
mod decide;
mod events;
mod matcher;
mod message;
mod rules;
mod settings;
mod stdin;

use super::call::{self, After, CallRow};
use super::profile::project_files;
use super::{
    DecisionRule, Forgives, Host, LimitUnit, PayloadRule, Profile, ProjectFile, Root, SettingsPlace, ShortCircuit,
    driver, elsewhere,
};
use crate::model::Handler;

const PLACES: &[SettingsPlace] = &[
    SettingsPlace { root: Root::Home, path: ".goat/hooks.json", layer: "user" },
    SettingsPlace { root: Root::Project, path: ".goat/hooks.json", layer: "project" },
    SettingsPlace { root: Root::Project, path: "goat.json", layer: "project" },
];

const DEMO: &[ProjectFile] = project_files!("demo/goat":
    "settings.json", "payloads.json", "hooks/audit.sh", "hooks/broken.sh", "hooks/chatty.sh", "hooks/format.sh",
    "hooks/guard.sh", "hooks/note.sh", "hooks/slow.sh", "hooks/tests-pass.sh"
);
const STARTER: &[ProjectFile] = project_files!("init/goat": "goat.json", "hooks/guard.sh");

fn profile() -> Profile {
    Profile {
        name: "goat",
        about: "Goat: callbacks and shell commands, sequential, first decisive answer wins",
        places: PLACES,
        events: events::EVENTS.into(),
        unknown: events::UNKNOWN,
        entry_keys: &["matcher", "hooks", "commands", "timeout", "hookcallbackids"],
        short_circuit: ShortCircuit::OnStop,
        payload: PayloadRule::Closed { also: &[] },
        event_field: "hook_event_name",
        continued_field: Some("stop_hook_active"),
        specific_key: "hookSpecificOutput",
        base_fields: events::BASE,
        limit_unit: LimitUnit::Seconds,
        forgives: Forgives::Case,
        rule: "with exit 0 all of stdout must be one JSON object or nothing; any other exit is a failed hook, and nothing is blocked",
        refusal: "{\"decision\":\"deny\",\"reason\":\"…\"}",
        merge: DecisionRule::First,
        host_id: Some(|event, handler, index| match handler {
            Handler::Callback { .. } | Handler::Stub { .. } => format!("{event}-go-{index}"),
            _ => format!("{event}-shell-{index}"),
        }),
        call: Some(&CALL),
        next_prompt: Some(|system_prompt, pending| match pending {
            [] => system_prompt.to_string(),
            texts => format!("{system_prompt}\n\n{}", texts.join("\n")),
        }),
        message: Some(message::message),
        demo: DEMO,
        starter: STARTER,
        ..Profile::default()
    }
}

const AFTER: After = After { event: "PostToolUse", field: "tool_response", flag: None };
const CALL: CallRow = CallRow {
    template: r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_01",
        "tool":{"output":"Cargo.toml\nsrc"}}"#,
    before: "PreToolUse",
    after: AFTER,
    after_failed: Some(AFTER),
    after_error: Some(After { event: "PostToolUseFailure", field: "error", flag: None }),
    failed: Some(("is_error", true)),
    dropped: &["tool", "tool_response", "error", "hook_event_name"],
    raw_input: None,
    input: call::given_input,
    output: std::convert::identity,
    text: |tool, post| {
        let text = call::replaced_output(tool, post);
        if tool.is_error { format!("Error: {text}") } else { text }
    },
    messages: |_| Vec::new(),
};

/// What this host does that can't be a value.
pub const HOST: Host = Host {
    profile,
    detects: settings::detects,
    load: settings::load,
    elsewhere,
    gate: |hook, payload, _| matcher::gate(hook, payload),
    driver: |input, profile| driver(input, profile, rules::GoatRules::new),
    at: |_| None,
};
