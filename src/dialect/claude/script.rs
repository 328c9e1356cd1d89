//! One firing: every matching hook starts at once; answers are read as they finish.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::answer::{self, Parsed};
use super::environment;
use super::merge::Merge;
use super::policy::identity;
use super::result::{Result as HookResult, missing_file};
use super::says;
use super::stdin::Stdin;
use crate::dialect::event::{FailureRule, FirstBlock, Late, Limits, OtherExit};
use crate::dialect::job::job;
use crate::dialect::{EventRow, FiringInput, Profile, Script};
use crate::model::{
    Answer, AnswerKind, End, Gate, GateKind, Handler, Hook, Job, Launch, Limit, Plan, PlanEntry, Reading, RunEnd,
    RunOutcome, Settled, SpawnCause, SpawnFailure, Verdict,
};

/// From TERM to KILL.
const GRACE: Duration = Duration::from_millis(1500);

/// The state of one firing.
pub struct ClaudeFiring {
    input: FiringInput,
    row: EventRow,
    started: bool,
    replies: Vec<Value>,
    profile: Arc<Profile>,
    hooks: HashMap<usize, Hook>,
    merge: Merge,
}

impl ClaudeFiring {
    /// Ready to be driven.
    pub fn new(input: FiringInput, profile: Arc<Profile>) -> Self {
        let replies = input.host.get("replies").and_then(Value::as_array).cloned().unwrap_or_default();
        let merge = Merge::new(input.payload.clone(), input.host.clone(), Arc::clone(&profile));
        let hooks = input.plan.running().map(|i| (i, Self::effective(&input.plan, i))).collect();
        Self { row: profile.row(&input.payload.event), started: false, replies, profile, hooks, merge, input }
    }

    /// The hook as the host runs it: its own place, the options of its last duplicate.
    fn effective(plan: &Plan, index: usize) -> Hook {
        let mut hook = plan.hook(index).clone();
        let duplicate = |gate: &Option<Gate>| gate.as_ref().is_some_and(|g| g.gate == GateKind::Duplicate);
        let same = |e: &&PlanEntry| duplicate(&e.gate) && identity(&e.hook) == identity(&hook);
        if let Some(last) = plan.entries[index + 1..].iter().rfind(same) {
            hook.timeout = last.hook.timeout;
            hook.options.clone_from(&last.hook.options);
        }
        hook
    }

    /// What to run for `hook`, the `index`-th of the plan.
    fn job(&mut self, hook: &Hook, index: usize, stdin: &Stdin) -> Job {
        if let Handler::Reply { kind, text } = &hook.handler {
            return if kind == "http" { http(hook, text, &stdin.body) } else { self.reply() };
        }
        if let Some(why) = environment::refusal(hook) {
            return Job::Stub(Err(why));
        }
        if let (Handler::Shell { command }, Some("powershell")) =
            (&hook.handler, hook.options.get("shell").and_then(Value::as_str))
        {
            let command = environment::for_powershell(command);
            let argv = vec!["pwsh".into(), "-NoProfile".into(), "-NonInteractive".into(), "-Command".into(), command];
            return self.process(&Handler::Exec { argv }, hook, index, stdin);
        }
        let known = environment::placeholders(hook, &self.input);
        let handler = match &hook.handler {
            Handler::Exec { argv } => {
                Handler::Exec { argv: argv.iter().map(|a| environment::replace(a, &known)).collect() }
            }
            Handler::Shell { command } => {
                let command = environment::replace(command, &known);
                match environment::variable(&self.input.host, "CLAUDE_CODE_SHELL_PREFIX") {
                    // The prefix is taken as one word.
                    Some(prefix) => {
                        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
                        Handler::Shell { command: format!("{} {}", quoted(&prefix), quoted(&command)) }
                    }
                    None => Handler::Shell { command },
                }
            }
            other => other.clone(),
        };
        self.process(&handler, hook, index, stdin)
    }

    fn process(&self, handler: &Handler, hook: &Hook, index: usize, stdin: &Stdin) -> Job {
        let mut env = environment::common(&self.input, &self.profile);
        if environment::plugin_root(hook).is_some() {
            let own = environment::placeholders(hook, &self.input).into_iter().skip(1);
            env.extend(own.map(|(name, value)| (name.to_string(), value)));
        }
        let mut made = job(handler, self.profile.shell, &stdin.bytes, &stdin.value, env);
        if let Job::Process(process) = &mut made {
            process.without = environment::WITHOUT.to_vec();
            process.note = environment::note(&self.row, index);
        }
        made
    }

