//! What would happen to a payload: every hook with "runs" or the first gate that stops it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use globset::{Glob, GlobMatcher};
use serde::Serialize;

use super::{Decider, Hook, HookId, HookSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GateKind {
    /// The file was not read or not accepted.
    File,
    Event,
    Matcher,
    Condition,
    Disabled,
    /// A policy or scope keeps it out.
    Policy,
    /// The same handler already runs from another place.
    Duplicate,
    Limit,
    Halted,
}

impl GateKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Event => "event",
            Self::Matcher => "matcher",
            Self::Condition => "condition",
            Self::Disabled => "disabled",
            Self::Policy => "policy",
            Self::Duplicate => "duplicate",
            Self::Limit => "limit",
            Self::Halted => "halted",
        }
    }
}

/// A closed gate and the sentence that says why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gate {
    pub gate: GateKind,
    pub why: String,
}

impl Gate {
    /// A gate of `kind` closed because of `why`.
    pub fn new(kind: GateKind, why: impl Into<String>) -> Self {
        Self { gate: kind, why: why.into() }
    }
}

#[derive(Debug, Clone)]
pub struct PlanEntry {
    pub hook: Arc<Hook>,
    /// The first gate that stops it; none means it runs.
    pub gate: Option<Gate>,
}

/// Every hook of the set, in the order the host would come to it.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub entries: Vec<PlanEntry>,
}

impl Plan {
    /// Indices of the entries that run, in order.
    pub fn running(&self) -> impl Iterator<Item = usize> + '_ {
        self.entries.iter().enumerate().filter(|(_, e)| e.gate.is_none()).map(|(i, _)| i)
    }

    pub fn hook(&self, index: usize) -> &Hook {
        &self.entries[index].hook
    }

    /// The hook of entry `index` as the one that decided.
    pub fn decider(&self, index: usize) -> Decider {
        Decider { hook: index, label: self.hook(index).label.clone() }
    }
}

/// Hooks switched on and off by name for this run; the settings file stays as it is.
#[derive(Debug, Clone, Default)]
pub struct Toggles {
    disabled: Vec<Pattern>,
    enabled: Vec<Pattern>,
    only: Vec<Pattern>,
    agent: Option<String>,
    switched_off: BTreeMap<HookId, &'static str>,
}

#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    glob: Option<GlobMatcher>,
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self { text: text.into(), glob: Glob::new(text).ok().map(|g| g.compile_matcher()) }
    }

    fn fits(&self, hook: &Hook) -> bool {
        // An identity holds layer, matcher and command, so a glob over it would match far more than was meant.
        let named = |n: &String| *n == self.text || self.glob.as_ref().is_some_and(|g| g.is_match(n));
        hook.id.as_str() == self.text || named(&hook.name) || named(&hook.label)
    }
}

impl Toggles {
    /// Switch off, switch back on, keep only: names, labels, ids or globs over them.
    pub fn new(disabled: &[String], enabled: &[String], only: &[String]) -> Self {
        let patterns = |names: &[String]| names.iter().map(|n| Pattern::new(n)).collect();
        Self { disabled: patterns(disabled), enabled: patterns(enabled), only: patterns(only), ..Self::default() }
    }

    /// Only the hooks of this agent live; those of other agents do not.
    #[must_use]
    pub fn agent(mut self, agent: Option<String>) -> Self {
        self.agent = agent;
        self
    }

    /// Switch off the hook with this id; `span` says for how long (`this run`, `this project`).
    pub fn switch_off(&mut self, id: HookId, span: &'static str) {
        self.switched_off.insert(id, span);
    }

    /// The gate these toggles close for `hook`.
    pub fn gate(&self, hook: &Hook) -> Option<Gate> {
        if let (Some(agent), Some(scope)) = (&self.agent, &hook.origin.scope)
            && agent != scope.as_ref()
        {
            let why = format!("it belongs to agent `{scope}`, which is not alive: --agent chose `{agent}`");
            return Some(Gate::new(GateKind::Policy, why));
        }
        if let Some(span) = self.switched_off.get(&hook.id) {
            return Some(Gate::new(
                GateKind::Disabled,
                format!("you switched it off for {span}; its file is unchanged"),
            ));
        }
        if self.enabled.iter().any(|p| p.fits(hook)) {
            return None;
        }
        if !self.only.is_empty() && !self.only.iter().any(|p| p.fits(hook)) {
            return Some(Gate::new(GateKind::Disabled, "it is switched off for this run: --only names other hooks"));
        }
        let off = self.disabled.iter().find(|p| p.fits(hook))?;
        Some(Gate::new(GateKind::Disabled, format!("it is switched off for this run by --disable {}", off.text)))
    }

    /// Names that fit no hook of `set`, with the flag they came from.
    pub fn unknown(&self, set: &HookSet) -> Vec<(&'static str, &str)> {
        let groups = [("--disable", &self.disabled), ("--enable", &self.enabled), ("--only", &self.only)];
        let mut seen = BTreeSet::new();
        groups
            .into_iter()
            .flat_map(|(flag, patterns)| patterns.iter().map(move |p| (flag, p)))
            .filter(|(_, p)| !set.hooks.iter().any(|h| p.fits(h)))
            .filter(|(flag, p)| seen.insert((*flag, p.text.clone())))
            .map(|(flag, p)| (flag, p.text.as_str()))
            .collect()
    }
}
