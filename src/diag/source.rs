//! A piece of source text with its line index, byte ranges inside it, and resolved places.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A half-open byte range in one source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// A position a person can go to: path, line and column, all counted from one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file as the user named it.
    pub path: Arc<str>,
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.path, self.line, self.column)
    }
}

/// One settings file in memory: its name, its layer and its text.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file as the user named it.
    pub path: Arc<str>,
    /// Which layer it is (`project`, `user`, `agent` …).
    pub layer: Arc<str>,
    pub text: Arc<str>,
    line_starts: Arc<[usize]>,
    /// How many characters stand before each [`BLOCK`] of bytes, so that a look-up in a file of one long line counts a
    /// block and not the line.
    chars_before: Arc<[usize]>,
}

/// Bytes between two counts of characters.
const BLOCK: usize = 1024;

impl Source {
    /// Index `text` once so that every later look-up is a binary search.
    pub fn new(path: impl Into<Arc<str>>, layer: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
            .collect();
        let starts_char = |b: &&u8| !(0x80..0xC0).contains(*b);
        let chars_before = text
            .as_bytes()
            .chunks(BLOCK)
            .scan(0, |sum, block| Some(std::mem::replace(sum, *sum + block.iter().filter(starts_char).count())))
            .collect();
        Self { path: path.into(), layer: layer.into(), text, line_starts, chars_before }
    }

    /// The place of a byte offset; an offset past the end means the end.
    pub fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let column = self.characters(offset) - self.characters(self.line_starts[line - 1]) + 1;
        Place { path: self.path.clone(), line, column }
    }

    /// The byte offset of a line (from one) and a column in characters (from zero).
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let Some(start) = self.line_starts.get(line.saturating_sub(1)).copied() else {
            return self.text.len();
        };
        let wanted = self.characters(start) + column;
        let block = self.chars_before.partition_point(|before| *before <= wanted).saturating_sub(1);
        let Some((from, before)) = self.counted(block) else { return self.text.len() };
        let rest = &self.text[from..];
        rest.char_indices().nth(wanted - before).map_or(self.text.len(), |(i, _)| from + i)
    }

    /// Characters before a byte offset, which is the beginning of one.
    fn characters(&self, offset: usize) -> usize {
        self.counted(offset / BLOCK).map_or(0, |(from, before)| before + self.text[from..offset].chars().count())
    }

    /// The first character that begins in a block, and how many come before it; in the last one if there is no such block.
    fn counted(&self, block: usize) -> Option<(usize, usize)> {
        let block = block.min(self.chars_before.len().checked_sub(1)?);
        Some((self.text.ceil_char_boundary(block * BLOCK), self.chars_before[block]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_not_bytes() {
        let source = Source::new("f", "project", "äöü\nxy");
        assert_eq!(source.place(4), Place { path: "f".into(), line: 1, column: 3 });
        assert_eq!(source.place(7), Place { path: "f".into(), line: 2, column: 1 });
        assert_eq!(source.place(99).line, 2);
        assert_eq!(source.offset(1, 2), 4);
    }

    #[test]
    fn places_and_offsets_are_those_of_counting_from_the_start() {
        for text in ["", "äöü\nxy", &"aä€\n".repeat(700), &"€".repeat(1500), &"x".repeat(2 * BLOCK)] {
            let source = Source::new("f", "project", text);
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
                let place = source.place(offset);
                let counted = text[line_start..offset].chars().count();
                assert_eq!((place.line, place.column), (text[..offset].matches('\n').count() + 1, counted + 1));
                assert_eq!(source.offset(place.line, counted), offset);
            }
            assert_eq!(source.offset(1, 1 << 20), text.len());
        }
    }

    #[test]
    fn no_look_up_counts_more_than_a_block_however_long_the_line() {
        for text in ["x".repeat(1 << 20), "ä".repeat(1 << 19)] {
            let source = Source::new("f", "project", text);
            for offset in (0..=source.text.len()).step_by(2 * 77).chain([source.text.len()]) {
                let (from, before) = source.counted(offset / BLOCK).unwrap();
                assert!(offset - from <= BLOCK && before == source.text[..from].chars().count());
            }
        }
    }
}
