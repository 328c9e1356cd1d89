//! One massgen tool call: arguments are parsed, post hooks run only if the tool succeeded, and content is injected.

use serde_json::{Map, Value, json};

use crate::dialect::call::{After, CallRow, text};
use crate::model::{InjectAs, Injection};

pub const CALL: CallRow = CallRow {
    template: r#"{"agent_id":"agent_a","session_id":"s-1","orchestrator_id":"o-1","tool_name":"Write",
        "tool_input":{"path":"notes.txt"},"tool":{"output":"done","ok":true}}"#,
    before: "PreToolUse",
    after: After { event: "PostToolUse", field: "tool_output", flag: None },
    after_failed: None,
    after_error: None,
    failed: Some(("ok", false)),
    dropped: &["tool", "tool_output", "hook_type"],
    raw_input: None,
    input: |fields, updated| updated.cloned().unwrap_or_else(|| parsed_input(fields)),
    output: std::convert::identity,
    text: |tool, post| inject(&text(&tool.output), post.map_or(&[], |v| &v.injections)).0,
    messages: |post| inject("", &post.injections).1,
};

/// Arguments as the host parses them: JSON text is read, other text becomes `{"raw": …}`, nothing becomes `{}`.
pub fn parsed_input(fields: &Map<String, Value>) -> Value {
    match fields.get("tool_input") {
        None | Some(Value::Null) => json!({}),
        Some(Value::String(text)) if text.is_empty() => json!({}),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| json!({"raw": text})),
        Some(value) => value.clone(),
    }
}

/// The result text and the user messages that `injections` make of `output`, each by its own strategy.
pub fn inject(output: &str, injections: &[Injection]) -> (String, Vec<String>) {
    let contents = |strategy: InjectAs| {
        let wanted = injections.iter().filter(|i| i.strategy == strategy);
        wanted.map(|i| i.content.as_str()).collect::<Vec<_>>().join("\n")
    };
    let below = contents(InjectAs::ToolResult);
    let text = if below.is_empty() { output.to_string() } else { format!("{output}\n{below}") };
    (text, Some(contents(InjectAs::UserMessage)).filter(|m| !m.is_empty()).into_iter().collect())
}
