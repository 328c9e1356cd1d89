//! The armament host: eleven points, each with its rights; hooks in order of priority that may abort or change data.

mod arma;
mod rules;
mod settings;

use std::time::Duration;

use serde_json::Value;

use super::Capability::{Deny, ModifyInput, ModifyOutput};
use super::event::Effect::{self, Can};
use super::event::{AnswerField, Kind, Limits, MatchedOn, Matching, always};
use super::profile::project_files;
use super::{
    EventRow, FailPolicy, FieldRow, Host, InputChain, LimitUnit, Order, PayloadRule, Profile, ProjectFile, Root,
    SettingsPlace, Shape, ShortCircuit, driver,
};
use crate::model::{Gate, GateKind, Hook, Payload};

const fn context(example: &'static str) -> FieldRow {
    always("context", "{}", example, "the data hooks see and may change")
}

/// The fields of a result, with what they do at a point.
const fn answer(aborts: Effect, modifies: Effect) -> [AnswerField; 3] {
    [
        AnswerField::new("abort", Kind::Bool, aborts),
        AnswerField::new("reason", Kind::Text, Effect::None),
        AnswerField::new("modify", Kind::Object, modifies),
    ]
}

const BASE: EventRow = EventRow { limit: Limits::Each(Duration::from_secs(5)), ..EventRow::BLANK };
/// A point that is not in the table.
const UNKNOWN: EventRow = EventRow { name: "this point", top: &answer(Can(Deny), Can(ModifyInput)), ..BASE };
/// A point of a tool, which a `.arma` line can limit to one.
const TOOL: EventRow = EventRow { matched_on: MatchedOn::Data("tool"), matching: Matching::Exact, ..BASE };

// Each point is a paragraph, so that a screen holds several.
#[rustfmt::skip]
const POINTS: &[EventRow] = &[
    EventRow {
        name: "pre:message", when: "before sending to the model", fields: &[context("{\"prompt\":\"hello\"}")],
        top: &answer(Can(Deny), Can(ModifyInput)), ..BASE
    },
    EventRow {
        name: "post:message", when: "after the response", fields: &[context("{\"output\":\"hi\"}")],
        top: &answer(Effect::None, Can(ModifyOutput)), ..BASE
    },
    EventRow {
        name: "pre:tool", when: "before a tool", fields: &[context("{\"tool\":\"shell\",\"args\":\"ls\"}")],
        top: &answer(Can(Deny), Can(ModifyInput)), ..TOOL
    },
    EventRow {
        name: "post:tool", when: "after a tool", fields: &[context("{\"tool\":\"shell\",\"result\":\"a\"}")],
        top: &answer(Effect::None, Can(ModifyOutput)), ..TOOL
    },
    EventRow {
        name: "pre:agent:spawn", when: "before creating an agent",
        fields: &[context("{\"config\":{\"model\":\"m\"}}")], top: &answer(Can(Deny), Can(ModifyInput)), ..BASE
    },
    EventRow {
        name: "post:agent:complete", when: "after an agent has finished", fields: &[context("{\"agent\":\"coder\"}")],
        top: &answer(Effect::None, Effect::None), ..BASE
    },
    EventRow {
        name: "pre:session:phase", when: "before a change of phase",
        fields: &[context("{\"from\":\"plan\",\"to\":\"build\"}")], top: &answer(Can(Deny), Effect::None), ..BASE
    },
    EventRow {
        name: "post:session:phase", when: "after a change of phase",
        fields: &[context("{\"from\":\"plan\",\"to\":\"build\"}")], top: &answer(Effect::None, Effect::None), ..BASE
    },
    EventRow {
        name: "pre:git:write", when: "before a file is written",
        fields: &[context("{\"path\":\"f\",\"content\":\"c\"}")], top: &answer(Can(Deny), Can(ModifyInput)), ..BASE
    },
    EventRow {
        name: "post:git:write", when: "after a file was written", fields: &[context("{\"path\":\"f\"}")],
        top: &answer(Effect::None, Effect::None), ..BASE
    },
    EventRow {
        name: "pre:view:render", when: "before a frame is drawn", fields: &[context("{\"frame\":\"x\"}")],
        top: &answer(Effect::None, Can(ModifyOutput)), ..BASE
    },
];
const PLACES: &[SettingsPlace] = &[
    SettingsPlace { root: Root::Home, path: ".armament/hooks.yaml", layer: "user" },
    SettingsPlace { root: Root::Project, path: ".armament/hooks.yaml", layer: "project" },
    SettingsPlace { root: Root::Project, path: "armament.yaml", layer: "project" },
];

const DEMO: &[ProjectFile] = project_files!("demo/armament":
    "settings.yaml", "payloads.json", "hooks/abort-late.sh", "hooks/broken.sh", "hooks/prefix.sh", "hooks/safety.sh"
);
const STARTER: &[ProjectFile] = project_files!("init/armament": "armament.yaml", "hooks/guard.sh");

fn profile() -> Profile {
    Profile {
        name: "armament",
        about: "Armament: eleven points, priorities, abort and modify where the point allows it",
        places: PLACES,
        shape: Shape::List,
        events: POINTS.into(),
        unknown: UNKNOWN,
        entry_keys: &["point", "name", "priority", "onError", "run", "module", "export"],
        order: Order::Priority,
        short_circuit: ShortCircuit::OnDeny,
        input_chain: InputChain::Changed,
        event_field: "point",
        payload: PayloadRule::Within("context"),
        limit_unit: LimitUnit::Milliseconds,
        rule: "with exit 0 stdout must be one JSON object or nothing; any other exit is an error of the hook, treated as onError says",
        refusal: "{\"abort\":true,\"reason\":\"…\"}",
        failure: FailPolicy::Logged,
        failure_key: Some("onError"),
        switches: &["ops"],
        host_id: Some(|point, _, index| format!("{point}#{index}")),
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
    elsewhere: |point, this| format!("it is registered at {point}, and this point is {this}"),
    gate,
    driver: |input, profile| driver(input, profile, rules::ArmamentRules::new),
    at: |_| None,
};

fn gate(hook: &Hook, payload: &Payload, _profile: &Profile) -> Option<Gate> {
    let wanted = hook.matcher.as_ref()?;
    let data = rules::data_of(payload);
    let tool = data.get("tool").and_then(Value::as_str).unwrap_or_default();
    let why = || format!("it is for the tool `{wanted}`, and this one is `{tool}`");
    (tool != wanted).then(|| Gate::new(GateKind::Matcher, why()))
}
