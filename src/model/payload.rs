//! One event as the user gives it: a JSON object and the event it stands for.

use std::sync::Arc;

use serde_json::{Map, Value};

/// The fields of one event, before a dialect writes its stdin from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    pub event: String,
    pub fields: Arc<Map<String, Value>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    #[error("the payload is not UTF-8: byte {offset} (0x{byte:02x}) does not belong to any character")]
    NotUtf8 { offset: usize, byte: u8 },
    #[error("the payload is not JSON: {message} at line {line} column {column}")]
    NotJson { message: String, line: usize, column: usize },
    #[error("the payload must be a JSON object, found {found} at line 1 column 1")]
    NotAnObject { found: &'static str },
}

impl Payload {
    pub fn parse_fields(bytes: &[u8]) -> Result<Map<String, Value>, PayloadError> {
        let text = std::str::from_utf8(bytes).map_err(|e| PayloadError::NotUtf8 {
            offset: e.valid_up_to(),
            byte: bytes.get(e.valid_up_to()).copied().unwrap_or(0),
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(text).map_err(|e| PayloadError::NotJson {
            message: plain_message(&e),
            line: e.line(),
            column: e.column(),
        })?;
        let found = match value {
            Value::Object(fields) => return Ok(fields),
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
        };
        Err(PayloadError::NotAnObject { found })
    }

    pub fn new(event: impl Into<String>, fields: Map<String, Value>) -> Self {
        Self { event: event.into(), fields: Arc::new(fields) }
    }

    /// What it is about, in a few words: the tool, the prompt, the source.
    pub fn subject(&self) -> String {
        let keys = ["tool_name", "prompt", "source", "reason", "message", "trigger", "agent_type"];
        let text = keys.iter().find_map(|k| self.text(k)).unwrap_or_default();
        text.chars().filter(|c| !c.is_control()).take(40).collect()
    }

    /// A field as text, if it is there and is text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }
}

/// serde_json appends its own "at line … column …"; ours stands in the sentence already.
fn plain_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_payloads_say_what_and_where() {
        let message = |bytes: &[u8]| Payload::parse_fields(bytes).unwrap_err().to_string();
        assert_eq!(message(b"[1]"), "the payload must be a JSON object, found a list at line 1 column 1");
        assert!(message(b"{\n \"a\": }").contains("line 2 column"), "{}", message(b"{\n \"a\": }"));
        assert!(message(b"{\"a\":\"\xff\"}").contains("byte 6 (0xff)"));
        assert!(message(b"").contains("EOF"));
    }
}
