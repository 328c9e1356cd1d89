//! What only some hosts have: Python functions, JavaScript modules, agents, layers, points; with real interpreters.
#![expect(clippy::unwrap_used, reason = "a test program")]

#[path = "support/skip.rs"]
mod skip;

use std::fs;
use std::path::Path;

use hookdbg::diag::Source;
use hookdbg::dialect::registry;
use hookdbg::engine::{Call, Callback, EngineOptions, Firing, MatcherEntry, Request, Runner};
use hookdbg::model::{Payload, RunOutcome};
use serde_json::{Map, Value, json};
use skip::has;

fn runner(dialect: &str, settings: &str, dir: &Path, env: Vec<(String, String)>) -> Runner {
    let dialect = registry::find(dialect).unwrap();
    let loaded = dialect.load(&[Source::new("settings.yaml", "project", settings)]).unwrap();
    Runner::new(dialect, loaded.hooks, EngineOptions { cwd: Some(dir.to_path_buf()), env, ..EngineOptions::default() })
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn call(runner: &Runner, fields: &Value) -> Call {
    let request = Request::new(Payload::new("PreToolUse", Map::new()));
    block_on(runner.call(fields.as_object().unwrap(), &request)).unwrap()
}

fn fire(runner: &Runner, point: &str, context: &Value) -> Firing {
    let fields = json!({"point": point, "context": context});
    block_on(runner.fire(Request::new(Payload::new(point, fields.as_object().unwrap().clone()))))
}

const WRITE: &str = r#"{"agent_id":"a1","session_id":"s","orchestrator_id":"o","tool_name":"Write","tool_input":{"path":"x"},"tool":{"output":"done"}}"#;

fn massgen(entries: &str, python: &str) -> Call {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hk.py"), python).unwrap();
    let settings = format!("hooks:\n  PreToolUse:\n{entries}");
    call(&runner("massgen", &settings, dir.path(), Vec::new()), &serde_json::from_str(WRITE).unwrap())
}

#[test]
fn a_firing_has_one_moment() {
    let dir = tempfile::tempdir().unwrap();
    let settings = "hooks:\n  PreToolUse:\n    - {type: command, handler: cat}\n";
    let runner = runner("massgen", settings, dir.path(), Vec::new());
    let fields: Map<String, Value> = serde_json::from_str(WRITE).unwrap();
    let firing = block_on(runner.fire(Request::new(Payload::new("PreToolUse", fields))));
    let stdin: Value = serde_json::from_str(&firing.runs[0].last().end.stdout.text()).unwrap();
    assert_eq!(stdin["timestamp"], firing.at, "the hook is told when its firing began");
}

#[test]
fn python_functions_are_really_imported_and_called() {
    if !has("python3") {
        return;
    }
    let python = r#"
class Result:
    def __init__(self, decision, reason):
        self.decision, self.reason = decision, reason
def as_dict(event):
    print("noise on stdout")
    assert event.hook_type == "PreToolUse" and event.agent_id == "a1" and event.timestamp.year > 2000
    return {"updated_input": {"path": event.tool_input["path"] + "-1"}}
async def as_coroutine(event):
    import asyncio
    await asyncio.sleep(0)
    return {"updated_input": {"path": event.tool_input["path"] + "-2"}}
def as_object(event):
    return Result("ask", "sure about " + event.tool_input["path"])
def nothing(event): pass
def number(event): return 7
def throws(event): raise ValueError("boom")
"#;
    let list = |names: &[&str]| names.iter().map(|n| format!("    - handler: hk.{n}\n")).collect::<Vec<_>>().concat();
    let chained = massgen(&list(&["as_dict", "as_coroutine", "as_object", "nothing", "number", "throws"]), python);
    assert_eq!(chained.tool.input, json!({"path": "x-1-2"}));
    assert_eq!(chained.pre.verdict.decision.as_deref(), Some("ask"));
    assert_eq!(chained.pre.verdict.reason.as_deref(), Some("sure about x-1-2"));
    assert!(
        chained.pre.verdict.warnings.iter().any(|w| w.contains("returned int")),
        "{:?}",
        chained.pre.verdict.warnings
    );
    assert!(chained.pre.verdict.errors.iter().any(|e| e.contains("boom")), "an exception fails open");
    assert_eq!(chained.pre.runs[0].last().end.stderr.text(), "noise on stdout\n");

    let closed = massgen("    - {handler: hk.throws, fail_closed: true}\n", python);
    assert_eq!(closed.result.text, "Hook denied tool execution: Hook python_hk.throws failed: boom");
    let missing = massgen("    - {handler: no_such_module_here.f}\n    - {handler: hk.nothing}\n", python);
    assert!(
        !missing.tool.ran && missing.pre.verdict.reason.unwrap().starts_with("Hook import failed: No module named")
    );
    assert_eq!(missing.pre.runs.len(), 1, "later hooks do not run");
}

#[test]
fn a_python_function_over_its_limit_is_ended_and_fails_open_or_closed() {
    if !has("python3") {
        return;
    }
    let python = "import time\ndef hangs(event):\n    time.sleep(1000)\n";
    let open = massgen("    - {handler: hk.hangs, timeout: 0.4}\n", python);
    assert_eq!(open.pre.runs[0].last().reading.outcome, RunOutcome::Timeout);
    assert!(open.tool.ran);
    let closed = massgen("    - {handler: hk.hangs, timeout: 0.4, fail_closed: true}\n", python);
    assert_eq!(closed.pre.verdict.reason.as_deref(), Some("Hook python_hk.hangs timed out"));
}

#[test]
fn without_python_command_hooks_still_work_and_the_reason_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let bin = dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/sh", bin.join("sh")).unwrap();
    fs::write(dir.path().join("ok"), "#!/bin/sh\nprintf '{\"decision\":\"ask\"}'\n").unwrap();
    fs::set_permissions(dir.path().join("ok"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let settings = "hooks:\n  PreToolUse:\n    - {handler: hk.f}\n    - {handler: ./ok, type: command}\n";
    let env = vec![("PATH".to_string(), bin.display().to_string())];
    let call = call(&runner("massgen", settings, dir.path(), env), &serde_json::from_str(WRITE).unwrap());
    let first = &call.pre.runs[0].last().reading;
    assert_eq!(first.outcome, RunOutcome::SpawnFailed);
    assert!(first.says.contains("Python hooks need python3 on this machine"), "{}", first.says);
    assert_eq!(call.pre.verdict.decision.as_deref(), Some("ask"));
}

#[test]
fn a_javascript_module_is_called_in_node() {
    if !has("node") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let module = "export function polish(c) { console.log('noise'); return {modify: {prompt: c.prompt + '!'}}; }\nexport async function refuse(c) { return {abort: true, reason: 'no ' + c.prompt}; }\nexport function broken() { throw new Error('oops'); }\n";
    fs::write(dir.path().join("x.mjs"), module).unwrap();
    let settings = |names: &[&str]| {
        let list = names
            .iter()
            .map(|n| format!("  - {{point: 'pre:message', module: ./x.mjs, export: {n}}}\n"))
            .collect::<Vec<_>>()
            .concat();
        format!("register:\n{list}")
    };
    let runner = runner("armament", &settings(&["polish", "broken", "refuse"]), dir.path(), Vec::new());
    let firing = fire(&runner, "pre:message", &json!({"prompt": "hi"}));
    assert_eq!(firing.verdict.reason.as_deref(), Some("no hi!"));
    assert!(firing.verdict.errors.iter().any(|e| e.contains("oops")), "{:?}", firing.verdict.errors);
}

#[test]
fn a_rust_callback_serves_a_point() {
    let dir = tempfile::tempdir().unwrap();
    let runner = runner("armament", "register: []\n", dir.path(), Vec::new());
    let guard = Callback::new(|data| async move {
        Ok(if data["args"] == "rm" {
            json!({"abort": true, "reason": "no"})
        } else {
            json!({"modify": {"args": "ls -l"}})
        })
    });
    runner.register(MatcherEntry::on("pre:tool").callback("guard", guard));
    assert!(fire(&runner, "pre:tool", &json!({"tool": "shell", "args": "rm"})).verdict.blocked);
    let firing = fire(&runner, "pre:tool", &json!({"tool": "shell", "args": "ls"}));
    assert_eq!(firing.verdict.host["data"], json!({"tool": "shell", "args": "ls -l"}));
}

#[test]
fn bad_entries_of_every_host_are_said_with_their_place_and_the_rest_works() {
    for (dialect, text, ids, hooks) in [
        (
            "massgen",
            "hooks:\n  PreToolUse:\n    - {handler: ./a, type: command}\n    - {handler: 7}\n    - {handler: ./b, type: exec}\n    - {handler: ./c, type: command, timeout: -1}\n    - {handler: ./d, type: command, tiemout: 3}\n    - x\n  PreTolUse: []\n",
            vec!["missing-handler", "unknown-type", "bad-timeout", "unknown-key", "wrong-type", "unknown-event"],
            2,
        ),
        (
            "armament",
            "hooks: {errorBehavior: explode, timout: 3}\nregister:\n  - {point: pre:tool, run: ./a}\n  - {point: pre:tol, run: ./b}\n  - {run: ./c}\n  - {point: pre:tool}\n  - {point: pre:tool, run: ./d, priority: high}\n  - {point: pre:tool, run: ./e, onError: panic}\n",
            vec!["wrong-type", "unknown-key", "unknown-point", "wrong-type", "wrong-type", "wrong-type", "wrong-type"],
            1,
        ),
        (
            "claw@newest",
            "{\"hooks\":{\"PreToolUse\":[\"a\",7,{\"hooks\":[{\"type\":\"http\"}]},{\"matcher\":1,\"hooks\":[]}],\"Stop\":[\"x\"],\"PostToolUse\":{}}}",
            vec![
                "unknown-event", "invalid-hooks-config", "invalid-hooks-config", "invalid-hooks-config",
                "invalid-hooks-config",
            ],
            2,
        ),
    ] {
        let host = registry::find(dialect).unwrap();
        let loaded = host.load(&[Source::new("settings", "project", text)]).unwrap();
        assert_eq!(loaded.diagnostics.iter().map(|d| d.id).collect::<Vec<_>>(), ids, "{dialect}");
        assert!(loaded.diagnostics.iter().all(|d| d.place.is_some() && d.consequence.is_some()), "{dialect}");
        assert_eq!(loaded.hooks.hooks.len(), hooks, "{dialect}");
    }
    for (dialect, text) in [("massgen", "hooks:\n\t- x\n"), ("armament", "register: [\n"), ("claw", "{\"hooks\": }")] {
        let error = registry::find(dialect).unwrap().load(&[Source::new("settings", "project", text)]).unwrap_err();
        assert!(error.place.is_some(), "{dialect}");
    }
}

/// A claw@newest call of `bash` whose tool prints 4, with these pre hooks.
fn newest(hooks: &[&str]) -> (bool, String) {
    let dir = tempfile::tempdir().unwrap();
    let settings = json!({"hooks": {"PreToolUse": hooks}}).to_string();
    let fields = json!({"tool_name": "bash", "tool_input": "{}", "tool": {"output": "4", "is_error": false}});
    let call = call(&runner("claw@newest", &settings, dir.path(), Vec::new()), &fields);
    (call.tool.ran, call.result.text)
}

#[test]
fn the_newest_claw_merges_permissions_after_all_hooks_and_joins_every_message() {
    let permission = |word: &str, reason: &str| {
        let reason =
            if reason.is_empty() { String::new() } else { format!(",\"permissionDecisionReason\":\"{reason}\"") };
        format!(
            "echo '{{\"systemMessage\":\"m\",\"hookSpecificOutput\":{{\"permissionDecision\":\"{word}\"{reason}}}}}'"
        )
    };
    let refused = |text: &str| (false, text.to_string());
    assert_eq!(
        newest(&["echo one", "echo stop; exit 2", "echo z"]),
        refused("one\nstop\n\nHook feedback (error):\none\nstop")
    );
    assert_eq!(
        newest(&["echo one", "exit 3"]),
        refused(
            "one\nHook `exit 3` exited with status 3\n\nHook feedback (error):\none\nHook `exit 3` exited with status 3"
        )
    );
    assert_eq!(
        newest(&[&permission("deny", ""), "echo later"]),
        refused("tool 'bash' denied by hook\n\nHook feedback (error):\nm\nlater")
    );
    assert_eq!(newest(&[&permission("ask", "sure?")]), refused("sure?\n\nHook feedback (error):\nm"));
    assert_eq!(
        newest(&[&permission("deny", "no"), &permission("allow", "")]),
        (true, "4\n\nHook feedback:\nm\nm".into())
    );
    assert_eq!(newest(&["echo partial; kill -9 $$"]), refused("partial\n\nHook feedback (error):\npartial"));
    assert_eq!(newest(&["echo a", "echo a"]), (true, "4\n\nHook feedback:\na\na".into()));
}

/// A port nobody listens on, so that the outcome shows whether the hook was sent at all.
#[test]
fn an_http_hook_needs_the_http_feature() {
    let dir = tempfile::tempdir().unwrap();
    let hook = json!({"type": "http", "url": "http://127.0.0.1:1/hook"});
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}}).to_string();
    let firing = fire(&runner("claude", &settings, dir.path(), Vec::new()), "Stop", &json!({}));
    let reading = &firing.runs[0].last().reading;
    let (outcome, text) = if cfg!(feature = "http") {
        (RunOutcome::Error, "http://127.0.0.1:1/hook did not answer")
    } else {
        (RunOutcome::SpawnFailed, "hookdbg was built without the `http` feature")
    };
    assert_eq!(reading.outcome, outcome);
    assert!(reading.says.contains(text), "{}", reading.says);
}
