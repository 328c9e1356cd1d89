//! Folds lifecycle events into rows for screens: firings, runs, statistics. Pure, compact and append-only.

mod names;
mod stats;
mod timeline;

pub use names::{Name, Names};
pub use stats::{HookStats, Stats};
pub use timeline::{FiringRow, FiringState, Row, RunRow, RunState, Timeline, micros};
