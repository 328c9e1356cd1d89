//! Writing to standard output: colour choice, and a reader that went away is not a failure.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use serde::Serialize;

use super::args::{ColorChoice, CommonArgs, Format};
use super::failure::Failure;
use crate::report::{JunitCase, Painter, Verbosity, junit};

/// Print `text`; a closed pipe counts as read.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(e.into()),
        _ => Ok(()),
    }
}

pub fn print_junit(suite: &str, time: Option<Duration>, cases: Vec<JunitCase>) -> Result<(), Failure> {
    print(&junit(suite, time, cases).map_err(color_eyre::Report::from)?)
}

/// Print `report` in the format asked for; `human` makes the text for people.
pub fn print_report(
    common: &CommonArgs,
    report: &impl Serialize,
    human: impl FnOnce(Painter, Verbosity) -> String,
) -> Result<(), Failure> {
    let verbosity = if common.verbose { Verbosity::Full } else { Verbosity::Normal };
    match common.format {
        Format::Human => print(&human(painter(common.color), verbosity)),
        Format::Json => print_json(report),
        Format::Jsonl => print_line(report),
        Format::Junit => Err(no_junit()),
    }
}

pub fn no_junit() -> Failure {
    Failure::input("--format junit is for `replay` and `test`")
}

pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(color_eyre::Report::from)?;
    print(&format!("{text}\n"))
}

pub fn print_line(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(value).map_err(color_eyre::Report::from)?;
    print(&format!("{text}\n"))
}

pub fn painter(choice: ColorChoice) -> Painter {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    match choice {
        ColorChoice::Always => Painter::Colour,
        ColorChoice::Never => Painter::Plain,
        ColorChoice::Auto if no_color || !io::stdout().is_terminal() => Painter::Plain,
        ColorChoice::Auto => Painter::Colour,
    }
}
