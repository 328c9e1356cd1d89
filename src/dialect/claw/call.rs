//! One claw tool call: input and output are text, and feedback is written below the output.

use serde_json::{Map, Value};

use crate::dialect::call::{After, CallRow, text, with_feedback};
use crate::model::Payload;

const AFTER: After = After { event: "PostToolUse", field: "tool_output", flag: Some("tool_result_is_error") };

/// How a call goes through the hooks of the specification.
pub const SPECIFIED: CallRow = CallRow {
    template: r#"{"tool_name":"bash","tool_input":"{\"command\":\"ls\"}","tool":{"output":"Cargo.toml\nsrc","is_error":false}}"#,
    before: "PreToolUse",
    after: AFTER,
    after_failed: Some(AFTER),
    after_error: None,
    failed: Some(("is_error", true)),
    dropped: &["tool", "tool_output", "tool_result_is_error", "hook_event_name"],
    raw_input: Some("tool_input_json"),
    input: |fields, updated| {
        Value::String(updated.map_or_else(
            || raw_input(fields),
            |input| {
                // The program writes keys in alphabetical order.
                let mut input = input.clone();
                input.sort_all_objects();
                input.to_string()
            },
        ))
    },
    output: |output| Value::String(text(&output)),
    text: |tool, post| with_feedback(&text(&tool.output), post.and_then(|v| v.feedback.as_deref())),
    messages: |_| Vec::new(),
};

/// In the newest program a failed tool has an event of its own.
pub const NEWEST: CallRow =
    CallRow { after_failed: Some(After { event: super::FAILURE, field: "tool_error", ..AFTER }), ..SPECIFIED };

/// The input as raw text: given as such, or written compactly.
pub fn raw_input(fields: &Map<String, Value>) -> String {
    match (fields.get("tool_input_json"), fields.get("tool_input")) {
        (Some(Value::String(raw)), _) | (_, Some(Value::String(raw))) => raw.clone(),
        (_, Some(value)) => value.to_string(),
        (_, None) => "{}".into(),
    }
}

/// The output that an event after the tool carries.
pub fn output_of(payload: &Payload) -> String {
    let field = payload.fields.get("tool_output").or_else(|| payload.fields.get("tool_error"));
    field.map(text).unwrap_or_default()
}
