//! Ten times the work takes about ten times the time, where each thing once looked at all others and it took a hundred.
//! A bigger heap alone, beyond the caches and new to the process, costs up to twice as much for each thing; hence the goal.
//!
//! Small and large take turns as `measure.rs` says; `HOOKDBG_BENCH_SMOKE=1` takes fewer of them.
#![expect(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, reason = "a benchmark prints")]

#[path = "measure.rs"]
mod measure;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use hookdbg::diag::Source;
use hookdbg::dialect::registry;
use hookdbg::engine::{EngineOptions, Request, Runner};
use hookdbg::model::Payload;
use hookdbg::record::{Difference, FieldsOf, ImportOptions, Outcome, RecordedEvent, Recording, import};
use hookdbg::report::{ChangedEvent, group_changes};
use measure::{Goals, compare};
use serde_json::{Map, json};

fn main() -> ExitCode {
    let rounds = if std::env::var_os("HOOKDBG_BENCH_SMOKE").is_some() { 5 } else { 15 };
    let dir = tempfile::tempdir().unwrap();
    let mut goals = Goals::begin();
    let mut grows = |what: &str, work: &dyn Fn(usize), count: usize| {
        let found = compare(rounds, || work(count), || work(10 * count));
        goals.at_most(what, found.ratio, 30.0, format!("time, {count} and ten times that; {found}"));
    };
    let runners = [4_000, 40_000].map(|count| (count, stubs(count)));
    let fire = |count| fire(&runners.iter().find(|(c, _)| *c == count).unwrap().1);
    grows("hooks in one event", &fire, 4_000);
    for count in [4_000, 40_000] {
        unanswered(dir.path(), count);
        recording(dir.path(), count);
    }
    grows("calls without a result", &|count| read(&dir.path().join(format!("calls-{count}.jsonl"))), 4_000);
    grows("changes, each with its reason", &group, 10_000);
    grows("replay against a recording", &|count| replay(dir.path(), count), 4_000);
    goals.end()
}

/// `count` hooks that answer without a process.
fn stubs(count: usize) -> Runner {
    let hooks: Vec<_> =
        (0..count).map(|n| json!({"name": format!("h{n}"), "output": {"suppressOutput": true}})).collect();
    let text = json!({"hooks": {"PostToolUse": [{"hooks": hooks}]}}).to_string();
    let host = registry::find("goat").unwrap();
    let loaded = host.load(&[Source::new("settings.json", "project", text)]).unwrap();
    assert_eq!(loaded.hooks.hooks.len(), count);
    Runner::new(host, loaded.hooks, EngineOptions::default())
}

fn fire(runner: &Runner) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fields = json!({"tool_name": "Bash"}).as_object().cloned().unwrap();
    let firing = runtime.block_on(runner.fire(Request::new(Payload::new("PostToolUse", fields))));
    assert_eq!(firing.runs.len(), firing.hooks.hooks.len());
}

/// A transcript whose calls are asked for and never answered.
fn unanswered(dir: &Path, count: usize) {
    let mut text = String::new();
    for n in 0..count {
        let call = json!({"type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": {"command": "true"}});
        let message = json!({"role": "assistant", "id": format!("m{n}"), "content": [call]});
        let line = json!({"type": "assistant", "sessionId": "s", "cwd": "/a", "version": "2.1.0", "message": message});
        writeln!(text, "{line}").unwrap();
    }
    fs::write(dir.join(format!("calls-{count}.jsonl")), text).unwrap();
}

fn read(file: &Path) {
    let host = registry::find("claude").unwrap();
    let options = ImportOptions { dialect: host.as_ref(), fields: FieldsOf::Recorded };
    let mut events = 0;
    import(file, &options, &mut |_| events += 1).unwrap();
    assert!(events >= 4_000);
}

fn group(count: usize) {
    let outcome = |n| Outcome { reason: Some(format!("reason {n}")), ..Outcome::default() };
    let change = |n: usize| {
        let (event, subject, place) = ("Stop".to_string(), String::new(), format!("a:{n}"));
        let changed = ChangedEvent { event, subject, place, before: Outcome::default(), current: outcome(n) };
        (vec![Difference::Reason], changed)
    };
    assert_eq!(group_changes((0..count).map(change).collect()).len(), count);
}

/// `count` events, each another, with what is accepted of them.
fn recording(dir: &Path, count: usize) {
    let mut recording = Recording::open(&dir.join(format!("events-{count}.jsonl"))).unwrap();
    for n in 0..count {
        let entry = RecordedEvent {
            dialect: Some("claude".into()),
            event: "Stop".into(),
            payload: json!({"session_id": "s", "hook_event_name": "Stop", "n": n}).to_string(),
            origin: hookdbg::record::EventOrigin::default(),
            derived: Vec::new(),
            recorded: Some(Outcome { blocked: Some(false), ..Outcome::default() }),
        };
        recording.write(&entry).unwrap();
    }
    fs::write(dir.join("settings.json"), json!({"hooks": Map::new()}).to_string()).unwrap();
}

fn replay(dir: &Path, count: usize) {
    let file = format!("events-{count}.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookdbg"));
    command.args(["replay", "--dialect", "claude", "--in-place", "--format", "json", "--from", &file]);
    let done = command.args(["--against", &file, "settings.json"]).current_dir(dir).env("HOME", dir).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
