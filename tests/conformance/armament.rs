//! Armament vectors: one point at a time.

use hookdbg::model::{Handler, Standing};
use serde_json::{Map, Value, json};

use crate::check::Check;
use crate::input::{Act, Input};
use crate::scene::Scene;
use crate::stage::Stage;

pub async fn run(vector: &Value) -> Result<(), Vec<String>> {
    let (mut scene, vector) = Scene::new(vector);
    let input = Input::of("armament", &vector, &scene);
    let stage = Stage::load(&input, &scene)?;
    let Act::Fire(payload) = &input.act else { return Err(vec!["not a firing".into()]) };
    scene.started = std::time::Instant::now();
    let firing = stage.runner.fire(input.request(payload.clone())).await;
    let verdict = &firing.verdict;
    let named = |wanted: &dyn Fn(&hookdbg::model::Hook) -> bool| {
        let hooks = stage.hooks.hooks.iter().filter(|h| h.handler.command().is_some_and(|c| c != h.name) && wanted(h));
        hooks.map(|h| Value::from(h.name.clone())).collect::<Vec<_>>()
    };
    let mut check = Check::default();
    for (key, want) in vector["expect"].as_object().expect("expect") {
        match key.as_str() {
            "decision" => check.equal(key, want, &verdict.decision.clone().into()),
            "reason" => check.equal(key, want, &verdict.reason.clone().into()),
            "reason_contains" => check.mentions(key, want, &verdict.reason.clone().into_iter().collect::<Vec<_>>()),
            "context" => check.equal(key, want, &verdict.host["data"]),
            "log" | "errors" => check.mentions(key, want, &verdict.errors),
            "warnings" => check.mentions(key, want, &stage.findings()),
            "commands" => check.equal(key, want, &verdict.host.get("commands").cloned().unwrap_or_else(|| json!([]))),
            "order" => {
                let ran = firing.runs.iter().map(|r| firing.plan.hook(r.hook));
                let text = ran.map(|h| match &h.handler {
                    Handler::Action { line } => line.clone(),
                    other => other.command().unwrap_or_default().to_string(),
                });
                check.equal(key, want, &json!(text.collect::<Vec<_>>()));
            }
            "register_errors" => check.equal(key, want, &json!(stage.hooks.refused)),
            "registered" => {
                let mut have = named(&|_| true);
                let mut wanted = want.as_array().expect("a list").clone();
                have.sort_by_key(Value::to_string);
                wanted.sort_by_key(Value::to_string);
                check.equal(key, &wanted.into(), &have.into());
            }
            "enabled" => {
                let on = named(&|h| h.standing != Standing::DisabledInFile);
                let names = want.as_object().expect("a map").keys();
                let state: Map<String, Value> =
                    names.map(|n| (n.clone(), on.iter().any(|o| o == n.as_str()).into())).collect();
                check.equal(key, want, &state.into());
            }
            _ if check.scene(key, want, &scene) => {}
            other => check.fail(format!("unknown expectation `{other}`")),
        }
    }
    check.result()
}
