//! A diagnostic as plain text with its source lines and a caret. Colour is the caller's business.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::Diagnostic;
use super::diagnostic::Excerpt;

/// What every line of source in a rendered diagnostic begins with.
pub const GUTTER: &str = "   |";

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
    if let Some(excerpt) = &diagnostic.excerpt {
        snippet(&mut out, excerpt);
    }
    for (label, text) in [("host", &diagnostic.consequence), ("help", &diagnostic.help)] {
        let _ = text.as_ref().map(|text| write!(out, "\n  {label}: {text}"));
    }
    out
}

fn snippet(out: &mut String, excerpt: &Excerpt) {
    let mark = AnnotationKind::Primary.span(excerpt.span.clone());
    let lines = Snippet::source(excerpt.text.as_str()).line_numbering(false).annotation(mark);
    // The excerpt is already cut to what a screen shows, so the renderer has nothing to cut.
    let renderer = Renderer::plain().term_width(4 * super::diagnostic::EXCERPT_COLUMNS);
    let drawn = renderer.render(&[Group::with_level(Level::ERROR).element(lines)]);
    for line in drawn.lines().filter_map(|l| l.trim_start().strip_prefix('|')).filter(|l| !l.trim().is_empty()) {
        let _ = write!(out, "\n{GUTTER}{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Source, Span};

    /// The source lines of a diagnostic about `span`, without the gutter.
    fn drawn(text: &str, span: std::ops::Range<usize>) -> Vec<String> {
        let source = Source::new("s.json", "project", text);
        let text = render(&Diagnostic::error("id", "no").at(&source, Span::new(span.start, span.end)));
        text.lines().filter_map(|l| l.strip_prefix("   | ")).map(str::to_string).collect()
    }

    #[test]
    fn the_caret_is_under_the_span() {
        let source = Source::new("s.json", "project", "{\n  \"timeout\": \"10\"\n}");
        let text = render(&Diagnostic::error("wrong-type", "no").at(&source, Span::new(15, 19)));
        assert!(text.contains("s.json:2:14"), "{text}");
        assert!(text.contains("\n   |   \"timeout\": \"10\"\n   |              ^^^^"), "{text}");
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(drawn("中文: x!", 8..9), ["中文: x!", "      ^"]);
        assert_eq!(drawn("\"中\" 🦀 y", 6..10), ["\"中\" 🦀 y", "     ^^"]);
        assert_eq!(drawn("a\u{301}b", 3..4), ["a\u{301}b", " ^"]);
    }

    #[test]
    fn a_tab_is_as_wide_above_as_below() {
        let lines = drawn("\t\"a\": 1", 6..7);
        assert_eq!(lines[0].find('1'), lines[1].find('^'), "{lines:#?}");
        assert!(!lines[0].contains('\t'));
    }

    #[test]
    fn a_span_over_several_lines_shows_where_it_begins_and_ends() {
        let lines = drawn("{\n  \"a\": [\n    1,\n    2\n  ]\n}", 9..27);
        assert!(
            lines[0].contains("\"a\": [") && lines.iter().any(|l| l.trim_start_matches(['|', ' ']) == "]"),
            "{lines:#?}"
        );
        let long = format!("[\n{}]", "  1,\n".repeat(1000));
        assert!(drawn(&long, 0..long.len()).len() < 12, "{:#?}", drawn(&long, 0..long.len()));
    }

    #[test]
    fn the_end_of_a_file_can_be_pointed_at() {
        assert_eq!(drawn("{\"a\": ", 6..6), ["{\"a\": ", "      ^"]);
        assert_eq!(drawn("{\n", 2..2), ["{", " ^"]);
        assert_eq!(drawn("", 0..0), Vec::<String>::new());
        assert_eq!(drawn("ab", 7..9), ["ab", "  ^"]);
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let text = format!("{}HERE{}", "中".repeat(50_000), "x".repeat(50_000));
        let at = text.find("HERE").unwrap();
        let lines = drawn(&text, at..at + 4);
        assert!(lines[0].starts_with('…') && lines[0].ends_with('…') && lines[0].contains("HERE"), "{lines:#?}");
        assert!(lines[0].chars().count() < 170 && lines[1].trim() == "^^^^", "{lines:#?}");
        assert!(drawn(&text, 0..text.len())[0].chars().count() < 170);
    }
}
