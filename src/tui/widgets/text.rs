//! Text that fits: cut by display width, colours of hook output kept, everything else it tries spelled out.

use ansi_to_tui::IntoText as _;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use crate::report::visible;

pub fn width(text: &str) -> usize {
    text.width()
}

/// `text` cut or padded to exactly `columns`.
pub fn fit(text: &str, columns: usize, more: &str) -> String {
    let own = width(text);
    if own <= columns {
        return format!("{text}{}", " ".repeat(columns - own));
    }
    let room = columns.saturating_sub(width(more));
    let mut out = String::new();
    for c in text.chars() {
        out.push(c);
        // Measured whole: joined emoji are narrower than their parts.
        if width(&out) > room {
            out.pop();
            break;
        }
    }
    if columns >= width(more) {
        out.push_str(more);
    }
    let used = width(&out);
    format!("{out}{}", " ".repeat(columns.saturating_sub(used)))
}

/// `line`, with `more` at its end where it has to be cut to `columns`.
pub fn shorten(line: Line<'static>, columns: usize, more: &str) -> Line<'static> {
    if line.width() <= columns {
        return line;
    }
    let mut room = columns.saturating_sub(width(more));
    let mut short = Line::default().style(line.style);
    for span in line.spans {
        let kept = fit(&span.content, span.width().min(room), "");
        room -= width(&kept);
        short.push_span(Span::styled(kept, span.style));
        if room == 0 {
            short.push_span(Span::styled(more.to_string(), span.style));
            break;
        }
    }
    short
}

/// A line broken at words to `columns`, its styles kept, continuation lines indented like the first.
pub fn wrapped(line: &Line<'static>, columns: u16) -> Vec<Line<'static>> {
    let columns = usize::from(columns).max(8);
    let text = line.to_string();
    // No character has more columns than bytes.
    if text.len() <= columns || line.width() <= columns {
        return vec![line.clone()];
    }
    let indent = " ".repeat((text.len() - text.trim_start().len()).min(columns / 2));
    let options = textwrap::Options::new(columns)
        .subsequent_indent(&indent)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
    let (mut out, mut end) = (Vec::new(), 0);
    for piece in textwrap::wrap(&text, options) {
        let (indent, piece) = if out.is_empty() { ("", &piece[..]) } else { piece.split_at(indent.len()) };
        let start = end + text[end..].find(piece).unwrap_or(0);
        end = start + piece.len();
        let mut row = Line::from(indent.to_string()).style(line.style);
        let mut at = 0;
        for span in &line.spans {
            let inside =
                start.saturating_sub(at).min(span.content.len())..end.saturating_sub(at).min(span.content.len());
            at += span.content.len();
            row.push_span(Span::styled(span.content[inside].to_string(), span.style));
        }
        row.spans.retain(|span| !span.content.is_empty());
        out.push(row);
    }
    out
}

/// One line of hook output: colours (SGR) are shown, every other control sequence is spelled out.
pub fn output_line(line: &str) -> Line<'static> {
    let mut safe = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\u{1b}') {
        safe.push_str(&visible(&rest[..at].replace('\t', "    ")));
        let (sequence, after) = sgr(&rest[at..]);
        match sequence {
            Some(sequence) => safe.push_str(sequence),
            None => safe.push_str("\\e"),
        }
        rest = after;
    }
    safe.push_str(&visible(&rest.replace('\t', "    ")));
    match safe.into_text() {
        Ok(text) => text.lines.into_iter().next().unwrap_or_default(),
        Err(_) => Line::from(visible(&safe)),
    }
}

/// The colour sequence `text` begins with, if it is one, and what follows.
fn sgr(text: &str) -> (Option<&str>, &str) {
    let end = text
        .get(2..)
        .filter(|_| text.starts_with("\u{1b}["))
        .and_then(|body| body.find(|c: char| !c.is_ascii_digit() && c != ';'));
    match end {
        Some(end) if text[2 + end..].starts_with('m') => (Some(&text[..end + 3]), &text[end + 3..]),
        _ => (None, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Stylize as _;

    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(fit("日本語", 5, "…"), "日本…");
        assert_eq!(fit("ab", 4, "…"), "ab  ");
        assert_eq!(fit("abcdef", 0, "…"), "");
        assert_eq!(width(&fit("👩‍👩‍👧 family", 6, "…")), 6);
    }

    #[test]
    fn a_line_is_cut_where_it_is_too_long_and_keeps_its_styles() {
        let line = || Line::from(vec![Span::raw("ab"), Span::raw("cdef").bold()]);
        assert_eq!(shorten(line(), 6, "…"), line());
        assert_eq!(shorten(line(), 4, "…"), Line::from(vec![Span::raw("ab"), Span::raw("c").bold(), "…".bold()]));
        assert_eq!(shorten(Line::from("日本語"), 5, "…").to_string(), "日本…");
        let wide = Line::from(vec![Span::raw("  one two ").bold(), Span::raw("three")]);
        let bold = |text: &'static str| Line::from(vec![Span::raw(text).bold()]);
        assert_eq!(wrapped(&wide, 10), [bold("  one two"), Line::from(vec![Span::raw("  "), Span::raw("three")])]);
    }

    fn pieces(text: &str, columns: u16) -> Vec<String> {
        wrapped(&Line::from(text.to_string()), columns).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines_break_at_words_and_keep_their_indent() {
        assert_eq!(pieces("  one two three", 10), ["  one two", "  three"]);
        assert_eq!(pieces("short", 10), ["short"]);
        assert_eq!(pieces("日本語日本語", 8), ["日本語日", "本語"]);
    }

    #[test]
    fn a_long_line_without_blanks_is_cut_into_full_lines_and_loses_nothing() {
        for size in [64 << 10, 640 << 10] {
            let text = "x".repeat(size);
            let cut = pieces(&text, 80);
            assert_eq!(cut.len(), size.div_ceil(80));
            assert_eq!(cut.concat(), text);
        }
    }

    #[test]
    fn colours_are_kept_and_the_rest_is_spelled_out() {
        let line = output_line("a\u{1b}[31mred\u{1b}[0m\u{1b}[2Jx\u{7}\ty\u{1b}");
        let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
        assert_eq!(text, "ared\\e[2Jx\\u{7}    y\\e");
        assert!(line.spans.iter().any(|s| s.style.fg == Some(ratatui::style::Color::Red)));
    }
}
