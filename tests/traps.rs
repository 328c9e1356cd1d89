//! What process code gets wrong, one test per trap, each with a real misbehaving hook in `tests/hooks/`.
//! The number in a name is the trap's; 10a is the bench `engine_overhead`, and the watcher and terminal traps have
//! tests of their own.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test program")]

#[path = "traps/ending.rs"]
mod ending;
#[path = "traps/output.rs"]
mod output;
#[path = "traps/program.rs"]
mod program;
#[path = "support/skip.rs"]
mod skip;
#[path = "traps/start.rs"]
mod start;
#[path = "traps/stdin.rs"]
mod stdin;
mod support;
