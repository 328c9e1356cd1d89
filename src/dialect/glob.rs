//! Tool-name globs in the syntaxes hosts use. Written out because the hosts' rules differ from common glob crates
//! exactly where authors stumble: what `*` crosses, how a class negates, what a malformed pattern does.

/// Whose rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobSyntax {
    /// Go's `filepath.Match` on Unix: `*` and `?` stop at `/`, `[^…]` negates, `\` escapes, malformed is an error.
    Go,
}

/// A parsed pattern.
#[derive(Debug, Clone)]
pub struct ToolGlob {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Char(char),
    AnyRun,
    AnyOne,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

/// The pattern does not follow its syntax.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadGlob(&'static str);

impl ToolGlob {
    /// Parse `pattern`.
    pub fn new(pattern: &str, syntax: GlobSyntax) -> Result<Self, BadGlob> {
        let GlobSyntax::Go = syntax;
        let mut chars = pattern.chars().peekable();
        let mut pieces = Vec::new();
        while let Some(c) = chars.next() {
            pieces.push(match c {
                '*' => Piece::AnyRun,
                '?' => Piece::AnyOne,
                '[' => go_class(&mut chars)?,
                '\\' => Piece::Char(chars.next().ok_or(BadGlob("it ends in a lone backslash"))?),
                other => Piece::Char(other),
            });
        }
        Ok(Self { pieces })
    }

    /// Whether the whole of `name` fits.
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut p, mut n) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        loop {
            if p < self.pieces.len() && self.pieces[p] == Piece::AnyRun {
                retry = Some((p, n));
                p += 1;
                continue;
            }
            match (self.pieces.get(p), name.get(n)) {
                (None, None) => return true,
                (Some(piece), Some(c)) if piece.fits(*c) => {
                    p += 1;
                    n += 1;
                }
                // The last star takes one character more, which must not be a separator.
                _ => match retry {
                    Some((star, at)) if at < name.len() && name[at] != '/' => {
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

impl Piece {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::AnyOne => c != '/',
            Self::Class { negated, ranges } => ranges.iter().any(|(lo, hi)| *lo <= c && c <= *hi) != *negated,
            Self::AnyRun => false,
        }
    }
}

fn go_class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Piece, BadGlob> {
    let negated = chars.next_if_eq(&'^').is_some();
    let mut ranges = Vec::new();
    loop {
        if !ranges.is_empty() && chars.next_if_eq(&']').is_some() {
            return Ok(Piece::Class { negated, ranges });
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
