//! Recorded events: the recording format, importers for what others record, replay and comparison.

mod entry;
mod fields;
mod import;
mod objects;
mod opened;
mod outcome;
mod prefix;
mod recording;
mod replay;
mod scratch;
mod transcript;

pub use entry::{Entry, EntryOrigin, HookOutcome, Outcome, RECORDING_VERSION};
pub use import::{FORMATS, FormatSpec, ImportOptions, Problems, SourceFormat, Tally, files, import};
pub use opened::{Opened, open_events};
pub use outcome::{Difference, differences};
pub use recording::{Recording, holds_something_else};
pub use replay::{Equal, Order, ReplayOptions, Replayed, replay};
pub use scratch::Scratch;
pub use transcript::FieldsOf;