    /// A hook that runs in the background has no limit, unless it may wake the agent; the end of a session has one for all.
    fn limit(&self, hook: &Hook) -> Limit {
        let on = |name: &str| hook.options.get(name) == Some(&Value::Bool(true));
        let given = environment::variable(&self.input.host, "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS");
        let given = given.and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
        let shared = given.or(hook.timeout).filter(|_| matches!(self.row.limit, Limits::Shared(_))).map(|b| (0, b));
        let own = hook.timeout.filter(|_| shared.is_none() && (!on("async") || on("asyncRewake")));
        Limit { group: shared, own, grace: Some(GRACE) }
    }

    /// The reply a model-judged hook was given; they are taken in the order of the hooks.
    fn reply(&mut self) -> Job {
        if self.replies.is_empty() {
            return Job::Stub(Err("it asks a model; give the model's reply with --reply".into()));
        }
        Job::Stub(Ok(self.replies.remove(0)))
    }

    fn read_end(&self, end: &RunEnd, hook: &Hook) -> HookResult {
        let command = hook.name.clone();
        let stderr = String::from_utf8_lossy(&end.stderr.head).into_owned();
        let (parsed, exit) = match &end.end {
            End::Exited(code) => (answer::read(&end.stdout.head, &self.row, &self.profile), Exit::Code(*code)),
            End::Signalled(_) => (Parsed::Empty, Exit::Code(1)),
            End::TimedOut { .. } | End::NeverStarted { .. } | End::Cancelled => {
                (aside(&end.stdout.head, &self.row, &self.profile), Exit::Cancelled)
            }
            End::SpawnFailed(failure) => {
                let text = start_failure(failure, hook);
                (Parsed::Empty, Exit::Failed(format!("Error occurred while executing hook command: {text}")))
            }
            End::Returned(Ok(value)) if hook.options.get("type") == Some(&json!("http")) => {
                return self.read_http(value, hook);
            }
            End::Returned(Ok(value)) => return HookResult::reply(hook, value, &self.row, &self.profile),
            End::Returned(Err(error)) => (Parsed::Empty, Exit::Failed(error.clone())),
        };
        let mut result = HookResult::new(hook, command, stderr, parsed, exit.code());
        result.stdout = String::from_utf8_lossy(&end.stdout.head).trim().to_string();
        result.signalled = matches!(end.end, End::Signalled(_));
        self.classify(&mut result, exit, end.end == End::Cancelled);
        result
    }

    /// An http answer: an empty or JSON body of a 2xx status; anything else is a failure that blocks nothing.
    fn read_http(&self, answer: &Value, hook: &Hook) -> HookResult {
        let status = answer["status"].as_i64().unwrap_or_default();
        let body = answer["body"].as_str().unwrap_or_default();
        let parsed = answer::read(body.as_bytes(), &self.row, &self.profile);
        let ok = (200..300).contains(&status);
        let usable = matches!(parsed, Parsed::Empty | Parsed::Json(_) | Parsed::ParseError(_) | Parsed::SchemaError(_));
        let exit = match (ok, usable) {
            (true, true) => Exit::Code(0),
            (true, false) => Exit::Failed("the body is neither empty nor a JSON object".into()),
            (false, _) => Exit::Failed(format!("HTTP status {status}")),
        };
        let parsed = if ok { parsed } else { Parsed::Empty };
        let mut result = HookResult::new(hook, hook.name.clone(), String::new(), parsed, exit.code());
        result.status = Some(status);
        self.classify(&mut result, exit, false);
        result
    }

    /// The outcome matrix: stdout kind by exit code.
    fn classify(&self, result: &mut HookResult, exit: Exit, ended_by_us: bool) {
        let may = matches!(result.option("type").as_deref(), Some("command" | "http")) && !result.background;
        let blocks =
            may && result.option("onFailure").as_deref() == Some("block") && self.row.failure == FailureRule::CanBlock;
        if result.background {
            // Nobody waits for it; wrong fields are dropped one by one.
            result.run = if matches!(exit, Exit::Cancelled) { "cancelled" } else { "success" };
            return;
        }
        let trimmed = result.stderr.trim().to_string();
        let stderr = if trimmed.is_empty() { "No stderr output".to_string() } else { trimmed };
        let fail = |result: &mut HookResult, notice: String, detail: &str, what: &str| {
            result.run = "non_blocking_error";
            if blocks {
                result.blocked_by_failure =
                    Some(format!("[{}]: {what}; blocking because onFailure is \"block\"\n{detail}", result.command));
            } else if self.row.exit.other == OtherExit::Notice {
                result.notice = Some(notice);
            }
        };
        match exit {
            Exit::Cancelled => {
                result.run = "cancelled";
                if !blocks && self.row.late == Late::Notice && !ended_by_us {
                    result.notice = Some(format!(
                        "{} hook [{}] timed out after {}s — output discarded. Raise the hook's \"timeout\" to \
                         allow more time.",
                        self.row.name, result.command, result.limit
                    ));
                }
                if blocks {
                    result.blocked_by_failure =
                        Some(format!("[{}]: timed out; blocking because onFailure is \"block\"", result.command));
                }
            }
            Exit::Failed(error) => {
                let refused =
                    error.starts_with("Failed to run:") || result.options.get("type") == Some(&json!("mcp_tool"));
                let notice =
                    if refused { error.clone() } else { format!("Failed with non-blocking status code: {error}") };
                fail(result, notice, &error, "failed");
            }
            Exit::Code(2) if missing_file(&self.row, result) => {
                result.run = "non_blocking_error";
                result.notice = Some(format!("Failed with non-blocking status code: {stderr}"));
            }
            Exit::Code(2) => result.run = "blocking_error",
            Exit::Code(code) => {
                let problem = match &result.parsed {
                    Parsed::ParseError(problem) | Parsed::SchemaError(problem) => Some(problem.clone()),
                    _ => None,
                };
                match (problem, &result.parsed, code) {
                    (Some(problem), _, _) => fail(result, problem.clone(), &problem, "failed"),
                    (None, _, 0) => result.run = "success",
                    (None, Parsed::Json(_), _) if !blocks => result.run = "success",
                    (None, _, _) => {
                        fail(result, format!("Failed with non-blocking status code: {stderr}"), &stderr, "failed");
                    }
                }
            }
        }
    }
}

