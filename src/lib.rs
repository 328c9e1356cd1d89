//! hookdbg: a debugger and inspector for the hooks of AI coding agents.
//!
//! ```text
//! settings files ─▶ settings ─▶ dialect::load ─▶ HookSet (+ diagnostics)
//! payload ─▶ plan ─▶ Plan ─▶ engine (firing / call / session) ─▶ Lifecycle events ─▶ report
//! ```

pub mod check;
pub mod cli;
pub mod diag;
pub mod dialect;
pub mod engine;
pub mod model;
pub mod plan;
pub mod record;
pub mod report;
pub mod settings;
pub mod store;
#[cfg(feature = "tui")]
pub mod tui;
