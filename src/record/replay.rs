//! Recorded events through hooks: as the sessions they were, or each for itself.
//!
//! In a session what hooks decide has consequences: a refused call has no result event, a rewritten input is what the
//! result event carries, a Stop that is not allowed is asked again until it is, or until the host's cap.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::recorded_event::{Outcome, RecordedEvent};
use super::transcript_copy::TranscriptCopy;
use crate::engine::{Control, Request, Runner, Stop};
use crate::model::{HostState, Payload, Toggles};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayOrder {
    Sessions,
    /// Each for itself, so many at once.
    Independent(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equal {
    Once,
    Each,
}

#[derive(Debug, Clone)]
pub struct ReplayOptions {
    pub order: ReplayOrder,
    pub equal: Equal,
    /// Firings of each event, to find hooks that answer differently each time.
    pub repeat: usize,
    pub toggles: Toggles,
    pub host: Arc<HostState>,
    pub control: Control,
    /// Where growing copies of transcripts are kept; none leaves paths as recorded.
    pub transcripts: Option<PathBuf>,
}

#[derive(Debug, Clone, Default)]
pub struct Replayed {
    pub index: usize,
    /// What came of it now; none if it was not fired.
    pub current: Option<Arc<Outcome>>,
    pub skipped: Option<&'static str>,
    /// Whether the outcome is that of an equal event.
    pub reused: bool,
    /// Other outcomes of the same event, when it was fired several times.
    pub varied: Vec<Outcome>,
    /// How often the turn was kept going by this Stop.
    pub stop_rounds: u32,
}

/// A Stop is asked again at most so often, whatever the host's cap.
const MAX_STOP_ROUNDS: u32 = 20;

/// Replay `entries`; each result is handed to `each` as it comes. Ends early when `options.control` says so.
pub async fn replay(
    runner: &Arc<Runner>,
    entries: &Arc<[RecordedEvent]>,
    options: &ReplayOptions,
    each: &mut dyn FnMut(Replayed),
) {
    match options.order {
        ReplayOrder::Sessions => {
            let sessions = Sessions { runner, options, states: HashMap::new(), known: HashMap::new() };
            sessions.run(entries, each).await;
        }
        ReplayOrder::Independent(jobs) => independent(runner, entries, options, jobs.max(1), each).await,
    }
}

fn stopped(options: &ReplayOptions) -> bool {
    options.control.requested() != Stop::No
}

/// What equal events share.
fn key(event: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    event.hash(&mut hasher);
    hasher.finish()
}

/// Fire `payload` as often as asked for: the first outcome, and those that differ from it.
async fn fire(
    runner: &Runner,
    payload: &Payload,
    host: &Arc<HostState>,
    options: &ReplayOptions,
) -> (crate::engine::Firing, Vec<Outcome>) {
    let request = |payload: Payload| Request {
        toggles: options.toggles.clone(),
        host: host.clone(),
        control: options.control.clone(),
        ..Request::new(payload)
    };
    let first = runner.fire(request(payload.clone())).await;
    let mut varied: Vec<Outcome> = Vec::new();
    let expected = Outcome::of(&first).without_durations();
    for _ in 1..options.repeat {
        if stopped(options) {
            break;
        }
        let again = Outcome::of(&runner.fire(request(payload.clone())).await).without_durations();
        if again != expected && !varied.contains(&again) {
            varied.push(again);
        }
    }
    (first, varied)
}

async fn independent(
    runner: &Arc<Runner>,
    entries: &Arc<[RecordedEvent]>,
    options: &ReplayOptions,
    jobs: usize,
    each: &mut dyn FnMut(Replayed),
) {
    let (firsts, equal) = distinct(entries, options.equal);
    let work = Arc::new(Work {
        runner: runner.clone(),
        entries: entries.clone(),
        options: options.clone(),
        firsts,
        next: AtomicUsize::new(0),
    });
    let (sender, mut results) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..jobs.min(work.firsts.len()) {
        let (work, sender) = (work.clone(), sender.clone());
        // Threads with a runtime each: starting a process takes its thread, and its end is noticed where it is awaited.
        let started = std::thread::Builder::new().name("replay".into()).spawn(move || {
            if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
                runtime.block_on(worker(work, sender));
            }
        });
        if started.is_err() {
            break;
        }
    }
    drop(sender);
    let mut done: HashMap<usize, Arc<Outcome>> = HashMap::new();
    while let Some(result) = results.recv().await {
        if let Some(current) = &result.current {
            done.insert(result.index, current.clone());
        }
        each(result);
    }
    for (index, first) in equal {
        if let Some(outcome) = done.get(&first) {
            each(Replayed { index, current: Some(outcome.clone()), reused: true, ..Replayed::default() });
        }
    }
}

/// The events to fire, and the others with the one each is equal to.
fn distinct(entries: &[RecordedEvent], equal: Equal) -> (Vec<usize>, Vec<(usize, usize)>) {
    if equal == Equal::Each {
        return ((0..entries.len()).collect(), Vec::new());
    }
    let mut known: HashMap<u64, usize> = HashMap::new();
    let (mut firsts, mut others) = (Vec::new(), Vec::new());
    for (index, entry) in entries.iter().enumerate() {
        match *known.entry(key((&entry.event, &entry.payload))).or_insert(index) {
            first if first == index => firsts.push(index),
            first => others.push((index, first)),
        }
    }
    (firsts, others)
}

struct Work {
    runner: Arc<Runner>,
    entries: Arc<[RecordedEvent]>,
    options: ReplayOptions,
    firsts: Vec<usize>,
    next: AtomicUsize,
}

/// Fires one event after the other until none is left.
async fn worker(work: Arc<Work>, results: tokio::sync::mpsc::UnboundedSender<Replayed>) {
    while !stopped(&work.options) {
        let Some(&index) = work.firsts.get(work.next.fetch_add(1, Ordering::Relaxed)) else { return };
        let Ok(payload) = work.entries[index].to_payload() else {
            let _ = results.send(Replayed::skipped(index, "its payload is no JSON object"));
            continue;
        };
        let (firing, varied) = fire(&work.runner, &payload, &work.options.host, &work.options).await;
        let current = Some(Arc::new(Outcome::of(&firing)));
        let result = Replayed { index, current, varied, ..Replayed::default() };
        if stopped(&work.options) && result.is_cut_short() {
            return;
        }
        let _ = results.send(result);
    }
}

impl Replayed {
    fn skipped(index: usize, why: &'static str) -> Self {
        Self { index, skipped: Some(why), ..Self::default() }
    }

    /// What was cut short is no result.
    fn is_cut_short(&self) -> bool {
        self.current.as_ref().is_some_and(|now| now.hooks.iter().any(|h| h.outcome == "cancelled"))
    }
}

#[derive(Default)]
struct SessionState {
    /// What hooks made of each call at the event named.
    calls: HashMap<String, (String, Consequence)>,
    continuations: u32,
    /// The growing copy of its transcript, once that was asked for, where there is one to be had.
    copy: OnceCell<Option<TranscriptCopy>>,
}

struct Sessions<'a> {
    runner: &'a Runner,
    options: &'a ReplayOptions,
    states: HashMap<Arc<str>, SessionState>,
    known: HashMap<u64, (Arc<Outcome>, Consequence)>,
}

