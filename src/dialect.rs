//! One host's hook rules behind one seam.
//!
//! A dialect says *what* to run (through a [`Script`]) and *what the answer means*; it never starts anything,
//! reads no file and keeps no clock. Adding a host is a new folder here and one line in [`registry`].

pub mod armament;
pub mod claude;
pub mod claw;
mod document;
pub mod event;
pub mod glob;
pub mod goat;
mod job;
pub mod massgen;
mod profile;
pub mod registry;
mod script;

pub use event::{Capability, EventRow, FieldRow, Presence, ToolRow};
pub use profile::*;
pub use script::{CallScript, CallStage, FiringInput, Script};

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, Hook, HookSet, Payload};

/// What loading settings gives: the hooks that work and everything there is to say about the rest.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The healthy hooks.
    pub hooks: HookSet,
    /// Findings, errors among them.
    pub diagnostics: Vec<Diagnostic>,
}

/// One host's rules: its [`Profile`], and what can't be a value.
pub trait Dialect: Send + Sync + std::fmt::Debug {
    /// What the host is, as values.
    fn profile(&self) -> &Profile;

    /// The same host with other values: another version, or one more event.
    fn with(&self, profile: Profile) -> Arc<dyn Dialect>;

    /// Whether `source` looks like a settings file of this host.
    fn detects(&self, source: &Source) -> bool;

    /// The hooks of all `sources`, in layer order. Err only if a file cannot be read as a document at all.
    fn load(&self, sources: &[Source]) -> Result<Loaded, Box<Diagnostic>>;

    /// Whether `hook` is for `payload`: the gates that only the host's rules decide.
    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate>;

    /// The rules of one firing, ready to be driven.
    fn script(&self, input: FiringInput) -> Box<dyn Script>;

    /// The rules of one whole tool call, if the host has them.
    fn call(&self, set: &HookSet, fields: &Map<String, Value>) -> Result<Box<dyn CallScript>, String>;

    /// The same host under the rules of `version`.
    fn at(&self, version: &str) -> Option<Arc<dyn Dialect>>;
}
