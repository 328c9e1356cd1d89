//! The report of a replay: what each hook did over all events, and what differs from before.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::explain::count;
use super::human::duration;
use super::junit::JunitCase;
use super::style::{Paint, Painter};
use crate::record::{Difference, Outcome, RecordedEvent, Replayed};

pub const REPLAY_VERSION: u32 = 1;

#[derive(Debug, Clone, Serialize)]
pub struct ReplayReport {
    pub version: u32,
    pub dialect: String,
    pub ran_in: String,
    /// Events there were after filtering.
    pub events: usize,
    /// Events that were fired or have the outcome of an equal one.
    pub replayed: usize,
    pub fired: usize,
    pub left_out: BTreeMap<String, usize>,
    /// Every hook that ran, the costliest first.
    pub hooks: Vec<HookTotals>,
    /// Events that differ from what they are compared with, grouped by hook and reason.
    pub groups: Vec<ChangeGroup>,
    pub flips: usize,
    /// What it was compared with; none if nothing.
    pub compared_with: Option<String>,
    /// Of how many events it is known what happened before.
    pub comparable: usize,
    /// Events whose hooks answered differently when fired again.
    #[serde(rename = "unsteady")]
    pub nondeterministic: Vec<Nondeterministic>,
    /// Stops that kept their turn going.
    #[serde(rename = "continued")]
    pub stop_rounds: Vec<StopRounds>,
    pub interrupted: bool,
    pub duration_ms: f64,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct HookTotals {
    pub hook: String,
    /// Events it ran on, equal ones included.
    pub runs: usize,
    pub blocks: usize,
    pub errors: usize,
    pub timeouts: usize,
    /// Half of its real runs took no longer.
    pub p50_ms: f64,
    /// Nineteen of twenty took no longer.
    pub p95_ms: f64,
    pub max_ms: f64,
    /// All its real runs together.
    pub total_ms: f64,
    /// The event of the slowest, as `file:line`.
    pub slowest: Option<String>,
    /// Of each real run.
    #[serde(skip)]
    durations: Vec<f64>,
}

/// Events that differ in the same way for the same reason.
#[derive(Debug, Clone, Serialize)]
pub struct ChangeGroup {
    /// The hook behind it, as far as is known.
    pub hook: Option<String>,
    /// What changed, as `deny → allow`.
    pub change: String,
    pub differences: Vec<Difference>,
    /// The reason now, or before where there is none now.
    pub reason: Option<String>,
    pub events: Vec<ChangedEvent>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ChangedEvent {
    pub event: String,
    /// What it is about: the tool and its input in a few words.
    pub subject: String,
    pub place: String,
    pub before: Outcome,
    #[serde(rename = "now")]
    pub current: Outcome,
}

impl ChangedEvent {
    pub fn new(entry: &RecordedEvent, before: &Outcome, current: &Outcome) -> Self {
        Self {
            event: entry.event.clone(),
            subject: entry.to_payload().map(|p| p.subject()).unwrap_or_default(),
            place: location(entry),
            before: before.clone(),
            current: current.clone(),
        }
    }
}

/// An event whose hooks answer differently each time.
#[derive(Debug, Clone, Serialize)]
pub struct Nondeterministic {
    pub event: String,
    pub place: String,
    pub outcomes: Vec<Outcome>,
}

/// A Stop that was not allowed.
#[derive(Debug, Clone, Serialize)]
pub struct StopRounds {
    pub place: String,
    /// How often the turn went on.
    pub times: u32,
}

pub fn location(entry: &RecordedEvent) -> String {
    format!("{}:{}", entry.origin.file, entry.origin.line)
}

/// Statistics while results come in.
#[derive(Debug, Default)]
pub struct HookTotalsBuilder {
    hooks: BTreeMap<String, HookTotals>,
}

impl HookTotalsBuilder {
    pub fn add(&mut self, entry: &RecordedEvent, replayed: &Replayed) {
        let Some(current) = &replayed.current else { return };
        for run in &current.hooks {
            let stats = self.hooks.entry(run.hook.clone()).or_default();
            stats.hook.clone_from(&run.hook);
            stats.runs += 1;
            match run.outcome.as_str() {
                "blocked" => stats.blocks += 1,
                "timeout" => stats.timeouts += 1,
                "error" | "spawn_failed" => stats.errors += 1,
                _ => {}
            }
            if let Some(ms) = run.duration_ms.filter(|_| !replayed.reused) {
                stats.total_ms += ms;
                if ms >= stats.max_ms {
                    stats.max_ms = ms;
                    stats.slowest = Some(location(entry));
                }
                stats.durations.push(ms);
            }
        }
    }

