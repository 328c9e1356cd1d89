//! What a hook has printed while its report isn't there yet.

use crate::model::RunId;

/// Output of a run in progress, up to a limit per stream; the report has all of it.
#[derive(Debug, Default)]
pub struct LiveOutput {
    /// The run to kill on request; absent until the hook has started.
    pub run: Option<RunId>,
    pub stdout: String,
    pub stderr: String,
}
