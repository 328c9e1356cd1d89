//! `hookdbg replay`: recorded events through the hooks, alone or against another set of them.

mod baseline;
mod filter;
mod progress;
mod workspace;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;

use super::args::{Format, ReplayArgs};
use super::failure::Failure;
use super::{consent, fire, inputs, output, signals};
use crate::engine::{Control, Runner};
use crate::model::Toggles;
use crate::record::{
    Difference, Equal, ImportOptions, Outcome, RecordedEvent, Recording, ReplayOptions, ReplayOrder, Replayed,
    differences, is_not_a_recording, replay,
};
use crate::report::{
    ChangedEvent, HookTotalsBuilder, Nondeterministic, REPLAY_VERSION, ReplayReport, StopRounds, group_changes,
    junit_cases, location, render_replay,
};
use crate::settings::Settings;
use baseline::Baseline;
use filter::EventFilter;
use progress::ProgressBar;
use workspace::Workspace;

pub fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let settings = inputs::settings(&args.common)?;
    let mut left_out = BTreeMap::new();
    let entries = read_events(args, &settings, &mut left_out)?;
    if entries.is_empty() {
        let why: Vec<_> = left_out.iter().map(|(why, count)| format!("; {count} left out: {why}")).collect();
        return Err(Failure::input(format!("there is no event to replay{}", why.concat())));
    }
    let entries: Arc<[RecordedEvent]> = entries.into();
    let baseline = Baseline::of(args, &settings)?;
    let commands = settings.hooks.hooks.iter().chain(baseline.iter().flat_map(Baseline::hooks));
    consent::obtain_for(commands.filter_map(|h| h.handler.command()), &args.run)?;

    let started = Instant::now();
    let control = Control::default();
    let workspace = Workspace::prepare(args, None)?;
    let work = async {
        let before = match &baseline {
            Some(baseline) => baseline.outcomes(args, &entries, &control).await?,
            None => Vec::new(),
        };
        let now = replay_all(args, &settings, &workspace, &entries, &control, "now").await?;
        Ok::<_, Failure>((before, now))
    };
    let (results, code) = signals::run(&control, work)?;
    let (before, now) = results?;
    let mut report = build_report(&settings, &entries, &now, baseline.as_ref(), &before);
    report.ran_in = workspace.describe();
    report.left_out.extend(left_out);
    report.interrupted = code.is_some();
    report.duration_ms = started.elapsed().as_secs_f64() * 1000.0;
    write_recordings(args, &settings, &entries, &now)?;
    print(args, &report, &entries, &now)?;
    Ok(match code {
        Some(code) => ExitCode::from(code),
        None if report.flips > 0 => ExitCode::from(1),
        None if report.compared_with.is_some() && report.comparable == 0 => {
            return Err(Failure::input(
                "nothing could be compared: of none of these events is known what happened before",
            ));
        }
        None => ExitCode::SUCCESS,
    })
}

/// The events of all files that pass the filters; `left_out` counts the others by reason.
fn read_events(
    args: &ReplayArgs,
    settings: &Settings,
    left_out: &mut BTreeMap<String, usize>,
) -> Result<Vec<RecordedEvent>, Failure> {
    let options = ImportOptions { dialect: settings.dialect.as_ref(), fields: args.fields };
    let filter = EventFilter::new(&args.filter, settings)?;
    let mut entries = Vec::new();
    let (summaries, failed) = inputs::import_all(&args.from, &options, &mut |entry| match filter.refusal(&entry) {
        None => entries.push(entry),
        Some(why) => *left_out.entry(why).or_insert(0) += 1,
    })?;
    if summaries.is_empty() {
        return Err(Failure::input(failed.join("\n")));
    }
    for summary in summaries {
        for (line, why) in summary.problems.named.iter().take(3) {
            output::warn(&format!("{}:{line}: {why}", summary.file.display()));
        }
        if summary.problems.count > 0 {
            let unread = usize::try_from(summary.problems.count).unwrap_or(usize::MAX);
            *left_out.entry("lines that cannot be read".into()).or_insert(0) += unread;
        }
    }
    failed.iter().for_each(|f| output::warn(f));
    Ok(entries)
}

