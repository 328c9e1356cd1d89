//! The library's front door: a set of hooks under one dialect that events can be fired at, from any thread.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;

use super::callback::{Callback, Callbacks};
use super::clock::{ActiveClock, ActiveTime, TICK};
use super::control::{Control, Stop, StopListener};
use super::events::EventSink;
use super::firing::{self, Firing};
use super::leftovers::Leftovers;
use super::options::EngineOptions;
use super::spawn::Inherited;
use crate::dialect::{Dialect, FiringInput};
use crate::model::{End, FiringId, Handler, Hook, HookSet, HostState, Payload, Toggles};
use crate::plan::plan;

/// Hooks, callbacks and the machinery to run them. Firing takes a snapshot: what is registered meanwhile counts
/// from the next firing on.
#[derive(Debug)]
pub struct Runner {
    dialect: Arc<dyn Dialect>,
    current: RwLock<Snapshot>,
    pub(super) options: EngineOptions,
    pub(super) clock: ActiveClock,
    pub(super) leftovers: Leftovers,
    pub(super) inherited: Inherited,
    pub(super) process_slots: Semaphore,
}

/// What one firing works with, whatever is registered meanwhile.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub hooks: Arc<HookSet>,
    pub callbacks: Arc<Callbacks>,
}

#[derive(Debug, Clone)]
pub struct Request {
    /// Its number, known before it begins.
    pub id: FiringId,
    pub payload: Payload,
    /// Hooks switched on or off for this firing.
    pub toggles: Toggles,
    /// Facts about the host that stand in no payload.
    pub host: Arc<HostState>,
    pub events: EventSink,
    pub control: Control,
}

impl Request {
    /// Fire `payload`, nobody listening.
    pub fn new(payload: Payload) -> Self {
        Self::numbered(FiringId::next(), payload)
    }

    /// The same under a number taken before.
    pub fn numbered(id: FiringId, payload: Payload) -> Self {
        Self {
            id,
            payload,
            toggles: Toggles::default(),
            host: Arc::default(),
            events: EventSink::none(),
            control: Control::default(),
        }
    }

    /// The same circumstances for another event.
    #[must_use]
    pub fn with_payload(&self, payload: Payload) -> Self {
        Self { id: FiringId::next(), payload, ..self.clone() }
    }
}

/// A matcher entry built in code: callbacks and commands under one event, matcher and limit.
#[derive(Debug, Clone)]
pub struct MatcherEntry {
    event: String,
    matcher: Option<String>,
    timeout: Option<Duration>,
    callbacks: Vec<(String, Callback)>,
    commands: Vec<String>,
}

impl MatcherEntry {
    pub fn on(event: impl Into<String>) -> Self {
        Self { event: event.into(), matcher: None, timeout: None, callbacks: Vec::new(), commands: Vec::new() }
    }

    /// Only where `matcher` fits.
    #[must_use]
    pub fn matcher(mut self, matcher: impl Into<String>) -> Self {
        self.matcher = Some(matcher.into());
        self
    }

    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Call `callback` under `name`.
    #[must_use]
    pub fn callback(mut self, name: impl Into<String>, callback: Callback) -> Self {
        self.callbacks.push((name.into(), callback));
        self
    }

    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }
}

impl Runner {
    /// A runner for `hooks` under the rules of `dialect`.
    pub fn new(dialect: Arc<dyn Dialect>, hooks: HookSet, options: EngineOptions) -> Self {
        Self {
            dialect,
            current: RwLock::new(Snapshot { hooks: Arc::new(hooks), callbacks: Arc::default() }),
            process_slots: Semaphore::new(options.max_processes.max(1)),
            options,
            clock: ActiveClock::new(),
            leftovers: Leftovers::default(),
            inherited: Inherited::read(),
        }
    }

    pub fn dialect(&self) -> &dyn Dialect {
        self.dialect.as_ref()
    }

    pub fn hooks(&self) -> Arc<HookSet> {
        self.snapshot().hooks
    }

