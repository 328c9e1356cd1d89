//! What a hook's exit code and stderr tell: a start that went wrong, and a refusal that refuses nothing.

use serde_json::{Map, Value};

use super::{AnswerShape, HookOutput, OutputFinding, finding, listed};
use crate::dialect::event::Exit;
use crate::dialect::{JsonUse, Stream};

/// What kept the program of the hook from starting as meant.
pub fn diagnose_start(seen: &HookOutput<'_>) -> Option<OutputFinding> {
    let says = |needle: &str| seen.stderr.contains(needle);
    if says("\r: command not found") || says("^M") || says("$'\\r'") || says("\\r': No such file") {
        return Some(listed("crlf", "", None));
    }
    match seen.exit {
        Some(126) => Some(listed("not-executable", "", None)),
        Some(127) => Some(listed("not-found", quoted_first_line(seen.stderr), None)),
        _ => None,
    }
}

fn quoted_first_line(text: &str) -> String {
    text.lines().next().filter(|l| !l.is_empty()).map_or_else(String::new, |l| format!(" (`{}`)", l.trim()))
}

/// Whether a message or script reads as if it meant to refuse.
pub fn means_to_refuse(text: &str) -> bool {
    let text = text.to_lowercase();
    ["block", "deny", "denied", "not allowed", "forbidden", "refus", "reject"].iter().any(|w| text.contains(w))
}

/// What interpreters and option parsers write before they exit with 2 themselves.
const INTERPRETERS: [(&str, &str); 9] = [
    ("can't open file", "python did not find the script"),
    ("No such file or directory", "a file was not found"),
    ("SyntaxError", "the interpreter could not read the script"),
    ("syntax error", "the shell could not read the script"),
    ("Syntax error", "the shell could not read the script"),
    ("usage:", "an option parser refused the arguments"),
    ("Bad substitution", "`sh` isn't bash and doesn't support this expansion"),
    ("error: unrecognized arguments", "an option parser refused the arguments"),
    ("unexpected operator", "`sh` isn't bash and doesn't support this test"),
];

pub fn exit_code(seen: &HookOutput<'_>, spec: &AnswerShape<'_>) -> Vec<OutputFinding> {
    let mut found = Vec::new();
    // A JSON answer decides whatever the code; a crash that mentions a word refuses nothing.
    let answered = serde_json::from_str::<Map<String, Value>>(seen.stdout.trim())
        .is_ok_and(|o| o.keys().any(|k| spec.top.contains(&k.as_str())));
    let crashed = seen.stderr.contains("Traceback (most recent call last)") || seen.stderr.starts_with("jq: ");
    if (answered && spec.profile.json != JsonUse::Never) || (crashed && seen.exit != Some(2)) {
        return found;
    }
    let refuses = || means_to_refuse(seen.stderr) || means_to_refuse(seen.stdout);
    match (seen.exit, spec.row.exit.two) {
        (Some(2), two) if two != Exit::Fails => {
            if let Some(what) = interpreter(seen.stderr) {
                found.push(listed("interpreter-exit-2", what, None));
            } else if spec.profile.reason_from == Stream::Stderr
                && seen.stderr.trim().is_empty()
                && !seen.stdout.trim().is_empty()
            {
                found.push(listed("exit-2-stdout-only", "", None));
            }
        }
        (Some(code), two) if two != Exit::Fails && code != 0 && code < 126 && refuses() => {
            found.push(listed("exit-1-is-no-deny", code, None));
        }
        (Some(code), Exit::Fails) if code != 0 && code < 126 && refuses() => {
            found.push(finding(
                "exit-is-no-deny",
                format!("exit {code} doesn't block here: this host counts it as a failed hook and proceeds"),
                format!("exit 0 and answer with JSON: {}", spec.profile.refusal),
                None,
            ));
        }
        _ => {}
    }
    found
}

/// What an interpreter says in a line of its own form: its name or the script's first, then the trouble.
fn interpreter(stderr: &str) -> Option<&'static str> {
    let own_form = |line: &str| {
        let head = line.split(':').next().unwrap_or_default().trim();
        let name = head.rsplit('/').next().unwrap_or_default();
        let known = ["sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby", "perl", "env"];
        known.contains(&name)
            || line.contains(": line ")
            || line.split(':').nth(1).is_some_and(|n| n.trim().parse::<u32>().is_ok())
    };
    stderr.lines().find_map(|line| {
        let (_, what) = INTERPRETERS.iter().find(|(needle, _)| line.contains(needle))?;
        let parser = line.starts_with("usage:") || line.contains(": error: ");
        let traceback = line.starts_with("SyntaxError:") || line.starts_with("IndentationError:");
        (own_form(line) || parser || traceback).then_some(*what)
    })
}