/// What a hook that was ended had asked for: only the background is honoured.
fn aside(stdout: &[u8], row: &EventRow, profile: &Profile) -> Parsed {
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

/// The request of an http hook.
fn http(hook: &Hook, url: &str, body: &Arc<[u8]>) -> Job {
    let headers = hook.options.get("headers").and_then(Value::as_object).into_iter().flatten();
    let headers = headers.filter_map(|(k, v)| Some((k.clone(), v.as_str()?.to_string()))).collect();
    let allowed = hook.options.get("allowedEnvVars").and_then(Value::as_array).into_iter().flatten();
    let allowed = allowed.filter_map(|v| v.as_str().map(str::to_string)).collect();
    Job::Http { url: url.to_string(), headers, allowed, body: body.clone() }
}

/// How a run ended, for the matrix.
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

impl Script for ClaudeFiring {
    fn ready(&mut self) -> Vec<Launch> {
        if std::mem::replace(&mut self.started, true) {
            return Vec::new();
        }
        let stdin = Stdin::of(&self.input.payload, &self.profile);
        let plan = self.input.plan.clone();
        let launches = plan.running().enumerate().map(|(at, index)| {
            let hook = self.hooks.get(&index).unwrap_or_else(|| plan.hook(index)).clone();
            let job = self.job(&hook, at, &stdin);
            Launch { hook: index, phase: 0, job, limit: self.limit(&hook) }
        });
        launches.collect()
    }

    fn ended(&mut self, end: &RunEnd) -> Reading {
        let plan = self.input.plan.clone();
        let hook = self.hooks.get(&end.hook).unwrap_or_else(|| plan.hook(end.hook));
        let result = self.read_end(end, hook);
        let (json, error) = match &result.parsed {
            Parsed::Json(fields) => (Some(Value::Object(fields.clone())), None),
            Parsed::ParseError(e) | Parsed::SchemaError(e) => {
                let place = answer::offence(&end.stdout.head, e).map_or_else(String::new, |at| format!(" [{at}]"));
                (None, Some(format!("{e}{place}")))
            }
            _ => (None, None),
        };
        let kind = match &result.parsed {
            Parsed::Empty => AnswerKind::Empty,
            Parsed::Text(_) => AnswerKind::Text,
            Parsed::Json(_) | Parsed::Background => AnswerKind::Json,
            Parsed::ParseError(_) | Parsed::SchemaError(_) => AnswerKind::Invalid,
        };
        let ignored = match &result.parsed {
            Parsed::Json(fields) => answer::ignored(fields, &self.row),
            _ => Vec::new(),
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
        // The first block of a prompt decides at once; slower hooks are ended.
        let ends_others = outcome == RunOutcome::Blocked && self.row.first_block == FirstBlock::EndsOthers;
        let says = if end.end == End::Cancelled {
            "Ended before it had finished: its output is dropped, and it decides nothing.".to_string()
        } else {
            says::of(&result, &self.input.payload.event, &self.row)
        };
        self.merge.add(end.hook, result);
        let settled = if ends_others { Settled::EndsOthers } else { Settled::Done };
        Reading { outcome, answer: Answer { kind, json, error, ignored }, says, settled }
    }

    fn halted(&self) -> Option<Gate> {
        None
    }

    fn verdict(&mut self) -> Verdict {
        let mut verdict = self.merge.verdict();
        verdict.host.insert("version".into(), json!(self.profile.version));
        verdict.warnings.extend(self.row.unverified.map(|u| format!("not established: {u}")));
        verdict
    }
}
