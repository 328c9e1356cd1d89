//! A piece of source text with its line index, byte ranges inside it, and resolved places.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A half-open byte range in one source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// A position a person can go to: path, line and column, all counted from one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The file as the user named it.
    pub path: Arc<str>,
    /// Line, from one.
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
    /// The whole text.
    pub text: Arc<str>,
    line_starts: Arc<[usize]>,
}

impl Source {
    /// Index `text` once so that every later look-up is a binary search.
    pub fn new(path: impl Into<Arc<str>>, layer: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
            .collect();
        Self { path: path.into(), layer: layer.into(), text, line_starts }
    }

    /// The place of a byte offset; an offset past the end means the end.
    pub fn place(&self, offset: usize) -> Place {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line - 1];
        let column = self.text[start..offset].chars().count() + 1;
        Place { path: self.path.clone(), line, column }
    }

    /// The byte offset of a line (from one) and a column in characters (from zero).
    pub fn offset(&self, line: usize, column: usize) -> usize {
        let Some(start) = self.line_starts.get(line.saturating_sub(1)).copied() else {
            return self.text.len();
        };
        let rest = &self.text[start..];
        rest.char_indices().nth(column).map_or(self.text.len(), |(i, _)| start + i)
    }

    /// The text of one line (from one), without its line end.
    pub fn line(&self, line: usize) -> &str {
        let Some(start) = self.line_starts.get(line.saturating_sub(1)).copied() else {
            return "";
        };
        let end = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
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
        assert_eq!(source.line(1), "äöü");
        assert_eq!(source.offset(1, 2), 4);
    }
}
