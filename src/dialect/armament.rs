//! The armament host: eleven points, each with its rights; hooks in order of priority that may abort or change data.

mod arma;
mod script;
mod settings;

use serde_json::Value;

use super::Capability::{Deny, ModifyInput, ModifyOutput};
use super::{Dialect, EventSpec, FieldSpec, FiringInput, Loaded, Presence, Root, Script, UsualPlace};
use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, GateKind, Handler, Hook, Payload};

/// The dialect itself; it has no state.
#[derive(Debug, Clone, Copy)]
pub struct Armament;

const fn context(example: &'static str) -> FieldSpec {
    FieldSpec {
        name: "context",
        presence: Presence::Always { empty: "{}" },
        example,
        about: "the data hooks see and may change",
    }
}

macro_rules! point {
    ($name:literal, $about:literal, $example:literal, $rights:expr) => {
        EventSpec { name: $name, about: $about, fields: &[context($example)], rights: $rights, matched: None }
    };
}

const POINTS: &[EventSpec] = &[
    point!("pre:message", "before sending to the model", "{\"prompt\":\"hello\"}", &[Deny, ModifyInput]),
    point!("post:message", "after the response", "{\"output\":\"hi\"}", &[ModifyOutput]),
    point!("pre:tool", "before a tool", "{\"tool\":\"shell\",\"args\":\"ls\"}", &[Deny, ModifyInput]),
    point!("post:tool", "after a tool", "{\"tool\":\"shell\",\"result\":\"a\"}", &[ModifyOutput]),
    point!("pre:agent:spawn", "before creating an agent", "{\"config\":{\"model\":\"m\"}}", &[Deny, ModifyInput]),
    point!("post:agent:complete", "after an agent has finished", "{\"agent\":\"coder\"}", &[]),
    point!("pre:session:phase", "before a change of phase", "{\"from\":\"plan\",\"to\":\"build\"}", &[Deny]),
    point!("post:session:phase", "after a change of phase", "{\"from\":\"plan\",\"to\":\"build\"}", &[]),
    point!("pre:git:write", "before a file is written", "{\"path\":\"f\",\"content\":\"c\"}", &[Deny, ModifyInput]),
    point!("post:git:write", "after a file was written", "{\"path\":\"f\"}", &[]),
    point!("pre:view:render", "before a frame is drawn", "{\"frame\":\"x\"}", &[ModifyOutput]),
];
const PLACES: &[UsualPlace] = &[
    UsualPlace { root: Root::Home, path: ".armament/hooks.yaml", layer: "user" },
    UsualPlace { root: Root::Project, path: ".armament/hooks.yaml", layer: "project" },
    UsualPlace { root: Root::Project, path: "armament.yaml", layer: "project" },
];

impl Dialect for Armament {
    fn name(&self) -> &'static str {
        "armament"
    }

    fn about(&self) -> &'static str {
        "Armament: eleven points, priorities, abort and modify where the point allows it"
    }

    fn events(&self) -> &'static [EventSpec] {
        POINTS
    }

    fn answers(&self) -> &'static super::answers::AnswerSpec {
        &super::answers::ARMAMENT
    }

    fn base_fields(&self) -> &'static [FieldSpec] {
        &[]
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
        "point"
    }

    fn check_payload(&self, payload: &Payload) -> Vec<Diagnostic> {
        match payload.fields.get("context") {
            Some(Value::Object(_)) => Vec::new(),
            Some(_) => vec![Diagnostic::error("wrong-type", "`context` must be an object")],
            None => vec![Diagnostic::warning(
                "missing-field",
                "there is no `context`; the other fields are taken as the data",
            )],
        }
    }

    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        if hook.event != payload.event {
            let why = format!("it is registered at {}, and this point is {}", hook.event, payload.event);
            return Some(Gate::new(GateKind::Event, why));
        }
        if let Some(Value::String(wanted)) = hook.options.get("tool") {
            let data = script::data_of(payload);
            let tool = data.get("tool").and_then(Value::as_str).unwrap_or_default();
            if tool != wanted {
                return Some(Gate::new(
                    GateKind::Matcher,
                    format!("it is for the tool `{wanted}`, and this one is `{tool}`"),
                ));
            }
        }
        let off = hook.options.get("disabled") == Some(&Value::Bool(true));
        off.then(|| Gate::new(GateKind::Disabled, format!("`{}` is disabled by name; it stays registered", hook.name)))
    }

    fn host_id(&self, event: &str, _handler: &Handler, index: usize) -> String {
        format!("{event}#{index}")
    }

    fn script(&self, input: FiringInput) -> Box<dyn Script> {
        Box::new(script::ArmamentFiring::new(input))
    }
}
