//! The parts of the screen's state: panes, tabs, cursors, switches, overlays.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::PathBuf;

use super::msg::FireOrder;
use super::replay_list::ReplayList;
use super::widgets::Editor;
use crate::diag::{Diagnostic, Span};
use crate::model::{FiringId, Payload, Plan, RunId};
use crate::record::{Difference, Outcome, RecordedEvent, differences};
use crate::settings::ConsentItem;

/// The panes, in the order Tab goes through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pane {
    /// What is configured.
    Hooks,
    /// The next event.
    Composer,
    /// What happened.
    Timeline,
    /// Why.
    Detail,
    /// Recorded payloads.
    Replay,
    /// What is wrong with the files.
    Problems,
}

impl Pane {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Hooks, Self::Composer, Self::Timeline, Self::Detail, Self::Replay, Self::Problems];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Hooks => "Hooks",
            Self::Composer => "Composer",
            Self::Timeline => "Timeline",
            Self::Detail => "Detail",
            Self::Replay => "Replay",
            Self::Problems => "Problems",
        }
    }
}

/// The tabs of the detail pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the titles say it")]
pub enum Tab {
    Why,
    Stdin,
    Stdout,
    Stderr,
    Answer,
    Merged,
    Env,
    Diff,
}

impl Tab {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Why, Self::Stdin, Self::Stdout, Self::Stderr, Self::Answer, Self::Merged, Self::Env, Self::Diff];

    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Why => "Why",
            Self::Stdin => "Stdin",
            Self::Stdout => "Stdout",
            Self::Stderr => "Stderr",
            Self::Answer => "Answer",
            Self::Merged => "Merged",
            Self::Env => "Env",
            Self::Diff => "Diff",
        }
    }
}

/// How long a hook stays switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffFor {
    /// Until hookdbg ends.
    ThisRun,
    /// Until it is switched on again; kept in the state directory.
    ThisProject,
}

impl OffFor {
    /// The words shown.
    pub fn words(self) -> &'static str {
        match self {
            Self::ThisRun => "this run",
            Self::ThisProject => "this project",
        }
    }
}

/// Hooks switched off, and how it came about. The settings file is never touched.
#[derive(Debug, Default)]
pub struct Switches {
    /// By hook id.
    pub off: BTreeMap<String, OffFor>,
    /// Earlier states, newest last.
    pub undo: Vec<BTreeMap<String, OffFor>>,
}

/// Why the composer's text is no payload.
#[derive(Debug, Clone)]
pub struct ComposeError {
    /// What is wrong.
    pub message: String,
    /// Where in the text.
    pub span: Option<Span>,
}

/// The next event.
#[derive(Debug)]
pub struct Composer {
    /// The text.
    pub editor: Editor,
    /// What it says.
    pub payload: Result<Payload, ComposeError>,
    /// Missing and unknown fields.
    pub findings: Vec<Diagnostic>,
    /// Who would run; the last good plan while the text is broken.
    pub plan: Plan,
}

/// A cursor in a list.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cursor {
    /// The selected row.
    pub row: usize,
}

impl Cursor {
    /// Move by `by` within `len` rows.
    pub fn shift(&mut self, by: i64, len: usize) {
        let last = i64::try_from(len.saturating_sub(1)).unwrap_or(i64::MAX);
        let row = i64::try_from(self.row).unwrap_or(i64::MAX).saturating_add(by).clamp(0, last);
        self.row = usize::try_from(row).unwrap_or(0);
    }
}

/// The timeline pane.
#[derive(Debug)]
pub struct TimelinePane {
    /// The selected row.
    pub cursor: Cursor,
    /// Stay at the newest.
    pub follow: bool,
    /// Width of the bars, in steps.
    pub zoom: u8,
}

/// The detail pane.
#[derive(Debug)]
pub struct DetailPane {
    /// The open tab.
    pub tab: Tab,
    /// The line the cursor is on.
    pub cursor: Cursor,
    /// Show stdin as its exact text.
    pub raw: bool,
    /// Folded JSON paths.
    pub folds: HashSet<String>,
    /// What is searched for.
    pub search: String,
    /// The run the Diff tab compares with.
    pub mark: Option<(FiringId, Option<usize>)>,
}