    /// The table, the costliest hook first.
    pub fn finish(self) -> Vec<HookTotals> {
        let mut rows: Vec<HookTotals> = self.hooks.into_values().collect();
        for row in &mut rows {
            row.durations.sort_by(f64::total_cmp);
            let at = |part: usize| row.durations.get(row.durations.len().saturating_sub(1) * part / 100).copied();
            (row.p50_ms, row.p95_ms) = (at(50).unwrap_or_default(), at(95).unwrap_or_default());
        }
        rows.sort_by(|a, b| b.total_ms.total_cmp(&a.total_ms).then_with(|| a.hook.cmp(&b.hook)));
        rows
    }
}

/// Put events that differ in the same way together; the biggest group first, flips before all.
pub fn group_changes(changes: Vec<(Vec<Difference>, ChangedEvent)>) -> Vec<ChangeGroup> {
    let mut groups: Vec<ChangeGroup> = Vec::new();
    let mut places = HashMap::new();
    for (differences, changed) in changes {
        let word = |o: &Outcome| o.word().unwrap_or("not known").to_string();
        let flipped = differences.contains(&Difference::Decision);
        let change = if flipped {
            format!("{} → {}", word(&changed.before), word(&changed.current))
        } else {
            differences.iter().map(|d| d.words()).collect::<Vec<_>>().join(", ")
        };
        let hook = changed.current.decided_by.clone().or_else(|| changed.before.decided_by.clone());
        let reason = changed.current.reason.clone().or_else(|| changed.before.reason.clone());
        let key = (change, hook, reason, differences);
        let place = *places.entry(key.clone()).or_insert(groups.len());
        if place == groups.len() {
            let (change, hook, reason, differences) = key;
            groups.push(ChangeGroup { hook, change, differences, reason, events: Vec::new() });
        }
        groups[place].events.push(changed);
    }
    let flips = |g: &ChangeGroup| g.differences.contains(&Difference::Decision);
    groups.sort_by_key(|g| (!flips(g), std::cmp::Reverse(g.events.len())));
    groups
}

const SHOWN: usize = 5;

pub fn render_replay(report: &ReplayReport, painter: Painter) -> String {
    let ReplayReport { dialect, fired, .. } = report;
    let (replayed, took) = (count(report.replayed, "event"), duration(report.duration_ms));
    let mut lines = vec![format!("{replayed} replayed, {fired} really fired, in {took}  ({dialect})")];
    lines.push(format!("hooks ran in {}", report.ran_in));
    lines.extend(report.left_out.iter().map(|(why, count)| format!("{count} left out: {why}")));
    if report.interrupted {
        lines.push(painter.paint(Paint::Warn, "cut short: this is what was done until then"));
    }
    lines.push(String::new());
    lines.extend(table(&report.hooks));
    if report.hooks.is_empty() {
        lines.push("no hook ran on any of these events".into());
    }
    for stop in &report.stop_rounds {
        lines.push(format!("{}: the Stop kept its turn going {}", stop.place, count(stop.times as usize, "time")));
    }
    for event in &report.nondeterministic {
        let words: Vec<_> = event.outcomes.iter().map(|o| o.word().unwrap_or("not known")).collect();
        let line = format!("unsteady: {} at {} answered {}", event.event, event.place, words.join(", then "));
        lines.push(painter.paint(Paint::Warn, &line));
    }
    if let Some(with) = &report.compared_with {
        lines.push(String::new());
        lines.extend(comparison(report, with, painter));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn table(hooks: &[HookTotals]) -> Vec<String> {
    if hooks.is_empty() {
        return Vec::new();
    }
    let widest = hooks.iter().map(|h| h.hook.chars().count()).max().unwrap_or(4).clamp(4, 32);
    let line = |[hook, runs, blocks, errors, timeouts, p50, p95, max, slowest]: [String; 9]| {
        format!("{hook:<widest$} {runs:>7} {blocks:>7} {errors:>7} {timeouts:>8} {p50:>9} {p95:>9} {max:>9}  {slowest}")
    };
    let head = ["hook", "runs", "blocks", "errors", "timeouts", "p50", "p95", "max", "slowest"];
    let rows = hooks.iter().map(|h| {
        let name = h.hook.chars().take(widest).collect();
        let [runs, blocks, errors, timeouts] = [h.runs, h.blocks, h.errors, h.timeouts].map(|n| n.to_string());
        let [p50, p95, max] = [h.p50_ms, h.p95_ms, h.max_ms].map(duration);
        line([name, runs, blocks, errors, timeouts, p50, p95, max, h.slowest.clone().unwrap_or_default()])
    });
    std::iter::once(line(head.map(String::from))).chain(rows).collect()
}

fn comparison(report: &ReplayReport, with: &str, painter: Painter) -> Vec<String> {
    if report.groups.is_empty() {
        let line =
            format!("compared with {with}: nothing differs in {} of {} events", report.comparable, report.replayed);
        return vec![painter.paint(if report.comparable == 0 { Paint::Warn } else { Paint::Good }, &line)];
    }
    let changed: usize = report.groups.iter().map(|g| g.events.len()).sum();
    let verb = if changed == 1 { "differs" } else { "differ" };
    let (events, flips) = (count(report.comparable, "event"), count(report.flips, "decision"));
    let mut lines = vec![format!("compared with {with}: {changed} of {events} {verb}, {flips} flipped")];
    for group in &report.groups {
        let paint = if group.differences.contains(&Difference::Decision) { Paint::Bad } else { Paint::Warn };
        let hook = group.hook.as_deref().map_or_else(String::new, |h| format!(" by {h}"));
        let reason = group.reason.as_deref().map_or_else(String::new, |r| format!(": {}", first_line(r)));
        lines.push(painter.paint(paint, &format!("{} × {}{hook}{reason}", group.events.len(), group.change)));
        for event in group.events.iter().take(SHOWN) {
            lines.push(format!("    {} {}  {}", event.event, event.subject, event.place));
        }
        if group.events.len() > SHOWN {
            lines.push(format!("    and {} more", group.events.len() - SHOWN));
        }
    }
    lines
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The events as JUnit cases, each given by place and name: one case an event, a flip is a failure.
pub fn junit_cases(report: &ReplayReport, events: impl Iterator<Item = (String, String)>) -> Vec<JunitCase> {
    let mut flips: BTreeMap<&str, String> = BTreeMap::new();
    for group in report.groups.iter().filter(|g| g.differences.contains(&Difference::Decision)) {
        let reason = group.reason.as_deref().unwrap_or_default();
        let why = format!("{} {reason}", group.change);
        flips.extend(group.events.iter().map(|event| (event.place.as_str(), why.clone())));
    }
    events
        .map(|(class, name)| JunitCase { failure: flips.get(class.as_str()).cloned(), class, name, time: None })
        .collect()
}
