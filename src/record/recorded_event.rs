//! One recorded event: its payload as JSON text, where it comes from, what was filled in, and what happened then.
//!
//! Payloads stay text until somebody fires them: importing a long session must not build a tree of every value.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::model::{Payload, PayloadError};

/// Version of the recording format; each line carries it, so that files can be joined.
pub const RECORDING_VERSION: u32 = 1;

/// One event of a recording, a payload log or a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// Whose event; none if the file does not say.
    pub dialect: Option<String>,
    pub event: String,
    /// The payload, as the JSON text of one object.
    pub payload: String,
    pub origin: EventOrigin,
    /// Fields that are defaults or approximations, because the source does not have them.
    pub derived: Vec<Cow<'static, str>>,
    /// What happened then, if the source says.
    pub recorded: Option<Outcome>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventOrigin {
    pub file: Arc<str>,
    /// The line it begins on, from one.
    pub line: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Arc<str>>,
    /// When it happened, as the source writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outcome {
    /// Whether this is only what a transcript or a log tells: what is missing is not known, not absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Whether it was blocked; none where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// The input as the hooks left it, if they changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<serde_json::Value>,
    /// The output as the hooks left it, if they changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_output: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_sees: Option<String>,
    /// The hooks that ran, as far as is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookOutcome>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HookOutcome {
    pub hook: String,
    /// `success`, `blocked`, `error`, `timeout`, `cancelled`, or `ran` where only that is known.
    pub outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stdout: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct RecordingLine<'a> {
    hookdbg: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    dialect: Option<Cow<'a, str>>,
    event: Cow<'a, str>,
    #[serde(borrow)]
    payload: &'a RawValue,
    #[serde(default)]
    origin: EventOrigin,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    derived: Vec<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
}

impl RecordedEvent {
    pub fn to_payload(&self) -> Result<Payload, PayloadError> {
        Ok(Payload::new(self.event.clone(), Payload::parse_fields(self.payload.as_bytes())?))
    }

    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        let payload: &RawValue = serde_json::from_str(&self.payload)?;
        let mut line = serde_json::to_string(&RecordingLine {
            hookdbg: RECORDING_VERSION,
            dialect: self.dialect.as_deref().map(Cow::Borrowed),
            event: Cow::Borrowed(&self.event),
            payload,
            origin: self.origin.clone(),
            derived: self.derived.clone(),
            outcome: self.recorded.clone(),
        })?;
        line.push('\n');
        Ok(line)
    }

    pub fn from_line(line: &[u8]) -> Result<Self, String> {
        let line: RecordingLine<'_> = serde_json::from_slice(line).map_err(|e| e.to_string())?;
        if line.hookdbg > RECORDING_VERSION {
            return Err(format!("it is of version {}; this hookdbg reads up to {RECORDING_VERSION}", line.hookdbg));
        }
        if !line.payload.get().starts_with('{') {
            return Err("its payload is no object".into());
        }
        Ok(Self {
            dialect: line.dialect.map(Cow::into_owned),
            event: line.event.into_owned(),
            payload: line.payload.get().to_string(),
            origin: line.origin,
            derived: line.derived,
            recorded: line.outcome,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_back_as_it_was() {
        let entry = RecordedEvent {
            dialect: Some("goat".into()),
            event: "Stop".into(),
            payload: r#"{"b":1,"a":"ü\n"}"#.into(),
            origin: EventOrigin { file: "x".into(), line: 3, session: Some("s".into()), at: None },
            derived: vec!["cwd".into()],
            recorded: Some(Outcome { blocked: Some(true), ..Outcome::default() }),
        };
        let line = entry.to_line().unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        assert_eq!(RecordedEvent::from_line(line.trim_end().as_bytes()).unwrap(), entry);
        let newer = line.replace("\"hookdbg\":1", "\"hookdbg\":2");
        assert!(RecordedEvent::from_line(newer.as_bytes()).unwrap_err().contains("version 2"));
    }
}
