//! One event through all its hooks: drives the dialect's rules until nothing is ready and nothing runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::callback::Callbacks;
use super::clock::ActiveTime;
use super::control::Stop;
use super::env_file::TempEnvFile;
#[cfg(feature = "http")]
use super::http::{self, Post};
use super::progress::Progress;
use super::runner::{Request, Runner, Snapshot};
use super::supervise::{FinishedRun, RunContext, supervise};
use crate::dialect::FiringDriver;
use crate::model::{
    Captured, End, FiringId, Gate, GateKind, Hook, HookSet, HostState, Invocation, Job, LIFECYCLE_VERSION, Launch,
    Lifecycle, Limit, Next, Payload, Plan, Planned, Reading, RunEnd, RunId, RunOutcome, RunStamp, StdinUse, Verdict,
};

#[derive(Debug, Clone)]
pub struct Firing {
    pub id: FiringId,
    /// Wall-clock start, UTC.
    pub at: String,
    pub payload: Payload,
    pub host: Arc<HostState>,
    pub hooks: Arc<HookSet>,
    /// Who was planned to run; hooks that a halt kept from running have their gate closed here.
    pub plan: Plan,
    /// The runs, in the order of the plan.
    pub runs: Vec<RunRecord>,
    pub verdict: Verdict,
    pub duration_ms: f64,
}

#[derive(Debug, Clone)]
pub struct RunRecord {
    pub hook: usize,
    /// Its runs; more than one where the host runs it again.
    pub phases: Vec<Phase>,
    /// Place in the order of finishing, from one.
    pub finish_order: usize,
}

/// One run with what was made of it.
#[derive(Debug, Clone)]
pub struct Phase {
    pub run: RunId,
    /// What was started, if it was a process.
    pub invocation: Option<Invocation>,
    pub end: RunEnd,
    pub reading: Reading,
}

static RUNS: AtomicU64 = AtomicU64::new(1);

pub(super) async fn fire(
    runner: &Runner,
    snapshot: Snapshot,
    plan: Arc<Plan>,
    driver: Box<dyn FiringDriver>,
    at: String,
    request: Request,
) -> Firing {
    let firing = FiringLoop {
        runner,
        callbacks: snapshot.callbacks,
        plan,
        id: request.id,
        request,
        at,
        firing_start: Instant::now(),
        groups: GroupStarts::default(),
        runs: HashMap::new(),
        records: BTreeMap::new(),
        finished: 0,
    };
    firing.run(snapshot.hooks, driver).await
}

struct FiringLoop<'a> {
    runner: &'a Runner,
    callbacks: Arc<Callbacks>,
    plan: Arc<Plan>,
    request: Request,
    id: FiringId,
    at: String,
    firing_start: Instant,
    groups: GroupStarts,
    runs: HashMap<usize, RunId>,
    /// By the hook's place in the plan.
    records: BTreeMap<usize, RunRecord>,
    finished: usize,
}

