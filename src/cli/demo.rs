//! The built-in demo: a bundled project, unpacked where it can run, and its first event fired.

use std::sync::Arc;

use super::args::OpenArgs;
use super::failure::Failure;
use super::{output, signals};
use crate::dialect::registry;
use crate::engine::{EngineOptions, Request, Runner};
use crate::model::Payload;
use crate::report::{Verbosity, firing_report, render_report};
use crate::settings::{Demo, SettingsFile, read};

pub fn run(args: &OpenArgs) -> Result<(), Failure> {
    let dialect = registry::named(args.given.dialect.as_deref()).map_err(Failure::Input)?;
    let demo = Demo::unpack(dialect.profile())?;
    let settings = read(&[SettingsFile { path: demo.settings(), layer: "project".into() }], None)?;
    let events: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(demo.payloads())?).map_err(color_eyre::Report::from)?;
    let fields = events.into_iter().find_map(|e| e.as_object().cloned()).unwrap_or_default();
    let options = EngineOptions { cwd: Some(demo.dir().to_path_buf()), ..EngineOptions::default() };
    let runner = Runner::new(Arc::clone(&settings.dialect), settings.hooks.clone(), options);
    let event =
        fields.get(settings.dialect.profile().event_field).and_then(|e| e.as_str()).unwrap_or_default().to_string();
    let request = Request::new(Payload::new(event, fields));
    let control = request.control.clone();
    let (firing, _) = signals::run(&control, runner.fire(request))?;
    let report = firing_report(&settings, &firing);
    output::print("The demo: an agent is about to do something its hooks object to.\n\n")?;
    output::print(&render_report(&report, output::painter(args.color), Verbosity::Normal))?;
    output::print(
        "\nYour own hooks: hookdbg fire SETTINGS --payload EVENT.json\n\
         A payload to start from: hookdbg payload PreToolUse    All commands: hookdbg --help\n",
    )
}
