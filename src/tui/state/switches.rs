//! Hooks the user switched off. The settings files are never touched.

use std::collections::BTreeMap;

use crate::model::HookId;

/// How long a hook stays switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffFor {
    /// Until hookdbg exits.
    ThisRun,
    /// Until it is switched on again; the state file remembers it.
    ThisProject,
}

impl OffFor {
    /// The words after "off for".
    pub fn words(self) -> &'static str {
        match self {
            Self::ThisRun => "this run",
            Self::ThisProject => "this project",
        }
    }
}

/// Which hooks are off, and the states before, for undo.
#[derive(Debug, Default)]
pub struct Switches {
    pub off: BTreeMap<HookId, OffFor>,
    /// Earlier states of `off`, newest last.
    pub undo: Vec<BTreeMap<HookId, OffFor>>,
}

impl Switches {
    /// Change `off` in a way that undo takes back.
    pub fn change(&mut self, change: impl FnOnce(&mut BTreeMap<HookId, OffFor>)) {
        self.undo.push(self.off.clone());
        change(&mut self.off);
    }
}
