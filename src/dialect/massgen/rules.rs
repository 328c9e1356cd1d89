//! One massgen firing: hooks one after another, each seeing the input as changed so far, ended by the first deny.

use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::{Decision, HookResult, read};
use super::call::{inject, parsed_input};
use crate::dialect::call::text;
use crate::dialect::event::MergeClass;
use crate::dialect::job::{Shell, job};
use crate::dialect::{Done, EventRow, FiringInput, Profile, Rules, sentence};
use crate::model::{
    Answer, AnswerKind, End, Handler, InjectAs, Job, Limit, Next, OnFailure, Reading, RunEnd, RunOutcome, Verdict,
};

pub struct MassgenRules {
    input: FiringInput,
    row: EventRow,
    shell: Shell,
}

#[derive(Default)]
pub struct MassgenResult {
    effect: MassgenEffect,
    error: Option<String>,
    warnings: Vec<String>,
    execution: Option<Value>,
}

#[derive(Default)]
enum MassgenEffect {
    #[default]
    Nothing,
    Deny {
        reason: String,
    },
    Accepted(HookResult),
}

struct Failure {
    error: String,
    kind: FailureKind,
    outcome: RunOutcome,
    answer: Answer,
}

use FailureKind::{Exception, FailsOpen, Timeout};

enum FailureKind {
    Timeout,
    Exception,
    FailsOpen,
}

impl Failure {
    fn of(error: impl Into<String>, kind: FailureKind) -> Self {
        Self { error: error.into(), kind, outcome: RunOutcome::Error, answer: Answer::of(AnswerKind::Empty) }
    }

    fn outcome(self, outcome: RunOutcome) -> Self {
        Self { outcome, ..self }
    }

    fn answer(self, answer: Answer) -> Self {
        Self { answer: Answer { kind: AnswerKind::Invalid, ..answer }, ..self }
    }
}

impl MassgenRules {
    pub fn new(input: FiringInput, profile: Arc<Profile>) -> Self {
        Self { row: profile.row(&input.payload.event), shell: profile.shell, input }
    }

    fn is_pre(&self) -> bool {
        self.row.merge == MergeClass::Permission
    }

