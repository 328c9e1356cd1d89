//! What the update function wants done outside of the state. The runtime does it; nothing here does.

use std::path::PathBuf;

use super::fire_order::FireOrder;
use crate::model::{FiringId, RunId};
use crate::record::RecordedEvent;

/// Something for the runtime to do.
#[derive(Debug)]
pub enum SideEffect {
    /// Fire an event, after the user's consent where it is needed.
    Fire(Box<FireOrder>),
    /// Interrupt all runs of a firing.
    Interrupt(FiringId),
    /// Kill all runs of a firing.
    Kill(FiringId),
    /// Kill one run of a firing.
    KillRun(FiringId, RunId),
    /// Open a file at a line (from one) in the user's editor.
    EditFile(PathBuf, usize),
    /// Edit the composer's text in the user's editor; `Msg::Edited` brings it back.
    EditText(String),
    /// Put text on the clipboard.
    Copy(String),
    /// Open a file of payloads; `Msg::PayloadsOpened` brings them.
    OpenPayloads(PathBuf),
    /// Append an event to a recording.
    Record(PathBuf, Box<RecordedEvent>),
    /// Write the state file.
    SaveState,
    /// Stop like Ctrl-Z does, until the shell continues us.
    Suspend,
    /// Exit.
    Quit,
}
