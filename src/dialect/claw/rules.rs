//! One claw firing: commands one after another until one denies (newest: or fails), and what each of them gave.

use std::sync::Arc;

use serde_json::Value;

use super::answer::{self, ClawContext};
use super::merge::{ClawMerge, ClawResult, Denial};
use super::{message, stdin};
use crate::dialect::call::text;
use crate::dialect::event::{MergeClass, OtherExit};
use crate::dialect::job::job;
use crate::dialect::{Done, EventRow, FiringInput, JsonUse, Profile, Rules};
use crate::model::{Answer, AnswerKind, Captured, End, Hook, Job, Limit, Next, Reading, RunEnd, RunOutcome, Verdict};

pub struct ClawRules {
    input: FiringInput,
    profile: Arc<Profile>,
    row: EventRow,
    stdin: Arc<[u8]>,
    value: Arc<Value>,
    env: Vec<(String, String)>,
}

/// What a hook wrote, as the host takes it: decoded with replacement, trimmed at both ends.
struct Written {
    stdout: String,
    stderr: String,
}

impl Written {
    fn by(end: &RunEnd) -> Self {
        let trimmed = |captured: &Captured| captured.text().trim().to_string();
        Self { stdout: trimmed(&end.stdout), stderr: trimmed(&end.stderr) }
    }
}

/// A run as its author reads it, and as the firing goes on with it.
type Read = (Reading, ClawResult);

#[derive(Clone, Copy)]
enum ProcessEnd {
    Exit(i32),
    Signal,
}

impl ClawRules {
    pub fn new(input: FiringInput, profile: Arc<Profile>) -> Self {
        let row = profile.row(&input.payload.event);
        let value = stdin::value(&input.payload, &row);
        Self {
            env: stdin::environment(&input.payload, &value, &row),
            stdin: serde_json::to_vec(&value).unwrap_or_default().into(),
            value: Arc::new(value),
            row,
            profile,
            input,
        }
    }

    fn event(&self) -> &str {
        &self.input.payload.event
    }

    fn tool(&self) -> &str {
        self.input.payload.text("tool_name").unwrap_or_default()
    }

    fn signalled(&self, hook: &Hook) -> String {
        message::signalled(self.event(), &hook.name, self.tool())
    }

    /// A hook that failed and wrote `messages`: the specification warns and goes on, the newest program blocks. The
    /// host's own `notice` is shown for a hook that said nothing.
    fn failed(&self, notice: String, mut messages: Vec<String>, outcome: RunOutcome, answer: Answer) -> Read {
        let mut result = ClawResult { error: Some(notice.clone()), ..ClawResult::default() };
        let says = match self.row.exit.other {
            OtherExit::Notice | OtherExit::Quiet | OtherExit::ActionFails | OtherExit::HookFails | OtherExit::Warns => {
                messages.push(notice.clone());
                let says = format!("Only a warning here: {notice}. The tool proceeds; exit 2 would deny it.");
                result.warning = Some(notice);
                says
            }
            OtherExit::Blocks => {
                let says = format!("Blocks: {notice}. The newest program treats a failing hook as a block.");
                if messages.is_empty() {
                    messages.push(notice);
                }
                let rule = "any exit but 0 and 2, a signal or a failed start fails the run and blocks";
                result.denial = Some(Denial { reason: None, rule });
                says
            }
        };
        (Reading { outcome, answer, says }, ClawResult { messages, ..result })
    }

    fn exited(&self, how: ProcessEnd, hook: &Hook, written: &Written, end: &RunEnd) -> Read {
        match (self.profile.json, how) {
            (JsonUse::Never, ProcessEnd::Exit(code)) => self.as_specified(code, hook, written, end),
            (JsonUse::Never, ProcessEnd::Signal) => {
                self.failed(self.signalled(hook), Vec::new(), RunOutcome::Error, Answer::of(AnswerKind::Empty))
            }
            (JsonUse::ExitZero | JsonUse::AnyExit, how) => self.as_newest(how, hook, written),
        }
    }

    /// The specification: stdout is text, and the exit code decides.
    fn as_specified(&self, code: i32, hook: &Hook, written: &Written, end: &RunEnd) -> Read {
        let stdout = &written.stdout;
        let mut answer = Answer::of(if stdout.is_empty() { AnswerKind::Empty } else { AnswerKind::Text });
        if stdout.starts_with('{') && serde_json::from_str::<Value>(stdout).is_ok() {
            let why = "this is JSON, and this host reads stdout as plain feedback text; the exit code decides";
            answer.ignored.push(why.into());
        }
        match code {
            0 if stdout.is_empty() => told(RunOutcome::Success, answer, "Allowed, with nothing to add.", Vec::new()),
            0 => {
                let says = "Allowed; its stdout is merged into the tool's result as feedback.";
                told(RunOutcome::Success, answer, says, vec![stdout.clone()])
            }
            2 => {
                let silent = || message::silent_denial(self.event(), self.tool());
                let reason = Some(stdout.clone()).filter(|t| !t.is_empty()).unwrap_or_else(silent);
                let says = "Denied by exit 2; later hooks are skipped.";
                let (reading, result) = told(RunOutcome::Blocked, answer, says, vec![reason.clone()]);
                let denial = Denial { reason: Some(reason), rule: "exit 2 denies, and its stdout is the message" };
                (reading, ClawResult { denial: Some(denial), ..result })
            }
            _ => {
                let warning = message::warning(&hook.name, code, stdout, &written.stderr);
                let (mut reading, result) = self.failed(warning, Vec::new(), RunOutcome::Error, answer);
                if let Some(diagnosis) = &end.diagnosis {
                    reading.says = format!("{} ({diagnosis})", reading.says);
                }
                (reading, result)
            }
        }
    }

