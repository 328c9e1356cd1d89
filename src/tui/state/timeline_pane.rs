//! The timeline pane: cursor, following and zoom. Its rows live in the store.

use super::Cursor;

#[derive(Debug)]
pub struct TimelinePane {
    pub cursor: Cursor,
    /// Whether the cursor stays on the newest firing.
    pub follow: bool,
    /// Width of the bars, from 0 to 6.
    pub zoom: u8,
}
