//! How the end of one run is read: the outcome matrix of stdout by exit code.

use std::sync::Arc;

use serde_json::Value;

use super::answer::{self, Parsed};
use super::merge::ClaudeMerge;
use super::result::{ClaudeResult, missing_file};
use super::says;
use crate::dialect::event::{FailureRule, Late, OtherExit};
use crate::dialect::{EventRow, Profile};
use crate::model::{
    Answer, AnswerKind, End, Handler, Hook, OnFailure, Reading, RunEnd, RunOutcome, SpawnCause, SpawnFailure,
};

pub struct Reader<'a> {
    pub row: &'a EventRow,
    pub profile: &'a Profile,
    pub merge: ClaudeMerge<'a>,
}

impl Reader<'_> {
    pub fn read(&self, end: &RunEnd, hook: &Arc<Hook>) -> (Reading, ClaudeResult) {
        let result = self.result(end, hook);
        let answer = match &result.parsed {
            Parsed::Empty => Answer::of(AnswerKind::Empty),
            Parsed::Text(_) => Answer::of(AnswerKind::Text),
            Parsed::Background => Answer::of(AnswerKind::Json),
            Parsed::Json(fields) => {
                let ignored = answer::ignored(fields, self.row);
                Answer { json: Some(Value::Object(fields.clone())), ignored, ..Answer::of(AnswerKind::Json) }
            }
            Parsed::ParseError(e) | Parsed::SchemaError(e) => {
                let at = answer::error_location(&end.stdout.head, e).map(|at| format!(" [{at}]"));
                Answer { error: Some(e.clone() + &at.unwrap_or_default()), ..Answer::of(AnswerKind::Invalid) }
            }
        };
        let outcome = match (&end.end, result.run) {
            _ if result.background => RunOutcome::Background,
            (End::Cancelled, _) => RunOutcome::Cancelled,
            (End::SpawnFailed(_), _) => RunOutcome::SpawnFailed,
            (_, "cancelled") => RunOutcome::Timeout,
            (_, "non_blocking_error") => RunOutcome::Error,
            _ if self.merge.would_block(&result) => RunOutcome::Blocked,
            _ => RunOutcome::Success,
        };
        let says = if end.end == End::Cancelled {
            "Ended before it had finished: its output is dropped, and it decides nothing.".to_string()
        } else {
            says::of(&result, &self.merge.payload.event, self.row)
        };
        (Reading { outcome, answer, says }, result)
    }

    fn result(&self, end: &RunEnd, hook: &Arc<Hook>) -> ClaudeResult {
        let stderr = String::from_utf8_lossy(&end.stderr.head).into_owned();
        let (parsed, exit) = match &end.end {
            End::Exited(code) => (answer::read(&end.stdout.head, self.row, self.profile), Exit::Code(*code)),
            End::Signalled(_) => (Parsed::Empty, Exit::Code(1)),
            End::TimedOut { .. } | End::NeverStarted { .. } | End::Cancelled => {
                (background_request(&end.stdout.head, self.row, self.profile), Exit::Cancelled)
            }
            End::SpawnFailed(failure) => {
                let text = start_failure(failure, hook);
                (Parsed::Empty, Exit::Failed(format!("Error occurred while executing hook command: {text}")))
            }
            End::Returned(Ok(value)) if matches!(hook.handler, Handler::Http { .. }) => {
                return self.read_http(value, hook, end.hook);
            }
            End::Returned(Ok(value)) => return ClaudeResult::reply(hook, end.hook, value, self.row, self.profile),
            End::Returned(Err(error)) => (Parsed::Empty, Exit::Failed(error.clone())),
        };
        let mut result = ClaudeResult::new(hook, end.hook, stderr, parsed, exit.code());
        result.stdout = String::from_utf8_lossy(&end.stdout.head).trim().to_string();
        result.signalled = matches!(end.end, End::Signalled(_));
        self.classify(&mut result, exit, end.end == End::Cancelled);
        result
    }

    /// An http answer: an empty or JSON body of a 2xx status; anything else is a failure that blocks nothing.
    fn read_http(&self, answer: &Value, hook: &Arc<Hook>, index: usize) -> ClaudeResult {
        let status = answer["status"].as_i64().unwrap_or_default();
        let body = answer["body"].as_str().unwrap_or_default();
        let parsed = answer::read(body.as_bytes(), self.row, self.profile);
        let ok = (200..300).contains(&status);
        let usable = matches!(parsed, Parsed::Empty | Parsed::Json(_) | Parsed::ParseError(_) | Parsed::SchemaError(_));
        let exit = match (ok, usable) {
            (true, true) => Exit::Code(0),
            (true, false) => Exit::Failed("the body is neither empty nor a JSON object".into()),
            (false, _) => Exit::Failed(format!("HTTP status {status}")),
        };
        let parsed = if ok { parsed } else { Parsed::Empty };
        let mut result = ClaudeResult::new(hook, index, String::new(), parsed, exit.code());
        result.status = Some(status);
        self.classify(&mut result, exit, false);
        result
    }

    /// The outcome matrix: stdout kind by exit code.
    fn classify(&self, result: &mut ClaudeResult, exit: Exit, ended_by_us: bool) {
        let may = matches!(result.hook.configured().word(), "command" | "http") && !result.background;
        let wants = result.hook.options.on_failure == OnFailure::Blocks;
        let blocks = may && wants && self.row.failure == FailureRule::CanBlock;
        if result.background {
            // Nobody waits for it; wrong fields are dropped one by one.
            result.run = if matches!(exit, Exit::Cancelled) { "cancelled" } else { "success" };
            return;
        }
        let stderr = Some(result.stderr.trim()).filter(|t| !t.is_empty()).unwrap_or("No stderr output").to_string();
        let non_blocking = |error: &str| format!("Failed with non-blocking status code: {error}");
        let blocking = format!("[{}]: failed; blocking because onFailure is \"block\"", result.hook.name);
        let fail = |result: &mut ClaudeResult, notice: String, detail: &str| {
            result.run = "non_blocking_error";
            if blocks {
                result.blocked_by_failure = Some(format!("{blocking}\n{detail}"));
            } else if self.row.exit.other == OtherExit::Notice {
                result.notice = Some(notice);
            }
        };
        match exit {
            Exit::Cancelled => {
                result.run = "cancelled";
                if !blocks && self.row.late == Late::Notice && !ended_by_us {
                    let (event, seconds) = (self.row.name, result.hook.timeout.unwrap_or_default().as_secs_f64());
                    let help = "Raise the hook's \"timeout\" to allow more time.";
                    let late = format!("timed out after {seconds}s — output discarded. {help}");
                    result.notice = Some(format!("{event} hook [{}] {late}", result.hook.name));
                }
                if blocks {
                    result.blocked_by_failure =
                        Some(format!("[{}]: timed out; blocking because onFailure is \"block\"", result.hook.name));
                }
            }
            Exit::Failed(error) => {
                let refused =
                    error.starts_with("Failed to run:") || matches!(result.hook.configured(), Handler::McpTool { .. });
                let notice = if refused { error.clone() } else { non_blocking(&error) };
                fail(result, notice, &error);
            }
            Exit::Code(2) if missing_file(self.row, result) => {
                result.notice = Some(non_blocking(&stderr));
                result.run = "non_blocking_error";
            }
            Exit::Code(2) => result.run = "blocking_error",
            Exit::Code(code) => match &result.parsed {
                Parsed::ParseError(problem) | Parsed::SchemaError(problem) => {
                    let problem = problem.clone();
                    fail(result, problem.clone(), &problem);
                }
                Parsed::Json(_) if !blocks => result.run = "success",
                _ if code == 0 => result.run = "success",
                _ => fail(result, non_blocking(&stderr), &stderr),
            },
        }
    }
}

/// What a hook that was ended had asked for: only the background is honoured.
fn background_request(stdout: &[u8], row: &EventRow, profile: &Profile) -> Parsed {
    let parsed = answer::read(stdout, row, profile);
    if parsed == Parsed::Background { parsed } else { Parsed::Empty }
}

/// The host's words for a program it cannot start.
fn start_failure(failure: &SpawnFailure, hook: &Hook) -> String {
    let Handler::Exec { argv } = &hook.handler else { return failure.to_string() };
    let program = argv.first().map_or("", String::as_str);
    match failure.cause {
        SpawnCause::MissingProgram if program.contains('/') => {
            format!("ENOENT: no such file or directory, posix_spawn '{program}'")
        }
        SpawnCause::MissingProgram => format!("Executable not found in $PATH: \"{program}\""),
        _ => failure.to_string(),
    }
}

enum Exit {
    Code(i32),
    Failed(String),
    Cancelled,
}

impl Exit {
    fn code(&self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(*code),
            Self::Failed(_) | Self::Cancelled => None,
        }
    }
}
