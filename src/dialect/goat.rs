//! The goat host: fifteen events, callbacks before shell commands, strictly one after another.
//!
//! Where its specification and its original program differ, the specification decides and the sentence shown to
//! the author names the difference.

mod answer;
mod call;
mod decide;
mod events;
mod matcher;
mod message;
mod script;
mod settings;
mod stdin;

use events::BASE;

use serde_json::{Map, Value, json};

use super::{CallScript, Dialect, EventSpec, FieldSpec, FiringInput, Loaded, Root, Script, UsualPlace};
use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, Handler, Hook, HookSet, Lifecycle, Payload};

/// The dialect itself; it has no state.
#[derive(Debug, Clone, Copy)]
pub struct Goat;

const PLACES: &[UsualPlace] = &[
    UsualPlace { root: Root::Home, path: ".goat/hooks.json", layer: "user" },
    UsualPlace { root: Root::Project, path: ".goat/hooks.json", layer: "project" },
    UsualPlace { root: Root::Project, path: "goat.json", layer: "project" },
];

impl Dialect for Goat {
    fn name(&self) -> &'static str {
        "goat"
    }

    fn about(&self) -> &'static str {
        "Goat: callbacks and shell commands, sequential, first decisive answer wins"
    }

    fn events(&self) -> &'static [EventSpec] {
        events::EVENTS
    }

    fn answers(&self) -> &'static super::answers::AnswerSpec {
        &super::answers::GOAT
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
        "hook_event_name"
    }

    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        matcher::gate(hook, payload)
    }

    fn host_id(&self, event: &str, handler: &Handler, index: usize) -> String {
        match handler {
            Handler::Callback { .. } | Handler::Stub { .. } => format!("{event}-go-{index}"),
            _ => format!("{event}-shell-{index}"),
        }
    }

    fn script(&self, input: FiringInput) -> Box<dyn Script> {
        Box::new(script::GoatFiring::new(input))
    }

    fn call(&self, _set: &HookSet, fields: &Map<String, Value>) -> Result<Box<dyn CallScript>, String> {
        Ok(Box::new(call::GoatCall::new(fields)?))
    }

    fn call_template(&self) -> Value {
        json!({
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_01",
            "tool": {"output": "Cargo.toml\nsrc"}
        })
    }

    fn message(&self, event: &Lifecycle, session: &Map<String, Value>) -> Option<Value> {
        message::message(event, session)
    }
}
