//! How the terminal UI feels, in numbers: frame time, key to screen, save to screen, start, idleness, memory.
//!
//! `HOOKDBG_BENCH_SMOKE=1` takes fewer rounds and asks for the same goals.
#![allow(dead_code, reason = "each program uses its own part of the support")]
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::panic,
    reason = "a benchmark prints"
)]

#[path = "measure.rs"]
mod measure;
#[path = "../support/pty.rs"]
mod pty;
#[path = "../support/screen.rs"]
mod screen;

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hookdbg::model::{FiringId, Lifecycle, Planned, RunId, RunOutcome, RunStamp, Verdict};
use hookdbg::tui::{Msg, update, view};
use measure::{Figure, Goals, compare, ms};
use pty::Pty;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::widgets::{Block, Paragraph};

fn main() -> ExitCode {
    let smoke = std::env::var_os("HOOKDBG_BENCH_SMOKE").is_some();
    let rounds = |all: usize| if smoke { all / 4 } else { all };
    let mut goals = Goals::begin();
    frames(&mut goals, if smoke { 100_000 } else { 1_000_000 }, rounds(300));
    key_to_screen(&mut goals, rounds(200));
    key_under_load(&mut goals, rounds(80));
    save_to_screen(&mut goals, rounds(80));
    start_to_screen(&mut goals, rounds(80));
    idle(&mut goals, Duration::from_secs(10));
    goals.end()
}

/// A key and its frame in every pane, against a frame of plain text of the same size.
fn frames(goals: &mut Goals, rows: u64, rounds: usize) {
    let mut app = screen::demo_app("goat", (200, 60));
    let before = resident();
    for id in 0..rows / 2 {
        feed(&mut app, id + 1);
    }
    let events = rows / 2 * 4;
    let grown = resident().saturating_sub(before) * 1024;
    let text = "a line of ordinary text, as long as a line on such a screen usually is\n".repeat(56);
    for pane in ["1", "2", "3", "4", "5", "6"] {
        screen::press(&mut app, &[pane]);
        let mut terminal = Terminal::new(TestBackend::new(200, 60)).unwrap();
        let mut plain = Terminal::new(TestBackend::new(200, 60)).unwrap();
        let (mut drawn, mut shown) = (0, 0);
        let bare = || {
            shown += 1;
            let text = format!("{shown}{text}");
            plain.draw(|f| f.render_widget(Paragraph::new(text.as_str()).block(Block::bordered()), f.area())).unwrap();
        };
        let ours = || {
            drawn += 1;
            screen::press(&mut app, &[if drawn % 2 == 0 { "pagedown" } else { "j" }]);
            terminal.draw(|f| view(&app, f)).unwrap();
        };
        let found = compare(rounds, bare, ours);
        goals.at_most(&format!("frame 200x60, pane {pane}, time"), found.ratio, 3.0, format!("{rows} rows; {found}"));
    }
    let each = Figure::exact(grown as f64 / events as f64);
    goals.at_most("store memory, bytes an event", each, 64.0, format!("{events} events"));
}

/// One finished firing with one run: four events.
fn feed(app: &mut hookdbg::tui::App, id: u64) {
    let firing = FiringId(id);
    let text = String::new;
    let hook = |t: f64| RunStamp {
        firing,
        run: RunId(id),
        index: 0,
        id: "guard.sh".into(),
        hook_id: text(),
        hook_name: text(),
        hook_event: text(),
        t,
    };
    let plan =
        vec![Planned { index: 0, id: "guard.sh".into(), hook_name: "guard.sh".into(), label: "guard.sh".into() }];
    let started =
        Lifecycle::FiringStarted { version: 1, firing, at: text(), dialect: text(), event: "PreToolUse".into(), plan };
    update(app, Msg::Lifecycle(started));
    app.store.fold(&Lifecycle::HookStarted { hook: hook(0.1) }, "");
    let response = Lifecycle::HookResponse {
        hook: hook(3.0),
        outcome: RunOutcome::Success.into(),
        detail: RunOutcome::Success,
        exit_code: Some(0),
        signal: None,
        stdout: text(),
        stderr: text(),
        output: text(),
        duration_ms: 2.9,
        drain_ms: 0.0,
        says: text(),
    };
    update(app, Msg::Lifecycle(response));
    update(app, Msg::Lifecycle(Lifecycle::FiringFinished { firing, verdict: Box::new(Verdict::default()), t: 3.1 }));
}

fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn key_to_screen(goals: &mut Goals, rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(dir.path(), &[], &[], (140, 40));
    pty.see("This is the demo");
    let times = press_panes(&mut pty, rounds);
    goals.at_most("key to screen, quiet, ms", Figure::percentile(&times, 95), 5.0, p50(&times));
}

fn p50(times: &[f64]) -> String {
    format!("p95; p50 {:.2}", Figure::percentile(times, 50).value)
}

/// Switch between two panes whose titles tell which one has the focus in the middle.
fn press_panes(pty: &mut Pty, rounds: usize) -> Vec<f64> {
    let panes = [("6", "6 Problems"), ("5", "5 Replay")];
    let one = |(key, title): &(&str, &str)| {
        std::thread::sleep(Duration::from_millis(20));
        let start = Instant::now();
        pty.send(key);
        ms(pty.came(|s| s.contains(title)).saturating_duration_since(start))
    };
    panes.iter().cycle().take(rounds).map(one).collect()
}

fn key_under_load(goals: &mut Goals, rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    let line = "while :; do head -c 1000000 /dev/zero | tr '\\\\0' x; sleep 0.1; done";
    let settings = format!(r#"{{"hooks":{{"Stop":[{{"commands":["{line}"]}}]}}}}"#);
    fs::write(dir.path().join("settings.json"), settings).unwrap();
    let mut pty = Pty::start(dir.path(), &["settings.json"], &[("HOOKDBG_TRUST", "1")], (140, 40));
    pty.see("1 hook");
    for _ in 0..4 {
        pty.send("\x12");
        std::thread::sleep(Duration::from_millis(100));
    }
    pty.see("#4");
    let times = press_panes(&mut pty, rounds);
    goals.at_most("key to screen, 4 x 10 MB/s, ms", Figure::percentile(&times, 95), 33.0, p50(&times));
    pty.send("\x03");
}

fn save_to_screen(goals: &mut Goals, rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.json");
    let write = |n: usize| {
        let hooks: Vec<_> = (0..n).map(|_| "{\"commands\":[\"true\"]}").collect();
        fs::write(&file, format!("{{\"hooks\":{{\"Stop\":[{}]}}}}", hooks.join(","))).unwrap();
    };
    write(2);
    let pty = Pty::start(dir.path(), &["settings.json"], &[], (140, 40));
    pty.see("2 hooks");
    let one = |round: usize| {
        let wanted = format!("· {round} hooks");
        let start = Instant::now();
        write(round);
        ms(pty.came(|s| s.contains(&wanted)).saturating_duration_since(start))
    };
    let times: Vec<f64> = (3..3 + rounds).map(one).collect();
    goals.at_most("save to screen, ms", Figure::percentile(&times, 95), 100.0, p50(&times));
}

fn start_to_screen(goals: &mut Goals, rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("settings.json"), r#"{"hooks":{"Stop":[{"commands":["true"]}]}}"#).unwrap();
    let one = |_| {
        let start = Instant::now();
        let pty = Pty::start(dir.path(), &["settings.json"], &[], (140, 40));
        ms(pty.came(|s| s.contains("1 hook")).saturating_duration_since(start))
    };
    let times: Vec<f64> = (0..rounds).map(one).collect();
    goals.at_most("start to first screen, ms", Figure::percentile(&times, 50), 30.0, "p50");
}

fn idle(goals: &mut Goals, time: Duration) {
    let dir = tempfile::tempdir().unwrap();
    // Parents are watched too, and in the common directory others come and go.
    let quiet = dir.path().join("a/b/c");
    fs::create_dir_all(&quiet).unwrap();
    let pty = Pty::start(&quiet, &[], &[("TMPDIR", quiet.to_str().unwrap())], (140, 40));
    pty.see("This is the demo");
    let pid = pty.child.process_id().unwrap();
    // Nanoseconds of all its threads.
    let used = || -> f64 {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
        let one = |task: std::io::Result<fs::DirEntry>| {
            let text = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        };
        tasks.filter_map(one).sum()
    };
    std::thread::sleep(Duration::from_millis(300));
    let (before, written) = (used(), pty.raw().len());
    std::thread::sleep(time);
    let used = Figure::exact((used() - before) / time.as_secs_f64() / 1e7);
    let note = |what: &str| format!("{what}, idle for {} s", time.as_secs());
    goals.at_most("idle, % of a core", used, 0.1, note("of the whole program"));
    goals.at_most("idle, bytes drawn", Figure::exact((pty.raw().len() - written) as f64), 0.0, note("none wanted"));
}
