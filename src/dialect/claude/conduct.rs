//! What each event does with exit codes and output, as data.

/// What exit 2 (or a JSON block) does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit2 {
    /// Blocks what the event guards; the text goes to this receiver.
    Blocks(&'static str),
    /// Too late to block; the text goes to this receiver.
    Tells(&'static str),
    /// A notice to the user.
    Notice,
    /// Nothing at all.
    Ignored,
}

/// What plain text at exit 0 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// Context for the model.
    Context,
    /// A line in the debug log.
    Log,
    /// The last line is a path.
    Path,
}

/// What other exit codes without JSON do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// A notice; the host goes on.
    Notice,
    /// Nothing the user sees.
    Quiet,
    /// The action fails.
    Fails,
}

/// Which universal JSON fields count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Universal {
    /// `continue`, `stopReason` and `systemMessage`.
    All,
    /// Only `systemMessage`.
    MessageOnly,
    /// Neither.
    Neither,
    /// No JSON at all.
    NoJson,
}

/// One event's row.
#[derive(Debug, Clone, Copy)]
pub struct Conduct {
    /// Exit 2.
    pub exit2: Exit2,
    /// Plain stdout.
    pub plain: Plain,
    /// Other codes.
    pub other: Other,
    /// Universal fields.
    pub universal: Universal,
    /// Whether `decision: "block"` is read.
    pub decides: bool,
    /// Default timeout in seconds.
    pub timeout: f64,
}

const fn row(exit2: Exit2, plain: Plain, other: Other, universal: Universal, decides: bool) -> Conduct {
    Conduct { exit2, plain, other, universal, decides, timeout: 600.0 }
}

use Exit2::{Blocks, Ignored, Tells};
use Plain::{Context, Log, Path};
use Universal::{All, MessageOnly, Neither, NoJson};

/// The row of `event`.
#[rustfmt::skip]
pub fn conduct(event: &str) -> Conduct {
    let standard = match event {
        "PreToolUse" => row(Blocks("claude"), Log, Other::Notice, All, true),
        "PostToolUse" | "PostToolUseFailure" => row(Tells("claude"), Log, Other::Notice, All, true),
        "PostToolBatch" => row(Blocks("claude"), Log, Other::Notice, All, true),
        "PermissionRequest" => row(Ignored, Log, Other::Notice, Neither, false),
        "PermissionDenied" => row(Ignored, Log, Other::Quiet, Neither, false),
        "UserPromptSubmit" | "UserPromptExpansion" => row(Blocks("user"), Context, Other::Notice, All, true),
        "Stop" => row(Blocks("claude"), Log, Other::Notice, All, true),
        "SubagentStop" => row(Blocks("subagent"), Log, Other::Notice, All, true),
        "TaskCreated" => row(Blocks("claude"), Log, Other::Notice, MessageOnly, true),
        "TaskCompleted" => row(Blocks("claude"), Log, Other::Notice, All, true),
        "TeammateIdle" => row(Blocks("teammate"), Log, Other::Notice, All, true),
        "SessionStart" | "PostModelSwitch" => row(Exit2::Notice, Context, Other::Notice, All, false),
        "SubagentStart" => row(Exit2::Notice, Log, Other::Notice, All, false),
        "Notification" | "MessageDisplay" => row(Ignored, Log, Other::Quiet, Neither, false),
        "Setup" | "InstructionsLoaded" => row(Ignored, Log, Other::Quiet, NoJson, false),
        "SessionEnd" => row(Exit2::Notice, Log, Other::Notice, NoJson, false),
        "StopFailure" => row(Ignored, Log, Other::Quiet, Neither, false),
        "ConfigChange" => row(Blocks("debug_log"), Log, Other::Quiet, Neither, true),
        "CwdChanged" | "FileChanged" => row(Exit2::Notice, Log, Other::Notice, MessageOnly, false),
        "DirectoryAdded" => row(Tells("debug_log"), Log, Other::Notice, MessageOnly, false),
        "PreCompact" => row(Blocks("user"), Log, Other::Quiet, Neither, true),
        "PostCompact" => row(Exit2::Notice, Log, Other::Notice, Neither, false),
        "PreModelSwitch" => row(Blocks("user"), Log, Other::Notice, MessageOnly, true),
        "Elicitation" | "ElicitationResult" => row(Blocks("debug_log"), Log, Other::Quiet, MessageOnly, true),
        "WorktreeCreate" => row(Blocks("user"), Path, Other::Fails, NoJson, false),
        "WorktreeRemove" => row(Blocks("user"), Log, Other::Fails, NoJson, false),
        _ => row(Ignored, Log, Other::Notice, All, false),
    };
    let timeout = match event {
        "UserPromptSubmit" | "PreModelSwitch" | "PostModelSwitch" => 30.0,
        "MessageDisplay" => 10.0,
        "SessionEnd" => 1.5,
        _ => standard.timeout,
    };
    Conduct { timeout, ..standard }
}

/// What nobody has seen the host do at `event`, said beside a verdict.
pub fn unestablished(event: &str) -> Option<&'static str> {
    Some(match event {
        "PermissionDenied" => {
            "what the host does after a real refusal was not observed; this is what its documentation says"
        }
        "TeammateIdle" | "TaskCompleted" => "teams of agents were not observed; this is what the documentation says",
        _ => return None,
    })
}

/// Where the model sees `additionalContext`; none where the event has no such field.
pub fn takes_context(event: &str) -> bool {
    matches!(
        event,
        "PreToolUse"
            | "PostToolUse"
            | "PostToolUseFailure"
            | "PostToolBatch"
            | "Stop"
            | "SubagentStop"
            | "SubagentStart"
            | "PostModelSwitch"
            | "UserPromptSubmit"
            | "UserPromptExpansion"
            | "SessionStart"
    )
}
