//! Recorded payloads.

mod payloads;

pub use payloads::{Opened, open_payloads};
