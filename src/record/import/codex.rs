//! Rollouts of Codex as payloads of their tool calls, in the shape Codex gives its hooks: that of Claude Code, with
//! shell calls as `Bash`.

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Importing, each_object, parsed, shaped};
use crate::record::recorded_event::{EventOrigin, RecordedEvent};

const SHELLS: [&str; 5] = ["shell", "exec_command", "local_shell", "shell_command", "unified_exec"];

#[derive(Default)]
struct CodexSession {
    file: Arc<str>,
    id: String,
    cwd: String,
    model: Value,
    calls: Vec<(String, Value)>,
}

pub fn read<R: Read>(Importing { objects, path, summary, sink }: Importing<'_, R>) -> io::Result<()> {
    let mut session = CodexSession { file: path.display().to_string().into(), ..CodexSession::default() };
    each_object(objects, &mut summary.problems, |text, line| {
        let found = session.take(&parsed(text)?, line);
        summary.other += u64::from(found.is_empty());
        found.into_iter().for_each(&mut *sink);
        Ok(())
    })
}

impl CodexSession {
    fn take(&mut self, record: &Value, line: u64) -> Vec<RecordedEvent> {
        let payload = &record["payload"];
        let text = |key: &str| payload[key].as_str().unwrap_or_default().to_string();
        let at = record["timestamp"].as_str().map(str::to_string);
        let mut found = Vec::new();
        let mut emit = |session: &Self, event: &str, fields: Value, mut derived: Vec<Cow<'static, str>>| {
            let base = json!({
                "session_id": session.id, "transcript_path": &*session.file, "cwd": session.cwd, "model": session.model,
                "hook_event_name": event, "permission_mode": "default",
            });
            derived.push(Cow::Borrowed("permission_mode"));
            let (file, id) = (session.file.clone(), Some(session.id.as_str().into()));
            let origin = EventOrigin { file, line, session: id, at: at.clone() };
            found.push(shaped(event, base, fields, origin, derived));
        };
        match (record["type"].as_str().unwrap_or_default(), payload["type"].as_str().unwrap_or_default()) {
            ("session_meta", _) => {
                self.id = if payload["id"].is_string() { text("id") } else { text("session_id") };
                self.cwd = text("cwd");
                emit(self, "SessionStart", json!({"source": "startup"}), vec![Cow::Borrowed("source")]);
            }
            ("turn_context", _) => {
                self.cwd = text("cwd");
                self.model = payload["model"].clone();
            }
            ("event_msg", "user_message") => {
                emit(self, "UserPromptSubmit", json!({"prompt": text("message")}), Vec::new());
            }
            ("response_item", "function_call" | "custom_tool_call") => {
                let call = tool(payload);
                emit(self, "PreToolUse", call.clone(), vec![Cow::Borrowed("tool_use_id")]);
                self.calls.push((text("call_id"), call));
            }
            ("response_item", "function_call_output" | "custom_tool_call_output") => {
                let id = text("call_id");
                if let Some(at) = self.calls.iter().position(|(own, _)| *own == id) {
                    let (_, mut call) = self.calls.remove(at);
                    call["tool_response"] = payload["output"].clone();
                    emit(self, "PostToolUse", call, vec![Cow::Borrowed("tool_use_id")]);
                }
            }
            ("event_msg", "task_complete") => {
                let last = payload["last_agent_message"].clone();
                emit(self, "Stop", json!({"stop_hook_active": false, "last_assistant_message": last}), Vec::new());
            }
            ("compacted", _) => {
                emit(self, "PreCompact", json!({"trigger": "auto", "custom_instructions": null}), Vec::new());
            }
            _ => {}
        }
        found
    }
}

/// The tool's fields as a hook gets them.
fn tool(payload: &Value) -> Value {
    let name = payload["name"].as_str().unwrap_or_default();
    let arguments = payload["arguments"].as_str().and_then(|a| serde_json::from_str::<Value>(a).ok());
    let arguments = arguments.unwrap_or_else(|| payload["input"].clone());
    let id = payload["call_id"].clone();
    if SHELLS.contains(&name) {
        let command = arguments.get("command").or_else(|| arguments.get("cmd")).cloned().unwrap_or(Value::Null);
        let command = match command {
            // `["bash","-lc","…"]` is the line in it.
            Value::Array(words) => match words.as_slice() {
                [_, Value::String(flag), Value::String(line)] if flag.starts_with('-') => line.clone(),
                _ => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            },
            Value::String(line) => line,
            _ => String::new(),
        };
        return json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
    }
    let input = if arguments.is_object() { arguments } else { json!({"input": arguments}) };
    json!({"tool_name": name, "tool_input": input, "tool_use_id": id})
}
