//! Event logs of Copilot. Its hooks are recorded with their whole input, so nothing has to be derived; the payloads are
//! put into the shape of Claude Code's.

use std::io::{self, Read};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Importing, each_object, parsed, shaped};
use crate::record::recorded_event::{EventOrigin, HookOutcome, Outcome, RecordedEvent};

/// Copilot's hook types and the events they stand for.
const EVENTS: [(&str, &str); 6] = [
    ("sessionStart", "SessionStart"),
    ("userPromptSubmitted", "UserPromptSubmit"),
    ("preToolUse", "PreToolUse"),
    ("postToolUse", "PostToolUse"),
    ("agentStop", "Stop"),
    ("sessionEnd", "SessionEnd"),
];
/// Its tool names that have another one there.
const TOOLS: [(&str, &str); 5] =
    [("bash", "Bash"), ("view", "Read"), ("edit", "Edit"), ("create", "Write"), ("grep", "Grep")];

/// Starts whose end is awaited, so that an outcome can be told.
const AWAITED: usize = 256;

pub fn read<R: Read>(Importing { objects, path, summary, sink }: Importing<'_, R>) -> io::Result<()> {
    let file: Arc<str> = path.display().to_string().into();
    let mut session = String::new();
    let mut cwd = String::new();
    let mut open: Vec<(String, RecordedEvent)> = Vec::new();
    each_object(objects, &mut summary.problems, |text, line| {
        let record: Value = parsed(text)?;
        let data = &record["data"];
        let id = data["hookInvocationId"].as_str().unwrap_or_default();
        match record["type"].as_str().unwrap_or_default() {
            "session.start" => {
                session = data["sessionId"].as_str().unwrap_or_default().to_string();
                cwd = data["context"]["cwd"].as_str().unwrap_or_default().to_string();
            }
            "hook.start" => {
                let origin = EventOrigin {
                    file: file.clone(),
                    line,
                    session: Some(session.as_str().into()),
                    at: record["timestamp"].as_str().map(str::to_string),
                };
                let (kind, input) = (data["hookType"].as_str().unwrap_or_default(), &data["input"]);
                let Some((_, event)) = EVENTS.iter().find(|(own, _)| *own == kind) else { return Ok(()) };
                let base = json!({
                    "session_id": session, "transcript_path": &*file, "cwd": input["cwd"].as_str().unwrap_or(&cwd),
                    "permission_mode": "default", "hook_event_name": event,
                });
                for fields in own_fields(event, input) {
                    let derived = vec!["permission_mode".into()];
                    open.push((id.to_string(), shaped(event, base.clone(), fields, origin.clone(), derived)));
                }
                while open.len() > AWAITED {
                    sink(open.remove(0).1);
                }
            }
            "hook.end" => {
                for (_, entry) in open.iter_mut().filter(|(own, _)| own == id) {
                    entry.recorded = Some(outcome(data));
                }
                while open.first().is_some_and(|(_, e)| e.recorded.is_some()) {
                    sink(open.remove(0).1);
                }
            }
            _ => summary.other += 1,
        }
        Ok(())
    })?;
    open.into_iter().for_each(|(_, entry)| sink(entry));
    Ok(())
}

fn outcome(data: &Value) -> Outcome {
    let worked = data["success"] == true;
    let decision = data["output"]["permissionDecision"].as_str().map(str::to_string);
    Outcome {
        partial: true,
        blocked: decision.as_ref().map(|d| d == "deny"),
        reason: data["output"]["permissionDecisionReason"].as_str().map(str::to_string),
        decision,
        hooks: vec![HookOutcome { outcome: if worked { "success" } else { "error" }.into(), ..HookOutcome::default() }],
        ..Outcome::default()
    }
}

/// The fields of each event of one hook start: a preToolUse may speak of several calls.
fn own_fields(event: &str, input: &Value) -> Vec<Value> {
    let called = || tool(&input["toolName"], &input["toolArgs"], &Value::Null);
    match event {
        "PreToolUse" => match input["toolCalls"].as_array() {
            Some(calls) => calls.iter().map(|c| tool(&c["name"], &c["args"], &c["id"])).collect(),
            None => vec![called()],
        },
        "PostToolUse" => {
            let mut fields = called();
            let result = &input["toolResult"];
            fields["tool_response"] = result.get("textResultForLlm").unwrap_or(result).clone();
            vec![fields]
        }
        "UserPromptSubmit" => vec![json!({"prompt": input["prompt"]})],
        "SessionStart" => vec![json!({"source": input["source"].as_str().unwrap_or("startup")})],
        "Stop" => vec![json!({"stop_hook_active": false})],
        _ => vec![json!({"reason": input["reason"].as_str().unwrap_or("other")})],
    }
}

fn tool(name: &Value, arguments: &Value, id: &Value) -> Value {
    let name = name.as_str().unwrap_or_default();
    let name = TOOLS.iter().find(|(own, _)| *own == name).map_or(name, |(_, there)| there);
    let input = match arguments {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| json!({"input": text})),
        other => other.clone(),
    };
    let mut fields = json!({"tool_name": name, "tool_input": input});
    if !id.is_null() {
        fields["tool_use_id"] = id.clone();
    }
    fields
}
