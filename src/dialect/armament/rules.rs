//! One armament point: hooks by priority, each awaited, data changed one level deep, ended by an abort.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::arma::expand;
use crate::dialect::job::{Shell, job};
use crate::dialect::{Capability, Done, EventRow, FiringInput, Profile, Rules};
use crate::model::{
    Answer, AnswerKind, End, Handler, Job, Limit, Next, OnFailure, Payload, Reading, RunEnd, RunOutcome, Verdict,
};

pub struct ArmamentRules {
    input: FiringInput,
    row: EventRow,
    shell: Shell,
}

#[derive(Default)]
pub struct ArmamentResult {
    effect: ArmamentEffect,
    log: Vec<String>,
}

#[derive(Default)]
enum ArmamentEffect {
    #[default]
    Nothing,
    Abort(Abort),
    Modify(Map<String, Value>),
    /// A command of the host itself, as words.
    Command(Value),
}

struct Abort {
    reason: Option<String>,
    /// The rule, as the rest of a sentence about the hook.
    rule: &'static str,
}

/// The data of a payload: its `context`, or all its fields but the point.
pub fn data_of(payload: &Payload) -> Map<String, Value> {
    match payload.fields.get("context") {
        Some(Value::Object(context)) => context.clone(),
        _ => payload.fields.iter().filter(|(k, _)| *k != "point").map(|(k, v)| (k.clone(), v.clone())).collect(),
    }
}

impl ArmamentRules {
    pub fn new(input: FiringInput, profile: Arc<Profile>) -> Self {
        Self { row: profile.row(&input.payload.event), shell: profile.shell, input }
    }

    fn may_abort(&self) -> bool {
        self.row.can(Capability::Deny)
    }

    fn point(&self) -> &str {
        &self.input.payload.event
    }

    /// A throw: skip, log or abort, by the hook's own word or the default.
    fn thrown(&self, end: &RunEnd, error: &str, outcome: RunOutcome, answer: Answer) -> (Reading, ArmamentResult) {
        let hook = self.input.plan.hook(end.hook);
        let (label, point) = (&hook.label, self.point());
        let mut result = ArmamentResult::default();
        let (outcome, then) = match hook.options.on_failure {
            OnFailure::Blocks if self.may_abort() => {
                let rule = "failed, and its onError is abort";
                result.effect = ArmamentEffect::Abort(Abort { reason: Some(error.into()), rule });
                (RunOutcome::Blocked, "Its onError is abort, so the action is aborted with that text.".to_string())
            }
            OnFailure::Blocks => {
                result.log.push(format!("{label}: {error} (abort is not possible at {point})"));
                (outcome, format!("Its onError is abort, but {point} cannot be aborted; it is only logged."))
            }
            OnFailure::Silent => (outcome, "Its onError is skip, so it is passed over without a word.".to_string()),
            OnFailure::Proceeds => {
                result.log.push(format!("{label}: {error}"));
                (outcome, "It is logged, and the other hooks run.".to_string())
            }
        };
        (Reading { outcome, answer, says: format!("Failed: {error}. {then}") }, result)
    }

