//! The `.arma` language's hook lines: words, quotes, escapes, and values from the context.

use serde_json::{Map, Value};

/// One `hook <point> <command…>` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookLine {
    pub point: String,
    /// The tool it is limited to, for `pre:tool:<tool>`.
    pub tool: Option<String>,
    pub command: String,
    pub line: usize,
}

/// The hook lines of a script; other lines are none of our business. `known` tells points apart from tools.
pub fn hook_lines(text: &str, known: impl Fn(&str) -> bool) -> Vec<HookLine> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(rest) = line.trim().strip_prefix("hook").filter(|r| r.starts_with(char::is_whitespace)) else {
            continue;
        };
        let (point, command) = rest.trim_start().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
        let (point, tool) = match point.rsplit_once(':') {
            Some((head, tool)) if !known(point) && (head == "pre:tool" || head == "post:tool") => {
                (head, Some(tool.to_string()))
            }
            _ => (point, None),
        };
        found.push(HookLine { point: point.into(), tool, command: command.trim().into(), line: index + 1 });
    }
    found
}

/// The words of `command` with values of `data` in place of `$name` and `$a.b`; the leading slash is not part of the
/// first word.
pub fn expand(command: &str, data: &Map<String, Value>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            // A comment ends the line; inside a word `#` is a character like any other.
            ('#', None) if word.is_none() && !words.is_empty() => break,
            // Quotes alone make no word: `""` is nothing in this language, while a value that is empty is a word.
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('\\', _) => {
                let escaped = match chars.next() {
                    Some('n') => '\n',
                    Some(other) => other,
                    None => '\\',
                };
                word.get_or_insert_default().push(escaped);
            }
            ('$', _) => {
                let mut name = String::new();
                while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_' || *c == '.') {
                    name.push(c);
                }
                // A dot at the end is a full stop, not part of a name.
                let dots = name.len() - name.trim_end_matches('.').len();
                let path = &name[..name.len() - dots];
                let text = if path.is_empty() { "$".to_string() } else { value(data, path) };
                let into = word.get_or_insert_default();
                into.push_str(&text);
                into.push_str(&".".repeat(dots));
            }
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    if let Some(first) = words.first_mut() {
        *first = first.trim_start_matches('/').to_string();
    }
    words
}

fn value(data: &Map<String, Value>, path: &str) -> String {
    let mut parts = path.split('.');
    let mut found = parts.next().and_then(|first| data.get(first));
    for part in parts {
        found = found.and_then(|v| v.get(part).or_else(|| v.get(part.parse::<usize>().ok()?)));
    }
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_quotes_escapes_and_values() {
        let data = json!({"prompt": "hi there", "a": {"b": 7}, "agent": "coder"});
        let words = |command: &str| expand(command, data.as_object().unwrap());
        assert_eq!(words("/log debug \"out> $prompt\""), ["log", "debug", "out> hi there"]);
        assert_eq!(
            words("/x $a.b $nothing. '$prompt' \\$prompt \"a\\nb\""),
            ["x", "7", ".", "hi there", "$prompt", "a\nb"]
        );
        assert_eq!(words("/n \"\" $nothing $prompt # note"), ["n", "", "hi there"]);
        assert_eq!(words("/say \"$agent.\""), ["say", "coder."]);
    }

    #[test]
    fn lines_name_their_point_and_tool() {
        let lines =
            hook_lines("# c\nhook pre:message /a\n\nhook pre:tool:shell /b x\n/other\n", |p| p == "pre:message");
        assert_eq!((lines[0].point.as_str(), lines[0].tool.as_deref(), lines[0].line), ("pre:message", None, 2));
        assert_eq!(
            (lines[1].point.as_str(), lines[1].tool.as_deref(), lines[1].command.as_str()),
            ("pre:tool", Some("shell"), "/b x")
        );
    }
}
