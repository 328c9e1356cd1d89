//! The engine's own limits; none of them is a host's rule.

use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// Bytes kept of each output stream; the rest is counted.
    pub capture_bytes: usize,
    /// Time between the request to end (TERM) and the kill.
    pub grace: Duration,
    /// Time for late output after a hook's own process has ended, in total.
    pub drain: Duration,
    /// Processes alive at once; further runs wait.
    pub max_processes: usize,
    /// Working directory of hooks; none means ours.
    pub cwd: Option<PathBuf>,
    /// Variables every hook gets beside those its host sets.
    pub env: Vec<(String, String)>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            capture_bytes: 1 << 20,
            grace: Duration::from_millis(500),
            // Shorter budgets flag false leaks on a loaded machine.
            drain: Duration::from_millis(500),
            max_processes: 64,
            cwd: None,
            env: Vec::new(),
        }
    }
}
