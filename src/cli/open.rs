//! `hookdbg [SETTINGS]...`: the terminal UI; without a terminal, the demo as text.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use super::args::{ColorChoice, Top};
use super::failure::Failure;
use super::{demo, output};
use crate::settings::{config_dir, state_dir};

/// Run it.
pub fn run(top: &Top) -> Result<ExitCode, Failure> {
    if top.print_paths {
        let shown = |dir: Option<std::path::PathBuf>| dir.map_or_else(|| "none".into(), |d| d.display().to_string());
        let text = format!("config {}/config.toml\nstate  {}\n", shown(config_dir()), shown(state_dir()));
        return output::print(&text).map(|()| ExitCode::SUCCESS);
    }
    if top.print_keys {
        return output::print(&keys()).map(|()| ExitCode::SUCCESS);
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        if top.settings.is_empty() {
            return demo::run(top);
        }
        return Err(Failure::input("the terminal UI needs a terminal; use `hookdbg fire` or `hookdbg why` in scripts"));
    }
    open(top)
}

#[cfg(feature = "tui")]
fn keys() -> String {
    let mut out = String::new();
    for spec in crate::tui::COMMANDS {
        let scope = match spec.scope {
            crate::tui::Scope::Everywhere => "everywhere".to_string(),
            crate::tui::Scope::Lists => "lists".to_string(),
            crate::tui::Scope::In(pane) => pane.title().to_lowercase(),
        };
        let _ = writeln!(out, "{:<20} {:<16} {scope:<11} {}", spec.name, spec.keys.join(", "), spec.about);
    }
    out
}

#[cfg(not(feature = "tui"))]
fn keys() -> String {
    let mut out = String::new();
    let _ = writeln!(out, "this hookdbg was built without the terminal UI");
    out
}

#[cfg(feature = "tui")]
fn open(top: &Top) -> Result<ExitCode, Failure> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let options = crate::tui::Options {
        settings: top.settings.clone(),
        dialect: top.dialect.clone(),
        project: top.project.clone(),
        home: top.home.clone(),
        cwd: top.cwd.clone(),
        theme: top.theme.clone(),
        plain: top.color == ColorChoice::Never || (no_color && top.color == ColorChoice::Auto),
        ascii: top.ascii,
        no_mouse: top.no_mouse,
        log_file: top.log_file.clone(),
    };
    crate::tui::run(&options).map_err(|e| Failure::Input(e.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(not(feature = "tui"))]
fn open(top: &Top) -> Result<ExitCode, Failure> {
    let _ = ColorChoice::Auto;
    if top.settings.is_empty() {
        return demo::run(top);
    }
    Err(Failure::input("this hookdbg was built without the terminal UI; use `hookdbg fire` or `hookdbg why`"))
}
