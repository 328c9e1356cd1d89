//! A message about a place, with the rule behind it and what the host does because of it.

use serde::Serialize;

use super::{Place, Source, Span};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what the author meant.
    Warning,
    /// Something does not work because of it.
    Error,
}

impl Severity {
    /// The word shown to people and in reports.
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
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as one sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// What the host does because of it.
    pub consequence: Option<String>,
    /// Where.
    #[serde(flatten)]
    pub place: Option<Place>,
    /// The source line and the caret range in it (characters, from zero).
    #[serde(skip)]
    pub excerpt: Option<(String, std::ops::Range<usize>)>,
}

impl Diagnostic {
    /// A finding without a place yet.
    pub fn new(severity: Severity, id: &'static str, message: impl Into<String>) -> Self {
        Self { id, severity, message: message.into(), help: None, consequence: None, place: None, excerpt: None }
    }

    /// An error.
    pub fn error(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, id, message)
    }

    /// A warning.
    pub fn warning(id: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, id, message)
    }

    /// Point at `span` in `source`.
    #[must_use]
    pub fn at(mut self, source: &Source, span: Span) -> Self {
        let place = source.place(span.start);
        let line = source.line(place.line);
        let from = place.column - 1;
        let width = source.text.get(span.start..span.end).map_or(1, |t| t.lines().next().unwrap_or("").chars().count());
        let shown: String = line.chars().take(EXCERPT_COLUMNS).collect();
        self.excerpt = (from <= shown.chars().count()).then_some((shown, from..from + width.max(1)));
        self.place = Some(place);
        self
    }

    /// Add what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Add what the host does because of it.
    #[must_use]
    pub fn consequence(mut self, consequence: impl Into<String>) -> Self {
        self.consequence = Some(consequence.into());
        self
    }
}

/// Longer source lines are cut here: a minified settings file is one line of many kilobytes.
const EXCERPT_COLUMNS: usize = 160;
