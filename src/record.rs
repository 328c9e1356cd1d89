//! Recorded events: the recording format, importers for what others record, replay and comparison.

mod import;
mod json_object;
mod json_stream;
mod open;
mod outcome;
mod recorded_event;
mod recording;
mod replay;
mod scratch;
mod transcript;
mod transcript_copy;

pub use import::{FORMATS, FormatSpec, ImportOptions, ImportSummary, Problems, SourceFormat, files, import};
pub use open::{Opened, open_events};
pub use outcome::{Difference, differences};
pub use recorded_event::{EventOrigin, HookOutcome, Outcome, RECORDING_VERSION, RecordedEvent};
pub use recording::{Recording, is_not_a_recording};
pub use replay::{Equal, ReplayOptions, ReplayOrder, Replayed, replay};
pub use scratch::Scratch;
pub use transcript::FieldsOf;
