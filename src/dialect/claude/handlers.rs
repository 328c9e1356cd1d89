//! Which types of handlers the host runs on which events.

use serde_json::Value;

use super::version::{Change, Rules};
use crate::model::{Hook, Payload};

/// Events on which every type of handler runs.
const ALL_TYPES: [&str; 13] = [
    "PermissionRequest",
    "PermissionDenied",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreToolUse",
    "Stop",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "UserPromptSubmit",
];

/// Why the host does not run this type of handler on its event; none if it does.
pub fn unsupported(hook: &Hook, payload: &Payload, rules: Rules) -> Option<String> {
    let event = hook.event.as_str();
    match hook.options.get("type").and_then(Value::as_str) {
        Some("http") if ["SessionStart", "Setup"].contains(&hook.event.as_str()) => {
            Some(format!("http hooks are not run on {}", hook.event))
        }
        Some(kind @ ("prompt" | "agent")) if !ALL_TYPES.contains(&event) => {
            Some(format!("{kind} hooks are not run on {event}"))
        }
        Some("mcp_tool") if event == "SessionStart" && !matches!(payload.text("source"), Some("clear" | "compact")) => {
            Some("mcp_tool hooks of SessionStart are skipped at launch, and run after /clear and compaction".into())
        }
        Some("mcp_tool") if event == "Setup" => Some("mcp_tool hooks are not run on Setup".into()),
        Some("agent") if event == "PermissionRequest" && rules.have(Change::NoAgentRequest) => {
            Some("agent hooks are skipped on PermissionRequest".into())
        }
        _ => None,
    }
}
