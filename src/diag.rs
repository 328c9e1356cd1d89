//! Places in source text and messages about them.
//!
//! The lowest layer: it knows bytes, lines and columns, and nothing of hooks. It reads no files.

mod diagnostic;
mod render;
mod source;

pub use diagnostic::{Diagnostic, Excerpt, Severity};
pub use render::{GUTTER, render};
pub use source::{Place, Source, Span};