    fn returned(&self, end: &RunEnd, value: Value) -> (Reading, ArmamentResult) {
        let fields = match value {
            Value::Null => {
                let says = "It returned nothing, which changes nothing.";
                return said(RunOutcome::Success, Answer::of(AnswerKind::Empty), says);
            }
            Value::Object(fields) => fields,
            other => {
                let answer = Answer { json: Some(other), ..Answer::of(AnswerKind::Invalid) };
                return self.thrown(end, "it returned something that is no object", RunOutcome::Error, answer);
            }
        };
        let unknown = fields.keys().filter(|k| self.row.top_field(k).is_none());
        let mut ignored: Vec<String> = unknown.map(|k| format!("`{k}` is no key of a result")).collect();
        let answer = |ignored| Answer { json: Some(fields.clone().into()), ignored, ..Answer::of(AnswerKind::Json) };
        let (label, point) = (&self.input.plan.hook(end.hook).label, self.point());
        let mut result = ArmamentResult::default();
        if fields.get("abort") == Some(&Value::Bool(true)) {
            if self.may_abort() {
                let reason = fields.get("reason").and_then(Value::as_str).map(str::to_string);
                let rule = "aborted; neither later hooks nor the action run";
                result.effect = ArmamentEffect::Abort(Abort { reason, rule });
                let says = "It aborts the action; later hooks do not run.";
                return (said(RunOutcome::Blocked, answer(ignored), says).0, result);
            }
            result.log.push(format!("{label}: abort is ignored: {point} cannot be aborted"));
            ignored.push(format!("`abort` has no effect: {point} cannot be aborted"));
        }
        let mut says = "Accepted; it changes nothing.".to_string();
        match fields.get("modify") {
            Some(Value::Object(changes)) if self.row.heeds("modify") => {
                let keys: Vec<_> = changes.keys().map(|k| format!("`{k}`")).collect();
                says = format!("It changes {} for the hooks after it and for the action.", keys.join(", "));
                result.effect = ArmamentEffect::Modify(changes.clone());
            }
            Some(Value::Object(_)) => {
                result.log.push(format!("{label}: modify is ignored: {point} cannot be modified"));
                ignored.push(format!("`modify` has no effect: {point} cannot be modified"));
            }
            None | Some(Value::Null) => {}
            Some(_) => ignored.push("`modify` has no effect: it must be an object".into()),
        }
        (said(RunOutcome::Success, answer(ignored), &says).0, result)
    }

    fn exited(&self, end: &RunEnd, code: i32) -> (Reading, ArmamentResult) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
        if code != 0 {
            let stderr = text(&end.stderr.head);
            let cause = end.diagnosis.as_ref().map_or_else(|| format!("exit {code}"), |d| format!("exit {code}: {d}"));
            let error = if stderr.is_empty() { cause } else { stderr };
            return self.thrown(end, &error, RunOutcome::Error, Answer::of(AnswerKind::Empty));
        }
        let stdout = text(&end.stdout.head);
        if stdout.is_empty() {
            return self.returned(end, Value::Null);
        }
        match serde_json::from_str(&stdout) {
            Ok(value) => self.returned(end, value),
            Err(e) => {
                let answer = Answer { error: Some(e.to_string()), ..Answer::of(AnswerKind::Invalid) };
                self.thrown(end, &format!("its stdout is not a JSON object: {e}"), RunOutcome::Error, answer)
            }
        }
    }
}

fn said(outcome: RunOutcome, answer: Answer, says: &str) -> (Reading, ArmamentResult) {
    (Reading { outcome, answer, says: says.into() }, ArmamentResult::default())
}

impl Rules for ArmamentRules {
    type Answer = ArmamentResult;
    /// The data as hooks so far have changed it.
    type Carried = Map<String, Value>;

    fn start(&self) -> Map<String, Value> {
        data_of(&self.input.payload)
    }

    fn launch(&self, hook: usize, data: &Map<String, Value>) -> (Job, Limit) {
        let hook = self.input.plan.hook(hook);
        let job = if let Handler::Action { line } = &hook.handler {
            Job::Stub(Ok(json!(expand(line, data))))
        } else {
            let value = Arc::new(Value::Object(data.clone()));
            let bytes: Arc<[u8]> = serde_json::to_vec(value.as_ref()).unwrap_or_default().into();
            job(&hook.handler, self.shell, &bytes, &value, Vec::new())
        };
        (job, Limit { own: hook.timeout, ..Limit::default() })
    }

