//! A diagnostic as plain text with its source line and a caret. Colour is the caller's business.

use std::fmt::Write as _;

use super::Diagnostic;

/// Several lines, the first one complete in itself.
///
/// ```text
/// error: "timeout" must be a whole number of seconds [wrong-type]
///   --> settings.json:4:18
///    | { "timeout": "10" }
///    |              ^^^^
///   host: the entry is not loaded
///   help: write 10 without quotes
/// ```
pub fn render(diagnostic: &Diagnostic) -> String {
    let mut out = format!("{}: {} [{}]", diagnostic.severity.word(), diagnostic.message, diagnostic.id);
    if let Some(place) = &diagnostic.place {
        let _ = write!(out, "\n  --> {place}");
    }
    if let Some((line, caret)) = &diagnostic.excerpt {
        let room = line.chars().count().saturating_sub(caret.start).max(1);
        let carets = "^".repeat(caret.len().min(room));
        let _ = write!(out, "\n   | {}\n   | {}{carets}", line.replace('\t', " "), " ".repeat(caret.start));
    }
    if let Some(consequence) = &diagnostic.consequence {
        let _ = write!(out, "\n  host: {consequence}");
    }
    if let Some(help) = &diagnostic.help {
        let _ = write!(out, "\n  help: {help}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Source, Span};

    #[test]
    fn caret_stands_under_the_span() {
        let source = Source::new("s.json", "project", "{\n  \"timeout\": \"10\"\n}");
        let text = render(&Diagnostic::error("wrong-type", "no").at(&source, Span::new(15, 19)));
        assert!(text.contains("s.json:2:14"), "{text}");
        assert!(text.contains("   |              ^^^^"), "{text}");
    }
}
