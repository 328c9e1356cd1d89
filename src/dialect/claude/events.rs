//! The 33 events: what a matcher is compared with, and the fields of each payload in the host's key order.

use crate::dialect::Capability::{AddContext, Deny, ModifyInput, ModifyOutput, OverrideContinue};
use crate::dialect::{Capability, EventSpec, FieldSpec, Presence};

const fn must(name: &'static str, example: &'static str) -> FieldSpec {
    FieldSpec { name, presence: Presence::Always { empty: "null" }, example, about: "" }
}

const fn may(name: &'static str, example: &'static str) -> FieldSpec {
    FieldSpec { name, presence: Presence::NotEmpty, example, about: "" }
}

/// Fields of every payload, in order; those after `cwd` only where they apply.
pub const BASE: &[FieldSpec] = &[
    must("session_id", "\"00000000-0000-4000-8000-000000000001\""),
    must("transcript_path", "\"/home/dev/.claude/projects/app/session.jsonl\""),
    must("cwd", "\"/home/dev/app\""),
];

/// The order of keys before an event's own.
pub const LEADING: [&str; 9] = [
    "session_id",
    "transcript_path",
    "cwd",
    "prompt_id",
    "permission_mode",
    "agent_id",
    "agent_type",
    "effort",
    "hook_event_name",
];

const PROMPT: FieldSpec = may("prompt_id", "\"00000000-0000-4000-8000-000000000002\"");
const MODE: FieldSpec = may("permission_mode", "\"default\"");
const EFFORT: FieldSpec = may("effort", "{\"level\":\"high\"}");
const AGENT_ID: FieldSpec = must("agent_id", "\"agent-1\"");
const AGENT_TYPE: FieldSpec = must("agent_type", "\"Explore\"");
const TASKS: FieldSpec = may("background_tasks", "[]");
const CRONS: FieldSpec = may("session_crons", "[]");
const NAME: FieldSpec = must("tool_name", "\"Bash\"");
const INPUT: FieldSpec = must("tool_input", "{\"command\":\"ls\"}");
const ID: FieldSpec = must("tool_use_id", "\"toolu_01\"");
const TRIGGER: FieldSpec = must("trigger", "\"auto\"");
const STOPPED: FieldSpec = must("stop_hook_active", "false");
const LAST: FieldSpec = may("last_assistant_message", "\"Done.\"");

macro_rules! event {
    ($name:literal, $about:literal, $matched:expr, $rights:expr, [$($field:expr),* $(,)?]) => {
        EventSpec { name: $name, about: $about, fields: &[$($field),*], rights: $rights, matched: $matched }
    };
}

const TOOL: Option<&str> = Some("tool_name");
const CONTEXT: &[Capability] = &[AddContext];
const NOTHING: &[Capability] = &[];

