//! `hookdbg replay`: recorded events through the hooks, alone or against another set of them.

mod filter;
mod progress;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use super::args::{Format, ReplayArgs};
use super::failure::Failure;
use super::signals::{self, Ended};
use super::{consent, context, fire, output};
use crate::engine::{Control, Runner};
use crate::record::{
    Difference, Entry, Equal, ImportOptions, Order, Outcome, Recording, ReplayOptions, Replayed, Scratch, differences,
    files, holds_something_else, import, replay,
};
use crate::report::{
    Changed, Continued, REPLAY_VERSION, ReplayReport, Tallying, Unsteady, group, junit_cases, place, render_replay,
};
use crate::settings::{Settings, SettingsFile, read};
use progress::Bar;

/// Run it.
pub fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let settings = context::settings(&args.common)?;
    let mut left_out = BTreeMap::new();
    let entries = gather(args, &settings, &mut left_out)?;
    if entries.is_empty() {
        let why: Vec<_> = left_out.iter().map(|(why, count)| format!("{count} left out: {why}")).collect();
        let why = if why.is_empty() { String::new() } else { format!("; {}", why.join("; ")) };
        return Err(Failure::input(format!("there is no event to replay{why}")));
    }
    let entries: Arc<[Entry]> = entries.into();
    let other = other(args, &settings)?;
    let commands = settings.hooks.hooks.iter().chain(other.iter().flat_map(Other::hooks));
    consent::obtain_for(commands.filter_map(|h| h.handler.command()), &args.run)?;

    let began = Instant::now();
    let control = Control::default();
    let ground = Ground::prepare(args, None)?;
    let work = async {
        let before = match &other {
            Some(Other::Settings(settings, ground)) => {
                Some(outcomes(args, settings, ground, &entries, &control, "before").await?)
            }
            Some(Other::Recorded(_)) | None => None,
        };
        let now = pass(args, &settings, &ground, &entries, &control, "now").await?;
        Ok::<_, Failure>((before, now))
    };
    let (results, code) = match signals::run(&control, work)? {
        Ended::Done(results, code) => (results?, code),
        Ended::Left(code) => return Ok(ExitCode::from(code)),
    };
    let (before, now) = results;
    let compared = Compared {
        other: other.as_ref(),
        before,
        revision: args.against_rev.as_deref(),
        recorded: args.against_recorded,
    };
    let mut report = build(&settings, &entries, &now, &compared);
    report.ran_in = ground.words();
    report.left_out.extend(left_out);
    report.interrupted = code.is_some();
    report.duration_ms = began.elapsed().as_secs_f64() * 1000.0;
    keep(args, &settings, &entries, &now)?;
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

