//! Reading a goat hook's answer: the table of exit, stdout and JSON shape, with Go's decoding habits (key names
//! without regard to case, `null` leaves a field unset, a known key of the wrong type is an error).

use serde_json::{Map, Value};

/// What an answer says once it is read.
#[derive(Debug, Clone, PartialEq)]
pub enum GoatAnswer {
    /// A sync answer; empty stdout and `null` give an empty one.
    Sync(SyncAnswer),
    /// "Run me again": the second phase gets this many seconds.
    Async {
        /// Seconds, already defaulted.
        seconds: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SyncAnswer {
    /// Go on with the firing; on Stop, with the loop.
    pub continues: Option<bool>,
    pub suppress_output: Option<bool>,
    pub stop_reason: String,
    /// The decision, `approve` and `block` already mapped.
    pub decision: String,
    pub system_message: String,
    pub reason: String,
    pub specific: Option<Value>,
    pub unknown: Vec<String>,
}

/// Seconds a second phase gets when the answer names none.
const DEFAULT_ASYNC_SECONDS: u64 = 30;

/// Read stdout of a hook that exited 0.
pub fn read_stdout(stdout: &[u8]) -> Result<GoatAnswer, String> {
    if stdout.is_empty() {
        return Ok(GoatAnswer::Sync(SyncAnswer::default()));
    }
    let text = String::from_utf8_lossy(stdout);
    if text.trim().is_empty() {
        return Err("stdout holds only white space; print nothing at all or one JSON object".into());
    }
    match parse(&text) {
        Ok(value) => read_value(value),
        Err(e) => Err(explain_syntax(&text, &e)),
    }
}

/// The JSON in stdout as this host decodes it: invalid bytes and lone surrogates become replacement characters.
pub fn parse(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match replace_lone_surrogates(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

/// The text with every `\u` escape of a lone surrogate replaced; none if there is none.
fn replace_lone_surrogates(text: &str) -> Option<String> {
    let unit = |at: usize| {
        text.get(at..at + 6).filter(|e| e.starts_with("\\u")).and_then(|e| u16::from_str_radix(&e[2..], 16).ok())
    };
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut mended = false;
    while let Some(found) = text[at..].find('\\') {
        let start = at + found;
        out.push_str(&text[at..start]);
        let high = unit(start).filter(|u| (0xD800..0xDC00).contains(u));
        let low = unit(start + 6).filter(|u| (0xDC00..0xE000).contains(u));
        let length = match (unit(start), high, low) {
            (_, Some(_), Some(_)) => 12,
            (Some(unit), _, _) => {
                if (0xD800..0xE000).contains(&unit) {
                    out.push_str("\\ufffd");
                    mended = true;
                    at = start + 6;
                    continue;
                }
                6
            }
            (None, _, _) => 1 + text[start + 1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&text[start..start + length]);
        at = start + length;
    }
    out.push_str(&text[at..]);
    mended.then_some(out)
}

/// Read an answer that already is a value, as callbacks give it.
pub fn read_value(value: Value) -> Result<GoatAnswer, String> {
    match value {
        Value::Null => Ok(GoatAnswer::Sync(SyncAnswer::default())),
        Value::Object(fields) => {
            if let Some(seconds) = async_seconds(&fields) {
                return Ok(GoatAnswer::Async { seconds });
            }
            SyncAnswer::from_fields(fields).map(GoatAnswer::Sync)
        }
        Value::Array(_) => Err("stdout is a JSON list; this host reads one JSON object".into()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Err("stdout is a bare JSON value; this host reads one JSON object".into())
        }
    }
}

/// The second phase's seconds if `fields` are an async answer: `async` spelled exactly so and true, and an
/// `asyncTimeout` that is a whole number or missing.
fn async_seconds(fields: &Map<String, Value>) -> Option<u64> {
    if fields.get("async") != Some(&Value::Bool(true)) {
        return None;
    }
    match folded(fields, "asyncTimeout") {
        None | Some(Value::Null) => Some(DEFAULT_ASYNC_SECONDS),
        Some(Value::Number(n)) if n.is_i64() => {
            let seconds = n.as_u64().unwrap_or(0);
            Some(if seconds == 0 { DEFAULT_ASYNC_SECONDS } else { seconds })
        }
        Some(_) => None,
    }
}

/// The value whose key equals `name` but for case; the last one, as Go decodes.
fn folded<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.iter().rev().find(|(k, _)| k.eq_ignore_ascii_case(name)).map(|(_, v)| v)
}

impl SyncAnswer {
    fn from_fields(fields: Map<String, Value>) -> Result<Self, String> {
        let mut answer = Self::default();
        for (key, value) in fields {
            match key.to_ascii_lowercase().as_str() {
                "continue" => answer.continues = boolean(&key, &value)?.or(answer.continues),
                "suppressoutput" => answer.suppress_output = boolean(&key, &value)?.or(answer.suppress_output),
                "stopreason" => text(&key, value, &mut answer.stop_reason)?,
                "decision" => text(&key, value, &mut answer.decision)?,
                "systemmessage" => text(&key, value, &mut answer.system_message)?,
                "reason" => text(&key, value, &mut answer.reason)?,
                "hookspecificoutput" => answer.specific = Some(value).filter(|v| !v.is_null()),
                "asynctimeout" => {}
                _ if key == "async" && value == Value::Bool(false) => {}
                _ => answer.unknown.push(key),
            }
        }
        answer.decision = match answer.decision.as_str() {
            "approve" => "allow".into(),
            "block" => "deny".into(),
            _ => answer.decision,
        };
        Ok(answer)
    }

    /// The result as the host hands it on: only the fields that are set.
    pub fn to_value(&self) -> Value {
        let mut out = Map::new();
        let mut put = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                out.insert(key.into(), value);
            }
        };
        let text = |t: &String| (!t.is_empty()).then(|| Value::from(t.clone()));
        put("continue", self.continues.map(Value::from));
        put("suppressOutput", self.suppress_output.map(Value::from));
        put("stopReason", text(&self.stop_reason));
        put("decision", text(&self.decision));
        put("systemMessage", text(&self.system_message));
        put("reason", text(&self.reason));
        put("hookSpecificOutput", self.specific.clone());
        Value::Object(out)
    }

    /// A text field of the event's own part, if that part belongs to `event`.
    pub fn specific_text(&self, event: &str, field: &str) -> Option<&str> {
        self.specific_for(event)?.get(field)?.as_str().filter(|t| !t.is_empty())
    }

    /// The event's own part, unless it names another event.
    pub fn specific_for(&self, event: &str) -> Option<&Map<String, Value>> {
        let specific = self.specific.as_ref()?.as_object()?;
        match specific.get("hookEventName").and_then(Value::as_str) {
            Some(named) if named != event => None,
            _ => Some(specific),
        }
    }
}

fn boolean(key: &str, value: &Value) -> Result<Option<bool>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(b) => Ok(Some(*b)),
        other => {
            Err(format!("`{key}` must be true or false, found {other}; one wrong type makes the whole answer an error"))
        }
    }
}

