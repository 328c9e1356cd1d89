//! Firings and their runs as fixed-size records, newest first, with a filter that costs one pass.
//!
//! A firing's rows are reserved when it starts, so a row's place never changes while runs come and go.

use std::collections::HashMap;

use super::names::{Marks, Name, Names};
use super::stats::Stats;
use crate::model::{FiringId, Lifecycle, RunOutcome};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FiringState {
    Running,
    Passed,
    /// It blocked what it guards.
    Blocked,
    /// The agent continues because of it.
    Resumed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    Waiting,
    Running,
    Done(RunOutcome),
}

#[derive(Debug, Clone, Copy)]
pub struct FiringRow {
    pub id: FiringId,
    pub event: Name,
    /// The tool or other subject, if it has one.
    pub subject: Name,
    pub decision: Name,
    /// Microseconds it took, or has taken so far.
    pub micros: u32,
    first_run: u32,
    runs: u16,
    pub state: FiringState,
    deleted: bool,
}

impl FiringRow {
    fn places(&self) -> std::ops::Range<usize> {
        let first = self.first_run as usize;
        first..first + usize::from(self.runs)
    }
}

/// One run; times are microseconds from its firing's start.
#[derive(Debug, Clone, Copy)]
pub struct RunRow {
    pub hook: Name,
    /// Its index in the plan.
    pub index: u32,
    pub start: u32,
    pub end: u32,
    /// How long, before that, only its output was waited for.
    pub drain: u32,
    pub state: RunState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    Firing(usize),
    /// A run's line: its firing and its own number.
    Run(usize, usize),
}

#[derive(Debug, Default)]
pub struct Timeline {
    pub names: Names,
    pub stats: Stats,
    firings: Vec<FiringRow>,
    runs: Vec<RunRow>,
    by_id: HashMap<FiringId, usize>,
    /// The firings the filter leaves, and how many lines are below each.
    shown: Vec<usize>,
    starts: Vec<usize>,
    filter: String,
    marks: Marks,
}

impl Timeline {
    /// Take one event. `subject` is the tool or other thing a started firing is about.
    pub fn fold(&mut self, event: &Lifecycle, subject: &str) {
        match event {
            Lifecycle::FiringStarted { firing, event, plan, .. } => {
                let row = FiringRow {
                    id: *firing,
                    event: self.names.intern(event),
                    subject: self.names.intern(subject),
                    decision: Name::default(),
                    micros: 0,
                    first_run: u32::try_from(self.runs.len()).unwrap_or(u32::MAX),
                    runs: u16::try_from(plan.len()).unwrap_or(u16::MAX),
                    state: FiringState::Running,
                    deleted: false,
                };
                for hook in plan {
                    let name = self.names.intern(&hook.label);
                    let index = u32::try_from(hook.index).unwrap_or(u32::MAX);
                    self.runs.push(RunRow { hook: name, index, start: 0, end: 0, drain: 0, state: RunState::Waiting });
                }
                self.by_id.insert(*firing, self.firings.len());
                self.firings.push(row);
                self.show_if_matching(self.firings.len() - 1);
            }
            Lifecycle::HookStarted { hook } => {
                if let Some(run) = self.run_mut(hook.firing, hook.index) {
                    run.start = micros(hook.t);
                    run.end = run.start;
                    run.state = RunState::Running;
                }
            }
            Lifecycle::HookResponse { hook, detail, duration_ms, drain_ms, .. } => {
                if let Some(run) = self.run_mut(hook.firing, hook.index) {
                    run.end = micros(hook.t);
                    run.drain = micros(*drain_ms);
                    run.state = RunState::Done(*detail);
                    self.stats.add(&hook.id, *detail, *duration_ms);
                }
            }
            Lifecycle::FiringFinished { firing, verdict, t } => {
                let decision = self.names.intern(verdict.decision.as_deref().unwrap_or(""));
                let Some(index) = self.by_id.get(firing).copied() else { return };
                let row = &mut self.firings[index];
                row.micros = micros(*t);
                row.decision = decision;
                row.state = match (verdict.blocked, verdict.resume) {
                    (true, _) => FiringState::Blocked,
                    (false, true) => FiringState::Resumed,
                    (false, false) => FiringState::Passed,
                };
                self.look_again(index);
            }
            Lifecycle::HookQueued { .. }
            | Lifecycle::HookProgress { .. }
            | Lifecycle::ToolResult { .. }
            | Lifecycle::Diagnostic { .. } => {}
        }
    }

