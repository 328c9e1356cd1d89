//! One run from start to end: a single loop over all its states.
//!
//! ```text
//! Running ──exit──▶ Draining (one budget) ──both pipes closed──▶ done
//!    │                    └──budget over──▶ our ends are closed ─▶ done, leftovers named
//!    └─deadline/stop──▶ Terminating: TERM+CONT, grace ──▶ Killed: KILL ─▶ Draining
//! ```
//! The exit alone never ends the loop, every state has one absolute end, and a stop is obeyed in all of them.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::cause;
use super::clock::{ActiveClock, ActiveTime, TICK};
use super::control::{Stop, StopListener};
use super::leftovers::{Escaped, Leftovers, holders};
use super::options::EngineOptions;
use super::output_pipe::OutputPipe;
use super::progress::Progress;
use super::spawn::{self, Inherited, Spawned};
use super::stdin::StdinFeed;
use super::terminate::{ProcessGroup, Status};
use crate::model::{Captured, End, Invocation, Leftover, SpawnCause, SpawnFailure, StdinUse, Stream};

pub struct RunContext<'a> {
    pub options: &'a EngineOptions,
    /// Time between the request to end and the kill.
    pub grace: Duration,
    /// When it must be over, and the limit behind that in milliseconds.
    pub deadline: Option<(ActiveTime, u64)>,
    /// Stops requested by the user or the host.
    pub stops: StopListener,
    pub progress: Progress,
    /// The runner's clock, watched by the caller.
    pub clock: &'a ActiveClock,
    /// Where left-behind processes are remembered.
    pub leftovers: &'a Leftovers,
    /// What every hook gets from us.
    pub inherited: &'a Inherited,
}

#[derive(Debug)]
pub struct FinishedRun {
    pub end: End,
    pub stdout: Captured,
    pub stderr: Captured,
    pub stdin: StdinUse,
    /// Bytes after its own process had ended.
    pub late_bytes: u64,
    /// Milliseconds from its own end to this.
    pub drain_ms: f64,
    /// Processes left behind.
    pub leftovers: Vec<Leftover>,
    /// A cause behind the exit code.
    pub diagnosis: Option<String>,
}

/// A killed process that has not ended after this long is stuck in the kernel; we leave it to a reaper.
const STUCK: Duration = Duration::from_secs(2);

/// When quiet pipes are looked at first; each look doubles the time.
const FIRST_LOOK: Duration = Duration::from_millis(2);
/// Whoever lives this long is watched.
const WATCH_FROM: Duration = Duration::from_millis(16);
/// Reads of one stream after time is up; a stream that never pauses must not hold us.
const LAST_READS: usize = 64;

/// Run `invocation` to its end.
pub async fn supervise(invocation: &Invocation, mut context: RunContext<'_>) -> FinishedRun {
    let cwd = invocation.cwd.as_deref().or(context.options.cwd.as_deref());
    if context.stops.current() > Stop::No {
        return FinishedRun::without_output(End::Cancelled, invocation);
    }
    let spawned = match spawn::spawn(invocation, context.options, context.inherited).await {
        Ok(spawned) => spawned,
        Err(failure) => return FinishedRun::without_output(End::SpawnFailed(failure), invocation),
    };
    match Run::new(spawned, invocation, context) {
        Ok(mut run) => {
            run.run_to_end().await;
            run.finish(invocation, cwd)
        }
        Err(error) => {
            let message = format!("its pipes could not be watched: {error}");
            FinishedRun::without_output(
                End::SpawnFailed(SpawnFailure { cause: SpawnCause::Other, message, os_error: None }),
                invocation,
            )
        }
    }
}

impl FinishedRun {
    fn without_output(end: End, invocation: &Invocation) -> Self {
        Self {
            end,
            stdout: Captured::default(),
            stderr: Captured::default(),
            stdin: StdinUse { written: 0, total: invocation.stdin.len(), refused: false },
            late_bytes: 0,
            drain_ms: 0.0,
            leftovers: Vec::new(),
            diagnosis: None,
        }
    }
}

/// Why a run was ended by us.
#[derive(Clone, Copy, PartialEq)]
enum EndedBy {
    Deadline { limit_ms: u64 },
    Stop,
}

enum ProcessState {
    Running,
    Terminating { kill_at: Instant },
    Killed { give_up_at: Instant },
    Draining { until: Instant },
}

