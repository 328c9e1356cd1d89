//! Keys in our own words: one form whatever the terminal sends, with names that can be read and written.

/// A key without its modifiers. Shift is part of the character.
pub use crossterm::event::KeyCode as Code;
use crossterm::event::{KeyEvent, KeyEventKind, KeyModifiers};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: Code,
    pub ctrl: bool,
    pub alt: bool,
}

/// The keys that have names rather than characters.
const NAMED: [(&str, Code); 15] = [
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("backtab", Code::BackTab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pageup", Code::PageUp),
    ("pagedown", Code::PageDown),
    ("space", Code::Char(' ')),
];

impl Key {
    pub fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false }
    }

    /// From a name such as `ctrl-r`, `space`, `G`, `f1`.
    pub fn parse(name: &str) -> Option<Self> {
        let mut key = Self::plain(Code::Esc);
        let mut rest = name;
        while let Some((modifier, after)) = rest.split_once('-').filter(|(m, a)| !m.is_empty() && !a.is_empty()) {
            match modifier {
                "ctrl" => key.ctrl = true,
                "alt" => key.alt = true,
                _ => return None,
            }
            rest = after;
        }
        let mut chars = rest.chars();
        key.code = match (chars.next()?, chars.next()) {
            (c, None) => Code::Char(c),
            ('f', Some(_)) if rest[1..].parse::<u8>().is_ok() => Code::F(rest[1..].parse().ok()?),
            _ => NAMED.iter().find(|(n, _)| *n == rest)?.1,
        };
        Some(key)
    }

    /// From what the terminal sent; none for releases and keys we have no use for.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let with = |modifier| event.modifiers.contains(modifier);
        let ctrl = with(KeyModifiers::CONTROL);
        let code = match event.code {
            Code::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
            Code::Tab if with(KeyModifiers::SHIFT) => Code::BackTab,
            code => code,
        };
        let useful = matches!(code, Code::Char(_) | Code::F(_)) || NAMED.iter().any(|(_, c)| *c == code);
        useful.then(|| Self { code, ctrl, alt: with(KeyModifiers::ALT) })
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        if self.alt {
            f.write_str("alt-")?;
        }
        match (self.code, NAMED.iter().find(|(_, c)| *c == self.code)) {
            (_, Some((name, _))) => f.write_str(name),
            (Code::F(n), None) => write!(f, "f{n}"),
            (Code::Char(c), None) => write!(f, "{c}"),
            (_, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_as_written() {
        for name in ["ctrl-r", "space", "G", "f1", "?", ":", "-", "ctrl-alt-x", "pagedown", "/", "+"] {
            assert_eq!(Key::parse(name).map(|k| k.to_string()).as_deref(), Some(name));
        }
        assert_eq!(Key::parse("hyper-x"), None);
        assert_eq!(Key::parse("nokey"), None);
    }
}
