//! What the engine adds to a bare start that owes the hook the same (`bare.rs`), measured as `measure.rs` says.
//!
//! `HOOKDBG_BENCH_SMOKE=1` takes fewer rounds and asks for the same goals.
#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a benchmark prints"
)]

#[path = "bare.rs"]
mod bare;
#[path = "measure.rs"]
mod measure;
#[path = "../support/mod.rs"]
mod support;

use std::io::Read as _;
use std::process::ExitCode;
use std::time::Instant;

use bare::Bare;
use hookdbg::engine::{EngineOptions, Request, Runner};
use hookdbg::model::Payload;
use measure::{Figure, Goals, compare, ms, own_cost};
use serde_json::Map;
use support::{Command, Order};

/// What each hook gets on stdin.
const PAYLOAD: [u8; 1024] = [b'x'; 1024];

/// Against bare: the most it may take, or the least it must do.
enum Goal {
    Time(f64),
    /// A goal that is missed by a little, and what fails until it is reached.
    HeldTime(f64, f64),
    Rate(f64),
}

fn main() -> ExitCode {
    // `cargo bench` passes flags meant for the standard harness; there is nothing to choose here.
    let smoke = std::env::var_os("HOOKDBG_BENCH_SMOKE").is_some();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let fire = |runner: &Runner| runtime.block_on(runner.fire(request()));
    println!("bare: session, pipes, PATH, 1 KB to stdin, both streams read at once to their ends, reaped");
    let mut goals = Goals::begin();
    for (count, rounds, goal) in
        [(1, 1500, Goal::Time(1.06)), (8, 800, Goal::HeldTime(1.0, 1.05)), (32, 240, Goal::Rate(0.95))]
    {
        let (bare, runner) = (Bare::new(), runner(vec![Command::shell(":").stdin(PAYLOAD); count]));
        let (bare, ours) = (|| bare.run(count, ":", &PAYLOAD), || drop(fire(&runner)));
        let found = compare(if smoke { rounds / 2 } else { rounds }, bare, ours);
        match goal {
            Goal::Time(most) => goals.at_most(&format!("{count} at once, time"), found.ratio, most, &found),
            Goal::HeldTime(goal, held) => {
                goals.at_most_held(&format!("{count} at once, time"), found.ratio, goal, held, &found);
            }
            Goal::Rate(least) => {
                goals.at_least(&format!("{count} at once, rate"), found.ratio.inverse(), least, &found);
            }
        }
        let each =
            |(cpu, waits): (f64, f64)| format!("{:.0} µs, {:.1} waits", cpu / count as f64, waits / count as f64);
        println!("{:<30} engine {}; bare {}", "    itself, a hook", each(own_cost(ours)), each(own_cost(bare)));
    }
    drain(&mut goals, &fire, if smoke { 32 << 20 } else { 256 << 20 });
    large_memory(&mut goals, &fire, 300);
    goals.end()
}

fn request() -> Request {
    Request::new(Payload::new("rig", Map::new()))
}

fn runner(commands: Vec<Command>) -> Runner {
    support::runner(Order::Together, commands, EngineOptions::default())
}

fn drain(goals: &mut Goals, fire: &impl Fn(&Runner) -> hookdbg::engine::Firing, bytes: usize) {
    let line = format!("head -c {bytes} /dev/zero");
    let (bare, engine) = (Bare::new(), runner(vec![Command::shell(&line)]));
    let mut grown = 0;
    let ours = || {
        reset_peak();
        let before = memory("VmRSS:");
        let firing = fire(&engine);
        assert_eq!(support::end(&firing.runs[0]).stdout.total, bytes as u64);
        grown = grown.max(memory("VmHWM:").saturating_sub(before));
    };
    let found = compare(7, || bare_drain(&bare, &line), ours);
    let rate = |time: f64| format!("{:.2} GB/s", bytes as f64 / time / 1e6);
    let note = format!("{} / bare {}, a pipe of 1 MB for both", rate(found.ours), rate(found.bare));
    goals.at_least(&format!("drain {} MB, rate", bytes >> 20), found.ratio.inverse(), 0.6, note);
    goals.at_most("its memory, MiB", Figure::exact(grown as f64 / 1024.0), 9.0, "1 kept, 8 for all the rest");
}

/// A read loop on a pipe of one megabyte.
fn bare_drain(bare: &Bare, line: &str) {
    let mut child = bare.start(line, b"");
    let _ = rustix::pipe::fcntl_setpipe_size(&child.stdout, 1 << 20);
    let mut buffer = vec![0; 256 * 1024];
    while child.stdout.read(&mut buffer).unwrap() > 0 {}
    child.finish();
}

/// The start cost with a gigabyte of our own memory in use, against without.
fn large_memory(goals: &mut Goals, fire: &impl Fn(&Runner) -> hookdbg::engine::Firing, rounds: usize) {
    let engine = runner(vec![Command::shell(":").stdin(PAYLOAD)]);
    let times = || -> Vec<f64> {
        let one = || {
            let began = Instant::now();
            drop(fire(&engine));
            ms(began.elapsed())
        };
        (0..rounds).map(|_| one()).collect()
    };
    let empty = times();
    let ballast: Vec<u8> = (0..1 << 30).map(|i: u32| i.to_le_bytes()[1]).collect();
    let loaded = times();
    std::hint::black_box(ballast);
    goals.at_most("start with 1 GB in use, time", Figure::ratio(&loaded, &empty), 2.0, "against the same without");
}

/// Kilobytes from /proc/self/status.
fn memory(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with(key)).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn reset_peak() {
    // Not allowed everywhere; the peak then includes what came before, which only makes the figure worse.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