/// The table.
#[rustfmt::skip]
pub const EVENTS: &[EventSpec] = &[
    event!("PreToolUse", "before each tool call", TOOL, &[Deny, AddContext, ModifyInput, OverrideContinue], [PROMPT, MODE, EFFORT, NAME, INPUT, ID, may("mcp_server", "null")]),
    event!("PostToolUse", "after a tool call that worked", TOOL, &[AddContext, ModifyOutput, OverrideContinue], [PROMPT, MODE, EFFORT, NAME, INPUT, must("tool_response", "{\"stdout\":\"Cargo.toml\\nsrc\",\"stderr\":\"\",\"interrupted\":false}"), ID, may("duration_ms", "12"), may("mcp_server", "null")]),
    event!("PostToolUseFailure", "after a tool call that failed", TOOL, &[AddContext, OverrideContinue], [PROMPT, MODE, EFFORT, NAME, INPUT, ID, must("error", "\"Exit code 1\""), may("is_interrupt", "false"), may("duration_ms", "12"), may("mcp_server", "null")]),
    event!("PostToolBatch", "after a whole batch of calls", None, &[Deny, AddContext, OverrideContinue], [PROMPT, MODE, EFFORT, must("tool_calls", "[]")]),
    event!("PermissionRequest", "when the user would be asked", TOOL, &[Deny, ModifyInput], [PROMPT, MODE, EFFORT, NAME, INPUT, may("permission_suggestions", "[]"), may("mcp_server", "null")]),
    event!("PermissionDenied", "when auto mode denied a call", TOOL, NOTHING, [PROMPT, MODE, EFFORT, NAME, INPUT, ID, must("reason", "\"not allowed\"")]),
    event!("UserPromptSubmit", "when a prompt is submitted", None, &[Deny, AddContext, OverrideContinue], [PROMPT, MODE, must("prompt", "\"list the files\"")]),
    event!("UserPromptExpansion", "when a typed command expands", Some("command_name"), &[Deny, AddContext, OverrideContinue], [PROMPT, MODE, must("expansion_type", "\"slash_command\""), must("command_name", "\"deploy\""), must("command_args", "\"\""), may("command_source", "\"project\""), must("prompt", "\"deploy it\"")]),
    event!("SessionStart", "at the start of a session", Some("source"), CONTEXT, [must("source", "\"startup\""), may("model", "null")]),
    event!("Setup", "in the set-up phase", Some("trigger"), NOTHING, [must("trigger", "\"init\"")]),
    event!("InstructionsLoaded", "when instructions enter the context", Some("load_reason"), NOTHING, [must("file_path", "\"/home/dev/app/CLAUDE.md\""), must("memory_type", "\"Project\""), must("load_reason", "\"session_start\"")]),
    event!("Notification", "with each notification", Some("notification_type"), NOTHING, [must("message", "\"waiting for you\""), may("title", "null"), must("notification_type", "\"idle_prompt\"")]),
    event!("MessageDisplay", "while text of the assistant is shown", None, &[ModifyOutput], [must("turn_id", "\"t1\""), must("message_id", "\"m1\""), must("index", "0"), must("final", "true"), must("delta", "\"text\"")]),
    event!("SubagentStart", "when a subagent starts", Some("agent_type"), CONTEXT, [PROMPT, AGENT_ID, AGENT_TYPE]),
    event!("SubagentStop", "when a subagent ends", Some("agent_type"), &[Deny, AddContext, OverrideContinue], [PROMPT, MODE, AGENT_ID, AGENT_TYPE, EFFORT, STOPPED, must("agent_transcript_path", "\"/home/dev/agent-1.jsonl\""), LAST, TASKS, CRONS]),
    event!("Stop", "when the agent has finished a response", None, &[Deny, AddContext, OverrideContinue], [PROMPT, MODE, EFFORT, STOPPED, LAST, TASKS, CRONS]),
    event!("StopFailure", "when an API error ended the turn", Some("error"), NOTHING, [must("error", "\"rate_limit\""), LAST]),
    event!("TaskCreated", "when a task is created", None, &[Deny], [must("task_id", "\"1\""), must("task_subject", "\"write tests\""), may("task_description", "\"all of them\"")]),
    event!("TaskCompleted", "when a task is completed", None, &[Deny, OverrideContinue], [PROMPT, MODE, must("task_id", "\"1\""), must("task_subject", "\"write tests\""), may("task_description", "\"all of them\"")]),
    event!("TeammateIdle", "when a teammate is about to idle", None, &[Deny, OverrideContinue], [PROMPT, MODE, must("teammate_name", "\"ada\""), must("team_name", "\"core\"")]),
    event!("ConfigChange", "when settings changed on disk", Some("source"), &[Deny], [must("source", "\"project_settings\""), may("file_path", "\"/home/dev/app/.claude/settings.json\"")]),
    event!("CwdChanged", "when a command changed the directory", None, NOTHING, [must("old_cwd", "\"/home/dev/app\""), must("new_cwd", "\"/home/dev/app/src\"")]),
    event!("DirectoryAdded", "when a directory was added", Some("source"), NOTHING, [must("directory", "\"/home/dev/lib\""), must("source", "\"slash_command\"")]),
    event!("FileChanged", "when a watched file changed", Some("file_path"), NOTHING, [must("file_path", "\"/home/dev/app/.envrc\""), must("event", "\"change\"")]),
    event!("WorktreeCreate", "in place of making a worktree", None, &[Deny], [must("name", "\"feature\"")]),
    event!("WorktreeRemove", "in place of removing a worktree", None, &[Deny], [must("worktree_path", "\"/home/dev/wt/feature\"")]),
    event!("PreCompact", "before compaction", Some("trigger"), &[Deny], [TRIGGER, must("custom_instructions", "null")]),
    event!("PostCompact", "after compaction", Some("trigger"), NOTHING, [TRIGGER, must("compact_summary", "\"summary\"")]),
    event!("PreModelSwitch", "before a requested change of model", Some("to_model"), &[Deny], [must("from_model", "\"claude-opus-5\""), must("to_model", "\"claude-sonnet-5\""), must("requested_model", "null"), must("source", "\"command\""), may("context_tokens", "1200"), may("prompt_cache_warm", "true"), may("cache_ttl", "\"5m\""), may("estimated_cache_write_usd", "0.01"), may("pricing", "\"catalog\"")]),
    event!("PostModelSwitch", "after a change of model", Some("to_model"), CONTEXT, [must("from_model", "\"claude-opus-5\""), must("to_model", "\"claude-sonnet-5\""), must("requested_model", "null"), must("source", "\"command\""), may("context_tokens", "1200"), may("prompt_cache_warm", "true"), may("cache_ttl", "\"5m\""), may("estimated_cache_write_usd", "0.01"), may("pricing", "\"catalog\"")]),
    event!("Elicitation", "when an MCP server asks for input", Some("mcp_server_name"), &[Deny], [must("mcp_server_name", "\"files\""), must("message", "\"which one?\""), may("mode", "\"form\""), may("requested_schema", "null")]),
    event!("ElicitationResult", "before the answer is sent", Some("mcp_server_name"), &[Deny], [must("mcp_server_name", "\"files\""), may("mode", "\"form\""), must("action", "\"accept\""), may("content", "null")]),
    event!("SessionEnd", "when the session ends", Some("reason"), NOTHING, [must("reason", "\"other\"")]),
];
