//! Then and now: what differs, what the user makes of it, and what is kept.

use std::path::PathBuf;

use crate::record::{EventOrigin, HookOutcome, Outcome, RecordedEvent};
use crate::report::Report;
use crate::tui::app::App;
use crate::tui::side_effect::SideEffect;
use crate::tui::state::{ReplayFilter, Review};

/// What a report came to, in the form recordings keep.
pub fn outcome(report: &Report) -> Option<Outcome> {
    let verdict = report.verdict.as_ref()?;
    let hooks = report.hooks.iter().filter_map(|h| {
        let run = h.run.as_ref()?;
        Some(HookOutcome {
            hook: h.label.clone(),
            outcome: run.outcome.word().into(),
            exit_code: run.exit_code,
            stdout: run.stdout.clone(),
            stderr: run.stderr.clone(),
            duration_ms: Some(run.duration_ms),
        })
    });
    Some(Outcome::new(verdict, hooks.collect()))
}

/// List all events, or only those that differ.
pub fn list(app: &mut App) {
    let listed = match app.replay.items.listed() {
        ReplayFilter::All => ReplayFilter::Different,
        ReplayFilter::Different => ReplayFilter::All,
    };
    app.replay.items.set_listed(listed);
    app.replay.cursor.row = 0;
    let known = app.replay.items.iter().filter(|i| i.entry.recorded.is_some()).count();
    let fired = app.replay.items.iter().filter(|i| i.current.is_some()).count();
    let different = app.replay.items.iter().filter(|i| !i.differences().is_empty()).count();
    app.say(match (listed, known) {
        (ReplayFilter::All, _) => "all events".to_string(),
        (ReplayFilter::Different, 0) => {
            "nothing is known of what happened then; a golden or a transcript says it".into()
        }
        (ReplayFilter::Different, _) => {
            let verb = if different == 1 { "differs" } else { "differ" };
            format!("{different} of {fired} fired {verb}; A accepts, X rejects, f lists all")
        }
    });
}

/// The outcome of now becomes the one to compare with, and is kept beside the recording.
pub fn accept(app: &mut App) -> Vec<SideEffect> {
    let Some(index) = app.selected_replay() else { return Vec::new() };
    let dialect = app.loaded.dialect.profile().name.to_string();
    let item = &app.replay.items[index];
    let Some(current) = item.current.clone() else { return Vec::new() };
    let entry =
        RecordedEvent { recorded: Some(current.without_durations()), dialect: Some(dialect), ..item.entry.clone() };
    app.replay.items.change(index, |item| {
        item.review = Some(Review::Accepted);
        item.entry.recorded.clone_from(&entry.recorded);
    });
    // Beside the settings, not beside a transcript of the host.
    let name = app
        .replay
        .file
        .as_ref()
        .and_then(|f| f.file_stem())
        .map_or_else(|| "hookdbg".into(), std::ffi::OsStr::to_owned);
    vec![SideEffect::Record(PathBuf::from(name).with_extension("accepted.jsonl"), Box::new(entry))]
}

/// The difference is wrong.
pub fn reject(app: &mut App) {
    let Some(index) = app.selected_replay() else { return };
    app.replay.items.change(index, |item| item.review = Some(Review::Rejected));
    app.say("rejected: it stays a difference");
}

/// Add the selected firing to a recording.
pub fn save(app: &mut App, file: &str) -> Vec<SideEffect> {
    let Some(report) = app.selected_firing().and_then(|id| app.reports.get(&id)).cloned() else { return Vec::new() };
    let session = report.payload.get("session_id").and_then(|s| s.as_str()).map(Into::into);
    let entry = RecordedEvent {
        dialect: Some(app.loaded.dialect.profile().name.to_string()),
        event: report.event.clone(),
        payload: report.payload.to_string(),
        origin: EventOrigin { file: "hookdbg".into(), line: 1, session, at: report.at.clone() },
        derived: Vec::new(),
        recorded: outcome(&report),
    };
    vec![SideEffect::Record(PathBuf::from(file), Box::new(entry))]
}
