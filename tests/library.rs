//! The library as an embedding program uses it: real callbacks, scopes, many threads.
#![expect(clippy::unwrap_used, reason = "a test program")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookdbg::dialect::registry;
use hookdbg::engine::{Callback, EngineOptions, EventSink, Firing, MatcherEntry, Request, Runner};
use hookdbg::model::{End, HookSet, Lifecycle, Payload, RunOutcome};
use serde_json::{Value, json};

fn goat() -> Runner {
    Runner::new(registry::find("goat").unwrap(), HookSet::default(), EngineOptions::default())
}

fn event(name: &str, fields: &Value) -> Request {
    Request::new(Payload::new(name, fields.as_object().cloned().unwrap_or_default()))
}

fn bash() -> Request {
    event("PreToolUse", &json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}))
}

fn outcomes(firing: &Firing) -> Vec<RunOutcome> {
    firing.runs.iter().map(|r| r.last().reading.outcome).collect()
}

fn answers(value: Value) -> Callback {
    Callback::new(move |_input| std::future::ready(Ok(value.clone())))
}

#[tokio::test]
async fn a_callback_sees_the_payload_and_decides() {
    let runner = goat();
    let guard = Callback::new(|input: Arc<Value>| async move {
        let command = input["tool_input"]["command"].as_str().unwrap_or_default().to_string();
        tokio::task::yield_now().await;
        Ok(json!({"decision": if command == "ls" { "allow" } else { "block" }, "reason": command}))
    });
    runner.register(MatcherEntry::on("PreToolUse").matcher("Bash").callback("guard", guard));
    let firing = runner.fire(bash()).await;
    assert_eq!(firing.verdict.decision.as_deref(), Some("allow"));
    assert_eq!(firing.verdict.decided_by.as_ref().map(|by| by.label.as_str()), Some("guard"));
}

#[tokio::test]
async fn errors_panics_and_timeouts_of_callbacks_are_isolated() {
    let runner = goat();
    let fails = Callback::new(|_| async { Err("boom".to_string()) });
    let panics = Callback::new(|_| async { panic!("ouch") });
    let never = Callback::new(|_| std::future::pending());
    runner.register(MatcherEntry::on("Stop").callback("fails", fails).callback("panics", panics));
    runner.register(MatcherEntry::on("Stop").timeout(Duration::from_millis(50)).callback("never", never));
    runner.register(MatcherEntry::on("Stop").callback("last", answers(json!({"continue": true}))));
    let firing = runner.fire(event("Stop", &json!({}))).await;
    assert_eq!(outcomes(&firing), [RunOutcome::Error, RunOutcome::Error, RunOutcome::Timeout, RunOutcome::Success]);
    assert!(firing.runs[1].last().reading.says.contains("ouch"));
    assert!(firing.verdict.resume);
}

#[tokio::test]
async fn callbacks_come_before_commands_and_share_the_deadline() {
    let runner = goat();
    let never = Callback::new(|_| std::future::pending());
    let entry = MatcherEntry::on("Stop").command("echo {}").callback("never", never).timeout(Duration::from_millis(80));
    runner.register(entry);
    let (events, mut stream) = EventSink::channel();
    let firing = runner.fire(Request { events, ..event("Stop", &json!({})) }).await;
    assert_eq!(firing.runs[0].last().end.end, End::TimedOut { limit_ms: 80, killed: false });
    // The command was never spawned, and still has its started and response messages.
    assert_eq!(firing.runs[1].last().end.end, End::NeverStarted { limit_ms: 80 });
    let mut seen = Vec::new();
    while let Some(event) = stream.try_recv() {
        seen.extend(match event {
            Lifecycle::HookStarted { hook } => Some(format!("started {}", hook.hook_id)),
            Lifecycle::HookResponse { hook, .. } => Some(format!("response {}", hook.hook_id)),
            _ => None,
        });
    }
    assert_eq!(seen, ["started Stop-go-0", "response Stop-go-0", "started Stop-shell-0", "response Stop-shell-0"]);
}

#[tokio::test]
async fn an_async_answer_runs_the_callback_a_second_time() {
    let runner = goat();
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = calls.clone();
    let twice = Callback::new(move |_| {
        let first = counter.fetch_add(1, Ordering::SeqCst) == 0;
        std::future::ready(Ok(if first {
            json!({"async": true, "asyncTimeout": 5})
        } else {
            json!({"decision": "deny"})
        }))
    });
    runner.register(MatcherEntry::on("PreToolUse").callback("twice", twice));
    let (events, mut stream) = EventSink::channel();
    let firing = runner.fire(Request { events, ..bash() }).await;
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    assert_eq!(firing.verdict.decision.as_deref(), Some("deny"));
    assert_eq!(firing.verdict.host["async_timeouts"], json!([5]));
    let mut responses = 0;
    while let Some(event) = stream.try_recv() {
        responses += usize::from(matches!(event, Lifecycle::HookResponse { .. }));
    }
    assert_eq!(responses, 1, "one response covers both phases");
}

#[tokio::test]
async fn an_async_command_runs_again_under_its_own_limit() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("second").display().to_string();
    let runner = goat();
    let line = format!(
        r#"if [ -e {mark} ]; then sleep 1000; else touch {mark}; echo '{{"async":true,"asyncTimeout":1}}'; fi"#
    );
    runner.register(MatcherEntry::on("Stop").command(line));
    let firing = runner.fire(event("Stop", &json!({}))).await;
    assert_eq!(firing.runs[0].phases.len(), 2);
    assert_eq!(outcomes(&firing), [RunOutcome::Timeout]);
    assert!(firing.runs[0].last().reading.says.contains("limit of 1 s for the second run"));
}

#[tokio::test]
async fn a_scope_lives_and_dies_with_its_agent() {
    let runner = goat();
    runner.register(MatcherEntry::on("Stop").callback("base", answers(json!({}))));
    let stop = || async {
        let firing = runner.fire(event("Stop", &json!({}))).await;
        firing.runs.iter().map(|r| firing.plan.hook(r.hook).name.clone()).collect::<Vec<_>>()
    };
    runner.register_scoped("a", vec![MatcherEntry::on("Stop").callback("a1", answers(json!({})))]);
    runner.register_scoped("b", vec![MatcherEntry::on("Stop").callback("b1", answers(json!({})))]);
    assert_eq!(stop().await, ["base", "a1", "b1"]);
    runner.register_scoped("a", vec![MatcherEntry::on("Stop").callback("a2", answers(json!({})))]);
    assert_eq!(stop().await, ["base", "a2", "b1"]);
    runner.unregister_scoped("a");
    assert_eq!(stop().await, ["base", "b1"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn registering_and_firing_from_many_threads_is_safe() {
    let runner = Arc::new(goat());
    runner.register(MatcherEntry::on("Stop").callback("base", answers(json!({"continue": true}))));
    let mut tasks = tokio::task::JoinSet::new();
    for worker in 0..8 {
        let runner = runner.clone();
        tasks.spawn(async move {
            for round in 0..50 {
                let scope = format!("agent-{}", (worker + round) % 4);
                runner.register_scoped(&scope, vec![MatcherEntry::on("Stop").callback("scoped", answers(json!({})))]);
                let firing = runner.fire(event("Stop", &json!({}))).await;
                assert!(firing.verdict.resume, "the base hook always fires");
                assert!(
                    outcomes(&firing).iter().all(|o| *o == RunOutcome::Success),
                    "a firing keeps the hooks it began with"
                );
                runner.unregister_scoped(&scope);
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert!(runner.hooks().scopes().is_empty(), "no agent leaves anything behind");
}
