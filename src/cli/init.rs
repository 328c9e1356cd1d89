//! `hookdbg init`: a settings file and a hook to begin with. Nothing that exists is ever overwritten.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::InitArgs;
use super::failure::Failure;
use super::output;
use crate::dialect::registry;

/// The files written for one host, as path and content.
struct Starter {
    dialect: &'static str,
    settings: (&'static str, &'static str),
    script: (&'static str, &'static str),
}

macro_rules! starter {
    ($dialect:literal, $settings:literal, $script:literal) => {
        Starter {
            dialect: $dialect,
            settings: ($settings, include_str!(concat!("../../assets/init/", $dialect, "/", $settings))),
            script: ($script, include_str!(concat!("../../assets/init/", $dialect, "/", $script))),
        }
    };
}

const STARTERS: [Starter; 5] = [
    starter!("claude", ".claude/settings.json", ".claude/hooks/guard.sh"),
    starter!("goat", "goat.json", "hooks/guard.sh"),
    starter!("claw", ".claude.json", "hooks/guard.sh"),
    starter!("massgen", "massgen.yaml", "hooks/guard.py"),
    starter!("armament", "armament.yaml", "hooks/guard.sh"),
];

pub fn run(args: &InitArgs) -> Result<ExitCode, Failure> {
    let dialect = registry::find(&args.dialect).map_err(Failure::Input)?;
    let Some(starter) = STARTERS.iter().find(|s| s.dialect == dialect.profile().name) else {
        return Err(Failure::input(format!("there is nothing to begin with for {}", dialect.profile().name)));
    };
    let files = [starter.settings, starter.script].map(|(path, text)| (args.dir.join(path), text));
    if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(Failure::input(format!("{} exists; nothing was written", path.display())));
    }
    for (path, text) in &files {
        write_new(path, text).map_err(|e| Failure::input(format!("cannot write {}: {e}", path.display())))?;
    }
    make_executable(&files[1].0).map_err(|e| Failure::input(format!("cannot make the script executable: {e}")))?;
    let [(settings, _), (script, _)] = &files;
    let event = dialect.profile().events.first().map_or("", |e| e.name);
    output::print(&format!(
        "wrote {}\nwrote {}\n\nTry it:\n  hookdbg why {} {event}\n  hookdbg fire {} --event {event}\n  hookdbg {}\n",
        settings.display(),
        script.display(),
        settings.display(),
        settings.display(),
        settings.display(),
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// `create_new` fails on a file that appeared in the meantime, so that one is not overwritten either.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

#[cfg(unix)]
fn make_executable(path: &PathBuf) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &PathBuf) -> std::io::Result<()> {
    Ok(())
}
