//! One goat firing: strictly one hook after another, one deadline per matcher entry, a second phase for async
//! answers, and an end at the first `continue: false`.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::answer::{GoatAnswer, SyncAnswer, parse, read_stdout, read_value};
use super::decide::{self, Results};
use super::stdin;
use crate::dialect::job::job;
use crate::dialect::{EventRow, FiringInput, Profile, Script};
use crate::model::{
    Answer, AnswerKind, End, Gate, GateKind, Launch, Limit, Reading, RunEnd, RunOutcome, Settled, Verdict,
};

/// The state of one firing.
pub struct GoatFiring {
    input: FiringInput,
    profile: Arc<Profile>,
    row: EventRow,
    stdin_value: Arc<Value>,
    stdin_bytes: Arc<[u8]>,
    queue: VecDeque<usize>,
    running: bool,
    second_phase: Option<(usize, u64)>,
    results: Results,
    ended_by: Option<(String, HaltCause)>,
}

/// Why hooks after this point do not run.
enum HaltCause {
    ContinueFalse,
    Cancelled,
}

impl GoatFiring {
    /// Ready to be driven.
    pub fn new(input: FiringInput, profile: Arc<Profile>) -> Self {
        let empty = serde_json::Map::new();
        let session = input.hooks.settings.get("session").and_then(Value::as_object).unwrap_or(&empty);
        let value = stdin::input(&input.payload, session, &profile);
        let bytes = serde_json::to_vec(&value).unwrap_or_default();
        Self {
            row: profile.row(&input.payload.event),
            profile,
            stdin_value: Arc::new(value),
            stdin_bytes: bytes.into(),
            queue: input.plan.running().collect(),
            input,
            running: false,
            second_phase: None,
            results: Results::default(),
            ended_by: None,
        }
    }

    fn launch(&self, hook: usize, phase: u32, own: Option<Duration>) -> Launch {
        let entry = self.input.plan.hook(hook);
        let job = job(&entry.handler, self.profile.shell, &self.stdin_bytes, &self.stdin_value, Vec::new());
        Launch { hook, phase, job, limit: Limit { group: entry.timeout.map(|t| (entry.group, t)), own, grace: None } }
    }

    fn failed(&mut self, label: &str, outcome: RunOutcome, answer: Answer, says: String) -> Reading {
        self.results.errors.push(format!("{label}: {says}"));
        Reading { outcome, answer, says, settled: Settled::Done }
    }

    fn accepted(&mut self, end: &RunEnd, answer: SyncAnswer, json: Option<Value>) -> Reading {
        let label = self.input.plan.hook(end.hook).label.clone();
        let kind = if json.is_some() { AnswerKind::Json } else { AnswerKind::Empty };
        let ignored = decide::ignored_fields(&self.profile, &self.row, &self.input.payload, &answer);
        self.results.warnings.extend(ignored.iter().map(|i| format!("{label}: {i}")));
        let says = decide::says(&self.row, &answer);
        let blocked = decide::denies(&self.row, &answer);
        if answer.go_on == Some(false) {
            self.ended_by = Some((label.clone(), HaltCause::ContinueFalse));
        }
        self.results.answers.push((label, answer));
        Reading {
            outcome: if blocked { RunOutcome::Blocked } else { RunOutcome::Success },
            answer: Answer { kind, json, error: None, ignored },
            says,
            settled: Settled::Done,
        }
    }

    fn read(&mut self, end: &RunEnd, label: &str, parsed: Result<GoatAnswer, String>, json: Option<Value>) -> Reading {
        match parsed {
            Ok(GoatAnswer::Sync(answer)) => self.accepted(end, answer, json),
            Ok(GoatAnswer::Async { seconds }) if end.phase == 0 => {
                self.second_phase = Some((end.hook, seconds));
                self.results.async_seconds.push(seconds);
                Reading {
                    outcome: RunOutcome::Success,
                    answer: Answer { json, ..Answer::of(AnswerKind::Json) },
                    says: format!("It asked for a second run, which the host starts at once and gives {seconds} s."),
                    settled: Settled::Again,
                }
            }
            Ok(GoatAnswer::Async { .. }) => {
                let mut reading = self.accepted(end, SyncAnswer::default(), json);
                reading.says = "It answered async a second time; the host takes that as an empty answer.".into();
                reading
            }
            Err(error) => {
                let says = format!("Failed: {error}. The host logs it and goes on as if the hook had not run.");
                let answer = Answer { error: Some(error), json, ..Answer::of(AnswerKind::Invalid) };
                self.failed(label, RunOutcome::Error, answer, says)
            }
        }
    }
}

