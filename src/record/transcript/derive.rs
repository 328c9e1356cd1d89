//! From the records of a session to the events its hooks got, in their order.
//!
//! Nothing is invented: an event without a trace (a permission asked for, a notification, an agent of the program itself)
//! is left out, and a field without one is a default that is named in `derived`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::classify::{self, Said, tag};
use super::hooks::{self, Seen};
use super::line::{Block, Line, content_text};
use super::versions::{self, FieldsOf};
use super::window::Window;
use crate::record::entry::{Entry, EntryOrigin};
use crate::record::fields::{Fields, quoted};

/// A subagent whose file is being read.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its id.
    pub id: String,
    /// Its type; empty where nobody says.
    pub kind: String,
}

/// A call whose result is not there yet.
struct Call {
    id: String,
    name: String,
    input: String,
    cwd: String,
    line: u64,
    at: Option<String>,
    /// Inside a subagent whose records stand in this file.
    side: bool,
    /// The event before it was told already.
    told: bool,
    /// What records said of its hooks while its result was awaited.
    seen: Vec<Seen>,
    done: Option<Done>,
}

/// A call's result.
struct Done {
    result: classify::Result,
    response: Option<(String, Exactness)>,
    cwd: String,
    line: u64,
    at: Option<String>,
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
enum Last {
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
    last: Last,
    said: String,
    stop_active: bool,
}

/// A compaction while its records are read.
#[derive(Debug)]
struct Compaction {
    trigger: String,
    instructions: Option<String>,
    summary: Option<String>,
    line: u64,
    at: Option<String>,
}

/// The state of one session.
pub struct Derivation<'s, 'w> {
    window: &'w mut Window<'s>,
    file: Arc<str>,
    path: PathBuf,
    fields: FieldsOf,
    agent: Option<Agent>,
    /// The one session of the file, if its name says which.
    only: Option<String>,
    session: Arc<str>,
    cwd: String,
    mode: String,
    prompt_id: Option<String>,
    effort: Option<String>,
    version: [u16; 3],
    calls: Vec<Call>,
    turn: Turn,
    stop: Option<(Entry, bool)>,
    start: Option<String>,
    begun: bool,
    compaction: Option<Compaction>,
    ended_by: Option<&'static str>,
    line: u64,
    at: Option<String>,
    /// Records of kinds that say nothing of events.
    pub other: u64,
    /// Records left out because they are of another session.
    pub foreign: u64,
}

impl<'s, 'w> Derivation<'s, 'w> {
    /// For the transcript `path`.
    pub fn new(window: &'w mut Window<'s>, path: &Path, fields: FieldsOf, agent: Option<Agent>) -> Self {
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
        let uuid = stem.len() == 36 && stem.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        Self {
            window,
            file: path.display().to_string().into(),
            path: path.to_path_buf(),
            fields,
            only: uuid.then(|| stem.to_string()),
            start: agent.is_none().then(|| "startup".to_string()),
            agent,
            session: "".into(),
            cwd: String::new(),
            mode: "default".into(),
            prompt_id: None,
            effort: None,
            version: [u16::MAX; 3],
            calls: Vec::new(),
            turn: Turn::default(),
            stop: None,
            begun: false,
            compaction: None,
            ended_by: None,
            line: 0,
            at: None,
            other: 0,
            foreign: 0,
        }
    }

    /// One more record.
    pub fn take(&mut self, line: &Line<'_>, number: u64) {
        if self.is_foreign(line) {
            self.foreign += 1;
            return;
        }
        self.line = number;
        self.envelope(line);
        match (line.kind.as_deref(), line.subtype.as_deref()) {
            (Some("user"), _) => self.user(line),
            (Some("assistant"), _) => self.assistant(line),
            (Some("system"), Some("stop_hook_summary")) => self.stop_summary(line),
            (Some("system"), Some("compact_boundary")) => self.compact(line),
            (Some("system"), Some("local_command")) => self.local_text(line),
            (Some("system"), None) => self.hook(hooks::told(line)),
            (Some("progress"), _) => self.hook(hooks::started(line)),
            (Some("attachment"), _) => self.hook(hooks::attached(line)),
            _ => self.other += 1,
        }
    }

