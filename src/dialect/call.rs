//! One tool call: the event before the tool, the recorded result, the event after it. All hosts share the way; where they
//! differ is their [`CallRow`].

use serde_json::{Map, Value};

use super::Dialect;
use crate::model::{CallResult, Payload, ToolRun, Verdict};

/// How a host takes a tool call through its hooks.
#[derive(Debug, Clone, Copy)]
pub struct CallRow {
    /// A call to start from, as JSON.
    pub template: &'static str,
    pub before: &'static str,
    pub after: After,
    /// The event after a result that is marked as failed; none if nothing follows it.
    pub after_failed: Option<After>,
    /// The event after a tool that gave an error in place of an output; none at hosts that know only marked results.
    pub after_error: Option<After>,
    /// The field, below `tool` or of the recorded event, that marks a result as failed, and its value then.
    pub failed: Option<(&'static str, bool)>,
    /// Fields of a recorded call that the event before the tool does not have.
    pub dropped: &'static [&'static str],
    /// The field with the input as raw text, at hosts that hand on an unchanged input exactly as it was given.
    pub raw_input: Option<&'static str>,
    /// The input the tool gets, from the fields of the call and what hooks made of it.
    pub input: fn(&Map<String, Value>, Option<&Value>) -> Value,
    pub output: fn(Value) -> Value,
    /// The text of the result, after the hooks behind the tool if there were any.
    pub text: fn(&ToolRun, Option<&Verdict>) -> String,
    /// Messages of the hooks behind the tool that are no part of the result.
    pub messages: fn(&Verdict) -> Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub struct After {
    pub event: &'static str,
    /// The field with what the tool gave.
    pub field: &'static str,
    /// The field that says whether that is a failure.
    pub flag: Option<&'static str>,
}

/// One call of a tool, as it was recorded.
#[derive(Debug)]
pub struct ToolCall {
    row: &'static CallRow,
    fields: Map<String, Value>,
    output: Value,
    is_error: bool,
    after: Option<After>,
}

impl ToolCall {
    /// A call from `{tool_name, tool_input, …, tool: {output | error, …}}`; the fields of a recorded event after the tool
    /// do as well. The error says what is missing.
    pub fn new(dialect: &dyn Dialect, fields: &Map<String, Value>) -> Result<Self, String> {
        let name = dialect.profile().name;
        let no_calls = || format!("{name} has no tool calls with events before and after; fire its events one by one");
        let row = dialect.profile().call.ok_or_else(no_calls)?;
        if !fields.get("tool_name").is_some_and(Value::is_string) {
            return Err("a call needs the text field `tool_name`".into());
        }
        let tool = |name: &str| fields.get("tool").and_then(|t| t.get(name));
        let error = row.after_error.and_then(|after| {
            let error = tool("error").or_else(|| fields.get(after.field)).filter(|e| !e.is_null())?;
            Some((after, text(error)))
        });
        let (output, is_error, after) = if let Some((after, error)) = error {
            (error.into(), true, Some(after))
        } else {
            let output = tool("output").or_else(|| fields.get(row.after.field)).cloned().unwrap_or_default();
            let is_error = row.failed.is_some_and(|(name, mark)| {
                let flag = row.after.flag.and_then(|flag| fields.get(flag));
                tool(name).or(flag) == Some(&Value::Bool(mark))
            });
            ((row.output)(output), is_error, if is_error { row.after_failed } else { Some(row.after) })
        };
        let mut fields = fields.clone();
        fields.retain(|key, _| !row.dropped.contains(&key.as_str()));
        Ok(Self { row, fields, output, is_error, after })
    }

    pub fn before(&self) -> Payload {
        Payload::new(self.row.before, self.fields.clone())
    }

    /// The tool's part, given what the hooks before it decided.
    pub fn tool(&self, pre: &Verdict) -> ToolRun {
        let input = (self.row.input)(&self.fields, pre.updated_input.as_ref());
        if pre.blocked {
            return ToolRun { input, ..ToolRun::default() };
        }
        ToolRun { ran: true, input, output: self.output.clone(), is_error: self.is_error }
    }

    /// The event after the tool, if one follows.
    pub fn after(&self, tool: &ToolRun, pre: &Verdict) -> Option<Payload> {
        let after = self.after.filter(|_| tool.ran)?;
        let mut fields = self.fields.clone();
        if self.row.raw_input.is_none() || pre.updated_input.is_some() {
            self.row.raw_input.map(|raw| fields.remove(raw));
            fields.insert("tool_input".into(), tool.input.clone());
        }
        fields.insert(after.field.into(), handed_on(tool, pre));
        after.flag.map(|flag| fields.insert(flag.into(), tool.is_error.into()));
        Some(Payload::new(after.event, fields))
    }

    /// What the model gets, given the verdict of the hooks after the tool if they ran.
    pub fn result(&self, tool: &ToolRun, pre: &Verdict, post: Option<&Verdict>) -> CallResult {
        if !tool.ran {
            return CallResult { text: pre.refusal.clone().unwrap_or_default(), is_error: true };
        }
        let tool = ToolRun { output: handed_on(tool, pre), ..tool.clone() };
        let text = (self.row.text)(&tool, post);
        CallResult { text, is_error: tool.is_error || post.is_some_and(|v| v.blocked) }
    }

    pub fn messages(&self, post: Option<&Verdict>) -> Vec<String> {
        post.map(self.row.messages).unwrap_or_default()
    }
}

/// The output as hooks after the tool and the model get it.
fn handed_on(tool: &ToolRun, pre: &Verdict) -> Value {
    match &pre.feedback {
        Some(feedback) => with_feedback(&text(&tool.output), Some(feedback)).into(),
        None => tool.output.clone(),
    }
}

/// `output` with the feedback of hooks below it. The output itself is not trimmed; one without a visible character is
/// left out.
pub fn with_feedback(output: &str, feedback: Option<&str>) -> String {
    match feedback {
        None => output.to_string(),
        Some(feedback) if output.trim().is_empty() => feedback.to_string(),
        Some(feedback) => format!("{output}\n\n{feedback}"),
    }
}

/// A value as the text of a tool's result.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The input as given, unless hooks changed it.
pub fn given_input(fields: &Map<String, Value>, updated: Option<&Value>) -> Value {
    updated.or_else(|| fields.get("tool_input")).cloned().unwrap_or_default()
}

/// The text of the output, or of what hooks put in its place.
pub fn replaced_output(tool: &ToolRun, post: Option<&Verdict>) -> String {
    text(post.and_then(|v| v.updated_output.as_ref()).unwrap_or(&tool.output))
}
