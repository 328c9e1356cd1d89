//! Text that fits: cut by display width, colours of hook output kept, everything else it tries spelled out.

use ansi_to_tui::IntoText as _;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr as _;

use crate::report::visible;

/// Columns `text` takes.
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
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(fit("日本語", 5, "…"), "日本…");
        assert_eq!(fit("ab", 4, "…"), "ab  ");
        assert_eq!(fit("abcdef", 0, "…"), "");
        assert_eq!(width(&fit("👩‍👩‍👧 family", 6, "…")), 6);
    }

    #[test]
    fn colours_are_kept_and_the_rest_is_spelled_out() {
        let line = output_line("a\u{1b}[31mred\u{1b}[0m\u{1b}[2Jx\u{7}\ty\u{1b}");
        let text: String = line.spans.iter().map(|s| s.content.as_ref()).collect();
        assert_eq!(text, "ared\\e[2Jx\\u{7}    y\\e");
        assert!(line.spans.iter().any(|s| s.style.fg == Some(ratatui::style::Color::Red)));
    }
}
