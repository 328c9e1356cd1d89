//! Tool calls: from their two blocks to the events before and after, with what a subagent did in between.

use std::borrow::Cow;

use super::super::classify;
use super::super::transcript_record::{ContentBlock, Text, TranscriptRecord};
use super::super::{ParentSession, agent_file, read_agent};
use super::{Agent, Derivation, Exactness, FinishedCall, PendingCall};
use crate::record::json_object::JsonObject;

impl Derivation<'_, '_> {
    pub(super) fn call(&mut self, block: &ContentBlock<'_>, side: bool) {
        let text = |t: &Option<Text<'_>>| t.as_ref().map(|t| t.0.to_string()).unwrap_or_default();
        self.calls.push(PendingCall {
            id: text(&block.id),
            name: text(&block.name),
            input: block.input.map_or_else(|| "{}".into(), |i| i.get().to_string()),
            cwd: self.cwd.clone(),
            line: self.line,
            at: self.at.clone(),
            side,
            pre_emitted: false,
            hook_records: Vec::new(),
            done: None,
        });
    }

    pub(super) fn result(&mut self, line: &TranscriptRecord<'_>, block: &ContentBlock<'_>) {
        let Some(id) = block.tool_use_id.as_deref() else { return };
        let Some(call) = self.calls.find(id) else { return };
        let structured = line.tool_use_result.or(line.stream_result).filter(|r| r.get() != "null");
        let response = match structured {
            Some(raw) => Some((raw.get().to_string(), Exactness::Exact)),
            None => block.content.map(|c| (c.get().to_string(), Exactness::Approximate)),
        };
        let agent = structured.filter(|_| is_agent(&call.name)).map(serde_json::value::RawValue::get);
        let launched = agent.is_some_and(|r| r.contains("\"async_launched\""));
        call.done = Some(FinishedCall {
            result: classify::tool_outcome(line, block, &call.name),
            response,
            cwd: self.cwd.clone(),
            line: self.line,
            at: self.at.clone(),
            agent: agent.and_then(|r| json_text(r, "agentId")),
            launched,
        });
        if call.side {
            // What a subagent does lies between the two events of its own call.
            let Some(number) = self.calls.number(id) else { return };
            for outer in self.calls.numbers_before(number, |c| is_agent(&c.name) && !c.pre_emitted) {
                self.emit_before_call(outer);
            }
            if let Some(call) = self.calls.take(number) {
                self.emit_call(call);
            }
            return;
        }
        // Calls of one message ran one after the other, so they are told in the order they were asked for.
        while let Some(call) = self.calls.take_first_done() {
            self.emit_call(call);
        }
    }

    /// The event before call `number`, while its result is awaited.
    fn emit_before_call(&mut self, number: usize) {
        let Some(mut call) = self.calls.take(number) else { return };
        call.pre_emitted = true;
        let now = (self.cwd.clone(), self.line, self.at.clone());
        self.emit_pre(&call, None);
        (self.cwd, self.line, self.at) = now;
        self.calls.put(number, call);
    }

    pub(super) fn emit_pre(&mut self, call: &PendingCall, result: Option<&classify::ToolOutcome>) {
        (self.cwd, self.line, self.at) = (call.cwd.clone(), call.line, call.at.clone());
        let mut fields = JsonObject::default();
        self.base(&mut fields, "PreToolUse");
        fields.text("tool_name", &call.name).raw("tool_input", &call.input);
        self.tool_use_id(&mut fields, &call.id);
        let unsure = matches!(result, Some(classify::ToolOutcome::Failed(text)) if bare_refusal(text));
        let derived = if unsure { vec![Cow::Borrowed("uncertain: a hook may have refused it")] } else { Vec::new() };
        self.emit("PreToolUse", fields, Some(call.id.clone()), derived);
        for record in &call.hook_records {
            self.buffer.note(record);
        }
        // What has a result was not refused.
        if matches!(result, Some(classify::ToolOutcome::Worked | classify::ToolOutcome::Failed(_))) && !unsure {
            self.buffer.outcome("PreToolUse", Some(&call.id), |recorded| {
                recorded.blocked.get_or_insert(false);
            });
        }
        if let Some(classify::ToolOutcome::Denied(text)) = result {
            let text = text.clone();
            self.buffer.outcome("PreToolUse", Some(&call.id), |recorded| {
                recorded.blocked = Some(true);
                recorded.decision = Some("deny".into());
                recorded.model_sees = Some(text);
            });
        }
    }