fn text(key: &str, value: Value, into: &mut String) -> Result<(), String> {
    match value {
        Value::Null => Ok(()),
        Value::String(s) => {
            *into = s;
            Ok(())
        }
        other => Err(format!("`{key}` must be text, found {other}; one wrong type makes the whole answer an error")),
    }
}

/// Say what stands where JSON broke off, in the words of the mistake behind it.
fn explain_syntax(text: &str, error: &serde_json::Error) -> String {
    if text.starts_with('\u{feff}') {
        return "stdout begins with a byte order mark; this host reads JSON from the first byte".into();
    }
    let place = format!("line {} column {}", error.line(), error.column());
    if error.to_string().starts_with("trailing characters") {
        return format!("something follows the JSON object at {place}; this host reads exactly one object");
    }
    if !text.trim_start().starts_with('{') {
        return "stdout is plain text, not JSON; this host reads one JSON object or nothing".into();
    }
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    format!("stdout is not valid JSON: {message} at {place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sync(text: &str) -> SyncAnswer {
        match read_stdout(text.as_bytes()).unwrap() {
            GoatAnswer::Sync(answer) => answer,
            GoatAnswer::Async { .. } => panic!("async"),
        }
    }

    #[test]
    fn the_reading_table() {
        assert_eq!(sync(""), SyncAnswer::default());
        assert_eq!(sync("null"), SyncAnswer::default());
        for bad in [
            " \n", "text", "[1]", "7", "{}{}", "{} x", "\u{feff}{}", "{\"continue\":\"false\"}", "{\"decision\":7}",
            "{\"suppressOutput\":1}", "{\"reason\":{}}", "{", "true",
        ] {
            assert!(read_stdout(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn keys_fold_case_and_null_unsets() {
        assert_eq!(sync("{\"Continue\":false}").continues, Some(false));
        assert_eq!(sync("{\"continue\":null,\"decision\":null}"), SyncAnswer::default());
        assert_eq!(sync("{\"DECISION\":\"approve\"}").decision, "allow");
        assert_eq!(sync("{\"decision\":\"maybe\"}").decision, "maybe");
        assert_eq!(sync("{\"x\":1}").unknown, ["x"]);
    }

    #[test]
    fn async_needs_the_exact_shape() {
        let seconds = |text: &str| match read_stdout(text.as_bytes()).unwrap() {
            GoatAnswer::Async { seconds } => Some(seconds),
            GoatAnswer::Sync(_) => None,
        };
        assert_eq!(seconds("{\"async\":true}"), Some(30));
        assert_eq!(seconds("{\"async\":true,\"asyncTimeout\":0}"), Some(30));
        assert_eq!(seconds("{\"async\":true,\"asyncTimeout\":-1}"), Some(30));
        assert_eq!(seconds("{\"async\":true,\"asyncTimeout\":7}"), Some(7));
        assert_eq!(seconds("{\"async\":true,\"asyncTimeout\":1.5}"), None);
        assert_eq!(seconds("{\"async\":\"yes\"}"), None);
        assert_eq!(seconds("{\"Async\":true}"), None);
        assert_eq!(seconds("{\"async\":false}"), None);
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_kept() {
        assert_eq!(sync(r#"{"reason":"a\ud800b\\ud800"}"#).reason, "a\u{fffd}b\\ud800");
        assert_eq!(sync(r#"{"reason":"\ud83d\ude00\udc00"}"#).reason, "\u{1f600}\u{fffd}");
    }

    #[test]
    fn invalid_bytes_inside_text_are_replaced() {
        match read_stdout(b"{\"reason\":\"a\xffb\"}").unwrap() {
            GoatAnswer::Sync(answer) => assert_eq!(answer.reason, "a\u{fffd}b"),
            GoatAnswer::Async { .. } => panic!("async"),
        }
    }
}
