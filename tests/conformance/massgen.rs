//! Massgen vectors: whole tool calls of one agent.

use hookdbg::model::{Handler, Payload};
use serde_json::{Map, Value, json};

use crate::check::{Check, subset};
use crate::input::{Act, Input};
use crate::scene::Scene;
use crate::stage::Stage;

pub async fn run(vector: &Value) -> Result<(), Vec<String>> {
    let (mut scene, vector) = Scene::new(vector);
    let input = Input::of("massgen", &vector, &scene);
    let stage = Stage::load(&input, &scene)?;
    let Act::Call(fields) = &input.act else { return Err(vec!["not a call".into()]) };
    scene.started = std::time::Instant::now();
    let request = input.request(Payload::new("PreToolUse", Map::new()));
    let call = stage.runner.call(fields, &request).await.map_err(|e| vec![e])?;
    let pre = &call.pre.verdict;
    let verdicts = || std::iter::once(pre).chain(call.post.as_ref().map(|p| &p.verdict));
    let mut check = Check::default();
    for (key, want) in vector["expect"].as_object().expect("expect") {
        match key.as_str() {
            "decision" => check.equal(key, want, &pre.decision.clone().into()),
            "reason" => check.equal(key, want, &pre.reason.clone().into()),
            "reason_contains" => check.mentions(key, want, &pre.reason.clone().into_iter().collect::<Vec<_>>()),
            "tool_ran" => check.equal(key, want, &call.tool.ran.into()),
            "result_text" => check.equal(key, want, &call.result.text.clone().into()),
            "user_messages" => check.equal(key, want, &json!(call.user_messages)),
            "tool_input_used" => check.equal(key, want, &call.tool.input),
            "timeouts_s" => {
                let limits: Map<String, Value> = stage
                    .hooks
                    .hooks
                    .iter()
                    .map(|h| {
                        let path = match &h.handler {
                            Handler::Python { function } => function.clone(),
                            other => other.command().unwrap_or_default().to_string(),
                        };
                        let seconds = h.timeout.map(|t| t.as_secs_f64());
                        let whole = h.timeout.filter(|t| t.subsec_nanos() == 0).map(|t| t.as_secs());
                        (path, whole.map_or_else(|| json!(seconds), |s| json!(s)))
                    })
                    .collect();
                if !subset(want, &Value::Object(limits.clone())) {
                    check.fail(format!("timeouts_s: expected {want}, got {limits:?}"));
                }
            }
            "errors" => check.mentions(key, want, &verdicts().flat_map(|v| v.errors.clone()).collect::<Vec<_>>()),
            "warnings" | "log" => {
                let said = verdicts().flat_map(|v| v.warnings.iter().chain(&v.errors).cloned().collect::<Vec<_>>());
                check.mentions(key, want, &said.chain(stage.findings()).collect::<Vec<_>>());
            }
            _ if check.scene(key, want, &scene) => {}
            other => check.fail(format!("unknown expectation `{other}`")),
        }
    }
    check.result()
}