struct Run<'a> {
    context: RunContext<'a>,
    group: ProcessGroup,
    stdin: StdinFeed,
    stdout: OutputPipe,
    stderr: OutputPipe,
    /// When the pipes that were quiet so far are looked at next; none once all that are open are watched.
    look_at: Option<Instant>,
    started: Instant,
    state: ProcessState,
    exited: bool,
    ended_by: Option<EndedBy>,
    killed: bool,
    late_bytes: u64,
    exited_at: Option<Instant>,
    escaped: Escaped,
    given_up: bool,
}

impl<'a> Run<'a> {
    fn new(spawned: Spawned, invocation: &Invocation, context: RunContext<'a>) -> io::Result<Self> {
        // The guard comes first: whatever fails from here on, the group is ended.
        let group = ProcessGroup::new(spawned.pid)?;
        let cap = context.options.capture_bytes;
        let started = Instant::now();
        let stdin = StdinFeed::start(spawned.stdin, invocation.stdin.clone())?;
        let mut run = Self {
            context,
            group,
            stdin,
            stdout: OutputPipe::new(spawned.stdout, cap)?,
            stderr: OutputPipe::new(spawned.stderr, cap)?,
            look_at: Some(started + FIRST_LOOK),
            started,
            state: ProcessState::Running,
            exited: false,
            ended_by: None,
            killed: false,
            late_bytes: 0,
            exited_at: None,
            escaped: Escaped::default(),
            given_up: false,
        };
        // Who is still being fed may answer as much.
        if run.stdin.is_open() {
            run.watch();
        }
        Ok(run)
    }

    async fn run_to_end(&mut self) {
        let timer = tokio::time::sleep_until(self.wake_at().into());
        tokio::pin!(timer);
        while !self.is_over() {
            timer.as_mut().reset(self.wake_at().into());
            tokio::select! {
                biased;
                // Output comes last: a stream that never pauses must not hide an exit, a deadline or a stop.
                () = self.context.stops.changed() => self.apply_stop(),
                () = self.group.exited(), if !self.exited => self.on_exit(),
                () = timer.as_mut() => self.on_timer(),
                () = self.stdin.step(), if self.stdin.is_open() => {}
                read = self.stdout.read() => self.on_output(Stream::Stdout, read),
                read = self.stderr.read() => self.on_output(Stream::Stderr, read),
            }
        }
    }

    fn is_over(&self) -> bool {
        self.given_up || (self.exited && !self.stdout.is_open() && !self.stderr.is_open())
    }

    /// The next moment anything may be due.
    fn wake_at(&self) -> Instant {
        let now = Instant::now();
        let state = match self.state {
            ProcessState::Running => {
                self.context.deadline.map(|(at, _)| now + at.since(self.context.clock.now()).min(TICK))
            }
            ProcessState::Terminating { kill_at: at }
            | ProcessState::Killed { give_up_at: at }
            | ProcessState::Draining { until: at } => Some(at),
        };
        [state, self.look_at, self.context.progress.due()]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(now + Duration::from_hours(1))
    }

    fn pipe(&mut self, stream: Stream) -> &mut OutputPipe {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }

    /// Take what lies in the pipes nobody watches yet, and watch those that have said something; with time both.
    fn look(&mut self) {
        let Some(at) = self.look_at.filter(|at| *at <= Instant::now()) else { return };
        for stream in [Stream::Stdout, Stream::Stderr] {
            let pipe = self.pipe(stream);
            let Some(count) = pipe.is_quiet().then(|| pipe.read_now()).flatten() else { continue };
            self.on_output(stream, Some(count).filter(|c| *c > 0));
            self.pipe(stream).watch();
        }
        let age = at.saturating_duration_since(self.started);
        if age >= WATCH_FROM {
            self.watch();
        } else {
            self.look_at = Some(at + age);
        }
    }

    /// Watch both pipes. What the event loop refuses is looked at now and then instead.
    fn watch(&mut self) {
        self.stdout.watch();
        self.stderr.watch();
        let refused = self.stdout.is_quiet() || self.stderr.is_quiet();
        self.look_at = refused.then(|| Instant::now() + WATCH_FROM);
    }

    fn on_output(&mut self, stream: Stream, read: Option<usize>) {
        let pipe = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let Some(count) = read else { return pipe.close() };
        self.context.progress.push(stream, pipe.take(count));
        if self.exited {
            self.late_bytes += count as u64;
        }
        // A chatty hook must not starve its own deadline: the loop looks at it on every turn.
        self.check_deadline();
    }

