//! One hook's result, before it is merged with the others.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::answer::Parsed;
use crate::dialect::event::{MergeClass, MissingScript};
use crate::dialect::{EventRow, Profile};
use crate::model::{Background, Decider, Handler, Hook};

#[derive(Debug, Clone)]
pub struct ClaudeResult {
    /// The hook, with the options of its last duplicate.
    pub hook: Arc<Hook>,
    pub index: usize,
    pub stderr: String,
    /// What it wrote to stdout, trimmed.
    pub stdout: String,
    pub parsed: Parsed,
    pub exit: Option<i32>,
    /// `success`, `blocking_error`, `non_blocking_error` or `cancelled`.
    pub run: &'static str,
    /// What the user is told of a failure.
    pub notice: Option<String>,
    pub blocked_by_failure: Option<String>,
    /// Whether the host goes on without it.
    pub background: bool,
    pub status: Option<i64>,
    pub signalled: bool,
    /// The model's verdict, for hooks that ask one.
    pub(super) reply: Option<Reply>,
}

#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub ok: bool,
    pub reason: Option<String>,
    /// It can never be met, so the agent may stop.
    pub impossible: bool,
}

impl ClaudeResult {
    pub fn new(hook: &Arc<Hook>, index: usize, stderr: String, parsed: Parsed, exit: Option<i32>) -> Self {
        let background = hook.options.background != Background::Foreground || parsed == Parsed::Background;
        Self {
            hook: Arc::clone(hook),
            index,
            stderr,
            stdout: String::new(),
            parsed,
            exit,
            run: "success",
            notice: None,
            blocked_by_failure: None,
            background,
            status: None,
            signalled: false,
            reply: None,
        }
    }

    /// What a model replied to a prompt, an agent or a tool hook.
    pub fn reply(hook: &Arc<Hook>, index: usize, value: &Value, row: &EventRow, profile: &Profile) -> Self {
        let mut result = Self::new(hook, index, String::new(), Parsed::Empty, Some(0));
        if matches!(hook.handler, Handler::McpTool { .. }) {
            let text = tool_text(value);
            if value.get("isError") == Some(&Value::Bool(true)) {
                result.run = "non_blocking_error";
                result.notice = Some(text);
                return result;
            }
            result.parsed = super::answer::read(text.as_bytes(), row, profile);
            if let Parsed::ParseError(problem) | Parsed::SchemaError(problem) = &result.parsed {
                result.run = "non_blocking_error";
                result.notice = Some(problem.clone());
            }
            return result;
        }
        let value = &unfenced(value);
        if let Some(Value::Bool(ok)) = value.get("ok") {
            let reason = value.get("reason").and_then(Value::as_str).map(str::to_string);
            let impossible = value.get("impossible") == Some(&Value::Bool(true))
                && matches!(hook.handler, Handler::Prompt { .. })
                && row.merge == MergeClass::Turn;
            result.reply = Some(Reply { ok: *ok, reason, impossible });
        } else {
            result.run = "non_blocking_error";
            result.notice = Some("JSON validation failed".into());
        }
        result
    }

    /// The exit code the host reports: the status of a request, one for what has no code of its own.
    pub fn host_exit(&self) -> Option<i64> {
        self.status.or_else(|| self.reply.is_none().then(|| self.exit.map_or(1, i64::from)))
    }

    pub fn decider(&self) -> Decider {
        Decider { hook: self.index, label: self.hook.label.clone() }
    }

    pub(super) fn json(&self) -> Option<&Map<String, Value>> {
        match &self.parsed {
            Parsed::Json(fields) if !self.background => Some(fields),
            _ => None,
        }
    }

    pub(super) fn field(&self, name: &str) -> Option<&Value> {
        self.json()?.get(name)
    }

    pub(super) fn own(&self, name: &str) -> Option<&Value> {
        self.json()?.get("hookSpecificOutput")?.get(name)
    }

    pub(super) fn text(value: Option<&Value>) -> Option<String> {
        value.and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_string)
    }
}

/// A reply as JSON, also when it is text in a fence of backticks.
fn unfenced(value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let text = text.trim().trim_start_matches("```json").trim_matches('`').trim();
    serde_json::from_str(text).unwrap_or_else(|_| value.clone())
}

/// The text of a tool's result: its text blocks, or the reply itself.
fn tool_text(value: &Value) -> String {
    match (value, value.get("content").and_then(Value::as_array)) {
        (_, Some(blocks)) => blocks.iter().filter_map(|b| b["text"].as_str()).collect::<Vec<_>>().join("\n"),
        (Value::String(text), None) => text.clone(),
        (other, None) => other.to_string(),
    }
}

/// A missing script must not keep the agent going for ever: exit 2 without stdout whose stderr says so is no block.
pub fn missing_file(row: &EventRow, result: &ClaudeResult) -> bool {
    let concerned = match row.missing_script {
        MissingScript::Blocks => false,
        MissingScript::Passes => true,
        MissingScript::PassesForPlugins => result.hook.origin.layer.as_ref() == "plugin",
    };
    let says = |text: &str| result.stderr.contains(text);
    let missing = says("No such file or directory") || (says("cannot open") && says("No such file"));
    concerned && result.parsed == Parsed::Empty && missing
}
