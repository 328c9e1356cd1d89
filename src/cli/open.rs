//! `hookdbg [SETTINGS]...`: the terminal UI; without a terminal, the demo as text.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use super::args::{ColorChoice, OpenArgs};
use super::failure::Failure;
use super::{demo, output};
use crate::settings::{config_dir, state_dir};

pub fn run(args: &OpenArgs) -> Result<ExitCode, Failure> {
    if args.print_paths {
        let shown = |dir: Option<std::path::PathBuf>| dir.map_or_else(|| "none".into(), |d| d.display().to_string());
        let text = format!("config {}/config.toml\nstate  {}\n", shown(config_dir()), shown(state_dir()));
        return output::print(&text).map(|()| ExitCode::SUCCESS);
    }
    if args.print_keys {
        return output::print(&keys()).map(|()| ExitCode::SUCCESS);
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        if args.settings.is_empty() {
            return demo::run(args);
        }
        return Err(Failure::input("the terminal UI needs a terminal; use `hookdbg fire` or `hookdbg why` in scripts"));
    }
    open(args)
}

#[cfg(feature = "tui")]
pub fn scope_word(scope: crate::tui::Scope) -> String {
    match scope {
        crate::tui::Scope::Everywhere => "everywhere".into(),
        crate::tui::Scope::Lists => "lists".into(),
        crate::tui::Scope::In(pane) => pane.title().to_lowercase(),
    }
}

#[cfg(feature = "tui")]
fn keys() -> String {
    let mut out = String::new();
    for spec in crate::tui::COMMANDS {
        let scope = scope_word(spec.scope);
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
fn open(args: &OpenArgs) -> Result<ExitCode, Failure> {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let options = crate::tui::Options {
        settings: args.settings.clone(),
        dialect: args.dialect.clone(),
        project: args.project.clone(),
        home: args.home.clone(),
        cwd: args.cwd.clone(),
        theme: args.theme.clone(),
        plain: args.color == ColorChoice::Never || (no_color && args.color == ColorChoice::Auto),
        ascii: args.ascii,
        no_mouse: args.no_mouse,
        log_file: args.log_file.clone(),
    };
    crate::tui::run(&options).map_err(|e| Failure::Input(e.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(not(feature = "tui"))]
fn open(args: &OpenArgs) -> Result<ExitCode, Failure> {
    let _ = ColorChoice::Auto;
    if args.settings.is_empty() {
        return demo::run(args);
    }
    Err(Failure::input("this hookdbg was built without the terminal UI; use `hookdbg fire` or `hookdbg why`"))
}
