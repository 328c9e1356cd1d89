//! The 33 events: one row each, with the fields of its payload in the host's key order and all its rules.

use std::time::Duration;

use crate::dialect::Capability::{AddContext, Deny, ModifyInput, ModifyOutput, OverrideContinue};
use crate::dialect::event::Effect::{self, Can, LikeExitTwo};
use crate::dialect::event::{
    AnswerField, Conditions, ContextStyle, DirPattern, Drops, Exit, ExitRule, FailureRule, FirstBlock, Handlers,
    Inside, Kind, Late, Limits, MatchedOn, Matching, MergeClass, MissingScript, ModelRefusal, NamedBy, OtherExit, Runs,
    SharedFields, TextAs, Texts, To, always, optional,
};
use crate::dialect::{EventRow, FieldRow};

const fn must(name: &'static str, example: &'static str) -> FieldRow {
    always(name, "null", example, "")
}

const fn may(name: &'static str, example: &'static str) -> FieldRow {
    optional(name, example, "")
}

/// Fields of every payload, in order; those after `cwd` only where they apply.
pub const BASE: &[FieldRow] = &[
    must("session_id", "\"00000000-0000-4000-8000-000000000001\""),
    must("transcript_path", "\"/home/dev/.claude/projects/app/session.jsonl\""),
    must("cwd", "\"/home/dev/app\""),
];

/// The order of keys before an event's own.
#[rustfmt::skip]
pub const LEADING: [&str; 9] = [
    "session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "agent_id", "agent_type", "effort",
    "hook_event_name",
];

const PROMPT: FieldRow = may("prompt_id", "\"00000000-0000-4000-8000-000000000002\"");
const MODE: FieldRow = may("permission_mode", "\"default\"");
const EFFORT: FieldRow = may("effort", "{\"level\":\"high\"}");
const AGENT_ID: FieldRow = must("agent_id", "\"agent-1\"");
const AGENT_TYPE: FieldRow = must("agent_type", "\"Explore\"");
const TASKS: FieldRow = may("background_tasks", "[]");
const CRONS: FieldRow = may("session_crons", "[]");
const NAME: FieldRow = must("tool_name", "\"Bash\"");
const INPUT: FieldRow = must("tool_input", "{\"command\":\"ls\"}");
const ID: FieldRow = must("tool_use_id", "\"toolu_01\"");
const TRIGGER: FieldRow = must("trigger", "\"auto\"");
const STOPPED: FieldRow = must("stop_hook_active", "false");
const LAST: FieldRow = may("last_assistant_message", "\"Done.\"");

const fn field(name: &'static str, kind: Kind, effect: Effect) -> AnswerField {
    AnswerField::new(name, kind, effect)
}

/// The fields at the top: what the shared ones do, and what `decision: "block"` does.
const fn top(shared: SharedFields, decides: Effect) -> [AnswerField; 8] {
    let (go_on, message) = match shared {
        SharedFields::All => (Can(OverrideContinue), Effect::None),
        SharedFields::MessageToModel(..) => (Effect::None, Can(AddContext)),
        SharedFields::Message | SharedFields::Neither | SharedFields::NoJson => (Effect::None, Effect::None),
    };
    [
        field("continue", Kind::Bool, go_on),
        field("stopReason", Kind::Text, Effect::None),
        field("systemMessage", Kind::Text, message),
        field("terminalSequence", Kind::Text, Effect::None),
        field("suppressOutput", Kind::Bool, Effect::None),
        field("decision", Kind::OneOf(&["approve", "block"]), decides),
        field("reason", Kind::Text, Effect::None),
        field("hookSpecificOutput", Kind::Object, Effect::None),
    ]
}

/// The fields of the two events about elicitations before `decision: "block"` declined one.
pub const ELICITATION_BEFORE: &[AnswerField] = &top(SharedFields::Message, Effect::None);

