//! Hook output for a terminal: every control character becomes something to read, nothing is obeyed.

/// `text` on one line, control characters spelled out.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{1b}' => out.push_str("\\e"),
            c if is_unsafe(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// `text` line by line; tabs become spaces, other control characters are spelled out.
pub fn visible_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(|line| visible(&line.replace('\t', "    ")))
}

/// Control characters, and the format characters that reorder or hide text.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed() {
        assert_eq!(visible("\u{1b}[31mred\u{7}\r\n\t"), "\\e[31mred\\u{7}\\r\\n\\t");
        assert_eq!(visible("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(visible("grün ✓"), "grün ✓");
        assert_eq!(visible("\u{9b}31m"), "\\u{9b}31m");
    }
}
