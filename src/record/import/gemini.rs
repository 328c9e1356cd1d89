//! Sessions of Gemini, the old single object and the new lines, as payloads of their tool calls in Claude Code's shape.

use std::io::{self, Read};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Importing, each_object, parsed, shaped};
use crate::record::recorded_event::{EventOrigin, RecordedEvent};

/// Its tool names that have another one there.
const TOOLS: [(&str, &str); 6] = [
    ("run_shell_command", "Bash"),
    ("write_file", "Write"),
    ("replace", "Edit"),
    ("read_file", "Read"),
    ("glob", "Glob"),
    ("search_file_content", "Grep"),
];

pub fn read<R: Read>(Importing { objects, path, summary, sink }: Importing<'_, R>) -> io::Result<()> {
    let file: Arc<str> = path.display().to_string().into();
    let mut session = String::new();
    // In the new form a message with a known id replaces the earlier one, so they are told at the end.
    let mut messages: Vec<(Value, u64)> = Vec::new();
    each_object(objects, &mut summary.problems, |text, line| {
        let record: Value = parsed(text)?;
        if let Some(id) = record["sessionId"].as_str() {
            session = id.to_string();
            let inside = record["messages"].as_array().into_iter().flatten();
            messages.extend(inside.map(|m| (m.clone(), line)));
        } else if let Some(to) = record["$rewindTo"].as_str() {
            let keep = messages.iter().position(|(m, _)| m["id"] == to).map_or(messages.len(), |at| at + 1);
            messages.truncate(keep);
        } else if record["type"].is_string() {
            match messages.iter_mut().find(|(m, _)| m["id"] == record["id"]) {
                Some(known) => *known = (record, line),
                None => messages.push((record, line)),
            }
        } else {
            summary.other += 1;
        }
        Ok(())
    })?;
    let mut answered = false;
    for (message, line) in &messages {
        let mut emit = |event: &str, fields: Value| {
            sink(entry(event, fields, &session, &file, *line, message["timestamp"].as_str()));
        };
        match message["type"].as_str() {
            Some("user") => {
                if std::mem::take(&mut answered) {
                    emit("Stop", json!({"stop_hook_active": false}));
                }
                emit("UserPromptSubmit", json!({"prompt": text(&message["content"])}));
            }
            Some("gemini") => {
                answered = true;
                for call in message["toolCalls"].as_array().into_iter().flatten() {
                    let mut after = tool(call);
                    emit("PreToolUse", after.clone());
                    match call["status"].as_str() {
                        Some("success") => {
                            after["tool_response"] = call["result"].clone();
                            emit("PostToolUse", after);
                        }
                        Some("error") => {
                            after["error"] = text(&call["resultDisplay"]).into();
                            emit("PostToolUseFailure", after);
                        }
                        _ => {}
                    }
                }
            }
            _ => summary.other += 1,
        }
    }
    if let Some((last, line)) = messages.last().filter(|_| answered) {
        sink(entry("Stop", json!({"stop_hook_active": false}), &session, &file, *line, last["timestamp"].as_str()));
    }
    Ok(())
}

fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn tool(call: &Value) -> Value {
    let name = call["name"].as_str().unwrap_or_default();
    let name = TOOLS.iter().find(|(own, _)| *own == name).map_or(name, |(_, there)| there);
    json!({"tool_name": name, "tool_input": call["args"], "tool_use_id": call["id"]})
}

fn entry(event: &str, fields: Value, session: &str, file: &Arc<str>, line: u64, at: Option<&str>) -> RecordedEvent {
    let base = json!({
        "session_id": session, "transcript_path": &**file, "cwd": "", "permission_mode": "default", "hook_event_name": event,
    });
    let origin = EventOrigin { file: file.clone(), line, session: Some(session.into()), at: at.map(str::to_string) };
    shaped(event, base, fields, origin, vec!["cwd".into(), "permission_mode".into()])
}
