//! One configured hook: what it listens to, what it does, and whether its host takes it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::handler::{Handler, short_name};
use crate::diag::{Place, Source};

#[derive(Debug, Clone)]
pub struct Hook {
    /// Assigned by the [`HookSet`](super::HookSet) it is added to.
    pub id: HookId,
    /// The id the host itself gives it in its messages; hosts may repeat it.
    pub host_id: String,
    /// The name the host shows; toggles accept it.
    pub name: String,
    /// A short form of the name for narrow columns; toggles accept it too.
    pub label: String,
    /// The event or point it is configured under, spelled as in the file.
    pub event: String,
    /// The matcher text, if the entry has one.
    pub matcher: Option<String>,
    pub handler: Handler,
    /// The configured limit; which hooks share it is the dialect's rule.
    pub timeout: Option<Duration>,
    /// Hooks of one matcher entry carry the same number.
    pub group: usize,
    pub origin: Origin,
    pub standing: Standing,
    pub options: HookOptions,
}

impl Hook {
    /// A hook that `source` configures at `offset`, named after what it runs.
    pub fn new(source: &Source, offset: usize, event: &str, handler: Handler, name: String) -> Self {
        let place = Some(source.place(offset));
        let origin = Origin { place, layer: Arc::clone(&source.layer), scope: None };
        Self { origin, ..Self::in_code(event, handler, name) }
    }

    /// What its entry configures.
    pub fn configured(&self) -> &Handler {
        self.options.replaced.as_deref().unwrap_or(&self.handler)
    }

    /// A hook registered by a program.
    pub fn in_code(event: &str, handler: Handler, name: String) -> Self {
        Self {
            id: HookId::default(),
            host_id: String::new(),
            label: short_name(&name),
            name,
            event: event.into(),
            matcher: None,
            handler,
            timeout: None,
            group: 0,
            origin: Origin { place: None, layer: "code".into(), scope: None },
            standing: Standing::Active,
            options: HookOptions::default(),
        }
    }
}

/// Which hook it is, wherever in its file: layer (with the file of a plugin), agent, event, matcher, condition and name.
/// Only hooks that are equal in all of this are told apart by their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct HookId(Arc<str>);

impl HookId {
    /// The identity of `hook`, the `nth` of its equals from one.
    pub(super) fn of(hook: &Hook, nth: usize) -> Self {
        let Origin { place, layer, scope } = &hook.origin;
        // Plugins name their scripts alike, and each has a file of its own in the one layer.
        let plugin = place.as_ref().filter(|_| layer.as_ref() == "plugin").map(|p| format!("({})", p.path));
        let scope = scope.as_ref().map(|s| format!("@{s}"));
        let matcher = hook.matcher.as_ref().map(|m| format!("[{m}]"));
        let condition = hook.options.condition.as_ref().map(|c| format!("(if {c})"));
        let count = (nth > 1).then(|| format!("#{nth}"));
        let [plugin, scope, matcher, condition, count] =
            [plugin, scope, matcher, condition, count].map(Option::unwrap_or_default);
        Self(format!("{layer}{plugin}{scope}:{}{matcher}{condition}:{}{count}", hook.event, hook.name).into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for HookId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// File, line and column; none for hooks registered from code.
    pub place: Option<Place>,
    pub layer: Arc<str>,
    /// The agent it belongs to, for hooks that live and die with one.
    pub scope: Option<Arc<str>>,
}

/// Whether the host takes a hook, before any event is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Active,
    /// The host did not accept its file or its entry, for this reason.
    Rejected(String),
    /// A policy of the settings keeps it from running, for this reason.
    Off(String),
    /// Its own settings switch it off by name.
    DisabledInFile,
}

/// What an entry says beside its matcher, its handler and its limit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookOptions {
    /// A further condition in the host's permission language.
    pub condition: Option<String>,
    pub background: Background,
    pub on_failure: OnFailure,
    /// A refusal by its model doesn't end the turn.
    pub continues_on_block: bool,
    /// Its place among the hooks of its event, at hosts that sort by it.
    pub priority: Option<f64>,
    /// Agents whose own settings replace it.
    pub overridden_for: Vec<String>,
    /// The limit as its entry gives it; the hook's own may be the host's default or a shared one.
    pub given_timeout: Option<Duration>,
    pub duplicates: Option<Duplicates>,
    /// What the entry configures, where a test case runs something else in its place.
    pub replaced: Option<Box<Handler>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    #[default]
    Foreground,
    Detached,
    /// Nobody waits, but it may wake the agent.
    MayWake,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// The failure is reported; the action proceeds.
    #[default]
    Proceeds,
    /// The action proceeds, and nothing is reported.
    Silent,
    Blocks,
}

/// The hooks before one that run the same; a host runs only the first whose matcher accepts the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicates {
    /// All with this identity, the first of each matcher.
    pub all: Arc<[FirstOfMatcher]>,
    /// How many of them come before this hook.
    pub before: usize,
}

/// The first of several equal hooks with one matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstOfMatcher {
    pub place: Option<Place>,
    pub matcher: Option<String>,
}