    fn stdin(&self, tool_input: &Value) -> Value {
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
            "tool_input": tool_input,
            "tool_output": output,
        })
    }

    fn environment(&self) -> Vec<(String, String)> {
        let payload = &self.input.payload;
        let text = |name: &str| payload.text(name).unwrap_or_default().to_string();
        let fields = ["tool_name", "session_id", "orchestrator_id", "agent_id"].map(text);
        let values = std::iter::once(payload.event.clone()).chain(fields);
        super::VARIABLES.iter().map(ToString::to_string).zip(values).collect()
    }

    fn execution(&self, end: &RunEnd, decision: &str, reason: Option<&str>, injected: Option<&str>) -> Value {
        let preview = injected.map(|content| {
            let short: String = content.chars().take(100).collect();
            if content.chars().count() > 100 { format!("{short}...") } else { short }
        });
        json!({
            "hook_name": self.input.plan.hook(end.hook).name, "hook_type": if self.is_pre() { "pre" } else { "post" },
            "decision": decision, "reason": reason, "execution_time_ms": end.duration_ms,
            "injection_preview": preview, "injection_content": injected,
        })
    }

    /// A failing hook lets the call pass, unless its entry says `fail_closed`.
    fn failed(&self, end: &RunEnd, failure: Failure) -> (Reading, MassgenResult) {
        let Failure { error, kind, outcome, answer } = failure;
        let hook = self.input.plan.hook(end.hook);
        let reason = match kind {
            _ if hook.options.on_failure != OnFailure::Blocks => None,
            Timeout => Some(format!("Hook {} timed out", hook.name)),
            Exception => Some(format!("Hook {} failed: {error}", hook.name)),
            FailsOpen => None,
        };
        let execution = Some(self.execution(end, "error", Some(reason.as_ref().unwrap_or(&error)), None));
        let (outcome, says, effect) = if let Some(reason) = reason {
            let says = format!("Failed: {error}. The entry says fail_closed, so the call is denied.");
            (RunOutcome::Blocked, says, MassgenEffect::Deny { reason })
        } else {
            let says = format!("Failed: {error}. The host logs it and lets the call pass (fail open).");
            (outcome, says, MassgenEffect::Nothing)
        };
        let result = MassgenResult { effect, error: Some(error), execution, warnings: Vec::new() };
        (Reading { outcome, answer, says }, result)
    }

    fn answered(&self, end: &RunEnd, value: Value) -> (Reading, MassgenResult) {
        let answer = Answer { json: Some(value.clone()), ..Answer::of(AnswerKind::Json) };
        let Value::Object(fields) = value else {
            let error = format!("its answer is {value}, not a JSON object");
            return self.failed(end, Failure::of(error, FailsOpen).answer(answer));
        };
        match read(&fields, &self.row) {
            Ok(result) => self.accepted(end, result, answer),
            Err(error) => self.failed(end, Failure::of(error, Exception).answer(answer)),
        }
    }

    fn accepted(&self, end: &RunEnd, mut result: HookResult, answer: Answer) -> (Reading, MassgenResult) {
        let warnings = std::mem::take(&mut result.ignored);
        let answer = Answer { ignored: warnings.clone(), ..answer };
        if result.decision == Decision::Deny {
            let name = &self.input.plan.hook(end.hook).name;
            let reason = result.reason.unwrap_or_else(|| format!("Denied by hook {name}"));
            let execution = Some(self.execution(end, "deny", Some(&reason), None));
            let too_late =
                "Its deny cannot undo the finished tool; it ends the firing and drops the injections so far.";
            let in_time = "It denies the call; later hooks do not run.";
            let (outcome, says) =
                if self.is_pre() { (RunOutcome::Blocked, in_time) } else { (RunOutcome::Success, too_late) };
            let result = MassgenResult { effect: MassgenEffect::Deny { reason }, warnings, execution, error: None };
            return (Reading { outcome, answer, says: says.into() }, result);
        }
        let word = if result.decision == Decision::Ask { "ask" } else { "allow" };
        let injected = result.inject.as_ref().map(|i| i.content.as_str());
        let execution = Some(self.execution(end, word, result.reason.as_deref(), injected));
        // What the event cannot do is dropped here, so that nobody has to ask again.
        result.updated_input = result.updated_input.filter(|_| self.is_pre());
        result.inject = result.inject.filter(|_| !self.is_pre());
        let reading = Reading { outcome: RunOutcome::Success, answer, says: says(&result) };
        (reading, MassgenResult { effect: MassgenEffect::Accepted(result), warnings, execution, error: None })
    }

    /// What the interpreter said about a Python function.
    fn python(&self, end: &RunEnd) -> (Reading, MassgenResult) {
        let text = String::from_utf8_lossy(&end.stdout.head);
        let line = text.lines().last().and_then(|l| serde_json::from_str::<Value>(l).ok());
        let none = Answer::of(AnswerKind::Empty);
        let Some(line) = line else {
            return self.failed(end, Failure::of("the interpreter gave no answer", Exception));
        };
        if let Some(error) = line["import_error"].as_str() {
            let reason = format!("Hook import failed: {error}");
            let says = format!("It could not be imported ({error}), and that alone fails closed: the call is denied.");
            let error = Some(reason.clone());
            let result = MassgenResult { effect: MassgenEffect::Deny { reason }, error, ..MassgenResult::default() };
            return (Reading { outcome: RunOutcome::Blocked, answer: none, says }, result);
        }
        if let Some(error) = line["exception"].as_str() {
            return self.failed(end, Failure::of(error, Exception));
        }
        if let Some(kind) = line["other_type"].as_str() {
            let warning = format!("it returned {kind}, which counts as allow; return None, a dict or a result object");
            let (reading, mut result) = self.accepted(end, HookResult::default(), none);
            result.warnings.push(warning);
            return (reading, result);
        }
        match line.get("result") {
            None | Some(Value::Null) => self.accepted(end, HookResult::default(), none),
            Some(value) => self.answered(end, value.clone()),
        }
    }

    /// What a command that exited with 0 printed.
    fn command(&self, end: &RunEnd) -> (Reading, MassgenResult) {
        let text = String::from_utf8_lossy(&end.stdout.head);
        match serde_json::from_str(text.trim()) {
            _ if text.trim().is_empty() => {
                self.failed(end, Failure::of("its stdout is empty", FailsOpen).outcome(RunOutcome::Success))
            }
            Ok(value) => self.answered(end, value),
            Err(e) => {
                let answer = Answer { error: Some(e.to_string()), ..Answer::of(AnswerKind::Invalid) };
                let error = format!("invalid JSON on stdout: {e}");
                self.failed(end, Failure::of(error, FailsOpen).answer(answer))
            }
        }
    }
}