    pub fn len(&self) -> usize {
        self.starts.last().zip(self.shown.last()).map_or(0, |(start, firing)| start + self.height(*firing))
    }

    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The line at `row`, newest firing first, its runs below it.
    pub fn row(&self, row: usize) -> Option<Row> {
        let from_end = self.len().checked_sub(row + 1)?;
        let at = self.starts.partition_point(|start| *start <= from_end) - 1;
        let firing = self.shown[at];
        let below = self.height(firing) - 1 - (from_end - self.starts[at]);
        Some(if below == 0 { Row::Firing(firing) } else { Row::Run(firing, below - 1) })
    }

    pub fn row_of(&self, id: FiringId) -> Option<usize> {
        let firing = *self.by_id.get(&id)?;
        let at = self.shown.binary_search(&firing).ok()?;
        Some(self.len() - self.starts[at] - self.height(firing))
    }

    pub fn firing(&self, index: usize) -> &FiringRow {
        &self.firings[index]
    }

    pub fn runs(&self, firing: usize) -> &[RunRow] {
        &self.runs[self.firings[firing].places()]
    }

    /// Keep only firings whose event, subject, decision, outcome or hooks contain `text`.
    pub fn set_filter(&mut self, text: &str) {
        self.filter = text.trim().to_string();
        self.marks = Marks::new(&self.filter);
        self.refilter();
    }

    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// Take a firing off the list; what it did is not undone.
    pub fn delete(&mut self, id: FiringId) {
        if let Some(row) = self.by_id.get(&id).and_then(|i| self.firings.get_mut(*i)) {
            row.deleted = true;
        }
        self.refilter();
    }

    fn run_mut(&mut self, firing: FiringId, index: usize) -> Option<&mut RunRow> {
        let runs = &mut self.runs[self.firings[*self.by_id.get(&firing)?].places()];
        // A plan names its hooks in their order.
        let at = runs.binary_search_by_key(&index, |r| r.index as usize).ok()?;
        runs.get_mut(at)
    }

    fn height(&self, firing: usize) -> usize {
        1 + self.firings[firing].runs as usize
    }

    fn refilter(&mut self) {
        self.shown.clear();
        self.starts.clear();
        (0..self.firings.len()).for_each(|index| self.show_if_matching(index));
    }

    fn show_if_matching(&mut self, index: usize) {
        if self.matches_filter(index) {
            self.show(index);
        }
    }

    /// A firing ended, and what it came to may be what the filter wants, or no longer. Only its own row and the starts of
    /// newer ones can change, and what ends is new.
    fn look_again(&mut self, index: usize) {
        if self.filter.is_empty() {
            return;
        }
        let matches = self.matches_filter(index);
        let at = match (self.shown.binary_search(&index), matches) {
            (Ok(_), true) | (Err(_), false) => return,
            (Ok(at), false) | (Err(at), true) => at,
        };
        let newer = self.shown.split_off(at);
        self.starts.truncate(at);
        if matches {
            self.show(index);
        }
        newer.into_iter().filter(|shown| *shown != index).for_each(|shown| self.show(shown));
    }

    fn show(&mut self, index: usize) {
        self.starts.push(self.len());
        self.shown.push(index);
    }

    fn matches_filter(&mut self, index: usize) -> bool {
        let row = &self.firings[index];
        if row.deleted || self.filter.is_empty() {
            return !row.deleted;
        }
        self.marks.catch_up(&self.names);
        let outcome = |run: &RunRow| match run.state {
            RunState::Done(outcome) => outcome.word().contains(&self.filter),
            RunState::Waiting | RunState::Running => "running".contains(&self.filter),
        };
        [row.event, row.subject, row.decision].iter().any(|n| self.marks.contains(*n))
            || self.runs(index).iter().any(|r| self.marks.contains(r.hook) || outcome(r))
    }
}

