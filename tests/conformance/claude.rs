//! Claude vectors: matchers, conditions, de-duplication, and decisions with real commands that print and exit as told.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use hookdbg::diag::Source;
use hookdbg::dialect::claude::matcher_fits;
use hookdbg::dialect::registry;
use hookdbg::engine::{EngineOptions, Firing, Request, Runner};
use hookdbg::model::{Payload, Toggles, Verdict};
use hookdbg::plan::plan;
use serde_json::{Map, Value, json};

use crate::check::Check;
use crate::scene::Scene;

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

/// The payload a vector describes.
fn payload(vector: &Value) -> Payload {
    let event = vector["event"].as_str().expect("an event");
    let mut fields = vector["input"].as_object().cloned().unwrap_or_default();
    for key in ["tool_name", "tool_input", "cwd"] {
        if let Some(value) = vector.get(key) {
            fields.insert(key.into(), value.clone());
        }
    }
    let matched = registry::find("claude").expect("claude").profile().row(event).matched_on.field();
    if let (Some(field), Some(value)) = (matched, vector.get("match_value").filter(|v| v.is_string())) {
        fields.insert(field.into(), value.clone());
    }
    Payload::new(event, fields)
}

fn condition(vector: &Value) -> Result<(), Vec<String>> {
    let entry = json!({"type": "command", "command": "x", "if": vector["if"]});
    let settings = json!({"hooks": {vector["event"].as_str().expect("an event"): [{"hooks": [entry]}]}});
    let runs = running(&[("project", settings)], &payload(vector))? == 1;
    let mut check = Check::default();
    check.equal("runs", &vector["expect"]["runs"], &runs.into());
    check.result()
}

fn running(layers: &[(&str, Value)], payload: &Payload) -> Result<usize, Vec<String>> {
    let dialect = registry::find("claude").expect("claude");
    let sources: Vec<_> =
        layers.iter().map(|(layer, text)| Source::new("settings.json", *layer, text.to_string())).collect();
    let loaded = dialect.load(&sources).map_err(|d| vec![d.message.clone()])?;
    Ok(plan(dialect.as_ref(), &loaded.hooks, payload, &Toggles::default()).running().count())
}

fn dedupe(vector: &Value) -> Result<(), Vec<String>> {
    let event = vector["event"].as_str().expect("an event");
    let layers: Vec<(&str, Value)> = vector["hooks"]
        .as_array()
        .expect("hooks")
        .iter()
        .map(|hook| {
            let layer = match hook["source"].as_str() {
                Some("userSettings") => "user",
                Some("localSettings") => "local",
                Some("flagSettings") => "flag",
                Some("policySettings") => "managed",
                Some("pluginHook") => "plugin",
                _ => "project",
            };
            (layer, json!({"hooks": {event: [{"hooks": [hook]}]}}))
        })
        .collect();
    let mut check = Check::default();
    check.equal("ran", &vector["expect"]["ran"], &running(&layers, &payload(vector))?.into());
    check.result()
}

/// A text the vector asks to be made.
fn generated(hook: &Value, event: &str) -> Option<String> {
    let made = hook.get("stdout_gen")?;
    let text = made["char"]
        .as_str()
        .expect("a character")
        .repeat(usize::try_from(made["count"].as_u64().expect("a count")).unwrap());
    if made["text"] == true {
        return Some(text);
    }
    let event = made["event"].as_str().unwrap_or(event);
    let field = made["json_field"].as_str().expect("a field");
    Some(match field.strip_prefix("hookSpecificOutput.") {
        Some(name) => json!({"hookSpecificOutput": {"hookEventName": event, name: text}}).to_string(),
        None => json!({field: text}).to_string(),
    })
}

