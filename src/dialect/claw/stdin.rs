//! What a claw hook is given: a JSON object on stdin, and the same facts as variables.

use serde_json::{Value, json};

use super::call::{output_of, raw_input};
use crate::dialect::EventRow;
use crate::dialect::event::MergeClass;
use crate::model::Payload;

pub fn value(payload: &Payload, row: &EventRow) -> Value {
    let raw = raw_input(&payload.fields);
    let parsed = serde_json::from_str(&raw).unwrap_or_else(|_| json!({"raw": raw}));
    let is_error =
        row.merge == MergeClass::ToolError || payload.fields.get("tool_result_is_error") == Some(&Value::Bool(true));
    let mut value = json!({
        "hook_event_name": payload.event,
        "tool_input": parsed,
        "tool_input_json": raw,
        "tool_name": payload.text("tool_name").unwrap_or_default(),
    });
    match row.merge {
        MergeClass::Permission => value["tool_output"] = Value::Null,
        MergeClass::ToolError => value["tool_error"] = output_of(payload).into(),
        _ => value["tool_output"] = output_of(payload).into(),
    }
    value["tool_result_is_error"] = is_error.into();
    value
}

pub fn environment(payload: &Payload, stdin: &Value, row: &EventRow) -> Vec<(String, String)> {
    let is_error = stdin["tool_result_is_error"] == Value::Bool(true);
    let mut env = vec![
        ("HOOK_EVENT".into(), payload.event.clone()),
        ("HOOK_TOOL_NAME".into(), payload.text("tool_name").unwrap_or_default().into()),
        ("HOOK_TOOL_INPUT".into(), raw_input(&payload.fields)),
        ("HOOK_TOOL_IS_ERROR".into(), if is_error { "1" } else { "0" }.into()),
    ];
    if row.merge != MergeClass::Permission {
        env.push(("HOOK_TOOL_OUTPUT".into(), output_of(payload)));
    }
    env
}
