//! Transcripts of Claude Code: which events a recorded session gave its hooks.
//!
//! [`derive`] holds the rules; [`transcript_record`] reads records, [`classify`] tells what they are,
//! [`hooks`] finds what hooks did.

mod classify;
mod derive;
mod event_buffer;
mod hooks;
mod transcript_record;
mod versions;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use derive::{Agent, Derivation, Position, SessionFacts};
use event_buffer::EventBuffer;
use transcript_record::TranscriptRecord;

pub use versions::FieldsOf;

use super::import::{Importing, Problems};
use super::json_stream::{JsonStream, StreamItem};

pub fn read<R: Read>(importing: Importing<'_, R>, fields: FieldsOf) -> io::Result<()> {
    let Importing { objects, path, summary, sink } = importing;
    let mut buffer = EventBuffer::new(sink);
    // The file of a subagent read for itself is told as its events alone.
    let agent = agent_of(path).map(|id| Agent { id, kind: String::new() });
    let mut derivation = Derivation::new(&mut buffer, path, fields, agent);
    records(objects, &mut derivation, &mut summary.problems)?;
    derivation.finish();
    (summary.other, summary.foreign) = (summary.other + derivation.other, summary.foreign + derivation.foreign);
    buffer.finish();
    Ok(())
}

fn records<R: Read>(
    objects: &mut JsonStream<R>,
    derivation: &mut Derivation<'_, '_>,
    problems: &mut Problems,
) -> io::Result<()> {
    objects.for_each(|item| match item {
        StreamItem::Object(text, _) if transcript_record::is_noise(text) => derivation.other += 1,
        StreamItem::Object(text, number) => match read_line(text) {
            Ok(line) => derivation.take(&line, number),
            Err(why) if why.is_empty() => derivation.other += 1,
            Err(why) => problems.add(number, why),
        },
        StreamItem::Broken(number, why) => problems.add(number, why),
    })
}

/// One record; the error is empty where it is JSON of a shape nobody knows.
fn read_line(text: &[u8]) -> Result<TranscriptRecord<'_>, String> {
    // Checked once as a whole, which is much faster than string by string.
    let text = std::str::from_utf8(text).map_err(|e| format!("not UTF-8 at byte {}", e.valid_up_to()))?;
    serde_json::from_str(text).map_err(|e| if e.is_data() { String::new() } else { format!("not JSON: {e}") })
}

/// The events of a subagent's file; gives the number of records that say nothing.
fn read_agent(
    buffer: &mut EventBuffer<'_>,
    file: &Path,
    fields: FieldsOf,
    agent: Agent,
    session: SessionFacts,
    here: Position,
) -> u64 {
    let Ok(mut objects) = File::open(file).and_then(JsonStream::new) else { return 0 };
    let mut derivation = Derivation::new(buffer, file, fields, Some(agent));
    derivation.inherit(session, here);
    let mut problems = Problems::default();
    let _ = records(&mut objects, &mut derivation, &mut problems);
    derivation.finish();
    derivation.other + problems.count
}

/// The id in the name of a subagent's file: `agent-<id>.jsonl`.
fn agent_of(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    let (_, id) = stem.rsplit_once("agent-")?;
    (!id.is_empty() && (stem.starts_with("agent-") || stem.contains(".agent-"))).then(|| id.to_string())
}

/// Where the file of subagent `id` of the session in `main` lies, in the layouts of all versions.
fn agent_file(main: &Path, id: &str) -> Option<PathBuf> {
    let dir = main.parent()?;
    let stem = main.file_stem()?.to_str()?;
    let name = format!("agent-{id}.jsonl");
    [
        dir.join(stem).join("subagents").join(&name),
        dir.join(&name),
        dir.join(format!("{stem}.{name}")),
        dir.join("subagent.jsonl"),
    ]
    .into_iter()
    .find(|p| p.is_file())
}

/// Whether an internal agent of the program wrote this file; its text is nobody's prompt.
pub fn is_internal(path: &Path) -> bool {
    agent_of(path).is_some_and(|id| id.starts_with("acompact"))
}
