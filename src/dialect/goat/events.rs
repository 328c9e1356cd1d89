//! The fifteen events: fields with their presence rules, and what hooks may do there.

use crate::dialect::Capability::{AddContext, Deny, ModifyInput, ModifyOutput, OverrideContinue, SuppressOutput};
use crate::dialect::{EventSpec, FieldSpec, Presence};

/// Fields of every payload.
pub const BASE: &[FieldSpec] = &[
    text("session_id", "\"abc-123\"", "id of the session"),
    text("transcript_path", "\"/sessions/abc-123/transcript.jsonl\"", "file the session is written to"),
    text("cwd", "\"/home/dev/project\"", "working directory of the agent"),
    optional("permission_mode", "\"default\"", "permission mode; left out when empty"),
];

const TOOL_NAME: FieldSpec = text("tool_name", "\"Bash\"", "name of the tool; matchers are compared with it");
const TOOL_INPUT: FieldSpec = any("tool_input", "{\"command\":\"ls\"}", "input of the tool, any JSON");
const TOOL_USE_ID: FieldSpec = text("tool_use_id", "\"toolu_01\"", "id of the call");

/// The table.
pub const EVENTS: &[EventSpec] = &[
    EventSpec {
        name: "PreToolUse",
        about: "before a tool runs",
        fields: &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID],
        rights: &[Deny, AddContext, ModifyInput],
        matched: Some("tool_name"),
    },
    EventSpec {
        name: "PostToolUse",
        about: "after a tool ran",
        fields: &[
            TOOL_NAME,
            TOOL_INPUT,
            any("tool_response", "\"Cargo.toml\\nsrc\"", "what the tool gave back, any JSON"),
            TOOL_USE_ID,
        ],
        rights: &[SuppressOutput, AddContext, ModifyOutput],
        matched: Some("tool_name"),
    },
    EventSpec {
        name: "PostToolUseFailure",
        about: "after a tool failed",
        fields: &[
            TOOL_NAME,
            TOOL_INPUT,
            TOOL_USE_ID,
            text("error", "\"exit status 1\"", "what went wrong"),
            optional("is_interrupt", "true", "the user interrupted it; left out when false"),
        ],
        rights: &[AddContext],
        matched: Some("tool_name"),
    },
    EventSpec {
        name: "Notification",
        about: "with each notification to the user",
        fields: &[
            text("message", "\"waiting for input\"", "the text"),
            optional("title", "\"goat\"", "left out when empty"),
            text("notification_type", "\"idle\"", "what kind"),
        ],
        rights: &[AddContext],
        matched: None,
    },
    EventSpec {
        name: "UserPromptSubmit",
        about: "when the user sends a prompt",
        fields: &[text("prompt", "\"list the files\"", "what the user wrote")],
        rights: &[Deny, AddContext],
        matched: None,
    },
    EventSpec {
        name: "SessionStart",
        about: "at loop start and after compaction",
        fields: &[
            text("source", "\"startup\"", "startup, resume, clear or compact"),
            optional("agent_type", "\"main\"", "left out when empty"),
            optional("model", "\"model-1\"", "left out when empty"),
        ],
        rights: &[AddContext],
        matched: None,
    },
    EventSpec {
        name: "SessionEnd",
        about: "after the loop has ended",
        fields: &[text("reason", "\"end_turn\"", "why it ended")],
        rights: &[],
        matched: None,
    },
    EventSpec {
        name: "Stop",
        about: "when the model ends its turn",
        fields: &[flag("stop_hook_active", "a Stop hook already made the loop go on")],
        rights: &[AddContext, OverrideContinue],
        matched: None,
    },
    EventSpec {
        name: "SubagentStart",
        about: "when a subagent starts",
        fields: &[
            text("agent_id", "\"agent-xyz\"", "id of the subagent"),
            text("agent_type", "\"Explore\"", "its type"),
        ],
        rights: &[AddContext],
        matched: None,
    },
    EventSpec {
        name: "SubagentStop",
        about: "when a subagent ends",
        fields: &[
            flag("stop_hook_active", "a Stop hook already made it go on"),
            text("agent_id", "\"agent-xyz\"", "id of the subagent"),
            text("agent_transcript_path", "\"/sessions/abc-123/agent-xyz.jsonl\"", "its own transcript"),
            text("agent_type", "\"Explore\"", "its type"),
        ],
        rights: &[AddContext],
        matched: None,
    },
    EventSpec {
        name: "PreCompact",
        about: "before the context is compacted",
        fields: &[
            text("trigger", "\"auto\"", "manual or auto"),
            any("custom_instructions", "null", "text for the summary; null when unset"),
        ],
        rights: &[AddContext],
        matched: None,
    },
    EventSpec {
        name: "PermissionRequest",
        about: "inside the permission check, after mode and rules",
        fields: &[
            TOOL_NAME,
            TOOL_INPUT,
            optional("permission_suggestions", "[]", "rules the user could accept; left out when there are none"),
        ],
        rights: &[Deny, OverrideContinue],
        matched: Some("tool_name"),
    },
    EventSpec {
        name: "Setup",
        about: "in the set-up phase",
        fields: &[text("trigger", "\"init\"", "init or maintenance")],
        rights: &[AddContext],
        matched: None,
    },
    EventSpec {
        name: "TeammateIdle",
        about: "when a team member has no tasks",
        fields: &[text("teammate_name", "\"ada\"", "the team member"), text("team_name", "\"core\"", "the team")],
        rights: &[AddContext],
        matched: None,
    },
    EventSpec {
        name: "TaskCompleted",
        about: "when a team task is finished",
        fields: &[
            text("task_id", "\"task-1\"", "id of the task"),
            text("task_subject", "\"write the parser\"", "its subject"),
            optional("task_description", "\"with spans\"", "left out when empty"),
            optional("teammate_name", "\"ada\"", "left out when empty"),
            optional("team_name", "\"core\"", "left out when empty"),
        ],
        rights: &[AddContext],
        matched: None,
    },
];

const fn text(name: &'static str, example: &'static str, about: &'static str) -> FieldSpec {
    FieldSpec { name, presence: Presence::Always { empty: "\"\"" }, example, about }
}

const fn any(name: &'static str, example: &'static str, about: &'static str) -> FieldSpec {
    FieldSpec { name, presence: Presence::Always { empty: "null" }, example, about }
}

const fn flag(name: &'static str, about: &'static str) -> FieldSpec {
    FieldSpec { name, presence: Presence::Always { empty: "false" }, example: "false", about }
}

const fn optional(name: &'static str, example: &'static str, about: &'static str) -> FieldSpec {
    FieldSpec { name, presence: Presence::NotEmpty, example, about }
}
