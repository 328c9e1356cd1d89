//! The claw host: two lists of shell commands around every tool; exit codes decide, stdout is feedback.
//!
//! `claw` is the specification; `claw@newest` is today's program, which reads JSON answers and matchers and treats every
//! failing hook as a block.

mod answer;
mod call;
mod message;
mod script;
mod settings;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Capability::{AddContext, Deny, ModifyInput};
use super::{CallScript, Dialect, EventSpec, FieldSpec, FiringInput, Loaded, Presence, Root, Script, UsualPlace};
use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, GateKind, Handler, Hook, HookSet, Payload};

/// The dialect at one of its two ages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claw {
    age: Age,
}

/// Whose rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// The specification.
    Specified,
    /// Today's program.
    Newest,
}

impl Claw {
    /// The specification.
    pub const SPECIFIED: Self = Self { age: Age::Specified };
    /// Today's program.
    pub const NEWEST: Self = Self { age: Age::Newest };
}

const fn field(name: &'static str, empty: &'static str, example: &'static str, about: &'static str) -> FieldSpec {
    FieldSpec { name, presence: Presence::Always { empty }, example, about }
}

const BASE: &[FieldSpec] = &[];
const TOOL_NAME: FieldSpec = field("tool_name", "\"\"", "\"bash\"", "name of the tool");
const TOOL_INPUT: FieldSpec = field("tool_input", "null", "{\"command\":\"ls\"}", "input of the tool, parsed");
const EVENTS: &[EventSpec] = &[
    EventSpec {
        name: "PreToolUse",
        about: "before every tool",
        fields: &[TOOL_NAME, TOOL_INPUT],
        rights: &[Deny, AddContext],
        matched: Some("tool_name"),
    },
    EventSpec {
        name: "PostToolUse",
        about: "after every tool, failed ones too",
        fields: &[
            TOOL_NAME,
            TOOL_INPUT,
            field("tool_output", "null", "\"Cargo.toml\\nsrc\"", "what the tool gave back, as text"),
            field("tool_result_is_error", "false", "false", "whether it failed"),
        ],
        rights: &[Deny, AddContext],
        matched: Some("tool_name"),
    },
];
const NEWEST_EVENTS: &[EventSpec] = &[
    EventSpec { rights: &[Deny, AddContext, ModifyInput], ..EVENTS[0] },
    EventSpec { about: "after a tool that worked", ..EVENTS[1] },
    EventSpec {
        name: "PostToolUseFailure",
        about: "after a tool that failed",
        fields: &[TOOL_NAME, TOOL_INPUT, field("tool_error", "\"\"", "\"no such file\"", "what went wrong")],
        rights: &[Deny, AddContext],
        matched: Some("tool_name"),
    },
];
/// Fields that may stand in a payload beside those of the table.
const EXTRA_FIELDS: [&str; 4] = ["tool_input_json", "tool_output", "tool_result_is_error", "tool_error"];

const PLACES: &[UsualPlace] = &[
    UsualPlace { root: Root::Home, path: ".claude.json", layer: "user legacy" },
    UsualPlace { root: Root::Home, path: ".claude/settings.json", layer: "user" },
    UsualPlace { root: Root::Project, path: ".claude.json", layer: "project legacy" },
    UsualPlace { root: Root::Project, path: ".claude/settings.json", layer: "project" },
    UsualPlace { root: Root::Project, path: ".claude/settings.local.json", layer: "local" },
];
const NEWEST_PLACES: &[UsualPlace] = &[
    UsualPlace { root: Root::Home, path: ".claw.json", layer: "user legacy" },
    UsualPlace { root: Root::Home, path: ".claw/settings.json", layer: "user" },
    UsualPlace { root: Root::Project, path: ".claw.json", layer: "project legacy" },
    UsualPlace { root: Root::Project, path: ".claw/settings.json", layer: "project" },
    UsualPlace { root: Root::Project, path: ".claw/settings.local.json", layer: "local" },
];

impl Dialect for Claw {
    fn name(&self) -> &'static str {
        "claw"
    }

    fn profile(&self) -> String {
        match self.age {
            Age::Specified => "claw".into(),
            Age::Newest => "claw@newest".into(),
        }
    }

    fn about(&self) -> &'static str {
        "Claw: shell commands around every tool, exit 2 denies, stdout becomes feedback"
    }

    fn events(&self) -> &'static [EventSpec] {
        match self.age {
            Age::Specified => EVENTS,
            Age::Newest => NEWEST_EVENTS,
        }
    }

    fn answers(&self) -> &'static super::answers::AnswerSpec {
        match self.age {
            Age::Specified => &super::answers::CLAW,
            Age::Newest => &super::answers::CLAW_NEWEST,
        }
    }

    fn base_fields(&self) -> &'static [FieldSpec] {
        BASE
    }

    fn usual_places(&self) -> &'static [UsualPlace] {
        match self.age {
            Age::Specified => PLACES,
            Age::Newest => NEWEST_PLACES,
        }
    }

    fn recognises(&self, source: &Source) -> bool {
        settings::recognises(source)
    }

    fn load(&self, sources: &[Source]) -> Result<Loaded, Box<Diagnostic>> {
        settings::load(sources, *self)
    }

    fn event_field(&self) -> &'static str {
        "hook_event_name"
    }

    fn check_payload(&self, payload: &Payload) -> Vec<Diagnostic> {
        let Some(spec) = self.event(&payload.event) else { return Vec::new() };
        let mut known = payload.fields.as_ref().clone();
        EXTRA_FIELDS.iter().filter(|e| !spec.fields.iter().any(|f| f.name == **e)).for_each(|e| {
            known.remove(*e);
        });
        super::event::check_fields(spec, BASE, self.event_field(), &known)
    }

    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        if let Some(Value::String(refused)) = hook.options.get("refused") {
            return Some(Gate::new(GateKind::File, format!("the host refuses these settings as a whole: {refused}")));
        }
        if hook.event != payload.event {
            let why = format!("it is configured under {}, and this event is {}", hook.event, payload.event);
            return Some(Gate::new(GateKind::Event, why));
        }
        let (matcher, tool) = (hook.matcher.as_deref()?, payload.text("tool_name").unwrap_or_default());
        (!settings::matcher_fits(matcher, tool)).then(|| {
            let why = format!(
                "its matcher `{matcher}` (alternatives, `*` wildcard, case does not count) does not fit `{tool}`"
            );
            Gate::new(GateKind::Matcher, why)
        })
    }

    fn host_id(&self, event: &str, _handler: &Handler, index: usize) -> String {
        format!("{event}-{index}")
    }

    fn script(&self, input: FiringInput) -> Box<dyn Script> {
        Box::new(script::ClawFiring::new(input, self.age))
    }

    fn call(&self, _set: &HookSet, fields: &Map<String, Value>) -> Result<Box<dyn CallScript>, String> {
        Ok(Box::new(call::ClawCall::new(fields, self.age)?))
    }

    fn call_template(&self) -> Value {
        json!({"tool_name": "bash", "tool_input": "{\"command\":\"ls\"}", "tool": {"output": "Cargo.toml\nsrc", "is_error": false}})
    }

    fn at(&self, version: &str) -> Option<Arc<dyn Dialect>> {
        (version == "newest").then(|| Arc::new(Self::NEWEST) as Arc<dyn Dialect>)
    }

    fn versions(&self) -> &'static [&'static str] {
        &["newest"]
    }
}
