//! The replay pane: recorded payloads, what came of firing them, and what the user thinks of it.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::{Cursor, ReplayList};
use crate::model::{FiringId, Payload};
use crate::record::{Difference, Outcome, RecordedEvent, differences};

/// One recorded payload and its latest firing.
#[derive(Debug, Clone)]
pub struct ReplayItem {
    pub payload: Payload,
    /// Where it was recorded, and its recorded outcome if there is one.
    pub entry: RecordedEvent,
    /// The current outcome in a word; absent until fired.
    pub decision: Option<String>,
    /// The current outcome in full; absent until fired.
    pub current: Option<Outcome>,
    /// Absent until the user accepts or rejects a difference.
    pub review: Option<Review>,
    /// The latest firing; absent until fired.
    pub firing: Option<FiringId>,
}

impl ReplayItem {
    /// An item that was not fired yet.
    pub fn new((payload, entry): (Payload, RecordedEvent)) -> Self {
        Self { payload, entry, decision: None, current: None, review: None, firing: None }
    }

    /// How the current outcome differs from the recorded one; empty unless both are known.
    pub fn differences(&self) -> Vec<Difference> {
        let (Some(recorded), Some(current)) = (&self.entry.recorded, &self.current) else { return Vec::new() };
        let mut found = differences(recorded, current);
        // It was recorded at another time, often on another machine.
        found.retain(|d| *d != Difference::Duration);
        found
    }

    /// The recorded outcome in a word; empty if there is none.
    pub fn recorded_word(&self) -> &str {
        self.entry.recorded.as_ref().and_then(Outcome::word).unwrap_or_default()
    }
}

/// What the user thinks of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// The current outcome is right.
    Accepted,
    /// The recorded outcome was right.
    Rejected,
}

#[derive(Debug, Default)]
pub struct ReplayPane {
    /// The file the payloads come from; absent until one is opened.
    pub file: Option<PathBuf>,
    /// The payloads and the rows the filter leaves.
    pub items: ReplayList,
    pub cursor: Cursor,
    /// Items still to be fired by run-all, in order.
    pub queue: VecDeque<usize>,
    /// While run-all works: how many items it started with, and when, in milliseconds since the start.
    pub started: Option<(usize, f64)>,
}
