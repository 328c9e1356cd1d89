//! The JSON on stdin: compact, in the host's key order, with one newline after it.

use serde_json::{Map, Value};

use super::events::{EVENTS, LEADING};
use crate::model::Payload;

/// The payload in order; keys the table does not know come last, as given.
pub fn ordered(payload: &Payload) -> Value {
    let own = EVENTS.iter().find(|e| e.name == payload.event).map_or(&[][..], |e| e.fields);
    let order = LEADING.iter().copied().chain(own.iter().map(|f| f.name));
    let mut out = Map::new();
    for key in order {
        if key == "hook_event_name" {
            out.insert(key.into(), payload.event.clone().into());
        } else if let Some(value) = payload.fields.get(key) {
            out.entry(key).or_insert_with(|| value.clone());
        }
    }
    for (key, value) in payload.fields.iter() {
        out.entry(key.clone()).or_insert_with(|| value.clone());
    }
    Value::Object(out)
}

/// The bytes of `value`.
pub fn bytes(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
