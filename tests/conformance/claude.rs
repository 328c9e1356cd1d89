//! Claude vectors: matchers, conditions, de-duplication, and decisions with real commands that print and exit as told.

use hookdbg::dialect::claude::matcher_fits;
use hookdbg::dialect::registry;
use hookdbg::engine::Firing;
use hookdbg::model::{Toggles, Verdict};
use hookdbg::plan::plan;
use serde_json::{Value, json};

use crate::check::Check;
use crate::input::{Act, Input};
use crate::scene::Scene;
use crate::stage::Stage;

pub async fn run(vector: &Value) -> Result<(), Vec<String>> {
    match vector["kind"].as_str() {
        Some("matcher") => matcher(vector),
        Some("if") => condition(vector),
        Some("dedupe") => dedupe(vector),
        Some("decision") => decision(vector).await,
        other => Err(vec![format!("unknown kind {other:?}")]),
    }
}

fn matcher(vector: &Value) -> Result<(), Vec<String>> {
    let event = vector["event"].as_str().expect("an event");
    let claude = registry::find("claude").expect("claude");
    let row = claude.profile().row(event);
    let known = row.matched_on.field().is_some();
    let value = vector["match_value"].as_str().or_else(|| vector["tool_name"].as_str()).filter(|_| known);
    let (mode, fits) = matcher_fits(vector["matcher"].as_str(), &row, value, claude.profile().aliases);
    let nameless = event.ends_with("ModelSwitch") && vector["match_value"].is_null();
    let mut check = Check::default();
    for (key, want) in vector["expect"].as_object().expect("expect") {
        match key.as_str() {
            "matches" => check.equal(key, want, &(fits || nameless).into()),
            "mode" => check.equal(key, want, &if nameless { "all" } else { mode.word() }.into()),
            other => check.fail(format!("unknown expectation `{other}`")),
        }
    }
    check.result()
}

/// How many hooks would run.
fn planned(vector: &Value) -> Result<usize, Vec<String>> {
    let (scene, vector) = Scene::new(vector);
    let input = Input::of("claude", &vector, &scene);
    let stage = Stage::load(&input, &scene)?;
    let Act::Plan(payload) = &input.act else { return Err(vec!["not a plan".into()]) };
    Ok(plan(stage.runner.dialect(), &stage.hooks, payload, &Toggles::default()).running().count())
}

fn condition(vector: &Value) -> Result<(), Vec<String>> {
    let mut check = Check::default();
    check.equal("runs", &vector["expect"]["runs"], &(planned(vector)? == 1).into());
    check.result()
}

fn dedupe(vector: &Value) -> Result<(), Vec<String>> {
    let mut check = Check::default();
    check.equal("ran", &vector["expect"]["ran"], &planned(vector)?.into());
    check.result()
}

async fn decision(vector: &Value) -> Result<(), Vec<String>> {
    let (scene, vector) = Scene::new(vector);
    let input = Input::of("claude", &vector, &scene);
    let stage = Stage::load(&input, &scene)?;
    let Act::Fire(payload) = &input.act else { return Err(vec!["not a firing".into()]) };
    let firing = stage.runner.fire(input.request(payload.clone())).await;
    let mut check = Check::default();
    for (key, want) in vector["expect"].as_object().expect("expect") {
        expectation(&mut check, key, want, &firing);
    }
    check.result()
}

fn sorted(values: &[String]) -> Value {
    let mut values = values.to_vec();
    values.sort();
    json!(values)
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

fn expectation(check: &mut Check, key: &str, want: &Value, firing: &Firing) {
    let v: &Verdict = &firing.verdict;
    let host = |key: &str| v.host.get(key).cloned().unwrap_or(Value::Null);
    let trimmed = |text: &Option<String>| text.as_ref().map(|t| t.trim_end().to_string());
    match key {
        "run"
        | "parse"
        | "effect"
        | "retry"
        | "action"
        | "content"
        | "worktree_path"
        | "display"
        | "watch_paths"
        | "session_title"
        | "terminal_sequence"
        | "original_prompt_shown"
        | "wakes"
        | "context_truncated"
        | "notices_in"
        | "context_in"
        | "interrupt"
        | "preview_max_chars" => check.equal(key, want, &host(key)),
        "wake_text" => check.equal(key, want, &host(key)),
        "blocked" => check.equal(key, want, &v.blocked.into()),
        "permission" => check.equal(key, want, &v.decision.clone().into()),
        "reason" => check.equal(key, want, &trimmed(&v.reason).into()),
        "reason_prefix" => {
            if !v.reason.as_ref().is_some_and(|r| r.starts_with(want.as_str().unwrap_or("?"))) {
                check.fail(format!("reason_prefix: {want} does not begin {:?}", v.reason));
            }
        }
        "reason_to" => check.equal(key, want, &v.reason_to.clone().into()),
        "context" => check.equal(key, want, &json!(v.context)),
        "context_set" => check.equal(key, &sorted(&texts(want)), &sorted(&v.context)),
        "next_turn_context_set" => check.equal(key, &sorted(&texts(want)), &sorted(&texts(&host("next_turn_context")))),
        "halt" => check.equal(key, want, &v.halt.into()),
        "stop_reason" => check.equal(key, want, &v.stop_reason.clone().into()),
        "system_messages" => check.equal(key, want, &json!(v.system_messages)),
        "updated_input" => check.equal(key, want, &v.updated_input.clone().into()),
        "updated_output" => check.equal(key, want, &v.updated_output.clone().into()),
        "notices" => check.mentions(key, want, &texts(&host("notices"))),
        "ran" => check.equal(key, want, &firing.runs.len().into()),
        "ignored_fields" => {
            let ignored: Vec<String> =
                firing.runs.iter().flat_map(|r| r.last().reading.answer.ignored.clone()).collect();
            check.mentions(key, want, &ignored);
        }
        other => check.fail(format!("unknown expectation `{other}`")),
    }
}
