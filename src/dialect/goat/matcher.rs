//! Which goat hooks are for a payload: the event name, then the matcher against the tool name.

use crate::dialect::glob::{GlobSyntax, ToolGlob};
use crate::model::{Gate, GateKind, Hook, Payload};

/// The gate this host closes for `hook`, if any.
pub fn gate(hook: &Hook, payload: &Payload) -> Option<Gate> {
    let matcher = hook.matcher.as_deref().unwrap_or("");
    // Without a tool name there is nothing to compare, and this host then runs the hook.
    let tool = payload.text("tool_name").filter(|t| !t.is_empty())?;
    explain_mismatch(matcher, tool).map(|why| Gate::new(GateKind::Matcher, why))
}

/// Why `matcher` does not fit `tool`; none if it does.
fn explain_mismatch(matcher: &str, tool: &str) -> Option<String> {
    if matcher.is_empty() || matcher == tool {
        return None;
    }
    let glob = match ToolGlob::new(matcher, GlobSyntax::Go) {
        Ok(glob) => glob,
        Err(bad) => {
            let why =
                format!("its matcher `{matcher}` is malformed ({bad}), and a malformed matcher fits no tool here");
            return Some(why);
        }
    };
    if glob.matches(tool) {
        return None;
    }
    let (mode, near) = (mode(matcher), near_miss(matcher, tool));
    Some(format!("its matcher `{matcher}` ({mode}) does not fit the tool `{tool}`{near}"))
}

fn mode(matcher: &str) -> &'static str {
    if matcher.contains(['*', '?', '[', '\\']) { "glob on the whole name" } else { "exact name" }
}

/// The mistakes authors bring along from other hosts.
fn near_miss(matcher: &str, tool: &str) -> String {
    if matcher.split('|').any(|part| part.trim() == tool) {
        return "; this host has no alternation with `|`: write one entry for each tool".into();
    }
    if matcher.eq_ignore_ascii_case(tool) {
        return format!("; case counts: write `{tool}`");
    }
    if matcher.contains(".*") || matcher.starts_with('^') || matcher.ends_with('$') {
        return "; regular expressions are not read here, only `*`, `?` and `[…]`".into();
    }
    if tool.contains('/') && matcher.contains('*') {
        return "; `*` does not cross `/`".into();
    }
    if tool.starts_with(matcher) {
        return format!("; for every tool that begins so write `{matcher}*`");
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mismatches_name_the_mode_and_the_near_miss() {
        let why = |m, t| explain_mismatch(m, t).unwrap();
        assert!(why("Bash|Edit", "Edit").contains("no alternation"));
        assert!(why("bash", "Bash").contains("case counts: write `Bash`"));
        assert!(why("mcp__fs", "mcp__fs__read").contains("`mcp__fs*`"));
        assert!(why("Ba.*", "Bash").contains("regular expressions"));
        assert!(why("[Read", "Read").contains("never closed"));
        assert!(why("*", "a/b").contains("does not cross"));
    }

    #[test]
    fn a_malformed_matcher_still_fits_its_own_text() {
        assert_eq!(explain_mismatch("[Read", "[Read"), None);
    }
}
