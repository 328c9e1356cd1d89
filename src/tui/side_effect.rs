//! What the update function wants done outside of the state. The runtime does it; nothing here does.

use std::path::PathBuf;

use super::fire_order::FireOrder;
use crate::model::{FiringId, RunId};
use crate::record::RecordedEvent;

#[derive(Debug)]
pub enum SideEffect {
    /// Fire an event, after the user's consent where it is needed.
    Fire(Box<FireOrder>),
    Interrupt(FiringId),
    Kill(FiringId),
    KillRun(FiringId, RunId),
    /// Open a file at a line (from one) in the user's editor.
    EditFile(PathBuf, usize),
    /// Edit the composer's text in the user's editor; `Msg::Edited` brings it back.
    EditText(String),
    Copy(String),
    /// Open a file of payloads; `Msg::PayloadsOpened` brings them.
    OpenPayloads(PathBuf),
    Record(PathBuf, Box<RecordedEvent>),
    SaveState,
    /// Stop like Ctrl-Z does, until the shell continues us.
    Suspend,
    Quit,
}