/// Times as rows keep them.
pub fn micros(ms: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturating; an hour fits")]
    let micros = (ms * 1000.0) as u32;
    micros
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Planned, RunId, RunStamp, Verdict};

    fn started(id: u64, event: &str, hooks: &[&str]) -> Lifecycle {
        let plan = hooks.iter().enumerate().map(|(index, h)| Planned {
            index,
            id: (*h).into(),
            hook_name: (*h).into(),
            label: (*h).into(),
        });
        let (at, dialect, plan) = (String::new(), String::new(), plan.collect());
        Lifecycle::FiringStarted { version: 1, firing: FiringId(id), at, dialect, event: event.into(), plan }
    }

    fn stamp(id: u64, index: usize, t: f64) -> RunStamp {
        let (hook_id, hook_name, hook_event) = Default::default();
        RunStamp { firing: FiringId(id), run: RunId(1), index, hook_id, id: "".into(), hook_name, hook_event, t }
    }

    #[test]
    fn newest_firing_comes_first_with_its_runs_below() {
        let mut timeline = Timeline::default();
        timeline.fold(&started(1, "Stop", &["a"]), "");
        timeline.fold(&started(2, "PreToolUse", &["b", "c"]), "Bash");
        let rows: Vec<_> = (0..timeline.len()).filter_map(|r| timeline.row(r)).collect();
        assert_eq!(rows, [Row::Firing(1), Row::Run(1, 0), Row::Run(1, 1), Row::Firing(0), Row::Run(0, 0)]);
        assert_eq!(timeline.row(5), None);
        assert_eq!(timeline.row_of(FiringId(1)), Some(3));
        assert_eq!(timeline.row_of(FiringId(2)), Some(0));
    }

    #[test]
    fn events_fill_the_reserved_rows_in_any_order() {
        let mut timeline = Timeline::default();
        timeline.fold(&started(1, "Stop", &["a", "b"]), "");
        timeline.fold(&Lifecycle::HookStarted { hook: stamp(1, 1, 2.0) }, "");
        timeline.fold(&Lifecycle::HookStarted { hook: stamp(1, 0, 1.0) }, "");
        assert_eq!(timeline.runs(0).iter().map(|r| r.start).collect::<Vec<_>>(), [1000, 2000]);
        assert_eq!(timeline.firing(0).state, FiringState::Running);
        let verdict = Box::new(Verdict { blocked: true, decision: Some("deny".into()), ..Verdict::default() });
        timeline.fold(&Lifecycle::FiringFinished { firing: FiringId(1), verdict, t: 9.0 }, "");
        assert_eq!(timeline.firing(0).state, FiringState::Blocked);
        assert_eq!(timeline.names.text(timeline.firing(0).decision), "deny");
    }

    #[test]
    fn the_filter_looks_at_events_subjects_and_hooks() {
        let mut timeline = Timeline::default();
        timeline.fold(&started(1, "Stop", &["tests"]), "");
        timeline.fold(&started(2, "PreToolUse", &["guard"]), "Bash");
        for (filter, firings) in [("bash", 1), ("GUARD", 1), ("stop", 1), ("zebra", 0), ("", 2)] {
            timeline.set_filter(filter);
            assert_eq!(timeline.len(), firings * 2, "{filter}");
        }
        timeline.delete(FiringId(2));
        assert_eq!(timeline.len(), 2);
    }

    #[test]
    fn one_look_at_what_ended_gives_what_a_look_at_all_gives() {
        let mut timeline = Timeline::default();
        timeline.set_filter("deny");
        let finish = |id: u64, word: &str| {
            let verdict = Box::new(Verdict { decision: Some(word.into()), ..Verdict::default() });
            Lifecycle::FiringFinished { firing: FiringId(id), verdict, t: 1.0 }
        };
        for id in 0..40 {
            let event = if id % 7 == 0 { "deny-event" } else { "Stop" };
            timeline.fold(&started(id, event, &["a", "b"][..usize::try_from(id % 3).unwrap()]), "");
            // Ends come out of order, and from four firings ago.
            if let Some(ended) = id.checked_sub(4) {
                timeline.fold(&finish(ended ^ 1, if ended % 3 == 0 { "deny" } else { "allow" }), "");
            }
            let (shown, starts) = (timeline.shown.clone(), timeline.starts.clone());
            timeline.refilter();
            assert_eq!((shown, starts), (timeline.shown.clone(), timeline.starts.clone()));
        }
        assert!(timeline.shown.len() > 10 && timeline.shown.len() < 40);
    }

    #[test]
    fn records_are_small() {
        assert!(size_of::<FiringRow>() <= 48 && size_of::<RunRow>() <= 24);
    }
}
