//! Arguments of `check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ColorChoice;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookdbg check
  hookdbg check settings.json --format github --deny warnings
  hookdbg check --explain dead-matcher")]
pub struct CheckArgs {
    /// Settings files, as PATH or LAYER=PATH; none: those of --project
    #[arg(value_name = "SETTINGS")]
    pub settings: Vec<String>,
    /// Host whose rules apply; detected from the file if not given
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// Directory whose settings are looked for, and from which scripts are
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// Home directory whose settings are looked for [default: $HOME]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Say what a lint is about, and end
    #[arg(long, value_name = "ID")]
    pub explain: Option<String>,
    /// Exit with 1 on warnings too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub deny: Option<Deny>,
    /// How to print
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub format: CheckFormat,
    /// When to use colour
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
}

/// What counts as failure beside errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Deny {
    /// Warnings
    Warnings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    Human,
    /// One JSON value
    Json,
    /// Annotations of a GitHub workflow
    Github,
    /// SARIF 2.1.0
    Sarif,
}
