//! Payload logs as people keep them: wrappers around the payload, other spellings of its keys, the event in the name
//! of the file. What holds no payload is said to.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Importing, each_object, parsed};
use crate::dialect::Dialect;
use crate::record::recorded_event::{EventOrigin, RecordedEvent};

/// Keys under which loggers keep the payload itself.
const WRAPPERS: [&str; 5] = ["payload", "raw_input", "raw_stdin", "input", "data"];
/// Keys that name the event, in the order they are trusted.
const EVENT_KEYS: [&str; 7] =
    ["hook_event_name", "hookEventName", "hook_event_type", "event", "event_type", "_event", "event_arg"];
/// Keys that say when.
const TIME_KEYS: [&str; 6] = ["timestamp", "ts", "captured_at", "_captured_at", "logged_at", "time"];
/// Keys of wrappers that are no fields of a payload.
const NOT_FIELDS: [&str; 4] = ["ts", "logged_at", "captured_at", "_captured_at"];

/// Read a log of `dialect`'s payloads.
pub fn read<R: Read>(importing: Importing<'_, R>, dialect: &dyn Dialect) -> io::Result<()> {
    let Importing { objects, path, summary, sink } = importing;
    let file: Arc<str> = path.display().to_string().into();
    let named = event_of_name(path, dialect);
    each_object(objects, &mut summary.problems, |text, line| {
        sink(entry(parsed(text)?, dialect, named, &file, line)?);
        Ok(())
    })
}

fn entry(
    object: Map<String, Value>,
    dialect: &dyn Dialect,
    named: Option<&'static str>,
    file: &Arc<str>,
    line: u64,
) -> Result<RecordedEvent, String> {
    let field = dialect.profile().event_field;
    let (outer, mut fields) = unwrap(object, field);
    let spelled = EVENT_KEYS.iter().chain([&field]).find_map(|k| fields.get(*k).or_else(|| outer.get(*k))?.as_str());
    let mut derived = Vec::new();
    let known = |name: &str| event_named(name, dialect);
    let event = if let Some(name) = spelled {
        known(name).ok_or_else(|| format!("it names the unknown event `{name}`"))?
    } else {
        derived.push(Cow::Borrowed(field));
        named.or_else(|| by_fields(&fields, dialect)).ok_or("it does not name its event, and neither does the file")?
    };
    camel_to_snake(&mut fields);
    if fields.get("tool_name").is_some_and(|n| n == "") {
        return Err("its payload is empty: the logger did not read its input".into());
    }
    let at = TIME_KEYS.iter().find_map(|k| outer.get(*k).or_else(|| fields.get(*k))).map(time_text);
    for key in EVENT_KEYS.iter().filter(|k| **k != field).chain(NOT_FIELDS.iter()) {
        if dialect.profile().event(event).is_none_or(|spec| !spec.fields.iter().any(|f| f.name == *key)) {
            fields.remove(*key);
        }
    }
    let session = fields.get("session_id").or_else(|| outer.get("session_id")).and_then(Value::as_str).map(Arc::from);
    if session.is_none() && fields.len() <= 1 {
        return Err("it holds no payload, only a summary, so it cannot be fired".into());
    }
    fields.insert(field.into(), event.into());
    Ok(RecordedEvent {
        dialect: Some(dialect.profile().name.into()),
        event: event.into(),
        payload: Value::Object(fields).to_string(),
        origin: EventOrigin { file: file.clone(), line, session, at },
        derived,
        recorded: None,
    })
}

/// The wrapper and the payload inside; without a wrapper the object is the payload.
fn unwrap(mut object: Map<String, Value>, event_field: &str) -> (Map<String, Value>, Map<String, Value>) {
    if object.contains_key(event_field) && object.contains_key("session_id") && !object.contains_key("payload") {
        return (Map::new(), object);
    }
    for key in WRAPPERS {
        let inner = match object.get(key) {
            Some(Value::Object(inner)) => Some(inner.clone()),
            Some(Value::String(text)) => serde_json::from_str::<Map<String, Value>>(text).ok(),
            _ => None,
        };
        // `input` and `data` may as well be fields of the payload itself.
        let is_payload = |m: &Map<String, Value>| {
            ["session_id", "sessionId", "tool_name", "toolName", "hook_event_name"].iter().any(|k| m.contains_key(*k))
        };
        if let Some(inner) = inner.filter(|m| ["payload", "raw_stdin", "raw_input"].contains(&key) || is_payload(m)) {
            object.remove(key);
            return (object, inner);
        }
    }
    (Map::new(), object)
}

