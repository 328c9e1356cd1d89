//! Reading stdout: empty, text, JSON, or JSON gone wrong; and the validation of its fields.

use serde_json::{Map, Value};

use crate::dialect::event::{AnswerField, Kind, Need};
use crate::dialect::{BrokenJson, EventRow, Profile};
use crate::model::doc::{JsonRules, parse_json};

#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    Empty,
    Text(String),
    Json(Map<String, Value>),
    /// Looks like an object and is none.
    ParseError(String),
    SchemaError(String),
    /// Sent to the background by its first line.
    Background,
}

impl Parsed {
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

pub fn read(stdout: &[u8], row: &EventRow, profile: &Profile) -> Parsed {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Parsed::Empty;
    }
    // A first line that asks for the background is obeyed at once, whatever follows.
    let first = text.lines().next().unwrap_or_default();
    let background_request = |v: Value| v.get("async") == Some(&Value::Bool(true));
    if first.contains("\"async\"") && serde_json::from_str(first).is_ok_and(background_request) {
        return Parsed::Background;
    }
    if !(text.starts_with('{') && text.ends_with('}')) {
        return Parsed::Text(text.to_string());
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => match validate(&fields, row, profile) {
            Ok(()) => Parsed::Json(fields),
            Err(problem) if problem.starts_with("Failed to run") => {
                Parsed::SchemaError(format!("{problem}. Full stdout: {text}"))
            }
            Err(problem) => Parsed::SchemaError(problem),
        },
        Ok(_) => Parsed::Text(text.to_string()),
        Err(_) if profile.broken_json == BrokenJson::Text => Parsed::Text(text.to_string()),
        Err(error) => several_lines(text, row).unwrap_or_else(|| Parsed::ParseError(parse_problem(&error))),
    }
}

/// Several lines of JSON of which none is an answer are text.
fn several_lines(text: &str, row: &EventRow) -> Option<Parsed> {
    let lines: Vec<Value> =
        text.lines().filter(|l| !l.trim().is_empty()).map(|l| serde_json::from_str(l).ok()).collect::<Option<_>>()?;
    let answers = |v: &Value| v.as_object().is_some_and(|o| row.top.iter().any(|f| o.contains_key(f.name)));
    (lines.len() > 1 && !lines.iter().any(answers)).then(|| Parsed::Text(text.to_string()))
}

fn parse_problem(error: &serde_json::Error) -> String {
    format!(
        "Hook output looks like a JSON object but is not valid JSON — {error}. Emit the payload with a JSON encoder (jq, \
         ConvertTo-Json, json.dumps) rather than string concatenation so backslashes and quotes inside strings are escaped."
    )
}

fn validate(fields: &Map<String, Value>, row: &EventRow, profile: &Profile) -> Result<(), String> {
    let event = row.name;
    check_fields(row.top, fields, "")?;
    let Some(Value::Object(own)) = fields.get("hookSpecificOutput") else { return Ok(()) };
    match own.get("hookEventName") {
        None => return Err("hookSpecificOutput is missing required field \"hookEventName\"".into()),
        Some(Value::String(named)) if named == event => {}
        Some(Value::String(named)) if profile.event(named).is_some() => {
            let wrong = format!("expected '{event}' but got '{named}'");
            return Err(format!("Failed to run: Hook returned incorrect event name: {wrong}"));
        }
        Some(other) => return Err(wrong("hookSpecificOutput.hookEventName", &format!("unknown event {other}"))),
    }
    check_fields(row.specific, own, "hookSpecificOutput.")
}

fn wrong(path: &str, problem: &str) -> String {
    format!("Hook JSON output validation failed — {path}: {problem}")
}

fn check_fields(rows: &[AnswerField], fields: &Map<String, Value>, inside: &str) -> Result<(), String> {
    for field in rows {
        let missing = (field.need == Need::Required).then_some(&Value::Null);
        let Some(value) = fields.get(field.name).or(missing) else { continue };
        let path = format!("{inside}{}", field.name);
        check(field.kind, value).map_err(|p| wrong(&path, &p))?;
        if let (Kind::Fields(rows), Value::Object(parts)) = (field.kind, value) {
            check_fields(rows, parts, &format!("{path}."))?;
        }
    }
    Ok(())
}

fn check(kind: Kind, value: &Value) -> Result<(), String> {
    let (fits, expected) = match kind {
        Kind::Text | Kind::EventName => (value.is_string(), "a string"),
        Kind::Bool => (value.is_boolean(), "true or false"),
        Kind::Number => (value.is_number(), "a number"),
        Kind::Object | Kind::Fields(_) => (value.is_object(), "an object"),
        Kind::Texts => (value.as_array().is_some_and(|a| a.iter().all(Value::is_string)), "a list of strings"),
        Kind::Any => (!value.is_null(), "a value"),
        Kind::List => (value.is_array(), "a list"),
        Kind::OneOf(words) if value.as_str().is_some_and(|w| words.contains(&w)) => return Ok(()),
        Kind::OneOf(words) => return Err(format!("expected one of {}, found {value}", words.join(", "))),
    };
    if fits { Ok(()) } else { Err(format!("expected {expected}, found {value}")) }
}

/// Where stdout offends: the byte and, for a wrong field, its key.
pub fn error_location(stdout: &[u8], problem: &str) -> Option<String> {
    let text = std::str::from_utf8(stdout).ok()?;
    let unmarked = text.trim_start_matches('\u{feff}');
    let doc = match parse_json(unmarked, JsonRules::Strict) {
        Ok(doc) => doc,
        Err(error) => return Some(format!("byte {}", error.span.start + text.len() - unmarked.len())),
    };
    let path =
        problem.split_once(" — ").and_then(|(_, rest)| rest.split_once(": ")).map_or("hookSpecificOutput", |(p, _)| p);
    let path = if problem.starts_with("Failed to run") { "hookSpecificOutput.hookEventName" } else { path };
    let node = path.split('.').try_fold(&doc, |node, key| node.get(key))?;
    Some(format!("byte {}, `{path}`", node.span.start))
}

/// Keys nobody reads, and known ones without effect at this event.
pub fn ignored(fields: &Map<String, Value>, row: &EventRow) -> Vec<String> {
    let unknown = fields.keys().filter(|k| row.top_field(k).is_none());
    let unknown = unknown.map(|k| format!("`{k}` is no field of an answer"));
    let own = fields.get("hookSpecificOutput").and_then(Value::as_object);
    let inner = own.into_iter().flat_map(|o| o.keys()).filter(|k| row.specific_field(k).is_none());
    let inner = inner.map(|k| format!("`hookSpecificOutput.{k}` is no field of {}", row.name));
    let suppress =
        fields.contains_key("suppressOutput").then(|| "`suppressOutput` is accepted and has no effect".to_string());
    // A field of the inner object at the top is the commonest slip of all.
    let misplaced = row.specific.iter().filter(|f| f.kind != Kind::EventName && fields.contains_key(f.name));
    let misplaced = misplaced.filter(|f| row.top_field(f.name).is_none());
    let misplaced = misplaced.map(|f| format!("`{}` belongs inside `hookSpecificOutput`", f.name));
    unknown.chain(inner).chain(suppress).chain(misplaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reading_rules() {
        let profile = crate::dialect::claude::profile();
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
            assert_eq!(read(text.as_bytes(), &profile.row("PreToolUse"), &profile).word(), word, "{text}");
        }
    }
}