fn jobs(args: &ReplayArgs) -> usize {
    args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// The events of all files that pass the filters.
fn gather(
    args: &ReplayArgs,
    settings: &Settings,
    left_out: &mut BTreeMap<String, usize>,
) -> Result<Vec<Entry>, Failure> {
    let options = ImportOptions { dialect: settings.dialect.as_ref(), fields: args.fields.into() };
    let filter = filter::Filter::new(&args.filter, settings)?;
    let wanted = files(&args.from);
    let (mut entries, mut failed) = (Vec::new(), Vec::new());
    for file in &wanted {
        let read = import(file, &options, &mut |entry| match filter.refuses(&entry) {
            None => entries.push(entry),
            Some(why) => *left_out.entry(why).or_insert(0) += 1,
        });
        match read {
            Ok(tally) => {
                let unread = usize::try_from(tally.problems.count).unwrap_or(usize::MAX);
                for (line, why) in tally.problems.named.iter().take(3) {
                    output::warn(&format!("{}:{line}: {why}", file.display()));
                }
                if unread > 0 {
                    *left_out.entry("lines that cannot be read".into()).or_insert(0) += unread;
                }
            }
            Err(error) => failed.push(format!("{}: {error}", file.display())),
        }
    }
    if wanted.is_empty() {
        return Err(Failure::input("there is no recording or transcript (*.jsonl) in there"));
    }
    if failed.len() == wanted.len() {
        return Err(Failure::input(failed.join("\n")));
    }
    failed.iter().for_each(|f| output::warn(f));
    Ok(entries)
}

/// Where hooks run: a scratch copy, or the project itself.
struct Ground {
    scratch: Option<Scratch>,
    cwd: PathBuf,
    transcripts: tempfile::TempDir,
}

impl Ground {
    fn prepare(args: &ReplayArgs, revision: Option<&str>) -> Result<Self, Failure> {
        let project = args.run.cwd.clone().unwrap_or_else(|| args.common.project.clone());
        let failed = |e: std::io::Error| Failure::input(format!("{} cannot be copied: {e}", project.display()));
        let scratch = match revision {
            Some(revision) => Some(Scratch::at(&project, revision).map_err(failed)?),
            None if args.in_place => None,
            None => Some(Scratch::of(&project).map_err(failed)?),
        };
        let cwd = scratch.as_ref().map_or_else(|| project.clone(), |s| s.project().to_path_buf());
        Ok(Self { scratch, cwd, transcripts: tempfile::tempdir()? })
    }

    fn words(&self) -> String {
        match &self.scratch {
            Some(_) => "a scratch copy of the project (--in-place runs them in the project itself)".into(),
            None => format!("the project itself, {}", self.cwd.display()),
        }
    }
}

/// What the replay is compared with.
enum Other {
    Settings(Box<Settings>, Box<Ground>),
    Recorded(Vec<Entry>),
}

impl Other {
    fn hooks(&self) -> &[Arc<crate::model::Hook>] {
        match self {
            Self::Settings(settings, _) => &settings.hooks.hooks,
            Self::Recorded(_) => &[],
        }
    }
}

fn other(args: &ReplayArgs, settings: &Settings) -> Result<Option<Other>, Failure> {
    if let Some(revision) = &args.against_rev {
        let ground = Ground::prepare(args, Some(revision))?;
        let wanted: Vec<_> = settings
            .files
            .iter()
            .map(|f| SettingsFile { path: moved(&ground, Path::new(&f.path)), layer: f.layer.clone() })
            .filter(|w| w.path.is_file())
            .collect();
        if wanted.is_empty() {
            return Err(Failure::input(format!("none of the settings files exists at {revision}")));
        }
        let settings = read(&wanted, Some(settings.dialect.clone()))?;
        return Ok(Some(Other::Settings(Box::new(settings), Box::new(ground))));
    }
    if args.against.is_empty() {
        return Ok(None);
    }
    if let [file] = args.against.as_slice()
        && Path::new(file).is_file()
        && (file.ends_with(".jsonl") || !holds_something_else(Path::new(file)))
    {
        let options = ImportOptions { dialect: settings.dialect.as_ref(), fields: args.fields.into() };
        let mut entries = Vec::new();
        let tally = import(Path::new(file), &options, &mut |e| entries.push(e))
            .map_err(|e| Failure::input(format!("{file}: {e}")))?;
        if tally.problems.count > 0 {
            output::warn(&format!("{file}: {} lines could not be read", tally.problems.count));
        }
        return Ok(Some(Other::Recorded(entries)));
    }
    let wanted: Vec<_> = args.against.iter().map(|s| SettingsFile::parse(s)).collect();
    let settings = read(&wanted, Some(settings.dialect.clone()))?;
    Ok(Some(Other::Settings(Box::new(settings), Box::new(Ground::prepare(args, None)?))))
}

fn moved(ground: &Ground, path: &Path) -> PathBuf {
    ground.scratch.as_ref().map_or_else(|| path.to_path_buf(), |s| s.inside(path))
}

async fn pass(
    args: &ReplayArgs,
    settings: &Settings,
    ground: &Ground,
    entries: &Arc<[Entry]>,
    control: &Control,
    name: &str,
) -> Result<Vec<Replayed>, Failure> {
    let toggles = context::toggles(&args.common, settings)?;
    let toggles = if args.filter.hook.is_empty() {
        toggles
    } else {
        crate::model::Toggles::new(&args.common.disable, &args.common.enable, &args.filter.hook)
    };
    let mut engine = fire::options(&args.run);
    engine.cwd = Some(ground.cwd.clone());
    let runner = Arc::new(Runner::new(settings.dialect.clone(), settings.hooks.clone(), engine));
    let mut host = context::host(&args.run)?;
    let here = ground.cwd.display().to_string();
    Arc::make_mut(&mut host).entry("project_dir").or_insert_with(|| here.clone().into());
    let options = ReplayOptions {
        order: if args.independent { Order::Independent(jobs(args)) } else { Order::Sessions },
        equal: if args.no_dedupe { Equal::Each } else { Equal::Once },
        repeat: args.repeat.max(1),
        toggles,
        host,
        control: control.clone(),
        transcripts: Some(ground.transcripts.path().to_path_buf()),
    };
    let mut results = Vec::with_capacity(entries.len());
    let mut bar = Bar::new(entries.len(), name);
    let live = args.common.format == Format::Jsonl && name == "now";
    let places = [(here.clone(), "<project>"), (ground.transcripts.path().display().to_string(), "<transcripts>")];
    replay(&runner, entries, &options, &mut |mut replayed| {
        bar.step();
        // Scratch directories have new names each time, which is no difference.
        replayed.now = replayed.now.map(|now| without_places(now, &places));
        if live {
            let _ = output::print_line(&line(&entries[replayed.index], &replayed));
        }
        results.push(replayed);
    })
    .await;
    bar.finish();
    results.sort_by_key(|r| r.index);
    Ok(results)
}

/// The outcome with names of scratch directories replaced.
fn without_places(outcome: Arc<Outcome>, places: &[(String, &str)]) -> Arc<Outcome> {
    let Ok(mut text) = serde_json::to_string(outcome.as_ref()) else { return outcome };
    if !places.iter().any(|(path, _)| text.contains(path.as_str())) {
        return outcome;
    }
    for (path, name) in places {
        text = text.replace(path.as_str(), name);
    }
    serde_json::from_str(&text).map_or(outcome, Arc::new)
}

async fn outcomes(
    args: &ReplayArgs,
    settings: &Settings,
    ground: &Ground,
    entries: &Arc<[Entry]>,
    control: &Control,
    name: &str,
) -> Result<Vec<Option<Arc<Outcome>>>, Failure> {
    let mut before = vec![None; entries.len()];
    for replayed in pass(args, settings, ground, entries, control, name).await? {
        before[replayed.index] = replayed.now;
    }
    Ok(before)
}

/// One result as a line.
fn line(entry: &Entry, replayed: &Replayed) -> serde_json::Value {
    serde_json::json!({
        "event": entry.event, "origin": entry.origin, "then": entry.then, "now": replayed.now.as_deref(),
        "skipped": replayed.skipped, "reused": replayed.reused, "continued": replayed.continued,
    })
}

struct Compared<'a> {
    other: Option<&'a Other>,
    before: Option<Vec<Option<Arc<Outcome>>>>,
    revision: Option<&'a str>,
    recorded: bool,
}