const EVENT_NAME: AnswerField = field("hookEventName", Kind::EventName, Effect::None).required();
const ADDED: AnswerField = field("additionalContext", Kind::Text, Can(AddContext));
const DECISION_REASON: AnswerField = field("permissionDecisionReason", Kind::Text, Effect::None);
const HIDE_PROMPT: AnswerField = field("suppressOriginalPrompt", Kind::Bool, Effect::None);
const WATCH: AnswerField = field("watchPaths", Kind::Texts, Effect::None);
const REQUEST: &[AnswerField] = &[
    field("behavior", Kind::OneOf(&["allow", "deny"]), Can(Deny)).required(),
    field("message", Kind::Text, Effect::None),
    field("interrupt", Kind::Bool, Effect::None),
    field("updatedInput", Kind::Object, Can(ModifyInput)),
    field("updatedPermissions", Kind::List, Effect::None),
];

/// What a server asked for, or what it was answered.
const ELICITED: &[AnswerField] = &[
    EVENT_NAME,
    field("action", Kind::OneOf(&["accept", "decline", "cancel"]), Effect::None),
    field("content", Kind::Object, Effect::None),
];
const MODELS: &[FieldRow] = &[
    must("from_model", "\"claude-opus-5\""),
    must("to_model", "\"claude-sonnet-5\""),
    must("requested_model", "null"),
    must("source", "\"command\""),
    may("context_tokens", "1200"),
    may("prompt_cache_warm", "true"),
    may("cache_ttl", "\"5m\""),
    may("estimated_cache_write_usd", "0.01"),
    may("pricing", "\"catalog\""),
];

/// What exit 2 does, where the user is told of any other code.
const fn noticed(two: Exit) -> ExitRule {
    ExitRule { two, other: OtherExit::Notice }
}

/// What exit 2 does, where nobody is told of any other code.
const fn quiet(two: Exit) -> ExitRule {
    ExitRule { two, other: OtherExit::Quiet }
}

const NO_MODELS: Handlers = Handlers { prompt: Runs::Never, agent: Runs::Never, ..Handlers::ALL };

/// What most events have in common, and all there is to an unknown one: `additionalContext` has a type and no effect.
pub const BASE_ROW: EventRow = EventRow {
    matching: Matching::ListOrRegex { more: " ,-" },
    handlers: NO_MODELS,
    limit: Limits::Each(Duration::from_mins(10)),
    exit: ExitRule { two: Exit::Nothing, other: OtherExit::Notice },
    text: TextAs::Log,
    top: &top(SharedFields::All, Effect::None),
    specific: &[EVENT_NAME, ADDED.idle()],
    ..EventRow::BLANK
};

// Bases for the rows below; a row says only what is its own.

/// A block counts, by exit 2 and by `decision`.
const BLOCKING: EventRow = EventRow {
    handlers: Handlers::ALL,
    exit: noticed(Exit::Blocks(To::Model)),
    top: &top(SharedFields::All, LikeExitTwo),
    ..BASE_ROW
};
/// A block counts, and of the shared fields only `systemMessage` does.
const MESSAGE_BLOCKING: EventRow = EventRow {
    exit: quiet(Exit::Blocks(To::Log)),
    shared: SharedFields::Message,
    top: &top(SharedFields::Message, LikeExitTwo),
    merge: MergeClass::Block,
    ..BASE_ROW
};
/// Nothing can be blocked, and of the shared fields only `systemMessage` counts.
const MESSAGE: EventRow = EventRow {
    exit: noticed(Exit::Notice),
    top: &top(SharedFields::Message, Effect::None),
    merge: MergeClass::Observe,
    ..MESSAGE_BLOCKING
};
/// Nothing can be blocked or said.
const QUIET: EventRow = EventRow {
    exit: quiet(Exit::Nothing),
    shared: SharedFields::Neither,
    top: &top(SharedFields::Neither, Effect::None),
    ..BASE_ROW
};
/// Nothing can be blocked, and no JSON is read.
const NO_JSON: EventRow =
    EventRow { shared: SharedFields::NoJson, top: &top(SharedFields::NoJson, Effect::None), ..QUIET };

/// What events about one tool call have in common.
const TOOL: EventRow = EventRow {
    matched_on: MatchedOn::Tool("tool_name"),
    handlers: Handlers::ALL,
    conditions: Conditions::Read(DirPattern::BelowCwd),
    named_by: NamedBy::Value,
    ..BASE_ROW
};

