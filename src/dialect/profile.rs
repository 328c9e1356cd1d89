//! What a host is, as values: one [`Profile`] per host and version, and the rows that undo what a version lacks.
//!
//! The P-numbers are those of the parameter table in ARCHITECTURE.md; what differs from event to event is in
//! [`EventRow`]. Whatever can't be a value is a function in the host's folder.

mod parameters;

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value};

use super::call::CallRow;
use super::event::{AnswerField, Capability, Effect, EventRow, FieldRow, MatchedOn, Presence, ToolRow};
use super::job::Shell;
use crate::diag::Diagnostic;
use crate::model::doc::{Node, NodeKind};
use crate::model::{Handler, Lifecycle, Payload, nearest};

pub use parameters::*;

#[rustfmt::skip]
const COMMON_TOOLS: [&str; 30] = [
    "Bash", "BashOutput", "KillShell", "LS", "NotebookRead", "EnterPlanMode", "TaskCreate", "TaskUpdate", "TaskList",
    "TaskStop", "REPL", "SlashCommand", "ToolSearch", "SendMessage", "TodoRead", "Edit", "MultiEdit", "Write", "Read",
    "Glob", "Grep", "WebFetch", "WebSearch", "Task", "Agent", "NotebookEdit", "TodoWrite", "AskUserQuestion",
    "ExitPlanMode", "Skill",
];

/// A bundled file: its path in a project, and its text.
pub type ProjectFile = (&'static str, &'static str);

/// Files of a folder of `assets/`, compiled in; the settings come first.
macro_rules! project_files {
    ($folder:literal: $($file:literal),+) => {
        &[$(($file, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/", $folder, "/", $file)))),+]
    };
}
pub(super) use project_files;

/// A lifecycle event, with the fields of its session, as the host writes it; none for events it has no message for.
pub type HostMessage = fn(&Lifecycle, &Map<String, Value>) -> Option<Value>;

/// One host under the rules of one version. The default is a host without rules, to make others from.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// The name on the command line.
    pub name: &'static str,
    /// The version whose rules these are; empty where the name alone says it.
    pub version: String,
    pub about: &'static str,
    /// What changed when, oldest first.
    pub changes: &'static [ChangeRow],
    /// Where it keeps its settings, in the order in which they are merged (P1).
    pub places: &'static [SettingsPlace],
    /// What a later file does to the lists of an earlier one (P1).
    pub layers: Layers,
    /// The shape of its settings (P2).
    pub shape: Shape,
    /// Its events (P3).
    pub events: Cow<'static, [EventRow]>,
    /// The rules of an event that has no row.
    pub unknown: EventRow,
    /// The keys of an entry (P4).
    pub entry_keys: &'static [&'static str],
    /// Former names of tools that matchers still accept, with today's (P8).
    pub aliases: &'static [(&'static str, &'static str)],
    /// The order of hooks (P9).
    pub order: Order,
    /// Which hooks run only once (P10).
    pub dedupe: Dedupe,
    /// How many hooks run at a time (P11).
    pub concurrency: Concurrency,
    /// What ends a firing early (P12).
    pub short_circuit: ShortCircuit,
    /// Whether a hook gets what an earlier one changed (P13).
    pub input_chain: InputChain,
    /// The shell of a command (P14).
    pub shell: Shell,
    /// Variables added to the environment of hooks (P14).
    pub variables: Cow<'static, [&'static str]>,
    /// The one of these that names the project.
    pub project_variable: Option<&'static str>,
    /// Variables of its own environment that the host goes by.
    pub host_variables: &'static [&'static str],
    /// The field of a payload that names its event (P15).
    pub event_field: &'static str,
    /// The fields every payload has (P15).
    pub base_fields: &'static [FieldRow],
    /// What else a payload may hold (P15).
    pub payload: PayloadRule,
    /// The field that names the agent, where hooks depend on it.
    pub agent_field: Option<&'static str>,
    /// The flag of an event that ends a turn: a hook has kept the turn going already.
    pub continued_field: Option<&'static str>,
    /// The key of an answer that holds what is for one event only (P20).
    pub specific_key: &'static str,
    /// Tools that hooks meet, for payloads to start from.
    pub tools: &'static [ToolRow],
    /// What a number given as a limit counts (P16).
    pub limit_unit: LimitUnit,
    /// When JSON on stdout is read (P17).
    pub json: JsonUse,
    /// What stdout that looks like a JSON object and isn't one is (P17).
    pub broken_json: BrokenJson,
    /// What the reader forgives (P17).
    pub forgives: Forgives,
    /// The reading rule in one sentence.
    pub rule: &'static str,
    pub refusal: &'static str,
    /// Where exit 2 takes its reason from (P19).
    pub reason_from: Stream,
    /// What a failed hook does (P22).
    pub failure: FailPolicy,
    /// The key with which an entry chooses something else (P22).
    pub failure_key: Option<&'static str>,
    /// Which decision wins (P23).
    pub merge: DecisionRule,
    /// Keys that switch hooks off (P24).
    pub switches: &'static [&'static str],
    /// Its own ids of handlers, where these are more than event and index.
    pub host_id: Option<fn(&str, &Handler, usize) -> String>,
    /// How a tool call goes through the hooks; none at hosts without events before and after it.
    pub call: Option<&'static CallRow>,
    /// The system prompt of the next model call when texts wait to be added, at hosts that add them there.
    pub next_prompt: Option<fn(&str, &[String]) -> String>,
    /// A lifecycle event in the host's own message format, where it has one.
    pub message: Option<HostMessage>,
    /// The demo project: its settings, recorded payloads in `payloads.json`, and hooks.
    pub demo: &'static [ProjectFile],
    /// What `hookdbg init` writes: settings, and a hook.
    pub starter: &'static [ProjectFile],
}

