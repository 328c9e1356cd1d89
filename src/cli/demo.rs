//! The built-in demo: a bundled project, unpacked where it can run, and its first event fired.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::args::Top;
use super::failure::Failure;
use super::output;
use super::signals::{self, Ended};
use crate::dialect::registry;
use crate::engine::{EngineOptions, Request, Runner};
use crate::model::Payload;
use crate::report::{Verbosity, firing_report, render_report};
use crate::settings::{Wanted, read};

/// The files of the bundled project.
const FILES: &[(&str, &str)] = &[
    ("settings.json", include_str!("../../assets/demo/goat/settings.json")),
    ("payloads.json", include_str!("../../assets/demo/goat/payloads.json")),
    ("hooks/guard.sh", include_str!("../../assets/demo/goat/hooks/guard.sh")),
    ("hooks/audit.sh", include_str!("../../assets/demo/goat/hooks/audit.sh")),
    ("hooks/format.sh", include_str!("../../assets/demo/goat/hooks/format.sh")),
    ("hooks/slow.sh", include_str!("../../assets/demo/goat/hooks/slow.sh")),
    ("hooks/chatty.sh", include_str!("../../assets/demo/goat/hooks/chatty.sh")),
    ("hooks/note.sh", include_str!("../../assets/demo/goat/hooks/note.sh")),
    ("hooks/broken.sh", include_str!("../../assets/demo/goat/hooks/broken.sh")),
    ("hooks/tests-pass.sh", include_str!("../../assets/demo/goat/hooks/tests-pass.sh")),
];

/// Unpack the demo, fire its first event, and say what to try next.
pub fn run(top: &Top) -> Result<ExitCode, Failure> {
    let dir = tempfile::Builder::new().prefix("hookdbg-demo-").tempdir()?;
    unpack(dir.path())?;
    let wanted = Wanted { path: dir.path().join("settings.json"), layer: "project".into() };
    let settings = read(&[wanted], Some(registry::find("goat").map_err(Failure::Input)?))?;
    let events: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("../../assets/demo/goat/payloads.json")).map_err(color_eyre::Report::from)?;
    let fields = events.into_iter().find_map(|e| e.as_object().cloned()).unwrap_or_default();
    let options = EngineOptions { cwd: Some(dir.path().to_path_buf()), ..EngineOptions::default() };
    let runner = Runner::new(Arc::clone(&settings.dialect), settings.hooks.clone(), options);
    let request = Request::new(Payload::new("PreToolUse", fields));
    let control = request.control.clone();
    let Ended::Done(firing, _) = signals::run(&control, runner.fire(request))? else { return Ok(ExitCode::FAILURE) };
    let report = firing_report(&settings, &firing);
    output::print("The demo: an agent is about to run `rm -rf build`. Its hooks decide.\n\n")?;
    output::print(&render_report(&report, output::painter(top.color), Verbosity::Normal))?;
    output::print(
        "\nYour own hooks: hookdbg fire SETTINGS --payload EVENT.json\n\
         A payload to start from: hookdbg payload PreToolUse    All commands: hookdbg --help\n",
    )?;
    Ok(ExitCode::SUCCESS)
}

fn unpack(dir: &Path) -> io::Result<()> {
    for (name, text) in FILES {
        let file = dir.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&file, text)?;
        if text.starts_with("#!") {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
