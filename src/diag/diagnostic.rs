//! A message about a place, with the rule behind it and what the host does because of it.

use std::ops::Range;

use serde::Serialize;

use super::{Place, Source, Span};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Note,
    /// Probably not what the author meant.
    Warning,
    /// Something does not work because of it.
    Error,
}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding about a settings file, a payload or an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable name of the rule, such as `unknown-event`.
    pub id: &'static str,
    pub severity: Severity,
    /// What is wrong, as one sentence.
    pub message: String,
    pub help: Option<String>,
    /// What the host does because of it.
    pub consequence: Option<String>,
    #[serde(flatten)]
    pub place: Option<Place>,
    #[serde(skip)]
    pub excerpt: Option<Excerpt>,
}

impl Diagnostic {
    pub fn new(severity: Severity, id: &'static str, message: impl Into<String>) -> Self {
        Self { id, severity, message: message.into(), help: None, consequence: None, place: None, excerpt: None }
    }

    pub fn error(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, id, message)
    }

    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, id, message)
    }

    #[must_use]
    pub fn at(mut self, source: &Source, span: Span) -> Self {
        let place = source.place(span.start);
        self.excerpt = Excerpt::new(source, span);
        self.place = Some(place);
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    #[must_use]
    pub fn consequence(mut self, consequence: impl Into<String>) -> Self {
        self.consequence = Some(consequence.into());
        self
    }
}

/// The source lines of a diagnostic, cut to what a screen shows, and the bytes of them it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// The bytes of `text` to mark; none of them means the place after the one before.
    pub span: Range<usize>,
}

impl Excerpt {
    fn new(source: &Source, span: Span) -> Option<Self> {
        let text = &*source.text;
        let start = text.floor_char_boundary(span.start.min(text.len()));
        let end = text.floor_char_boundary(span.end.min(text.len())).max(start);
        // The end of a text that ends in a line end is shown after its last line.
        let start = if start == text.len() { text.trim_end_matches(['\n', '\r']).len().min(start) } else { start };
        let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
        let rest = text[start..].find(['\n', '\r']).map_or(text.len(), |n| start + n);
        let several = text[start..end.max(start)].trim_end().contains('\n');
        if several && end - line <= EXCERPT_BYTES {
            let last = text[end..].find(['\n', '\r']).map_or(text.len(), |n| end + n);
            if last - line <= EXCERPT_BYTES {
                return Some(Self { text: text[line..last].to_string(), span: start - line..end - line });
            }
        }
        (rest > line).then(|| Self::cut(&text[line..rest], start - line..end.clamp(start, rest) - line))
    }

    /// One line around `span`: a minified settings file is one line of many kilobytes.
    fn cut(line: &str, span: Range<usize>) -> Self {
        let back = |n: usize| line[..span.start].char_indices().rev().nth(n).map(|(at, _)| at);
        let on = |n: usize| line[span.start..].char_indices().nth(n).map(|(at, _)| span.start + at);
        let from = back(EXCERPT_COLUMNS).and_then(|_| back(EXCERPT_COLUMNS / 2));
        let shown = EXCERPT_COLUMNS - line[from.unwrap_or(0)..span.start].chars().count();
        let to = on(shown.max(EXCERPT_COLUMNS / 2));
        let (left, right) = (if from.is_some() { "…" } else { "" }, if to.is_some() { "…" } else { "" });
        let (from, to) = (from.unwrap_or(0), to.unwrap_or(line.len()));
        let span = span.start - from + left.len()..span.end.min(to) - from + left.len();
        Self { text: format!("{left}{}{right}", &line[from..to]), span }
    }
}

/// Longer source lines are cut around the place.
pub(super) const EXCERPT_COLUMNS: usize = 150;
/// A span over several lines is shown whole up to this size, and by its first line beyond.
const EXCERPT_BYTES: usize = 4096;
