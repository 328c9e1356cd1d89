//! Derivation against the truth: sessions of which both the transcript and what real hooks received are public.
//!
//! The files belong to others and are not part of this project: they are read from `HOOKDBG_CORPUS` (by default
//! `../shared/corpus`), and where there are none it is named as skipped.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test program")]

#[path = "support/skip.rs"]
mod skip;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookdbg::dialect::registry;
use hookdbg::record::{FieldsOf, ImportOptions, RecordedEvent, import};
use serde_json::{Map, Value};
use skip::skipped;

fn corpus() -> Option<PathBuf> {
    let named = std::env::var_os("HOOKDBG_CORPUS").map(PathBuf::from);
    let dir = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"));
    if dir.is_dir() {
        return Some(dir);
    }
    skipped(&format!("derived against received events: no recorded sessions in {}", dir.display()));
    None
}

fn read(file: &Path) -> Vec<RecordedEvent> {
    let dialect = registry::find("claude").unwrap();
    let options = ImportOptions { dialect: dialect.as_ref(), fields: FieldsOf::Recorded };
    let mut entries = Vec::new();
    import(file, &options, &mut |entry| entries.push(entry)).unwrap();
    entries
}

fn fields(entry: &RecordedEvent) -> Map<String, Value> {
    serde_json::from_str(&entry.payload).unwrap()
}

/// What makes a derived and a logged event the same one.
fn key(event: &str, fields: &Map<String, Value>) -> String {
    let of = |name: &str| fields.get(name).map(Value::to_string).unwrap_or_default();
    match event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" => format!("{} {}", of("tool_name"), of("tool_input")),
        "UserPromptSubmit" => of("prompt"),
        "SessionStart" => of("source"),
        "PreCompact" | "PostCompact" => of("trigger"),
        "SubagentStop" => of("agent_id"),
        _ => String::new(),
    }
}

/// Fields only a logger adds, or that name the place of a file on the machine it was recorded on.
const NOT_COMPARED: [&str; 7] =
    ["transcript_path", "timestamp", "bash_command", "bash_description", "file_path", "duration_ms", "model"];

#[derive(Default)]
struct Score {
    derived: usize,
    logged: usize,
    both: usize,
    fields: usize,
    equal: usize,
    different: BTreeMap<String, usize>,
}

fn pairs(dir: &Path) -> BTreeMap<String, (PathBuf, Vec<PathBuf>)> {
    let mut pairs: BTreeMap<String, (PathBuf, Vec<PathBuf>)> = BTreeMap::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let Some(rest) = name.strip_prefix("pair-") else { continue };
        let stem = rest.trim_end_matches(".jsonl").trim_end_matches(".json");
        let Some((pair, part)) = stem.rsplit_once('.') else { continue };
        let slot = pairs.entry(pair.to_string()).or_default();
        match part {
            "chat" | "transcript" => slot.0 = path,
            _ if part.starts_with("agent-") => {}
            _ => slot.1.push(path),
        }
    }
    pairs.retain(|_, (transcript, logs)| transcript.is_file() && !logs.is_empty());
    pairs
}

