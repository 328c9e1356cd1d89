//! From the results of a firing to its verdict: messages add up, and the last permission and the last rewrite count.

use serde_json::{Value, json};

use super::answer;
use super::message::{self, Label};
use crate::dialect::call::with_feedback;
use crate::dialect::event::{MergeClass, OtherExit};
use crate::dialect::{Done, EventRow};
use crate::model::{Decider, Payload, Plan, Verdict};

#[derive(Default)]
pub struct ClawResult {
    /// Its feedback, or the host's word about it.
    pub messages: Vec<String>,
    pub warning: Option<String>,
    pub error: Option<String>,
    /// Its permission decision and rewritten input, at events that take them.
    pub permission: Option<answer::ClawAnswer>,
    pub denial: Option<Denial>,
}

pub struct Denial {
    /// The text that goes with it; none if that is all messages so far.
    pub reason: Option<String>,
    /// The rule, as the rest of a sentence about the hook.
    pub rule: &'static str,
}

#[derive(Default)]
pub struct ClawMerge {
    messages: Vec<String>,
    warnings: Vec<String>,
    errors: Vec<String>,
    permission: Option<(Decider, String)>,
    permission_reason: Option<String>,
    updated_input: Option<(String, Value)>,
    refusal: Option<Refusal>,
}

struct Refusal {
    by: Decider,
    reason: String,
    rule: String,
}

impl ClawMerge {
    /// Gather the results in the order they came.
    pub fn of(plan: &Plan, done: &[Done<ClawResult>]) -> Self {
        done.iter().fold(Self::default(), |all, Done { hook, answer }| all.with(&plan.decider(*hook), answer))
    }

    fn with(mut self, by: &Decider, result: &ClawResult) -> Self {
        let label = &by.label;
        self.messages.extend(result.messages.iter().cloned());
        self.warnings.extend(result.warning.iter().cloned());
        self.errors.extend(result.error.iter().map(|e| format!("{label}: {e}")));
        if let Some(said) = &result.permission {
            self.permission = said.permission.clone().map(|p| (by.clone(), p)).or(self.permission);
            self.permission_reason = said.permission_reason.clone().or(self.permission_reason);
            self.updated_input = said.updated_input.clone().map(|i| (label.clone(), i)).or(self.updated_input);
        }
        if let Some(denial) = &result.denial {
            let reason = denial.reason.clone().unwrap_or_else(|| self.messages.join("\n"));
            let rule = format!("`{label}`: {}.", denial.rule);
            self.refusal = Some(Refusal { by: by.clone(), reason, rule });
        }
        self
    }

    /// The merged permission decision, once all hooks ran: deny refuses, and ask refuses where nobody can be asked.
    fn refusal_by_permission(&self, tool: &str) -> Option<Refusal> {
        let (by, permission) = self.permission.as_ref()?;
        let (fallback, rule) = match permission.as_str() {
            "deny" => (format!("tool '{tool}' denied by hook"), "permissionDecision deny refuses the call"),
            "ask" => (
                format!("tool '{tool}' requires approval due to hook guidance"),
                "permissionDecision ask refuses the call where nobody can be asked",
            ),
            _ => return None,
        };
        let reason = self.permission_reason.clone().unwrap_or(fallback);
        Some(Refusal { by: by.clone(), reason, rule: format!("`{}`: {rule}.", by.label) })
    }

    pub fn verdict(mut self, payload: &Payload, row: &EventRow) -> Verdict {
        let pre = row.merge == MergeClass::Permission;
        let refusal =
            self.refusal.take().or_else(|| self.refusal_by_permission(payload.text("tool_name").unwrap_or_default()));
        let mut v = Verdict {
            warnings: self.warnings,
            errors: self.errors,
            decision: Some("allow".into()),
            rule: "No hook denied.".into(),
            ..Verdict::default()
        };
        v.host.insert("messages".into(), json!(self.messages));
        if let Some((by, permission)) = self.permission {
            v.host.insert("permission".into(), json!(permission));
            v.rule = format!(
                "`{}` set permissionDecision {permission}; a deny rule, an ask rule or a too low mode still win over allow.",
                by.label
            );
            v.decision = Some(permission);
            v.decided_by = Some(by);
            v.reason = self.permission_reason;
        }
        if let Some((label, input)) = self.updated_input.filter(|_| pre) {
            v.updated_input = Some(input);
            v.host.insert("updated_input_by".into(), json!(label));
        }
        let failing = row.exit.other;
        let label = if refusal.is_some() { Label::denied(failing) } else { Label::Plain };
        v.feedback = message::feedback(&self.messages, label);
        if let Some(Refusal { by, reason, rule }) = refusal {
            v.refusal = Some(refused(&reason, &self.messages, failing)).filter(|_| pre);
            v.blocked = true;
            v.decision = Some("deny".into());
            v.decided_by = Some(by);
            v.reason = Some(reason);
            v.reason_to = Some("model".into());
            v.rule = rule;
            v.updated_input = None;
        }
        v.model_sees = match (pre, &v.refusal, &v.feedback) {
            (true, Some(refusal), _) => format!("tool result (error): {refusal}"),
            (true, None, Some(feedback)) => format!("below the tool's output:\n{feedback}"),
            (true, None, None) => String::new(),
            (false, _, feedback) => {
                format!("tool result: {}", with_feedback(&super::call::output_of(payload), feedback.as_deref()))
            }
        };
        v
    }
}

/// The result of a call that hooks refused.
fn refused(reason: &str, messages: &[String], failing: OtherExit) -> String {
    match failing {
        OtherExit::Blocks => with_feedback(reason, message::feedback(messages, Label::Error).as_deref()),
        _ => messages.join("\n"),
    }
}
