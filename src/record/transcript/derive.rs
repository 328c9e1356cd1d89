//! From the records of a session to the events its hooks got, in their order.
//!
//! Nothing is invented: an event without a trace (a permission asked for, a notification, an agent of the program itself)
//! is left out, and a field without one is a default that is named in `derived`.

mod calls;
mod ends;
mod payload;
mod pending;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::classify::{self, UserText, tag};
use super::event_buffer::EventBuffer;
use super::hooks::{self, HookRecord};
use super::transcript_record::{TranscriptRecord, content_text};
use super::versions::{self, FieldsOf};
use crate::record::json_object::quoted;
use crate::record::recorded_event::RecordedEvent;
use pending::PendingCalls;

/// A subagent whose file is being read.
#[derive(Debug, Clone)]
pub struct Agent {
    pub id: String,
    pub kind: String,
}

/// What the records of a session say of it; the file of a subagent takes it from its parent's.
#[derive(Debug, Clone)]
pub struct SessionFacts {
    path: PathBuf,
    id: Arc<str>,
    mode: String,
    version: [u16; 3],
    prompt_id: Option<String>,
}

/// Where and when a record was written.
#[derive(Debug, Clone, Default)]
pub struct Position {
    cwd: String,
    line: u64,
    at: Option<String>,
}

/// A call whose result is not there yet.
struct PendingCall {
    id: String,
    name: String,
    input: String,
    here: Position,
    /// Inside a subagent whose records stand in this file.
    side: bool,
    /// The event before it was told already.
    pre_emitted: bool,
    /// What records said of its hooks while its result was awaited.
    hook_records: Vec<HookRecord>,
    done: Option<FinishedCall>,
}

struct FinishedCall {
    result: classify::ToolOutcome,
    response: Option<(String, Exactness)>,
    here: Position,
    agent: Option<String>,
    launched: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Exactness {
    Exact,
    Approximate,
}

/// The end of what the assistant said last.
#[derive(Debug, Clone, Default, PartialEq)]
enum LastMessage {
    #[default]
    Nothing,
    Text(String),
    Tool,
    /// An error of the service, with its name.
    Error(String, String),
}

#[derive(Debug, Default)]
struct Turn {
    open: bool,
    last: LastMessage,
    last_text: String,
    stop_active: bool,
}

/// A compaction while its records are read.
#[derive(Debug)]
struct Compaction {
    trigger: String,
    instructions: Option<String>,
    summary: Option<String>,
    here: Position,
}

pub struct Derivation<'s, 'w> {
    buffer: &'w mut EventBuffer<'s>,
    file: Arc<str>,
    fields: FieldsOf,
    agent: Option<Agent>,
    /// The one session of the file, if its name says which.
    only: Option<String>,
    session: SessionFacts,
    here: Position,
    effort: Option<String>,
    calls: PendingCalls,
    turn: Turn,
    stop: Option<RecordedEvent>,
    start: Option<String>,
    begun: bool,
    /// Whether records said the mode, and how the session started.
    told_mode: bool,
    told_start: bool,
    compaction: Option<Compaction>,
    ended_by: Option<&'static str>,
    /// Records of kinds that say nothing of events.
    pub other: u64,
    /// Records left out because they are of another session.
    pub foreign: u64,
}

impl<'s, 'w> Derivation<'s, 'w> {
    pub fn new(buffer: &'w mut EventBuffer<'s>, path: &Path, fields: FieldsOf, agent: Option<Agent>) -> Self {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let uuid = stem.len() == 36 && stem.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        Self {
            buffer,
            file: path.display().to_string().into(),
            fields,
            only: uuid.then(|| stem.to_string()),
            start: agent.is_none().then(|| "startup".to_string()),
            agent,
            session: SessionFacts {
                path,
                id: "".into(),
                mode: "default".into(),
                version: [u16::MAX; 3],
                prompt_id: None,
            },
            here: Position::default(),
            effort: None,
            calls: PendingCalls::default(),
            turn: Turn::default(),
            stop: None,
            begun: false,
            told_mode: false,
            told_start: false,
            compaction: None,
            ended_by: None,
            other: 0,
            foreign: 0,
        }
    }

    pub fn take(&mut self, line: &TranscriptRecord<'_>, number: u64) {
        if self.is_foreign(line) {
            self.foreign += 1;
            return;
        }
        self.here.line = number;
        self.envelope(line);
        match (line.kind.as_deref(), line.subtype.as_deref()) {
            (Some("user"), _) => self.user(line),
            (Some("assistant"), _) => self.assistant(line),
            (Some("system"), Some("stop_hook_summary")) => self.stop_summary(line),
            (Some("system"), Some("compact_boundary")) => self.compact(line),
            (Some("system"), Some("local_command")) => self.local_text(line),
            (Some("system"), None) => self.hook(hooks::from_text(line)),
            (Some("progress"), _) => self.hook(hooks::from_progress(line)),
            (Some("attachment"), _) => self.hook(hooks::from_attachment(line)),
            _ => self.other += 1,
        }
    }

