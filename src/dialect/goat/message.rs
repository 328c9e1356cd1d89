//! The three messages goat puts on its own stream, made from lifecycle events.

use serde_json::{Map, Value, json};

use crate::model::Lifecycle;

/// The host's message for `event`. In the original program the response carries no output and no exit code; so
/// here.
pub fn message(event: &Lifecycle, session: &Map<String, Value>) -> Option<Value> {
    let hook = event.hook()?;
    let (subtype, extra) = match event {
        Lifecycle::HookStarted { .. } => ("hook_started", json!({})),
        Lifecycle::HookProgress { stdout, stderr, output, .. } => {
            ("hook_progress", json!({"stdout": stdout, "stderr": stderr, "output": output}))
        }
        Lifecycle::HookResponse { outcome, .. } => {
            ("hook_response", json!({"stdout": "", "stderr": "", "output": "", "outcome": outcome}))
        }
        _ => return None,
    };
    let mut message = json!({
        "type": "system",
        "subtype": subtype,
        "session_id": session.get("session_id").cloned().unwrap_or_else(|| "".into()),
        "hook_id": hook.hook_id,
        "uuid": format!("{:08x}-{:04x}-8000-8000-{:012x}", hook.firing.0, hook.run.0 & 0xffff, sequence(event)),
        "hook_name": host_name(&hook.hook_id, &hook.hook_event, &hook.hook_name),
        "hook_event": hook.hook_event,
    });
    if let (Value::Object(message), Value::Object(extra)) = (&mut message, extra) {
        message.extend(extra);
    }
    Some(message)
}

/// The host names a command by its text and a callback by its number.
fn host_name(id: &str, event: &str, name: &str) -> String {
    match id.strip_prefix(event).and_then(|rest| rest.strip_prefix("-go-")) {
        Some(index) => format!("{event} callback {index}"),
        None => name.to_string(),
    }
}

/// Tells the messages of one run apart.
fn sequence(event: &Lifecycle) -> u64 {
    match event {
        Lifecycle::HookProgress { seq, .. } => seq + 1,
        Lifecycle::HookResponse { .. } => 0xffff_ffff_ffff,
        _ => 0,
    }
}