    /// History of another session that was copied in must not fire again.
    fn is_foreign(&self, line: &Line<'_>) -> bool {
        match (&self.only, &line.session_id) {
            (Some(only), Some(id)) => only.as_str() != &**id && self.agent.is_none(),
            _ => false,
        }
    }

    fn envelope(&mut self, line: &Line<'_>) {
        if let Some(id) = line.session_id.as_ref().or(line.stream_session.as_ref())
            && **id != *self.session
        {
            self.session = Arc::from(&**id);
        }
        if let Some(cwd) = line.cwd.as_deref()
            && cwd != self.cwd
        {
            self.cwd = cwd.to_string();
        }
        if let Some(mode) = line.permission_mode.as_deref() {
            self.mode = mode.to_string();
        }
        if let Some(id) = line.prompt_id.as_deref() {
            self.prompt_id = Some(id.to_string());
        }
        if let Some(version) = line.version.as_deref() {
            self.version = versions::parse(version);
        }
        if let Some(effort) = line.effort {
            let text: Option<String> = serde_json::from_str(effort.get()).ok();
            self.effort = text.map(|level| format!("{{\"level\":{}}}", quoted(&level))).or(self.effort.take());
        }
        self.at = line.timestamp.as_ref().map(|t| t.0.to_string()).or(self.at.take());
    }

    fn has(&self, name: &str) -> bool {
        versions::has(name, self.version, self.fields)
    }

    // ---- records ----

    fn user(&mut self, line: &Line<'_>) {
        let Some(message) = &line.message else { return };
        let blocks = &message.content.0;
        if blocks.iter().any(|b| b.is("tool_result")) {
            for block in blocks.iter().filter(|b| b.is("tool_result")) {
                self.result(line, block);
            }
            return;
        }
        if line.is_sidechain == Some(true) && self.agent.is_none() {
            return;
        }
        let said = classify::said(line, blocks);
        if self.agent.is_some() && !matches!(said, Said::StopFeedback(_) | Said::Interrupt) {
            return;
        }
        self.said(said);
    }