    pub(super) fn emit_call(&mut self, call: PendingCall) {
        let now = (self.cwd.clone(), self.line, self.at.clone());
        let mut call = call;
        let hooked = call.hook_records.iter().any(|s| s.event == "PreToolUse");
        if let Some(done) = call.done.as_mut().filter(|_| hooked && call.name == "Bash") {
            done.result = hidden_refusal(std::mem::replace(&mut done.result, classify::ToolOutcome::Invalid));
        }
        let result = call.done.as_ref().map(|d| d.result.clone());
        if result != Some(classify::ToolOutcome::Invalid) && !call.pre_emitted {
            self.emit_pre(&call, result.as_ref());
        }
        if let Some(done) = call.done {
            (self.cwd, self.line, self.at) = (done.cwd.clone(), done.line, done.at.clone());
            if !done.launched {
                self.subagent(done.agent.as_deref(), &call.input);
            }
            let (launched, agent) = (done.launched, done.agent.clone());
            self.emit_post(&call.id, &call.name, &call.input, done);
            if launched {
                self.subagent(agent.as_deref(), &call.input);
            }
        }
        (self.cwd, self.line, self.at) = now;
    }

    pub(super) fn emit_post(&mut self, id: &str, name: &str, input: &str, done: FinishedCall) {
        let (event, error) = match &done.result {
            classify::ToolOutcome::Worked => ("PostToolUse", None),
            classify::ToolOutcome::Failed(text) if self.has("PostToolUseFailure") => ("PostToolUseFailure", Some(text)),
            _ => return,
        };
        let mut fields = JsonObject::default();
        let mut derived = Vec::new();
        self.base(&mut fields, event);
        fields.text("tool_name", name).raw("tool_input", input);
        if let Some(error) = error {
            self.tool_use_id(&mut fields, id);
            fields.text("error", error).raw("is_interrupt", "false");
            derived.push(Cow::Borrowed("is_interrupt"));
        } else {
            let (response, exact) = done.response.unwrap_or_else(|| ("null".into(), Exactness::Approximate));
            fields.raw("tool_response", &response);
            self.tool_use_id(&mut fields, id);
            let trimmed = ["Edit", "Write", "MultiEdit"].contains(&name)
                && response.contains("\"originalFile\":null")
                && !response.contains("\"type\":\"create\"");
            if exact == Exactness::Approximate || trimmed {
                derived.push(Cow::Borrowed("tool_response"));
            }
        }
        self.emit(event, fields, Some(id.to_string()), derived);
    }

    /// The events inside a subagent, from its own file.
    pub(super) fn subagent(&mut self, id: Option<&str>, input: &str) {
        let Some(id) = id.filter(|_| self.agent.is_none()) else { return };
        let agent = Agent { id: id.to_string(), kind: json_text(input, "subagent_type").unwrap_or_default() };
        let Some(file) = agent_file(&self.path, id) else { return };
        let text = read_agent(self.buffer, &file, self.fields, &agent, &self.as_parent());
        self.other += text;
    }

    pub(super) fn as_parent(&self) -> ParentSession {
        ParentSession {
            path: self.path.clone(),
            session: self.session.clone(),
            mode: self.mode.clone(),
            version: self.version,
            cwd: self.cwd.clone(),
            at: self.at.clone(),
            prompt_id: self.prompt_id.clone(),
        }
    }

    /// What the file of a subagent does not say is its parent's.
    pub fn inherit(&mut self, parent: &ParentSession) {
        self.path.clone_from(&parent.path);
        self.session = parent.session.clone();
        self.mode.clone_from(&parent.mode);
        self.prompt_id.clone_from(&parent.prompt_id);
        self.version = parent.version;
        self.cwd.clone_from(&parent.cwd);
        self.at.clone_from(&parent.at);
        self.line = 1;
        if self.has("SubagentStart") {
            let mut fields = JsonObject::default();
            self.base(&mut fields, "SubagentStart");
            if let Some(agent) = self.agent.clone() {
                fields.text("agent_id", &agent.id).text("agent_type", &agent.kind);
            }
            self.emit("SubagentStart", fields, None, Vec::new());
        }
    }
}

fn is_agent(tool: &str) -> bool {
    tool == "Task" || tool == "Agent"
}

/// A shell that ran says how it exited; a text without that, on a call with a hook, is the hook's own reason.
fn hidden_refusal(result: classify::ToolOutcome) -> classify::ToolOutcome {
    match result {
        classify::ToolOutcome::Failed(text)
            if !text.starts_with("Exit code") && !text.starts_with("Command timed out") =>
        {
            classify::ToolOutcome::Denied(text)
        }
        other => other,
    }
}

/// A failure text no program of a shell writes may be the bare reason of a hook.
fn bare_refusal(text: &str) -> bool {
    !text.starts_with("Exit code") && !text.contains('\n') && text.len() < 200 && text.to_lowercase().contains("block")
}

/// A text member of a JSON object.
pub(super) fn json_text(json: &str, key: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    value.get(key)?.as_str().map(str::to_string)
}
