//! The JSON on stdin: compact, in the host's key order, with one newline after it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::events::LEADING;
use crate::dialect::Profile;
use crate::model::Payload;

/// The payload in order; keys the table does not know come last, as given.
fn ordered(payload: &Payload, profile: &Profile) -> Value {
    let own = profile.row(&payload.event).fields;
    let order = LEADING.iter().copied().chain(own.iter().map(|f| f.name));
    let mut out = Map::new();
    for key in order {
        if key == "hook_event_name" {
            out.insert(key.into(), payload.event.clone().into());
        } else if let Some(value) = payload.fields.get(key) {
            out.entry(key).or_insert_with(|| value.clone());
        }
    }
    // A tool called by a former name is told by the one it has today.
    if let Some(Value::String(tool)) = out.get_mut("tool_name") {
        *tool = super::matcher::canonical(tool, profile.aliases).to_string();
    }
    for (key, value) in payload.fields.iter() {
        out.entry(key.clone()).or_insert_with(|| value.clone());
    }
    Value::Object(out)
}

/// What hooks of one firing get: a process with a newline at the end, a request without.
pub struct Stdin {
    pub value: Arc<Value>,
    pub bytes: Arc<[u8]>,
    pub body: Arc<[u8]>,
}

impl Stdin {
    pub fn of(payload: &Payload, profile: &Profile) -> Self {
        let value = ordered(payload, profile);
        let mut bytes = serde_json::to_vec(&value).unwrap_or_default();
        let body = bytes.clone().into();
        bytes.push(b'\n');
        Self { value: Arc::new(value), bytes: bytes.into(), body }
    }
}
