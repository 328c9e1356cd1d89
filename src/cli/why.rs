//! `hookdbg why`: the plan, with the first gate that stops each hook. Runs nothing.

use std::process::ExitCode;

use super::args::{Format, WhyArgs};
use super::failure::Failure;
use super::fire::verbosity;
use super::{context, output};
use crate::plan::plan;
use crate::report::{plan_report, render_report};

/// Run it.
pub fn run(args: &WhyArgs) -> Result<ExitCode, Failure> {
    context::one_event_format(&args.common)?;
    let settings = context::settings(&args.common)?;
    let toggles = context::toggles(&args.common, &settings)?;
    let payload = context::payload(&args.source, &args.common, &settings.dialect)?;
    let planned = plan(settings.dialect.as_ref(), &settings.hooks, &payload, &toggles);
    let report = plan_report(&settings, &payload, &planned);
    match args.common.format {
        Format::Human => {
            output::print(&render_report(&report, output::painter(args.common.color), verbosity(&args.common)))?;
        }
        Format::Json => output::print_json(&report)?,
        Format::Jsonl => output::print_line(&report)?,
        Format::Junit => return Err(output::no_junit()),
    }
    Ok(ExitCode::SUCCESS)
}