impl Script for GoatFiring {
    fn ready(&mut self) -> Vec<Launch> {
        if self.running || self.ended_by.is_some() {
            return Vec::new();
        }
        let launch = if let Some((hook, seconds)) = self.second_phase.take() {
            self.launch(hook, 1, Some(Duration::from_secs(seconds)))
        } else if let Some(hook) = self.queue.pop_front() {
            self.launch(hook, 0, None)
        } else {
            return Vec::new();
        };
        self.running = true;
        vec![launch]
    }

    fn ended(&mut self, end: &RunEnd) -> Reading {
        self.running = false;
        let label = self.input.plan.hook(end.hook).label.clone();
        let none = Answer::of(AnswerKind::Empty);
        let goes_on = "the host logs it and goes on as if the hook had not run";
        match &end.end {
            End::Exited(0) if end.stdout.truncated() => {
                let says = format!(
                    "It printed {} bytes, more than hookdbg keeps, so its answer cannot be read here; raise --max-output. \
                     The host would read it whole.",
                    end.stdout.total
                );
                self.failed(&label, RunOutcome::Error, Answer::of(AnswerKind::Invalid), says)
            }
            End::Exited(0) => {
                let json = parse(&String::from_utf8_lossy(&end.stdout.head)).ok().filter(|v| !v.is_null());
                self.read(end, &label, read_stdout(&end.stdout.head), json)
            }
            End::Returned(Ok(value)) => {
                let json = (!value.is_null()).then(|| value.clone());
                self.read(end, &label, read_value(value.clone()), json)
            }
            End::Returned(Err(error)) => self.failed(
                &label,
                RunOutcome::Error,
                none,
                format!("Failed: the callback returned the error \"{error}\"; {goes_on}."),
            ),
            End::Exited(code) => {
                let two = if *code == 2 {
                    " Exit 2 is no deny here: print {\"decision\":\"block\"} and exit 0 instead."
                } else {
                    ""
                };
                let cause = end.diagnosis.as_ref().map_or_else(String::new, |d| format!(" ({d})"));
                let says = format!("Failed: exit {code}{cause}; {goes_on}, and its stdout is not read.{two}");
                self.failed(&label, RunOutcome::Error, none, says)
            }
            End::Signalled(signal) => {
                self.failed(&label, RunOutcome::Error, none, format!("Failed: ended by signal {signal}; {goes_on}."))
            }
            End::TimedOut { limit_ms, .. } => {
                let what = if end.phase > 0 { "the second run of an async answer" } else { "its matcher entry" };
                let says = format!("Timed out: the limit of {} for {what} is used up; {goes_on}.", seconds(*limit_ms));
                self.failed(&label, RunOutcome::Timeout, none, says)
            }
            End::NeverStarted { limit_ms } => {
                let says = format!(
                    "Never started: earlier hooks of the same matcher entry used up its {}; {goes_on}.",
                    seconds(*limit_ms)
                );
                self.failed(&label, RunOutcome::Timeout, none, says)
            }
            End::Cancelled => {
                self.ended_by = Some((label.clone(), HaltCause::Cancelled));
                self.failed(&label, RunOutcome::Cancelled, none, "Cancelled by you before it had answered.".into())
            }
            End::SpawnFailed(failure) => {
                self.failed(&label, RunOutcome::SpawnFailed, none, format!("Did not start: {failure}; {goes_on}."))
            }
        }
    }

    fn halted(&self) -> Option<Gate> {
        let (label, cause) = self.ended_by.as_ref()?;
        let why = match cause {
            HaltCause::ContinueFalse => format!("`{label}` answered continue: false, which ends the firing"),
            HaltCause::Cancelled => format!("the firing was cancelled while `{label}` ran"),
        };
        Some(Gate::new(GateKind::Halted, why))
    }

    fn verdict(&mut self) -> Verdict {
        decide::verdict(&self.row, &self.input.payload, &self.results)
    }
}

fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{} s", ms / 1000) } else { format!("{ms} ms") }
}
