//! The composer: the payload being edited, what is wrong with it, and its plan. `update::composer_changed` keeps them
//! in step.

use crate::diag::{Diagnostic, Span};
use crate::model::{GateKind, Payload, Plan, PlanEntry};
use crate::tui::widgets::Editor;

#[derive(Debug, Clone)]
pub struct ComposeError {
    /// One sentence without a full stop.
    pub message: String,
    /// The bytes of the text it is about; absent when something is missing.
    pub span: Option<Span>,
}

#[derive(Debug)]
pub struct Composer {
    pub editor: Editor,
    pub payload: Result<Payload, ComposeError>,
    /// Missing and unknown fields of the payload.
    pub findings: Vec<Diagnostic>,
    /// Which hooks would run; while the text is broken, the plan of the last payload that wasn't.
    pub plan: Plan,
}

impl Composer {
    /// The plan's hooks of this event, whether they run or not.
    pub fn configured(&self) -> impl Iterator<Item = &PlanEntry> {
        self.plan.entries.iter().filter(|e| e.gate.as_ref().is_none_or(|g| g.gate != GateKind::Event))
    }
}
