//! What the host does after merging the answers of all hooks of one event.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "the report's shape: each is a fact of its own")]
pub struct Verdict {
    /// What the event guards does not happen.
    pub blocked: bool,
    /// The host's word for the decision, if the event has one.
    pub decision: Option<String>,
    pub reason: Option<String>,
    pub reason_to: Option<String>,
    pub decided_by: Option<Decider>,
    /// The rule that decided, as one sentence.
    pub rule: String,
    pub halt: bool,
    pub stop_reason: Option<String>,
    /// The loop goes on although it wanted to end.
    pub resume: bool,
    /// The input the tool gets instead.
    pub updated_input: Option<Value>,
    /// The output the model gets instead.
    pub updated_output: Option<Value>,
    /// Texts added to the model's context.
    pub context: Vec<String>,
    /// Texts hooks marked as system messages.
    pub system_messages: Vec<String>,
    /// Text merged into the tool's result.
    pub feedback: Option<String>,
    /// Content placed elsewhere in the conversation.
    pub injections: Vec<Injection>,
    pub suppress_output: bool,
    /// Things that were ignored or look wrong.
    pub warnings: Vec<String>,
    pub errors: Vec<String>,
    pub model_sees: String,
    pub user_sees: String,
    /// The result the model gets in place of a call that is refused; the texts above have it in the host's frame.
    #[serde(skip)]
    pub refusal: Option<String>,
    /// What only this dialect has, for reports: nobody reads it back.
    pub host: Map<String, Value>,
}

/// The hook that decided. JSON has its label, where the report's list marks the hook itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Decider {
    /// Its index in the plan; labels may be shared.
    pub hook: usize,
    pub label: String,
}

impl fmt::Display for Decider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

impl From<Decider> for String {
    fn from(decider: Decider) -> Self {
        decider.label
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Injection {
    pub content: String,
    pub strategy: InjectAs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InjectAs {
    /// Below the tool's output.
    ToolResult,
    /// A user message after it.
    UserMessage,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ToolRun {
    pub ran: bool,
    pub input: Value,
    /// What it gave back, as recorded.
    pub output: Value,
    pub is_error: bool,
}

/// What the model gets as the result of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CallResult {
    pub text: String,
    pub is_error: bool,
}
