//! How each host reads the answer of a hook, as data for explanations: fields, their places, the words they take.

/// How a host reads answers.
#[derive(Debug, Clone, Copy)]
pub struct AnswerSpec {
    /// The reading rule in one sentence.
    pub rule: &'static str,
    /// Whether JSON on stdout is read at all.
    pub json: JsonUse,
    /// Fields at the top.
    pub top: &'static [&'static str],
    /// Fields of `hookSpecificOutput`.
    pub inner: &'static [&'static str],
    /// The words a field takes.
    pub words: &'static [(&'static str, &'static [&'static str])],
    /// What exit codes do.
    pub exits: Exits,
    /// What a number given as a limit counts.
    pub unit: LimitUnit,
    /// Events where plain text is an answer too.
    pub text_events: &'static [&'static str],
    /// What else the reader forgives.
    pub forgives: Forgives,
    /// An answer that refuses.
    pub refusal: &'static str,
}

/// What a reader forgives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgives {
    /// Nothing.
    Nothing,
    /// A byte order mark.
    Mark,
    /// The case of keys.
    Case,
}

/// Whether JSON on stdout is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonUse {
    /// It decides.
    Read,
    /// It is text like any other.
    Text,
}

/// What exit codes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exits {
    /// Exit 2 blocks, with stderr as the reason.
    TwoBlocks,
    /// Exit 2 blocks, with stdout as the reason.
    TwoBlocksWithStdout,
    /// Any other than 0 is a failed hook, and nothing is blocked.
    FailOpen,
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// The host has no limits.
    None,
}

const CLAUDE_TOP: &[&str] = &[
    "continue",
    "stopReason",
    "systemMessage",
    "terminalSequence",
    "suppressOutput",
    "decision",
    "reason",
    "hookSpecificOutput",
];
const CLAUDE_INNER: &[&str] = &[
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
    "updatedToolOutput",
    "updatedMCPToolOutput",
    "classifierContext",
    "sessionTitle",
    "suppressOriginalPrompt",
    "initialUserMessage",
    "watchPaths",
    "reloadSkills",
    "worktreePath",
    "displayContent",
    "retry",
    "action",
    "content",
];

/// Claude Code.
pub const CLAUDE: AnswerSpec = AnswerSpec {
    rule: "stdout that begins with { and ends with } is read as one JSON object, anything else is plain text; exit 2 blocks with stderr as the reason",
    json: JsonUse::Read,
    top: CLAUDE_TOP,
    inner: CLAUDE_INNER,
    words: &[("decision", &["approve", "block"]), ("permissionDecision", &["allow", "deny", "ask", "defer"])],
    exits: Exits::TwoBlocks,
    unit: LimitUnit::Seconds,
    text_events: &["SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostModelSwitch", "WorktreeCreate"],
    forgives: Forgives::Mark,
    refusal: "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"…\"}}",
};

/// goat.
pub const GOAT: AnswerSpec = AnswerSpec {
    rule: "with exit 0 all of stdout must be one JSON object or nothing; any other exit is a failed hook, and nothing is blocked",
    json: JsonUse::Read,
    top: &[
        "continue",
        "stopReason",
        "systemMessage",
        "suppressOutput",
        "decision",
        "reason",
        "hookSpecificOutput",
        "async",
        "asyncTimeout",
    ],
    inner: &[
        "hookEventName",
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
        "additionalContext",
        "updatedMCPToolOutput",
    ],
    words: &[("decision", &["allow", "deny", "approve", "block"]), ("permissionDecision", &["allow", "deny", "ask"])],
    exits: Exits::FailOpen,
    unit: LimitUnit::Seconds,
    text_events: &[],
    forgives: Forgives::Case,
    refusal: "{\"decision\":\"deny\",\"reason\":\"…\"}",
};

/// massgen.
pub const MASSGEN: AnswerSpec = AnswerSpec {
    rule: "with exit 0 stdout must be one JSON object; any other exit is a failed hook, and nothing is blocked",
    json: JsonUse::Read,
    top: &["decision", "reason", "updated_input", "inject", "allowed", "modified_args", "metadata", "hook_errors"],
    inner: &[],
    words: &[("decision", &["allow", "deny", "ask"])],
    exits: Exits::FailOpen,
    unit: LimitUnit::Seconds,
    text_events: &[],
    forgives: Forgives::Nothing,
    refusal: "{\"decision\":\"deny\",\"reason\":\"…\"}",
};

/// armament.
pub const ARMAMENT: AnswerSpec = AnswerSpec {
    rule: "with exit 0 stdout must be one JSON object or nothing; any other exit is an error of the hook, treated as onError says",
    json: JsonUse::Read,
    top: &["proceed", "abort", "reason", "modify", "context", "data", "log"],
    inner: &[],
    words: &[],
    exits: Exits::FailOpen,
    unit: LimitUnit::Milliseconds,
    text_events: &[],
    forgives: Forgives::Nothing,
    refusal: "{\"abort\":true,\"reason\":\"…\"}",
};

/// claw as specified.
pub const CLAW: AnswerSpec = AnswerSpec {
    rule: "stdout is plain text that becomes feedback; exit 0 allows, exit 2 denies with stdout as the reason, any other exit only warns",
    json: JsonUse::Text,
    top: &[],
    inner: &[],
    words: &[],
    exits: Exits::TwoBlocksWithStdout,
    unit: LimitUnit::None,
    text_events: &[],
    forgives: Forgives::Nothing,
    refusal: "the reason on stdout, and exit 2",
};

/// The newest claw.
pub const CLAW_NEWEST: AnswerSpec = AnswerSpec {
    rule: "stdout may be one JSON object or plain text; exit 2 denies, any other failure blocks too",
    json: JsonUse::Read,
    top: &["continue", "systemMessage", "decision", "reason", "hookSpecificOutput"],
    inner: &["permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"],
    words: &[("decision", &["block"]), ("permissionDecision", &["allow", "deny", "ask"])],
    exits: Exits::TwoBlocksWithStdout,
    unit: LimitUnit::None,
    text_events: &[],
    forgives: Forgives::Nothing,
    refusal: "{\"decision\":\"block\",\"reason\":\"…\"}",
};

/// Each host's own shape, for telling whose answer one is.
pub const SHAPES: &[(&str, &AnswerSpec)] =
    &[("claude", &CLAUDE), ("massgen", &MASSGEN), ("armament", &ARMAMENT), ("goat", &GOAT)];
