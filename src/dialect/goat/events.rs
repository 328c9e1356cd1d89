//! The fifteen events: fields with their presence rules, and what hooks may do there.

use crate::dialect::Capability::{AddContext, Deny, ModifyInput, ModifyOutput, OverrideContinue, SuppressOutput};
use crate::dialect::event::Effect::{self, Can};
use crate::dialect::event::{AnswerField, Kind, MatchedOn, Matching, MergeClass, always, optional};
use crate::dialect::{EventRow, FieldRow};

pub const BASE: &[FieldRow] = &[
    text("session_id", "\"abc-123\"", "id of the session"),
    text("transcript_path", "\"/sessions/abc-123/transcript.jsonl\"", "file the session is written to"),
    text("cwd", "\"/home/dev/project\"", "working directory of the agent"),
    optional("permission_mode", "\"default\"", "permission mode; left out when empty"),
];

const TOOL_NAME: FieldRow = text("tool_name", "\"Bash\"", "name of the tool; matchers are compared with it");
const TOOL_INPUT: FieldRow = any("tool_input", "{\"command\":\"ls\"}", "input of the tool, any JSON");
const TOOL_USE_ID: FieldRow = text("tool_use_id", "\"toolu_01\"", "id of the call");

const DECISION: AnswerField =
    AnswerField::new("decision", Kind::OneOf(&["allow", "deny", "approve", "block"]), Can(Deny));

/// The fields at the top, with what four of them do at an event.
const fn top(go_on: Effect, context: Effect, hides: Effect, decides: Effect) -> [AnswerField; 9] {
    [
        AnswerField::new("continue", Kind::Bool, go_on),
        AnswerField::new("stopReason", Kind::Text, Effect::None),
        AnswerField::new("systemMessage", Kind::Text, context),
        AnswerField::new("suppressOutput", Kind::Bool, hides),
        AnswerField { effect: decides, ..DECISION },
        AnswerField::new("reason", Kind::Text, Effect::None),
        AnswerField::new("hookSpecificOutput", Kind::Any, Effect::None),
        AnswerField::new("async", Kind::Bool, Effect::None),
        AnswerField::new("asyncTimeout", Kind::Number, Effect::None),
    ]
}

const NAME: AnswerField = AnswerField::new("hookEventName", Kind::EventName, Effect::None);
const CONTEXT: AnswerField = AnswerField::new("additionalContext", Kind::Text, Can(AddContext));
const REASON: AnswerField = AnswerField::new("permissionDecisionReason", Kind::Text, Effect::None);

/// An event that only adds context.
const BASE_ROW: EventRow = EventRow {
    matching: Matching::Glob,
    top: &top(Effect::None, Can(AddContext), Effect::None, Effect::None),
    specific: &[NAME, CONTEXT],
    ..EventRow::BLANK
};

/// An event that is not in the table.
pub const UNKNOWN: EventRow = EventRow {
    top: &top(Effect::None, Effect::None, Effect::None, Effect::None),
    specific: &[NAME, CONTEXT.idle()],
    ..BASE_ROW
};

const TOOL: EventRow = EventRow { matched_on: MatchedOn::Tool("tool_name"), ..BASE_ROW };

