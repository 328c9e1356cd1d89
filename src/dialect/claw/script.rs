//! One claw firing: commands one after another until one denies (newest: or fails).

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::{self, Circumstances};
use super::call;
use super::message::{self, Label};
use crate::dialect::event::{MergeClass, OtherExit};
use crate::dialect::job::job;
use crate::dialect::{EventRow, FiringInput, JsonUse, Profile, Script};
use crate::model::{
    Answer, AnswerKind, End, Gate, GateKind, Launch, Limit, Payload, Reading, RunEnd, RunOutcome, Settled, Verdict,
};

/// The state of one firing.
pub struct ClawFiring {
    input: FiringInput,
    profile: Arc<Profile>,
    row: EventRow,
    stdin: Arc<[u8]>,
    value: Arc<Value>,
    env: Vec<(String, String)>,
    queue: VecDeque<usize>,
    running: bool,
    ended_by: Option<(String, String)>,
    messages: Vec<String>,
    denied: Option<Denial>,
    permission: Option<(String, String)>,
    permission_reason: Option<String>,
    updated_input: Option<(String, Value)>,
    warnings: Vec<String>,
    errors: Vec<String>,
}

/// Who blocked, and with what text.
struct Denial {
    label: String,
    reason: String,
    rule: String,
}

impl ClawFiring {
    /// Ready to be driven.
    pub fn new(input: FiringInput, profile: Arc<Profile>) -> Self {
        let row = profile.row(&input.payload.event);
        let value = stdin(&input.payload, &row);
        let bytes = serde_json::to_vec(&value).unwrap_or_default();
        Self {
            env: environment(&input.payload, &value, &row),
            queue: input.plan.running().collect(),
            stdin: bytes.into(),
            value: Arc::new(value),
            row,
            profile,
            input,
            running: false,
            ended_by: None,
            messages: Vec::new(),
            denied: None,
            permission: None,
            permission_reason: None,
            updated_input: None,
            warnings: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn event(&self) -> &str {
        &self.input.payload.event
    }

    fn tool(&self) -> &str {
        self.input.payload.text("tool_name").unwrap_or_default()
    }

    /// A hook that fails: the specification warns and goes on, the newest program blocks; `blocking` is its text for a
    /// hook that said nothing.
    fn fails(
        &mut self,
        label: &str,
        warning: String,
        blocking: Option<String>,
        outcome: RunOutcome,
        answer: Answer,
    ) -> Reading {
        self.errors.push(format!("{label}: {warning}"));
        let says = match self.row.exit.other {
            OtherExit::Notice | OtherExit::Quiet | OtherExit::ActionFails | OtherExit::HookFails | OtherExit::Warns => {
                self.warnings.push(warning.clone());
                self.messages.push(warning.clone());
                format!("Only a warning here: {warning}. The tool proceeds; exit 2 would deny it.")
            }
            OtherExit::Blocks => {
                // The hook's own messages are there already; the host's text stands in only for a silent one.
                if let Some(text) = &blocking {
                    self.messages.push(text.clone());
                }
                let reason = self.messages.join("\n");
                self.block(label, reason, "any exit but 0 and 2, a signal or a failed start fails the run and blocks");
                format!("Blocks: {warning}. The newest program treats a failing hook as a block.")
            }
        };
        Reading { outcome, answer, says, settled: Settled::Done }
    }

    fn block(&mut self, label: &str, reason: String, rule: &str) {
        self.ended_by = Some((label.to_string(), "denied".into()));
        self.denied = Some(Denial { label: label.into(), reason, rule: format!("`{label}`: {rule}.") });
    }

    fn exited(&mut self, end: &RunEnd, code: i32, label: &str, command: &str) -> Reading {
        let stdout = message::trimmed(&whole(end, Which::Stdout));
        let stderr = message::trimmed(&whole(end, Which::Stderr));
        match self.profile.json {
            JsonUse::Never => self.exited_as_specified(code, label, command, &stdout, &stderr, end),
            JsonUse::ExitZero | JsonUse::AnyExit => self.newest(end, label, command, How::Exit(code)),
        }
    }

    fn exited_as_specified(
        &mut self,
        code: i32,
        label: &str,
        command: &str,
        stdout: &str,
        stderr: &str,
        end: &RunEnd,
    ) -> Reading {
        let kind = if stdout.is_empty() { AnswerKind::Empty } else { AnswerKind::Text };
        let mut answer = Answer::of(kind);
        if stdout.starts_with('{') && serde_json::from_str::<Value>(stdout).is_ok() {
            answer
                .ignored
                .push("this is JSON, and this host reads stdout as plain feedback text; the exit code decides".into());
        }
        match code {
            0 => {
                let says = if stdout.is_empty() {
                    "Allowed, with nothing to add.".to_string()
                } else {
                    self.messages.push(stdout.to_string());
                    "Allowed; its stdout is merged into the tool's result as feedback.".to_string()
                };
                Reading { outcome: RunOutcome::Success, answer, says, settled: Settled::Done }
            }
            2 => {
                let reason = if stdout.is_empty() {
                    message::silent_denial(self.event(), self.tool())
                } else {
                    stdout.to_string()
                };
                self.messages.push(reason.clone());
                self.block(label, reason, "exit 2 denies, and its stdout is the message");
                let says = "Denied by exit 2; later hooks are skipped.".to_string();
                Reading { outcome: RunOutcome::Blocked, answer, says, settled: Settled::Done }
            }
            _ => {
                let warning = message::warning(command, code, stdout, stderr);
                let cause = end.diagnosis.as_ref().map_or_else(String::new, |d| format!(" ({d})"));
                let mut reading = self.fails(label, warning.clone(), Some(warning), RunOutcome::Error, answer);
                reading.says = format!("{}{cause}", reading.says);
                reading
            }
        }
    }

    /// The newest program: how the process ended decides after its stdout was read.
    fn newest(&mut self, end: &RunEnd, label: &str, command: &str, how: How) -> Reading {
        let stdout = message::trimmed(&whole(end, Which::Stdout));
        let stderr = message::trimmed(&whole(end, Which::Stderr));
        let (event, tool) = (self.event().to_string(), self.tool().to_string());
        let read = answer::read(&stdout, &stderr, &Circumstances { event: &event, tool: &tool, command });
        let kind = match (&read.json, &read.error, stdout.is_empty()) {
            (_, _, true) => AnswerKind::Empty,
            (_, Some(_), _) => AnswerKind::Invalid,
            (Some(_), None, _) => AnswerKind::Json,
            (None, None, _) => AnswerKind::Text,
        };
        let answer = Answer { kind, json: read.json.clone(), error: read.error.clone(), ignored: Vec::new() };
        let silent = read.messages.is_empty();
        self.messages.extend(read.messages.clone());
        if self.row.merge == MergeClass::Permission {
            self.merge_permission(label, &read);
        }
        match how {
            How::Exit(code) if code == 2 || (code == 0 && read.denies) => {
                if silent {
                    self.messages.push(message::silent_denial(&event, &tool));
                }
                let reason = self.messages.join("\n");
                self.block(label, reason, "exit 2, decision block or continue false blocks");
                done(RunOutcome::Blocked, answer, "Denied; later hooks are skipped.")
            }
            How::Exit(0) if silent => done(RunOutcome::Success, answer, "Allowed, with nothing to add."),
            How::Exit(0) => done(RunOutcome::Success, answer, "Allowed; its messages become feedback."),
            How::Exit(code) => {
                let text = message::failure(command, code, &stderr);
                self.fails(label, text.clone(), silent.then_some(text), RunOutcome::Error, answer)
            }
            How::Signal => {
                let text = message::signalled(&event, command, &tool);
                self.fails(label, text.clone(), silent.then_some(text), RunOutcome::Error, answer)
            }
        }
    }

    /// The merged permission decision, once all hooks ran: deny refuses, and ask refuses where nobody can be asked.
    fn apply_permission(&mut self) {
        let (None, Some((label, permission))) = (&self.denied, &self.permission) else { return };
        let tool = self.tool();
        let fallback = match permission.as_str() {
            "deny" => format!("tool '{tool}' denied by hook"),
            "ask" => format!("tool '{tool}' requires approval due to hook guidance"),
            _ => return,
        };
        let reason = self.permission_reason.clone().unwrap_or(fallback);
        let rule = match permission.as_str() {
            "deny" => format!("`{label}`: permissionDecision deny refuses the call."),
            _ => format!("`{label}`: permissionDecision ask refuses the call where nobody can be asked."),
        };
        self.denied = Some(Denial { label: label.clone(), reason, rule });
    }

    /// Permission decisions and rewritten inputs: the last hook that says one wins.
    fn merge_permission(&mut self, label: &str, read: &answer::Answer) {
        if let Some(permission) = &read.permission {
            self.permission = Some((label.to_string(), permission.clone()));
        }
        if let Some(reason) = &read.permission_reason {
            self.permission_reason = Some(reason.clone());
        }
        if let Some(input) = &read.updated_input {
            self.updated_input = Some((label.to_string(), input.clone()));
        }
    }
}

/// How a process ended by itself.
#[derive(Clone, Copy)]
enum How {
    Exit(i32),
    Signal,
}

fn done(outcome: RunOutcome, answer: Answer, says: &str) -> Reading {
    Reading { outcome, answer, says: says.into(), settled: Settled::Done }
}

enum Which {
    Stdout,
    Stderr,
}

fn whole(end: &RunEnd, which: Which) -> Vec<u8> {
    let captured = match which {
        Which::Stdout => &end.stdout,
        Which::Stderr => &end.stderr,
    };
    if captured.truncated() { captured.text().into_bytes() } else { captured.head.clone() }
}

impl Script for ClawFiring {
    fn ready(&mut self) -> Vec<Launch> {
        if self.running || self.ended_by.is_some() {
            return Vec::new();
        }
        let Some(hook) = self.queue.pop_front() else { return Vec::new() };
        self.running = true;
        let handler = &self.input.plan.hook(hook).handler;
        let job = job(handler, self.profile.shell, &self.stdin, &self.value, self.env.clone());
        vec![Launch { hook, phase: 0, job, limit: Limit::default() }]
    }

    fn ended(&mut self, end: &RunEnd) -> Reading {
        self.running = false;
        let hook = self.input.plan.hook(end.hook);
        let (label, command) = (hook.label.clone(), hook.name.clone());
        let (event, tool) = (self.event().to_string(), self.tool().to_string());
        let none = Answer::of(AnswerKind::Empty);
        match &end.end {
            End::Exited(code) => self.exited(end, *code, &label, &command),
            End::Signalled(_) if self.profile.json != JsonUse::Never => self.newest(end, &label, &command, How::Signal),
            End::Signalled(_) => {
                let text = message::signalled(&event, &command, &tool);
                self.fails(&label, text.clone(), Some(text), RunOutcome::Error, none)
            }
            End::SpawnFailed(failure) => {
                let error = failure.os_error.clone().unwrap_or_else(|| failure.message.clone());
                let text = message::not_started(&event, &command, &tool, &error);
                let mut reading = self.fails(&label, text.clone(), Some(text), RunOutcome::SpawnFailed, none);
                reading.says = format!("{} ({failure})", reading.says);
                reading
            }
            End::Returned(Ok(value)) => {
                let text = if value.is_null() {
                    String::new()
                } else {
                    value.as_str().map_or_else(|| value.to_string(), str::to_string)
                };
                let as_exit = RunEnd {
                    stdout: crate::model::Captured {
                        total: text.len() as u64,
                        head: text.into_bytes(),
                        tail: Vec::new(),
                    },
                    ..end.clone()
                };
                self.exited(&as_exit, 0, &label, &command)
            }
            End::Returned(Err(error)) => {
                let text = message::warning(&command, 1, "", error);
                self.fails(&label, text.clone(), Some(text), RunOutcome::Error, none)
            }
            End::Cancelled => {
                self.ended_by = Some((label.clone(), "cancelled".into()));
                Reading {
                    outcome: RunOutcome::Cancelled,
                    answer: none,
                    says: "Cancelled by you.".into(),
                    settled: Settled::Done,
                }
            }
            End::TimedOut { .. } | End::NeverStarted { .. } => {
                let text = message::signalled(&event, &command, &tool);
                self.fails(&label, text.clone(), Some(text), RunOutcome::Timeout, none)
            }
        }
    }

    fn halted(&self) -> Option<Gate> {
        let (label, what) = self.ended_by.as_ref()?;
        let why = match what.as_str() {
            "cancelled" => format!("the firing was cancelled while `{label}` ran"),
            _ => format!("`{label}` blocked the call, and hooks after it are skipped"),
        };
        Some(Gate::new(GateKind::Halted, why))
    }

    fn verdict(&mut self) -> Verdict {
        let mut v = Verdict { warnings: self.warnings.clone(), errors: self.errors.clone(), ..Verdict::default() };
        v.host.insert("messages".into(), json!(self.messages));
        let pre = self.row.merge == MergeClass::Permission;
        v.decision = Some("allow".into());
        v.rule = "No hook denied.".into();
        self.apply_permission();
        if let Some((label, permission)) = &self.permission {
            v.host.insert("permission".into(), json!(permission));
            v.decision = Some(permission.clone());
            v.decided_by = Some(label.clone());
            v.reason.clone_from(&self.permission_reason);
            v.rule = format!(
                "`{label}` set permissionDecision {permission}; a deny rule, an ask rule or a too low mode still win over allow."
            );
        }
        if let Some((label, input)) = self.updated_input.as_ref().filter(|_| pre) {
            v.updated_input = Some(input.clone());
            v.host.insert("updated_input_by".into(), json!(label));
        }
        if let Some(denial) = &self.denied {
            v.blocked = true;
            v.decision = Some("deny".into());
            v.decided_by = Some(denial.label.clone());
            v.reason = Some(denial.reason.clone());
            v.reason_to = Some("model".into());
            v.rule.clone_from(&denial.rule);
            v.updated_input = None;
        }
        let label = if self.denied.is_some() { Label::denied(self.row.exit.other) } else { Label::Plain };
        if !self.messages.is_empty() {
            v.feedback = Some(message::merge(&self.messages, "", label));
        }
        v.model_sees = match (pre, &self.denied) {
            (true, Some(denial)) => {
                format!("tool result (error): {}", call::refused(&denial.reason, &self.messages, self.row.exit.other))
            }
            (true, None) => v.feedback.as_ref().map_or_else(String::new, |f| format!("below the tool's output:\n{f}")),
            (false, _) => {
                let output = call::output_of(&self.input.payload);
                format!("tool result: {}", message::merge(&self.messages, &output, label))
            }
        };
        v
    }
}

/// The JSON object on stdin.
fn stdin(payload: &Payload, row: &EventRow) -> Value {
    let raw = call::raw_input(&payload.fields);
    let parsed = serde_json::from_str(&raw).unwrap_or_else(|_| json!({"raw": raw}));
    let is_error =
        row.merge == MergeClass::ToolError || payload.fields.get("tool_result_is_error") == Some(&Value::Bool(true));
    let mut value = json!({
        "hook_event_name": payload.event,
        "tool_input": parsed,
        "tool_input_json": raw,
        "tool_name": payload.text("tool_name").unwrap_or_default(),
    });
    match row.merge {
        MergeClass::Permission => value["tool_output"] = Value::Null,
        MergeClass::ToolError => value["tool_error"] = call::output_of(payload).into(),
        _ => value["tool_output"] = call::output_of(payload).into(),
    }
    value["tool_result_is_error"] = is_error.into();
    value
}

fn environment(payload: &Payload, stdin: &Value, row: &EventRow) -> Vec<(String, String)> {
    let is_error = stdin["tool_result_is_error"] == Value::Bool(true);
    let mut env = vec![
        ("HOOK_EVENT".into(), payload.event.clone()),
        ("HOOK_TOOL_NAME".into(), payload.text("tool_name").unwrap_or_default().into()),
        ("HOOK_TOOL_INPUT".into(), call::raw_input(&payload.fields)),
        ("HOOK_TOOL_IS_ERROR".into(), if is_error { "1" } else { "0" }.into()),
    ];
    if row.merge != MergeClass::Permission {
        env.push(("HOOK_TOOL_OUTPUT".into(), call::output_of(payload)));
    }
    env
}
