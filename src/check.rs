//! Explanations before and after the fact: lints over settings and scripts, and the doctor for a hook's output.

mod allow;
mod doctor;
mod lints;
mod run;
mod script;
pub mod secrets;
mod text;

pub use allow::AllowList;
pub use doctor::{HookOutput, OutputFinding, examine};
pub use lints::{LINTS, LintSpec, spec};
pub use run::check;
pub use script::ProjectDirs;
