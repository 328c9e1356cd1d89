//! Payloads in the host's order of keys, with the fields the version had.

use std::borrow::Cow;

use super::Derivation;
use crate::record::json_object::JsonObject;
use crate::record::recorded_event::{EventOrigin, RecordedEvent};

impl Derivation<'_, '_> {
    pub(super) fn begin(&mut self) {
        if let Some(source) = self.start.take() {
            self.begun = true;
            self.session_start(&source);
        }
    }

    pub(super) fn session_start(&mut self, source: &str) {
        let mut fields = self.base("SessionStart");
        fields.text("source", source);
        let guessed = if self.told_start || source != "startup" { Vec::new() } else { vec![Cow::Borrowed("source")] };
        let entry = self.entry("SessionStart", fields, guessed);
        self.buffer.push(entry, None);
    }

    /// The fields every payload begins with, in the host's order.
    pub(super) fn base(&self, event: &str) -> JsonObject {
        let mut fields = JsonObject::default();
        fields.text("session_id", &self.session.id).text("transcript_path", &self.session.path.display().to_string());
        fields.text("cwd", &self.here.cwd);
        if let Some(id) = self.session.prompt_id.as_deref().filter(|_| event != "SessionStart") {
            self.text_if_had(&mut fields, "prompt_id", id);
        }
        if self.names_mode(event) {
            fields.text("permission_mode", &self.session.mode);
        }
        if let Some(agent) = self.agent.as_ref().filter(|_| event != "SubagentStart") {
            self.text_if_had(&mut fields, "agent_id", &agent.id);
            self.text_if_had(&mut fields, "agent_type", &agent.kind);
        }
        let weighs = event.contains("Tool") || event.contains("Stop");
        if let Some(effort) = self.effort.as_deref().filter(|_| weighs && self.has("effort")) {
            fields.raw("effort", effort);
        }
        fields.text("hook_event_name", event);
        fields
    }

    /// Whether payloads of `event` name the permission mode.
    fn names_mode(&self, event: &str) -> bool {
        let without = ["SessionStart", "SessionEnd", "PreCompact", "PostCompact", "SubagentStart", "StopFailure"];
        self.has("permission_mode") && !without.contains(&event)
    }

    /// A field that payloads of this version may not have yet.
    pub(super) fn text_if_had(&self, fields: &mut JsonObject, name: &str, text: &str) {
        if self.has(name) {
            fields.text(name, text);
        }
    }

    pub(super) fn entry(&self, event: &str, fields: JsonObject, mut derived: Vec<Cow<'static, str>>) -> RecordedEvent {
        if !self.told_mode && self.names_mode(event) {
            derived.push(Cow::Borrowed("permission_mode"));
        }
        RecordedEvent {
            dialect: Some("claude".into()),
            event: event.into(),
            payload: fields.finish(),
            origin: EventOrigin {
                file: self.file.clone(),
                line: self.here.line,
                session: Some(self.session.id.clone()),
                at: self.here.at.clone(),
            },
            derived,
            recorded: None,
        }
    }

    pub(super) fn emit(
        &mut self,
        event: &str,
        fields: JsonObject,
        tool_use_id: Option<String>,
        derived: Vec<Cow<'static, str>>,
    ) {
        self.begin();
        self.flush_stop();
        let entry = self.entry(event, fields, derived);
        self.buffer.push(entry, tool_use_id);
    }
}
