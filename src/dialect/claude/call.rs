//! One tool call: PreToolUse, the recorded result, then PostToolUse or PostToolUseFailure.

use serde_json::{Map, Value};

use crate::dialect::{CallScript, CallStage};
use crate::model::{CallResult, Payload, ToolRun, Verdict};

/// The state of one call.
pub struct ClaudeCall {
    fields: Map<String, Value>,
    output: Value,
    error: Option<String>,
    tool: ToolRun,
    denied: Option<String>,
}

impl ClaudeCall {
    /// A call from `{tool_name, tool_input, tool_use_id, tool: {output | error}}`, or a recorded post payload.
    pub fn new(fields: &Map<String, Value>) -> Result<Self, String> {
        if !fields.get("tool_name").is_some_and(Value::is_string) {
            return Err("a call needs the text field `tool_name`".into());
        }
        let tool = fields.get("tool").unwrap_or(&Value::Null);
        let error = tool.get("error").or_else(|| fields.get("error")).and_then(Value::as_str).map(str::to_string);
        let output = tool.get("output").or_else(|| fields.get("tool_response")).cloned().unwrap_or(Value::Null);
        let mut fields = fields.clone();
        for key in ["tool", "tool_response", "error", "is_interrupt", "duration_ms", "hook_event_name"] {
            fields.remove(key);
        }
        Ok(Self { fields, output, error, tool: ToolRun::default(), denied: None })
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

impl CallScript for ClaudeCall {
    fn pre(&self) -> Payload {
        Payload::new("PreToolUse", self.fields.clone())
    }

    fn after_pre(&mut self, verdict: &Verdict) -> CallStage {
        self.tool.input =
            verdict.updated_input.clone().or_else(|| self.fields.get("tool_input").cloned()).unwrap_or(Value::Null);
        if verdict.blocked {
            self.denied = Some(verdict.model_sees.clone());
            return CallStage::Over;
        }
        self.tool.ran = true;
        let mut fields = self.fields.clone();
        fields.insert("tool_input".into(), self.tool.input.clone());
        if let Some(error) = &self.error {
            self.tool.output = error.clone().into();
            self.tool.is_error = true;
            fields.insert("error".into(), error.clone().into());
            CallStage::Post(Payload::new("PostToolUseFailure", fields))
        } else {
            self.tool.output = self.output.clone();
            fields.insert("tool_response".into(), self.output.clone());
            CallStage::Post(Payload::new("PostToolUse", fields))
        }
    }

    fn tool(&self) -> ToolRun {
        self.tool.clone()
    }

    fn result(&self, post: Option<&Verdict>) -> CallResult {
        if let Some(text) = &self.denied {
            return CallResult { text: text.clone(), is_error: true };
        }
        let output = post.and_then(|v| v.updated_output.clone()).unwrap_or_else(|| self.tool.output.clone());
        CallResult { text: text(&output), is_error: self.tool.is_error }
    }

    fn user_messages(&self, post: Option<&Verdict>) -> Vec<String> {
        post.into_iter().flat_map(|v| v.system_messages.clone()).collect()
    }
}
