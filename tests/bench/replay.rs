//! Importing and replaying, as ratios against the plain way, measured as `measure.rs` says.
//!
//! `HOOKDBG_BENCH_SMOKE=1` takes less of everything and asks for the same goals.
#![expect(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, reason = "a benchmark prints")]

#[path = "bare.rs"]
mod bare;
#[path = "measure.rs"]
mod measure;

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use bare::Bare;
use hookdbg::dialect::registry;
use hookdbg::engine::{Control, EngineOptions, Runner};
use hookdbg::model::Toggles;
use hookdbg::record::{Equal, FieldsOf, ImportOptions, RecordedEvent, ReplayOptions, ReplayOrder, import, replay};
use measure::{Figure, Goals, compare};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let smoke = std::env::var_os("HOOKDBG_BENCH_SMOKE").is_some();
    let dir = tempfile::tempdir().unwrap();
    println!("bare: session, pipes, PATH, the payload to stdin, both streams read at once to their ends, reaped");
    let mut goals = Goals::begin();
    importing(&mut goals, dir.path(), if smoke { 16 } else { 200 });
    spawning(&mut goals, if smoke { 200 } else { 1_000 });
    let (events, distinct) = if smoke { (20_000, 200) } else { (100_000, 1_000) };
    equal(&mut goals, events, distinct);
    goals.end()
}

/// A transcript of about `megabytes` in the shares recorded sessions have: three fifths are results of tools, a fifth
/// what the assistant says, and a fifth progress that nobody needs.
fn transcript(path: &Path, megabytes: usize) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    let base = |n: usize| {
        json!({"parentUuid": format!("u{n}"), "isSidechain": false, "userType": "external", "cwd": "/home/dev/app",
               "sessionId": "s-1", "version": "2.1.300", "gitBranch": "main", "uuid": format!("u{}", n + 1),
               "timestamp": "2026-10-01T08:00:00.000Z"})
    };
    let (mut written, mut n) = (0, 0);
    let mut put = |mut record: Value, more: Value| {
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let line = format!("{record}\n");
        out.write_all(line.as_bytes()).unwrap();
        line.len()
    };
    while written < megabytes << 20 {
        n += 1;
        let text = "fn main() {\n    println!(\"line\");\n}\n".repeat(20 + n % 200);
        let part = &text[..text.len() / 2];
        let id = format!("t{n}");
        written += put(
            base(n),
            json!({"type": "assistant", "message": {"role": "assistant", "id": id, "model": "m",
            "content": [{"type": "text", "text": part}, {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": format!("/a/{n}")}}],
            "usage": {"input_tokens": 10, "output_tokens": 20}}}),
        );
        written += put(base(n), json!({"type": "progress", "data": {"type": "bash_progress", "output": part}}));
        written += put(
            base(n),
            json!({"type": "user", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]},
            "toolUseResult": {"type": "text", "file": {"filePath": "/a", "content": text, "numLines": 60}}}),
        );
    }
    out.flush().unwrap();
}

fn importing(goals: &mut Goals, dir: &Path, megabytes: usize) {
    let path = dir.join("session.jsonl");
    transcript(&path, megabytes);
    let dialect = registry::find("claude").unwrap();
    let options = ImportOptions { dialect: dialect.as_ref(), fields: FieldsOf::Recorded };
    let plain = || {
        let mut reader = BufReader::with_capacity(1 << 20, File::open(&path).unwrap());
        let mut line = Vec::new();
        let mut records = 0;
        while reader.read_until(b'\n', &mut line).unwrap() > 0 {
            records += usize::from(serde_json::from_slice::<Value>(&line).is_ok());
            line.clear();
        }
        assert!(records > 0);
    };
    let ours = || {
        let mut events = 0;
        import(&path, &options, &mut |_| events += 1).unwrap();
        assert!(events > 0);
    };
    let found = compare(7, plain, ours);
    let note = format!("against parsing each line; {found}");
    goals.at_least(&format!("import {megabytes} MB, rate"), found.ratio.inverse(), 1.4, note);
    goals.at_most("its memory, MB", Figure::exact(peak(&path)), 100.0, "of the whole program");
}

/// The most memory a whole `hookdbg import` of the file takes.
fn peak(path: &Path) -> f64 {
    let mut child =
        Command::new(env!("CARGO_BIN_EXE_hookdbg")).arg("import").arg(path).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0.0_f64;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let high =
            text.lines().find_map(|l| l.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
        most = most.max(high.unwrap_or(0.0) / 1024.0);
        std::thread::sleep(Duration::from_millis(2));
    }
    most
}

fn runner() -> Runner {
    let dialect = registry::find("claude").unwrap();
    let text = json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ":"}]}]}}).to_string();
    let loaded = dialect.load(&[hookdbg::diag::Source::new("settings.json", "project", text)]).unwrap();
    Runner::new(dialect, loaded.hooks, EngineOptions::default())
}

fn entries(count: usize, distinct: usize) -> Vec<RecordedEvent> {
    (0..count)
        .map(|n| RecordedEvent {
            dialect: Some("claude".into()),
            event: "PreToolUse".into(),
            payload: json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash",
                            "tool_input": {"command": format!("echo {}", n % distinct)}, "tool_use_id": "t"})
            .to_string(),
            origin: hookdbg::record::EventOrigin::default(),
            derived: Vec::new(),
            recorded: None,
        })
        .collect()
}

fn options(jobs: usize) -> ReplayOptions {
    ReplayOptions {
        order: ReplayOrder::Independent(jobs),
        equal: Equal::Once,
        repeat: 1,
        toggles: Toggles::default(),
        host: std::sync::Arc::default(),
        control: Control::default(),
        transcripts: None,
    }
}

/// Replay two at a time; how many had a result.
fn run(entries: &std::sync::Arc<[RecordedEvent]>) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runner = std::sync::Arc::new(runner());
    let mut results = 0;
    runtime.block_on(replay(&runner, entries, &options(2), &mut |_| results += 1));
    results
}

/// A bare start for each event, two at a time, from two threads.
fn bare_all(entries: &[RecordedEvent]) {
    std::thread::scope(|scope| {
        for half in entries.chunks(entries.len().div_ceil(2)) {
            scope.spawn(|| {
                let bare = Bare::new();
                half.iter().for_each(|entry| bare.run(1, ":", entry.payload.as_bytes()));
            });
        }
    });
}

fn spawning(goals: &mut Goals, count: usize) {
    let events: std::sync::Arc<[RecordedEvent]> = entries(count, count).into();
    let found = compare(11, || bare_all(&events), || assert_eq!(run(&events), count));
    let note = format!("against bare starts from two threads; {found}");
    goals.at_least(&format!("replay {count}, 2 at once, rate"), found.ratio.inverse(), 0.85, note);
}

fn equal(goals: &mut Goals, count: usize, distinct: usize) {
    let (alone, all) = (entries(distinct, distinct).into(), entries(count, distinct).into());
    let alone = || assert_eq!(run(&alone), distinct);
    let found = compare(5, alone, || assert_eq!(run(&all), count));
    let what = format!("replay {count}, {distinct} distinct");
    goals.at_most(&what, found.ratio, 1.3, format!("time, against the distinct ones alone; {found}"));
}