    /// The newest program: how the process ended decides after its stdout was read.
    fn as_newest(&self, how: ProcessEnd, hook: &Hook, written: &Written) -> Read {
        let Written { stdout, stderr } = written;
        let around = ClawContext { event: self.event(), tool: self.tool(), command: &hook.name };
        let mut read = answer::read(stdout, stderr, &around);
        let kind = match (&read.json, &read.error, stdout.is_empty()) {
            (_, _, true) => AnswerKind::Empty,
            (_, Some(_), _) => AnswerKind::Invalid,
            (Some(_), None, _) => AnswerKind::Json,
            (None, None, _) => AnswerKind::Text,
        };
        let answer = Answer { kind, json: read.json.take(), error: read.error.take(), ignored: Vec::new() };
        let mut messages = std::mem::take(&mut read.messages);
        let (reading, result) = match how {
            ProcessEnd::Exit(code) if code == 2 || (code == 0 && read.denies) => {
                if messages.is_empty() {
                    messages.push(message::silent_denial(self.event(), self.tool()));
                }
                let says = "Denied; later hooks are skipped.";
                let (reading, result) = told(RunOutcome::Blocked, answer, says, messages);
                let rule = "exit 2, decision block or continue false blocks";
                (reading, ClawResult { denial: Some(Denial { reason: None, rule }), ..result })
            }
            ProcessEnd::Exit(0) => {
                let silent = messages.is_empty();
                let says =
                    if silent { "Allowed, with nothing to add." } else { "Allowed; its messages become feedback." };
                told(RunOutcome::Success, answer, says, messages)
            }
            ProcessEnd::Exit(code) => {
                self.failed(message::failure(&hook.name, code, stderr), messages, RunOutcome::Error, answer)
            }
            ProcessEnd::Signal => self.failed(self.signalled(hook), messages, RunOutcome::Error, answer),
        };
        let permission = Some(read).filter(|_| self.row.merge == MergeClass::Permission);
        (reading, ClawResult { permission, ..result })
    }
}

fn told(outcome: RunOutcome, answer: Answer, says: &str, messages: Vec<String>) -> Read {
    (Reading { outcome, answer, says: says.into() }, ClawResult { messages, ..ClawResult::default() })
}

impl Rules for ClawRules {
    type Answer = ClawResult;
    type Carried = ();

    fn start(&self) {}

    fn launch(&self, hook: usize, (): &()) -> (Job, Limit) {
        let handler = &self.input.plan.hook(hook).handler;
        (job(handler, self.profile.shell, &self.stdin, &self.value, self.env.clone()), Limit::default())
    }

    fn read(&self, end: &RunEnd) -> Read {
        let hook = self.input.plan.hook(end.hook);
        let none = Answer::of(AnswerKind::Empty);
        match &end.end {
            End::Exited(code) => self.exited(ProcessEnd::Exit(*code), hook, &Written::by(end), end),
            End::Signalled(_) => self.exited(ProcessEnd::Signal, hook, &Written::by(end), end),
            End::SpawnFailed(failure) => {
                let error = failure.os_error.as_ref().unwrap_or(&failure.message);
                let notice = message::not_started(self.event(), &hook.name, self.tool(), error);
                let (mut reading, result) = self.failed(notice, Vec::new(), RunOutcome::SpawnFailed, none);
                reading.says = format!("{} ({failure})", reading.says);
                (reading, result)
            }
            End::Returned(Ok(value)) => {
                let written = Written { stdout: text(value).trim().to_string(), stderr: String::new() };
                self.exited(ProcessEnd::Exit(0), hook, &written, end)
            }
            End::Returned(Err(error)) => {
                self.failed(message::warning(&hook.name, 1, "", error), Vec::new(), RunOutcome::Error, none)
            }
            End::Cancelled => told(RunOutcome::Cancelled, none, "Cancelled by you.", Vec::new()),
            End::TimedOut { .. } | End::NeverStarted { .. } => {
                self.failed(self.signalled(hook), Vec::new(), RunOutcome::Timeout, none)
            }
        }
    }

    fn next(&self, hook: usize, _reading: &Reading, result: &ClawResult) -> Next {
        let label = &self.input.plan.hook(hook).label;
        let halt = |_| Next::Halt(format!("`{label}` blocked the call, and hooks after it are skipped"));
        result.denial.as_ref().map_or(Next::Go, halt)
    }

    fn merge(&self, done: &[Done<ClawResult>], (): &()) -> Verdict {
        ClawMerge::of(&self.input.plan, done).verdict(&self.input.payload, &self.row)
    }
}
