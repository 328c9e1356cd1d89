//! One goat tool call: PreToolUse, the recorded tool result, then PostToolUse or PostToolUseFailure.

use serde_json::{Map, Value};

use super::decide::plain_text;
use crate::dialect::{CallScript, CallStage};
use crate::model::{CallResult, Payload, ToolRun, Verdict};

/// The state of one call.
pub struct GoatCall {
    fields: Map<String, Value>,
    recorded: Recorded,
    tool: ToolRun,
    denied: Option<String>,
}

/// What the tool did when it was recorded.
enum Recorded {
    Output { value: Value, is_error: bool },
    Failure { error: String },
}

impl GoatCall {
    /// A call from `{tool_name, tool_input, tool_use_id, tool: {output | error}}`; the fields of a recorded
    /// PostToolUse or PostToolUseFailure payload (`tool_response`, `error`) do as well.
    pub fn new(fields: &Map<String, Value>) -> Result<Self, String> {
        if !fields.get("tool_name").is_some_and(Value::is_string) {
            return Err("a call needs the text field `tool_name`".into());
        }
        let tool = fields.get("tool").unwrap_or(&Value::Null);
        let recorded = if let Some(error) = tool.get("error").or_else(|| fields.get("error")).filter(|e| !e.is_null()) {
            Recorded::Failure { error: plain_text(error) }
        } else {
            let value = tool.get("output").or_else(|| fields.get("tool_response")).cloned().unwrap_or(Value::Null);
            Recorded::Output { value, is_error: tool.get("is_error") == Some(&Value::Bool(true)) }
        };
        let mut fields = fields.clone();
        for key in ["tool", "tool_response", "error", "hook_event_name"] {
            fields.remove(key);
        }
        Ok(Self { fields, recorded, tool: ToolRun::default(), denied: None })
    }
}

impl CallScript for GoatCall {
    fn pre(&self) -> Payload {
        Payload::new("PreToolUse", self.fields.clone())
    }

    fn after_pre(&mut self, verdict: &Verdict) -> CallStage {
        let input = verdict.updated_input.clone().or_else(|| self.fields.get("tool_input").cloned());
        self.tool.input = input.unwrap_or(Value::Null);
        if verdict.blocked {
            let reason = verdict.reason.as_deref().unwrap_or("denied by hook");
            self.denied = Some(format!("Error: {reason}"));
            return CallStage::Over;
        }
        self.tool.ran = true;
        let mut fields = self.fields.clone();
        fields.insert("tool_input".into(), self.tool.input.clone());
        let event = match &self.recorded {
            Recorded::Output { value, is_error } => {
                self.tool.output = value.clone();
                self.tool.is_error = *is_error;
                fields.insert("tool_response".into(), value.clone());
                "PostToolUse"
            }
            Recorded::Failure { error } => {
                self.tool.output = error.clone().into();
                self.tool.is_error = true;
                fields.insert("error".into(), error.clone().into());
                "PostToolUseFailure"
            }
        };
        CallStage::Post(Payload::new(event, fields))
    }

    fn tool(&self) -> ToolRun {
        self.tool.clone()
    }

    fn result(&self, post: Option<&Verdict>) -> CallResult {
        if let Some(text) = &self.denied {
            return CallResult { text: text.clone(), is_error: true };
        }
        let text =
            post.and_then(|v| v.host.get("tool_result")).map_or_else(|| plain_text(&self.tool.output), plain_text);
        match &self.recorded {
            Recorded::Output { is_error: true, .. } => CallResult { text: format!("Error: {text}"), is_error: true },
            Recorded::Output { is_error: false, .. } => CallResult { text, is_error: false },
            Recorded::Failure { .. } => CallResult { text, is_error: true },
        }
    }

    fn user_messages(&self, _post: Option<&Verdict>) -> Vec<String> {
        Vec::new()
    }
}
