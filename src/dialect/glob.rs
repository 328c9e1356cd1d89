//! Tool-name globs in the syntaxes hosts use. Written out because the hosts' rules differ from common glob crates
//! exactly where authors stumble: what `*` crosses, how a class negates, what a malformed pattern does.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobSyntax {
    /// Go's `filepath.Match` on Unix: `*` and `?` stop at `/`, `[^…]` negates, `\` escapes, malformed is an error.
    Go,
    /// Python's `fnmatch` on POSIX: `*` and `?` take anything, `[!…]` negates, no escapes, never malformed.
    Python,
}

#[derive(Debug, Clone)]
pub struct ToolGlob {
    pieces: Vec<GlobPart>,
    stops_at_slash: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum GlobPart {
    Char(char),
    AnyRun,
    AnyOne,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadGlob(&'static str);

impl ToolGlob {
    pub fn new(pattern: &str, syntax: GlobSyntax) -> Result<Self, BadGlob> {
        if syntax == GlobSyntax::Python {
            return Ok(Self { pieces: python_pieces(pattern), stops_at_slash: false });
        }
        let mut chars = pattern.chars().peekable();
        let mut pieces = Vec::new();
        while let Some(c) = chars.next() {
            pieces.push(match c {
                '*' => GlobPart::AnyRun,
                '?' => GlobPart::AnyOne,
                '[' => go_class(&mut chars)?,
                '\\' => GlobPart::Char(chars.next().ok_or(BadGlob("it ends in a lone backslash"))?),
                other => GlobPart::Char(other),
            });
        }
        Ok(Self { pieces, stops_at_slash: true })
    }

    /// Whether the whole of `name` fits.
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut p, mut n) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            if p < self.pieces.len() && self.pieces[p] == GlobPart::AnyRun {
                retry = Some((p, n));
                p += 1;
                continue;
            }
            match (self.pieces.get(p), name.get(n)) {
                (None, None) => return true,
                (Some(piece), Some(c)) if piece.fits(*c, self.stops_at_slash) => {
                    p += 1;
                    n += 1;
                }
                // The last star takes one character more, which must not be a separator.
                _ => match retry {
                    Some((star, at)) if at < name.len() && !(self.stops_at_slash && name[at] == '/') => {
                        retry = Some((star, at + 1));
                        p = star + 1;
                        n = at + 1;
                    }
                    _ => return false,
                },
            }
        }
    }
}

impl GlobPart {
    fn fits(&self, c: char, stops_at_slash: bool) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::AnyOne => !(stops_at_slash && c == '/'),
            Self::Class { negated, ranges } => ranges.iter().any(|(lo, hi)| *lo <= c && c <= *hi) != *negated,
            Self::AnyRun => false,
        }
    }
}

/// Whether `text` fits a pattern in which `*` stands for anything and nothing else is special.
pub fn wildcard_matches(pattern: &str, text: &str) -> bool {
    let parts: Vec<&str> = pattern.split('*').collect();
    let [first, middle @ .., last] = parts.as_slice() else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// `fnmatch`: an unclosed `[` is a plain character, a `]` right after the opening belongs to the class.
fn python_pieces(pattern: &str) -> Vec<GlobPart> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match chars[at] {
            '*' => pieces.push(GlobPart::AnyRun),
            '?' => pieces.push(GlobPart::AnyOne),
            '[' => {
                let negated = chars.get(at + 1) == Some(&'!');
                let first = at + 1 + usize::from(negated);
                let close = (first + 1..chars.len()).find(|i| chars[*i] == ']');
                match close {
                    Some(close) => {
                        pieces.push(GlobPart::Class { negated, ranges: python_ranges(&chars[first..close]) });
                        at = close;
                    }
                    None => pieces.push(GlobPart::Char('[')),
                }
            }
            c => pieces.push(GlobPart::Char(c)),
        }
        at += 1;
    }
    pieces
}

fn python_ranges(body: &[char]) -> Vec<(char, char)> {
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < body.len() {
        if at + 2 < body.len() && body[at + 1] == '-' {
            ranges.push((body[at], body[at + 2]));
            at += 3;
        } else {
            ranges.push((body[at], body[at]));
            at += 1;
        }
    }
    ranges
}

fn go_class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<GlobPart, BadGlob> {
    let negated = chars.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    loop {
        if !ranges.is_empty() && chars.next_if_eq(&']').is_some() {
            return Ok(GlobPart::Class { negated, ranges });
        }
        let low = go_class_char(chars)?;
        let high = if chars.next_if_eq(&'-').is_some() { go_class_char(chars)? } else { low };
        ranges.push((low, high));
    }
}

fn go_class_char(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<char, BadGlob> {
    const OPEN: BadGlob = BadGlob("its `[` is never closed");
    match chars.next().ok_or(OPEN)? {
        '-' | ']' => Err(BadGlob("a character class is empty or has a stray `-`")),
        '\\' => chars.next().ok_or(OPEN),
        c => Ok(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(pattern: &str, name: &str) -> bool {
        ToolGlob::new(pattern, GlobSyntax::Go).is_ok_and(|g| g.matches(name))
    }

    #[test]
    fn python_patterns() {
        for (pattern, name, fits) in [
            ("*", "a/b", true),
            ("mcp__*", "mcp__fs/read", true),
            ("[RW]rite", "Write", true),
            ("[!RW]rite", "Write", false),
            ("[!a]", "b", true),
            ("[^a]", "^", true),
            ("[a-c]x", "bx", true),
            ("[]]x", "]x", true),
            ("[x", "[x", true),
            ("Ed?t", "Edit", true),
            ("write", "Write", false),
            ("\\*", "\\x", true),
        ] {
            let got = ToolGlob::new(pattern, GlobSyntax::Python).unwrap().matches(name);
            assert_eq!(got, fits, "{pattern} on {name}");
        }
    }

    // The table of Go's own documentation and the stumbling stones of tool names.
    #[test]
    fn go_patterns() {
        for (pattern, name, fits) in [
            ("abc", "abc", true),
            ("*", "abc", true),
            ("*c", "abc", true),
            ("a*", "a", true),
            ("a*", "ab/c", false),
            ("a*b*c*d*e*", "axbxcxdxe", true),
            ("a*b?c*x", "abxbbxdbxebxczzx", true),
            ("a*b?c*x", "abxbbxdbxebxczzy", false),
            ("ab[c]", "abc", true),
            ("ab[e-g]", "abf", true),
            ("ab[^e-g]", "abf", false),
            ("ab[^e-g]", "abz", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "ab", false),
            ("[\\]a]", "]", true),
            ("[\\-x]", "-", true),
            ("[x-]", "x", false),
            ("[-x]", "x", false),
            ("[]a]", "]", false),
            ("[", "a", false),
            ("[Read", "Read", false),
            ("a[", "ab", false),
            ("*x", "xxx", true),
            ("mcp__*", "mcp__fs__read", true),
            ("Bash|Edit", "Edit", false),
            ("?ead", "Read", true),
            ("a?b", "a/b", false),
            ("*", "a/b", false),
            ("**", "a/b", false),
            ("bash", "Bash", false),
            ("[!a]", "b", false),
            ("[!a]", "!", true),
            ("{a,b}", "a", false),
            ("ä?", "äö", true),
        ] {
            assert_eq!(go(pattern, name), fits, "{pattern} on {name}");
        }
    }
}