impl Rules for MassgenRules {
    type Answer = MassgenResult;
    type Carried = Value;

    fn start(&self) -> Value {
        parsed_input(&self.input.payload.fields)
    }

    fn launch(&self, hook: usize, tool_input: &Value) -> (Job, Limit) {
        let hook = self.input.plan.hook(hook);
        let value = Arc::new(self.stdin(tool_input));
        let bytes: Arc<[u8]> = serde_json::to_vec(value.as_ref()).unwrap_or_default().into();
        let job = job(&hook.handler, self.shell, &bytes, &value, self.environment());
        (job, Limit { own: hook.timeout, ..Limit::default() })
    }

    fn read(&self, end: &RunEnd) -> (Reading, MassgenResult) {
        let none = Answer::of(AnswerKind::Empty);
        let python = matches!(self.input.plan.hook(end.hook).handler, Handler::Python { .. });
        let failure = match &end.end {
            End::Exited(0) if python => return self.python(end),
            End::Exited(0) => return self.command(end),
            End::Returned(Ok(Value::Null)) => return self.accepted(end, HookResult::default(), none),
            End::Returned(Ok(value)) => return self.answered(end, value.clone()),
            End::Cancelled => {
                let says = "Cancelled by you.".into();
                return (Reading { outcome: RunOutcome::Cancelled, answer: none, says }, MassgenResult::default());
            }
            End::Returned(Err(error)) => Failure::of(error, Exception),
            End::Exited(code) => {
                let stderr = String::from_utf8_lossy(&end.stderr.head).trim().to_string();
                let detail = if stderr.is_empty() { String::new() } else { format!(": {stderr}") };
                let error =
                    format!("exit {code}{detail} (any exit but 0 is a failed hook here, and its stdout is not read)");
                Failure::of(error, if python { Exception } else { FailsOpen })
            }
            End::Signalled(signal) => Failure::of(format!("ended by signal {signal}"), FailsOpen),
            End::SpawnFailed(failure) => {
                let no_python = failure.message.starts_with("python3:");
                let hint = if no_python { "; Python hooks need python3 on this machine" } else { "" };
                Failure::of(format!("did not start: {failure}{hint}"), Exception).outcome(RunOutcome::SpawnFailed)
            }
            End::TimedOut { limit_ms, .. } | End::NeverStarted { limit_ms } => {
                Failure::of(format!("timed out after {limit_ms} ms"), Timeout).outcome(RunOutcome::Timeout)
            }
        };
        self.failed(end, failure)
    }

    fn next(&self, hook: usize, _reading: &Reading, result: &MassgenResult) -> Next {
        match result.effect {
            MassgenEffect::Deny { .. } => {
                Next::Halt(format!("`{}` denied, which ends the firing", self.input.plan.hook(hook).label))
            }
            MassgenEffect::Nothing | MassgenEffect::Accepted(_) => Next::Go,
        }
    }

