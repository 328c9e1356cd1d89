//! One host's hook rules behind one seam.
//!
//! A dialect says *what* to run (through a [`Script`]) and *what the answer means*; it never starts anything,
//! reads no file and keeps no clock. Adding a host is a new folder here and one line in [`registry`].

pub mod answers;
pub mod armament;
pub mod claude;
pub mod claw;
mod document;
mod event;
pub mod glob;
pub mod goat;
mod job;
pub mod massgen;
pub mod registry;
mod script;

pub use event::{Capability, EventSpec, FieldSpec, Presence, ToolSpec, template};
pub use script::{CallScript, CallStage, FiringInput, Script};

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, Handler, Hook, HookSet, Lifecycle, Payload};

/// What loading settings gives: the hooks that work and everything there is to say about the rest.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The healthy hooks.
    pub hooks: HookSet,
    /// Findings, errors among them.
    pub diagnostics: Vec<Diagnostic>,
}

/// A place where a host usually keeps settings. A last part of `*.json` stands for all such files of a directory, hidden
/// ones left out, in the order of their names.
#[derive(Debug, Clone, Copy)]
pub struct UsualPlace {
    /// Under which directory.
    pub root: Root,
    /// Path below it.
    pub path: &'static str,
    /// The layer such a file is.
    pub layer: &'static str,
}

/// The directories settings are looked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// The project directory.
    Project,
    /// The top of the repository the project is in; the project itself where there is none.
    Repository,
    /// The project directory, if it holds this file.
    ProjectWith(&'static str),
    /// The user's home.
    Home,
    /// The directory a variable names, else this one below the user's home.
    Config(&'static str, &'static str),
    /// The root of the file system.
    System,
}

/// One host's rules.
pub trait Dialect: Send + Sync + std::fmt::Debug {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// Name and, where rules changed over time, the version whose rules these are.
    fn profile(&self) -> String {
        self.name().to_string()
    }

    /// One line about the host.
    fn about(&self) -> &'static str;

    /// Every event or point the host knows.
    fn events(&self) -> &'static [EventSpec];

    /// How this host reads answers.
    fn answers(&self) -> &'static answers::AnswerSpec {
        &answers::CLAW
    }

    /// Variables of its own environment that the host goes by; those that are set reach a firing as the host state
    /// `environment`.
    fn heeded_variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// Tools that hooks of this host meet, for payloads to start from.
    fn tools(&self) -> &'static [ToolSpec] {
        &[]
    }

    /// The fields every payload has.
    fn base_fields(&self) -> &'static [FieldSpec];

    /// Where the host keeps its settings.
    fn usual_places(&self) -> &'static [UsualPlace];

    /// Whether `source` looks like a settings file of this host.
    fn recognises(&self, source: &Source) -> bool;

    /// The hooks of all `sources`, in layer order. Err only if a file cannot be read as a document at all.
    fn load(&self, sources: &[Source]) -> Result<Loaded, Box<Diagnostic>>;

    /// The field of a payload that names its event.
    fn event_field(&self) -> &'static str;

    /// What an author should know about `payload` before it is fired: missing, unknown, mistyped fields.
    fn check_payload(&self, payload: &Payload) -> Vec<Diagnostic> {
        let Some(spec) = self.event(&payload.event) else { return Vec::new() };
        event::check_fields(spec, self.base_fields(), self.event_field(), &payload.fields)
    }

    /// Whether `hook` is for `payload`: the gates that only the host's rules decide.
    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate>;

    /// The host's own id of the `index`-th handler of its kind in one matcher entry.
    fn host_id(&self, event: &str, handler: &Handler, index: usize) -> String;

    /// The rules of one firing, ready to be driven.
    fn script(&self, input: FiringInput) -> Box<dyn Script>;

    /// The rules of one whole tool call, if the host has them.
    fn call(&self, _set: &HookSet, _fields: &Map<String, Value>) -> Result<Box<dyn CallScript>, String> {
        Err(format!("{} has no tool calls with events before and after; fire its events one by one", self.name()))
    }

    /// A tool call to start from, for [`Dialect::call`].
    fn call_template(&self) -> Value {
        Value::Null
    }

    /// The system prompt of the next model call when `pending` texts wait to be added.
    fn next_prompt(&self, system_prompt: &str, pending: &[String]) -> String {
        if pending.is_empty() {
            system_prompt.to_string()
        } else {
            format!("{system_prompt}\n\n{}", pending.join("\n"))
        }
    }

    /// A lifecycle event in the host's own message format, if the host emits one for it.
    fn message(&self, _event: &Lifecycle, _session: &Map<String, Value>) -> Option<Value> {
        None
    }

    /// The payload field that names the agent, for hosts whose hooks depend on it.
    fn agent_field(&self) -> Option<&'static str> {
        None
    }

    /// The same host under the rules of `version`.
    fn at(&self, _version: &str) -> Option<Arc<dyn Dialect>> {
        None
    }

    /// The versions [`Dialect::at`] knows.
    fn versions(&self) -> &'static [&'static str] {
        &[]
    }

    /// The row of `name` in [`Dialect::events`].
    fn event(&self, name: &str) -> Option<&'static EventSpec> {
        self.events().iter().find(|e| e.name == name)
    }
}
