//! Runs what dialects ask for: real processes, real callbacks, one supervised task per run.
//!
//! The only layer that starts processes. It decides nothing a host decides: it drives a dialect's script and
//! reports what happened through lifecycle events and a finished [`Firing`].

mod call;
mod callback;
mod capture;
mod cause;
mod clock;
mod control;
mod firing;
mod leftovers;
mod options;
mod progress;
mod runner;
mod session;
mod sink;
mod spawn;
mod stdin;
mod supervise;
mod terminate;

pub use call::Call;
pub use callback::{Callback, Callbacks};
pub use control::{Control, Stop};
pub use firing::{Firing, Phase, RunRecord};
pub use options::EngineOptions;
pub use runner::{MatcherEntry, Request, Runner};
pub use session::Session;
pub use sink::{EventSink, EventStream};
