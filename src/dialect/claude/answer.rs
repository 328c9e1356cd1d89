//! Reading stdout: empty, text, JSON, or JSON gone wrong; and the validation of its fields.

use serde_json::{Map, Value};

use super::events::EVENTS;
use super::version::{Change, Rules};
use crate::model::doc::{JsonRules, parse_json};

/// What stdout is.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// Nothing.
    Empty,
    /// Plain text, trimmed.
    Text(String),
    /// A valid object.
    Json(Map<String, Value>),
    /// Looks like an object and is none.
    ParseError(String),
    /// An object with a wrong field.
    SchemaError(String),
    /// Sent to the background by its first line.
    Background,
}

impl Parsed {
    /// The word reports use.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Text(_) => "text",
            Self::Json(_) => "json",
            Self::ParseError(_) => "json_parse_error",
            Self::SchemaError(_) => "json_schema_error",
            Self::Background => "background",
        }
    }
}

const OUTPUT_FIELDS: &[&str] = crate::dialect::answers::CLAUDE.top;

/// Read `stdout` of a hook of `event`.
pub fn read(stdout: &[u8], event: &str, rules: Rules) -> Parsed {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Parsed::Empty;
    }
    // A first line that asks for the background is obeyed at once, whatever follows.
    let first = text.lines().next().unwrap_or_default();
    let aside = |v: Value| v.get("async") == Some(&Value::Bool(true));
    if first.contains("\"async\"") && serde_json::from_str(first).is_ok_and(aside) {
        return Parsed::Background;
    }
    if !(text.starts_with('{') && text.ends_with('}')) {
        return Parsed::Text(text.to_string());
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => match validate(&fields, event) {
            Ok(()) => Parsed::Json(fields),
            Err(problem) if problem.starts_with("Failed to run") => {
                Parsed::SchemaError(format!("{problem}. Full stdout: {text}"))
            }
            Err(problem) => Parsed::SchemaError(problem),
        },
        Ok(_) => Parsed::Text(text.to_string()),
        Err(_) if !rules.have(Change::StrictJson) => Parsed::Text(text.to_string()),
        Err(error) => several_lines(text).unwrap_or_else(|| Parsed::ParseError(parse_problem(&error))),
    }
}

/// Several lines of JSON of which none is an answer are text.
fn several_lines(text: &str) -> Option<Parsed> {
    let lines: Vec<Value> =
        text.lines().filter(|l| !l.trim().is_empty()).map(|l| serde_json::from_str(l).ok()).collect::<Option<_>>()?;
    let answers = |v: &Value| v.as_object().is_some_and(|o| OUTPUT_FIELDS.iter().any(|f| o.contains_key(*f)));
    (lines.len() > 1 && !lines.iter().any(answers)).then(|| Parsed::Text(text.to_string()))
}

fn parse_problem(error: &serde_json::Error) -> String {
    format!(
        "Hook output looks like a JSON object but is not valid JSON — {error}. Emit the payload with a JSON encoder (jq, \
         ConvertTo-Json, json.dumps) rather than string concatenation so backslashes and quotes inside strings are escaped."
    )
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Bool,
    Object,
    Texts,
    Any,
    List,
    OneOf(&'static [&'static str]),
}

const UNIVERSAL: &[(&str, Kind)] = &[
    ("continue", Kind::Bool),
    ("stopReason", Kind::Text),
    ("systemMessage", Kind::Text),
    ("terminalSequence", Kind::Text),
    ("suppressOutput", Kind::Bool),
    ("decision", Kind::OneOf(&["approve", "block"])),
    ("reason", Kind::Text),
    ("hookSpecificOutput", Kind::Object),
];

/// The fields of `hookSpecificOutput` by event.
fn specific(event: &str) -> &'static [(&'static str, Kind)] {
    use Kind::{Any, Bool, Object, OneOf, Text, Texts};
    match event {
        "PreToolUse" => &[
            ("permissionDecision", OneOf(&["allow", "deny", "ask", "defer"])),
            ("permissionDecisionReason", Text),
            ("updatedInput", Object),
            ("additionalContext", Text),
        ],
        "PermissionRequest" => &[("decision", Object)],
        "PermissionDenied" => &[("retry", Bool)],
        "PostToolUse" => &[
            ("additionalContext", Text),
            ("classifierContext", Text),
            ("updatedToolOutput", Any),
            ("updatedMCPToolOutput", Any),
        ],
        "UserPromptSubmit" => &[("additionalContext", Text), ("sessionTitle", Text), ("suppressOriginalPrompt", Bool)],
        "UserPromptExpansion" => &[("additionalContext", Text), ("suppressOriginalPrompt", Bool)],
        "SessionStart" => &[
            ("additionalContext", Text),
            ("initialUserMessage", Text),
            ("sessionTitle", Text),
            ("watchPaths", Texts),
            ("reloadSkills", Bool),
        ],
        "CwdChanged" | "FileChanged" => &[("watchPaths", Texts)],
        "WorktreeCreate" => &[("worktreePath", Text)],
        "PreModelSwitch" => {
            &[("permissionDecision", OneOf(&["allow", "deny", "ask"])), ("permissionDecisionReason", Text)]
        }
        "Elicitation" | "ElicitationResult" => {
            &[("action", OneOf(&["accept", "decline", "cancel"])), ("content", Object)]
        }
        "MessageDisplay" => &[("displayContent", Text)],
        _ => &[("additionalContext", Text)],
    }
}