#[test]
fn derived_events_are_those_real_hooks_received() {
    let Some(dir) = corpus() else { return };
    let mut totals: BTreeMap<String, Score> = BTreeMap::new();
    for (pair, (transcript, logs)) in pairs(&dir) {
        let derived = read(&transcript);
        let session: BTreeSet<_> = derived.iter().filter_map(|e| e.origin.session.clone()).collect();
        let logged: Vec<RecordedEvent> = logs.iter().flat_map(|l| read(l)).collect();
        let logged: Vec<_> =
            logged.into_iter().filter(|e| e.origin.session.as_ref().is_some_and(|s| session.contains(s))).collect();
        let events: BTreeSet<_> = logged.iter().map(|e| e.event.clone()).collect();
        for event in events {
            let score = compare(&derived, &logged, &event, transcript.to_str().unwrap());
            println!(
                "{pair:<22} {event:<18} derived {:>3} logged {:>3} both {:>3}   fields equal {}/{} {:?}",
                score.derived, score.logged, score.both, score.equal, score.fields, score.different
            );
            let total = totals.entry(event).or_default();
            total.derived += score.derived;
            total.logged += score.logged;
            total.both += score.both;
            total.fields += score.fields;
            total.equal += score.equal;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred events")]
    let ratio = |a: usize, b: usize| if b == 0 { 1.0 } else { a as f64 / b as f64 };
    for (event, s) in &totals {
        println!(
            "{event:<20} precision {:.3} recall {:.3} fields {:.3}",
            ratio(s.both, s.derived),
            ratio(s.both, s.logged),
            ratio(s.equal, s.fields)
        );
    }
    let of = |event: &str| &totals[event];
    // A log goes on after the moment its transcript was copied, and loses events of hooks that run together, so
    // neither figure can be one; precision is only printed.
    for (event, recall) in [("PreToolUse", 0.95), ("PostToolUse", 0.95), ("UserPromptSubmit", 0.85)] {
        assert!(ratio(of(event).both, of(event).logged) >= recall, "{event} recall");
        assert!(ratio(of(event).equal, of(event).fields) >= 0.99, "{event} fields");
    }
    for event in ["Stop", "SessionStart", "PreCompact"] {
        assert_eq!((of(event).both, of(event).derived), (of(event).logged, of(event).logged), "{event}");
    }
}

fn compare(derived: &[RecordedEvent], logged: &[RecordedEvent], event: &str, transcript: &str) -> Score {
    let mut score = Score::default();
    let mut open: Vec<(Map<String, Value>, bool)> =
        derived.iter().filter(|e| e.event == event).map(|e| (fields(e), false)).collect();
    score.derived = open.len();
    for entry in logged.iter().filter(|e| e.event == event) {
        score.logged += 1;
        let theirs = fields(entry);
        let id = theirs.get("tool_use_id");
        let by_id = open.iter().position(|(f, taken)| !taken && id.is_some() && f.get("tool_use_id") == id);
        let by_key = || open.iter().position(|(f, taken)| !taken && key(event, f) == key(event, &theirs));
        let Some(at) = by_id.or_else(by_key) else {
            if std::env::var_os("HOOKDBG_CORPUS_SHOW").is_some() {
                println!("   not derived: {event} {}", key(event, &theirs).chars().take(160).collect::<String>());
            }
            continue;
        };
        open[at].1 = true;
        score.both += 1;
        let ours = &open[at].0;
        for (name, value) in theirs.iter().filter(|(n, _)| !NOT_COMPARED.contains(&n.as_str())) {
            score.fields += 1;
            if ours.get(name) == Some(value) {
                score.equal += 1;
            } else {
                *score.different.entry(name.clone()).or_default() += 1;
            }
        }
    }
    if std::env::var_os("HOOKDBG_CORPUS_SHOW").is_some() {
        for (f, _) in open.iter().filter(|(_, taken)| !taken) {
            println!("   not logged: {event} {} ({transcript})", key(event, f).chars().take(160).collect::<String>());
        }
    }
    score
}

#[test]
fn every_file_of_the_corpus_is_read_and_none_stops_the_reading() {
    let Some(dir) = corpus() else { return };
    let dialect = registry::find("claude").unwrap();
    let options = ImportOptions { dialect: dialect.as_ref(), fields: FieldsOf::Newest };
    let mut files = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_some_and(|e| e == "json" || e == "jsonl") {
            let mut wrong = Vec::new();
            let tally = import(&path, &options, &mut |entry| {
                let line = entry.to_line().unwrap();
                if RecordedEvent::from_line(line.trim_end().as_bytes()).unwrap() != entry || entry.to_payload().is_err()
                {
                    wrong.push(entry.origin.line);
                }
            })
            .unwrap();
            assert!(wrong.is_empty(), "{}: {wrong:?}", path.display());
            assert!(tally.total() + tally.problems.count > 0 || path.to_str().unwrap().contains("acompact"));
            files += 1;
        }
    }
    assert!(files > 0, "the corpus is empty");
    println!("{files} files");
}