    fn read(&self, end: &RunEnd) -> (Reading, ArmamentResult) {
        let none = Answer::of(AnswerKind::Empty);
        match &end.end {
            End::Returned(Ok(words)) if matches!(self.input.plan.hook(end.hook).handler, Handler::Action { .. }) => {
                let line: Vec<&str> = words.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let says = format!("The host would run /{}; hookdbg shows it and runs nothing.", line.join(" "));
                let (reading, result) = said(RunOutcome::Success, none, &says);
                (reading, ArmamentResult { effect: ArmamentEffect::Command(words.clone()), ..result })
            }
            End::Exited(code) => self.exited(end, *code),
            End::Returned(Ok(value)) => self.returned(end, value.clone()),
            End::Returned(Err(error)) => self.thrown(end, error, RunOutcome::Error, none),
            End::Signalled(signal) => self.thrown(end, &format!("ended by signal {signal}"), RunOutcome::Error, none),
            End::TimedOut { limit_ms, .. } | End::NeverStarted { limit_ms } => {
                self.thrown(end, &format!("timed out after {limit_ms} ms"), RunOutcome::Timeout, none)
            }
            End::SpawnFailed(failure) => {
                let no_node = failure.message.starts_with("node:");
                let hint = if no_node { "; module hooks need node on this machine" } else { "" };
                self.thrown(end, &format!("did not start: {failure}{hint}"), RunOutcome::SpawnFailed, none)
            }
            End::Cancelled => said(RunOutcome::Cancelled, none, "Cancelled by you."),
        }
    }

    fn next(&self, hook: usize, _reading: &Reading, result: &ArmamentResult) -> Next {
        match result.effect {
            ArmamentEffect::Abort(_) => {
                let label = &self.input.plan.hook(hook).label;
                Next::Halt(format!("`{label}` aborted, so the hooks after it do not run"))
            }
            ArmamentEffect::Nothing | ArmamentEffect::Modify(_) | ArmamentEffect::Command(_) => Next::Go,
        }
    }

    fn carry(&self, data: &mut Map<String, Value>, result: &ArmamentResult) {
        if let ArmamentEffect::Modify(changes) = &result.effect {
            data.extend(changes.clone());
        }
    }

    fn merge(&self, done: &[Done<ArmamentResult>], data: &Map<String, Value>) -> Verdict {
        let log: Vec<String> = done.iter().flat_map(|d| d.answer.log.clone()).collect();
        let mut v = Verdict {
            decision: Some("proceed".into()),
            rule: "No hook aborted, so the action runs.".into(),
            errors: log.clone(),
            ..Verdict::default()
        };
        v.host.insert("data".into(), data.clone().into());
        v.host.insert("log".into(), json!(log));
        let (mut commands, mut changed_by, mut aborted) = (Vec::new(), Vec::new(), None);
        for Done { hook, answer } in done {
            match &answer.effect {
                ArmamentEffect::Nothing => {}
                ArmamentEffect::Abort(abort) => aborted = Some((self.input.plan.decider(*hook), abort)),
                ArmamentEffect::Modify(_) => changed_by.push(self.input.plan.hook(*hook).label.as_str()),
                ArmamentEffect::Command(words) => commands.push(words.clone()),
            }
        }
        if !commands.is_empty() {
            v.host.insert("commands".into(), commands.into());
        }
        if let Some((decider, Abort { reason, rule })) = aborted {
            v.blocked = true;
            v.decision = Some("abort".into());
            v.reason.clone_from(reason);
            v.reason_to = Some("user".into());
            v.user_sees = reason.clone().unwrap_or_default();
            v.rule = format!("`{}` {rule}.", decider.label);
            v.decided_by = Some(decider);
        } else if !changed_by.is_empty() {
            let names = changed_by.join(", ");
            v.rule = format!("The action runs with data changed by {names}; for one key the last change counts.");
            let data = Some(Value::Object(data.clone()));
            if self.row.can(Capability::ModifyInput) {
                v.updated_input = data;
            } else {
                v.updated_output = data;
            }
        }
        v
    }
}
