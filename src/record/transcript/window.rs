//! The last events of a session, held back a little: what a transcript says of an event's hooks stands after it.

use std::collections::VecDeque;

use super::hooks::Seen;
use crate::record::entry::{Entry, HookOutcome, Outcome};

/// Events held back.
const HELD: usize = 64;

/// An event and the call it belongs to.
struct Held {
    entry: Entry,
    tool_use_id: Option<String>,
}

/// The window.
pub struct Window<'s> {
    held: VecDeque<Held>,
    sink: &'s mut dyn FnMut(Entry),
}

impl<'s> Window<'s> {
    /// Events leave through `sink`.
    pub fn new(sink: &'s mut dyn FnMut(Entry)) -> Self {
        Self { held: VecDeque::new(), sink }
    }

    /// The next event.
    pub fn push(&mut self, entry: Entry, tool_use_id: Option<String>) {
        self.held.push_back(Held { entry, tool_use_id });
        while self.held.len() > HELD {
            if let Some(first) = self.held.pop_front() {
                (self.sink)(first.entry);
            }
        }
    }

    /// The newest event of this name, on this call if it is one of a call.
    fn find(&mut self, event: &str, tool_use_id: Option<&str>) -> Option<&mut Held> {
        let of_call = self
            .held
            .iter()
            .rposition(|h| h.entry.event == event && tool_use_id.is_some() && h.tool_use_id.as_deref() == tool_use_id);
        let at = of_call.or_else(|| {
            let free = |h: &Held| h.entry.event == event && h.tool_use_id.is_none();
            self.held.iter().rposition(free)
        });
        self.held.get_mut(at?)
    }

    /// Take note of what a hook did; false if its event is not here.
    pub fn note(&mut self, seen: &Seen) -> bool {
        let Some(held) = self.find(&seen.event, seen.tool_use_id.as_deref()) else { return false };
        let then = held.entry.then.get_or_insert_with(partial);
        if seen.blocked {
            then.blocked = Some(true);
        }
        if let Some(shown) = &seen.shown {
            then.model_sees = Some(match then.model_sees.take() {
                Some(before) => format!("{before}\n\n{shown}"),
                None => shown.clone(),
            });
        }
        join(&mut then.hooks, &seen.hook);
        true
    }

    /// Change what happened then to the newest event of this name and call.
    pub fn outcome(&mut self, event: &str, tool_use_id: Option<&str>, change: impl FnOnce(&mut Outcome)) {
        if let Some(held) = self.find(event, tool_use_id) {
            change(held.entry.then.get_or_insert_with(partial));
        }
    }

    /// Let everything go.
    pub fn finish(&mut self) {
        while let Some(held) = self.held.pop_front() {
            (self.sink)(held.entry);
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
