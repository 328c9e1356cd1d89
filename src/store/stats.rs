//! Per hook: last outcome, last duration, and percentiles over its latest runs.

use std::collections::{HashMap, VecDeque};

use crate::model::{HookId, RunOutcome};

const REMEMBERED: usize = 200;

#[derive(Debug, Clone, Default)]
pub struct HookStats {
    pub runs: u64,
    pub last_outcome: Option<RunOutcome>,
    pub last_ms: f64,
    recent: VecDeque<f64>,
}

impl HookStats {
    /// The duration that `percent` of the latest runs did not exceed.
    pub fn percentile(&self, percent: usize) -> Option<f64> {
        let mut sorted: Vec<f64> = self.recent.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() * percent).div_ceil(100).max(1);
        sorted.get(rank - 1).copied()
    }
}

/// All hooks by identity: two that share a label have numbers of their own.
#[derive(Debug, Default)]
pub struct Stats(HashMap<HookId, HookStats>);

impl Stats {
    pub fn add(&mut self, hook: &HookId, outcome: RunOutcome, ms: f64) {
        let stats = self.0.entry(hook.clone()).or_default();
        stats.runs += 1;
        stats.last_outcome = Some(outcome);
        stats.last_ms = ms;
        if stats.recent.len() == REMEMBERED {
            stats.recent.pop_front();
        }
        stats.recent.push_back(ms);
    }

    pub fn get(&self, hook: &HookId) -> Option<&HookStats> {
        self.0.get(hook)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_latest_runs() {
        let mut stats = Stats::default();
        let id = HookId::from("h");
        (1..=400).for_each(|ms| stats.add(&id, RunOutcome::Success, f64::from(ms)));
        let hook = stats.get(&id).unwrap();
        assert_eq!((hook.runs, hook.percentile(50), hook.percentile(95)), (400, Some(300.0), Some(390.0)));
        assert_eq!(HookStats::default().percentile(95), None);
    }
}
