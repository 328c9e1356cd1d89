//! Measuring beside others: ratios within one round, their noise, and goals a program fails for missing.
//!
//! A round runs the baseline, the product and the baseline again in an order thrown anew each time, and divides within
//! the round; the median of the rounds is the figure. What the baseline is away from itself, and what chance alone may
//! do to the median, is its noise. A goal is missed when the figure is worse by more than that. Where others press for
//! the CPU, or the noise hides the goal, nothing is judged: `skipped: reason`, which is neither reached nor missed.
#![allow(dead_code, reason = "each program uses its own part of it")]

use std::hash::{BuildHasher as _, RandomState};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Above this share of time in which something waited for a CPU, a run does not count.
const PRESSED: f64 = 0.10;
/// How often we look for a calm moment before the run is given up.
const TRIES: usize = 8;

/// A measured number and how far it may be off.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    pub value: f64,
    pub noise: f64,
}

impl Figure {
    /// Nothing but counted.
    pub fn exact(value: f64) -> Self {
        Self { value, noise: 0.0 }
    }

    /// The median of `samples`; the noise is twice its standard error, from the middle half of the samples.
    pub fn median(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |part: usize| sorted[(sorted.len() - 1) * part / 4];
        let error = 1.2533 * (at(3) - at(1)) / 1.349 / (sorted.len() as f64).sqrt();
        Self { value: at(2), noise: 2.0 * error }
    }

    /// What `percent` of `samples` stay below; the noise is how far the odd ones are from the even ones.
    pub fn percentile(samples: &[f64], percent: usize) -> Self {
        let of = |mut part: Vec<f64>| {
            part.sort_by(f64::total_cmp);
            part[(part.len() * percent).div_ceil(100).max(1) - 1]
        };
        let half = |odd: usize| of(samples.iter().skip(odd).step_by(2).copied().collect());
        Self { value: of(samples.to_vec()), noise: (half(0) - half(1)).abs() }
    }

    /// One over it: a rate from a ratio of times.
    pub fn inverse(self) -> Self {
        Self { value: 1.0 / self.value, noise: self.noise / self.value.powi(2) }
    }

    /// The ratio of two series that could not take turns.
    pub fn ratio(ours: &[f64], bare: &[f64]) -> Self {
        let (ours, bare) = (Self::median(ours), Self::median(bare));
        let value = ours.value / bare.value;
        Self { value, noise: value * (ours.noise / ours.value + bare.noise / bare.value) }
    }
}

/// A product beside its baseline.
pub struct Comparison {
    /// Time of the product divided by that of the baseline.
    pub ratio: Figure,
    /// The baseline divided by itself.
    pub itself: f64,
    /// Medians in milliseconds.
    pub bare: f64,
    pub ours: f64,
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { ours, bare, itself, .. } = self;
        write!(f, "{ours:.3} ms / bare {bare:.3} ms, bare / itself {itself:.3}")
    }
}

/// Run both in `rounds` rounds, the baseline twice in each.
pub fn compare(rounds: usize, mut bare: impl FnMut(), mut ours: impl FnMut()) -> Comparison {
    let (mut ratios, mut itself, mut times) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
    for _ in 0..rounds {
        let mut took = [0.0; 3];
        for turn in turns() {
            let began = Instant::now();
            if turn == 0 {
                ours();
            } else {
                bare();
            }
            took[turn] = ms(began.elapsed());
        }
        ratios.push(took[0] / f64::midpoint(took[1], took[2]));
        itself.push(took[2] / took[1]);
        times[0].push(took[0]);
        times[1].extend(&took[1..]);
    }
    let (ratio, itself) = (Figure::median(&ratios), Figure::median(&itself).value);
    let [ours, bare] = times.map(|t| Figure::median(&t).value);
    Comparison { ratio: Figure { noise: ratio.noise + (itself - 1.0).abs(), ..ratio }, itself, bare, ours }
}

/// Zero, one and two in a random order.
fn turns() -> [usize; 3] {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    // Each state has keys of its own.
    ORDERS[usize::try_from(RandomState::new().hash_one(0) % 6).unwrap_or(0)]
}

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// What one call of `work` costs this thread: microseconds on a CPU, and how often it waited. They hold when walls do not.
pub fn own_cost(mut work: impl FnMut()) -> (f64, f64) {
    const CALLS: u32 = 200;
    let read = |name: &str| std::fs::read_to_string(format!("/proc/thread-self/{name}")).unwrap_or_default();
    let number = |text: Option<&str>| text.and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0);
    let cost = || {
        let (cpu, status) = (read("schedstat"), read("status"));
        let waits = status.lines().find_map(|l| l.strip_prefix("voluntary_ctxt_switches:"));
        (number(cpu.split(' ').next()), number(waits.map(str::trim)))
    };
    let before = cost();
    (0..CALLS).for_each(|_| work());
    let after = cost();
    ((after.0 - before.0) / 1000.0 / f64::from(CALLS), (after.1 - before.1) / f64::from(CALLS))
}

