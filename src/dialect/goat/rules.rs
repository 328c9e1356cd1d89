//! One goat firing: strictly one hook after another, one deadline per matcher entry, a second phase for async
//! answers, and an end at the first `continue: false`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::answer::{GoatAnswer, SyncAnswer, parse, read_stdout, read_value};
use super::decide::{self, GoatResult};
use super::stdin;
use crate::dialect::job::job;
use crate::dialect::{Done, EventRow, FiringInput, Profile, Rules};
use crate::model::{Answer, AnswerKind, End, Job, Limit, Next, Reading, RunEnd, RunOutcome, Verdict};

/// What the host does about a hook that failed.
const GOES_ON: &str = "the host logs it and goes on as if the hook had not run";

pub struct GoatRules {
    input: FiringInput,
    profile: Arc<Profile>,
    row: EventRow,
    value: Arc<Value>,
    stdin: Arc<[u8]>,
}

impl GoatRules {
    pub fn new(input: FiringInput, profile: Arc<Profile>) -> Self {
        let value = stdin::input(&input.payload, &input.hooks.session, &profile);
        Self {
            row: profile.row(&input.payload.event),
            profile,
            stdin: serde_json::to_vec(&value).unwrap_or_default().into(),
            value: Arc::new(value),
            input,
        }
    }

    fn accepted(&self, answer: SyncAnswer, json: Option<Value>) -> (Reading, GoatResult) {
        let kind = if json.is_some() { AnswerKind::Json } else { AnswerKind::Empty };
        let ignored = decide::ignored_fields(&self.profile, &self.row, &self.input.payload, &answer);
        let blocked = decide::denies(&self.row, &answer);
        let reading = Reading {
            outcome: if blocked { RunOutcome::Blocked } else { RunOutcome::Success },
            answer: Answer { kind, json, error: None, ignored: ignored.clone() },
            says: decide::says(&self.row, &answer),
        };
        (reading, GoatResult::Accepted { answer, ignored })
    }

    fn answered(&self, end: &RunEnd, parsed: Result<GoatAnswer, String>, json: Option<Value>) -> (Reading, GoatResult) {
        match parsed {
            Ok(GoatAnswer::Sync(answer)) => self.accepted(answer, json),
            Ok(GoatAnswer::Async { seconds }) if end.phase == 0 => {
                let reading = Reading {
                    outcome: RunOutcome::Success,
                    answer: Answer { json, ..Answer::of(AnswerKind::Json) },
                    says: format!("It asked for a second run, which the host starts at once and gives {seconds} s."),
                };
                (reading, GoatResult::Again { seconds })
            }
            Ok(GoatAnswer::Async { .. }) => {
                let (mut reading, result) = self.accepted(SyncAnswer::default(), json);
                reading.says = "It answered async a second time; the host takes that as an empty answer.".into();
                (reading, result)
            }
            Err(error) => {
                let says = format!("Failed: {error}. The host logs it and goes on as if the hook had not run.");
                let answer = Answer { error: Some(error), json, ..Answer::of(AnswerKind::Invalid) };
                failed(RunOutcome::Error, answer, says)
            }
        }
    }
}

impl Rules for GoatRules {
    type Answer = GoatResult;
    type Carried = ();

    fn start(&self) {}

    fn launch(&self, hook: usize, (): &()) -> (Job, Limit) {
        let hook = self.input.plan.hook(hook);
        let job = job(&hook.handler, self.profile.shell, &self.stdin, &self.value, Vec::new());
        (job, Limit { group: hook.timeout.map(|t| (hook.group, t)), ..Limit::default() })
    }

    fn read(&self, end: &RunEnd) -> (Reading, GoatResult) {
        let (outcome, says) = match &end.end {
            End::Exited(0) if end.stdout.truncated() => {
                let printed = format!("It printed {} bytes, more than hookdbg keeps", end.stdout.total);
                let help = "so its answer cannot be read here; raise --max-output. The host would read it whole.";
                return failed(RunOutcome::Error, Answer::of(AnswerKind::Invalid), format!("{printed}, {help}"));
            }
            End::Exited(0) => {
                let json = parse(&String::from_utf8_lossy(&end.stdout.head)).ok().filter(|v| !v.is_null());
                return self.answered(end, read_stdout(&end.stdout.head), json);
            }
            End::Returned(Ok(value)) => {
                let json = Some(value.clone()).filter(|v| !v.is_null());
                return self.answered(end, read_value(value.clone()), json);
            }
            End::Returned(Err(error)) => {
                (RunOutcome::Error, format!("Failed: the callback returned the error \"{error}\"; {GOES_ON}."))
            }
            End::Exited(code) => {
                let deny = " Exit 2 is no deny here: print {\"decision\":\"block\"} and exit 0 instead.";
                let two = if *code == 2 { deny } else { "" };
                let cause = end.diagnosis.as_ref().map_or_else(String::new, |d| format!(" ({d})"));
                let says = format!("Failed: exit {code}{cause}; {GOES_ON}, and its stdout is not read.{two}");
                (RunOutcome::Error, says)
            }
            End::Signalled(signal) => (RunOutcome::Error, format!("Failed: ended by signal {signal}; {GOES_ON}.")),
            End::TimedOut { limit_ms, .. } => {
                let what = if end.phase > 0 { "the second run of an async answer" } else { "its matcher entry" };
                let limit = seconds(*limit_ms);
                (RunOutcome::Timeout, format!("Timed out: the limit of {limit} for {what} is used up; {GOES_ON}."))
            }
            End::NeverStarted { limit_ms } => {
                let cause = format!("earlier hooks of the same matcher entry used up its {}", seconds(*limit_ms));
                (RunOutcome::Timeout, format!("Never started: {cause}; {GOES_ON}."))
            }
            End::Cancelled => (RunOutcome::Cancelled, "Cancelled by you before it had answered.".into()),
            End::SpawnFailed(failure) => (RunOutcome::SpawnFailed, format!("Did not start: {failure}; {GOES_ON}.")),
        };
        failed(outcome, Answer::of(AnswerKind::Empty), says)
    }

    fn next(&self, hook: usize, _reading: &Reading, result: &GoatResult) -> Next {
        match result {
            GoatResult::Again { seconds } => Next::Again(Duration::from_secs(*seconds)),
            GoatResult::Accepted { answer, .. } if answer.continues == Some(false) => {
                let label = &self.input.plan.hook(hook).label;
                Next::Halt(format!("`{label}` answered continue: false, which ends the firing"))
            }
            GoatResult::Accepted { .. } | GoatResult::Failed(_) => Next::Go,
        }
    }

    fn merge(&self, done: &[Done<GoatResult>], (): &()) -> Verdict {
        decide::verdict(&self.row, &self.input, done)
    }
}

fn failed(outcome: RunOutcome, answer: Answer, says: String) -> (Reading, GoatResult) {
    (Reading { outcome, answer, says: says.clone() }, GoatResult::Failed(says))
}

fn seconds(ms: u64) -> String {
    if ms.is_multiple_of(1000) { format!("{} s", ms / 1000) } else { format!("{ms} ms") }
}
