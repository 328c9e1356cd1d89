//! What a transcript says of the hooks that ran then: five ways of five eras, one answer.

use serde::Deserialize;
use serde_json::Value;

use super::transcript_record::{Text, TranscriptRecord};
use crate::record::recorded_event::{HookOutcome, Outcome};

#[derive(Debug, Clone, PartialEq)]
pub struct HookRecord {
    pub event: String,
    /// The value after the colon of the hook's name, `startup` in `SessionStart:startup`.
    pub value: Option<String>,
    /// The call it ran on, or a number of the group.
    pub tool_use_id: Option<String>,
    pub hook: HookOutcome,
    /// What the model was shown of it, in the host's words.
    pub shown: Option<String>,
    /// Whether it kept from happening what its event guards.
    pub blocked: bool,
}

impl HookRecord {
    /// Add to `recorded` whether it blocked and what the model was shown of it.
    pub fn note_effect(&self, recorded: &mut Outcome) {
        if self.blocked {
            recorded.blocked = Some(true);
        }
        if let Some(shown) = &self.shown {
            let before = recorded.model_sees.take().map_or_else(String::new, |b| format!("{b}\n\n"));
            recorded.model_sees = Some(format!("{before}{shown}"));
        }
    }
}

/// Events at which a blocking hook keeps something from happening.
const GUARDING: [&str; 5] = ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop", "SubagentStop"];

/// The text of a record's reminders, without their frame.
fn shown(line: &TranscriptRecord<'_>) -> Option<String> {
    let rendered: Vec<Value> = serde_json::from_str(line.rendered?.get()).ok()?;
    let text = |v: &Value| {
        let text = v["content"].as_str()?;
        let inside = text.strip_prefix("<system-reminder>\n").and_then(|t| t.strip_suffix("\n</system-reminder>"));
        Some(inside.unwrap_or(text).to_string())
    };
    let texts: Vec<String> = rendered.iter().filter_map(text).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Attachment<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Text<'a>>,
    hook_name: Option<String>,
    hook_event: Option<String>,
    #[serde(rename = "toolUseID")]
    tool_use_id: Option<String>,
    command: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
    exit_code: Option<i32>,
    duration_ms: Option<f64>,
    blocking_error: Value,
    message: Option<String>,
    decision: Value,
}

/// What an `attachment` record says of a hook, if it does.
pub fn from_attachment(line: &TranscriptRecord<'_>) -> Option<HookRecord> {
    let text = line.attachment?.get();
    // Most attachments are of other kinds; their text need not be read.
    if !text.contains("hook") {
        return None;
    }
    let a: Attachment<'_> = serde_json::from_str(text).ok()?;
    let outcome = match a.kind.as_deref()? {
        "hook_non_blocking_error" | "hook_error_during_execution" => "error",
        "hook_cancelled" => "timeout",
        "hook_blocking_error" | "hook_stopped_continuation" => "blocked",
        "hook_permission_decision" if a.decision == "deny" => "blocked",
        "hook_success"
        | "hook_additional_context"
        | "hook_system_message"
        | "hook_permission_decision"
        | "async_hook_response" => "success",
        _ => return None,
    };
    let name = a.hook_name.unwrap_or_default();
    let event = a.hook_event.or_else(|| name.split(':').next().map(str::to_string))?;
    let blocking = a.blocking_error["blockingError"].as_str().map(str::to_string);
    let command = a.command.or_else(|| a.blocking_error["command"].as_str().map(str::to_string));
    let blocked = outcome == "blocked"
        && a.kind.as_deref() != Some("hook_stopped_continuation")
        && GUARDING.contains(&event.as_str());
    Some(HookRecord {
        value: name.split_once(':').map(|(_, v)| v.to_string()),
        event,
        tool_use_id: a.tool_use_id,
        hook: HookOutcome {
            hook: command.unwrap_or_default(),
            outcome: outcome.into(),
            exit_code: a.exit_code.or(blocking.as_ref().map(|_| 2)),
            stdout: a.stdout.unwrap_or_default(),
            stderr: blocking.or(a.stderr).or(a.message).unwrap_or_default(),
            duration_ms: a.duration_ms,
        },
        shown: shown(line),
        blocked,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ProgressRecord {
    hook_event: String,
    hook_name: String,
    command: String,
}

/// What a `progress` record says of a hook: only that it was started.
pub fn from_progress(line: &TranscriptRecord<'_>) -> Option<HookRecord> {
    let text = line.data.filter(|d| d.get().contains("hook_progress"))?.get();
    let p: ProgressRecord = serde_json::from_str(text).ok().filter(|p: &ProgressRecord| !p.hook_event.is_empty())?;
    Some(named_only(line, p.hook_event, &p.hook_name, p.command, "ran"))
}

/// What a line of text of the first versions says of a hook: `PreToolUse:Bash [command] completed successfully`.
pub fn from_text(line: &TranscriptRecord<'_>) -> Option<HookRecord> {
    let content: String = serde_json::from_str(line.content?.get()).ok()?;
    let plain = anstream::adapter::strip_str(&content).to_string();
    let (name, rest) = plain.split_once(" [")?;
    let (command, ending) = rest.rsplit_once("] ")?;
    let event = name.split(':').next().filter(|e| e.chars().all(char::is_alphanumeric))?;
    let outcome = if ending.starts_with("completed successfully") { "success" } else { "error" };
    Some(named_only(line, event.to_string(), name, command.to_string(), outcome))
}

/// The record of a hook of which only name, command and outcome are said.
fn named_only(line: &TranscriptRecord<'_>, event: String, name: &str, command: String, outcome: &str) -> HookRecord {
    HookRecord {
        event,
        value: name.split_once(':').map(|(_, v)| v.to_string()),
        tool_use_id: line.tool_use_id.as_ref().map(|t| t.0.to_string()),
        hook: HookOutcome { hook: command, outcome: outcome.into(), ..HookOutcome::default() },
        shown: None,
        blocked: false,
    }
}

/// The hooks of a Stop, from its summary.
pub fn stop_hooks(line: &TranscriptRecord<'_>) -> Vec<HookOutcome> {
    let list = |raw: Option<&serde_json::value::RawValue>| -> Vec<Value> {
        raw.and_then(|r| serde_json::from_str(r.get()).ok()).unwrap_or_default()
    };
    let errors: Vec<String> = list(line.hook_errors).iter().map(text_of).collect();
    let infos = list(line.hook_infos);
    let outcome = |info: &Value| {
        let command = info["command"].as_str().unwrap_or_default();
        let failed = errors.iter().find(|e| !command.is_empty() && e.contains(command));
        let failed = failed.or_else(|| errors.first().filter(|_| infos.len() == 1));
        HookOutcome {
            hook: command.to_string(),
            outcome: if failed.is_some() { "error" } else { "success" }.into(),
            stderr: failed.cloned().unwrap_or_default(),
            duration_ms: info["durationMs"].as_f64(),
            ..HookOutcome::default()
        }
    };
    infos.iter().map(outcome).collect()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}
