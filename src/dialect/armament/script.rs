//! One armament point: hooks by priority, each awaited, data changed one level deep, ended by an abort.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::arma::expand;
use crate::dialect::job::{Shell, job};
use crate::dialect::{Capability, EventRow, FiringInput, Profile, Script};
use crate::model::{
    Answer, AnswerKind, End, Gate, GateKind, Handler, Launch, Limit, Payload, Reading, RunEnd, RunOutcome, Settled,
    Verdict,
};

/// The state of one firing.
pub struct ArmamentFiring {
    input: FiringInput,
    row: EventRow,
    shell: Shell,
    queue: VecDeque<usize>,
    running: bool,
    data: Map<String, Value>,
    changed_by: Vec<String>,
    aborted: Option<(String, Option<String>, String)>,
    cancelled: Option<String>,
    log: Vec<String>,
    commands: Vec<Vec<String>>,
}

/// The data of a payload: its `context`, or all its fields but the point.
pub fn data_of(payload: &Payload) -> Map<String, Value> {
    match payload.fields.get("context") {
        Some(Value::Object(context)) => context.clone(),
        _ => payload.fields.iter().filter(|(k, _)| *k != "point").map(|(k, v)| (k.clone(), v.clone())).collect(),
    }
}

impl ArmamentFiring {
    /// Ready to be driven.
    pub fn new(input: FiringInput, profile: &Profile) -> Self {
        Self {
            row: profile.row(&input.payload.event),
            shell: profile.shell,
            data: data_of(&input.payload),
            queue: input.plan.running().collect(),
            input,
            running: false,
            changed_by: Vec::new(),
            aborted: None,
            cancelled: None,
            log: Vec::new(),
            commands: Vec::new(),
        }
    }

    fn may_abort(&self) -> bool {
        self.row.can(Capability::Deny)
    }

    fn may_modify(&self) -> bool {
        self.row.heeds("modify")
    }

    fn point(&self) -> &str {
        &self.input.payload.event
    }

    /// A throw: skip, log or abort, by the hook's own word or the default.
    fn throws(&mut self, end: &RunEnd, error: &str, outcome: RunOutcome, answer: Answer) -> Reading {
        let hook = self.input.plan.hook(end.hook);
        let label = hook.label.clone();
        let behavior = hook.options.get("onError").and_then(Value::as_str).unwrap_or("log").to_string();
        let point = self.point().to_string();
        let (outcome, says) = match behavior.as_str() {
            "abort" if self.may_abort() => {
                self.aborted = Some((
                    label.clone(),
                    Some(error.to_string()),
                    format!("`{label}` failed, and its onError is abort."),
                ));
                (
                    RunOutcome::Blocked,
                    format!("Failed: {error}. Its onError is abort, so the action is aborted with that text."),
                )
            }
            "abort" => {
                self.log.push(format!("{label}: {error} (abort is not possible at {point})"));
                (
                    outcome,
                    format!("Failed: {error}. Its onError is abort, but {point} cannot be aborted; it is only logged."),
                )
            }
            "skip" => (outcome, format!("Failed: {error}. Its onError is skip, so it is passed over without a word.")),
            _ => {
                self.log.push(format!("{label}: {error}"));
                (outcome, format!("Failed: {error}. It is logged, and the other hooks run."))
            }
        };
        Reading { outcome, answer, says, settled: Settled::Done }
    }

    fn returned(&mut self, end: &RunEnd, value: Value) -> Reading {
        let label = self.input.plan.hook(end.hook).label.clone();
        let fields = match value {
            Value::Null => {
                return done(
                    RunOutcome::Success,
                    Answer::of(AnswerKind::Empty),
                    "It returned nothing, which changes nothing.",
                );
            }
            Value::Object(fields) => fields,
            other => {
                let answer = Answer { json: Some(other), ..Answer::of(AnswerKind::Invalid) };
                return self.throws(end, "it returned something that is no object", RunOutcome::Error, answer);
            }
        };
        let mut answer = Answer { json: Some(Value::Object(fields.clone())), ..Answer::of(AnswerKind::Json) };
        answer.ignored = fields
            .keys()
            .filter(|k| self.row.top_field(k).is_none())
            .map(|k| format!("`{k}` is no key of a result"))
            .collect();
        let point = self.point().to_string();
        if fields.get("abort") == Some(&Value::Bool(true)) {
            if self.may_abort() {
                let reason = fields.get("reason").and_then(Value::as_str).map(str::to_string);
                self.aborted = Some((
                    label.clone(),
                    reason,
                    format!("`{label}` aborted; neither later hooks nor the action run."),
                ));
                return done(RunOutcome::Blocked, answer, "It aborts the action; later hooks do not run.");
            }
            let text = format!("{label}: abort is ignored: {point} cannot be aborted");
            self.log.push(text);
            answer.ignored.push(format!("`abort` has no effect: {point} cannot be aborted"));
        }
        let mut says = "Accepted; it changes nothing.".to_string();
        match fields.get("modify") {
            Some(Value::Object(changes)) if self.may_modify() => {
                let keys: Vec<_> = changes.keys().map(|k| format!("`{k}`")).collect();
                says = format!("It changes {} for the hooks after it and for the action.", keys.join(", "));
                self.data.extend(changes.clone());
                self.changed_by.push(label);
            }
            Some(Value::Object(_)) => {
                self.log.push(format!("{label}: modify is ignored: {point} cannot be modified"));
                answer.ignored.push(format!("`modify` has no effect: {point} cannot be modified"));
            }
            None | Some(Value::Null) => {}
            Some(_) => answer.ignored.push("`modify` has no effect: it must be an object".into()),
        }
        done(RunOutcome::Success, answer, &says)
    }

