//! Calls that wait for their result, in the order they were asked for and found by their id. A session may leave
//! thousands without one, so none is looked for one after the other.

use std::collections::{BTreeMap, HashMap};

use super::PendingCall;

#[derive(Default)]
pub struct PendingCalls {
    calls: BTreeMap<usize, PendingCall>,
    numbers: HashMap<String, usize>,
    asked: usize,
}

impl PendingCalls {
    /// One more, unless it waits already: a message over several lines may repeat its blocks.
    pub fn push(&mut self, call: PendingCall) {
        if !self.numbers.contains_key(&call.id) {
            self.asked += 1;
            self.put(self.asked, call);
        }
    }

    /// In the place it had.
    pub fn put(&mut self, number: usize, call: PendingCall) {
        self.numbers.insert(call.id.clone(), number);
        self.calls.insert(number, call);
    }

    pub fn number(&self, id: &str) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    pub fn find(&mut self, id: &str) -> Option<&mut PendingCall> {
        self.calls.get_mut(self.numbers.get(id)?)
    }

    /// Of those asked for before call `number`, the ones `wanted`.
    pub fn numbers_before(&self, number: usize, wanted: impl Fn(&PendingCall) -> bool) -> Vec<usize> {
        self.calls.range(..number).filter(|(_, call)| wanted(call)).map(|(number, _)| *number).collect()
    }

    pub fn take(&mut self, number: usize) -> Option<PendingCall> {
        let call = self.calls.remove(&number)?;
        self.numbers.remove(&call.id);
        Some(call)
    }

    /// The first that was asked for, if it has its result.
    pub fn take_first_done(&mut self) -> Option<PendingCall> {
        let (number, _) = self.calls.first_key_value().filter(|(_, call)| call.done.is_some())?;
        self.take(*number)
    }

    pub fn all(self) -> impl Iterator<Item = PendingCall> {
        self.calls.into_values()
    }
}
