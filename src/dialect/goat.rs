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

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{CallScript, Dialect, FiringInput, Forgives, LimitUnit, Loaded, Profile, Root, Script, SettingsPlace};
use super::{DecisionRule, ShortCircuit};
use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, Handler, Hook, HookSet, Payload};

/// The host.
#[derive(Debug, Clone)]
pub struct Goat {
    profile: Arc<Profile>,
}

const PLACES: &[SettingsPlace] = &[
    SettingsPlace { root: Root::Home, path: ".goat/hooks.json", layer: "user" },
    SettingsPlace { root: Root::Project, path: ".goat/hooks.json", layer: "project" },
    SettingsPlace { root: Root::Project, path: "goat.json", layer: "project" },
];

fn profile() -> Profile {
    Profile {
        name: "goat",
        about: "Goat: callbacks and shell commands, sequential, first decisive answer wins",
        places: PLACES,
        events: events::EVENTS.into(),
        unknown: events::UNKNOWN,
        entry_keys: &["matcher", "hooks", "commands", "timeout", "hookcallbackids"],
        short_circuit: ShortCircuit::OnStop,
        event_field: "hook_event_name",
        base_fields: events::BASE,
        limit_unit: LimitUnit::Seconds,
        forgives: Forgives::Case,
        rule: "with exit 0 all of stdout must be one JSON object or nothing; any other exit is a failed hook, and nothing is blocked",
        refusal: "{\"decision\":\"deny\",\"reason\":\"…\"}",
        merge: DecisionRule::First,
        host_id: |event, handler, index| match handler {
            Handler::Callback { .. } | Handler::Stub { .. } => format!("{event}-go-{index}"),
            _ => format!("{event}-shell-{index}"),
        },
        call_template: r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_01","tool":{"output":"Cargo.toml\nsrc"}}"#,
        next_prompt: |system_prompt, pending| match pending {
            [] => system_prompt.to_string(),
            texts => format!("{system_prompt}\n\n{}", texts.join("\n")),
        },
        message: message::message,
        ..Profile::blank()
    }
}

impl Default for Goat {
    fn default() -> Self {
        Self { profile: profile().into() }
    }
}

impl Dialect for Goat {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn with(&self, profile: Profile) -> Arc<dyn Dialect> {
        Arc::new(Self { profile: profile.into() })
    }

    fn detects(&self, source: &Source) -> bool {
        settings::detects(source)
    }

    fn load(&self, sources: &[Source]) -> Result<Loaded, Box<Diagnostic>> {
        settings::load(sources, &self.profile)
    }

    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        matcher::gate(hook, payload)
    }

    fn script(&self, input: FiringInput) -> Box<dyn Script> {
        Box::new(script::GoatFiring::new(input, Arc::clone(&self.profile)))
    }

    fn call(&self, _set: &HookSet, fields: &Map<String, Value>) -> Result<Box<dyn CallScript>, String> {
        Ok(Box::new(call::GoatCall::new(fields)?))
    }

    fn at(&self, _version: &str) -> Option<Arc<dyn Dialect>> {
        None
    }
}
