//! A monotonic clock that stands still while hookdbg itself is suspended (Ctrl-Z, SIGSTOP), so that no hook times
//! out for time in which nobody could watch it.
//!
//! While runs are active something looks at the clock at least every [`TICK`]; a much longer gap means that we were
//! not running, and is taken out.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often an active run looks at the clock.
pub const TICK: Duration = Duration::from_millis(100);
/// A gap beyond this is a suspension, not a late timer on a loaded machine.
const SUSPENDED: Duration = Duration::from_millis(900);

/// Time since the clock was made, suspensions taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActiveTime(Duration);

impl ActiveTime {
    /// Later by `by`; without end if that overflows.
    pub fn plus(self, by: Duration) -> Self {
        Self(self.0.checked_add(by).unwrap_or(Duration::MAX))
    }

    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

#[derive(Debug)]
pub struct ActiveClock {
    origin: Instant,
    state: Mutex<ClockState>,
}

#[derive(Debug)]
struct ClockState {
    seen: Instant,
    suspended: Duration,
    watchers: usize,
}

/// While one of these lives, somebody looks at the clock regularly.
#[derive(Debug)]
pub struct ClockGuard<'a>(&'a ActiveClock);

impl Drop for ClockGuard<'_> {
    fn drop(&mut self) {
        self.0.with(|state| state.watchers -= 1);
    }
}

impl ActiveClock {
    pub fn new() -> Self {
        let now = Instant::now();
        Self { origin: now, state: Mutex::new(ClockState { seen: now, suspended: Duration::ZERO, watchers: 0 }) }
    }

    /// Announce a watcher; idle time before the first one is no suspension.
    pub fn watch(&self) -> ClockGuard<'_> {
        let now = Instant::now();
        self.with(|state| {
            if state.watchers == 0 {
                state.seen = now;
            }
            state.watchers += 1;
        });
        ClockGuard(self)
    }

    pub fn now(&self) -> ActiveTime {
        let now = Instant::now();
        self.with(|state| {
            let gap = now.saturating_duration_since(state.seen);
            if state.watchers > 0 && gap > SUSPENDED {
                state.suspended += gap.saturating_sub(TICK);
            }
            state.seen = state.seen.max(now);
            ActiveTime(now.saturating_duration_since(self.origin).saturating_sub(state.suspended))
        })
    }

    fn with<T>(&self, f: impl FnOnce(&mut ClockState) -> T) -> T {
        // The state is three plain numbers: a panic elsewhere cannot leave it half-changed.
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        f(&mut state)
    }
}
