//! The recorded events of the replay pane and the rows its filter leaves, worked out once and kept until one changes.

use std::cell::OnceCell;
use std::ops::Deref;

use super::ReplayItem;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayRow {
    /// The heading of a session: its name and number of events.
    Session(String, usize),
    /// An event, by its index in the list.
    Event(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplayFilter {
    #[default]
    All,
    /// Events whose current outcome differs from the recorded one.
    Different,
}

/// The events and what is listed of them. Reading is that of a slice; changes go through methods, which know when the
/// kept rows are no longer true.
#[derive(Debug, Default)]
pub struct ReplayList {
    items: Vec<ReplayItem>,
    filter: String,
    listed: ReplayFilter,
    rows: OnceCell<Vec<ReplayRow>>,
}

impl Deref for ReplayList {
    type Target = [ReplayItem];

    fn deref(&self) -> &[ReplayItem] {
        &self.items
    }
}

impl FromIterator<ReplayItem> for ReplayList {
    fn from_iter<T: IntoIterator<Item = ReplayItem>>(items: T) -> Self {
        Self { items: items.into_iter().collect(), ..Self::default() }
    }
}

impl ReplayList {
    pub fn filter(&self) -> &str {
        &self.filter
    }

    pub fn listed(&self) -> ReplayFilter {
        self.listed
    }

    /// Other events under the same filter.
    pub fn replace(&mut self, items: impl IntoIterator<Item = ReplayItem>) {
        self.items = items.into_iter().collect();
        self.rows.take();
    }

    pub fn set_filter(&mut self, text: &str) {
        self.filter = text.to_string();
        self.rows.take();
    }

    pub fn set_listed(&mut self, listed: ReplayFilter) {
        self.listed = listed;
        self.rows.take();
    }

    /// Change one event. The rows are made anew only where it comes or goes by that: a replay of all changes each once.
    pub fn change(&mut self, index: usize, change: impl FnOnce(&mut ReplayItem)) {
        let needle = self.filter.to_lowercase();
        let matches = |list: &Self| list.items.get(index).is_some_and(|item| list.matches(item, &needle));
        let before = matches(self);
        if let Some(item) = self.items.get_mut(index) {
            change(item);
        }
        if matches(self) != before {
            self.rows.take();
        }
    }

    /// What the pane lists, with a heading per session where there are several.
    pub fn rows(&self) -> &[ReplayRow] {
        self.rows.get_or_init(|| self.work_out_rows())
    }

    pub fn events(&self) -> impl Iterator<Item = usize> {
        self.rows().iter().filter_map(|row| match row {
            ReplayRow::Event(index) => Some(*index),
            ReplayRow::Session(..) => None,
        })
    }

    fn work_out_rows(&self) -> Vec<ReplayRow> {
        let needle = self.filter.to_lowercase();
        let listed = self.items.iter().enumerate().filter(|(_, item)| self.matches(item, &needle));
        let events: Vec<usize> = listed.map(|(index, _)| index).collect();
        let session = |i: usize| self.items[i].entry.origin.session.as_deref();
        // One session needs no heading.
        if events.windows(2).all(|pair| session(pair[0]) == session(pair[1])) {
            return events.into_iter().map(ReplayRow::Event).collect();
        }
        let mut rows = Vec::with_capacity(events.len());
        for part in events.chunk_by(|a, b| session(*a) == session(*b)) {
            let name = session(part[0]).map_or_else(|| "no session".to_string(), |s| format!("session {s}"));
            rows.push(ReplayRow::Session(name, part.len()));
            rows.extend(part.iter().copied().map(ReplayRow::Event));
        }
        rows
    }

    fn matches(&self, item: &ReplayItem, needle: &str) -> bool {
        if self.listed == ReplayFilter::Different && item.differences().is_empty() {
            return false;
        }
        if needle.is_empty() || item.decision.as_ref().is_some_and(|d| d.contains(needle)) {
            return true;
        }
        let text = format!("{} {}", item.payload.event, item.payload.subject());
        text.to_lowercase().contains(needle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Payload;
    use crate::record::{EventOrigin, RecordedEvent};

    fn item(event: &str, session: &str) -> ReplayItem {
        let entry = RecordedEvent {
            dialect: None,
            event: event.into(),
            payload: "{}".into(),
            origin: EventOrigin { session: Some(session.into()), ..EventOrigin::default() },
            derived: Vec::new(),
            recorded: None,
        };
        ReplayItem::new((Payload::new(event, serde_json::Map::new()), entry))
    }

    #[test]
    fn rows_are_worked_out_once_for_any_number_of_looks_and_harmless_changes() {
        let mut list: ReplayList = (0..2000).map(|n| item("Stop", if n < 1000 { "a" } else { "b" })).collect();
        let place = list.rows().as_ptr();
        for index in 0..2000 {
            list.change(index, |i| i.decision = Some("pass".into()));
            assert_eq!(list.rows().as_ptr(), place, "a decision moves no row of an unfiltered list");
        }
        list.set_filter("stop");
        let place = list.rows().as_ptr();
        for index in 0..2000 {
            list.change(index, |i| i.decision = Some("deny".into()));
            assert_eq!(list.rows().as_ptr(), place, "each was listed and is still");
        }
        assert_eq!((list.rows().len(), list.events().count()), (2002, 2000));
    }

    #[test]
    fn a_change_that_matters_is_seen() {
        let mut list: ReplayList = [item("Stop", "a"), item("PreToolUse", "a")].into_iter().collect();
        list.set_filter("deny");
        assert!(list.rows().is_empty());
        list.change(1, |i| i.decision = Some("deny".into()));
        assert_eq!(list.rows(), [ReplayRow::Event(1)]);
        list.set_listed(ReplayFilter::Different);
        assert!(list.rows().is_empty());
        list.set_listed(ReplayFilter::All);
        list.set_filter("");
        list.replace([item("Stop", "a"), item("Stop", "b")]);
        assert_eq!(list.rows().len(), 4);
    }
}
