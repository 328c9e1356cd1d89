//! The event tables: fields, presence and rights as data that code, help, templates and tests read.

use serde_json::{Map, Value};

use crate::diag::Diagnostic;
use crate::model::nearest;

/// One event or point of a host.
#[derive(Debug, Clone, Copy)]
pub struct EventSpec {
    /// Its name, spelled as the host spells it.
    pub name: &'static str,
    /// When it fires.
    pub about: &'static str,
    /// The fields its payload adds to the base fields.
    pub fields: &'static [FieldSpec],
    /// What a hook may do there.
    pub rights: &'static [Capability],
    /// The payload field a matcher is compared with, if the event has one.
    pub matched: Option<&'static str>,
}

impl EventSpec {
    /// Whether hooks of this event may do `what`.
    pub fn can(&self, what: Capability) -> bool {
        self.rights.contains(&what)
    }
}

/// What a hook may do at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Stop what the event guards.
    Deny,
    /// Hide the tool's output.
    SuppressOutput,
    /// Add text for the model.
    AddContext,
    /// Change the tool's input.
    ModifyInput,
    /// Change the tool's output.
    ModifyOutput,
    /// Make the loop go on, or end it.
    OverrideContinue,
}

impl Capability {
    /// The words shown in the events table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::SuppressOutput => "suppress output",
            Self::AddContext => "add context",
            Self::ModifyInput => "modify input",
            Self::ModifyOutput => "modify output",
            Self::OverrideContinue => "override continue",
        }
    }
}

/// One field of a payload.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// Its key.
    pub name: &'static str,
    /// When it is written.
    pub presence: Presence,
    /// An example value, as JSON text; the template is made of these.
    pub example: &'static str,
    /// What it holds.
    pub about: &'static str,
}

/// When a field is written to stdin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Always; the empty value of its type (as JSON text) stands in when the payload lacks it.
    Always {
        /// JSON text of that value.
        empty: &'static str,
    },
    /// Only when it is there and not empty, false or null.
    NotEmpty,
}

/// A tool of a host, with values to start from.
#[derive(Debug, Clone, Copy)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// An input, as JSON text.
    pub input: &'static str,
    /// An output, as JSON text.
    pub output: &'static str,
}

impl ToolSpec {
    /// Put this tool into `payload` where it speaks of one.
    pub fn put_into(&self, payload: &mut Map<String, Value>) {
        let values = [("tool_name", None), ("tool_input", Some(self.input)), ("tool_response", Some(self.output))];
        for (field, text) in values {
            if let Some(place) = payload.get_mut(field) {
                *place = text.map_or_else(|| self.name.into(), |t| serde_json::from_str(t).unwrap_or(Value::Null));
            }
        }
    }
}

/// A payload for `spec` made of the examples of its table.
pub fn template(base: &[FieldSpec], event_field: &str, spec: &EventSpec) -> Value {
    // An optional field without an example is not there.
    let shown = |f: &&FieldSpec| f.presence != Presence::NotEmpty || f.example != "null";
    let example = |f: &FieldSpec| (f.name.to_string(), serde_json::from_str(f.example).unwrap_or(Value::Null));
    let mut fields: Map<String, Value> = base.iter().filter(shown).map(example).collect();
    fields.insert(event_field.into(), spec.name.into());
    fields.extend(spec.fields.iter().filter(shown).map(example));
    Value::Object(fields)
}

/// Whether a value counts as absent for [`Presence::NotEmpty`].
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(b) => !b,
        Value::String(s) => s.is_empty(),
        Value::Array(a) => a.is_empty(),
        Value::Object(o) => o.is_empty(),
        Value::Number(_) => false,
    }
}

/// Missing and unknown fields of a payload.
pub fn check_fields(
    spec: &EventSpec,
    base: &[FieldSpec],
    event_field: &str,
    fields: &Map<String, Value>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for field in spec.fields {
        if let Presence::Always { empty } = field.presence
            && !fields.contains_key(field.name)
        {
            found.push(Diagnostic::warning(
                "missing-field",
                format!("{} payloads have `{}`; it is missing, so hooks get {empty}", spec.name, field.name),
            ));
        }
    }
    for key in fields.keys() {
        let known = || spec.fields.iter().map(|f| f.name).chain(base.iter().map(|f| f.name)).chain([event_field]);
        if !known().any(|k| k == key) {
            let hint = nearest(key, known()).map_or_else(String::new, |k| format!("; did you mean `{k}`?"));
            found.push(Diagnostic::warning(
                "unknown-field",
                format!("`{key}` is no field of {}; hooks do not get it{hint}", spec.name),
            ));
        }
    }
    found
}
