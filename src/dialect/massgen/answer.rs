//! Reading a massgen result: decision, rewritten input, injection, and the legacy fields.

use serde_json::{Map, Value};

use crate::dialect::EventRow;
use crate::model::{InjectAs, Injection};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookResult {
    pub decision: Decision,
    pub reason: Option<String>,
    pub updated_input: Option<Value>,
    pub inject: Option<Injection>,
    pub ignored: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decision {
    #[default]
    Allow,
    Deny,
    /// The user is asked; the tool runs.
    Ask,
}

pub fn read(fields: &Map<String, Value>, row: &EventRow) -> Result<HookResult, String> {
    let mut result = HookResult::default();
    let text = |v: Option<&Value>| v.and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_string);
    result.decision = match fields.get("decision") {
        None | Some(Value::Null) => Decision::Allow,
        Some(word) => match word.as_str() {
            Some("allow") => Decision::Allow,
            Some("deny") => Decision::Deny,
            Some("ask") => Decision::Ask,
            _ => {
                result.ignored.push(format!("`decision` {word} counts as allow: the words are allow, deny, ask"));
                Decision::Allow
            }
        },
    };
    if fields.get("allowed") == Some(&Value::Bool(false)) {
        result.decision = Decision::Deny;
    }
    result.reason = text(fields.get("reason")).or_else(|| text(fields.get("metadata").and_then(|m| m.get("reason"))));
    result.updated_input = fields.get("updated_input").filter(|i| !i.is_null()).cloned();
    if let Some(args) = text(fields.get("modified_args")) {
        match serde_json::from_str(&args) {
            Ok(value) => result.updated_input = Some(value),
            Err(_) => result.ignored.push("`modified_args` is not JSON text and has no effect".into()),
        }
    }
    match fields.get("inject") {
        None | Some(Value::Null) => {}
        Some(Value::Object(inject)) => {
            let strategy = match inject.get("strategy").and_then(Value::as_str) {
                Some("user_message") => InjectAs::UserMessage,
                Some("tool_result") | None => InjectAs::ToolResult,
                Some(other) => {
                    result.ignored.push(format!("strategy `{other}` is unknown and acts as tool_result"));
                    InjectAs::ToolResult
                }
            };
            result.inject = text(inject.get("content")).map(|content| Injection { content, strategy });
        }
        Some(other) => return Err(format!("`inject` must be an object, found {other}")),
    }
    result
        .ignored
        .extend(fields.keys().filter(|k| row.top_field(k).is_none()).map(|k| format!("`{k}` is no key of a result")));
    Ok(result)
}