    fn said(&mut self, said: Said) {
        match said {
            Said::Prompt(prompt) => {
                self.close_turn();
                self.finish_compaction();
                // Whoever left came back.
                self.ended_by = None;
                let mut fields = Fields::default();
                self.base(&mut fields, "UserPromptSubmit");
                fields.text("prompt", &prompt);
                self.emit("UserPromptSubmit", fields, None, Vec::new());
                self.turn = Turn { open: true, ..Turn::default() };
            }
            Said::Local(name, arguments) => {
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
            Said::Interrupt => {
                self.flush_calls();
                self.turn = Turn::default();
            }
            Said::Summary(text) => {
                if let Some(compaction) = &mut self.compaction {
                    compaction.summary = Some(text);
                }
            }
            Said::StopFeedback(reason) => self.stop_blocked(reason),
            Said::LocalOutput | Said::Injected => {}
        }
    }

    fn local_text(&mut self, line: &Line<'_>) {
        let text = content_text(line.content);
        if text.starts_with("<command-name>") {
            self.said(Said::Local(tag(&text, "command-name"), tag(&text, "command-args")));
        }
    }

    fn assistant(&mut self, line: &Line<'_>) {
        let Some(message) = &line.message else { return };
        let side = line.is_sidechain == Some(true) && self.agent.is_none();
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
                    self.turn.last = Last::Tool;
                }
            } else if block.is("text") && !side {
                let text = block.text.as_deref().unwrap_or_default().trim().to_string();
                self.turn.last = if line.is_api_error_message == Some(true) {
                    let name = line.error.and_then(|e| serde_json::from_str::<String>(e.get()).ok());
                    Last::Error(name.unwrap_or_else(|| "unknown".into()), text)
                } else if synthetic && text == "No response requested." {
                    Last::Nothing
                } else {
                    self.turn.said.clone_from(&text);
                    Last::Text(text)
                };
            }
        }
    }

    fn call(&mut self, block: &Block<'_>, side: bool) {
        let text = |t: &Option<super::line::Text<'_>>| t.as_ref().map(|t| t.0.to_string()).unwrap_or_default();
        let id = text(&block.id);
        // A message over several lines may repeat its blocks.
        if self.calls.iter().any(|c| c.id == id) {
            return;
        }
        self.calls.push(Call {
            id,
            name: text(&block.name),
            input: block.input.map_or_else(|| "{}".into(), |i| i.get().to_string()),
            cwd: self.cwd.clone(),
            line: self.line,
            at: self.at.clone(),
            side,
            told: false,
            seen: Vec::new(),
            done: None,
        });
    }

    fn result(&mut self, line: &Line<'_>, block: &Block<'_>) {
        let Some(id) = block.tool_use_id.as_deref() else { return };
        let Some(at) = self.calls.iter().position(|c| c.id == id) else { return };
        let structured = line.tool_use_result.or(line.stream_result).filter(|r| r.get() != "null");
        let response = match structured {
            Some(raw) => Some((raw.get().to_string(), Exactness::Exact)),
            None => block.content.map(|c| (c.get().to_string(), Exactness::Approximate)),
        };
        let name = self.calls[at].name.clone();
        let agent = structured.filter(|_| is_agent(&name)).map(serde_json::value::RawValue::get);
        let launched = agent.is_some_and(|r| r.contains("\"async_launched\""));
        self.calls[at].done = Some(Done {
            result: classify::result(line, block, &name),
            response,
            cwd: self.cwd.clone(),
            line: self.line,
            at: self.at.clone(),
            agent: agent.and_then(|r| json_text(r, "agentId")),
            launched,
        });
        if self.calls[at].side {
            // What a subagent does lies between the two events of its own call.
            for outer in 0..at {
                if is_agent(&self.calls[outer].name) && !self.calls[outer].told {
                    self.calls[outer].told = true;
                    self.tell_before(outer);
                }
            }
            let call = self.calls.remove(at);
            return self.tell(call);
        }
        // Calls of one message ran one after the other, so they are told in the order they were asked for.
        while self.calls.first().is_some_and(|c| c.done.is_some()) {
            let call = self.calls.remove(0);
            self.tell(call);
        }
    }

    /// The event before the call at `index`, while its result is awaited.
    fn tell_before(&mut self, index: usize) {
        let call = self.calls.remove(index);
        let now = (self.cwd.clone(), self.line, self.at.clone());
        self.before(&call, None);
        (self.cwd, self.line, self.at) = now;
        self.calls.insert(index, call);
    }

    fn before(&mut self, call: &Call, result: Option<&classify::Result>) {
        (self.cwd, self.line, self.at) = (call.cwd.clone(), call.line, call.at.clone());
        let mut fields = Fields::default();
        self.base(&mut fields, "PreToolUse");
        fields.text("tool_name", &call.name).raw("tool_input", &call.input);
        self.tool_use_id(&mut fields, &call.id);
        let unsure = matches!(result, Some(classify::Result::Failed(text)) if bare_refusal(text));
        let derived = if unsure { vec![Cow::Borrowed("uncertain: a hook may have refused it")] } else { Vec::new() };
        self.emit("PreToolUse", fields, Some(call.id.clone()), derived);
        for seen in &call.seen {
            self.window.note(seen);
        }
        if let Some(classify::Result::Denied(text)) = result {
            let text = text.clone();
            self.window.outcome("PreToolUse", Some(&call.id), |then| {
                then.blocked = Some(true);
                then.decision = Some("deny".into());
                then.model_sees = Some(text);
            });
        }
    }

    /// The events of one call.
    fn tell(&mut self, call: Call) {
        let now = (self.cwd.clone(), self.line, self.at.clone());
        let result = call.done.as_ref().map(|d| d.result.clone());
        if result != Some(classify::Result::Invalid) && !call.told {
            self.before(&call, result.as_ref());
        }
        if let Some(done) = call.done {
            (self.cwd, self.line, self.at) = (done.cwd.clone(), done.line, done.at.clone());
            if !done.launched {
                self.subagent(done.agent.as_deref(), &call.input);
            }
            let (launched, agent) = (done.launched, done.agent.clone());
            self.after(&call.id, &call.name, &call.input, done);
            if launched {
                self.subagent(agent.as_deref(), &call.input);
            }
        }
        (self.cwd, self.line, self.at) = now;
    }

    fn after(&mut self, id: &str, name: &str, input: &str, done: Done) {
        let (event, error) = match &done.result {
            classify::Result::Worked => ("PostToolUse", None),
            classify::Result::Failed(text) if self.has("PostToolUseFailure") => ("PostToolUseFailure", Some(text)),
            _ => return,
        };
        let mut fields = Fields::default();
        let mut derived = Vec::new();
        self.base(&mut fields, event);
        fields.text("tool_name", name).raw("tool_input", input);
        if let Some(error) = error {
            self.tool_use_id(&mut fields, id);
            fields.text("error", error).raw("is_interrupt", "false");
            derived.push(Cow::Borrowed("is_interrupt"));
        } else {
            let (response, exact) = done.response.unwrap_or_else(|| ("null".into(), Exactness::Approximate));
            fields.raw("tool_response", &response);
            self.tool_use_id(&mut fields, id);
            let trimmed = ["Edit", "Write", "MultiEdit"].contains(&name)
                && response.contains("\"originalFile\":null")
                && !response.contains("\"type\":\"create\"");
            if exact == Exactness::Approximate || trimmed {
                derived.push(Cow::Borrowed("tool_response"));
            }
        }
        self.emit(event, fields, Some(id.to_string()), derived);
    }

    /// The events inside a subagent, from its own file.
    fn subagent(&mut self, id: Option<&str>, input: &str) {
        let Some(id) = id.filter(|_| self.agent.is_none()) else { return };
        let agent = Agent { id: id.to_string(), kind: json_text(input, "subagent_type").unwrap_or_default() };
        let Some(file) = super::agent_file(&self.path, id) else { return };
        let text = super::read_agent(self.window, &file, self.fields, &agent, &self.main_path());
        self.other += text;
    }

    fn main_path(&self) -> super::Parent {
        super::Parent {
            path: self.path.clone(),
            session: self.session.clone(),
            mode: self.mode.clone(),
            version: self.version,
            cwd: self.cwd.clone(),
            at: self.at.clone(),
            prompt_id: self.prompt_id.clone(),
        }
    }

    /// What the file of a subagent does not say is its parent's.
    pub fn inherit(&mut self, parent: &super::Parent) {
        self.path.clone_from(&parent.path);
        self.session = parent.session.clone();
        self.mode.clone_from(&parent.mode);
        self.prompt_id.clone_from(&parent.prompt_id);
        self.version = parent.version;
        self.cwd.clone_from(&parent.cwd);
        self.at.clone_from(&parent.at);
        self.line = 1;
        if self.has("SubagentStart") {
            let mut fields = Fields::default();
            self.base(&mut fields, "SubagentStart");
            if let Some(agent) = self.agent.clone() {
                fields.text("agent_id", &agent.id).text("agent_type", &agent.kind);
            }
            self.emit("SubagentStart", fields, None, Vec::new());
        }
    }

    fn hook(&mut self, seen: Option<Seen>) {
        let Some(seen) = seen else {
            self.other += 1;
            return;
        };
        if seen.event == "SessionStart" && self.agent.is_none() {
            let source = seen.value.clone().unwrap_or_else(|| "startup".into());
            if !self.begun {
                self.start = Some(source);
                self.begin();
            } else if source == "resume" && self.turn.last == Last::Nothing && self.stop.is_none() {
                // The same resumption may have several hooks.
            } else if source == "resume" {
                self.close_turn();
                self.flush_stop();
                self.turn = Turn::default();
                self.session_start(&source);
            } else if source == "compact" && self.compaction.is_some() {
                self.finish_compaction();
            }
        }
        if seen.event == "Stop" || (seen.event == "SubagentStop" && self.agent.is_some()) {
            if self.stop.is_none() {
                self.make_stop();
            }
            if let Some((entry, _)) = &mut self.stop {
                let then = entry.then.get_or_insert_default();
                if seen.blocked {
                    then.blocked = Some(true);
                }
                if let Some(shown) = &seen.shown {
                    let before = then.model_sees.take().map_or_else(String::new, |b| format!("{b}\n\n"));
                    then.model_sees = Some(format!("{before}{shown}"));
                }
                if !then.hooks.iter().any(|h| h.hook == seen.hook.hook) {
                    then.hooks.push(seen.hook);
                }
            }
            return;
        }
        // A call's hook may be told of while its result is not there yet; then both wait.
        let waiting = self.calls.iter_mut().find(|c| Some(&c.id) == seen.tool_use_id.as_ref());
        match waiting.filter(|c| !c.told) {
            Some(call) => call.seen.push(seen),
            None => self.other += u64::from(!self.window.note(&seen)),
        }
    }

    fn stop_summary(&mut self, line: &Line<'_>) {
        if self.stop.is_none() {
            self.make_stop();
        }
        let hooks = hooks::stop_hooks(line);
        let prevented = line.prevented_continuation == Some(true);
        if let Some((entry, _)) = &mut self.stop {
            let then = entry.then.get_or_insert_default();
            then.blocked.get_or_insert(false);
            if prevented {
                then.decision = Some("halt".into());
            }
            for hook in hooks {
                match then.hooks.iter_mut().find(|h| h.hook == hook.hook) {
                    Some(known) => known.duration_ms = known.duration_ms.or(hook.duration_ms),
                    None => then.hooks.push(hook),
                }
            }
        }
    }

    fn stop_blocked(&mut self, reason: String) {
        if self.stop.is_none() {
            self.make_stop();
        }
        if let Some((entry, _)) = &mut self.stop {
            let then = entry.then.get_or_insert_default();
            then.blocked = Some(true);
            let after = then.model_sees.take().map_or_else(String::new, |a| format!("\n\n{a}"));
            then.model_sees = Some(format!("Stop hook feedback:\n{reason}{after}"));
        }
        self.turn = Turn { open: true, stop_active: true, ..Turn::default() };
    }

    fn compact(&mut self, line: &Line<'_>) {
        let metadata = line.compact_metadata.map_or("", serde_json::value::RawValue::get);
        let trigger = json_text(metadata, "trigger").unwrap_or_else(|| "auto".into());
        if trigger == "manual" {
            self.close_turn();
            self.turn = Turn::default();
        }
        self.flush_stop();
        self.compaction =
            Some(Compaction { trigger, instructions: None, summary: None, line: self.line, at: self.at.clone() });
    }

    fn finish_compaction(&mut self) {
        let Some(compaction) = self.compaction.take() else { return };
        let now = (self.line, self.at.clone());
        (self.line, self.at) = (compaction.line, compaction.at.clone());
        let mut fields = Fields::default();
        self.base(&mut fields, "PreCompact");
        let instructions = compaction.instructions.as_deref().map_or_else(|| "null".into(), quoted);
        fields.text("trigger", &compaction.trigger).raw("custom_instructions", &instructions);
        self.emit("PreCompact", fields, None, Vec::new());
        self.session_start("compact");
        if self.has("PostCompact") {
            let mut fields = Fields::default();
            self.base(&mut fields, "PostCompact");
            fields.text("trigger", &compaction.trigger);
            fields.text("compact_summary", compaction.summary.as_deref().unwrap_or_default());
            self.emit("PostCompact", fields, None, Vec::new());
        }
        (self.line, self.at) = now;
    }

    // ---- ends ----

    /// The turn is over: its Stop, if it came to one.
    fn close_turn(&mut self) {
        self.flush_calls();
        if self.stop.is_none() {
            match std::mem::take(&mut self.turn.last) {
                Last::Text(_) if self.turn.open => self.make_stop(),
                Last::Error(error, text) if self.agent.is_none() => self.failed(&error, &text),
                _ => {}
            }
        }
        self.flush_stop();
    }

    fn make_stop(&mut self) {
        self.flush_calls();
        let event = if self.agent.is_some() { "SubagentStop" } else { "Stop" };
        let mut fields = Fields::default();
        self.base(&mut fields, event);
        fields.raw("stop_hook_active", if self.turn.stop_active { "true" } else { "false" });
        let mut derived = Vec::new();
        if let Some(agent) = self.agent.clone() {
            let path = super::agent_file(&self.path, &agent.id).unwrap_or_default();
            fields.text("agent_transcript_path", &path.display().to_string());
        }
        if self.has("last_assistant_message") {
            fields.text("last_assistant_message", &self.turn.said);
        }
        for list in ["background_tasks", "session_crons"] {
            if self.has(list) {
                fields.raw(list, "[]");
                derived.push(Cow::Borrowed(list));
            }
        }
        let active = self.turn.stop_active;
        self.stop = Some((self.entry(event, fields, derived), active));
        self.turn = Turn { said: std::mem::take(&mut self.turn.said), ..Turn::default() };
    }

    fn failed(&mut self, error: &str, text: &str) {
        if !self.has("StopFailure") {
            self.turn.said = text.to_string();
            return self.make_stop();
        }
        let mut fields = Fields::default();
        self.base(&mut fields, "StopFailure");
        fields.text("error", error).text("last_assistant_message", text);
        self.emit("StopFailure", fields, None, Vec::new());
    }

    fn flush_stop(&mut self) {
        if let Some((entry, _)) = self.stop.take() {
            self.begin();
            self.window.push(entry, None);
        }
    }

    /// Calls without a result, and those waiting behind them.
    fn flush_calls(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            self.tell(call);
        }
    }

    /// The file is at its end.
    pub fn finish(&mut self) {
        self.close_turn();
        self.finish_compaction();
        if let (Some(reason), None) = (self.ended_by.take(), &self.agent) {
            let mut fields = Fields::default();
            self.base(&mut fields, "SessionEnd");
            fields.text("reason", reason);
            self.emit("SessionEnd", fields, None, Vec::new());
        }
    }

    // ---- payloads ----

    fn begin(&mut self) {
        if let Some(source) = self.start.take() {
            self.begun = true;
            self.session_start(&source);
        }
    }

    fn session_start(&mut self, source: &str) {
        let mut fields = Fields::default();
        self.base(&mut fields, "SessionStart");
        fields.text("source", source);
        let entry = self.entry("SessionStart", fields, Vec::new());
        self.window.push(entry, None);
    }

    /// The fields every payload begins with, in the host's order.
    fn base(&self, fields: &mut Fields, event: &str) {
        fields.text("session_id", &self.session).text("transcript_path", &self.path.display().to_string());
        fields.text("cwd", &self.cwd);
        let quiet = matches!(event, "SessionStart" | "SessionEnd" | "PreCompact" | "PostCompact" | "SubagentStart");
        if self.has("prompt_id")
            && let Some(id) = self.prompt_id.as_deref().filter(|_| event != "SessionStart")
        {
            fields.text("prompt_id", id);
        }
        if !quiet && self.has("permission_mode") && event != "StopFailure" {
            fields.text("permission_mode", &self.mode);
        }
        if let Some(agent) = self.agent.as_ref().filter(|_| event != "SubagentStart") {
            if self.has("agent_id") {
                fields.text("agent_id", &agent.id);
            }
            if self.has("agent_type") {
                fields.text("agent_type", &agent.kind);
            }
        }
        let weighs = event.contains("Tool") || event.contains("Stop");
        if let Some(effort) = self.effort.as_deref().filter(|_| weighs && self.has("effort")) {
            fields.raw("effort", effort);
        }
        fields.text("hook_event_name", event);
    }

    fn tool_use_id(&self, fields: &mut Fields, id: &str) {
        if self.has("tool_use_id") {
            fields.text("tool_use_id", id);
        }
    }

    fn entry(&self, event: &str, fields: Fields, derived: Vec<Cow<'static, str>>) -> Entry {
        Entry {
            dialect: Some("claude".into()),
            event: event.into(),
            payload: fields.finish(),
            origin: EntryOrigin {
                file: self.file.clone(),
                line: self.line,
                session: Some(self.session.clone()),
                at: self.at.clone(),
            },
            derived,
            then: None,
        }
    }

    fn emit(&mut self, event: &str, fields: Fields, tool_use_id: Option<String>, derived: Vec<Cow<'static, str>>) {
        self.begin();
        self.flush_stop();
        let entry = self.entry(event, fields, derived);
        self.window.push(entry, tool_use_id);
    }
}

fn is_agent(tool: &str) -> bool {
    tool == "Task" || tool == "Agent"
}

/// A failure text no program of a shell writes may be the bare reason of a hook.
fn bare_refusal(text: &str) -> bool {
    !text.starts_with("Exit code") && !text.contains('\n') && text.len() < 200 && text.to_lowercase().contains("block")
}

/// A text member of a JSON object.
fn json_text(json: &str, key: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(json).ok()?;
    value.get(key)?.as_str().map(str::to_string)
}
