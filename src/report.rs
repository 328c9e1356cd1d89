//! What happened, for people and for programs: one report value, several renderings.

mod build;
mod environment;
mod escape;
mod explain;
pub mod findings;
mod human;
mod junit;
mod replay;
mod style;
mod value;

pub use build::{call_report, firing_report, firing_report_in, plan_report};
pub use environment::{EnvironmentRow, ParentShell};
pub use escape::{visible, visible_lines};
pub use explain::count;
pub use human::{Verbosity, duration, render_call, render_report};
pub use junit::{JunitCase, junit};
pub use replay::{
    ChangeGroup, ChangedEvent, HookTotals, HookTotalsBuilder, Nondeterministic, REPLAY_VERSION, ReplayReport,
    StopRounds, group_changes, junit_cases, location, render_replay,
};
pub use style::{Paint, Painter};
pub use value::{CallReport, HookReport, HookState, Report, RunReport, SourceReport};
