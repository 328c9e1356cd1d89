//! Turns, stops, compactions and hooks: what closes one thing and begins the next.

use std::borrow::Cow;

use super::super::event_buffer::partial;
use super::super::hooks::{self, HookRecord};
use super::super::transcript_record::TranscriptRecord;
use super::calls::json_text;
use super::{Compaction, Derivation, LastMessage, Position, Turn};
use crate::record::json_object::quoted;
use crate::record::recorded_event::{Outcome, RecordedEvent};

impl Derivation<'_, '_> {
    pub(super) fn hook(&mut self, record: Option<HookRecord>) {
        let Some(record) = record else {
            self.other += 1;
            return;
        };
        if record.event == "SessionStart" && self.agent.is_none() {
            let source = record.value.clone().unwrap_or_else(|| "startup".into());
            self.told_start = true;
            if !self.begun {
                self.start = Some(source);
                self.begin();
            } else if source == "resume" && self.turn.last == LastMessage::Nothing && self.stop.is_none() {
                // The same resumption may have several hooks.
            } else if source == "resume" {
                self.close_turn();
                self.flush_stop();
                self.turn = Turn::default();
                self.session_start(&source);
            } else if source == "compact" && self.compaction.is_some() {
                self.finish_compaction();
            }
        }
        if record.event == "Stop" || (record.event == "SubagentStop" && self.agent.is_some()) {
            let recorded = self.stop_outcome();
            record.note_effect(recorded);
            if !recorded.hooks.iter().any(|h| h.hook == record.hook.hook) {
                recorded.hooks.push(record.hook);
            }
            return;
        }
        // A call's hook may be told of while its result is not there yet; then both wait.
        let waiting = record.tool_use_id.as_deref().and_then(|id| self.calls.find(id));
        match waiting.filter(|c| !c.pre_emitted) {
            Some(call) => call.hook_records.push(record),
            None => self.other += u64::from(!self.buffer.note(&record)),
        }
    }

    pub(super) fn stop_summary(&mut self, line: &TranscriptRecord<'_>) {
        let recorded = self.stop_outcome();
        recorded.blocked.get_or_insert(false);
        if line.prevented_continuation == Some(true) {
            recorded.decision = Some("halt".into());
        }
        for hook in hooks::stop_hooks(line) {
            match recorded.hooks.iter_mut().find(|h| h.hook == hook.hook) {
                Some(known) => known.duration_ms = known.duration_ms.or(hook.duration_ms),
                None => recorded.hooks.push(hook),
            }
        }
    }

    pub(super) fn stop_blocked(&mut self, reason: String) {
        let recorded = self.stop_outcome();
        recorded.blocked = Some(true);
        let after = recorded.model_sees.take().map_or_else(String::new, |a| format!("\n\n{a}"));
        recorded.model_sees = Some(format!("Stop hook feedback:\n{reason}{after}"));
        self.turn = Turn { open: true, stop_active: true, ..Turn::default() };
    }

    pub(super) fn compact(&mut self, line: &TranscriptRecord<'_>) {
        let metadata = line.compact_metadata.map_or("", serde_json::value::RawValue::get);
        let trigger = json_text(metadata, "trigger").unwrap_or_else(|| "auto".into());
        if trigger == "manual" {
            self.close_turn();
            self.turn = Turn::default();
        }
        self.flush_stop();
        let here = self.here.clone();
        self.compaction = Some(Compaction { trigger, instructions: None, summary: None, here });
    }

    pub(super) fn finish_compaction(&mut self) {
        let Some(compaction) = self.compaction.take() else { return };
        let now = self.here.clone();
        self.here = Position { cwd: now.cwd.clone(), ..compaction.here };
        let mut fields = self.base("PreCompact");
        let instructions = compaction.instructions.as_deref().map_or_else(|| "null".into(), quoted);
        fields.text("trigger", &compaction.trigger).raw("custom_instructions", &instructions);
        self.emit("PreCompact", fields, None, Vec::new());
        self.session_start("compact");
        if self.has("PostCompact") {
            let mut fields = self.base("PostCompact");
            fields.text("trigger", &compaction.trigger);
            fields.text("compact_summary", compaction.summary.as_deref().unwrap_or_default());
            self.emit("PostCompact", fields, None, Vec::new());
        }
        self.here = now;
    }

    /// The turn is over: its Stop, if it came to one.
    pub(super) fn close_turn(&mut self) {
        self.flush_calls();
        if self.stop.is_none() {
            match std::mem::take(&mut self.turn.last) {
                LastMessage::Text(_) if self.turn.open => self.stop = Some(self.make_stop()),
                LastMessage::Error(error, text) if self.agent.is_none() => self.failed(&error, &text),
                _ => {}
            }
        }
        self.flush_stop();
    }

    /// What is known of the Stop that is about to be told.
    fn stop_outcome(&mut self) -> &mut Outcome {
        let stop = self.stop.take().unwrap_or_else(|| self.make_stop());
        self.stop.insert(stop).recorded.get_or_insert_with(partial)
    }

    fn make_stop(&mut self) -> RecordedEvent {
        self.flush_calls();
        let event = if self.agent.is_some() { "SubagentStop" } else { "Stop" };
        let mut fields = self.base(event);
        fields.raw("stop_hook_active", if self.turn.stop_active { "true" } else { "false" });
        let mut derived = Vec::new();
        if let Some(agent) = self.agent.clone() {
            let path = super::super::agent_file(&self.session.path, &agent.id).unwrap_or_default();
            fields.text("agent_transcript_path", &path.display().to_string());
        }
        self.text_if_had(&mut fields, "last_assistant_message", &self.turn.last_text);
        for list in ["background_tasks", "session_crons"] {
            if self.has(list) {
                fields.raw(list, "[]");
                derived.push(Cow::Borrowed(list));
            }
        }
        let stop = self.entry(event, fields, derived);
        self.turn = Turn { last_text: std::mem::take(&mut self.turn.last_text), ..Turn::default() };
        stop
    }

    pub(super) fn failed(&mut self, error: &str, text: &str) {
        if !self.has("StopFailure") {
            self.turn.last_text = text.to_string();
            self.stop = Some(self.make_stop());
            return;
        }
        let mut fields = self.base("StopFailure");
        fields.text("error", error).text("last_assistant_message", text);
        self.emit("StopFailure", fields, None, Vec::new());
    }

    pub(super) fn flush_stop(&mut self) {
        if let Some(entry) = self.stop.take() {
            self.begin();
            self.buffer.push(entry, None);
        }
    }

    /// Calls without a result, and those waiting behind them.
    pub(super) fn flush_calls(&mut self) {
        for call in std::mem::take(&mut self.calls).all() {
            self.emit_call(call);
        }
    }

    /// The file is at its end.
    pub fn finish(&mut self) {
        self.close_turn();
        self.finish_compaction();
        if let (Some(reason), None) = (self.ended_by.take(), &self.agent) {
            let mut fields = self.base("SessionEnd");
            fields.text("reason", reason);
            self.emit("SessionEnd", fields, None, Vec::new());
        }
    }
}
