//! One tool call: pre hooks, the recorded tool result, post hooks.

use serde_json::{Map, Value};

use super::control::Stop;
use super::firing::Firing;
use super::runner::{Request, Runner};
use crate::dialect::ToolCall;
use crate::model::{CallResult, Lifecycle, Payload, ToolRun};

#[derive(Debug, Clone)]
pub struct Call {
    pub pre: Firing,
    pub tool: ToolRun,
    /// The event after the tool, if it came to one.
    pub post: Option<Firing>,
    pub result: CallResult,
    pub user_messages: Vec<String>,
}

impl Runner {
    /// Run the call described by `fields`; the payload of `request` is not looked at. The error says which field
    /// is missing.
    pub async fn call(&self, fields: &Map<String, Value>, request: &Request) -> Result<Call, String> {
        let call = ToolCall::new(self.dialect(), fields)?;
        let pre = self.fire(request.with_payload(call.before())).await;
        if request.control.requested() != Stop::No {
            let result = CallResult { text: "cancelled by you before the tool".into(), is_error: true };
            return Ok(Call { pre, tool: ToolRun::default(), post: None, result, user_messages: Vec::new() });
        }
        let tool = call.tool(&pre.verdict);
        request.events.send(Lifecycle::ToolResult { tool: tool.clone(), result: None });
        let post = match call.after(&tool, &pre.verdict) {
            None => None,
            Some(payload) => Some(self.fire(request.with_payload(payload)).await),
        };
        let verdict = post.as_ref().map(|p| &p.verdict);
        let result = call.result(&tool, &pre.verdict, verdict);
        request.events.send(Lifecycle::ToolResult { tool: tool.clone(), result: Some(result.clone()) });
        Ok(Call { user_messages: call.messages(verdict), tool, result, pre, post })
    }

    /// The event a call begins with, for consent and planning before anything runs.
    pub fn call_opening(&self, fields: &Map<String, Value>) -> Result<Payload, String> {
        Ok(ToolCall::new(self.dialect(), fields)?.before())
    }
}
