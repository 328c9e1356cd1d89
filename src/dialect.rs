//! One host's hook rules behind one seam.
//!
//! A dialect says *what* to run and *what the answer means* (its [`Rules`]); it never starts anything,
//! reads no file and keeps no clock. Adding a host is a new folder here and one line in [`registry`].

pub mod armament;
mod call;
pub mod claude;
pub mod claw;
mod document;
mod draft;
mod driver;
pub mod event;
pub mod glob;
pub mod goat;
mod host;
mod job;
pub mod massgen;
mod profile;
pub mod registry;
mod rules;

pub use call::{After, CallRow, ToolCall};
pub use driver::{Driver, FiringDriver, driver};
pub use event::{Capability, EventRow, FieldRow, Presence, ToolRow};
pub use host::{Host, elsewhere};
pub use profile::*;
pub use rules::{Done, FiringInput, Rules, sentence};

use std::sync::Arc;

use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, Hook, HookSet, Payload};

/// What loading settings gives: the hooks that work and everything there is to say about the rest.
#[derive(Debug, Clone, Default)]
pub struct LoadResult {
    pub hooks: HookSet,
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
    fn load(&self, sources: &[Source]) -> Result<LoadResult, Box<Diagnostic>>;

    /// Whether `hook` is for `payload`: the gates that only the host's rules decide.
    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate>;

    /// One firing under the host's rules, ready to be driven.
    fn driver(&self, input: FiringInput) -> Box<dyn FiringDriver>;

    /// The same host under the rules of `version`.
    fn at(&self, version: &str) -> Option<Arc<dyn Dialect>>;
}
