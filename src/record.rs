//! Recorded events: the recording format, importers for what others record, replay and comparison.

mod entry;
mod fields;
mod import;
mod objects;
mod opened;
mod recording;
mod transcript;

pub use entry::{Entry, EntryOrigin, HookOutcome, Outcome, RECORDING_VERSION};
pub use import::{FORMATS, FormatSpec, ImportOptions, Problems, SourceFormat, Tally, files, import};
pub use opened::{Opened, open_events};
pub use recording::Recording;
pub use transcript::FieldsOf;
