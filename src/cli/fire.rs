//! `hookdbg fire`: one event, its hooks, the report.

use std::process::ExitCode;
use std::sync::Arc;

use super::args::{CommonArgs, FireArgs, Format, RunArgs};
use super::failure::Failure;
use super::{bundle, consent, inputs, output, signals};
use crate::dialect::registry;
use crate::engine::{EngineOptions, EventSink, EventStream, Request, Runner};
use crate::model::Payload;
use crate::plan::plan;
use crate::report::{firing_report, render_report};
use crate::settings::read;

pub fn run(args: &FireArgs) -> Result<ExitCode, Failure> {
    inputs::refuse_junit(&args.common)?;
    let unpacked = args.from_bundle.as_deref().map(bundle::open).transpose()?;
    let (settings, payload, given) = if let Some(unpacked) = &unpacked {
        let manifest = &unpacked.manifest;
        let dialect = registry::find(&manifest.dialect).map_err(Failure::Input)?;
        let payload = Payload::new(manifest.event.clone(), manifest.payload.clone());
        (read(&unpacked.settings, Some(dialect))?, payload, Some(manifest.host.clone()))
    } else {
        let settings = inputs::settings(&args.common)?;
        let payload = inputs::payload(&args.source, &args.common, &settings.dialect)?;
        (settings, payload, None)
    };
    let host = given.map_or_else(|| inputs::host(&args.run), |host| Ok(Arc::new(host)))?;
    let toggles = inputs::toggles(&args.common, &settings)?;
    let planned = plan(settings.dialect.as_ref(), &settings.hooks, &payload, &toggles);
    consent::obtain(&planned, &args.run)?;

    let mut options = options(&args.run);
    if let (Some(unpacked), None) = (&unpacked, &options.cwd) {
        options.cwd = Some(unpacked.dir.path().join("files"));
    }
    let project = options.cwd.clone().unwrap_or_else(|| args.common.given.project.clone());
    let runner = Runner::new(Arc::clone(&settings.dialect), settings.hooks.clone(), options);
    let request = Request { toggles, host, ..Request::new(payload) };
    let (firing, code) = run_request(&args.common, request, async |request| runner.fire(request).await)?;
    inputs::record(&args.run, settings.dialect.as_ref(), std::iter::once(&firing))?;
    if let Some(path) = &args.bundle {
        let scrubbed = bundle::write(path, &settings, &firing, &project)?;
        output::warn(&format!("bundle written to {}; {scrubbed} secrets taken out", path.display()));
    }
    let report = firing_report(&settings, &firing);
    output::print_report(&args.common, &report, |painter, verbosity| render_report(&report, painter, verbosity))?;
    Ok(exit_code(&args.run, firing.verdict.blocked, code))
}

pub fn options(args: &RunArgs) -> EngineOptions {
    EngineOptions { capture_bytes: args.max_output, cwd: args.cwd.clone(), ..EngineOptions::default() }
}

/// The code of the signal that ended the run, else 1 if the event is blocked and `--exit-code` is given, else 0.
pub fn exit_code(args: &RunArgs, blocked: bool, signal: Option<u8>) -> ExitCode {
    match signal {
        Some(code) => ExitCode::from(code),
        None if blocked && args.exit_code => ExitCode::from(1),
        None => ExitCode::SUCCESS,
    }
}

/// Work through `request`; lifecycle events are printed as they come if the format says so.
pub fn run_request<T>(
    common: &CommonArgs,
    mut request: Request,
    work: impl AsyncFnOnce(Request) -> T,
) -> Result<(T, Option<u8>), Failure> {
    let control = request.control.clone();
    let mut printer = None;
    if common.format == Format::Jsonl {
        let (sink, events) = EventSink::channel();
        request.events = sink;
        printer = Some(print_events(events)?);
    }
    // The work owns the request, and with it the last sink: the printer ends when the work does.
    let ended = signals::run(&control, work(request));
    if let Some(printer) = printer {
        let _ = printer.join();
    }
    ended
}

/// Print events on a thread of their own: a slow reader must hold up neither hooks nor signals.
fn print_events(mut events: EventStream) -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name("printer".into()).spawn(move || {
        while let Some(event) = events.blocking_recv() {
            let _ = output::print_line(&event);
        }
    })
}