impl Compared<'_> {
    fn words(&self) -> Option<String> {
        match self.other {
            Some(Other::Settings(..)) if self.revision.is_some() => {
                self.revision.map(|r| format!("the project at {r}"))
            }
            Some(Other::Settings(settings, _)) => {
                let files: Vec<_> = settings.files.iter().map(|f| f.path.clone()).collect();
                Some(files.join(", "))
            }
            Some(Other::Recorded(_)) => Some("the accepted outcomes".into()),
            None if self.recorded => Some("what happened then".into()),
            None => None,
        }
    }

    fn before(&self, index: usize, entry: &Entry) -> Option<Outcome> {
        match self.other {
            Some(Other::Settings(..)) => self.before.as_ref()?.get(index)?.as_deref().cloned(),
            Some(Other::Recorded(golden)) => {
                let same = |g: &&Entry| g.event == entry.event && g.payload == entry.payload;
                golden.iter().find(same)?.then.clone()
            }
            None if self.recorded => entry.then.clone(),
            None => None,
        }
    }
}

fn build(settings: &Settings, entries: &[Entry], now: &[Replayed], compared: &Compared<'_>) -> ReplayReport {
    let mut tallying = Tallying::default();
    let mut left_out = BTreeMap::new();
    let (mut changes, mut unsteady, mut continued) = (Vec::new(), Vec::new(), Vec::new());
    let mut comparable = 0;
    for replayed in now {
        let entry = &entries[replayed.index];
        tallying.add(entry, replayed);
        if let Some(why) = replayed.skipped {
            *left_out.entry(why.to_string()).or_insert(0) += 1;
        }
        if replayed.continued > 0 {
            continued.push(Continued { place: place(entry), times: replayed.continued });
        }
        let Some(outcome) = replayed.now.as_deref() else { continue };
        if !replayed.varied.is_empty() {
            let outcomes = std::iter::once(outcome.clone()).chain(replayed.varied.iter().cloned()).collect();
            unsteady.push(Unsteady { event: entry.event.clone(), place: place(entry), outcomes });
        }
        if let Some(before) = compared.before(replayed.index, entry) {
            comparable += usize::from(before.word().is_some() || before.model_sees.is_some());
            let mut found = differences(&before, outcome);
            if compared.recorded {
                // Another machine at another time: how long it took then says nothing.
                found.retain(|d| *d != Difference::Duration);
            }
            if !found.is_empty() {
                let subject = entry.to_payload().map(|p| p.subject()).unwrap_or_default();
                let changed =
                    Changed { event: entry.event.clone(), subject, place: place(entry), before, now: outcome.clone() };
                changes.push((found, changed));
            }
        }
    }
    let flips = changes.iter().filter(|(d, _)| d.contains(&Difference::Decision)).count();
    ReplayReport {
        version: REPLAY_VERSION,
        dialect: settings.dialect.profile(),
        ran_in: String::new(),
        events: entries.len(),
        replayed: now.iter().filter(|r| r.now.is_some()).count(),
        fired: now.iter().filter(|r| r.now.is_some() && !r.reused).count(),
        left_out,
        hooks: tallying.finish(),
        groups: group(changes),
        flips,
        compared_with: compared.words(),
        comparable,
        unsteady,
        continued,
        interrupted: false,
        duration_ms: 0.0,
    }
}

