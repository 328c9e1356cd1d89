//! The columns of a row that say what comes of a run: exit codes, plain text, merging, and in whose words.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitRule {
    pub two: Exit,
    /// Any other code but 0, without an answer that counts.
    pub other: OtherExit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Blocks what the event guards; the reason goes to this receiver.
    Blocks(To),
    /// It is too late to block, so the run is no failure and nothing is stopped; the text goes to this receiver.
    TooLate(To),
    Notice,
    Nothing,
    /// It is a failed hook like any other exit.
    Fails,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    Model,
    User,
    Subagent,
    Teammate,
    /// Nobody but the debug log.
    Log,
}

/// What exit codes other than 0 and 2 do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherExit {
    Notice,
    /// Nothing the user sees.
    Quiet,
    ActionFails,
    /// The hook counts as failed; what that means is the host's failure policy.
    HookFails,
    Warns,
    Blocks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextAs {
    Context,
    Log,
    Path,
    Feedback,
    /// Not an answer: the hook failed.
    Error,
}

/// Which of the fields that every event shares count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedFields {
    /// `continue`, `stopReason` and `systemMessage`.
    All,
    /// Only `systemMessage`, for the user.
    Message,
    /// Only `systemMessage`, for the model, unless this payload field has this value.
    MessageToModel(&'static str, &'static str),
    Neither,
    NoJson,
}

/// How the answers of one event become a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeClass {
    Observe,
    Permission,
    /// The first decision about a request counts.
    Request,
    /// A hook can ask for another try.
    Retry,
    /// A prompt is sent unless a hook blocks it.
    Prompt,
    /// The end of a turn: a block makes it go on.
    Turn,
    /// A teammate that would idle: a block keeps it working, unless a hook ends it.
    Idle,
    /// A batch of calls: a block ends the turn.
    Batch,
    /// One block is enough.
    Block,
    /// The output of a tool can be changed.
    Output,
    /// The error of a tool is passed on.
    ToolError,
    /// Instructions for a summary can be given.
    Summary,
    /// Something stays as it is if a hook says so.
    Stay {
        denial: &'static str,
        /// What happens without one.
        passes: &'static str,
        /// What happens with one.
        stays: &'static str,
    },
}

/// The words a host has for the outcomes of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    Reason,
    /// The result of a call that was refused.
    Call,
    /// An error beside the result of a call.
    AfterCall,
    Batch,
    Request,
    Prompt,
    Turn,
    Task,
    /// A compaction, which says nothing when it is automatic.
    Compaction,
    Switch,
}

/// How hooks are called in the host's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    Event,
    /// By their event and the value a matcher is compared with.
    Value,
    /// By both, in front of context by the event alone.
    ValueButContext,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextStyle {
    Each,
    /// Plain texts one by one, then all others in one paragraph.
    Joined,
    Reminder,
    /// One line each, named by the event.
    Line,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    Session,
    Subagent,
}

/// Whether a hook that fails can be made to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureRule {
    /// If its entry says so.
    CanBlock,
    /// Whatever its entry says, it does not.
    NeverBlocks,
}

/// What a hook that runs out of time does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Late {
    Passes,
    Notice,
    Denies,
}

/// What exit 2 of a script that does not exist does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingScript {
    Blocks,
    Passes,
    /// It does not block if the hook is a plugin's.
    PassesForPlugins,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelRefusal {
    Blocks,
    EndsTurn,
}

/// What the first block does to hooks still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstBlock {
    OthersFinish,
    EndsOthers,
}
