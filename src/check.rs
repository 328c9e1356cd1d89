//! Explanations before and after the fact: lints over settings and scripts, and the doctor for a hook's output.

mod doctor;
mod lints;
mod run;
mod script;
pub mod secrets;
mod silence;
mod text;

pub use doctor::{Advice, Observed, examine};
pub use lints::{LINTS, LintSpec, spec};
pub use run::check;
pub use script::Around;
pub use silence::Silenced;
