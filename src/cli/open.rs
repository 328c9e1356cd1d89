//! `hookdbg [SETTINGS]...`: the terminal UI; without a terminal, the demo as text.

#[cfg(feature = "tui")]
use std::fmt::Write as _;
use std::io::IsTerminal as _;

use super::args::OpenArgs;
use super::failure::Failure;
use super::{demo, output};
#[cfg(feature = "tui")]
use crate::report::Painter;
use crate::settings::{config_dir, state_dir};

pub fn run(args: &OpenArgs) -> Result<(), Failure> {
    if args.print_paths {
        let shown = |dir: Option<std::path::PathBuf>| dir.map_or_else(|| "none".into(), |d| d.display().to_string());
        let text = format!("config {}/config.toml\nstate  {}\n", shown(config_dir()), shown(state_dir()));
        return output::print(&text);
    }
    if args.print_keys {
        return output::print(&keys());
    }
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        if args.given.settings.is_empty() {
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
    "this hookdbg was built without the terminal UI\n".into()
}

#[cfg(feature = "tui")]
fn open(args: &OpenArgs) -> Result<(), Failure> {
    let options = crate::tui::Options {
        settings: args.given.settings.clone(),
        dialect: args.given.dialect.clone(),
        project: args.given.project.clone(),
        home: args.given.home.clone(),
        cwd: args.cwd.clone(),
        theme: args.theme.clone(),
        plain: output::painter(args.color) == Painter::Plain,
        ascii: args.ascii,
        no_mouse: args.no_mouse,
        log_file: args.log_file.clone(),
    };
    crate::tui::run(&options).map_err(|e| Failure::Input(e.to_string()))
}

#[cfg(not(feature = "tui"))]
fn open(args: &OpenArgs) -> Result<(), Failure> {
    if args.given.settings.is_empty() {
        return demo::run(args);
    }
    Err(Failure::input("this hookdbg was built without the terminal UI; use `hookdbg fire` or `hookdbg why`"))
}
