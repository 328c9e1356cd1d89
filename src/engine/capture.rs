//! Keeps the first and the last bytes of a stream within a cap and counts the rest. Never refuses a byte.

use std::collections::VecDeque;

use crate::model::Captured;

#[derive(Debug)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_cap: usize,
    tail_cap: usize,
    total: u64,
}

impl Capture {
    /// Half of `cap` for the beginning, half for the end.
    pub fn new(cap: usize) -> Self {
        let tail_cap = cap / 2;
        Self { head: Vec::new(), tail: VecDeque::new(), head_cap: cap - tail_cap, tail_cap, total: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_cap - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        if rest.is_empty() {
            return;
        }
        let rest = &rest[rest.len().saturating_sub(self.tail_cap)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.tail_cap);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// The finished capture; without a gap it is one piece.
    pub fn finish(self) -> Captured {
        let mut captured = Captured { head: self.head, tail: Vec::from(self.tail), total: self.total };
        if !captured.truncated() {
            captured.head.append(&mut captured.tail);
        }
        captured
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_head_and_tail_exactly(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20), cap in 0usize..64) {
            let mut capture = Capture::new(cap);
            chunks.iter().for_each(|c| capture.push(c));
            let all = chunks.concat();
            let got = capture.finish();
            prop_assert_eq!(got.total, all.len() as u64);
            prop_assert!(all.starts_with(&got.head));
            prop_assert!(all.ends_with(&got.tail));
            prop_assert_eq!(got.head.len() + got.tail.len(), all.len().min(cap));
            if all.len() <= cap {
                prop_assert_eq!(got.head, all);
            }
        }
    }
}