impl Profile {
    /// Name and, where rules changed over time, the version.
    pub fn label(&self) -> String {
        if self.version.is_empty() { self.name.into() } else { format!("{}@{}", self.name, self.version) }
    }

    pub fn event(&self, name: &str) -> Option<&EventRow> {
        self.events.iter().find(|e| e.name == name)
    }

    /// The limit that `node` gives, if it is a number above zero.
    pub fn limit(&self, node: &Node) -> Option<Duration> {
        let NodeKind::Number(number) = &node.kind else { return None };
        number.as_f64().filter(|n| *n > 0.0 && *n < 1e9).and_then(|n| self.limit_unit.duration(n))
    }

    /// The host's own id of the `index`-th handler of its kind in one entry of `event`.
    pub fn host_id(&self, event: &str, handler: &Handler, index: usize) -> String {
        self.host_id.map_or_else(|| format!("{event}-{index}"), |id| id(event, handler, index))
    }

    /// The row of `name`, or that of an unknown event.
    pub fn row(&self, name: &str) -> EventRow {
        *self.event(name).unwrap_or(&self.unknown)
    }

    pub fn event_names(&self) -> impl Iterator<Item = &'static str> {
        self.events.iter().map(|e| e.name)
    }

    /// A payload for `row` made of the examples of its fields.
    pub fn template(&self, row: &EventRow) -> Value {
        // An optional field without an example is not there.
        let shown = |f: &&FieldRow| f.presence != Presence::NotEmpty || f.example != "null";
        let example = |f: &FieldRow| (f.name.to_string(), serde_json::from_str(f.example).unwrap_or(Value::Null));
        let mut fields: Map<String, Value> = self.base_fields.iter().filter(shown).map(example).collect();
        fields.insert(self.event_field.into(), row.name.into());
        fields.extend(row.fields.iter().filter(shown).map(example));
        Value::Object(fields)
    }

    /// A tool call to start from; null at hosts without calls.
    pub fn call_template(&self) -> Value {
        self.call.and_then(|row| serde_json::from_str(row.template).ok()).unwrap_or_default()
    }

    /// What an author should know about `payload` before it is fired: missing, unknown, mistyped fields.
    pub fn check_payload(&self, payload: &Payload) -> Vec<Diagnostic> {
        let Some(row) = self.event(&payload.event) else { return Vec::new() };
        let missing = |then: fn(&str) -> String| {
            let lacks = move |f: &&FieldRow| !payload.fields.contains_key(f.name);
            row.fields.iter().filter(lacks).filter_map(move |f| match f.presence {
                Presence::Always { empty } => {
                    let message = format!("{} payloads have `{}`; it is missing{}", row.name, f.name, then(empty));
                    Some(Diagnostic::warning("missing-field", message))
                }
                Presence::NotEmpty => None,
            })
        };
        match self.payload {
            PayloadRule::Open => missing(|_| " here".into()).collect(),
            PayloadRule::Closed { also } => {
                let found = missing(|empty| format!(", so hooks get {empty}"));
                found.chain(self.unknown_fields(row, also, &payload.fields)).collect()
            }
            PayloadRule::Within(field) => match payload.fields.get(field) {
                Some(Value::Object(_)) => Vec::new(),
                Some(_) => vec![Diagnostic::error("wrong-type", format!("`{field}` must be an object"))],
                None => {
                    let message = format!("there is no `{field}`; the other fields are taken as the data");
                    vec![Diagnostic::warning("missing-field", message)]
                }
            },
        }
    }

    fn unknown_fields(&self, row: &EventRow, also: &[&str], fields: &Map<String, Value>) -> Vec<Diagnostic> {
        let known = || row.fields.iter().chain(self.base_fields).map(|f| f.name).chain([self.event_field]);
        let unknown = fields.keys().filter(|key| !known().any(|k| k == *key) && !also.contains(&key.as_str()));
        unknown
            .map(|key| {
                let hint = nearest(key, known()).map_or_else(String::new, |k| format!("; did you mean `{k}`?"));
                let message = format!("`{key}` is no field of {}; hooks do not get it{hint}", row.name);
                Diagnostic::warning("unknown-field", message)
            })
            .collect()
    }

    /// Every field an answer has at the top, at any event.
    pub fn top_fields(&self) -> Vec<&'static AnswerField> {
        distinct(self.events.iter().flat_map(|e| e.top))
    }

    /// Every field inside [`Self::specific_key`], at any event.
    pub fn specific_fields(&self) -> Vec<&'static AnswerField> {
        distinct(self.events.iter().flat_map(|e| e.specific))
    }

    /// What the answer's field `name` can do at some event.
    pub fn capability(&self, name: &str) -> Option<Capability> {
        let fields = self.events.iter().flat_map(|e| e.top.iter().chain(e.specific));
        fields.filter(|f| f.name == name).find_map(|f| match f.effect {
            Effect::Can(what) => Some(what),
            Effect::None | Effect::LikeExitTwo => None,
        })
    }

    /// The names tools have at this host and, as hosts add more, at others.
    pub fn tool_names(&self) -> Vec<&'static str> {
        self.tools.iter().map(|t| t.name).filter(|n| !n.contains("__")).chain(COMMON_TOOLS).collect()
    }

    /// The fields of answers that do `what` at some event.
    pub fn fields_with(&self, what: Capability) -> Vec<&'static str> {
        let fields = self.events.iter().flat_map(|e| e.top.iter().chain(e.specific));
        fields.filter(|f| f.effect == Effect::Can(what)).map(|f| f.name).collect()
    }

    pub fn tool_field(&self) -> &'static str {
        let tool = |e: &EventRow| if let MatchedOn::Tool(field) = e.matched_on { Some(field) } else { None };
        self.events.iter().find_map(tool).unwrap_or("tool_name")
    }

    /// Make `payload` speak of `tool`, with its example values where they are known.
    pub fn put_tool(&self, payload: &mut Map<String, Value>, tool: &str) {
        payload.insert(self.tool_field().into(), tool.into());
        if let Some(row) = self.tools.iter().find(|t| t.name == tool) {
            row.put_into(payload);
        }
    }

    /// Change every row, that of unknown events too.
    pub fn each_event(&mut self, change: impl Fn(&mut EventRow)) {
        self.events.to_mut().iter_mut().for_each(&change);
        change(&mut self.unknown);
    }

    pub fn change_event(&mut self, name: &str, change: impl FnOnce(&mut EventRow)) {
        if let Some(row) = self.events.to_mut().iter_mut().find(|e| e.name == name) {
            change(row);
        }
    }

    /// The versions at which rules changed, and this one.
    pub fn versions(&self) -> Vec<&'static str> {
        let mut versions: Vec<_> = self.changes.iter().map(|c| c.since).collect();
        versions.dedup();
        versions
    }
}

/// The first of each name, in order.
fn distinct(fields: impl Iterator<Item = &'static AnswerField>) -> Vec<&'static AnswerField> {
    let mut found: Vec<&'static AnswerField> = Vec::new();
    for field in fields {
        if !found.iter().any(|f| f.name == field.name) {
            found.push(field);
        }
    }
    found
}

/// A change of a host's rules. The newest rules are the profile; an older version is the newest with this undone.
#[derive(Debug, Clone, Copy)]
pub struct ChangeRow {
    pub since: &'static str,
    /// What was before and what is now.
    pub about: &'static str,
    pub before: fn(&mut Profile),
}

/// A place where a host keeps settings. A last part of `*.json` stands for all such files of a directory, hidden ones
/// left out, in the order of their names.
#[derive(Debug, Clone, Copy)]
pub struct SettingsPlace {
    pub root: Root,
    pub path: &'static str,
    pub layer: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    Project,
    /// The top of the repository the project is in; the project itself where there is none.
    Repository,
    /// The project directory, if it holds this file.
    ProjectWith(&'static str),
    Home,
    /// The directory a variable names, else this one below the user's home.
    Config(&'static str, &'static str),
    System,
}
