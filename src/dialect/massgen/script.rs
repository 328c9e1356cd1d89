//! One massgen firing: hooks one after another, each seeing the input as changed so far, ended by the first deny.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::{Decision, HookResult, Injection, Strategy, read};
use crate::dialect::event::MergeClass;
use crate::dialect::job::{Shell, job};
use crate::dialect::{EventRow, FiringInput, Profile, Script};
use crate::model::{
    Answer, AnswerKind, End, Gate, GateKind, Handler, Launch, Limit, Reading, RunEnd, RunOutcome, Settled, Verdict,
};

/// The state of one firing.
pub struct MassgenFiring {
    input: FiringInput,
    row: EventRow,
    shell: Shell,
    queue: VecDeque<usize>,
    running: bool,
    tool_input: Value,
    changed: Option<String>,
    denied: Option<(String, String)>,
    asked: Option<(String, Option<String>)>,
    injections: Vec<Injection>,
    errors: Vec<String>,
    warnings: Vec<String>,
    executions: Vec<Value>,
    cancelled: Option<String>,
}

impl MassgenFiring {
    /// Ready to be driven.
    pub fn new(input: FiringInput, profile: &Profile) -> Self {
        Self {
            row: profile.row(&input.payload.event),
            shell: profile.shell,
            tool_input: super::call::parsed_input(input.payload.fields.get("tool_input")),
            queue: input.plan.running().collect(),
            input,
            running: false,
            changed: None,
            denied: None,
            asked: None,
            injections: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
            executions: Vec::new(),
            cancelled: None,
        }
    }

    fn is_pre(&self) -> bool {
        self.row.merge == MergeClass::Permission
    }

    fn stdin(&self) -> Value {
        let payload = &self.input.payload;
        let field = |name: &str, empty: Value| payload.fields.get(name).cloned().unwrap_or(empty);
        let output = if self.is_pre() { Value::Null } else { field("tool_output", Value::Null) };
        json!({
            "hook_type": payload.event,
            "session_id": field("session_id", "".into()),
            "orchestrator_id": field("orchestrator_id", "".into()),
            "agent_id": field("agent_id", Value::Null),
            "timestamp": field("timestamp", self.input.at.clone().into()),
            "tool_name": field("tool_name", "".into()),
            "tool_input": self.tool_input,
            "tool_output": output,
        })
    }

    fn environment(&self) -> Vec<(String, String)> {
        let text = |name: &str| self.input.payload.text(name).unwrap_or_default().to_string();
        vec![
            ("MASSGEN_HOOK_TYPE".into(), self.input.payload.event.clone()),
            ("MASSGEN_TOOL_NAME".into(), text("tool_name")),
            ("MASSGEN_SESSION_ID".into(), text("session_id")),
            ("MASSGEN_ORCHESTRATOR_ID".into(), text("orchestrator_id")),
            ("MASSGEN_AGENT_ID".into(), text("agent_id")),
        ]
    }

    /// A failing hook lets the call pass, unless its entry says `fail_closed`.
    fn fails_open(
        &mut self,
        end: &RunEnd,
        error: String,
        closed: Closed,
        outcome: RunOutcome,
        answer: Answer,
    ) -> Reading {
        let hook = self.input.plan.hook(end.hook);
        let (label, name) = (hook.label.clone(), hook.name.clone());
        let fail_closed = hook.options.get("fail_closed") == Some(&Value::Bool(true));
        self.errors.push(format!("{label}: {error}"));
        let reason = match closed {
            Closed::Timeout => Some(format!("Hook {name} timed out")),
            Closed::Exception => Some(format!("Hook {name} failed: {error}")),
            Closed::Never => None,
        };
        if let Some(reason) = reason.filter(|_| fail_closed) {
            self.note(&name, "error", Some(&reason), end, None);
            let says = format!("Failed: {error}. The entry says fail_closed, so the call is denied.");
            self.denied = Some((label, reason));
            return Reading { outcome: RunOutcome::Blocked, answer, says, settled: Settled::Done };
        }
        self.note(&name, "error", Some(&error), end, None);
        let says = format!("Failed: {error}. The host logs it and lets the call pass (fail open).");
        Reading { outcome, answer, says, settled: Settled::Done }
    }

    fn note(&mut self, name: &str, decision: &str, reason: Option<&str>, end: &RunEnd, inject: Option<&Injection>) {
        let preview = inject.map(|i| {
            let short: String = i.content.chars().take(100).collect();
            if i.content.chars().count() > 100 { format!("{short}...") } else { short }
        });
        self.executions.push(json!({
            "hook_name": name, "hook_type": if self.is_pre() { "pre" } else { "post" }, "decision": decision, "reason": reason,
            "execution_time_ms": end.duration_ms, "injection_preview": preview, "injection_content": inject.map(|i| &i.content),
        }));
    }