/// The event spelled in any of the usual ways: `PreToolUse`, `pre_tool_use`, `preToolUse`, `pre-tool-use`.
fn event_named(name: &str, dialect: &dyn Dialect) -> Option<&'static str> {
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let wanted = plain(name);
    dialect.profile().events.iter().map(|e| e.name).find(|e| *e == name || plain(e) == wanted)
}

/// The event in the file's name: `logs/pre_tool_use.json`, `session.pre_tool_use.json`.
fn event_of_name(path: &Path, dialect: &dyn Dialect) -> Option<&'static str> {
    let stem = path.file_stem()?.to_str()?;
    stem.rsplit('.').find_map(|part| event_named(part, dialect))
}

/// Whether a file is a log by its name: `logs/pre_tool_use.json`.
pub fn named_after_event(path: &Path) -> bool {
    let json = path.extension().is_some_and(|e| e == "json");
    json && crate::dialect::registry::all().iter().any(|d| event_of_name(path, d.as_ref()).is_some())
}

/// Fields that only one event has, and that event.
const TELLING: [(&str, &str); 3] =
    [("tool_response", "PostToolUse"), ("tool_input", "PreToolUse"), ("prompt", "UserPromptSubmit")];

fn by_fields(fields: &Map<String, Value>, dialect: &dyn Dialect) -> Option<&'static str> {
    let (_, event) = TELLING.iter().find(|(field, _)| fields.contains_key(*field))?;
    event_named(event, dialect)
}

fn time_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(ms) => ms
            .as_i64()
            .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
            .map_or_else(|| ms.to_string(), |t| t.to_string()),
        other => other.to_string(),
    }
}

/// Keys in camelCase become the host's, at the top only: what is inside is the tool's own.
fn camel_to_snake(fields: &mut Map<String, Value>) {
    let camel = |key: &str| key.chars().any(|c| c.is_ascii_uppercase()) && !key.contains('_');
    if !fields.keys().any(|k| ["hookEventName", "toolName", "sessionId"].contains(&k.as_str())) {
        return;
    }
    *fields = std::mem::take(fields)
        .into_iter()
        .map(|(key, value)| {
            let key = match key.as_str() {
                "toolResult" => "tool_response".to_string(),
                _ if camel(&key) => snake(&key),
                _ => key,
            };
            (key, value)
        })
        .collect();
}

fn snake(key: &str) -> String {
    let mut out = String::new();
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::registry;

    fn one(text: &str, file: &str) -> Result<RecordedEvent, String> {
        let dialect = registry::find("claude").unwrap();
        let object = serde_json::from_str(text).unwrap();
        entry(object, dialect.as_ref(), event_of_name(Path::new(file), dialect.as_ref()), &"f".into(), 1)
    }

    #[test]
    fn every_style_of_log_is_understood() {
        let bare = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#;
        for (text, file) in [
            (bare.to_string(), "x.jsonl"),
            (bare.replace(r#""hook_event_name":"PreToolUse","#, ""), "logs/pre_tool_use.json"),
            (bare.replace(r#""hook_event_name":"PreToolUse","#, ""), "x.jsonl"),
            (
                format!(
                    r#"{{"source_app":"a","hook_event_type":"PreToolUse","payload":{bare},"timestamp":1764000000000}}"#
                ),
                "x",
            ),
            (format!(r#"{{"event_arg":"pre-tool-use","raw_stdin":{}}}"#, serde_json::to_string(bare).unwrap()), "x"),
            (bare.replace("hook_event_name", "event").replace("{\"s", "{\"ts\":\"2026\",\"s"), "x"),
            (r#"{"hookEventName":"pre_tool_use","sessionId":"s","toolName":"Bash","toolInput":{"aB":1}}"#.into(), "x"),
        ] {
            let entry = one(&text, file).unwrap();
            assert_eq!(entry.event, "PreToolUse", "{text}");
            let fields: Map<String, Value> = serde_json::from_str(&entry.payload).unwrap();
            assert_eq!((&fields["session_id"], &fields["tool_name"]), (&"s".into(), &"Bash".into()), "{text}");
            assert_eq!(fields["hook_event_name"], "PreToolUse");
            assert!(!fields.contains_key("ts") && !fields.contains_key("event"));
        }
    }

    #[test]
    fn what_cannot_be_fired_is_said_to_be() {
        assert!(
            one(r#"{"timestamp":"t","tool":"Bash","session":"x"}"#, "x.log").unwrap_err().contains("does not name")
        );
        assert!(
            one(r#"{"hook_event_name":"Nope","session_id":"s"}"#, "x").unwrap_err().contains("unknown event `Nope`")
        );
        let empty = one(r#"{"tool_name":"","tool_input":{}}"#, "post_tool_use.json").unwrap_err();
        assert!(empty.contains("did not read"), "{empty}");
    }
}
