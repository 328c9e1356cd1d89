//! One massgen tool call: pre hooks, the tool, and post hooks only if it succeeded.

use serde_json::{Map, Value, json};

use crate::dialect::{CallScript, CallStage};
use crate::model::{CallResult, Payload, ToolRun, Verdict};

/// The state of one call.
pub struct MassgenCall {
    fields: Map<String, Value>,
    output: Value,
    ok: bool,
    tool: ToolRun,
    denied: Option<String>,
}

/// Arguments as the host parses them: JSON text is read, other text becomes `{"raw": …}`, nothing becomes `{}`.
pub fn parsed_input(input: Option<&Value>) -> Value {
    match input {
        None | Some(Value::Null) => json!({}),
        Some(Value::String(text)) if text.is_empty() => json!({}),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| json!({"raw": text})),
        Some(value) => value.clone(),
    }
}

/// A tool's output as text.
pub fn text_of(output: Option<&Value>) -> String {
    match output {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// The result text and the user messages that `injections` make of `output`, each by its own strategy.
pub fn inject(output: &str, injections: &[Value]) -> (String, Vec<String>) {
    let contents = |strategy: &str| {
        let wanted = injections.iter().filter(|i| i["strategy"] == strategy);
        wanted.filter_map(|i| i["content"].as_str()).collect::<Vec<_>>().join("\n")
    };
    let below = contents("tool_result");
    let text = if below.is_empty() { output.to_string() } else { format!("{output}\n{below}") };
    (text, Some(contents("user_message")).filter(|m| !m.is_empty()).into_iter().collect())
}

impl MassgenCall {
    /// A call from `{agent_id, session_id, orchestrator_id, tool_name, tool_input, tool: {output, ok}}`.
    pub fn new(fields: &Map<String, Value>) -> Result<Self, String> {
        if !fields.get("tool_name").is_some_and(Value::is_string) {
            return Err("a call needs the text field `tool_name`".into());
        }
        let tool = fields.get("tool").unwrap_or(&Value::Null);
        let output = tool.get("output").or_else(|| fields.get("tool_output")).cloned().unwrap_or(Value::Null);
        let ok = tool.get("ok") != Some(&Value::Bool(false));
        let mut fields = fields.clone();
        for key in ["tool", "tool_output", "hook_type"] {
            fields.remove(key);
        }
        Ok(Self { fields, output, ok, tool: ToolRun::default(), denied: None })
    }
}

impl CallScript for MassgenCall {
    fn pre(&self) -> Payload {
        Payload::new("PreToolUse", self.fields.clone())
    }

    fn after_pre(&mut self, verdict: &Verdict) -> CallStage {
        self.tool.input = verdict.updated_input.clone().unwrap_or_else(|| parsed_input(self.fields.get("tool_input")));
        if verdict.blocked {
            self.denied =
                Some(format!("Hook denied tool execution: {}", verdict.reason.as_deref().unwrap_or_default()));
            return CallStage::Over;
        }
        self.tool.ran = true;
        self.tool.output = self.output.clone();
        self.tool.is_error = !self.ok;
        if !self.ok {
            return CallStage::Over;
        }
        let mut fields = self.fields.clone();
        fields.insert("tool_input".into(), self.tool.input.clone());
        fields.insert("tool_output".into(), self.output.clone());
        CallStage::Post(Payload::new("PostToolUse", fields))
    }

    fn tool(&self) -> ToolRun {
        self.tool.clone()
    }

    fn result(&self, post: Option<&Verdict>) -> CallResult {
        if let Some(text) = &self.denied {
            return CallResult { text: text.clone(), is_error: true };
        }
        let injections = post.map_or(&[][..], |v| &v.injections);
        CallResult { text: inject(&text_of(Some(&self.output)), injections).0, is_error: !self.ok }
    }

    fn user_messages(&self, post: Option<&Verdict>) -> Vec<String> {
        inject("", post.map_or(&[][..], |v| &v.injections)).1
    }
}
