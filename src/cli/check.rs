//! `hookdbg check`: lints over settings and scripts. Runs nothing.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::{CheckArgs, CheckFormat, Deny, SettingsArgs};
use super::failure::Failure;
use super::{inputs, output};
use crate::check::{AllowList, LINTS, LintSpec, ProjectDirs, check, spec};
use crate::diag::{Diagnostic, Severity};
use crate::model::did_you_mean;
use crate::report::findings;
use crate::settings::{SettingsError, config_dir, project_of};

pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    if let Some(id) = &args.explain {
        return explain(id);
    }
    let allowed = allow_list(args)?;
    let all = gather(args)?;
    let (shown, hidden): (Vec<_>, Vec<_>) = all.into_iter().partition(|d| !allowed.covers(d));
    match args.format {
        CheckFormat::Human => output::print(&findings::human(&shown, hidden.len(), output::painter(args.color)))?,
        CheckFormat::Json => output::print_json(&findings::as_json(&shown))?,
        CheckFormat::Github => output::print(&findings::github(&shown))?,
        CheckFormat::Sarif => output::print_json(&findings::sarif(&shown))?,
    }
    let (errors, warnings, _) = findings::counts(&shown);
    let denied = args.deny == Some(Deny::Warnings) && warnings > 0;
    Ok(if errors > 0 || denied { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn explain(id: &str) -> Result<ExitCode, Failure> {
    let Some(lint) = spec(id) else {
        let hint = did_you_mean(id, LINTS.iter().map(|l| l.id));
        return Err(Failure::input(format!("no lint is called `{id}`{hint}; `hookdbg help lints` lists them")));
    };
    let LintSpec { id, severity, title, docs } = lint;
    let silence = format!("To silence it: [check] allow = [\"{id}\"] in .hookdbg.toml");
    output::print(&format!("{id} ({})\n{title}\n\n{docs}\n\n{silence}\n", severity.word()))?;
    Ok(ExitCode::SUCCESS)
}

fn allow_list(args: &CheckArgs) -> Result<AllowList, Failure> {
    let project = args.given.project.join(".hookdbg.toml");
    let user = config_dir().map(|d| d.join("config.toml"));
    let files: Vec<&Path> = std::iter::once(project.as_path()).chain(user.as_deref()).collect();
    AllowList::read(&files).map_err(Failure::Input)
}

/// The project: as named, or the one the settings belong to.
fn project(given: &SettingsArgs) -> PathBuf {
    match given.settings.as_slice() {
        [one] if given.project == Path::new(".") => project_of(Path::new(one)),
        _ => None,
    }
    .unwrap_or_else(|| given.project.clone())
}

/// The findings; a file that cannot be read at all is one too.
fn gather(args: &CheckArgs) -> Result<Vec<Diagnostic>, Failure> {
    let project = project(&args.given);
    let dirs = ProjectDirs { project: std::path::absolute(&project).unwrap_or(project), home: args.given.home() };
    match inputs::read_settings(&args.given)? {
        Ok(settings) => Ok(check(&settings, &dirs)),
        Err(SettingsError::File(found)) if found.severity == Severity::Error && found.place.is_some() => {
            Ok(vec![*found])
        }
        Err(error) => Err(error.into()),
    }
}