/// The goals of one program and how it did.
pub struct Goals {
    before: Option<f64>,
    missed: Vec<String>,
    skipped: Vec<String>,
}

enum Bound {
    AtMost,
    AtLeast,
}

impl Goals {
    /// Wait for a calm moment. A machine that has none, or where nobody knows, is found out by the end.
    pub fn begin() -> Self {
        let mut before = pressure();
        for _ in 1..TRIES {
            if before.is_some_and(|p| p > PRESSED) {
                before = pressure();
            }
        }
        println!("CPU pressure before: {}", percent(before));
        Self { before, missed: Vec::new(), skipped: Vec::new() }
    }

    pub fn at_most(&mut self, what: &str, figure: Figure, goal: f64, note: impl std::fmt::Display) {
        self.judge(what, figure, (Bound::AtMost, goal), &note);
    }

    /// A goal that is known to be missed by a little: said each time, and a failure from `held` on, so that it gets no worse.
    pub fn at_most_held(&mut self, what: &str, figure: Figure, goal: f64, held: f64, note: impl std::fmt::Display) {
        let missed = figure.value - goal > figure.noise;
        self.at_most(what, figure, if missed { held } else { goal }, note);
        if missed {
            println!("UNMET: {what}: {:.3}, goal <= {goal}; until it is reached, {held} fails", figure.value);
        }
    }

    pub fn at_least(&mut self, what: &str, figure: Figure, goal: f64, note: impl std::fmt::Display) {
        self.judge(what, figure, (Bound::AtLeast, goal), &note);
    }

    fn judge(&mut self, what: &str, figure: Figure, (bound, goal): (Bound, f64), note: &dyn std::fmt::Display) {
        let Figure { value, noise } = figure;
        let (sign, beyond) = match bound {
            Bound::AtMost => ("<=", value - goal),
            Bound::AtLeast => (">=", goal - value),
        };
        let result = if beyond > noise {
            self.missed.push(format!("{what}: {value:.3}, goal {sign} {goal}, noise {noise:.3}"));
            "MISSED"
        } else if beyond <= -noise {
            "reached"
        } else if noise <= goal / 20.0 {
            "reached within the noise"
        } else {
            self.skipped.push(format!("{what}: a noise of {noise:.3} hides the goal {goal}"));
            "not judged"
        };
        println!("{what:<30} {value:>8.3} ± {noise:.3}   goal {sign} {goal}: {result}   ({note})");
    }

    /// What it comes to; under pressure from others nothing that was missed counts.
    pub fn end(mut self) -> ExitCode {
        let after = pressure();
        println!("CPU pressure after:  {}", percent(after));
        if let Some(most) = [self.before, after].into_iter().flatten().reduce(f64::max).filter(|p| *p > PRESSED) {
            println!("skipped: others pressed for the CPU ({}), so nothing here counts", percent(Some(most)));
            return ExitCode::SUCCESS;
        }
        self.skipped.drain(..).for_each(|why| println!("skipped: {why}"));
        self.missed.iter().for_each(|what| println!("missed: {what}"));
        if self.missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// The share of two seconds, in which we do nothing, that something waited for a CPU; none where the kernel does not say.
fn pressure() -> Option<f64> {
    // The kernel adds up every two seconds: the first wait gets our own past out of the sum.
    let settle = || std::thread::sleep(Duration::from_millis(2100));
    let waited = || {
        let text = std::fs::read_to_string("/proc/pressure/cpu").ok()?;
        text.lines().next()?.rsplit_once("total=")?.1.parse::<f64>().ok()
    };
    waited()?;
    settle();
    let (from, began) = (waited()?, Instant::now());
    settle();
    Some((waited()? - from) / 1e6 / began.elapsed().as_secs_f64())
}

fn percent(pressure: Option<f64>) -> String {
    pressure.map_or_else(|| "not known here".into(), |p| format!("{:.1} %", p * 100.0))
}