async fn replay_all(
    args: &ReplayArgs,
    settings: &Settings,
    workspace: &Workspace,
    entries: &Arc<[RecordedEvent]>,
    control: &Control,
    name: &str,
) -> Result<Vec<Replayed>, Failure> {
    let mut toggles = inputs::toggles(&args.common, settings)?;
    if !args.filter.hook.is_empty() {
        toggles = Toggles::new(&args.common.disable, &args.common.enable, &args.filter.hook);
    }
    let jobs = || args.jobs.unwrap_or_else(|| available_parallelism().map_or(1, NonZero::get));
    let mut engine = fire::options(&args.run);
    engine.cwd = Some(workspace.cwd.clone());
    let runner = Arc::new(Runner::new(settings.dialect.clone(), settings.hooks.clone(), engine));
    let mut host = inputs::host(&args.run)?;
    let here = workspace.cwd.display().to_string();
    Arc::make_mut(&mut host).project.get_or_insert_with(|| here.clone());
    let options = ReplayOptions {
        order: if args.independent { ReplayOrder::Independent(jobs()) } else { ReplayOrder::Sessions },
        equal: if args.no_dedupe { Equal::Each } else { Equal::Once },
        repeat: args.repeat.max(1),
        toggles,
        host,
        control: control.clone(),
        transcripts: Some(workspace.transcripts.path().to_path_buf()),
    };
    let mut results = Vec::with_capacity(entries.len());
    let mut bar = ProgressBar::new(entries.len(), name);
    let live = args.common.format == Format::Jsonl && name == "now";
    let places = [(here.clone(), "<project>"), (workspace.transcripts.path().display().to_string(), "<transcripts>")];
    replay(&runner, entries, &options, &mut |mut replayed| {
        bar.step();
        // Scratch directories have new names each time; that must not count as a difference.
        replayed.current = replayed.current.map(|outcome| normalize_paths(outcome, &places));
        if live {
            let _ = output::print_line(&result_line(&entries[replayed.index], &replayed));
        }
        results.push(replayed);
    })
    .await;
    bar.finish();
    results.sort_by_key(|r| r.index);
    Ok(results)
}

fn normalize_paths(outcome: Arc<Outcome>, places: &[(String, &str)]) -> Arc<Outcome> {
    let Ok(mut text) = serde_json::to_string(outcome.as_ref()) else { return outcome };
    if !places.iter().any(|(path, _)| text.contains(path.as_str())) {
        return outcome;
    }
    for (path, name) in places {
        text = text.replace(path.as_str(), name);
    }
    serde_json::from_str(&text).map_or(outcome, Arc::new)
}

/// One result as a line of `--format jsonl`.
fn result_line(entry: &RecordedEvent, replayed: &Replayed) -> serde_json::Value {
    serde_json::json!({
        "event": entry.event, "origin": entry.origin, "then": entry.recorded, "now": replayed.current.as_deref(),
        "skipped": replayed.skipped, "reused": replayed.reused, "continued": replayed.stop_rounds,
    })
}

