//! What can happen: everything the update function is told.

use std::path::PathBuf;
use std::sync::Arc;

use super::fire_order::{FireOrder, FiredFor};
use super::key::Key;
use super::loaded_settings::LoadedSettings;
use crate::diag::Diagnostic;
use crate::model::{FiringId, Lifecycle, Payload};
use crate::record::RecordedEvent;
use crate::report::Report;
use crate::settings::ConsentItem;

#[derive(Debug)]
pub enum Msg {
    Key(Key),
    /// Text was pasted; it never acts as keys.
    Paste(String),
    Click {
        x: u16,
        y: u16,
    },
    /// The wheel was turned by so many lines; negative is up.
    Wheel {
        x: u16,
        y: u16,
        lines: i32,
    },
    Resize(u16, u16),
    Lifecycle(Lifecycle),
    Fired(FiringId, FiredFor, Arc<Report>),
    /// These commands need the user's consent before the order can be fired.
    NeedsConsent(FireOrder, Vec<ConsentItem>),
    Loaded(Box<LoadedSettings>),
    /// A settings file can't be read; the last good settings stay in force.
    LoadFailed(Box<Diagnostic>),
    ScriptChanged(PathBuf),
    /// A file of payloads was opened: its path, its events, and why others were left out.
    PayloadsOpened(PathBuf, Vec<(Payload, RecordedEvent)>, Vec<String>),
    Edited(String),
    /// Something to show in the footer for a few seconds.
    Notice(String),
    /// Time passed: milliseconds since the start.
    Tick(f64),
}
