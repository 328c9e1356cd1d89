//! Goat vectors: one firing or one whole tool call, with stand-in callbacks as real Rust callbacks.

use std::path::Path;
use std::sync::Arc;

use hookdbg::engine::{Callback, EventSink, EventStream, Firing, Request, Runner, Session};
use hookdbg::model::{CallResult, Handler, HookSet, Payload};
use serde_json::{Map, Value};

use crate::check::Check;
use crate::input::{Act, Input};
use crate::scene::Scene;
use crate::stage::Stage;

/// What a vector's event led to.
struct Happened {
    firings: Vec<Firing>,
    call: Option<(bool, CallResult)>,
    messages: Vec<Value>,
}

pub async fn run(vector: &Value) -> Result<(), Vec<String>> {
    let (mut scene, vector) = Scene::new(vector);
    let input = Input::of("goat", &vector, &scene);
    let Stage { runner, mut hooks, .. } = Stage::load(&input, &scene)?;
    let callbacks = replace_stubs(&mut hooks, &scene.path());
    let session = hooks.session.clone();
    runner.replace(hooks);
    callbacks.into_iter().for_each(|(id, callback)| runner.provide(id, callback));

    scene.started = std::time::Instant::now();
    let (sink, stream) = EventSink::channel();
    let mut happened = fire(&runner, &input, sink).await?;
    happened.messages = messages(stream, &runner, &session);

    let mut check = Check::default();
    let mut talk = Session::default();
    happened.firings.iter().for_each(|f| talk.add_context(f));
    let system_prompt = vector["event"]["system_prompt"].as_str().unwrap_or_default();
    let next = talk.next_prompt(runner.dialect(), system_prompt);
    let after = talk.next_prompt(runner.dialect(), system_prompt);
    for (key, want) in vector["expect"].as_object().expect("expect") {
        match key.as_str() {
            "next_prompt" => check.equal(key, want, &next.clone().into()),
            "prompt_after_next" => check.equal(key, want, &after.clone().into()),
            _ if check.scene(key, want, &scene) => {}
            _ => verdict(&mut check, key, want, &happened),
        }
    }
    check.result()
}

async fn fire(runner: &Runner, input: &Input, events: EventSink) -> Result<Happened, Vec<String>> {
    let request = |payload| Request { events: events.clone(), ..input.request(payload) };
    match &input.act {
        Act::Call(turn) => {
            let opening = Payload::new("PreToolUse", Map::new());
            let call = runner.call(turn, &request(opening)).await.map_err(|e| vec![e])?;
            let firings = std::iter::once(call.pre).chain(call.post).collect();
            Ok(Happened { firings, call: Some((call.tool.ran, call.result)), messages: Vec::new() })
        }
        Act::Fire(payload) | Act::Plan(payload) => {
            let firing = runner.fire(request(payload.clone())).await;
            Ok(Happened { firings: vec![firing], call: None, messages: Vec::new() })
        }
    }
}

fn verdict(check: &mut Check, key: &str, want: &Value, happened: &Happened) {
    let first = &happened.firings[0];
    let last = &happened.firings[happened.firings.len() - 1];
    let verdict = &first.verdict;
    let host = |key: &str| last.verdict.host.get(key).cloned().unwrap_or(Value::Null);
    let texts = |pick: fn(&Firing) -> &Vec<String>| happened.firings.iter().flat_map(pick).cloned().collect::<Vec<_>>();
    match key {
        "decision" => check.equal(key, want, &verdict.decision.clone().unwrap_or_else(|| "none".into()).into()),
        "reason" => check.equal(key, want, &verdict.reason.clone().into()),
        "reason_contains" => check.mentions(key, want, &verdict.reason.clone().into_iter().collect::<Vec<_>>()),
        "results" => check.subsets(key, want, first.verdict.host["results"].as_array().expect("results")),
        "outcomes" => {
            let outcomes =
                happened.messages.iter().filter(|m| m["subtype"] == "hook_response").map(|m| m["outcome"].clone());
            check.equal(key, want, &outcomes.collect());
        }
        "emissions" => check.subsets(key, want, &joined(&happened.messages)),
        "context" => check.equal(key, want, &texts(|f| &f.verdict.context).into()),
        "updated_input" => check.equal(key, want, &verdict.updated_input.clone().into()),
        "suppress" => check.equal(key, want, &last.verdict.suppress_output.into()),
        "tool_result" => {
            let got = happened.call.as_ref().map_or_else(|| host("tool_result"), |(_, r)| r.text.clone().into());
            check.equal(key, want, &got);
        }
        "continue_loop" | "interrupt" => check.equal(key, want, &host(key)),
        "async_timeouts" => {
            let got = verdict.host.get(key).cloned().unwrap_or_else(|| Value::Array(Vec::new()));
            check.equal(key, want, &got);
        }
        "tool_ran" => check.equal(key, want, &happened.call.as_ref().is_some_and(|(ran, _)| *ran).into()),
        "errors" | "log" => check.mentions(key, want, &texts(|f| &f.verdict.errors)),
        "warnings" => check.mentions(key, want, &texts(|f| &f.verdict.warnings)),
        other => check.fail(format!("unknown expectation `{other}`")),
    }
}

/// Stand-ins become real callbacks that leave their name in ran.log.
fn replace_stubs(set: &mut HookSet, dir: &Path) -> Vec<(String, Callback)> {
    let mut callbacks = Vec::new();
    for hook in &mut set.hooks {
        let Handler::Stub { answer } = hook.handler.clone() else { continue };
        let (dir, name, id) = (dir.to_path_buf(), hook.name.clone(), hook.id.to_string());
        Arc::make_mut(hook).handler = Handler::Callback { id: id.clone() };
        let callback = Callback::new(move |_input| {
            Scene::note(&dir, &name);
            std::future::ready(answer.clone())
        });
        callbacks.push((id, callback));
    }
    callbacks
}

/// The host's own messages, in order.
fn messages(mut stream: EventStream, runner: &Runner, session: &Map<String, Value>) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Some(event) = stream.try_recv() {
        messages.extend(runner.dialect().profile().message.and_then(|message| message(&event, session)));
    }
    messages
}

/// Neighbouring progress messages of one stream as one; the subtype under the key vectors use.
fn joined(messages: &[Value]) -> Vec<Value> {
    let mut out: Vec<Value> = Vec::new();
    for message in messages {
        let mut message = message.clone();
        message["type"] = message["subtype"].clone();
        let streams = |m: &Value| (m["stdout"] != "", m["stderr"] != "");
        if let Some(last) = out.last_mut()
            && message["type"] == "hook_progress"
            && last["type"] == "hook_progress"
            && last["hook_id"] == message["hook_id"]
            && streams(last) == streams(&message)
        {
            for key in ["stdout", "stderr", "output"] {
                last[key] =
                    format!("{}{}", last[key].as_str().unwrap_or(""), message[key].as_str().unwrap_or("")).into();
            }
        } else {
            out.push(message);
        }
    }
    out
}
