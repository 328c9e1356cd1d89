//! The last events of a session, held back a little: what a transcript says about an event's hooks comes after it.

use std::collections::VecDeque;

use super::hooks::HookRecord;
use crate::record::recorded_event::{HookOutcome, Outcome, RecordedEvent};

const MAX_PENDING: usize = 64;

struct PendingEvent {
    entry: RecordedEvent,
    tool_use_id: Option<String>,
}

/// Holds the newest events until their hooks' records have had time to appear.
pub struct EventBuffer<'s> {
    pending: VecDeque<PendingEvent>,
    sink: &'s mut dyn FnMut(RecordedEvent),
}

impl<'s> EventBuffer<'s> {
    pub fn new(sink: &'s mut dyn FnMut(RecordedEvent)) -> Self {
        Self { pending: VecDeque::new(), sink }
    }

    pub fn push(&mut self, entry: RecordedEvent, tool_use_id: Option<String>) {
        self.pending.push_back(PendingEvent { entry, tool_use_id });
        while self.pending.len() > MAX_PENDING {
            if let Some(first) = self.pending.pop_front() {
                (self.sink)(first.entry);
            }
        }
    }

    /// The newest event of this name, on this call if it is one of a call.
    fn find(&mut self, event: &str, tool_use_id: Option<&str>) -> Option<&mut PendingEvent> {
        let newest = |call: Option<&str>| {
            let same = |h: &PendingEvent| h.entry.event == event && h.tool_use_id.as_deref() == call;
            self.pending.iter().rposition(same)
        };
        let at = tool_use_id.and_then(|id| newest(Some(id))).or_else(|| newest(None));
        self.pending.get_mut(at?)
    }

    /// Take note of what a hook did; false if its event is not here.
    pub fn note(&mut self, record: &HookRecord) -> bool {
        let Some(pending) = self.find(&record.event, record.tool_use_id.as_deref()) else { return false };
        let recorded = pending.entry.recorded.get_or_insert_with(partial);
        record.note_effect(recorded);
        join(&mut recorded.hooks, &record.hook);
        true
    }

    /// Change what happened then to the newest event of this name and call.
    pub fn outcome(&mut self, event: &str, tool_use_id: Option<&str>, change: impl FnOnce(&mut Outcome)) {
        if let Some(pending) = self.find(event, tool_use_id) {
            change(pending.entry.recorded.get_or_insert_with(partial));
        }
    }

    pub fn finish(&mut self) {
        while let Some(pending) = self.pending.pop_front() {
            (self.sink)(pending.entry);
        }
    }
}

/// Several records may speak of one run: its context and its success.
fn join(hooks: &mut Vec<HookOutcome>, hook: &HookOutcome) {
    if hook.hook.is_empty() && !hooks.is_empty() {
        return;
    }
    match hooks.iter_mut().find(|h| h.hook == hook.hook && h.outcome == "ran") {
        Some(ran) => *ran = hook.clone(),
        None => hooks.push(hook.clone()),
    }
}

/// What a transcript tells is never all.
pub fn partial() -> Outcome {
    Outcome { partial: true, ..Outcome::default() }
}