/// One recorded payload.
#[derive(Debug, Clone)]
pub struct ReplayItem {
    /// The event.
    pub payload: Payload,
    /// Where it comes from and what happened then.
    pub entry: RecordedEvent,
    /// What its last firing came to, in a word.
    pub decision: Option<String>,
    /// And in full.
    pub now: Option<Outcome>,
    /// What the user made of a difference.
    pub review: Option<Review>,
    /// That firing.
    pub firing: Option<FiringId>,
}

impl ReplayItem {
    /// Not fired yet.
    pub fn new((payload, entry): (Payload, RecordedEvent)) -> Self {
        Self { payload, entry, decision: None, now: None, review: None, firing: None }
    }

    /// In what its last firing differs from what happened then.
    pub fn differences(&self) -> Vec<Difference> {
        let (Some(then), Some(now)) = (&self.entry.recorded, &self.now) else { return Vec::new() };
        let mut found = differences(then, now);
        // Another machine at another time.
        found.retain(|d| *d != Difference::Duration);
        found
    }

    /// What happened then, in a word.
    pub fn then_word(&self) -> &str {
        self.entry.recorded.as_ref().and_then(Outcome::word).unwrap_or_default()
    }
}

/// What the user made of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// It is right now.
    Accepted,
    /// It was right then.
    Rejected,
}

/// One row of the replay pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayRow {
    /// The heading of a session, with its number of events.
    Session(String, usize),
    /// An event by its index.
    Event(usize),
}

/// Which events the replay pane lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Listed {
    /// All.
    #[default]
    All,
    /// Those that differ from what happened then.
    Different,
}

/// The replay pane.
#[derive(Debug, Default)]
pub struct ReplayPane {
    /// Where they come from.
    pub file: Option<PathBuf>,
    /// The payloads.
    pub items: ReplayList,
    /// The selected row of the filtered list.
    pub cursor: Cursor,
    /// Rows still to be fired.
    pub queue: VecDeque<usize>,
    /// How many a run-all began with, and when.
    pub started: Option<(usize, f64)>,
}

/// What lies over the panes.
#[derive(Debug)]
pub enum Overlay {
    /// Keys of the pane.
    Help {
        /// Scrolled by.
        top: usize,
    },
    /// Every command.
    Palette {
        /// What was typed.
        query: String,
        /// The selected match.
        cursor: Cursor,
    },
    /// Commands to agree to.
    Consent {
        /// What would be fired.
        order: Box<FireOrder>,
        /// The commands.
        asked: Vec<ConsentItem>,
        /// Scrolled by.
        top: usize,
    },
    /// A model's reply to give for a hook that asks one.
    Reply {
        /// What is fired once all replies are there.
        order: Box<FireOrder>,
        /// Hooks still to be asked for, the current one first.
        asked: VecDeque<Asks>,
        /// Replies so far.
        given: Vec<serde_json::Value>,
        /// What was typed.
        text: String,
    },
    /// Leave although hooks run?
    Quit,
    /// Templates and recorded payloads.
    Events {
        /// What was typed.
        query: String,
        /// The selected match.
        cursor: Cursor,
    },
    /// One line of text for something.
    Prompt {
        /// For what.
        kind: PromptKind,
        /// The text.
        text: String,
    },
}

/// A hook whose answer comes from a model or a tool server, which hookdbg never makes up.
#[derive(Debug, Clone)]
pub struct Asks {
    /// The hook.
    pub hook: String,
    /// `prompt`, `agent` or `mcp_tool`.
    pub kind: String,
    /// What it asks.
    pub text: String,
}

impl Asks {
    /// A reply to begin with.
    pub fn example(&self) -> &'static str {
        if self.kind == "mcp_tool" { "{}" } else { r#"{"ok": true}"# }
    }
}

/// What a prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// Filter of the focused list, or search in the detail.
    Filter,
    /// Tool name of the matcher playground.
    Playground,
    /// A file of payloads.
    OpenFile,
    /// The recording a firing is added to.
    SaveTo,
}

/// Live output of a run whose report is not there yet.
#[derive(Debug, Default)]
pub struct Live {
    /// Which run.
    pub run: Option<RunId>,
    /// So far.
    pub stdout: String,
    /// So far.
    pub stderr: String,
}

/// One row of the hooks pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookRow {
    /// A heading.
    Event(String),
    /// A hook by its index in the set.
    Hook(usize),
    /// Something in the files that was not loaded, by its index among the problems.
    Problem(usize),
}