    fn object(&mut self, end: &RunEnd, value: Value) -> Reading {
        let answer = Answer { json: Some(value.clone()), ..Answer::of(AnswerKind::Json) };
        match value {
            Value::Object(fields) => match read(&fields, &self.row) {
                Ok(result) => self.accept(end, result, answer),
                Err(error) => self.fails_open(
                    end,
                    error,
                    Closed::Exception,
                    RunOutcome::Error,
                    Answer { kind: AnswerKind::Invalid, ..answer },
                ),
            },
            other => {
                let error = format!("its answer is {other}, not a JSON object");
                self.fails_open(
                    end,
                    error,
                    Closed::Never,
                    RunOutcome::Error,
                    Answer { kind: AnswerKind::Invalid, ..answer },
                )
            }
        }
    }

    fn accept(&mut self, end: &RunEnd, result: HookResult, answer: Answer) -> Reading {
        let hook = self.input.plan.hook(end.hook);
        let (label, name) = (hook.label.clone(), hook.name.clone());
        self.warnings.extend(result.ignored.iter().map(|i| format!("{label}: {i}")));
        let answer = Answer { ignored: result.ignored, ..answer };
        if result.decision == Decision::Deny {
            let reason = result.reason.unwrap_or_else(|| format!("Denied by hook {name}"));
            self.note(&name, "deny", Some(&reason), end, None);
            self.denied = Some((label, reason));
            let says = if self.is_pre() {
                "It denies the call; later hooks do not run.".to_string()
            } else {
                "Its deny cannot undo the finished tool; it ends the firing and drops the injections so far."
                    .to_string()
            };
            let outcome = if self.is_pre() { RunOutcome::Blocked } else { RunOutcome::Success };
            return Reading { outcome, answer, says, settled: Settled::Done };
        }
        let mut effects = Vec::new();
        let mut word = "allow";
        if result.decision == Decision::Ask {
            word = "ask";
            self.asked = Some((label.clone(), result.reason.clone()));
            effects.push("asks; the tool still runs");
        }
        if let Some(input) = result.updated_input.filter(|_| self.is_pre()) {
            self.tool_input = input;
            self.changed = Some(label);
            effects.push("rewrites the input for the hooks after it and for the tool");
        }
        self.note(&name, word, result.reason.as_deref(), end, result.inject.as_ref());
        if let Some(inject) = result.inject.filter(|_| !self.is_pre()) {
            effects.push(match inject.strategy {
                Strategy::ToolResult => "adds content below the tool's result",
                Strategy::UserMessage => "adds a user message after the tool's result",
            });
            self.injections.push(inject);
        }
        let says = if effects.is_empty() {
            "Accepted; it changes nothing.".into()
        } else {
            format!("It {}.", effects.join(" and "))
        };
        Reading { outcome: RunOutcome::Success, answer, says, settled: Settled::Done }
    }

    /// What the interpreter said about a Python function.
    fn python(&mut self, end: &RunEnd) -> Reading {
        let text = String::from_utf8_lossy(&end.stdout.head);
        let line = text.lines().last().and_then(|l| serde_json::from_str::<Value>(l).ok());
        let none = Answer::of(AnswerKind::Empty);
        let Some(line) = line else {
            return self.fails_open(
                end,
                "the interpreter gave no answer".into(),
                Closed::Exception,
                RunOutcome::Error,
                none,
            );
        };
        if let Some(error) = line["import_error"].as_str() {
            let label = self.input.plan.hook(end.hook).label.clone();
            let reason = format!("Hook import failed: {error}");
            self.errors.push(format!("{label}: {reason}"));
            self.denied = Some((label, reason));
            let says = format!("It could not be imported ({error}), and that alone fails closed: the call is denied.");
            return Reading { outcome: RunOutcome::Blocked, answer: none, says, settled: Settled::Done };
        }
        if let Some(error) = line["exception"].as_str() {
            return self.fails_open(end, error.to_string(), Closed::Exception, RunOutcome::Error, none);
        }
        if let Some(kind) = line["other_type"].as_str() {
            let label = self.input.plan.hook(end.hook).label.clone();
            self.warnings.push(format!(
                "{label}: it returned {kind}, which counts as allow; return None, a dict or a result object"
            ));
            return self.accept(end, HookResult::default(), none);
        }
        match line.get("result") {
            None | Some(Value::Null) => self.accept(end, HookResult::default(), none),
            Some(value) => self.object(end, value.clone()),
        }
    }
}

/// What `fail_closed` makes of a failure.
#[derive(Clone, Copy)]
enum Closed {
    Timeout,
    Exception,
    Never,
}

impl Script for MassgenFiring {
    fn ready(&mut self) -> Vec<Launch> {
        if self.running || self.denied.is_some() || self.cancelled.is_some() {
            return Vec::new();
        }
        let Some(index) = self.queue.pop_front() else { return Vec::new() };
        self.running = true;
        let hook = self.input.plan.hook(index);
        let value = Arc::new(self.stdin());
        let bytes: Arc<[u8]> = serde_json::to_vec(value.as_ref()).unwrap_or_default().into();
        let job = job(&hook.handler, self.shell, &bytes, &value, self.environment());
        vec![Launch { hook: index, phase: 0, job, limit: Limit { group: None, own: hook.timeout, grace: None } }]
    }

