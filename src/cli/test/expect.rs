//! What a case expects of a report, and how a miss is said.

use serde_json::{Value, json};

use super::case::Case;
use crate::model::{GateKind, did_you_mean};
use crate::report::{HookState, Report};

/// The keys of `expect`, with what they are compared with.
pub const KEYS: &[(&str, &str)] = &[
    ("decision", "the host's word for the decision; null for none"),
    ("blocked", "whether what the event guards does not happen"),
    ("reason", "a part of the reason"),
    ("decided_by", "the hook that decided"),
    ("runs", "the hooks that run, by their short names, in any order"),
    ("skips", "hooks that do not run"),
    ("feedback", "a part of what the model sees"),
    ("user_sees", "a part of what the user sees"),
    ("context", "a part of the added context"),
    ("updated_input", "the rewritten input; null for none"),
    ("updated_output", "the rewritten output; null for none"),
    ("halt", "whether the turn ends"),
    ("outcomes", "the outcome of each hook, by short name"),
    ("max_ms", "the longest the whole event may take"),
];

pub struct Miss {
    pub key: String,
    pub expected: Value,
    pub found: Value,
}

impl Miss {
    pub fn unusable(why: String) -> Self {
        Self { key: "cannot be evaluated".into(), expected: Value::Null, found: why.into() }
    }

    pub fn sentence(&self) -> String {
        match (&self.expected, &self.found) {
            (Value::Null, Value::String(why)) if self.key == "cannot be evaluated" => {
                format!("cannot be evaluated: {why}")
            }
            _ => format!("{}: expected {}, found {}", self.key, self.expected, self.found),
        }
    }
}

/// The expectations of `case` that `report` does not meet.
pub fn misses(case: &Case, report: &Report) -> Vec<Miss> {
    let Some(expect) = case.node.get("expect").and_then(|e| e.as_object()) else {
        return vec![Miss::unusable("`expect` is an object".into())];
    };
    let mut found = Vec::new();
    for member in expect {
        let expected = member.value.to_value();
        match difference(&member.key, &expected, report) {
            Ok(None) => {}
            Ok(Some(actual)) => found.push(Miss { key: member.key.clone(), expected, found: actual }),
            Err(why) => found.push(Miss::unusable(why)),
        }
    }
    found
}

/// What was found in place of `expected`; `None` if the expectation is met.
fn difference(key: &str, expected: &Value, report: &Report) -> Result<Option<Value>, String> {
    let Some(verdict) = &report.verdict else { return Err("nothing was fired".into()) };
    let equal = |actual: Value| Ok((actual != *expected).then_some(actual));
    let contains = |text: Option<&str>| {
        let part = expected.as_str().ok_or_else(|| format!("`{key}` is text"))?;
        let text = text.unwrap_or_default();
        Ok((!text.contains(part)).then(|| json!(text)))
    };
    match key {
        "decision" => equal(json!(verdict.decision)),
        "blocked" => equal(json!(verdict.blocked)),
        "reason" => contains(verdict.reason.as_deref()),
        "decided_by" => equal(json!(verdict.decided_by)),
        "feedback" => contains(Some(&verdict.model_sees)),
        "user_sees" => contains(Some(&verdict.user_sees)),
        "context" => contains(Some(&verdict.context.join("\n"))),
        "updated_input" => equal(json!(verdict.updated_input)),
        "updated_output" => equal(json!(verdict.updated_output)),
        "halt" => equal(json!(verdict.halt)),
        "runs" => same_names(expected, &names(report, |h| h.state == HookState::Ran)),
        "skips" => {
            // Hooks of other events are no skips: a case names the hooks its event could have run.
            let skipped = names(report, |h| h.gate.as_ref().is_some_and(|g| g.gate != GateKind::Event));
            let listed = list(expected)?;
            Ok(listed.iter().any(|n| !skipped.contains(n)).then(|| json!(skipped)))
        }
        "outcomes" => outcomes(expected, report),
        "max_ms" => {
            let most = expected.as_f64().ok_or("`max_ms` is a number")?;
            let took = report.duration_ms.unwrap_or_default();
            Ok((took > most).then(|| json!(took.round())))
        }
        other => Err(format!("unknown expectation `{other}`{}", did_you_mean(other, KEYS.iter().map(|(k, _)| *k)))),
    }
}

fn names(report: &Report, expected: impl Fn(&crate::report::HookReport) -> bool) -> Vec<String> {
    report.hooks.iter().filter(|h| expected(h)).map(|h| h.label.clone()).collect()
}

fn list(value: &Value) -> Result<Vec<String>, String> {
    let items = value.as_array().ok_or("it is a list of short names")?;
    items.iter().map(|v| v.as_str().map(str::to_string).ok_or_else(|| "it is a list of short names".into())).collect()
}

fn same_names(expected: &Value, ran: &[String]) -> Result<Option<Value>, String> {
    let (mut expected, mut actual) = (list(expected)?, ran.to_vec());
    expected.sort();
    actual.sort();
    Ok((expected != actual).then(|| json!(ran)))
}

fn outcomes(expected: &Value, report: &Report) -> Result<Option<Value>, String> {
    let expected = expected.as_object().ok_or("`outcomes` is an object by short name")?;
    let actual: serde_json::Map<String, Value> =
        report.hooks.iter().filter_map(|h| Some((h.label.clone(), json!(h.run.as_ref()?.outcome.word())))).collect();
    let differs = expected.iter().any(|(hook, outcome)| actual.get(hook) != Some(outcome));
    Ok(differs.then_some(Value::Object(actual)))
}
