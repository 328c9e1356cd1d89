//! What the newest program reads from stdout.

use serde_json::Value;

use super::message::invalid_json;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClawAnswer {
    pub messages: Vec<String>,
    /// `decision: block` or `continue: false`.
    pub denies: bool,
    pub permission: Option<String>,
    pub permission_reason: Option<String>,
    pub updated_input: Option<Value>,
    pub error: Option<String>,
    pub json: Option<Value>,
}

/// Where an answer comes from, for its messages.
pub struct ClawContext<'a> {
    pub event: &'a str,
    pub tool: &'a str,
    pub command: &'a str,
}

pub fn read(stdout: &str, stderr: &str, around: &ClawContext<'_>) -> ClawAnswer {
    if stdout.is_empty() {
        return ClawAnswer::default();
    }
    let invalid = |detail: String| ClawAnswer {
        messages: vec![invalid_json(around.event, around.tool, around.command, &detail, stdout, stderr)],
        error: Some(detail),
        ..ClawAnswer::default()
    };
    match serde_json::from_str::<Value>(stdout) {
        Ok(Value::Object(fields)) => from_object(&Value::Object(fields), stdout),
        Ok(other) => invalid(format!("expected top-level JSON object, got {}", kind(&other))),
        Err(e) if stdout.starts_with(['{', '[']) => invalid(e.to_string()),
        Err(_) => ClawAnswer { messages: vec![stdout.to_string()], ..ClawAnswer::default() },
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn from_object(object: &Value, stdout: &str) -> ClawAnswer {
    let specific = &object["hookSpecificOutput"];
    let text = |v: &Value| v.as_str().map(str::to_string);
    let mut messages: Vec<String> = [&object["systemMessage"], &object["reason"], &specific["additionalContext"]]
        .into_iter()
        .filter_map(text)
        .collect();
    if messages.is_empty() {
        messages.push(stdout.to_string());
    }
    ClawAnswer {
        messages,
        denies: object["decision"] == "block" || object["continue"] == Value::Bool(false),
        permission: text(&specific["permissionDecision"]).filter(|p| ["allow", "deny", "ask"].contains(&p.as_str())),
        permission_reason: text(&specific["permissionDecisionReason"]),
        updated_input: Some(specific["updatedInput"].clone()).filter(|i| !i.is_null()),
        error: None,
        json: Some(object.clone()),
    }
}
