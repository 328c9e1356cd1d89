//! One sentence for each run: what the host does with it, and what to do for another outcome.

use serde_json::{Map, Value};

use super::answer::Parsed;
use super::merge::receiver;
use super::result::ClaudeResult;
use crate::dialect::event::{Effect, Exit, MergeClass, SharedFields, TextAs, Texts};
use crate::dialect::{EventRow, sentence};

/// What a run means, in one sentence an author understands.
pub fn of(result: &ClaudeResult, event: &str, row: &EventRow) -> String {
    if result.background {
        return "It runs in the background; the host does not wait, and it cannot decide anything.".into();
    }
    match (result.run, result.exit) {
        ("cancelled", _) => "Timed out: it is ended, its output is dropped, and it decides nothing.".into(),
        ("blocking_error", _) => match row.exit.two {
            Exit::Blocks(to) => format!("Exit 2 blocks on {event}; its stderr goes to {}.", receiver(to)),
            Exit::TooLate(to) => {
                format!("Exit 2 cannot undo what happened; on {event} its stderr goes to {}.", receiver(to))
            }
            Exit::Notice => format!("Exit 2 does not block on {event}; its stderr is shown to the user."),
            Exit::Nothing | Exit::Fails => format!("Exit 2 has no effect on {event}."),
        },
        ("non_blocking_error", _) if result.blocked_by_failure.is_some() => {
            "It failed, and onFailure is block, so it blocks.".into()
        }
        ("non_blocking_error", Some(2)) => {
            let why = "its stderr says that a file does not exist";
            format!("Exit 2, but {why}: {event} takes that for a missing script and goes on.")
        }
        ("non_blocking_error", _) if result.signalled => {
            format!("A signal ended it, which is no answer: {event} goes on.")
        }
        ("non_blocking_error", Some(code)) if code != 0 && matches!(result.parsed, Parsed::Empty | Parsed::Text(_)) => {
            let how = match (code, row.texts) {
                (126.., _) => String::new(),
                (_, Texts::Call) => " Use exit 2, or print permissionDecision deny.".into(),
                _ if matches!(row.exit.two, Exit::Blocks(_)) => " Use exit 2 to block.".into(),
                _ => String::new(),
            };
            format!("Exit {code} is not a block here: {event} goes on.{how}")
        }
        ("non_blocking_error", _) => {
            format!("Not usable, and {event} goes on: {}", result.notice.clone().unwrap_or_default())
        }
        _ => match &result.parsed {
            Parsed::Text(_) if row.text == TextAs::Path => "The last line of its stdout is the path.".into(),
            Parsed::Text(_) if row.text == TextAs::Context => "Its stdout is added to the model's context.".into(),
            Parsed::Text(_) => format!("Its stdout is plain text, which {event} only writes to the debug log."),
            Parsed::Json(_) if row.shared == SharedFields::NoJson => {
                format!("{event} discards every JSON answer.")
            }
            Parsed::Json(fields) => effects(fields, event, row),
            _ => "It passed and said nothing.".into(),
        },
    }
}

/// One sentence about what a JSON answer does.
fn effects(fields: &Map<String, Value>, event: &str, row: &EventRow) -> String {
    let own = fields.get("hookSpecificOutput").and_then(Value::as_object);
    let text = |key: &str| own.and_then(|o| o.get(key)).and_then(Value::as_str);
    let mut said: Vec<String> = Vec::new();
    let permits = row.merge == MergeClass::Permission;
    let counts = row.top_field("decision").is_some_and(|f| f.effect == Effect::LikeExitTwo);
    match (text("permissionDecision").filter(|_| permits), fields.get("decision").and_then(Value::as_str)) {
        (Some("deny"), _) => said.push("denies the call".into()),
        (Some("ask"), _) => said.push("has the user asked".into()),
        (Some("defer"), _) => said.push("defers the call".into()),
        (Some("allow"), _) => said.push("allows the call, unless a rule of the host forbids it".into()),
        (_, Some("block")) => match row.exit.two {
            Exit::Blocks(_) if counts => said.push(format!("blocks on {event}")),
            Exit::TooLate(to) if counts => {
                said.push(format!("cannot undo what happened; on {event} its reason goes to {}", receiver(to)));
            }
            Exit::Blocks(_) | Exit::TooLate(_) | Exit::Notice | Exit::Nothing | Exit::Fails => {}
        },
        (_, Some("approve")) => said.push("approves the call (the older form of permissionDecision allow)".into()),
        _ => {}
    }
    let has = |key: &str| own.is_some_and(|o| o.contains_key(key));
    let behavior = own.and_then(|o| o.get("decision")?.get("behavior")?.as_str());
    let others = [
        (has("updatedInput"), "rewrites the input"),
        (has("updatedToolOutput") || has("updatedMCPToolOutput"), "replaces the output"),
        (text("additionalContext").is_some(), "adds context for the model"),
        (fields.contains_key("systemMessage"), "shows a message to the user"),
        (fields.get("continue") == Some(&Value::Bool(false)), "ends the turn"),
        (behavior == Some("allow"), "allows the request"),
        (behavior.is_some_and(|b| b != "allow"), "refuses the request"),
        (has("action"), "answers the elicitation"),
        (has("retry"), "asks for another try"),
        (has("sessionTitle"), "sets the title"),
        (has("watchPaths"), "changes the watched files"),
        (has("displayContent"), "changes what is shown"),
        (has("initialUserMessage"), "gives the first message"),
        (has("worktreePath"), "gives the path"),
    ];
    said.extend(others.iter().filter(|(said, _)| *said).map(|(_, what)| (*what).to_string()));
    sentence(&said, "Its JSON answer is valid and changes nothing.")
}
