//! `hookdbg test`: cases with expectations over the report, run with real processes.

mod case;
mod expect;
mod update;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::args::{TestArgs, TestFormat};
use super::failure::Failure;
use super::signals::{self, Ended};
use super::{consent, output};
use crate::engine::{Control, EngineOptions, Request, Runner};
use crate::model::GateKind;
use crate::plan::plan;
use crate::report::{JunitCase, Paint, Painter, Report, firing_report};
use case::{Case, CaseFile};
use expect::Miss;

pub use expect::KEYS as EXPECTATIONS;

/// One case after its run.
struct Outcome {
    file: PathBuf,
    line: usize,
    name: String,
    misses: Vec<Miss>,
    took: Duration,
}

/// What no case exercised.
#[derive(Default)]
struct Coverage {
    hooks: BTreeSet<String>,
    ran: BTreeSet<String>,
}

/// Run it.
pub fn run(args: &TestArgs) -> Result<ExitCode, Failure> {
    let files = args.cases.iter().map(|f| CaseFile::read(f)).collect::<Result<Vec<_>, _>>().map_err(Failure::Input)?;
    for file in &files {
        for case in &file.cases {
            let settings = case.settings(file)?;
            let commands = settings.hooks.hooks.iter().filter_map(|h| h.handler.command());
            consent::obtain_for(commands, &args.run)?;
        }
    }
    let control = Control::default();
    let mut coverage = Coverage::default();
    let work = async {
        let mut outcomes = Vec::new();
        for file in &files {
            for case in &file.cases {
                outcomes.push(one(file, case, args, &control, &mut coverage).await);
            }
        }
        outcomes
    };
    let (outcomes, code) = match signals::run(&control, work)? {
        Ended::Done(outcomes, code) => (outcomes, code),
        Ended::Left(code) => return Ok(ExitCode::from(code)),
    };
    if args.update {
        let changed = files.iter().map(|f| update::accept(f, &outcomes)).sum::<Result<usize, String>>();
        let changed = changed.map_err(Failure::Input)?;
        output::print(&format!("{changed} expectations accepted\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    match args.format {
        TestFormat::Human => output::print(&human(&outcomes, &coverage, output::painter(args.color)))?,
        TestFormat::Junit => {
            output::print_junit("hookdbg test", None, outcomes.iter().map(junit_case).collect())?;
        }
        TestFormat::Github => output::print(&github(&outcomes))?,
        TestFormat::Json => output::print_json(&as_json(&outcomes, &coverage))?,
    }
    let failed = outcomes.iter().any(|o| !o.misses.is_empty());
    Ok(code.map_or_else(|| ExitCode::from(u8::from(failed)), ExitCode::from))
}

async fn one(file: &CaseFile, case: &Case, args: &TestArgs, control: &Control, coverage: &mut Coverage) -> Outcome {
    let began = Instant::now();
    let misses = match report(file, case, args, control, coverage).await {
        Ok(report) => expect::misses(case, &report),
        // A case that cannot be evaluated fails.
        Err(why) => vec![Miss::unusable(why)],
    };
    Outcome { file: file.path.clone(), line: case.line, name: case.name.clone(), misses, took: began.elapsed() }
}

async fn report(
    file: &CaseFile,
    case: &Case,
    args: &TestArgs,
    control: &Control,
    coverage: &mut Coverage,
) -> Result<Report, String> {
    let mut settings = case.settings(file).map_err(|e| e.to_string())?;
    case.stub(&mut settings)?;
    let payload = case.payload(file, settings.dialect.as_ref())?;
    for hook in &settings.hooks.hooks {
        coverage.hooks.insert(hook.label.clone());
    }
    let planned = plan(settings.dialect.as_ref(), &settings.hooks, &payload, &crate::model::Toggles::default());
    coverage.ran.extend(planned.running().map(|i| planned.hook(i).label.clone()));
    let directory = args.run.cwd.clone().unwrap_or_else(|| file.dir());
    let options =
        EngineOptions { cwd: Some(directory), capture_bytes: args.run.max_output, ..EngineOptions::default() };
    let runner = Runner::new(Arc::clone(&settings.dialect), settings.hooks.clone(), options);
    let request = Request { host: case.host(file)?, control: control.clone(), ..Request::new(payload) };
    let firing = runner.fire(request).await;
    Ok(firing_report(&settings, &firing))
}

impl Coverage {
    fn unused(&self) -> Vec<&str> {
        self.hooks.difference(&self.ran).map(String::as_str).collect()
    }

    fn line(&self) -> String {
        let unused = self.unused();
        let head = format!("{} of {} hooks exercised", self.hooks.len() - unused.len(), self.hooks.len());
        if unused.is_empty() { head } else { format!("{head}; never: {}", unused.join(", ")) }
    }
}

fn human(outcomes: &[Outcome], coverage: &Coverage, painter: Painter) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        if outcome.misses.is_empty() {
            let _ = writeln!(out, "{} {}", painter.paint(Paint::Good, "ok  "), outcome.name);
            continue;
        }
        let place = format!("{}:{}", outcome.file.display(), outcome.line);
        let _ = writeln!(out, "{} {}  {place}", painter.paint(Paint::Bad, "FAIL"), outcome.name);
        for miss in &outcome.misses {
            let _ = writeln!(out, "       {}", miss.sentence());
        }
    }
    let failed = outcomes.iter().filter(|o| !o.misses.is_empty()).count();
    let _ = writeln!(out, "{} passed, {failed} failed; {}", outcomes.len() - failed, coverage.line());
    out
}

fn junit_case(outcome: &Outcome) -> JunitCase {
    JunitCase {
        class: outcome.file.display().to_string(),
        name: outcome.name.clone(),
        failure: (!outcome.misses.is_empty()).then(|| sentences(outcome)),
        time: Some(outcome.took),
    }
}

fn sentences(outcome: &Outcome) -> String {
    outcome.misses.iter().map(Miss::sentence).collect::<Vec<_>>().join("; ")
}

fn github(outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    for outcome in outcomes.iter().filter(|o| !o.misses.is_empty()) {
        let text = sentences(outcome).replace('%', "%25").replace('\n', "%0A");
        let _ = writeln!(
            out,
            "::error file={},line={},title={}::{text}",
            outcome.file.display(),
            outcome.line,
            outcome.name.replace([':', ','], " ")
        );
    }
    out
}

fn as_json(outcomes: &[Outcome], coverage: &Coverage) -> serde_json::Value {
    let cases: Vec<_> = outcomes
        .iter()
        .map(|o| {
            let misses: Vec<_> = o.misses.iter().map(Miss::sentence).collect();
            serde_json::json!({"file": o.file.display().to_string(), "line": o.line, "name": o.name,
                               "passed": o.misses.is_empty(), "misses": misses, "seconds": o.took.as_secs_f64()})
        })
        .collect();
    serde_json::json!({"version": 1, "cases": cases, "hooks_never_run": coverage.unused()})
}

/// Whether a hook was stopped by a gate of its own event.
fn stopped_here(kind: GateKind) -> bool {
    kind != GateKind::Event
}

/// `path` seen from the case file.
fn beside(dir: &Path, path: &str) -> PathBuf {
    dir.join(path)
}
