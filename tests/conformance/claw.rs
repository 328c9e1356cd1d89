//! Claw vectors: whole tool calls, byte for byte.

use hookdbg::model::Payload;
use serde_json::{Map, Value, json};

use crate::check::Check;
use crate::input::{Act, Input};
use crate::scene::Scene;
use crate::stage::Stage;

pub async fn run(vector: &Value) -> Result<(), Vec<String>> {
    let (mut scene, vector) = Scene::new(vector);
    let input = Input::of("claw", &vector, &scene);
    let stage = Stage::load(&input, &scene)?;
    let Act::Call(fields) = &input.act else { return Err(vec!["not a call".into()]) };
    scene.started = std::time::Instant::now();
    let request = input.request(Payload::new("PreToolUse", Map::new()));
    let call = stage.runner.call(fields, &request).await.map_err(|e| vec![e])?;
    let mut check = Check::default();
    let expect = vector["expect"].as_object().expect("expect");
    let pre = &call.pre.verdict;
    let verdicts = || std::iter::once(pre).chain(call.post.as_ref().map(|p| &p.verdict));
    for (key, want) in expect {
        match key.as_str() {
            "decision" => check.equal(key, want, &if pre.blocked { "deny".into() } else { json!("allow") }),
            "reason" => check.equal(key, want, &pre.reason.clone().into()),
            "reason_contains" => check.mentions(key, want, &pre.reason.clone().into_iter().collect::<Vec<_>>()),
            "tool_ran" => check.equal(key, want, &call.tool.ran.into()),
            "result" => check.equal(key, want, &json!({"text": call.result.text, "is_error": call.result.is_error})),
            "result_len" => check.equal(key, want, &call.result.text.chars().count().into()),
            "pre_messages" => check.equal(key, want, &pre.host["messages"]),
            "warnings" | "errors" | "log" => {
                let of =
                    |v: &hookdbg::model::Verdict| if key == "warnings" { v.warnings.clone() } else { v.errors.clone() };
                // What the host says while it loads is as much a warning as what it says while it runs.
                check.mentions(key, want, &verdicts().flat_map(of).chain(stage.findings()).collect::<Vec<_>>());
            }
            "tool_input_used" => check.equal(key, want, &call.tool.input),
            "config_error" => check.mentions(key, want, &stage.findings()),
            _ if check.scene(key, want, &scene) => {}
            other => check.fail(format!("unknown expectation `{other}`")),
        }
    }
    check.result()
}
