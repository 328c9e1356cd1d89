//! Stand-ins for the hooks of Claude vectors: scripts that print, wait and exit as told, and small HTTP servers.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use hookdbg::dialect::registry;
use hookdbg::model::Payload;
use serde_json::{Value, json};

use crate::scene::Scene;

/// The payload a vector describes.
pub fn payload(vector: &Value) -> Payload {
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

/// The layer a hook of a vector comes from.
pub fn layer(hook: &Value) -> &'static str {
    match hook["source"].as_str() {
        Some("userSettings") => "user",
        Some("localSettings") => "local",
        Some("flagSettings") => "flag",
        Some("policySettings") => "managed",
        Some("pluginHook") => "plugin",
        _ => "project",
    }
}

/// The settings entries of a vector's hooks, and the replies of those that ask a model.
pub fn entries(scene: &Scene, hooks: &[Value], event: &str) -> (Vec<Value>, Vec<Value>) {
    let mut replies = Vec::new();
    let entries = hooks.iter().enumerate().map(|(index, hook)| match hook["type"].as_str() {
        Some(kind @ ("prompt" | "agent" | "mcp_tool")) => {
            replies.push(hook["reply"].clone());
            let key = if kind == "mcp_tool" { "tool" } else { "prompt" };
            with(json!({"type": kind, key: format!("judge {index}")}), hook, &["continueOnBlock"])
        }
        Some("http") => {
            let mut entry = json!({"type": "http", "url": serve(hook)});
            if never_answers(hook) {
                entry["timeout"] = json!(0.3);
            }
            with(entry, hook, &["onFailure"])
        }
        _ => command(scene, index, before(hooks, index), hook, event),
    });
    (entries.collect(), replies)
}

/// `entry` with those of `keys` the vector's hook has.
fn with(mut entry: Value, hook: &Value, keys: &[&str]) -> Value {
    for key in keys {
        if let Some(value) = hook.get(key) {
            entry[*key] = value.clone();
        }
    }
    entry
}

/// The hook that finishes before hook `index`: by the vector's times, else by their places; one that runs into its
/// limit is last.
fn before(hooks: &[Value], index: usize) -> Option<usize> {
    let waits_for_nobody = |h: &Value| h["type"].is_string() || h["async"] == true || h["asyncRewake"] == true;
    let rank = |at: usize| (hooks[at]["exit"] == "timeout", hooks[at]["finish_ms"].as_u64().unwrap_or(0), at);
    if waits_for_nobody(&hooks[index]) {
        return None;
    }
    (0..hooks.len()).filter(|at| !waits_for_nobody(&hooks[*at]) && rank(*at) < rank(index)).max_by_key(|at| rank(*at))
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

/// A script that prints and exits as the vector says, after the run of hook `before` has ended; its settings entry.
fn command(scene: &Scene, index: usize, before: Option<usize>, hook: &Value, event: &str) -> Value {
    let dir = scene.path();
    let name = hook["command"]
        .as_str()
        .filter(|c| !c.contains(['/', ' ']))
        .map_or_else(|| format!("hook{index}.sh"), str::to_string);
    let stdout = generated(hook, event).unwrap_or_else(|| hook["stdout"].as_str().unwrap_or_default().to_string());
    fs::write(dir.join(format!("out{index}")), stdout).unwrap();
    fs::write(dir.join(format!("err{index}")), hook["stderr"].as_str().unwrap_or_default()).unwrap();
    let timeout = hook["exit"] == "timeout";
    let d = dir.display();
    // The engine keeps the process number of a run's first process, which is that of its session, until the run is over:
    // when it is free the earlier run has ended. A shell may lie between that process and this script.
    let wait = before.map_or_else(String::new, |b| {
        format!(
            "until [ -s {d}/pid{b} ]; do sleep 0.01; done\nwhile kill -0 \"$(cat {d}/pid{b})\" 2>&-; do sleep 0.01; done\n"
        )
    });
    let end =
        if timeout { "exec sleep 30".to_string() } else { format!("exit {}", hook["exit"].as_i64().unwrap_or(0)) };
    let text = format!(
        "#!/bin/sh\n{{ cut -d' ' -f6 /proc/$$/stat 2>&- || echo $$; }} >{d}/pid{index}\ncat >/dev/null\n{wait}cat {d}/out{index}\ncat {d}/err{index} >&2\n{end}\n"
    );
    fs::write(dir.join(&name), text).unwrap();
    fs::set_permissions(dir.join(&name), fs::Permissions::from_mode(0o755)).unwrap();
    let mut entry = json!({"type": "command", "command": name});
    if timeout {
        entry["timeout"] = json!(0.3);
    }
    with(entry, hook, &["onFailure", "async", "asyncRewake", "if"])
}

fn never_answers(hook: &Value) -> bool {
    hook["error"].as_str().is_some_and(|e| e.contains("timeout"))
}

/// A server on this machine that answers one request as the vector says; its address.
fn serve(hook: &Value) -> String {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/hook", listener.local_addr().unwrap());
    if never_answers(hook) {
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
