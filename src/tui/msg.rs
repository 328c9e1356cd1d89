//! What comes into the update function and what goes out of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::keys::Key;
use crate::check::{Around, check};
use crate::diag::Diagnostic;
use crate::dialect::Dialect;
use crate::model::{FiringId, HookSet, Lifecycle, Payload, RunId, Toggles};
use crate::record::RecordedEvent;
use crate::report::Report;
use crate::settings::{ConsentItem, FileStatus, Settings};

/// Something happened.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted; it never acts as keys.
    Paste(String),
    /// A click.
    Click {
        /// Column.
        x: u16,
        /// Row.
        y: u16,
    },
    /// The wheel, lines down (negative: up).
    Wheel {
        /// Column.
        x: u16,
        /// Row.
        y: u16,
        /// How far.
        lines: i32,
    },
    /// The terminal has this size now.
    Resize(u16, u16),
    /// The engine says.
    Lifecycle(Lifecycle),
    /// A firing is over and its report made.
    Fired(FiringId, Purpose, Arc<Report>),
    /// These commands need the user's word before this can be fired.
    NeedsConsent(FireOrder, Vec<ConsentItem>),
    /// Settings were read again.
    Loaded(Box<Loaded>),
    /// A settings file cannot be read now; the last good set stays.
    LoadFailed(Box<Diagnostic>),
    /// A script that hooks name changed.
    ScriptChanged(PathBuf),
    /// A file of payloads was opened.
    PayloadsOpened(PathBuf, Vec<(Payload, RecordedEvent)>, Vec<String>),
    /// The editor gave the composer's text back.
    Edited(String),
    /// Something to say for a while.
    Notice(String),
    /// Time passed: milliseconds since the start.
    Tick(f64),
}

/// What reading settings gave.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Whose rules.
    pub dialect: Arc<dyn Dialect>,
    /// The hooks.
    pub hooks: Arc<HookSet>,
    /// Findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The files.
    pub files: Vec<FileStatus>,
}

impl Loaded {
    /// Settings with everything there is to say about them; hooks run in `project`.
    pub fn of(settings: Settings, project: &Path) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let around = Around { project: project.to_path_buf(), home };
        let diagnostics = check(&settings, &around);
        Self { dialect: settings.dialect, hooks: Arc::new(settings.hooks), diagnostics, files: settings.files }
    }

    /// Without what only a project of one's own can heed.
    #[must_use]
    pub fn for_demo(mut self) -> Self {
        self.diagnostics.retain(|d| d.id != "relative-script");
        self
    }
}

/// Why an event is fired; decides what its result is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The user fired it.
    User,
    /// Row of the replay list.
    Replay(usize),
    /// A save set it off; the firing it repeats.
    Pinned(FiringId),
}

/// An event to fire.
#[derive(Debug, Clone)]
pub struct FireOrder {
    /// Its number.
    pub id: FiringId,
    /// The event.
    pub payload: Payload,
    /// Hooks switched off.
    pub toggles: Toggles,
    /// Why.
    pub purpose: Purpose,
    /// The host's state, with the replies given for hooks that ask a model.
    pub host: Arc<serde_json::Map<String, serde_json::Value>>,
    /// The user has agreed to these very commands.
    pub consented: bool,
}

/// Something for the runtime to do.
#[derive(Debug)]
pub enum Effect {
    /// Fire an event.
    Fire(Box<FireOrder>),
    /// Interrupt a firing.
    Interrupt(FiringId),
    /// Kill a firing.
    Kill(FiringId),
    /// Kill one run.
    KillRun(FiringId, RunId),
    /// Open a file at a line in the user's editor.
    EditFile(PathBuf, usize),
    /// Edit the composer's text in the user's editor.
    EditText(String),
    /// Put text on the clipboard.
    Copy(String),
    /// Open a file of payloads.
    OpenPayloads(PathBuf),
    /// Append an event to a recording.
    Record(PathBuf, Box<RecordedEvent>),
    /// Keep what should be there next time.
    SaveState,
    /// Suspend ourselves.
    Suspend,
    /// Leave.
    Quit,
}
