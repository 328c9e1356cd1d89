//! `hookdbg test`: cases with expectations over the report, run with real processes.

mod case;
mod expect;
mod update;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::args::{TestArgs, TestFormat};
use super::failure::Failure;
use super::{consent, fire, output, signals};
use crate::engine::{Control, Request, Runner};
use crate::plan::plan;
use crate::report::{JunitCase, Paint, Painter, Report, firing_report};
use case::{Case, CaseFile};
use expect::Miss;

pub use expect::KEYS as EXPECTATIONS;

struct CaseResult<'c> {
    file: &'c CaseFile,
    case: &'c Case,
    misses: Vec<Miss>,
    took: Duration,
}

/// Which hooks the cases exercised, by label.
#[derive(Default)]
struct Coverage {
    hooks: BTreeSet<String>,
    ran: BTreeSet<String>,
}

pub fn run(args: &TestArgs) -> Result<ExitCode, Failure> {
    let files = args.cases.iter().map(|f| CaseFile::read(f)).collect::<Result<Vec<_>, _>>().map_err(Failure::Input)?;
    let cases = || files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)));
    for (file, case) in cases() {
        let settings = case.settings(file)?;
        let commands = settings.hooks.hooks.iter().filter_map(|h| h.handler.command());
        consent::obtain_for(commands, &args.run)?;
    }
    let control = Control::default();
    let mut coverage = Coverage::default();
    let work = async {
        let mut results = Vec::new();
        for (file, case) in cases() {
            let started = Instant::now();
            let misses = match report(file, case, args, &control, &mut coverage).await {
                Ok(report) => expect::misses(case, &report),
                // A case that cannot be evaluated fails.
                Err(why) => vec![Miss::unusable(why)],
            };
            results.push(CaseResult { file, case, misses, took: started.elapsed() });
        }
        results
    };
    let (results, code) = signals::run(&control, work)?;
    if args.update {
        let changed =
            files.iter().map(|f| update::accept(f, &results)).sum::<Result<usize, _>>().map_err(Failure::Input)?;
        output::print(&format!("{changed} expectations accepted\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    match args.format {
        TestFormat::Human => output::print(&human(&results, &coverage, output::painter(args.color)))?,
        TestFormat::Junit => {
            output::print_junit("hookdbg test", None, results.iter().map(junit_case).collect())?;
        }
        TestFormat::Github => output::print(&github(&results))?,
        TestFormat::Json => output::print_json(&as_json(&results, &coverage))?,
    }
    let failed = results.iter().any(|r| !r.misses.is_empty());
    Ok(code.map_or_else(|| ExitCode::from(u8::from(failed)), ExitCode::from))
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
    coverage.hooks.extend(settings.hooks.hooks.iter().map(|hook| hook.label.clone()));
    let planned = plan(settings.dialect.as_ref(), &settings.hooks, &payload, &crate::model::Toggles::default());
    coverage.ran.extend(planned.running().map(|i| planned.hook(i).label.clone()));
    let mut options = fire::options(&args.run);
    options.cwd.get_or_insert_with(|| file.dir());
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

fn human(results: &[CaseResult<'_>], coverage: &Coverage, painter: Painter) -> String {
    let mut out = String::new();
    for result in results {
        if result.misses.is_empty() {
            let _ = writeln!(out, "{} {}", painter.paint(Paint::Good, "ok  "), result.case.name);
            continue;
        }
        let place = format!("{}:{}", result.file.path.display(), result.case.line);
        let _ = writeln!(out, "{} {}  {place}", painter.paint(Paint::Bad, "FAIL"), result.case.name);
        for miss in &result.misses {
            let _ = writeln!(out, "       {}", miss.sentence());
        }
    }
    let failed = results.iter().filter(|r| !r.misses.is_empty()).count();
    let _ = writeln!(out, "{} passed, {failed} failed; {}", results.len() - failed, coverage.line());
    out
}

fn junit_case(result: &CaseResult<'_>) -> JunitCase {
    JunitCase {
        class: result.file.path.display().to_string(),
        name: result.case.name.clone(),
        failure: (!result.misses.is_empty()).then(|| sentences(result)),
        time: Some(result.took),
    }
}

fn sentences(result: &CaseResult<'_>) -> String {
    result.misses.iter().map(Miss::sentence).collect::<Vec<_>>().join("; ")
}

fn github(results: &[CaseResult<'_>]) -> String {
    let mut out = String::new();
    for result in results.iter().filter(|r| !r.misses.is_empty()) {
        let text = sentences(result).replace('%', "%25").replace('\n', "%0A");
        let (file, line) = (result.file.path.display(), result.case.line);
        let title = result.case.name.replace([':', ','], " ");
        let _ = writeln!(out, "::error file={file},line={line},title={title}::{text}");
    }
    out
}

fn as_json(results: &[CaseResult<'_>], coverage: &Coverage) -> serde_json::Value {
    let cases: Vec<_> = results
        .iter()
        .map(|r| {
            let misses: Vec<_> = r.misses.iter().map(Miss::sentence).collect();
            let (file, line, name) = (r.file.path.display().to_string(), r.case.line, &r.case.name);
            serde_json::json!({"file": file, "line": line, "name": name,
                               "passed": r.misses.is_empty(), "misses": misses, "seconds": r.took.as_secs_f64()})
        })
        .collect();
    serde_json::json!({"version": 1, "cases": cases, "hooks_never_run": coverage.unused()})
}