    fn ended(&mut self, end: &RunEnd) -> Reading {
        self.running = false;
        let none = Answer::of(AnswerKind::Empty);
        let python = matches!(self.input.plan.hook(end.hook).handler, Handler::Python { .. });
        match &end.end {
            End::Exited(0) if python => self.python(end),
            End::Exited(0) => {
                let text = String::from_utf8_lossy(&end.stdout.head);
                match serde_json::from_str(text.trim()) {
                    _ if text.trim().is_empty() => {
                        self.fails_open(end, "its stdout is empty".into(), Closed::Never, RunOutcome::Success, none)
                    }
                    Ok(value) => self.object(end, value),
                    Err(e) => {
                        let answer = Answer { error: Some(e.to_string()), ..Answer::of(AnswerKind::Invalid) };
                        self.fails_open(
                            end,
                            format!("invalid JSON on stdout: {e}"),
                            Closed::Never,
                            RunOutcome::Error,
                            answer,
                        )
                    }
                }
            }
            End::Exited(code) => {
                let stderr = String::from_utf8_lossy(&end.stderr.head).trim().to_string();
                let detail = if stderr.is_empty() { String::new() } else { format!(": {stderr}") };
                let error =
                    format!("exit {code}{detail} (any exit but 0 is a failed hook here, and its stdout is not read)");
                self.fails_open(
                    end,
                    error,
                    if python { Closed::Exception } else { Closed::Never },
                    RunOutcome::Error,
                    none,
                )
            }
            End::Signalled(signal) => {
                self.fails_open(end, format!("ended by signal {signal}"), Closed::Never, RunOutcome::Error, none)
            }
            End::SpawnFailed(failure) => {
                let missing = if failure.message.starts_with("python3:") {
                    "; Python hooks need python3 on this machine"
                } else {
                    ""
                };
                self.fails_open(
                    end,
                    format!("did not start: {failure}{missing}"),
                    Closed::Exception,
                    RunOutcome::SpawnFailed,
                    none,
                )
            }
            End::TimedOut { limit_ms, .. } | End::NeverStarted { limit_ms } => self.fails_open(
                end,
                format!("timed out after {limit_ms} ms"),
                Closed::Timeout,
                RunOutcome::Timeout,
                none,
            ),
            End::Returned(Ok(Value::Null)) => self.accept(end, HookResult::default(), none),
            End::Returned(Ok(value)) => self.object(end, value.clone()),
            End::Returned(Err(error)) => {
                self.fails_open(end, error.clone(), Closed::Exception, RunOutcome::Error, none)
            }
            End::Cancelled => {
                self.cancelled = Some(self.input.plan.hook(end.hook).label.clone());
                Reading {
                    outcome: RunOutcome::Cancelled,
                    answer: none,
                    says: "Cancelled by you.".into(),
                    settled: Settled::Done,
                }
            }
        }
    }

    fn halted(&self) -> Option<Gate> {
        let why = match (&self.denied, &self.cancelled) {
            (Some((label, _)), _) => format!("`{label}` denied, which ends the firing"),
            (None, Some(label)) => format!("the firing was cancelled while `{label}` ran"),
            (None, None) => return None,
        };
        Some(Gate::new(GateKind::Halted, why))
    }

    fn verdict(&mut self) -> Verdict {
        let mut v = Verdict { errors: self.errors.clone(), warnings: self.warnings.clone(), ..Verdict::default() };
        v.host.insert("hook_executions".into(), json!(self.executions));
        v.decision = Some("allow".into());
        v.rule = "No hook denied, so the call goes on.".into();
        if let Some((label, reason)) = &self.asked {
            v.decision = Some("ask".into());
            v.reason.clone_from(reason);
            v.decided_by = Some(label.clone());
            v.rule = format!("`{label}` asks and nobody denies; the tool still runs.");
        }
        if let Some((label, reason)) = &self.denied {
            v.decision = Some("deny".into());
            v.decided_by = Some(label.clone());
            v.reason = Some(reason.clone());
            if self.is_pre() {
                v.blocked = true;
                v.reason_to = Some("model".into());
                v.rule = format!("Any deny denies the call: `{label}` did.");
                v.model_sees = format!("tool result: Hook denied tool execution: {reason}");
            } else {
                v.rule = format!("`{label}` denied after the tool: the result stays, and injections are dropped.");
            }
            return v;
        }
        if let Some(label) = &self.changed {
            v.updated_input = Some(self.tool_input.clone());
            v.host.insert("input_changed_by".into(), json!(label));
        }
        v.injections = self
            .injections
            .iter()
            .map(|i| {
                let strategy = match i.strategy {
                    Strategy::ToolResult => "tool_result",
                    Strategy::UserMessage => "user_message",
                };
                json!({"content": i.content, "strategy": strategy})
            })
            .collect();
        if !self.is_pre() {
            let (text, messages) =
                super::call::inject(&super::call::text_of(self.input.payload.fields.get("tool_output")), &v.injections);
            v.model_sees = format!("tool result: {text}");
            if !messages.is_empty() {
                v.model_sees = format!("{}\nthen a user message: {}", v.model_sees, messages.join("\n"));
            }
        }
        v
    }
}