impl FiringLoop<'_> {
    async fn run(mut self, hooks: Arc<HookSet>, mut driver: Box<dyn FiringDriver>) -> Firing {
        self.announce();
        let mut running = FuturesUnordered::new();
        loop {
            if self.request.control.requested() == Stop::No {
                for launch in driver.ready() {
                    let prepared = self.prepare(launch);
                    running.push(execute(self.runner, self.callbacks.clone(), self.request.control.clone(), prepared));
                }
            }
            let Some((run, invocation, end)) = running.next().await else { break };
            let (reading, next) = driver.ended(&end);
            if next == Next::EndOthers {
                self.end_others(run);
            }
            self.settle(Phase { run, invocation, end, reading }, &next);
        }
        drop(running);
        self.settle_cancelled();
        self.close(hooks, driver)
    }

    /// The host ends every other run of this firing.
    fn end_others(&self, except: RunId) {
        for run in self.runs.values().filter(|r| **r != except) {
            self.request.control.stop_run(*run, Stop::Interrupt);
        }
    }

    fn announce(&self) {
        if !self.request.events.is_open() {
            return;
        }
        self.request.events.send(Lifecycle::FiringStarted {
            version: LIFECYCLE_VERSION,
            firing: self.id,
            at: self.at.clone(),
            dialect: self.runner.dialect().profile().label(),
            event: self.request.payload.event.clone(),
            plan: self.plan.running().map(|i| planned(i, self.plan.hook(i))).collect(),
        });
    }

    fn stamp(&self, hook: usize, run: RunId) -> RunStamp {
        let entry = self.plan.hook(hook);
        RunStamp {
            firing: self.id,
            run,
            index: hook,
            id: entry.id.clone(),
            hook_id: entry.host_id.clone(),
            hook_name: entry.name.clone(),
            hook_event: self.request.payload.event.clone(),
            t: ms(self.firing_start.elapsed()),
        }
    }

    fn prepare(&mut self, launch: Launch) -> PreparedRun {
        let first = launch.phase == 0;
        let run = *self.runs.entry(launch.hook).or_insert_with(|| RunId(RUNS.fetch_add(1, Ordering::Relaxed)));
        PreparedRun {
            stamp: self.stamp(launch.hook, run),
            launch,
            groups: self.groups.clone(),
            firing_start: self.firing_start,
            announce: first,
            events: self.request.events.clone(),
        }
    }

    fn settle(&mut self, phase: Phase, next: &Next) {
        let hook = phase.end.hook;
        let record = self.records.entry(hook).or_insert(RunRecord { hook, phases: Vec::new(), finish_order: 0 });
        record.phases.push(phase);
        if matches!(next, Next::Again(_)) {
            return;
        }
        self.finished += 1;
        record.finish_order = self.finished;
        if let (Some(run), true) = (self.runs.get(&hook), self.request.events.is_open()) {
            self.request.events.send(response(self.stamp(hook, *run), &self.records[&hook]));
        }
    }

    /// Hooks that asked for another run and were cut short before it: each started hook has its one response.
    fn settle_cancelled(&mut self) {
        let open: Vec<_> = self.records.values().filter(|r| r.finish_order == 0).map(|r| r.last().clone()).collect();
        for mut phase in open {
            phase.end = RunEnd { phase: phase.end.phase + 1, end: End::Cancelled, duration_ms: 0.0, ..phase.end };
            phase.reading = Reading {
                outcome: RunOutcome::Cancelled,
                says: "Cancelled by you before its second run.".into(),
                ..phase.reading
            };
            self.settle(phase, &Next::Go);
        }
    }

    fn close(self, hooks: Arc<HookSet>, driver: Box<dyn FiringDriver>) -> Firing {
        let verdict = driver.verdict();
        let halt = driver.halted().or_else(|| {
            (self.request.control.requested() != Stop::No)
                .then(|| Gate::new(GateKind::Halted, "the firing was cancelled"))
        });
        // The driver shares the plan, which is ours alone without it.
        drop(driver);
        let mut plan = Arc::unwrap_or_clone(self.plan);
        for (index, entry) in plan.entries.iter_mut().enumerate() {
            if entry.gate.is_none() && !self.records.contains_key(&index) {
                entry.gate.clone_from(&halt);
            }
        }
        let duration_ms = ms(self.firing_start.elapsed());
        if self.request.events.is_open() {
            let verdict = Box::new(verdict.clone());
            self.request.events.send(Lifecycle::FiringFinished { firing: self.id, verdict, t: duration_ms });
        }
        let host = self.request.host;
        Firing {
            id: self.id,
            at: self.at,
            payload: self.request.payload,
            host,
            hooks,
            plan,
            runs: self.records.into_values().collect(),
            verdict,
            duration_ms,
        }
    }
}

fn planned(index: usize, hook: &Hook) -> Planned {
    Planned { index, id: hook.id.clone(), hook_name: hook.name.clone(), label: hook.label.clone() }
}

fn response(hook: RunStamp, record: &RunRecord) -> Lifecycle {
    let phase = record.last();
    let (stdout, stderr) = (phase.end.stdout.text(), phase.end.stderr.text());
    Lifecycle::HookResponse {
        hook,
        outcome: phase.reading.outcome.into(),
        detail: phase.reading.outcome,
        exit_code: phase.end.exit_code(),
        signal: phase.end.signal(),
        output: format!("{stdout}{stderr}"),
        stdout,
        stderr,
        duration_ms: record.duration_ms(),
        drain_ms: phase.end.drain_ms,
        says: phase.reading.says.clone(),
    }
}

impl RunRecord {
    pub fn last(&self) -> &Phase {
        // A record is made with its first phase and only ever grows.
        &self.phases[self.phases.len() - 1]
    }

    pub fn duration_ms(&self) -> f64 {
        self.phases.iter().map(|p| p.end.duration_ms).sum()
    }
}

/// When each group of hooks that share a limit started.
type GroupStarts = Arc<Mutex<HashMap<usize, ActiveTime>>>;

/// The earlier of the group's shared deadline and the run's own.
fn deadline(runner: &Runner, groups: &GroupStarts, limit: Limit) -> Option<(ActiveTime, u64)> {
    let now = runner.clock.now();
    let shared = limit.group.map(|(group, budget)| {
        let start = *groups.lock().unwrap_or_else(PoisonError::into_inner).entry(group).or_insert(now);
        (start.plus(budget), whole_ms(budget))
    });
    let own = limit.own.map(|budget| (now.plus(budget), whole_ms(budget)));
    [shared, own].into_iter().flatten().min_by_key(|(at, _)| *at)
}

