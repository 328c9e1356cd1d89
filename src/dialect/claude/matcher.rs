//! Matchers: nothing, an exact list, or a JavaScript regular expression; and what they are compared with.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::dialect::EventRow;
use crate::dialect::event::{MatchedOn, Matching};
use crate::model::Payload;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// No matcher, or one that fits everything.
    All,
    Exact,
    Regex,
    /// The event has nothing to compare with.
    Ignored,
    /// An invalid expression, which never fits.
    Never,
}

impl Mode {
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Exact => "exact",
            Self::Regex => "regex",
            Self::Ignored => "ignored",
            Self::Never => "never",
        }
    }
}

/// Former names of tools that matchers still accept.
pub const ALIASES: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
];

/// The text a matcher of this payload's event is compared with; none if there is none.
pub fn value(payload: &Payload, row: &EventRow, aliases: &[(&str, &'static str)]) -> Option<String> {
    let text = |field| payload.text(field).unwrap_or_default();
    match row.matched_on {
        MatchedOn::Nothing => None,
        MatchedOn::FileName(field) => Some(text(field).rsplit('/').next().unwrap_or_default().to_string()),
        MatchedOn::Model(field) => Some(text(field).trim_end_matches("[1m]").to_string()),
        MatchedOn::Tool(field) => Some(canonical(text(field), aliases).to_string()),
        MatchedOn::Field(field) | MatchedOn::Data(field) => Some(text(field).to_string()),
    }
}

/// The name a tool has today.
pub fn canonical<'a>(tool: &'a str, aliases: &[(&str, &'static str)]) -> &'a str {
    aliases.iter().find(|(old, _)| *old == tool).map_or(tool, |(_, new)| new)
}

/// How `matcher` is read at the event of `row`, and whether it fits `value`.
pub fn fits(matcher: Option<&str>, row: &EventRow, value: Option<&str>, aliases: &[(&str, &str)]) -> (Mode, bool) {
    let Some(value) = value else { return (Mode::Ignored, true) };
    let matcher = matcher.unwrap_or_default();
    if matcher.is_empty() || matcher == "*" {
        return (Mode::All, true);
    }
    let more = if let Matching::ListOrRegex { more } = row.matching { more } else { "" };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '|' || more.contains(c);
    let names: Vec<&str> =
        aliases.iter().filter(|(_, new)| *new == value).map(|(old, _)| *old).chain([value]).collect();
    if matcher.chars().all(plain) {
        let listed = matcher.split(['|', ',']).map(str::trim).filter(|p| !p.is_empty()).any(|p| names.contains(&p));
        return (Mode::Exact, listed);
    }
    with_regex(matcher, |regex| match regex {
        Some(regex) => (Mode::Regex, names.iter().any(|n| regex.find(n).is_some())),
        None => (Mode::Never, false),
    })
}

/// Expressions one thread remembers; a settings file has far fewer.
const REMEMBERED: usize = 4096;

/// `matcher` compiled, none if it is invalid. Compiling costs more than matching, and the composer plans on every
/// keystroke, so each is compiled once.
fn with_regex<T>(matcher: &str, use_it: impl FnOnce(Option<&regress::Regex>) -> T) -> T {
    thread_local! {
        static COMPILED: RefCell<HashMap<String, Option<regress::Regex>>> = RefCell::default();
    }
    COMPILED.with_borrow_mut(|compiled| {
        if compiled.len() > REMEMBERED {
            compiled.clear();
        }
        if !compiled.contains_key(matcher) {
            compiled.insert(matcher.to_string(), regress::Regex::new(matcher).ok());
        }
        use_it(compiled.get(matcher).and_then(Option::as_ref))
    })
}

/// Why `matcher` keeps its hook from `payload`; none if it does not.
pub fn mismatch(
    matcher: Option<&str>,
    payload: &Payload,
    row: &EventRow,
    aliases: &[(&str, &'static str)],
) -> Option<String> {
    let value = value(payload, row, aliases);
    // A switch to a model without a canonical name fits every matcher.
    if value.as_deref() == Some("") && matches!(row.matched_on, MatchedOn::Model(_)) {
        return None;
    }
    let (mode, fits) = fits(matcher, row, value.as_deref(), aliases);
    if fits {
        return None;
    }
    let (matcher, value) = (matcher.unwrap_or_default(), value.unwrap_or_default());
    let near = near_miss(matcher, &value);
    Some(match mode {
        Mode::Never => {
            let why = "is no valid JavaScript regular expression, so it never fits and the call goes on";
            format!("its matcher `{matcher}` {why}")
        }
        Mode::Exact => format!("its matcher `{matcher}` (exact list) does not name `{value}`{near}"),
        Mode::Regex => format!("its matcher `{matcher}` (regex, unanchored) does not fit `{value}`{near}"),
        Mode::All | Mode::Ignored => format!("its matcher `{matcher}` does not fit `{value}`"),
    })
}

fn near_miss(matcher: &str, value: &str) -> String {
    let parts: Vec<&str> = matcher.split(['|', ',']).map(str::trim).filter(|p| !p.is_empty()).collect();
    if let Some(part) = parts.iter().find(|p| p.eq_ignore_ascii_case(value) && **p != value) {
        return format!("; case counts: write `{value}` instead of `{part}`");
    }
    if let Some(part) = parts.iter().find(|p| p.starts_with("mcp__") && value.starts_with(&format!("{p}__"))) {
        return format!("; did you mean `{part}__.*`?");
    }
    if matcher.contains('(') && matcher.starts_with(value) {
        return format!("; a matcher takes tool names only, write `{value}` and put the rule into `if`");
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(event: &str) -> EventRow {
        crate::dialect::claude::profile().row(event)
    }

    #[test]
    fn the_observed_table() {
        for yes in [
            "Bash", " Bash", "Bash|Edit", "Edit,Bash", "Edit, Bash ,", "Bash||Edit", "|Bash", "Bäsh|Bash", "Bash*",
            "B*", ".", "(Bash|Edit)", "Bash()", "Edit|Ba.h", "(?<=B)ash", "^(?!Edit).*$", "Ba{1}sh", "B\\u0061sh",
        ] {
            assert!(fits(Some(yes), &row("PreToolUse"), Some("Bash"), ALIASES).1, "{yes}");
        }
        for no in [
            "bash", "Bas", " ", "|", ",", "Edit|", "Edit Bash", "Bash-", "Bash:", "Bash.", "Bash(git *)", "/Bash/",
            "Bash;Edit", "Edit, Ba.h", "Edit,Bash.*", "*Bash", "**", "Bash|*", "(?i)bash", "([",
        ] {
            assert!(!fits(Some(no), &row("PreToolUse"), Some("Bash"), ALIASES).1, "{no}");
        }
        for alias in ["Task", "^Task$", "Tas.", "T.*", "Task,Bash"] {
            assert!(fits(Some(alias), &row("PreToolUse"), Some("Agent"), ALIASES).1, "{alias}");
        }
        assert_eq!(fits(Some("(["), &row("PreToolUse"), Some("Bash"), ALIASES).0, Mode::Never);
        for (version, mode) in [("2.1.190", Mode::Regex), ("2.1.191", Mode::Exact)] {
            let row = crate::dialect::claude::versions::at(version).unwrap().row("PreToolUse");
            assert_eq!(fits(Some("Edit,Bash"), &row, Some("Bash"), ALIASES).0, mode, "{version}");
        }
        assert_eq!(fits(Some("x"), &row("Stop"), None, ALIASES), (Mode::Ignored, true));
    }
}