    fn snapshot(&self) -> Snapshot {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replace all hooks, as a reload does.
    pub fn replace(&self, hooks: HookSet) {
        self.change(Callbacks::new(), |set| *set = hooks);
    }

    pub fn register(&self, entry: MatcherEntry) {
        let (hooks, callbacks) = self.build(vec![entry]);
        self.change(callbacks, |set| set.append(hooks));
    }

    /// Give agent `scope` these hooks in place of those it had.
    pub fn register_scoped(&self, scope: &str, entries: Vec<MatcherEntry>) {
        let (hooks, callbacks) = self.build(entries);
        self.change(callbacks, |set| set.register_scope(scope, hooks));
    }

    /// The agent is gone, and so are its hooks.
    pub fn unregister_scoped(&self, scope: &str) {
        self.change(Callbacks::new(), |set| set.unregister_scope(scope));
    }

    /// Provide the function behind [`Handler::Callback`] `id` of a loaded set.
    pub fn provide(&self, id: impl Into<String>, callback: Callback) {
        self.change(Callbacks::from([(id.into(), callback)]), |_| {});
    }

    /// Change hooks and callbacks together, so that no firing sees one without the other.
    fn change(&self, added: Callbacks, change: impl FnOnce(&mut HookSet)) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut current.hooks));
        let Snapshot { hooks, callbacks } = &mut *current;
        let callbacks = Arc::make_mut(callbacks);
        callbacks.extend(added);
        // Callbacks nobody refers to any more go with their hooks.
        let id = |hook: &Arc<Hook>| if let Handler::Callback { id } = &hook.handler { Some(id.clone()) } else { None };
        let used: HashSet<String> = hooks.hooks.iter().filter_map(id).collect();
        callbacks.retain(|id, _| used.contains(id));
    }

    fn build(&self, entries: Vec<MatcherEntry>) -> (Vec<Hook>, Callbacks) {
        let mut hooks = Vec::new();
        let mut callbacks = Callbacks::new();
        for (group, entry) in entries.into_iter().enumerate() {
            let mut push = |handler: Handler, name: String, index: usize| {
                let host_id = self.dialect.profile().host_id(&entry.event, &handler, index);
                let hook = Hook::in_code(&entry.event, handler, name);
                let (label, matcher, timeout) = (hook.name.clone(), entry.matcher.clone(), entry.timeout);
                hooks.push(Hook { host_id, label, matcher, timeout, group, ..hook });
            };
            for (index, (name, callback)) in entry.callbacks.into_iter().enumerate() {
                let id = format!("callback:{}", NEXT_CALLBACK.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
                callbacks.insert(id.clone(), callback);
                push(Handler::Callback { id }, name, index);
            }
            for (index, command) in entry.commands.into_iter().enumerate() {
                push(Handler::Shell { command: command.clone() }, command, index);
            }
        }
        (hooks, callbacks)
    }

    /// Fire one event and wait for all of it. Dropping the future ends every process it started.
    pub async fn fire(&self, mut request: Request) -> Firing {
        self.add_environment(&mut request.host);
        let Snapshot { hooks, callbacks } = self.snapshot();
        let plan = Arc::new(plan(self.dialect(), &hooks, &request.payload, &request.toggles));
        let at = jiff::Timestamp::now().to_string();
        let input = FiringInput {
            pid: std::process::id(),
            hooks: hooks.clone(),
            plan: plan.clone(),
            payload: request.payload.clone(),
            host: request.host.clone(),
            at: at.clone(),
        };
        let driver = self.dialect.driver(input);
        firing::fire(self, Snapshot { hooks, callbacks }, plan, driver, at, request).await
    }

    /// What the host would find in its own environment becomes part of its state, unless that was given.
    fn add_environment(&self, host: &mut Arc<HostState>) {
        let names = self.dialect.profile().host_variables;
        if names.is_empty() {
            return;
        }
        if host.variables.is_none() {
            let set = names.iter().filter_map(|n| Some(((*n).to_string(), std::env::var(n).ok()?)));
            Arc::make_mut(host).variables = Some(set.collect()).filter(|set: &BTreeMap<_, _>| !set.is_empty());
        }
        // The project is where hooks run; a payload made elsewhere names a directory that may not be here.
        if host.project.is_none() {
            let here = self.options.cwd.clone().or_else(|| std::env::current_dir().ok());
            let here = here.map(|d| std::path::absolute(&d).unwrap_or(d).display().to_string());
            Arc::make_mut(host).project = here;
        }
    }

    /// Wait for an answer until its deadline or a stop.
    pub(super) async fn with_deadline(
        &self,
        answer: impl Future<Output = Result<Value, String>>,
        deadline: Option<(ActiveTime, u64)>,
        mut stops: StopListener,
    ) -> End {
        tokio::pin!(answer);
        loop {
            if stops.current() > Stop::No {
                return End::Cancelled;
            }
            let left = deadline.map_or(TICK, |(at, _)| at.since(self.clock.now()).min(TICK));
            tokio::select! {
                answer = &mut answer => return End::Returned(answer),
                () = stops.changed() => {}
                () = tokio::time::sleep(left), if deadline.is_some() => {}
            }
            if let Some((at, limit_ms)) = deadline
                && self.clock.now() >= at
            {
                return End::TimedOut { limit_ms, killed: false };
            }
        }
    }
}

static NEXT_CALLBACK: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