/// A launch with everything that had to be decided before it starts.
struct PreparedRun {
    launch: Launch,
    stamp: RunStamp,
    groups: GroupStarts,
    firing_start: Instant,
    announce: bool,
    events: super::events::EventSink,
}

async fn execute(
    runner: &Runner,
    callbacks: Arc<Callbacks>,
    control: super::Control,
    prepared: PreparedRun,
) -> (RunId, Option<Invocation>, RunEnd) {
    let PreparedRun { launch, mut stamp, groups, firing_start, announce, events } = prepared;
    let run = stamp.run;
    // Only processes take a slot: a callback that fires an event of its own must not wait for itself.
    let _slot = match (&launch.job, runner.process_slots.try_acquire()) {
        (Job::Callback { .. } | Job::Http { .. } | Job::Stub(_), _) => None,
        (Job::Process(_), Ok(slot)) => Some(slot),
        (Job::Process(_), Err(_)) => {
            events.send(Lifecycle::HookQueued { hook: stamp.clone() });
            runner.process_slots.acquire().await.ok()
        }
    };
    // Time begins now; waiting for a slot is nobody's limit.
    // The clock is watched from here to the end: a suspension between the deadline's reckoning and the loop over the
    // run must not count either.
    let _watching = runner.clock.watch();
    let deadline = deadline(runner, &groups, launch.limit);
    let started = Instant::now();
    stamp.t = ms(firing_start.elapsed());
    let started_ms = stamp.t;
    if announce {
        events.send(Lifecycle::HookStarted { hook: stamp.clone() });
    }
    let used_up = deadline.filter(|(at, _)| runner.clock.now() >= *at);
    let mut invocation = None;
    let mut note = None;
    let finished = match (used_up, launch.job) {
        (Some((_, limit_ms)), _) => FinishedRun::bare(End::NeverStarted { limit_ms }),
        (None, Job::Process(mut process)) => {
            if process.cwd.is_none() {
                process.cwd.clone_from(&runner.options.cwd);
            }
            let env_file = TempEnvFile::prepare(&mut process);
            let progress = Progress::new(events, stamp, firing_start);
            let stops = control.listen(run);
            let context = RunContext {
                options: &runner.options,
                grace: launch.limit.grace.unwrap_or(runner.options.grace),
                deadline,
                stops,
                progress,
                clock: &runner.clock,
                leftovers: &runner.leftovers,
                inherited: &runner.inherited,
            };
            let finished = supervise(&process, context).await;
            note = env_file.and_then(TempEnvFile::read);
            invocation = Some(process);
            finished
        }
        (None, Job::Callback { id, input }) => {
            let answer = async {
                match callbacks.get(&id) {
                    Some(callback) => callback.call(input).await,
                    None => Err("its callback was never registered".into()),
                }
            };
            FinishedRun::bare(runner.with_deadline(answer, deadline, control.listen(run)).await)
        }
        #[cfg(not(feature = "http"))]
        (None, Job::Http { url, .. }) => {
            let message = format!("{url} can't be called: hookdbg was built without the `http` feature");
            let cause = crate::model::SpawnCause::Other;
            FinishedRun::bare(End::SpawnFailed(crate::model::SpawnFailure { cause, message, os_error: None }))
        }
        #[cfg(feature = "http")]
        (None, Job::Http { url, headers, allowed, body }) => {
            let limit = runner.options.capture_bytes;
            let post = Post { url: &url, headers: &headers, allowed: &allowed, body: &body, limit };
            FinishedRun::bare(runner.with_deadline(http::post(&post), deadline, control.listen(run)).await)
        }
        (None, Job::Stub(answer)) => FinishedRun::bare(End::Returned(answer)),
    };
    let end = RunEnd {
        hook: launch.hook,
        phase: launch.phase,
        end: finished.end,
        stdout: finished.stdout,
        stderr: finished.stderr,
        stdin: finished.stdin,
        started_ms,
        duration_ms: ms(started.elapsed()),
        late_bytes: finished.late_bytes,
        drain_ms: finished.drain_ms,
        leftovers: finished.leftovers,
        diagnosis: finished.diagnosis,
        note,
    };
    (run, invocation, end)
}

impl FinishedRun {
    fn bare(end: End) -> Self {
        Self {
            end,
            stdout: Captured::default(),
            stderr: Captured::default(),
            stdin: StdinUse { written: 0, total: 0, refused: false },
            late_bytes: 0,
            drain_ms: 0.0,
            leftovers: Vec::new(),
            diagnosis: None,
        }
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn whole_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