/// The report of what was replayed, compared with what each event came to before, where there is something to compare with.
fn build_report(
    settings: &Settings,
    entries: &[RecordedEvent],
    now: &[Replayed],
    baseline: Option<&Baseline>,
    before: &[Option<Outcome>],
) -> ReplayReport {
    let mut totals = HookTotalsBuilder::default();
    let mut left_out = BTreeMap::new();
    let (mut changes, mut nondeterministic, mut stop_rounds) = (Vec::new(), Vec::new(), Vec::new());
    let mut comparable = 0;
    for replayed in now {
        let entry = &entries[replayed.index];
        totals.add(entry, replayed);
        if let Some(why) = replayed.skipped {
            *left_out.entry(why.to_string()).or_insert(0) += 1;
        }
        if replayed.stop_rounds > 0 {
            stop_rounds.push(StopRounds { place: location(entry), times: replayed.stop_rounds });
        }
        let Some(outcome) = replayed.current.as_deref() else { continue };
        if !replayed.varied.is_empty() {
            let outcomes = std::iter::once(outcome).chain(&replayed.varied).cloned().collect();
            nondeterministic.push(Nondeterministic { event: entry.event.clone(), place: location(entry), outcomes });
        }
        let Some(before) = before.get(replayed.index).and_then(Option::as_ref) else { continue };
        comparable += usize::from(before.word().is_some() || before.model_sees.is_some());
        let mut found = differences(before, outcome);
        if matches!(baseline, Some(Baseline::Recorded)) {
            // Another machine at another time: how long it took then says nothing.
            found.retain(|d| *d != Difference::Duration);
        }
        if !found.is_empty() {
            changes.push((found, ChangedEvent::new(entry, before, outcome)));
        }
    }
    let flips = changes.iter().filter(|(d, _)| d.contains(&Difference::Decision)).count();
    ReplayReport {
        version: REPLAY_VERSION,
        dialect: settings.dialect.profile().label(),
        ran_in: String::new(),
        events: entries.len(),
        replayed: now.iter().filter(|r| r.current.is_some()).count(),
        fired: now.iter().filter(|r| r.current.is_some() && !r.reused).count(),
        left_out,
        hooks: totals.finish(),
        groups: group_changes(changes),
        flips,
        compared_with: baseline.map(Baseline::describe),
        comparable,
        nondeterministic,
        stop_rounds,
        interrupted: false,
        duration_ms: 0.0,
    }
}

/// Write what was asked for: the golden anew, the recording at its end.
fn write_recordings(
    args: &ReplayArgs,
    settings: &Settings,
    entries: &[RecordedEvent],
    now: &[Replayed],
) -> Result<(), Failure> {
    let with_outcome = |r: &Replayed| {
        let outcome = r.current.as_deref()?.clone();
        let dialect = Some(settings.dialect.profile().name.to_string());
        Some(RecordedEvent { recorded: Some(outcome), dialect, ..entries[r.index].clone() })
    };
    let write = |mut recording: Recording, change: fn(Outcome) -> Outcome| -> std::io::Result<()> {
        now.iter().filter_map(with_outcome).try_for_each(|mut entry| {
            entry.recorded = entry.recorded.map(change);
            recording.write(&entry)
        })
    };
    if let Some(path) = &args.accept {
        // Beside it first, then in its place: a half-written golden would compare wrongly.
        if is_not_a_recording(path) {
            let name = path.display();
            return Err(Failure::input(format!("{name} exists and is no recording; it is not overwritten")));
        }
        let fresh = path.with_extension("jsonl.new");
        let _ = std::fs::remove_file(&fresh);
        // Without what differs from run to run, so that a golden changes only when a decision does.
        let written = Recording::open(&fresh).and_then(|recording| write(recording, Outcome::without_durations));
        written.and_then(|()| std::fs::rename(&fresh, path)).map_err(Failure::cannot("write", path))?;
    }
    if let Some(path) = &args.run.record {
        let written = Recording::open(path).and_then(|recording| write(recording, std::convert::identity));
        written.map_err(Failure::cannot("write", path))?;
    }
    Ok(())
}

fn print(args: &ReplayArgs, report: &ReplayReport, entries: &[RecordedEvent], now: &[Replayed]) -> Result<(), Failure> {
    match args.common.format {
        Format::Human => output::print(&render_replay(report, output::painter(args.common.color))),
        Format::Json => output::print_json(report),
        Format::Jsonl => output::print_line(report),
        Format::Junit => {
            let events = now.iter().filter(|r| r.current.is_some()).map(|r| {
                let entry = &entries[r.index];
                let subject = entry.to_payload().map(|p| p.subject()).unwrap_or_default();
                (location(entry), format!("{} {subject}", entry.event))
            });
            let took = std::time::Duration::from_secs_f64(report.duration_ms / 1000.0);
            output::print_junit("hookdbg replay", Some(took), junit_cases(report, events))
        }
    }
}