    fn carry(&self, tool_input: &mut Value, result: &MassgenResult) {
        if let MassgenEffect::Accepted(HookResult { updated_input: Some(input), .. }) = &result.effect {
            tool_input.clone_from(input);
        }
    }

    fn merge(&self, done: &[Done<MassgenResult>], tool_input: &Value) -> Verdict {
        let mut v = Verdict {
            decision: Some("allow".into()),
            rule: "No hook denied, so the call goes on.".into(),
            ..Verdict::default()
        };
        let mut executions = Vec::new();
        let mut changed_by = None;
        for Done { hook, answer: result } in done {
            let label = &self.input.plan.hook(*hook).label;
            v.errors.extend(result.error.iter().map(|e| format!("{label}: {e}")));
            v.warnings.extend(result.warnings.iter().map(|w| format!("{label}: {w}")));
            executions.extend(result.execution.clone());
            match &result.effect {
                MassgenEffect::Nothing => {}
                MassgenEffect::Deny { reason } => {
                    self.deny(&mut v, *hook, reason);
                    v.host.insert("hook_executions".into(), executions.into());
                    return v;
                }
                MassgenEffect::Accepted(result) => {
                    if result.decision == Decision::Ask {
                        v.decision = Some("ask".into());
                        v.reason.clone_from(&result.reason);
                        v.decided_by = Some(self.input.plan.decider(*hook));
                        v.rule = format!("`{label}` asks and nobody denies; the tool still runs.");
                    }
                    changed_by = result.updated_input.as_ref().map(|_| label).or(changed_by);
                    v.injections.extend(result.inject.clone());
                }
            }
        }
        v.host.insert("hook_executions".into(), executions.into());
        if let Some(label) = changed_by {
            v.updated_input = Some(tool_input.clone());
            v.host.insert("input_changed_by".into(), json!(label));
        }
        if !self.is_pre() {
            let output = self.input.payload.fields.get("tool_output").map(text).unwrap_or_default();
            let (text, messages) = inject(&output, &v.injections);
            let then = if messages.is_empty() { "" } else { "\nthen a user message: " };
            v.model_sees = format!("tool result: {text}{then}{}", messages.join("\n"));
        }
        v
    }
}

impl MassgenRules {
    /// A deny is the last word: whatever the hooks before it asked for is dropped.
    fn deny(&self, v: &mut Verdict, hook: usize, reason: &str) {
        let label = &self.input.plan.hook(hook).label;
        v.decision = Some("deny".into());
        v.decided_by = Some(self.input.plan.decider(hook));
        v.reason = Some(reason.into());
        v.injections.clear();
        if self.is_pre() {
            let refusal = format!("Hook denied tool execution: {reason}");
            v.blocked = true;
            v.reason_to = Some("model".into());
            v.rule = format!("Any deny denies the call: `{label}` did.");
            v.model_sees = format!("tool result: {refusal}");
            v.refusal = Some(refusal);
        } else {
            v.rule = format!("`{label}` denied after the tool: the result stays, and injections are dropped.");
        }
    }
}

/// One sentence about what an accepted answer does.
fn says(result: &HookResult) -> String {
    let asks = (result.decision == Decision::Ask).then_some("asks; the tool still runs");
    let rewrites = result.updated_input.as_ref().map(|_| "rewrites the input for the hooks after it and for the tool");
    let injects = result.inject.as_ref().map(|i| match i.strategy {
        InjectAs::ToolResult => "adds content below the tool's result",
        InjectAs::UserMessage => "adds a user message after the tool's result",
    });
    let effects: Vec<&str> = [asks, rewrites, injects].into_iter().flatten().collect();
    sentence(&effects, "Accepted; it changes nothing.")
}
