//! The JSON a goat hook reads: base fields, event name, the event's own fields, and no others.

use serde_json::{Map, Value};

use crate::dialect::{FieldRow, Presence, Profile};
use crate::model::Payload;

/// The payload as the host would write it. A field the payload lacks comes from the settings' `session` (base
/// fields) or is the empty value of its type.
pub fn input(payload: &Payload, session: &Map<String, Value>, profile: &Profile) -> Value {
    let mut out = Map::new();
    for field in profile.base_fields {
        write(&mut out, field, payload.fields.get(field.name).or_else(|| session.get(field.name)));
    }
    out.insert(profile.event_field.into(), payload.event.clone().into());
    match profile.event(&payload.event) {
        Some(row) => row.fields.iter().for_each(|f| write(&mut out, f, payload.fields.get(f.name))),
        // An event this host does not know has no field table: hand over what there is.
        None => out.extend(payload.fields.iter().map(|(k, v)| (k.clone(), v.clone()))),
    }
    Value::Object(out)
}

fn write(out: &mut Map<String, Value>, field: &FieldRow, given: Option<&Value>) {
    match (field.presence, given) {
        (Presence::Always { .. }, Some(value)) => {
            out.insert(field.name.into(), value.clone());
        }
        (Presence::Always { empty }, None) => {
            out.insert(field.name.into(), serde_json::from_str(empty).unwrap_or(Value::Null));
        }
        (Presence::NotEmpty, Some(value)) if !crate::dialect::event::is_empty(value) => {
            out.insert(field.name.into(), value.clone());
        }
        (Presence::NotEmpty, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn built(event: &str, fields: &Value, session: &Value) -> Value {
        let fields = fields.as_object().cloned().unwrap_or_default();
        input(&Payload::new(event, fields), session.as_object().unwrap(), &super::super::profile())
    }

    #[test]
    fn presence_rules_hold() {
        assert_eq!(
            built("Stop", &json!({"extra": 1}), &json!({"session_id": "s", "permission_mode": ""})),
            json!({"session_id": "s", "transcript_path": "", "cwd": "", "hook_event_name": "Stop", "stop_hook_active": false})
        );
        let compact = built("PreCompact", &json!({"trigger": "auto"}), &json!({}));
        assert_eq!(compact["custom_instructions"], Value::Null);
        assert!(compact.as_object().unwrap().contains_key("custom_instructions"));
        let failure = built("PostToolUseFailure", &json!({"is_interrupt": false, "error": "x"}), &json!({}));
        assert!(failure.get("is_interrupt").is_none());
        let start = built("SessionStart", &json!({"source": "startup", "model": ""}), &json!({}));
        assert!(start.get("model").is_none() && start.get("agent_type").is_none());
    }

    #[test]
    fn the_payload_wins_over_the_session_defaults() {
        let out = built("Stop", &json!({"cwd": "/payload"}), &json!({"cwd": "/settings", "permission_mode": "plan"}));
        assert_eq!((&out["cwd"], &out["permission_mode"]), (&json!("/payload"), &json!("plan")));
    }
}
