//! What a file is, told by its first objects.

use std::path::Path;

use serde_json::Value;

use crate::record::json_stream::{JsonStream, StreamItem};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceFormat {
    Recording,
    Transcript,
    Codex,
    Copilot,
    Gemini,
    Log,
}

#[derive(Debug, Clone, Copy)]
pub struct FormatSpec {
    pub format: SourceFormat,
    pub name: &'static str,
    /// What it is told by.
    pub about: &'static str,
}

const fn spec(format: SourceFormat, name: &'static str, about: &'static str) -> FormatSpec {
    FormatSpec { format, name, about }
}

/// The formats, in the order they are tried; whatever fits none is a log.
#[rustfmt::skip]
pub const FORMATS: &[FormatSpec] = &[
    spec(SourceFormat::Recording, "recording", "hookdbg's own: every line has `hookdbg`"),
    spec(SourceFormat::Codex, "codex", "a Codex rollout: lines of `timestamp`, `type`, `payload`"),
    spec(SourceFormat::Copilot, "copilot", "a Copilot event log: lines of `type` with a dot, `data`"),
    spec(SourceFormat::Gemini, "gemini", "a Gemini session: `sessionId` with `messages` or `projectHash`"),
    spec(SourceFormat::Transcript, "claude transcript", "a Claude Code session: records with `type` and `sessionId`, `uuid` or `message`"),
    spec(SourceFormat::Log, "payload log", "payloads as hooks wrote them down, in any form"),
];

impl SourceFormat {
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|f| f.format == self).map_or("", |f| f.name)
    }
}

/// Objects looked at before the answer is "a log".
const LOOKED_AT: usize = 12;

/// What the file that begins with `start` is.
pub fn format(start: &[u8], path: &Path) -> SourceFormat {
    if path.extension().is_some_and(|e| e == "json") && looks_like_gemini(start) {
        return SourceFormat::Gemini;
    }
    let mut seen = 0;
    let mut found = None;
    if let Ok(mut objects) = JsonStream::new(start) {
        let _ = objects.for_each(|item| {
            if let StreamItem::Object(text, _) = item
                && seen < LOOKED_AT
                && found.is_none()
            {
                seen += 1;
                found = serde_json::from_slice::<Value>(text).ok().as_ref().and_then(one);
            }
        });
    }
    found.unwrap_or_else(|| by_text(start))
}

/// A first record larger than what was looked at can still be told by its keys.
fn by_text(start: &[u8]) -> SourceFormat {
    let text = String::from_utf8_lossy(&start[..start.len().min(64 << 10)]);
    let has = |key: &str| text.contains(key);
    if has("\"hookdbg\":") {
        SourceFormat::Recording
    } else if has("\"parentUuid\"") || (has("\"sessionId\"") && has("\"isSidechain\"")) {
        SourceFormat::Transcript
    } else {
        SourceFormat::Log
    }
}

fn looks_like_gemini(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    text.contains("\"projectHash\"") && text.contains("\"sessionId\"")
}

/// What one object tells; none if nothing.
fn one(value: &Value) -> Option<SourceFormat> {
    let has = |key: &str| value.get(key).is_some();
    match value.get("type").and_then(Value::as_str).unwrap_or_default() {
        _ if value.get("hookdbg").is_some_and(Value::is_number) => Some(SourceFormat::Recording),
        "session_meta" | "turn_context" | "response_item" | "event_msg" if has("payload") => Some(SourceFormat::Codex),
        kind if kind.contains('.') && has("data") => Some(SourceFormat::Copilot),
        _ if has("projectHash") && has("sessionId") => Some(SourceFormat::Gemini),
        "user"
        | "assistant"
        | "system"
        | "summary"
        | "progress"
        | "attachment"
        | "queue-operation"
        | "file-history-snapshot"
        | "permission-mode"
        | "mode"
        | "last-prompt"
        | "ai-title"
            if ["sessionId", "uuid", "message", "leafUuid", "session_id"].into_iter().any(has) =>
        {
            Some(SourceFormat::Transcript)
        }
        _ => None,
    }
}