    fn exited(&mut self, end: &RunEnd, code: i32) -> Reading {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
        if code != 0 {
            let stderr = text(&end.stderr.head);
            let cause = end.diagnosis.as_ref().map_or_else(|| format!("exit {code}"), |d| format!("exit {code}: {d}"));
            let error = if stderr.is_empty() { cause } else { stderr };
            return self.throws(end, &error, RunOutcome::Error, Answer::of(AnswerKind::Empty));
        }
        let stdout = text(&end.stdout.head);
        if stdout.is_empty() {
            return self.returned(end, Value::Null);
        }
        match serde_json::from_str(&stdout) {
            Ok(value) => self.returned(end, value),
            Err(e) => {
                let answer = Answer { error: Some(e.to_string()), ..Answer::of(AnswerKind::Invalid) };
                self.throws(end, &format!("its stdout is not a JSON object: {e}"), RunOutcome::Error, answer)
            }
        }
    }
}

fn done(outcome: RunOutcome, answer: Answer, says: &str) -> Reading {
    Reading { outcome, answer, says: says.into(), settled: Settled::Done }
}

impl Script for ArmamentFiring {
    fn ready(&mut self) -> Vec<Launch> {
        if self.running || self.aborted.is_some() || self.cancelled.is_some() {
            return Vec::new();
        }
        let Some(index) = self.queue.pop_front() else { return Vec::new() };
        self.running = true;
        let hook = self.input.plan.hook(index);
        if let Handler::Action { line } = &hook.handler {
            self.commands.push(expand(line, &self.data));
        }
        let value = Arc::new(Value::Object(self.data.clone()));
        let bytes: Arc<[u8]> = serde_json::to_vec(value.as_ref()).unwrap_or_default().into();
        let job = job(&hook.handler, self.shell, &bytes, &value, Vec::new());
        vec![Launch { hook: index, phase: 0, job, limit: Limit { group: None, own: hook.timeout, grace: None } }]
    }

    fn ended(&mut self, end: &RunEnd) -> Reading {
        self.running = false;
        let none = Answer::of(AnswerKind::Empty);
        let handler = &self.input.plan.hook(end.hook).handler;
        if matches!(handler, Handler::Action { .. }) {
            let words = self.commands.last().cloned().unwrap_or_default();
            return done(
                RunOutcome::Success,
                none,
                &format!("The host would run /{}; hookdbg shows it and runs nothing.", words.join(" ")),
            );
        }
        match &end.end {
            End::Exited(code) => self.exited(end, *code),
            End::Returned(Ok(value)) => self.returned(end, value.clone()),
            End::Returned(Err(error)) => self.throws(end, error, RunOutcome::Error, none),
            End::Signalled(signal) => self.throws(end, &format!("ended by signal {signal}"), RunOutcome::Error, none),
            End::TimedOut { limit_ms, .. } | End::NeverStarted { limit_ms } => {
                self.throws(end, &format!("timed out after {limit_ms} ms"), RunOutcome::Timeout, none)
            }
            End::SpawnFailed(failure) => {
                let missing =
                    if failure.message.starts_with("node:") { "; module hooks need node on this machine" } else { "" };
                self.throws(end, &format!("did not start: {failure}{missing}"), RunOutcome::SpawnFailed, none)
            }
            End::Cancelled => {
                self.cancelled = Some(self.input.plan.hook(end.hook).label.clone());
                done(RunOutcome::Cancelled, none, "Cancelled by you.")
            }
        }
    }

    fn halted(&self) -> Option<Gate> {
        let why = match (&self.aborted, &self.cancelled) {
            (Some((label, _, _)), _) => format!("`{label}` aborted, so the hooks after it do not run"),
            (None, Some(label)) => format!("the firing was cancelled while `{label}` ran"),
            (None, None) => return None,
        };
        Some(Gate::new(GateKind::Halted, why))
    }

    fn verdict(&mut self) -> Verdict {
        let mut v = Verdict { errors: self.log.clone(), ..Verdict::default() };
        v.host.insert("data".into(), Value::Object(self.data.clone()));
        v.host.insert("log".into(), json!(self.log));
        if !self.commands.is_empty() {
            v.host.insert("commands".into(), json!(self.commands));
        }
        v.decision = Some("proceed".into());
        v.rule = "No hook aborted, so the action runs.".into();
        if let Some((label, reason, rule)) = &self.aborted {
            v.blocked = true;
            v.decision = Some("abort".into());
            v.decided_by = Some(label.clone());
            v.reason.clone_from(reason);
            v.reason_to = Some("user".into());
            v.user_sees = reason.clone().unwrap_or_default();
            v.rule.clone_from(rule);
        } else if !self.changed_by.is_empty() {
            let data = Value::Object(self.data.clone());
            v.rule = format!(
                "The action runs with data changed by {}; for one key the last change counts.",
                self.changed_by.join(", ")
            );
            if self.row.can(Capability::ModifyInput) {
                v.updated_input = Some(data);
            } else {
                v.updated_output = Some(data);
            }
        }
        v
    }
}
