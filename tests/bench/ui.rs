//! How the terminal UI feels, in numbers: frame time, key to screen, save to screen, start, idleness, memory.
//!
//! `HOOKDBG_BENCH_SMOKE=1` only shows that it works.
#![allow(dead_code, reason = "each program uses its own part of the support")]
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::panic,
    reason = "a benchmark prints"
)]

#[path = "../support/pty.rs"]
mod pty;
#[path = "../support/screen.rs"]
mod screen;

use std::fs;
use std::time::{Duration, Instant};

use hookdbg::model::{FiringId, Lifecycle, Planned, RunId, RunOutcome, RunStamp, Verdict};
use hookdbg::tui::{Msg, update, view};
use pty::Pty;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::widgets::{Block, Paragraph};

fn main() {
    let smoke = std::env::var_os("HOOKDBG_BENCH_SMOKE").is_some();
    frames(if smoke { 1_000 } else { 1_000_000 }, if smoke { 5 } else { 300 });
    key_to_screen(if smoke { 3 } else { 200 });
    key_under_load(if smoke { 2 } else { 60 });
    save_to_screen(if smoke { 2 } else { 40 });
    start_to_screen(if smoke { 2 } else { 40 });
    idle(Duration::from_secs(if smoke { 1 } else { 10 }));
}

fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    let rank = (times.len() * percent).div_ceil(100).max(1);
    times[rank - 1].as_secs_f64() * 1000.0
}

fn frames(rows: u64, rounds: usize) {
    let mut app = screen::demo_app("goat", (200, 60));
    let before = resident();
    for id in 0..rows / 2 {
        feed(&mut app, id + 1);
    }
    let events = rows / 2 * 4;
    let grown = resident().saturating_sub(before) * 1024;
    screen::press(&mut app, &["3"]);
    let mut terminal = Terminal::new(TestBackend::new(200, 60)).unwrap();
    let mut bare = Terminal::new(TestBackend::new(200, 60)).unwrap();
    let text = "a line of ordinary text, as long as a line on such a screen usually is\n".repeat(56);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        screen::press(&mut app, &[if round % 2 == 0 { "pagedown" } else { "j" }]);
        let start = Instant::now();
        terminal.draw(|f| view(&app, f)).unwrap();
        ours.push(start.elapsed());
        let start = Instant::now();
        let shown = format!("{round}{text}");
        bare.draw(|f| f.render_widget(Paragraph::new(shown.as_str()).block(Block::bordered()), f.area())).unwrap();
        theirs.push(start.elapsed());
    }
    let (ours, theirs) = (percentile(&mut ours, 95), percentile(&mut theirs, 95));
    println!(
        "frame 200x60, {rows} rows:   p95 {ours:.2} ms   bare screen {theirs:.2} ms   ratio {:.2} (goal 3)",
        ours / theirs
    );
    println!("store memory:                {:.0} bytes an event (goal 64)", grown as f64 / events as f64);
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

/// Wait on the raw stream, which is finer than looking at the screen now and then.
fn until(pty: &Pty, wanted: impl Fn(&str) -> bool) {
    while !wanted(&pty.screen()) {
        std::thread::yield_now();
    }
}

fn key_to_screen(rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    let mut pty = Pty::start(dir.path(), &[], &[], (140, 40));
    pty.see("This is the demo");
    let mut times = press_panes(&mut pty, rounds);
    println!("key to screen, quiet:        p95 {:.2} ms (goal 5)", percentile(&mut times, 95));
}

/// Switch between two panes whose titles tell which one has the focus in the middle.
fn press_panes(pty: &mut Pty, rounds: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    for round in 0..rounds {
        let (key, title) = if round % 2 == 0 { ("6", "6 Problems") } else { ("5", "5 Replay") };
        std::thread::sleep(Duration::from_millis(20));
        let start = Instant::now();
        pty.send(key);
        until(pty, |s| s.contains(title));
        times.push(start.elapsed());
    }
    times
}

fn key_under_load(rounds: usize) {
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
    let mut times = press_panes(&mut pty, rounds);
    println!("key to screen, 4 x 10 MB/s:  p95 {:.2} ms (goal 33)", percentile(&mut times, 95));
    pty.send("\x03");
}

fn save_to_screen(rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.json");
    let write = |n: usize| {
        let hooks: Vec<_> = (0..n).map(|_| "{\"commands\":[\"true\"]}").collect();
        fs::write(&file, format!("{{\"hooks\":{{\"Stop\":[{}]}}}}", hooks.join(","))).unwrap();
    };
    write(2);
    let pty = Pty::start(dir.path(), &["settings.json"], &[], (140, 40));
    pty.see("2 hooks");
    let mut times = Vec::new();
    for round in 3..3 + rounds {
        let wanted = format!("· {round} hooks");
        let start = Instant::now();
        write(round);
        until(&pty, |s| s.contains(&wanted));
        times.push(start.elapsed());
    }
    println!("save to screen:              p95 {:.1} ms (goal 100)", percentile(&mut times, 95));
}

fn start_to_screen(rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("settings.json"), r#"{"hooks":{"Stop":[{"commands":["true"]}]}}"#).unwrap();
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        let pty = Pty::start(dir.path(), &["settings.json"], &[], (140, 40));
        until(&pty, |s| s.contains("1 hook"));
        times.push(start.elapsed());
    }
    println!("start to first screen:       p50 {:.1} ms (goal 30)", percentile(&mut times, 50));
}

fn idle(time: Duration) {
    let dir = tempfile::tempdir().unwrap();
    let pty = Pty::start(dir.path(), &[], &[], (140, 40));
    pty.see("This is the demo");
    let pid = pty.child.process_id().unwrap();
    let ticks = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    std::thread::sleep(Duration::from_millis(300));
    let (before, written) = (ticks(), pty.raw().len());
    std::thread::sleep(time);
    let cpu = (ticks() - before) as f64 / 100.0 / time.as_secs_f64() * 100.0;
    println!(
        "idle for {} s:               {cpu:.2} % of a core (goal 0.1), {} bytes drawn (goal 0)",
        time.as_secs(),
        pty.raw().len() - written
    );
}
