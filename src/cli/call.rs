//! `hookdbg call`: pre hooks, the recorded tool result, post hooks.

use std::process::ExitCode;
use std::sync::Arc;

use super::args::CallArgs;
use super::failure::Failure;
use super::fire::{exit_code, options, run_request};
use super::{consent, inputs, output};
use crate::engine::{Request, Runner};
use crate::model::Plan;
use crate::plan::plan;
use crate::report::{call_report, render_call};

pub fn run(args: &CallArgs) -> Result<ExitCode, Failure> {
    inputs::refuse_junit(&args.common)?;
    let settings = inputs::settings(&args.common)?;
    let host = inputs::host(&args.run)?;
    let toggles = inputs::toggles(&args.common, &settings)?;
    let mut fields = inputs::read_fields(&args.payload)?;
    inputs::name_agent(&mut fields, &args.common, settings.dialect.as_ref());
    let runner = Runner::new(Arc::clone(&settings.dialect), settings.hooks.clone(), options(&args.run));
    let opening = runner.call_opening(&fields).map_err(Failure::Input)?;
    // Any event of the call may follow, so consent covers every command these settings hold for this tool.
    let mut everything = Plan::default();
    for event in settings.dialect.profile().events.iter() {
        let payload = crate::model::Payload { event: event.name.into(), ..opening.clone() };
        let planned = plan(settings.dialect.as_ref(), &settings.hooks, &payload, &toggles);
        everything
            .entries
            .extend(planned.entries.into_iter().filter(|e| e.gate.is_none() && event.matched_on.field().is_some()));
    }
    consent::obtain(&everything, &args.run)?;

    let request = Request { toggles, host, ..Request::new(opening) };
    let (call, code) = run_request(&args.common, request, async |request| runner.call(&fields, &request).await)?;
    let call = call.map_err(Failure::Input)?;
    inputs::record(&args.run, settings.dialect.as_ref(), std::iter::once(&call.pre).chain(&call.post))?;
    let report = call_report(&settings, &call);
    output::print_report(&args.common, &report, |painter, verbosity| render_call(&report, painter, verbosity))?;
    Ok(exit_code(&args.run, !call.tool.ran, code))
}
