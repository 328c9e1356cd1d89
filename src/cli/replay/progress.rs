//! A line on standard error that says how far a replay is; only where somebody watches.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// More often than this nobody reads it, and a fast replay would spend its time writing.
const REDRAW_EVERY: Duration = Duration::from_millis(100);

pub struct ProgressBar {
    total: usize,
    done: usize,
    name: String,
    started: Instant,
    shown: Option<Instant>,
    watched: bool,
}

impl ProgressBar {
    pub fn new(total: usize, name: &str) -> Self {
        let watched = io::stderr().is_terminal();
        Self { total, done: 0, name: name.into(), started: Instant::now(), shown: None, watched }
    }

    pub fn step(&mut self) {
        self.done += 1;
        if !self.watched || self.shown.is_some_and(|at| at.elapsed() < REDRAW_EVERY) {
            return;
        }
        self.shown = Some(Instant::now());
        #[expect(clippy::cast_precision_loss, reason = "counts of events")]
        let (part, rate) =
            (self.done as f64 / self.total.max(1) as f64, self.done as f64 / self.started.elapsed().as_secs_f64());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 20")]
        let filled = (part * 20.0) as usize;
        let bar = format!("{}{}", "#".repeat(filled.min(20)), "-".repeat(20 - filled.min(20)));
        let _ = write!(io::stderr(), "\r{} [{bar}] {}/{} {rate:.0}/s ", self.name, self.done, self.total);
    }

    /// Clears the line, so that the report does not start in the middle of it.
    pub fn finish(&mut self) {
        if self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
