//! `hookdbg init`: a settings file and a hook to begin with. Nothing that exists is ever overwritten.

use std::fmt::Write as _;

use super::args::InitArgs;
use super::failure::Failure;
use super::output;
use crate::dialect::registry;
use crate::settings::write_project;

pub fn run(args: &InitArgs) -> Result<(), Failure> {
    let dialect = registry::find(&args.dialect).map_err(Failure::Input)?;
    let profile = dialect.profile();
    let paths: Vec<_> = profile.starter.iter().map(|(name, _)| args.dir.join(name)).collect();
    let Some(settings) = paths.first().map(|path| path.display()) else {
        return Err(Failure::input(format!("there is nothing to begin with for {}", profile.name)));
    };
    if let Some(path) = paths.iter().find(|path| path.symlink_metadata().is_ok()) {
        return Err(Failure::input(format!("{} exists; nothing was written", path.display())));
    }
    write_project(&args.dir, profile.starter).map_err(|e| Failure::input(e.to_string()))?;
    let event = profile.events.first().map_or("", |e| e.name);
    let mut text = String::new();
    for path in &paths {
        let _ = writeln!(text, "wrote {}", path.display());
    }
    let _ = writeln!(
        text,
        "\nTry it:\n  hookdbg why {settings} {event}\n  hookdbg fire {settings} --event {event}\n  hookdbg {settings}",
    );
    output::print(&text)
}
