//! What only a verdict of Claude Code has, as reports print it.

use serde::Serialize;
use serde_json::Value;

pub(super) type ClaudeDraft = crate::dialect::draft::Draft<ClaudeFacts>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ClaudeEffect {
    RuleDenies,
    RulePrompts,
    PromptStillRequired,
    InvalidRewrite,
    StopHookFeedback,
    CapOverride,
}

/// The facts, in the order reports print them. What is there at some events only is optional.
#[derive(Default, Serialize)]
pub(super) struct ClaudeFacts {
    pub notices: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notices_in: Option<&'static str>,
    pub context_truncated: Vec<bool>,
    pub preview_max_chars: usize,
    pub next_turn_context: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_in: Option<&'static str>,
    pub terminal_sequence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<ClaudeEffect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_permissions: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_prompt_shown: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch_paths: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree_path: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_user_message: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_skills: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier_context: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wakes: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wake_text: Option<Value>,
    pub run: Vec<&'static str>,
    pub exit_codes: Vec<Option<i64>>,
    pub parse: Vec<&'static str>,
    pub version: String,
}
