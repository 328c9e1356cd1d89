//! What happened, for people and for programs: one report value, several renderings.

mod build;
mod escape;
mod explain;
pub mod findings;
mod human;
mod junit;
mod lens;
mod replay;
mod style;
mod value;

pub use build::{call_report, firing_report, plan_report};
pub use escape::{visible, visible_lines};
pub use human::{Verbosity, duration, render_call, render_report};
pub use junit::{JunitCase, junit};
pub use lens::LensRow;
pub use replay::{
    Changed, Continued, Group, HookStats, REPLAY_VERSION, ReplayReport, Tallying, Unsteady, group, junit_cases, place,
    render_replay,
};
pub use style::{Paint, Painter};
pub use value::{CallReport, HookReport, HookState, Report, RunReport, SourceReport};
