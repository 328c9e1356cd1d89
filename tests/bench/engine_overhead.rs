//! What the engine adds to a bare process start, as ratios against `std::process` in the same run.
//!
//! Pairs are interleaved and medians compared, because absolute times on shared machines say little.
//! `HOOKDBG_BENCH_SMOKE=1` only shows that it works.
#![expect(clippy::print_stdout, clippy::expect_used, clippy::cast_precision_loss, reason = "a benchmark prints")]

#[path = "../support/mod.rs"]
mod support;

use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hookdbg::engine::{EngineOptions, Request, Runner};
use hookdbg::model::Payload;
use serde_json::Map;
use support::{Command, Order};

fn main() {
    // `cargo bench` passes flags meant for the standard harness; there is nothing to choose here.
    let smoke = std::env::var_os("HOOKDBG_BENCH_SMOKE").is_some();
    let (pairs, flood) = if smoke { (5, 8 << 20) } else { (400, 256 << 20) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let payload = vec![b'x'; 1024];

    let single = runner(vec![Command::shell(":").stdin(payload.clone())]);
    let one = compare(pairs, || bare_all(1, &payload), || drop(runtime.block_on(single.fire(request()))));
    println!("one hook, 1 KB in:        {one}   (goal 1.10)");

    let eight = runner(vec![Command::shell(":").stdin(payload.clone()); 8]);
    let many = compare(pairs.div_ceil(2), || bare_all(8, &payload), || drop(runtime.block_on(eight.fire(request()))));
    println!("eight hooks together:     {many}   (goal 1.15)");

    drain(&runtime, flood, if smoke { 1 } else { 5 });
    large_memory(&runtime, &single, pairs.div_ceil(4));
}

fn request() -> Request {
    Request::new(Payload::new("rig", Map::new()))
}

fn runner(commands: Vec<Command>) -> Runner {
    support::runner(Order::Together, commands, EngineOptions::default())
}

/// Start `count` bare processes, feed each, and wait for all.
fn bare_all(count: usize, payload: &[u8]) {
    let children: Vec<Child> = (0..count).map(|_| bare(&["-c", ":"], payload)).collect();
    for child in children {
        child.wait_with_output().expect("a child");
    }
}

fn bare(args: &[&str], payload: &[u8]) -> Child {
    let mut child = std::process::Command::new("sh")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child");
    // A child that is gone already does not read; that is not what is measured.
    let _ = child.stdin.take().expect("piped").write_all(payload);
    child
}

struct Ratio {
    factor: f64,
    bare: Duration,
    engine: Duration,
    noise: f64,
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |d: Duration| d.as_secs_f64() * 1000.0;
        let Self { factor, noise, .. } = self;
        write!(
            f,
            "ratio {factor:.3}   p50 {:.3} ms / bare {:.3} ms   bare against itself {noise:.3}",
            ms(self.engine),
            ms(self.bare)
        )
    }
}

/// Interleave both, and the baseline once more for the noise.
fn compare(pairs: usize, mut bare: impl FnMut(), mut engine: impl FnMut()) -> Ratio {
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..pairs {
        // The order turns, so that neither always comes after the other.
        for step in 0..3 {
            let which = (round + step) % 3;
            let start = Instant::now();
            if which == 1 {
                engine();
            } else {
                bare();
            }
            times[which].push(start.elapsed());
        }
    }
    let [mut bare, mut engine, mut again] = times;
    let (bare, engine, again) = (median(&mut bare), median(&mut engine), median(&mut again));
    let baseline = (bare + again) / 2;
    Ratio {
        factor: engine.as_secs_f64() / baseline.as_secs_f64(),
        bare: baseline,
        engine,
        noise: again.as_secs_f64() / bare.as_secs_f64(),
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn drain(runtime: &tokio::runtime::Runtime, bytes: usize, rounds: usize) {
    let line = format!("head -c {bytes} /dev/zero");
    let engine = runner(vec![Command::shell(&line)]);
    let (mut bare_times, mut engine_times) = (Vec::new(), Vec::new());
    let mut grown = 0;
    for _ in 0..rounds {
        let start = Instant::now();
        bare_drain(&line);
        bare_times.push(start.elapsed());
        reset_peak();
        let before = memory("VmRSS:");
        let start = Instant::now();
        let firing = runtime.block_on(engine.fire(request()));
        engine_times.push(start.elapsed());
        assert_eq!(support::end(&firing.runs[0]).stdout.total, bytes as u64);
        grown = grown.max(memory("VmHWM:").saturating_sub(before));
    }
    let (bare, engine) = (median(&mut bare_times), median(&mut engine_times));
    let rate = |d: Duration| bytes as f64 / d.as_secs_f64() / 1e9;
    println!(
        "drain {} MB:             rate {:.2} of bare   {:.2} GB/s / bare {:.2} GB/s   (goal 0.60)   memory grew {:.1} MiB (cap 1 + 8)",
        bytes >> 20,
        bare.as_secs_f64() / engine.as_secs_f64(),
        rate(engine),
        rate(bare),
        grown as f64 / 1024.0
    );
}

/// A read loop on a pipe of one megabyte.
fn bare_drain(line: &str) {
    let mut child = bare(&["-c", line], b"");
    let mut stdout = child.stdout.take().expect("piped");
    let _ = rustix::pipe::fcntl_setpipe_size(&stdout, 1 << 20);
    let mut buffer = vec![0; 256 * 1024];
    while stdout.read(&mut buffer).expect("a read") > 0 {}
    child.wait().expect("a child");
}

/// The start cost with a gigabyte of our own memory in use, against without.
fn large_memory(runtime: &tokio::runtime::Runtime, engine: &Runner, rounds: usize) {
    let time = |rounds: usize| {
        let mut times: Vec<_> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                drop(runtime.block_on(engine.fire(request())));
                start.elapsed()
            })
            .collect();
        median(&mut times)
    };
    let empty = time(rounds);
    let ballast: Vec<u8> = (0..1 << 30).map(|i: u32| i.to_le_bytes()[1]).collect();
    let loaded = time(rounds);
    println!(
        "start with 1 GB in use:   ratio {:.2} of empty   {:.3} ms / {:.3} ms   (goal 2)",
        loaded.as_secs_f64() / empty.as_secs_f64(),
        loaded.as_secs_f64() * 1000.0,
        empty.as_secs_f64() * 1000.0
    );
    std::hint::black_box(ballast);
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
