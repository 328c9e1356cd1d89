//! Runs what dialects ask for: real processes, real callbacks, one supervised task per run.
//!
//! The only layer that starts processes. It decides nothing a host decides: it drives a dialect's script and
//! reports what happened through lifecycle events and a finished [`Firing`].
//!
//! ```
//! use hookdbg::dialect::registry;
//! use hookdbg::engine::{Callback, EngineOptions, MatcherEntry, Request, Runner};
//! use hookdbg::model::{HookSet, Payload};
//! use serde_json::json;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let runner = Runner::new(registry::find("goat").unwrap(), HookSet::default(), EngineOptions::default());
//! let guard = Callback::new(|input| async move {
//!     let dangerous = input["tool_input"]["command"].as_str().is_some_and(|c| c.contains("rm -rf"));
//!     Ok(if dangerous { json!({"decision": "block", "reason": "no"}) } else { json!({}) })
//! });
//! runner.register(MatcherEntry::on("PreToolUse").matcher("Bash").callback("guard", guard));
//!
//! let event = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}});
//! let payload = Payload::new("PreToolUse", event.as_object().unwrap().clone());
//! let firing = runner.fire(Request::new(payload)).await;
//! assert_eq!(firing.verdict.decision.as_deref(), Some("deny"));
//! # });
//! ```

mod call;
mod callback;
mod capture;
mod cause;
mod clock;
mod control;
mod env_file;
mod events;
mod firing;
#[cfg(feature = "http")]
mod http;
mod leftovers;
mod options;
mod output_pipe;
mod progress;
mod runner;
mod session;
mod spawn;
mod stdin;
mod supervise;
mod terminate;

pub use call::Call;
pub use callback::{Callback, Callbacks};
pub use control::{Control, Stop};
pub use events::{EventSink, EventStream};
pub use firing::{Firing, Phase, RunRecord};
pub use options::EngineOptions;
pub use runner::{MatcherEntry, Request, Runner};
pub use session::Session;
