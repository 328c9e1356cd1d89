//! `hookdbg import`: transcripts and payload logs to a recording, or a look at what they hold.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::json;

use super::args::{Format, ImportArgs};
use super::failure::Failure;
use super::{inputs, output};
use crate::dialect::registry;
use crate::record::{ImportOptions, ImportSummary, Recording, SourceFormat};

pub fn run(args: &ImportArgs) -> Result<(), Failure> {
    let dialect = registry::named(args.dialect.as_deref()).map_err(Failure::Input)?;
    let options = ImportOptions { dialect: dialect.as_ref(), fields: args.fields };
    let open = |path: &PathBuf| Recording::open(path).map_err(Failure::cannot("write", path));
    let mut recording = args.output.as_ref().map(open).transpose()?;
    let mut write_error = None;
    let (summaries, failed) = inputs::import_all(&args.files, &options, &mut |mut entry| {
        if let (Some(name), true) = (&args.dialect, entry.dialect.is_some()) {
            entry.dialect = Some(name.split('@').next().unwrap_or(name).to_string());
        }
        if let Some(recording) = &mut recording {
            write_error = write_error.take().or_else(|| recording.write(&entry).err());
        } else if args.format == Format::Jsonl {
            let _ = entry.to_line().map(|line| output::print(&line));
        }
    })?;
    if let Some(error) = write_error {
        return Err(Failure::input(format!("the recording could not be written: {error}")));
    }
    match args.format {
        Format::Human => output::print(&human(&summaries, &failed))?,
        Format::Json => output::print_json(&summaries.iter().map(as_json).collect::<Vec<_>>())?,
        Format::Jsonl => {}
        Format::Junit => return Err(output::no_junit()),
    }
    if summaries.is_empty() {
        return Err(Failure::input(failed.join("\n")));
    }
    if args.format != Format::Human {
        failed.iter().for_each(|f| output::warn(f));
    }
    Ok(())
}

fn as_json(summary: &ImportSummary) -> serde_json::Value {
    let problems: Vec<_> = summary.problems.named.iter().map(|(line, why)| json!({"line": line, "why": why})).collect();
    json!({
        "file": summary.file.display().to_string(), "format": summary.format.map(SourceFormat::name), "events": summary.events,
        "other_records": summary.other, "other_sessions": summary.foreign, "unreadable": summary.problems.count,
        "problems": problems, "bytes": summary.bytes,
    })
}

/// Lines that could not be read, grouped by what is wrong with them.
fn problems(out: &mut String, summary: &ImportSummary) {
    let mut by_reason: Vec<(&str, Vec<u64>)> = Vec::new();
    for (line, why) in &summary.problems.named {
        match by_reason.iter_mut().find(|(known, _)| known == why) {
            Some((_, lines)) => lines.push(*line),
            None => by_reason.push((why, vec![*line])),
        }
    }
    for (why, lines) in by_reason {
        let shown: Vec<_> = lines.iter().take(5).map(u64::to_string).collect();
        let more = if lines.len() > shown.len() { " …" } else { "" };
        let word = if lines.len() == 1 { "line" } else { "lines" };
        let _ = writeln!(out, "  {word} {}{more}: {why}", shown.join(", "));
    }
    let more = summary.problems.count - summary.problems.named.len() as u64;
    if more > 0 {
        let _ = writeln!(out, "  {} lines in all could not be read", summary.problems.count);
    }
}

pub fn human(summaries: &[ImportSummary], failed: &[String]) -> String {
    let mut out = String::new();
    for summary in summaries {
        let format = summary.format.map_or("", SourceFormat::name);
        let _ = writeln!(out, "{}  {format} · {} events", summary.file.display(), summary.total());
        let events: Vec<_> = summary.events.iter().map(|(event, count)| format!("{event} {count}")).collect();
        if !events.is_empty() {
            let _ = writeln!(out, "  {}", events.join(" · "));
        }
        if summary.total() == 0 && summary.problems.count == 0 {
            let _ = writeln!(out, "  nothing in it is an event of a hook");
        }
        if summary.other + summary.foreign > 0 {
            let _ = writeln!(out, "  {} records say nothing of events", summary.other + summary.foreign);
        }
        problems(&mut out, summary);
    }
    for failure in failed {
        let _ = writeln!(out, "not read: {failure}");
    }
    out
}
