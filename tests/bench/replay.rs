//! Importing and replaying, as ratios against the plain way in the same run.
//!
//! `HOOKDBG_BENCH_SMOKE=1` only shows that it works.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark prints"
)]

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookdbg::dialect::registry;
use hookdbg::engine::{Control, EngineOptions, Runner};
use hookdbg::model::Toggles;
use hookdbg::record::{Equal, FieldsOf, ImportOptions, RecordedEvent, ReplayOptions, ReplayOrder, import, replay};
use serde_json::{Value, json};

fn main() {
    let smoke = std::env::var_os("HOOKDBG_BENCH_SMOKE").is_some();
    let dir = tempfile::tempdir().expect("a directory");
    importing(dir.path(), if smoke { 4 } else { 200 }, if smoke { 1 } else { 3 });
    let (events, distinct) = if smoke { (40, 10) } else { (2_000, 1_000) };
    spawning(events, if smoke { 1 } else { 3 });
    equal(if smoke { 400 } else { 100_000 }, distinct);
}

/// A transcript of about `megabytes`, as sessions are: results of tools are most of it.
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
        let id = format!("t{n}");
        written += put(
            base(n),
            json!({"type": "assistant", "message": {"role": "assistant", "id": id, "model": "m",
            "content": [{"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": format!("/a/{n}")}}],
            "usage": {"input_tokens": 10, "output_tokens": 20}}}),
        );
        written += put(base(n), json!({"type": "progress", "data": {"type": "bash_progress", "output": text}}));
        written += put(
            base(n),
            json!({"type": "user", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]},
            "toolUseResult": {"type": "text", "file": {"filePath": "/a", "content": text, "numLines": 60}}}),
        );
    }
    out.flush().unwrap();
}

fn importing(dir: &Path, megabytes: usize, rounds: usize) {
    let path = dir.join("session.jsonl");
    transcript(&path, megabytes);
    let dialect = registry::find("claude").unwrap();
    let options = ImportOptions { dialect: dialect.as_ref(), fields: FieldsOf::Recorded };
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let began = Instant::now();
        let mut reader = BufReader::with_capacity(1 << 20, File::open(&path).unwrap());
        let mut line = Vec::new();
        let mut records = 0;
        while reader.read_until(b'\n', &mut line).unwrap() > 0 {
            records += usize::from(serde_json::from_slice::<Value>(&line).is_ok());
            line.clear();
        }
        plain.push(began.elapsed());
        let began = Instant::now();
        let mut events = 0;
        import(&path, &options, &mut |_| events += 1).unwrap();
        ours.push(began.elapsed());
        assert!(records > 0 && events > 0);
    }
    let size = path.metadata().unwrap().len() as f64 / f64::from(1 << 20);
    let rate = |times: &mut Vec<Duration>| size / median(times).as_secs_f64();
    let (plain, ours) = (rate(&mut plain), rate(&mut ours));
    println!(
        "import {size:.0} MB:           {:.2} × parsing each line ({ours:.0} against {plain:.0} MB/s; goal 2)",
        ours / plain
    );
    println!("its memory:               {:.0} MB at most (goal 100)", peak(&path));
}

/// The most memory a whole `hookdbg import` of the file takes.
fn peak(path: &Path) -> f64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hookdbg"))
        .arg("import")
        .arg(path)
        .stdout(Stdio::null())
        .spawn()
        .expect("hookdbg");
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

fn run(entries: Vec<RecordedEvent>) -> (Duration, usize) {
    let entries: std::sync::Arc<[RecordedEvent]> = entries.into();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let runner = std::sync::Arc::new(runner());
    let began = Instant::now();
    let mut results = 0;
    runtime.block_on(replay(&runner, &entries, &options(2), &mut |_| results += 1));
    (began.elapsed(), results)
}

/// `count` bare `sh -c :`, two at a time, from two threads.
fn bare(count: usize) -> Duration {
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..count / 2 {
                    let child = Command::new("/bin/sh")
                        .args(["-c", ":"])
                        .stdin(Stdio::piped())
                        .stdout(Stdio::piped())
                        .stderr(Stdio::piped())
                        .spawn()
                        .unwrap();
                    child.wait_with_output().unwrap();
                }
            });
        }
    });
    began.elapsed()
}

fn spawning(count: usize, rounds: usize) {
    let events = entries(count, count);
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        plain.push(bare(count));
        let (took, results) = run(events.clone());
        assert_eq!(results, count);
        ours.push(took);
    }
    let (plain, ours) = (median(&mut plain).as_secs_f64(), median(&mut ours).as_secs_f64());
    println!(
        "replay {count} events, 2 at once: {:.2} of the rate of bare starts ({:.0} against {:.0} a second; goal 0.85)",
        plain / ours,
        count as f64 / ours,
        count as f64 / plain
    );
}

fn equal(count: usize, distinct: usize) {
    let (alone, _) = run(entries(distinct, distinct));
    let (all, results) = run(entries(count, distinct));
    assert_eq!(results, count);
    println!(
        "replay {count} events, {distinct} distinct: {:.2} × the distinct ones alone (goal 1.3)",
        all.as_secs_f64() / alone.as_secs_f64()
    );
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