    fn on_exit(&mut self) {
        // What was written before the end is not late, even if we come to read it after.
        self.drain_ready();
        self.exited = true;
        self.exited_at = Some(Instant::now());
        self.stdin.close();
        self.watch();
        if !matches!(self.state, ProcessState::Terminating { .. }) {
            self.state = ProcessState::Draining { until: Instant::now() + self.context.options.drain };
        }
    }

    fn on_timer(&mut self) {
        self.context.progress.flush_if_due();
        self.look();
        let now = Instant::now();
        match self.state {
            ProcessState::Running => self.check_deadline(),
            ProcessState::Terminating { kill_at } if now >= kill_at => self.kill(),
            ProcessState::Killed { give_up_at } if now >= give_up_at => self.given_up = true,
            ProcessState::Draining { until } if now >= until => self.given_up = true,
            ProcessState::Terminating { .. } | ProcessState::Killed { .. } | ProcessState::Draining { .. } => {}
        }
    }

    fn check_deadline(&mut self) {
        if let (ProcessState::Running, Some((at, limit_ms))) = (&self.state, self.context.deadline)
            && self.context.clock.now() >= at
        {
            self.terminate(EndedBy::Deadline { limit_ms });
        }
    }

    fn apply_stop(&mut self) {
        match self.context.stops.current() {
            Stop::No => {}
            Stop::Interrupt => {
                if matches!(self.state, ProcessState::Running) {
                    self.terminate(EndedBy::Stop);
                }
            }
            Stop::Kill => {
                self.ended_by.get_or_insert(EndedBy::Stop);
                self.kill();
            }
        }
    }

    fn terminate(&mut self, ended_by: EndedBy) {
        self.ended_by = Some(ended_by);
        self.escaped = Escaped::below(self.group.id());
        self.group.interrupt();
        self.state = ProcessState::Terminating { kill_at: Instant::now() + self.context.grace };
    }

    fn kill(&mut self) {
        self.killed = true;
        self.group.kill();
        let now = Instant::now();
        self.state = if self.exited {
            ProcessState::Draining { until: now + self.context.options.drain }
        } else {
            ProcessState::Killed { give_up_at: now + STUCK }
        };
    }

    /// What already lies in the pipes when time is up still counts: we may have been late, not the hook.
    fn drain_ready(&mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            for _ in 0..LAST_READS {
                match self.pipe(stream).read_now() {
                    Some(count) => self.on_output(stream, Some(count).filter(|c| *c > 0)),
                    None => break,
                }
            }
        }
    }

    fn finish(mut self, invocation: &Invocation, cwd: Option<&Path>) -> FinishedRun {
        self.drain_ready();
        let mut leftovers = self.escaped.survivors();
        if self.stdout.is_open() || self.stderr.is_open() {
            let pipes: Vec<_> = [&self.stdout, &self.stderr].into_iter().filter_map(OutputPipe::fd).collect();
            leftovers.extend(holders(&pipes, self.group.id()));
        }
        if self.ended_by.is_some() {
            self.group.kill();
        }
        let status = if self.exited { self.group.reap() } else { None };
        if self.ended_by.is_none() && status.is_some() && self.group.has_members() {
            leftovers.extend(self.context.leftovers.remember(self.group.id()));
        }
        leftovers.sort_by_key(|l| l.pid);
        leftovers.dedup_by_key(|l| l.pid);
        let end = match (self.ended_by, status) {
            (Some(EndedBy::Deadline { limit_ms }), _) => End::TimedOut { limit_ms, killed: self.killed },
            (Some(EndedBy::Stop), _) => End::Cancelled,
            (None, Some(Status::Exited(code))) => End::Exited(code),
            (None, Some(Status::Signalled(signal))) => End::Signalled(signal),
            (None, None) => End::SpawnFailed(SpawnFailure {
                cause: SpawnCause::Other,
                message: "its exit status was lost: something else in this process reaps children".into(),
                os_error: None,
            }),
        };
        let diagnosis = match (&end, &invocation.shell_command) {
            (End::Exited(code), Some(command)) => cause::of_shell_exit(*code, command, cwd),
            _ => None,
        };
        self.context.progress.finish();
        FinishedRun {
            end,
            stdout: self.stdout.finish(),
            stderr: self.stderr.finish(),
            stdin: self.stdin.outcome(),
            late_bytes: self.late_bytes,
            drain_ms: self.exited_at.map_or(0.0, |at| at.elapsed().as_secs_f64() * 1000.0),
            leftovers,
            diagnosis,
        }
    }
}