/// What the next events need to know of a firing.
#[derive(Clone)]
struct Consequence {
    blocked: bool,
    resume: bool,
    input: Option<Value>,
}

impl Sessions<'_> {
    async fn run(mut self, entries: &[RecordedEvent], each: &mut dyn FnMut(Replayed)) {
        for (index, entry) in entries.iter().enumerate() {
            if stopped(self.options) {
                return;
            }
            let id = entry.origin.session.clone().unwrap_or_else(|| entry.origin.file.clone());
            let mut state = self.states.remove(&id).unwrap_or_default();
            let result = self.step(index, entry, &mut state).await;
            self.states.insert(id, state);
            if stopped(self.options) && result.is_cut_short() {
                return;
            }
            each(result);
        }
    }

    async fn step(&mut self, index: usize, entry: &RecordedEvent, state: &mut SessionState) -> Replayed {
        let Ok(mut payload) = entry.to_payload() else {
            return Replayed::skipped(index, "its payload is no JSON object");
        };
        let call = payload.text("tool_use_id").map(str::to_string);
        let earlier = call.as_ref().and_then(|id| state.calls.get(id)).filter(|(event, _)| *event != entry.event);
        if let Some((_, before)) = earlier {
            if before.blocked {
                return Replayed::skipped(index, "its call is refused now, so it has no result");
            }
            if let Some(input) = before.input.clone() {
                Arc::make_mut(&mut payload.fields).insert("tool_input".into(), input);
            }
        }
        let wants_to_stop = self.continued_field().is_some_and(|field| payload.fields.contains_key(field));
        if !wants_to_stop {
            state.continuations = 0;
        }
        let mut host = self.options.host.clone();
        if wants_to_stop {
            Arc::make_mut(&mut host).continuations.get_or_insert(state.continuations);
        }
        let (mut result, consequence) = self.once(entry, &payload, &host, state).await;
        if let Some(id) = call {
            state.calls.insert(id, (entry.event.clone(), consequence.clone()));
        }
        if wants_to_stop && consequence.resume {
            let payload = self.with_transcript(entry, &payload, state);
            result.stop_rounds = self.stop_rounds(payload, state).await;
        }
        Replayed { index, ..result }
    }

    async fn once(
        &mut self,
        entry: &RecordedEvent,
        payload: &Payload,
        host: &Arc<HostState>,
        state: &mut SessionState,
    ) -> (Replayed, Consequence) {
        // A hook that reads the transcript sees another one at each line.
        let told_by = self.options.transcripts.is_some() && payload.text("transcript_path") == Some(&entry.origin.file);
        let key = key((&payload.event, &payload.fields, host, told_by.then_some(entry.origin.line)));
        if let Some((outcome, consequence)) = self.known.get(&key).filter(|_| self.options.equal == Equal::Once) {
            let known = Replayed { current: Some(outcome.clone()), reused: true, ..Replayed::default() };
            return (known, consequence.clone());
        }
        let payload = self.with_transcript(entry, payload, state);
        let (firing, varied) = fire(self.runner, &payload, host, self.options).await;
        let consequence = Consequence {
            blocked: firing.verdict.blocked,
            resume: firing.verdict.resume,
            input: firing.verdict.updated_input.clone(),
        };
        let outcome = Arc::new(Outcome::of(&firing));
        self.known.insert(key, (outcome.clone(), consequence.clone()));
        (Replayed { current: Some(outcome), varied, ..Replayed::default() }, consequence)
    }

    /// A Stop that is not allowed is asked again, as the host does when the agent has gone on.
    async fn stop_rounds(&mut self, mut payload: Payload, state: &mut SessionState) -> u32 {
        if let Some(field) = self.continued_field() {
            Arc::make_mut(&mut payload.fields).insert(field.into(), Value::Bool(true));
        }
        let before = state.continuations;
        loop {
            state.continuations += 1;
            let rounds = state.continuations - before;
            if rounds >= MAX_STOP_ROUNDS || stopped(self.options) {
                return rounds;
            }
            let mut host = self.options.host.clone();
            Arc::make_mut(&mut host).continuations = Some(state.continuations);
            let (firing, _) = fire(self.runner, &payload, &host, self.options).await;
            if !firing.verdict.resume {
                return rounds;
            }
        }
    }

    fn continued_field(&self) -> Option<&'static str> {
        self.runner.dialect().profile().continued_field
    }

    /// The payload with a transcript that ends where the event stands.
    fn with_transcript(&self, entry: &RecordedEvent, payload: &Payload, state: &mut SessionState) -> Payload {
        let Some(dir) = &self.options.transcripts else { return payload.clone() };
        if payload.text("transcript_path") != Some(&entry.origin.file) {
            return payload.clone();
        }
        let mut payload = payload.clone();
        state.copy.get_or_init(|| TranscriptCopy::begin(entry.origin.file.as_ref().as_ref(), dir));
        if let Some(Some(copy)) = state.copy.get_mut()
            && let Ok(path) = copy.up_to(entry.origin.line)
        {
            let path = path.display().to_string();
            Arc::make_mut(&mut payload.fields).insert("transcript_path".into(), path.into());
        }
        payload
    }
}
