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

/// Something happened.
#[derive(Debug)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted; it never acts as keys.
    Paste(String),
    /// The left mouse button was pressed.
    Click {
        /// Column from zero.
        x: u16,
        /// Row from zero.
        y: u16,
    },
    /// The mouse wheel was turned.
    Wheel {
        /// Column from zero.
        x: u16,
        /// Row from zero.
        y: u16,
        /// Lines to scroll down; negative scrolls up.
        lines: i32,
    },
    /// The terminal now has this many columns and rows.
    Resize(u16, u16),
    /// The engine reports a step of a firing.
    Lifecycle(Lifecycle),
    /// A firing has finished; here is its report.
    Fired(FiringId, FiredFor, Arc<Report>),
    /// These commands need the user's consent before the order can be fired.
    NeedsConsent(FireOrder, Vec<ConsentItem>),
    /// Settings were read again.
    Loaded(Box<LoadedSettings>),
    /// A settings file can't be read; the last good settings stay in force.
    LoadFailed(Box<Diagnostic>),
    /// A script that a hook runs has changed.
    ScriptChanged(PathBuf),
    /// A file of payloads was opened: its path, its events, and why others were left out.
    PayloadsOpened(PathBuf, Vec<(Payload, RecordedEvent)>, Vec<String>),
    /// The user's editor returned the composer's text.
    Edited(String),
    /// Something to show in the footer for a few seconds.
    Notice(String),
    /// Time passed: milliseconds since the start.
    Tick(f64),
}
