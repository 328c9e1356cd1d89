//! Small readings of commands, matchers and sources for the lints.

use crate::diag::{Source, Span};

/// A script without its comment lines; the first line is kept.
pub fn without_comments(text: &str) -> String {
    let kept = text.lines().enumerate().filter(|(at, l)| *at == 0 || !l.trim_start().starts_with('#'));
    kept.map(|(_, l)| l).collect::<Vec<_>>().join("\n")
}

/// How far an entry is searched from its start, and how far back for the matcher of its group. Without these a file of
/// many hooks is read whole for each of them.
const ENTRY: usize = 2000;
const GROUP: usize = 64 * 1024;

/// Where `needle` stands in the entry that begins at `start`, written as JSON or as it is.
pub fn span_of(source: &Source, start: usize, needle: &str) -> Span {
    let all = &source.text;
    let entry = |len: usize| all.get(start..all.floor_char_boundary(start + ENTRY + len - 1)).unwrap_or_default();
    let escaped = serde_json::to_string(needle).unwrap_or_default();
    let escaped = escaped.trim_matches('"');
    let found =
        [escaped, needle].into_iter().filter(|n| !n.is_empty()).find_map(|n| Some((entry(n.len()).find(n)?, n.len())));
    // The matcher of a group stands before its hooks.
    let before = || {
        let from = all.floor_char_boundary(start.saturating_sub(GROUP));
        let at = from + all.get(from..start)?.rfind(escaped).filter(|_| !escaped.is_empty())?;
        Some(Span::new(at, at + escaped.len()))
    };
    match found {
        Some((at, len)) => Span::new(start + at, start + at + len),
        None => before().unwrap_or_else(|| Span::new(start, start + 1)),
    }
}

/// The tool that differs from `part` by one letter.
pub fn one_edit_away<'t>(part: &str, tools: &[&'t str]) -> Option<&'t str> {
    let near = |tool: &&&'t str| part.len() > 3 && strsim::damerau_levenshtein(part, tool) == 1;
    tools.iter().find(near).copied()
}

/// Whether the first letters of an expression stand inside `tool`.
pub fn contains_literal(matcher: &str, tool: &str) -> bool {
    matcher.split('|').any(|part| {
        let literal: String = part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        literal.len() > 2 && tool.contains(&literal) && !tool.starts_with(&literal)
    })
}

/// The first variable of a path that stands outside quotes.
pub fn unquoted_variable(command: &str) -> Option<String> {
    const PATHS: [&str; 5] = ["_DIR", "_ROOT", "HOME", "PWD", "WORKSPACE"];
    let (mut single, mut double, mut escaped) = (false, false, false);
    for (at, c) in command.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            '$' if !single && !double => {
                let name: String = command[at + 1..]
                    .trim_start_matches('{')
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                    .collect();
                let assigned = command[..at].rsplit(char::is_whitespace).next().is_some_and(|w| w.contains('='));
                if PATHS.iter().any(|p| name.ends_with(p)) && !assigned {
                    return Some(name);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(unix)]
pub fn executable(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|m| m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub fn executable(_file: &std::path::Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_searched_near_itself_only() {
        let far = "ä".repeat(GROUP);
        let text = format!("before {far}{{\"m\": \"Bash\", \"c\": \"say \\\"hi\\\" x\"}}{far} after");
        let start = text.find('{').unwrap();
        let source = Source::new("f", "project", text.as_str());
        let word = |span: Span| &text[span.start..span.end];
        assert_eq!(word(span_of(&source, start, "say \"hi\" x")), "say \\\"hi\\\" x");
        assert_eq!(word(span_of(&source, start + 12, "Bash")), "Bash", "the matcher stands before its hooks");
        for elsewhere in ["before", "after", "nowhere"] {
            assert_eq!(span_of(&source, start, elsewhere), Span::new(start, start + 1), "{elsewhere}");
        }
    }
}