    /// History of another session that was copied in must not fire again.
    fn is_foreign(&self, line: &TranscriptRecord<'_>) -> bool {
        match (&self.only, &line.session_id) {
            (Some(only), Some(id)) => only.as_str() != &**id && self.agent.is_none(),
            _ => false,
        }
    }

    fn envelope(&mut self, line: &TranscriptRecord<'_>) {
        if let Some(id) = line.session_id.as_ref().or(line.stream_session.as_ref())
            && **id != *self.session.id
        {
            self.session.id = Arc::from(&**id);
        }
        if let Some(cwd) = line.cwd.as_deref() {
            cwd.clone_into(&mut self.here.cwd);
        }
        if let Some(mode) = line.permission_mode.as_deref() {
            mode.clone_into(&mut self.session.mode);
            self.told_mode = true;
        }
        if let Some(id) = line.prompt_id.as_deref() {
            self.session.prompt_id = Some(id.to_string());
        }
        if let Some(version) = line.version.as_deref() {
            self.session.version = versions::parse(version);
        }
        if let Some(effort) = line.effort {
            let text: Option<String> = serde_json::from_str(effort.get()).ok();
            self.effort = text.map(|level| format!("{{\"level\":{}}}", quoted(&level))).or(self.effort.take());
        }
        self.here.at = line.timestamp.as_ref().map(|t| t.0.to_string()).or(self.here.at.take());
    }

    fn has(&self, name: &str) -> bool {
        versions::has(name, self.session.version, self.fields)
    }

    fn user(&mut self, line: &TranscriptRecord<'_>) {
        let Some(message) = &line.message else { return };
        let blocks = &message.content.0;
        if blocks.iter().any(|b| b.is("tool_result")) {
            for block in blocks.iter().filter(|b| b.is("tool_result")) {
                self.result(line, block);
            }
            return;
        }
        if is_side(line) && self.agent.is_none() {
            return;
        }
        let said = classify::user_text(line, blocks);
        if self.agent.is_some() && !matches!(said, UserText::StopFeedback(_) | UserText::Interrupt) {
            return;
        }
        self.on_user_text(said);
    }

    fn on_user_text(&mut self, text: UserText) {
        match text {
            UserText::Prompt(prompt) => {
                self.close_turn();
                self.finish_compaction();
                // Whoever left came back.
                self.ended_by = None;
                let mut fields = self.base("UserPromptSubmit");
                fields.text("prompt", &prompt);
                self.emit("UserPromptSubmit", fields, None, Vec::new());
                self.turn = Turn { open: true, ..Turn::default() };
            }
            UserText::Local(name, arguments) => {
                if let Some(compaction) = self.compaction.as_mut().filter(|_| name == "/compact") {
                    compaction.instructions = Some(arguments).filter(|a| !a.is_empty());
                    return;
                }
                self.close_turn();
                self.turn = Turn::default();
                match name.as_str() {
                    "/clear" if !self.begun => self.start = Some("clear".into()),
                    "/exit" | "/quit" => self.ended_by = Some("prompt_input_exit"),
                    _ => {}
                }
            }
            UserText::Interrupt => {
                self.flush_calls();
                self.turn = Turn::default();
            }
            UserText::Summary(text) => {
                if let Some(compaction) = &mut self.compaction {
                    compaction.summary = Some(text);
                }
            }
            UserText::StopFeedback(reason) => self.stop_blocked(reason),
            UserText::LocalOutput | UserText::Injected => {}
        }
    }

    fn local_text(&mut self, line: &TranscriptRecord<'_>) {
        let text = content_text(line.content);
        if text.starts_with("<command-name>") {
            self.on_user_text(UserText::Local(tag(&text, "command-name"), tag(&text, "command-args")));
        }
    }

    fn assistant(&mut self, line: &TranscriptRecord<'_>) {
        let Some(message) = &line.message else { return };
        let side = is_side(line) && self.agent.is_none();
        if !side {
            self.flush_stop();
            self.finish_compaction();
            self.turn.open = true;
        }
        let synthetic = message.model.as_deref() == Some("<synthetic>");
        for block in &message.content.0 {
            if block.is("tool_use") {
                self.call(block, side);
                if !side {
                    self.turn.last = LastMessage::Tool;
                }
            } else if block.is("text") && !side {
                let text = block.text.as_deref().unwrap_or_default().trim().to_string();
                self.turn.last = if line.is_api_error_message == Some(true) {
                    let name = line.error.and_then(|e| serde_json::from_str::<String>(e.get()).ok());
                    LastMessage::Error(name.unwrap_or_else(|| "unknown".into()), text)
                } else if synthetic && text == "No response requested." {
                    LastMessage::Nothing
                } else {
                    self.turn.last_text.clone_from(&text);
                    LastMessage::Text(text)
                };
            }
        }
    }
}

/// Whether a record is of a subagent whose records stand in the same file or stream.
fn is_side(line: &TranscriptRecord<'_>) -> bool {
    line.is_sidechain == Some(true) || line.stream_parent.is_some_and(|p| p.get() != "null")
}
