//! The JSON editor: the one file that knows the text area crate.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;
use tui_textarea::{CursorMove, Input, Key as AreaKey, TextArea};

use crate::diag::Span;
use crate::tui::key::{Code, Key};
use crate::tui::theme::Theme;

/// Longer texts are shown without colours: a paste of a megabyte must not cost a frame.
const HIGHLIGHT_MAX: usize = 100_000;

pub struct Editor(TextArea<'static>);

impl std::fmt::Debug for Editor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Editor({} lines)", self.0.lines().len())
    }
}

impl Editor {
    /// With `text`, the cursor at its beginning.
    pub fn new(text: &str) -> Self {
        let mut area = TextArea::new(text.lines().map(str::to_string).collect());
        area.set_cursor_line_style(Style::default());
        area.set_undo_coalescing(true);
        area.set_tab_length(2);
        Self(area)
    }

    pub fn text(&self) -> String {
        self.0.lines().join("\n")
    }

    /// Act on a key; whether the text may have changed.
    pub fn key(&mut self, key: Key) -> bool {
        // Two habits of the area that would surprise here: they belong to terminals of another age.
        let key_code = match key.code {
            Code::Char('z') if key.ctrl => return self.0.undo(),
            Code::Char('y') if key.ctrl => return self.0.redo(),
            Code::Char(c) => AreaKey::Char(c),
            Code::Enter => AreaKey::Enter,
            Code::Backspace => AreaKey::Backspace,
            Code::Delete => AreaKey::Delete,
            Code::Up => AreaKey::Up,
            Code::Down => AreaKey::Down,
            Code::Left => AreaKey::Left,
            Code::Right => AreaKey::Right,
            Code::Home => AreaKey::Home,
            Code::End => AreaKey::End,
            Code::PageUp => AreaKey::PageUp,
            Code::PageDown => AreaKey::PageDown,
            _ => return false,
        };
        self.0.input(Input { key: key_code, ctrl: key.ctrl, alt: key.alt, shift: false })
    }

    pub fn paste(&mut self, text: &str) {
        self.0.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
    }

    pub fn scroll(&mut self, lines: i32) {
        let step = if lines > 0 { CursorMove::Down } else { CursorMove::Up };
        (0..lines.unsigned_abs()).for_each(|_| self.0.move_cursor(step));
    }

    /// Colour the JSON and underline `error`. Called when the text or the theme changed, not on every frame.
    pub fn highlight(&mut self, theme: &Theme, error: Option<Span>) {
        self.0.clear_custom_highlight();
        let text = self.text();
        if text.len() > HIGHLIGHT_MAX {
            return;
        }
        for (span, style) in tokens(&text, theme) {
            self.0.custom_highlight((place(&text, span.start), place(&text, span.end)), style, 1);
        }
        if let Some(span) = error {
            let end = text.ceil_char_boundary(span.end.max(span.start + 1));
            let start = text.floor_char_boundary(span.start.min(end.saturating_sub(1)));
            let style = theme.err.add_modifier(Modifier::UNDERLINED);
            self.0.custom_highlight((place(&text, start), place(&text, end)), style, 9);
        }
    }

    /// Draw into `area`; the place of the cursor if it is visible.
    pub fn render(&self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        (&self.0).render(area, buffer);
        self.0.rendered_cursor_position()
    }
}

/// Line and byte offset in it.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = text[..before.len()].matches('\n').count();
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
    (line, before.len() - start)
}

/// A light scanner: keys, texts, numbers and words get a colour, whatever state the text is in.
fn tokens(text: &str, theme: &Theme) -> Vec<(Span, Style)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at);
                let rest = text[at..].trim_start();
                found.push((Span::new(start, at), if rest.starts_with(':') { theme.accent } else { theme.ok }));
            }
            b'0'..=b'9' | b'-' => {
                at = run_end(bytes, at, |b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
                found.push((Span::new(start, at), theme.warn));
            }
            b if b.is_ascii_alphabetic() => {
                at = run_end(bytes, at, |b| b.is_ascii_alphanumeric());
                found.push((Span::new(start, at), theme.warn));
            }
            _ => at += 1,
        }
    }
    found
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    // A backslash before the end must not carry us past it, nor into a character.
    let mut end = at.min(bytes.len());
    while end < bytes.len() && (bytes[end] & 0xC0) == 0x80 {
        end += 1;
    }
    end
}

fn run_end(bytes: &[u8], start: usize, inside: impl Fn(u8) -> bool) -> usize {
    bytes[start..].iter().position(|b| !inside(*b)).map_or(bytes.len(), |n| start + n.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_error_inside_a_character_underlines_the_whole_of_it() {
        let mut editor = Editor::new("A\u{fffc}Σ");
        editor.highlight(&Theme::DEFAULT, Some(Span::new(2, 3)));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 5));
        editor.render(Rect::new(0, 0, 20, 5), &mut buffer);
        let underlined = |x: u16| buffer[(x, 0)].modifier.contains(Modifier::UNDERLINED);
        let columns: Vec<u16> = (0..20).filter(|x| underlined(*x)).collect();
        assert_eq!((columns.as_slice(), buffer[(1, 0)].symbol()), (&[1][..], "\u{fffc}"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_coloured(text in "[\\PC\"\\\\\n{}:,0-9a-zäß-]{0,60}", at in 0usize..70) {
            let mut editor = Editor::new(&text);
            editor.highlight(&Theme::DEFAULT, Some(Span::new(at, at + 3)));
            let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 5));
            editor.render(Rect::new(0, 0, 20, 5), &mut buffer);
        }
    }
}
