//! One claw tool call: pre hooks, the tool, post hooks, and the result text as the host composes it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::message::{Label, merge};
use crate::dialect::event::OtherExit;
use crate::dialect::{CallScript, CallStage, Profile};
use crate::model::{CallResult, Payload, ToolRun, Verdict};

/// The state of one call.
pub struct ClawCall {
    fields: Map<String, Value>,
    profile: Arc<Profile>,
    output: String,
    is_error: bool,
    tool: ToolRun,
    denied: Option<String>,
    merged: String,
}

/// The input as raw text: given as such, or written compactly.
pub fn raw_input(fields: &Map<String, Value>) -> String {
    match (fields.get("tool_input_json"), fields.get("tool_input")) {
        (Some(Value::String(raw)), _) | (_, Some(Value::String(raw))) => raw.clone(),
        (_, Some(value)) => value.to_string(),
        (_, None) => "{}".into(),
    }
}

/// The output a post event carries.
pub fn output_of(payload: &Payload) -> String {
    let field = payload.fields.get("tool_output").or_else(|| payload.fields.get("tool_error"));
    match field {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// The result of a call that hooks refused.
pub fn refused(reason: &str, messages: &[String], failing: OtherExit) -> String {
    match failing {
        OtherExit::Blocks => merge(messages, reason, Label::Error),
        _ => messages.join("\n"),
    }
}

fn messages(verdict: &Verdict) -> Vec<String> {
    let list = verdict.host.get("messages").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|m| m.as_str().map(str::to_string)).collect()
}

impl ClawCall {
    /// A call from `{tool_name, tool_input, tool: {output, is_error}}`.
    pub fn new(fields: &Map<String, Value>, profile: Arc<Profile>) -> Result<Self, String> {
        if !fields.get("tool_name").is_some_and(Value::is_string) {
            return Err("a call needs the text field `tool_name`".into());
        }
        let tool = fields.get("tool").unwrap_or(&Value::Null);
        let output = match tool.get("output").or_else(|| fields.get("tool_output")) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        let is_error = tool.get("is_error").or_else(|| fields.get("tool_result_is_error")) == Some(&Value::Bool(true));
        let mut fields = fields.clone();
        for key in ["tool", "tool_output", "tool_result_is_error", "hook_event_name"] {
            fields.remove(key);
        }
        Ok(Self { fields, profile, output, is_error, tool: ToolRun::default(), denied: None, merged: String::new() })
    }
}

impl CallScript for ClawCall {
    fn pre(&self) -> Payload {
        Payload::new("PreToolUse", self.fields.clone())
    }

    fn after_pre(&mut self, verdict: &Verdict) -> CallStage {
        let raw = raw_input(&self.fields);
        self.tool.input = match &verdict.updated_input {
            Some(input) => {
                // The program writes keys in alphabetical order.
                let mut input = input.clone();
                input.sort_all_objects();
                Value::String(input.to_string())
            }
            None => Value::String(raw),
        };
        if verdict.blocked {
            let reason = verdict.reason.clone().unwrap_or_default();
            self.denied = Some(refused(&reason, &messages(verdict), self.profile.row("PreToolUse").exit.other));
            return CallStage::Over;
        }
        self.tool.ran = true;
        self.tool.output = self.output.clone().into();
        self.tool.is_error = self.is_error;
        self.merged = merge(&messages(verdict), &self.output, Label::Plain);
        let mut fields = self.fields.clone();
        if verdict.updated_input.is_some() {
            fields.remove("tool_input_json");
            fields.insert("tool_input".into(), self.tool.input.clone());
        }
        let failed = self.is_error && self.profile.event(super::FAILURE).is_some();
        let (event, key) = if failed { (super::FAILURE, "tool_error") } else { ("PostToolUse", "tool_output") };
        fields.insert(key.into(), self.merged.clone().into());
        fields.insert("tool_result_is_error".into(), json!(self.is_error));
        CallStage::Post(Payload::new(event, fields))
    }

    fn tool(&self) -> ToolRun {
        self.tool.clone()
    }

    fn result(&self, post: Option<&Verdict>) -> CallResult {
        if let Some(text) = &self.denied {
            return CallResult { text: text.clone(), is_error: true };
        }
        let Some(post) = post else { return CallResult { text: self.merged.clone(), is_error: self.is_error } };
        let failing = self.profile.row("PostToolUse").exit.other;
        let label = if post.blocked { Label::denied(failing) } else { Label::Plain };
        CallResult { text: merge(&messages(post), &self.merged, label), is_error: self.is_error || post.blocked }
    }

    fn user_messages(&self, _post: Option<&Verdict>) -> Vec<String> {
        Vec::new()
    }
}
