//! Files of recorded events in any form people have them: told apart by their content, read as a stream.
//!
//! Lines that cannot be read are counted and named with their number; they never end the reading.

mod codex;
mod copilot;
mod gemini;
mod log;
mod sniff;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use sniff::{FORMATS, FormatSpec, SourceFormat};

use super::json_stream::{JsonStream, StreamItem};
use super::recorded_event::{EventOrigin, RecordedEvent};
use super::transcript::{self, FieldsOf};
use crate::dialect::Dialect;

/// Lines named of those that could not be read.
const NAMED: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    pub count: u64,
    /// The first of them, each with its line.
    pub named: Vec<(u64, String)>,
}

impl Problems {
    pub fn add(&mut self, line: u64, why: impl Into<String>) {
        self.count += 1;
        if self.named.len() < NAMED {
            self.named.push((line, why.into()));
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct ImportSummary {
    pub file: PathBuf,
    pub format: Option<SourceFormat>,
    pub events: BTreeMap<String, u64>,
    /// Records that say nothing of events.
    pub other: u64,
    /// Records left out because they belong to another session.
    pub foreign: u64,
    pub problems: Problems,
    pub bytes: u64,
}

impl ImportSummary {
    pub fn total(&self) -> u64 {
        self.events.values().sum()
    }
}

#[derive(Debug, Clone, Copy)]
pub struct ImportOptions<'a> {
    /// Whose payloads a log holds that does not say it.
    pub dialect: &'a dyn Dialect,
    pub fields: FieldsOf,
}

pub struct Importing<'a, R> {
    pub objects: &'a mut JsonStream<R>,
    pub path: &'a Path,
    pub summary: &'a mut ImportSummary,
    pub sink: &'a mut dyn FnMut(RecordedEvent),
}

/// Read the events of `file` into `sink`. Err only if nothing of it can be read.
pub fn import(
    file: &Path,
    options: &ImportOptions<'_>,
    sink: &mut dyn FnMut(RecordedEvent),
) -> io::Result<ImportSummary> {
    if file.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory"));
    }
    if file.exists() && !file.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut objects = JsonStream::new(File::open(file)?)?;
    let format = sniff::format(objects.beginning(), file);
    let mut summary = ImportSummary { file: file.into(), format: Some(format), ..ImportSummary::default() };
    let mut events = BTreeMap::new();
    let sink = &mut |entry: RecordedEvent| {
        *events.entry(entry.event.clone()).or_insert(0) += 1;
        sink(entry);
    };
    let importing = Importing { objects: &mut objects, path: file, summary: &mut summary, sink };
    match format {
        SourceFormat::Recording => recording(importing)?,
        SourceFormat::Transcript if transcript::is_internal(file) => {}
        SourceFormat::Transcript => transcript::read(importing, options.fields)?,
        SourceFormat::Codex => codex::read(importing)?,
        SourceFormat::Copilot => copilot::read(importing)?,
        SourceFormat::Gemini => gemini::read(importing)?,
        SourceFormat::Log => log::read(importing, options.dialect)?,
    }
    summary.events = events;
    summary.bytes = objects.bytes;
    Ok(summary)
}

/// An event of another agent in the shape of Claude Code's: what every payload has, then its own fields.
fn shaped(
    event: &str,
    mut base: Value,
    own: Value,
    origin: EventOrigin,
    derived: Vec<Cow<'static, str>>,
) -> RecordedEvent {
    if let (Some(fields), Value::Object(own)) = (base.as_object_mut(), own) {
        fields.extend(own);
    }
    let payload = base.to_string();
    RecordedEvent { dialect: Some("claude".into()), event: event.into(), payload, origin, derived, recorded: None }
}

/// Hand every object to `read`; what is none, and what `read` refuses, is one of the problems.
fn each_object<R: io::Read>(
    objects: &mut JsonStream<R>,
    problems: &mut Problems,
    mut read: impl FnMut(&[u8], u64) -> Result<(), String>,
) -> io::Result<()> {
    objects.for_each(|item| match item {
        StreamItem::Broken(line, why) => problems.add(line, why),
        StreamItem::Object(text, line) => read(text, line).unwrap_or_else(|why| problems.add(line, why)),
    })
}

/// The object in `text`, as a tree.
fn parsed<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|error| format!("not JSON: {error}"))
}

fn recording<R: io::Read>(Importing { objects, summary, sink, .. }: Importing<'_, R>) -> io::Result<()> {
    each_object(objects, &mut summary.problems, |text, _| {
        sink(RecordedEvent::from_line(text)?);
        Ok(())
    })
}

/// The files to read for `paths`: a directory stands for the recordings and transcripts in it, files of subagents left
/// to their session.
pub fn files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut inside = Vec::new();
            walk(path, 0, &mut inside);
            inside.sort();
            found.append(&mut inside);
        } else {
            found.push(path.clone());
        }
    }
    found
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "jsonl")
}

/// Deeper than any host keeps its sessions.
const DEEPEST: usize = 8;

fn walk(dir: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok).map(|e| e.path());
    for path in entries {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if path.is_dir() && depth < DEEPEST && name != "subagents" && name != "tool-results" {
            walk(&path, depth + 1, found);
        } else if path.is_file() && (is_lines(&path) && !name.starts_with("agent-") || log::named_after_event(&path)) {
            found.push(path);
        }
    }
}