/// A script that prints, waits and exits as the vector says, and its settings entry.
fn command(scene: &Scene, index: usize, hook: &Value, event: &str) -> Value {
    let dir = scene.path();
    let name = hook["command"]
        .as_str()
        .filter(|c| !c.contains(['/', ' ']))
        .map_or_else(|| format!("hook{index}.sh"), str::to_string);
    let stdout = generated(hook, event).unwrap_or_else(|| hook["stdout"].as_str().unwrap_or_default().to_string());
    fs::write(dir.join(format!("out{index}")), stdout).unwrap();
    fs::write(dir.join(format!("err{index}")), hook["stderr"].as_str().unwrap_or_default()).unwrap();
    let timeout = hook["exit"] == "timeout";
    let wait =
        hook["finish_ms"].as_u64().map_or_else(String::new, |ms| format!("sleep {}.{:03}\n", ms / 1000, ms % 1000));
    let end =
        if timeout { "exec sleep 30".to_string() } else { format!("exit {}", hook["exit"].as_i64().unwrap_or(0)) };
    let text = format!(
        "#!/bin/sh\ncat >/dev/null\n{wait}cat {dir}/out{index}\ncat {dir}/err{index} >&2\n{end}\n",
        dir = dir.display()
    );
    fs::write(dir.join(&name), text).unwrap();
    fs::set_permissions(dir.join(&name), fs::Permissions::from_mode(0o755)).unwrap();
    let mut entry = json!({"type": "command", "command": name});
    for key in ["onFailure", "async", "asyncRewake", "if"] {
        if let Some(value) = hook.get(key) {
            entry[key] = value.clone();
        }
    }
    if timeout {
        entry["timeout"] = json!(0.3);
    }
    entry
}

/// A server on this machine that answers one request as the vector says; its address.
fn serve(hook: &Value) -> String {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    if hook["error"].as_str().is_some_and(|e| e.contains("timeout")) {
        // It takes the connection and never answers.
        std::mem::forget(listener);
        return address;
    }
    let Some(status) = hook["status"].as_u64() else { return address };
    let body = hook["body"].as_str().unwrap_or_default().to_string();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        let mut buffer = [0; 4096];
        // The request is over when its body is as long as it said.
        while let Ok(count) = stream.read(&mut buffer) {
            seen.extend_from_slice(&buffer[..count]);
            let text = String::from_utf8_lossy(&seen).into_owned();
            let length = text.lines().find_map(|l| {
                l.to_lowercase().strip_prefix("content-length: ").and_then(|n| n.trim().parse::<usize>().ok())
            });
            let done = text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.len() >= length.unwrap_or(0));
            if done || count == 0 {
                break;
            }
        }
        let answer =
            format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        let _ = stream.write_all(answer.as_bytes());
    });
    address
}

async fn decision(vector: &Value) -> Result<(), Vec<String>> {
    let (mut scene, vector) = Scene::new(vector);
    let event = vector["event"].as_str().expect("an event");
    let mut replies = Vec::new();
    let entries: Vec<Value> = vector["hooks"]
        .as_array()
        .expect("hooks")
        .iter()
        .enumerate()
        .map(|(index, hook)| match hook["type"].as_str() {
            Some(kind @ ("prompt" | "agent" | "mcp_tool")) => {
                replies.push(hook["reply"].clone());
                let key = if kind == "mcp_tool" { "tool" } else { "prompt" };
                let mut entry = json!({"type": kind, key: format!("judge {index}")});
                if let Some(value) = hook.get("continueOnBlock") {
                    entry["continueOnBlock"] = value.clone();
                }
                entry
            }
            Some("http") => {
                let mut entry = json!({"type": "http", "url": serve(hook)});
                if hook["error"].as_str().is_some_and(|e| e.contains("timeout")) {
                    entry["timeout"] = json!(0.3);
                }
                if let Some(value) = hook.get("onFailure") {
                    entry["onFailure"] = value.clone();
                }
                entry
            }
            _ => command(&scene, index, hook, event),
        })
        .collect();
    let mut group = json!({"hooks": entries});
    if let Some(matcher) = vector.get("matcher") {
        group["matcher"] = matcher.clone();
    }
    let dialect = registry::find("claude").expect("claude");
    let source = Source::new("settings.json", "project", json!({"hooks": {event: [group]}}).to_string());
    let loaded = dialect.load(&[source]).map_err(|d| vec![d.message.clone()])?;
    let path = format!("{}:{}", scene.path().display(), std::env::var("PATH").unwrap_or_default());
    let options =
        EngineOptions { cwd: Some(scene.path()), env: vec![("PATH".into(), path)], ..EngineOptions::default() };
    let runner = Runner::new(dialect, loaded.hooks, options);
    let mut host: Map<String, Value> = vector.as_object().expect("a vector").clone();
    host.insert("replies".into(), replies.into());
    scene.started = std::time::Instant::now();
    let request = Request { host: Arc::new(host), ..Request::new(payload(&vector)) };
    let firing = runner.fire(request).await;
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
