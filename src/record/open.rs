//! A whole file in memory, for lists on a screen.

use std::io;
use std::path::Path;

use super::import::{ImportOptions, import};
use super::recorded_event::RecordedEvent;
use super::transcript::FieldsOf;
use crate::dialect::Dialect;
use crate::model::Payload;

#[derive(Debug, Default)]
pub struct Opened {
    /// The events that `dialect` knows, in order, each with its payload.
    pub events: Vec<(Payload, RecordedEvent)>,
    /// What was left out, each with its place.
    pub problems: Vec<String>,
}

/// More events than anybody scrolls through.
const MOST: usize = 200_000;

/// Read `file` for the hooks of `dialect`.
pub fn open_events(file: &Path, dialect: &dyn Dialect) -> io::Result<Opened> {
    let mut opened = Opened::default();
    let (mut beyond, mut foreign) = (0_u64, 0_u64);
    let options = ImportOptions { dialect, fields: FieldsOf::Recorded };
    let summary = import(file, &options, &mut |entry| {
        if entry.dialect.as_deref().is_some_and(|d| d != dialect.profile().name)
            || dialect.profile().event(&entry.event).is_none()
        {
            foreign += 1;
        } else if opened.events.len() >= MOST {
            beyond += 1;
        } else {
            match entry.to_payload() {
                Ok(payload) => opened.events.push((payload, entry)),
                Err(why) => opened.problems.push(format!("line {}: {why}", entry.origin.line)),
            }
        }
    })?;
    opened.problems.extend(summary.problems.named.iter().map(|(line, why)| format!("line {line}: {why}")));
    let unnamed = summary.problems.count - summary.problems.named.len() as u64;
    let mut more = |count: u64, what: &str| {
        if count > 0 {
            opened.problems.push(format!("{count} {what}"));
        }
    };
    more(unnamed, "more lines could not be read");
    more(foreign, &format!("events are of another host than {}", dialect.profile().name));
    more(beyond, "events are beyond what a list can show");
    Ok(opened)
}