// Each event is a paragraph, so that a screen holds several.
#[rustfmt::skip]
pub const EVENTS: &[EventRow] = &[
    EventRow {
        name: "PreToolUse", when: "before a tool runs", fields: &[TOOL_NAME, TOOL_INPUT, TOOL_USE_ID],
        top: &top(Effect::None, Can(AddContext), Effect::None, Can(Deny)),
        specific: &[
            NAME, AnswerField::new("permissionDecision", Kind::OneOf(&["allow", "deny", "ask"]), Can(Deny)), REASON,
            AnswerField::new("updatedInput", Kind::Object, Can(ModifyInput)), CONTEXT,
        ],
        guards: Some("the tool call"), merge: MergeClass::Permission, ..TOOL
    },
    EventRow {
        name: "PostToolUse", when: "after a tool ran",
        fields: &[
            TOOL_NAME, TOOL_INPUT, any("tool_response", "\"Cargo.toml\\nsrc\"", "what the tool gave back, any JSON"),
            TOOL_USE_ID,
        ],
        top: &top(Effect::None, Can(AddContext), Can(SuppressOutput), Effect::None),
        specific: &[NAME, CONTEXT, AnswerField::new("updatedMCPToolOutput", Kind::Any, Can(ModifyOutput))],
        merge: MergeClass::Output, ..TOOL
    },
    EventRow {
        name: "PostToolUseFailure", when: "after a tool failed",
        fields: &[
            TOOL_NAME, TOOL_INPUT, TOOL_USE_ID, text("error", "\"exit status 1\"", "what went wrong"),
            optional("is_interrupt", "true", "the user interrupted it; left out when false"),
        ],
        merge: MergeClass::ToolError, ..TOOL
    },
    EventRow {
        name: "Notification", when: "with each notification to the user",
        fields: &[
            text("message", "\"waiting for input\"", "the text"),
            optional("title", "\"goat\"", "left out when empty"), text("notification_type", "\"idle\"", "what kind"),
        ],
        ..BASE_ROW
    },
    EventRow {
        name: "UserPromptSubmit", when: "when the user sends a prompt",
        fields: &[text("prompt", "\"list the files\"", "what the user wrote")],
        top: &top(Effect::None, Can(AddContext), Effect::None, Can(Deny)), specific: &[NAME, REASON, CONTEXT],
        guards: Some("the prompt"), merge: MergeClass::Prompt, ..BASE_ROW
    },
    EventRow {
        name: "SessionStart", when: "at loop start and after compaction",
        fields: &[
            text("source", "\"startup\"", "startup, resume, clear or compact"),
            optional("agent_type", "\"main\"", "left out when empty"),
            optional("model", "\"model-1\"", "left out when empty"),
        ],
        ..BASE_ROW
    },
    EventRow {
        name: "SessionEnd", when: "after the loop has ended",
        fields: &[text("reason", "\"end_turn\"", "why it ended")],
        top: &top(Effect::None, Effect::None, Effect::None, Effect::None), specific: &[NAME, CONTEXT.idle()],
        ..BASE_ROW
    },
    EventRow {
        name: "Stop", when: "when the model ends its turn",
        fields: &[flag("stop_hook_active", "a Stop hook already made the loop go on")],
        top: &top(Can(OverrideContinue), Can(AddContext), Effect::None, Effect::None), merge: MergeClass::Turn,
        ..BASE_ROW
    },
    EventRow {
        name: "SubagentStart", when: "when a subagent starts",
        fields: &[
            text("agent_id", "\"agent-xyz\"", "id of the subagent"), text("agent_type", "\"Explore\"", "its type"),
        ],
        ..BASE_ROW
    },
    EventRow {
        name: "SubagentStop", when: "when a subagent ends",
        fields: &[
            flag("stop_hook_active", "a Stop hook already made it go on"),
            text("agent_id", "\"agent-xyz\"", "id of the subagent"),
            text("agent_transcript_path", "\"/sessions/abc-123/agent-xyz.jsonl\"", "its own transcript"),
            text("agent_type", "\"Explore\"", "its type"),
        ],
        ..BASE_ROW
    },
    EventRow {
        name: "PreCompact", when: "before the context is compacted",
        fields: &[
            text("trigger", "\"auto\"", "manual or auto"),
            any("custom_instructions", "null", "text for the summary; null when unset"),
        ],
        specific: &[NAME, CONTEXT, AnswerField::new("custom_instructions", Kind::Text, Effect::None)],
        merge: MergeClass::Summary, ..BASE_ROW
    },
    EventRow {
        name: "PermissionRequest", when: "inside the permission check, after mode and rules",
        fields: &[
            TOOL_NAME, TOOL_INPUT,
            optional("permission_suggestions", "[]", "rules the user could accept; left out when there are none"),
        ],
        top: &top(Can(OverrideContinue), Effect::None, Effect::None, Can(Deny)), specific: &[NAME, CONTEXT.idle()],
        guards: Some("the tool call"), merge: MergeClass::Request, ..TOOL
    },
    EventRow {
        name: "Setup", when: "in the set-up phase", fields: &[text("trigger", "\"init\"", "init or maintenance")],
        ..BASE_ROW
    },
    EventRow {
        name: "TeammateIdle", when: "when a team member has no tasks",
        fields: &[text("teammate_name", "\"ada\"", "the team member"), text("team_name", "\"core\"", "the team")],
        top: &top(Can(Deny), Can(AddContext), Effect::None, Effect::None),
        merge: MergeClass::Stay { denial: "keeps the teammate working", passes: "the teammate goes idle", stays: "the teammate keeps working" },
        ..BASE_ROW
    },
    EventRow {
        name: "TaskCompleted", when: "when a team task is finished",
        fields: &[
            text("task_id", "\"task-1\"", "id of the task"),
            text("task_subject", "\"write the parser\"", "its subject"),
            optional("task_description", "\"with spans\"", "left out when empty"),
            optional("teammate_name", "\"ada\"", "left out when empty"),
            optional("team_name", "\"core\"", "left out when empty"),
        ],
        top: &top(Can(Deny), Can(AddContext), Effect::None, Effect::None),
        merge: MergeClass::Stay { denial: "keeps the task open", passes: "the task is completed", stays: "the task stays open" },
        ..BASE_ROW
    },
];

const fn text(name: &'static str, example: &'static str, about: &'static str) -> FieldRow {
    always(name, "\"\"", example, about)
}

const fn any(name: &'static str, example: &'static str, about: &'static str) -> FieldRow {
    always(name, "null", example, about)
}

const fn flag(name: &'static str, about: &'static str) -> FieldRow {
    always(name, "false", "false", about)
}