// Each event is a paragraph, so that a screen holds several.
#[rustfmt::skip]
pub const EVENTS: &[EventRow] = &[
    EventRow {
        name: "PreToolUse", when: "before each tool call",
        fields: &[PROMPT, MODE, EFFORT, NAME, INPUT, ID, may("mcp_server", "null")], bad_entry: Drops::File,
        exit: noticed(Exit::Blocks(To::Model)), top: &top(SharedFields::All, LikeExitTwo),
        specific: &[
            EVENT_NAME, field("permissionDecision", Kind::OneOf(&["allow", "deny", "ask", "defer"]), Can(Deny)),
            DECISION_REASON, field("updatedInput", Kind::Object, Can(ModifyInput)), ADDED,
        ],
        guards: Some("the tool call"), merge: MergeClass::Permission, texts: Texts::Call,
        context: ContextStyle::Joined, model_refusal: ModelRefusal::EndsTurn, ..TOOL
    },
    EventRow {
        name: "PostToolUse", when: "after a tool call that worked",
        fields: &[
            PROMPT, MODE, EFFORT, NAME, INPUT,
            must("tool_response", "{\"stdout\":\"Cargo.toml\\nsrc\",\"stderr\":\"\",\"interrupted\":false}"), ID,
            may("duration_ms", "12"), may("mcp_server", "null"),
        ],
        exit: noticed(Exit::TooLate(To::Model)), top: &top(SharedFields::All, LikeExitTwo),
        specific: &[
            EVENT_NAME, ADDED, field("classifierContext", Kind::Text, Effect::None),
            field("updatedToolOutput", Kind::Any, Can(ModifyOutput)),
            field("updatedMCPToolOutput", Kind::Any, Can(ModifyOutput)),
        ],
        merge: MergeClass::Block, texts: Texts::AfterCall, model_refusal: ModelRefusal::EndsTurn, ..TOOL
    },
    EventRow {
        name: "PostToolUseFailure", when: "after a tool call that failed",
        fields: &[
            PROMPT, MODE, EFFORT, NAME, INPUT, ID, must("error", "\"Exit code 1\""), may("is_interrupt", "false"),
            may("duration_ms", "12"), may("mcp_server", "null"),
        ],
        exit: noticed(Exit::TooLate(To::Model)), top: &top(SharedFields::All, LikeExitTwo),
        specific: &[EVENT_NAME, ADDED], merge: MergeClass::Block, texts: Texts::AfterCall, ..TOOL
    },
    EventRow {
        name: "PostToolBatch", when: "after a whole batch of calls",
        fields: &[PROMPT, MODE, EFFORT, must("tool_calls", "[]")], specific: &[EVENT_NAME, ADDED],
        merge: MergeClass::Batch, texts: Texts::Batch, ..BLOCKING
    },
    EventRow {
        name: "PermissionRequest", when: "when the user would be asked",
        fields: &[PROMPT, MODE, EFFORT, NAME, INPUT, may("permission_suggestions", "[]"), may("mcp_server", "null")],
        handlers: Handlers { agent: Runs::Skipped, ..Handlers::ALL }, bad_entry: Drops::File,
        shared: SharedFields::Neither, top: &top(SharedFields::Neither, Effect::None),
        specific: &[EVENT_NAME, field("decision", Kind::Fields(REQUEST), Effect::None)],
        guards: Some("the tool call"), merge: MergeClass::Request, texts: Texts::Request, ..TOOL
    },
    EventRow {
        name: "PermissionDenied", when: "when auto mode denied a call",
        fields: &[PROMPT, MODE, EFFORT, NAME, INPUT, ID, must("reason", "\"not allowed\"")],
        exit: quiet(Exit::Nothing), shared: SharedFields::Neither, top: &top(SharedFields::Neither, Effect::None),
        specific: &[EVENT_NAME, field("retry", Kind::Bool, Effect::None)], merge: MergeClass::Retry,
        unverified: Some("what the host does after a real refusal was not observed; this is what its documentation says"),
        ..TOOL
    },
    EventRow {
        name: "UserPromptSubmit", when: "when a prompt is submitted",
        fields: &[PROMPT, MODE, must("prompt", "\"list the files\"")], limit: Limits::Each(Duration::from_secs(30)),
        exit: noticed(Exit::Blocks(To::User)), text: TextAs::Context,
        specific: &[EVENT_NAME, ADDED, field("sessionTitle", Kind::Text, Effect::None), HIDE_PROMPT],
        guards: Some("the prompt"), merge: MergeClass::Prompt, texts: Texts::Prompt, late: Late::Notice,
        missing_script: MissingScript::PassesForPlugins, first_block: FirstBlock::EndsOthers, ..BLOCKING
    },
    EventRow {
        name: "UserPromptExpansion", when: "when a typed command expands",
        fields: &[
            PROMPT, MODE, must("expansion_type", "\"slash_command\""), must("command_name", "\"deploy\""),
            must("command_args", "\"\""), may("command_source", "\"project\""), must("prompt", "\"deploy it\""),
        ],
        matched_on: MatchedOn::Field("command_name"), exit: noticed(Exit::Blocks(To::User)), text: TextAs::Context,
        specific: &[EVENT_NAME, ADDED, HIDE_PROMPT], merge: MergeClass::Prompt, ..BLOCKING
    },
    EventRow {
        name: "SessionStart", when: "at the start of a session",
        fields: &[must("source", "\"startup\""), may("model", "null")], matched_on: MatchedOn::Field("source"),
        handlers: Handlers { http: Runs::Never, mcp_tool: Runs::NotAtLaunch, ..NO_MODELS },
        env_file: Some("CLAUDE_ENV_FILE"), exit: noticed(Exit::Notice), text: TextAs::Context,
        specific: &[
            EVENT_NAME, ADDED, field("initialUserMessage", Kind::Text, Effect::None),
            field("sessionTitle", Kind::Text, Effect::None), WATCH, field("reloadSkills", Kind::Bool, Effect::None),
        ],
        named_by: NamedBy::ValueButContext, context: ContextStyle::Joined, ..BASE_ROW
    },
    EventRow {
        name: "Setup", when: "in the set-up phase", fields: &[must("trigger", "\"init\"")],
        matched_on: MatchedOn::Field("trigger"),
        handlers: Handlers { http: Runs::Never, mcp_tool: Runs::Never, ..NO_MODELS },
        env_file: Some("CLAUDE_ENV_FILE"), named_by: NamedBy::Value, ..NO_JSON
    },
    EventRow {
        name: "InstructionsLoaded", when: "when instructions enter the context",
        fields: &[
            must("file_path", "\"/home/dev/app/CLAUDE.md\""), must("memory_type", "\"Project\""),
            must("load_reason", "\"session_start\""),
        ],
        matched_on: MatchedOn::Field("load_reason"), ..NO_JSON
    },
    EventRow {
        name: "Notification", when: "with each notification",
        fields: &[
            must("message", "\"waiting for you\""), may("title", "null"),
            must("notification_type", "\"idle_prompt\""),
        ],
        matched_on: MatchedOn::Field("notification_type"), ..QUIET
    },
    EventRow {
        name: "MessageDisplay", when: "while text of the assistant is shown",
        fields: &[
            must("turn_id", "\"t1\""), must("message_id", "\"m1\""), must("index", "0"), must("final", "true"),
            must("delta", "\"text\""),
        ],
        limit: Limits::Each(Duration::from_secs(10)),
        specific: &[EVENT_NAME, field("displayContent", Kind::Text, Can(ModifyOutput))], ..QUIET
    },
    EventRow {
        name: "SubagentStart", when: "when a subagent starts", fields: &[PROMPT, AGENT_ID, AGENT_TYPE],
        matched_on: MatchedOn::Field("agent_type"), exit: noticed(Exit::Notice), specific: &[EVENT_NAME, ADDED],
        named_by: NamedBy::ValueButContext, inside: Inside::Subagent, ..BASE_ROW
    },
    EventRow {
        name: "SubagentStop", when: "when a subagent ends",
        fields: &[
            PROMPT, MODE, AGENT_ID, AGENT_TYPE, EFFORT, STOPPED,
            must("agent_transcript_path", "\"/home/dev/agent-1.jsonl\""), LAST, TASKS, CRONS,
        ],
        matched_on: MatchedOn::Field("agent_type"), exit: noticed(Exit::Blocks(To::Subagent)),
        specific: &[EVENT_NAME, ADDED], merge: MergeClass::Turn, texts: Texts::Turn, context: ContextStyle::Reminder,
        inside: Inside::Subagent, failure: FailureRule::NeverBlocks, missing_script: MissingScript::Passes, ..BLOCKING
    },
    EventRow {
        name: "Stop", when: "when the agent has finished a response",
        fields: &[PROMPT, MODE, EFFORT, STOPPED, LAST, TASKS, CRONS], specific: &[EVENT_NAME, ADDED],
        merge: MergeClass::Turn, texts: Texts::Turn, context: ContextStyle::Reminder,
        failure: FailureRule::NeverBlocks, missing_script: MissingScript::Passes, ..BLOCKING
    },
    EventRow {
        name: "StopFailure", when: "when an API error ended the turn",
        fields: &[must("error", "\"rate_limit\""), LAST], matched_on: MatchedOn::Field("error"),
        matching: Matching::ListOrRegex { more: "" }, ..QUIET
    },
    EventRow {
        name: "TaskCreated", when: "when a task is created",
        fields: &[
            must("task_id", "\"1\""), must("task_subject", "\"write tests\""),
            may("task_description", "\"all of them\""),
        ],
        handlers: Handlers::ALL, exit: noticed(Exit::Blocks(To::Model)), texts: Texts::Task, ..MESSAGE_BLOCKING
    },
    EventRow {
        name: "TaskCompleted", when: "when a task is completed",
        fields: &[
            PROMPT, MODE, must("task_id", "\"1\""), must("task_subject", "\"write tests\""),
            may("task_description", "\"all of them\""),
        ],
        merge: MergeClass::Block, texts: Texts::Task, failure: FailureRule::NeverBlocks,
        missing_script: MissingScript::Passes,
        unverified: Some("teams of agents were not observed; this is what the documentation says"), ..BLOCKING
    },
    EventRow {
        name: "TeammateIdle", when: "when a teammate is about to idle",
        fields: &[PROMPT, MODE, must("teammate_name", "\"ada\""), must("team_name", "\"core\"")],
        exit: noticed(Exit::Blocks(To::Teammate)), merge: MergeClass::Idle, failure: FailureRule::NeverBlocks,
        model_refusal: ModelRefusal::EndsTurn,
        unverified: Some("teams of agents were not observed; this is what the documentation says"), ..BLOCKING
    },
    EventRow {
        name: "ConfigChange", when: "when settings changed on disk",
        fields: &[
            must("source", "\"project_settings\""), may("file_path", "\"/home/dev/app/.claude/settings.json\""),
        ],
        matched_on: MatchedOn::Field("source"), exit: quiet(Exit::Blocks(To::Log)), shared: SharedFields::Neither,
        top: &top(SharedFields::Neither, LikeExitTwo), never_blocks: Some(("source", "policy_settings")),
        merge: MergeClass::Block, ..BASE_ROW
    },
    EventRow {
        name: "CwdChanged", when: "when a command changed the directory",
        fields: &[must("old_cwd", "\"/home/dev/app\""), must("new_cwd", "\"/home/dev/app/src\"")],
        env_file: Some("CLAUDE_ENV_FILE"), specific: &[EVENT_NAME, WATCH], ..MESSAGE
    },
    EventRow {
        name: "DirectoryAdded", when: "when a directory was added",
        fields: &[must("directory", "\"/home/dev/lib\""), must("source", "\"slash_command\"")],
        matched_on: MatchedOn::Field("source"), exit: noticed(Exit::TooLate(To::Log)),
        shared: SharedFields::MessageToModel("source", "register_repo_root"),
        top: &top(SharedFields::MessageToModel("source", "register_repo_root"), Effect::None),
        merge: MergeClass::Block, context: ContextStyle::Line, ..BASE_ROW
    },
    EventRow {
        name: "FileChanged", when: "when a watched file changed",
        fields: &[must("file_path", "\"/home/dev/app/.envrc\""), must("event", "\"change\"")],
        matched_on: MatchedOn::FileName("file_path"), matching: Matching::ListOrRegex { more: "" },
        env_file: Some("CLAUDE_ENV_FILE"), specific: &[EVENT_NAME, WATCH], ..MESSAGE
    },
    EventRow {
        name: "WorktreeCreate", when: "in place of making a worktree", fields: &[must("name", "\"feature\"")],
        exit: ExitRule { two: Exit::Blocks(To::User), other: OtherExit::ActionFails }, text: TextAs::Path,
        specific: &[EVENT_NAME, field("worktreePath", Kind::Text, Effect::None)], merge: MergeClass::Block, ..NO_JSON
    },
    EventRow {
        name: "WorktreeRemove", when: "in place of removing a worktree",
        fields: &[must("worktree_path", "\"/home/dev/wt/feature\"")],
        exit: ExitRule { two: Exit::Blocks(To::User), other: OtherExit::ActionFails }, merge: MergeClass::Block,
        ..NO_JSON
    },
    EventRow {
        name: "PreCompact", when: "before compaction", fields: &[TRIGGER, must("custom_instructions", "null")],
        matched_on: MatchedOn::Field("trigger"), exit: quiet(Exit::Blocks(To::User)), shared: SharedFields::Neither,
        top: &top(SharedFields::Neither, LikeExitTwo), merge: MergeClass::Block, texts: Texts::Compaction, ..BASE_ROW
    },
    EventRow {
        name: "PostCompact", when: "after compaction", fields: &[TRIGGER, must("compact_summary", "\"summary\"")],
        matched_on: MatchedOn::Field("trigger"), exit: noticed(Exit::Notice), ..QUIET
    },
    EventRow {
        name: "PreModelSwitch", when: "before a requested change of model", fields: MODELS,
        matched_on: MatchedOn::Model("to_model"), limit: Limits::Each(Duration::from_secs(30)),
        exit: noticed(Exit::Blocks(To::User)),
        specific: &[
            EVENT_NAME, field("permissionDecision", Kind::OneOf(&["allow", "deny", "ask"]), Can(Deny)),
            DECISION_REASON,
        ],
        merge: MergeClass::Permission, texts: Texts::Switch, named_by: NamedBy::Value, late: Late::Denies,
        ..MESSAGE_BLOCKING
    },
    EventRow {
        name: "PostModelSwitch", when: "after a change of model", fields: MODELS,
        matched_on: MatchedOn::Model("to_model"), limit: Limits::Each(Duration::from_secs(30)),
        exit: noticed(Exit::Notice), text: TextAs::Context, specific: &[EVENT_NAME, ADDED],
        named_by: NamedBy::ValueButContext, ..BASE_ROW
    },
    EventRow {
        name: "Elicitation", when: "when an MCP server asks for input",
        fields: &[
            must("mcp_server_name", "\"files\""), must("message", "\"which one?\""), may("mode", "\"form\""),
            may("requested_schema", "null"),
        ],
        matched_on: MatchedOn::Field("mcp_server_name"), specific: ELICITED, ..MESSAGE_BLOCKING
    },
    EventRow {
        name: "ElicitationResult", when: "before the answer is sent",
        fields: &[
            must("mcp_server_name", "\"files\""), may("mode", "\"form\""), must("action", "\"accept\""),
            may("content", "null"),
        ],
        matched_on: MatchedOn::Field("mcp_server_name"), specific: ELICITED, ..MESSAGE_BLOCKING
    },
    EventRow {
        name: "SessionEnd", when: "when the session ends", fields: &[must("reason", "\"other\"")],
        matched_on: MatchedOn::Field("reason"), limit: Limits::Shared(Duration::from_millis(1500)),
        exit: noticed(Exit::Notice), ..NO_JSON
    },
];