/// Write what was asked for: the golden anew, the recording at its end.
fn keep(args: &ReplayArgs, settings: &Settings, entries: &[Entry], now: &[Replayed]) -> Result<(), Failure> {
    let with_outcome = |r: &Replayed| {
        let outcome = r.now.as_deref()?.clone();
        let dialect = Some(settings.dialect.name().to_string());
        Some(Entry { then: Some(outcome), dialect, ..entries[r.index].clone() })
    };
    let write = |path: &Path, recording: &mut Recording| -> std::io::Result<()> {
        now.iter().filter_map(with_outcome).try_for_each(|entry| {
            let entry = if args.accept.as_deref() == Some(path) { settled(entry) } else { entry };
            recording.write(&entry)
        })
    };
    let failed = |path: &Path, e: std::io::Error| Failure::input(format!("cannot write {}: {e}", path.display()));
    if let Some(path) = &args.accept {
        // Beside it first, then in its place: a half-written golden would compare wrongly.
        if holds_something_else(path) {
            return Err(Failure::input(format!(
                "{} exists and is no recording; it is not overwritten",
                path.display()
            )));
        }
        let fresh = path.with_extension("jsonl.new");
        let _ = std::fs::remove_file(&fresh);
        let mut recording = Recording::open(&fresh).map_err(|e| failed(path, e))?;
        write(path, &mut recording).and_then(|()| std::fs::rename(&fresh, path)).map_err(|e| failed(path, e))?;
    }
    if let Some(path) = &args.run.record {
        let mut recording = Recording::open(path).map_err(|e| failed(path, e))?;
        write(path, &mut recording).map_err(|e| failed(path, e))?;
    }
    Ok(())
}

/// Without what differs from run to run, so that a golden changes only when a decision does.
fn settled(mut entry: Entry) -> Entry {
    entry.then = entry.then.map(Outcome::settled);
    entry
}

fn print(args: &ReplayArgs, report: &ReplayReport, entries: &[Entry], now: &[Replayed]) -> Result<(), Failure> {
    match args.common.format {
        Format::Human => output::print(&render_replay(report, output::painter(args.common.color))),
        Format::Json => output::print_json(report),
        Format::Jsonl => output::print_line(report),
        Format::Junit => {
            let events = now.iter().filter(|r| r.now.is_some()).map(|r| {
                let entry = &entries[r.index];
                let subject = entry.to_payload().map(|p| p.subject()).unwrap_or_default();
                (place(entry), format!("{} {subject}", entry.event))
            });
            let took = std::time::Duration::from_secs_f64(report.duration_ms / 1000.0);
            output::print_junit("hookdbg replay", Some(took), junit_cases(report, events))
        }
    }
}
