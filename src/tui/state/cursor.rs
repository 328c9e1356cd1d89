//! The selected row of a list.

/// A cursor in a list whose length the caller knows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cursor {
    pub row: usize,
}

impl Cursor {
    /// Move by `by` rows, staying within `len`.
    pub fn shift(&mut self, by: i64, len: usize) {
        let last = i64::try_from(len.saturating_sub(1)).unwrap_or(i64::MAX);
        let row = i64::try_from(self.row).unwrap_or(i64::MAX).saturating_add(by).clamp(0, last);
        self.row = usize::try_from(row).unwrap_or(0);
    }
}