fn validate(fields: &Map<String, Value>, event: &str) -> Result<(), String> {
    let wrong = |path: String, problem: &str| format!("Hook JSON output validation failed — {path}: {problem}");
    for (name, kind) in UNIVERSAL {
        if let Some(value) = fields.get(*name) {
            check(*kind, value).map_err(|p| wrong((*name).to_string(), &p))?;
        }
    }
    let Some(Value::Object(own)) = fields.get("hookSpecificOutput") else { return Ok(()) };
    match own.get("hookEventName") {
        None => return Err("hookSpecificOutput is missing required field \"hookEventName\"".into()),
        Some(Value::String(named)) if named == event => {}
        Some(Value::String(named)) if EVENTS.iter().any(|e| e.name == named) => {
            return Err(format!(
                "Failed to run: Hook returned incorrect event name: expected '{event}' but got '{named}'"
            ));
        }
        Some(other) => return Err(wrong("hookSpecificOutput.hookEventName".into(), &format!("unknown event {other}"))),
    }
    for (name, kind) in specific(event) {
        if let Some(value) = own.get(*name) {
            check(*kind, value).map_err(|p| wrong(format!("hookSpecificOutput.{name}"), &p))?;
        }
    }
    if let (Some(decision), "PermissionRequest") = (own.get("decision"), event) {
        let parts = [
            ("behavior", Kind::OneOf(&["allow", "deny"])),
            ("message", Kind::Text),
            ("interrupt", Kind::Bool),
            ("updatedInput", Kind::Object),
            ("updatedPermissions", Kind::List),
        ];
        for (name, kind) in parts {
            let value = decision.get(name).or((name == "behavior").then_some(&Value::Null));
            if let Some(value) = value {
                check(kind, value).map_err(|p| wrong(format!("hookSpecificOutput.decision.{name}"), &p))?;
            }
        }
    }
    Ok(())
}

fn check(kind: Kind, value: &Value) -> Result<(), String> {
    let fits = match kind {
        Kind::Text => value.is_string(),
        Kind::Bool => value.is_boolean(),
        Kind::Object => value.is_object(),
        Kind::Texts => value.as_array().is_some_and(|a| a.iter().all(Value::is_string)),
        Kind::Any => !value.is_null(),
        Kind::List => value.is_array(),
        Kind::OneOf(words) => value.as_str().is_some_and(|w| words.contains(&w)),
    };
    let expected = match kind {
        Kind::Text => "a string".to_string(),
        Kind::Bool => "true or false".to_string(),
        Kind::Object => "an object".to_string(),
        Kind::Texts => "a list of strings".to_string(),
        Kind::Any => "a value".to_string(),
        Kind::List => "a list".to_string(),
        Kind::OneOf(words) => format!("one of {}", words.join(", ")),
    };
    if fits { Ok(()) } else { Err(format!("expected {expected}, found {value}")) }
}

/// Where stdout offends: the byte and, for a wrong field, its key.
pub fn offence(stdout: &[u8], problem: &str) -> Option<String> {
    let text = std::str::from_utf8(stdout).ok()?;
    let doc = match parse_json(text.trim_start_matches('\u{feff}'), JsonRules::Strict) {
        Ok(doc) => doc,
        Err(error) => {
            return Some(format!(
                "byte {}",
                error.span.start + (text.len() - text.trim_start_matches('\u{feff}').len())
            ));
        }
    };
    let path =
        problem.split_once(" — ").and_then(|(_, rest)| rest.split_once(": ")).map_or("hookSpecificOutput", |(p, _)| p);
    let path = if problem.starts_with("Failed to run") { "hookSpecificOutput.hookEventName" } else { path };
    let node = path.split('.').try_fold(&doc, |node, key| node.get(key))?;
    Some(format!("byte {}, `{path}`", node.span.start))
}

/// Keys nobody reads, and known ones without effect at this event.
pub fn ignored(fields: &Map<String, Value>, event: &str) -> Vec<String> {
    let unknown = fields
        .keys()
        .filter(|k| !OUTPUT_FIELDS.contains(&k.as_str()))
        .map(|k| format!("`{k}` is no field of an answer"));
    let own = fields.get("hookSpecificOutput").and_then(Value::as_object);
    let known = |k: &String| k == "hookEventName" || specific(event).iter().any(|(n, _)| n == k);
    let inner = own
        .into_iter()
        .flat_map(|o| o.keys())
        .filter(|k| !known(k))
        .map(|k| format!("`hookSpecificOutput.{k}` is no field of {event}"));
    let suppress =
        fields.contains_key("suppressOutput").then(|| "`suppressOutput` is accepted and has no effect".to_string());
    // A field of the inner object at the top is the commonest slip of all.
    let misplaced = specific(event).iter().filter(|(n, _)| fields.contains_key(*n) && !OUTPUT_FIELDS.contains(n));
    let misplaced = misplaced.map(|(n, _)| format!("`{n}` belongs inside `hookSpecificOutput`"));
    unknown.chain(inner).chain(suppress).chain(misplaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reading_rules() {
        for (text, word) in [
            ("", "empty"),
            (" \n", "empty"),
            ("{}", "json"),
            ("\u{feff}{}", "json"),
            ("[1]", "text"),
            ("hello {}", "text"),
            ("{} trailing", "text"),
            ("{", "text"),
            ("{not json}", "json_parse_error"),
            ("{\"a\":1}\n{\"b\":2}", "text"),
            ("{\"a\":1}\n{\"decision\":\"block\"}", "json_parse_error"),
            ("{\"decision\":\"deny\"}", "json_schema_error"),
            ("{\"continue\":null}", "json_schema_error"),
            ("{\"hookSpecificOutput\":{}}", "json_schema_error"),
            ("{\"hookSpecificOutput\":{\"hookEventName\":\"Stop\"}}", "json_schema_error"),
            ("{\"async\":true}\n{\"systemMessage\":\"x\"}", "background"),
        ] {
            assert_eq!(read(text.as_bytes(), "PreToolUse", Rules::NEWEST).word(), word, "{text}");
        }
    }
}
