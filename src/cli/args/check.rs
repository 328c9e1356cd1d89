//! Arguments of `check`.

use clap::{Args, ValueEnum};

use super::{ColorChoice, SettingsArgs};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookdbg check
  hookdbg check settings.json --format github --deny warnings
  hookdbg check --explain dead-matcher")]
#[command(mut_arg("project", |a| a.help("Directory whose settings are looked for, and from which scripts are")))]
pub struct CheckArgs {
    #[command(flatten)]
    pub given: SettingsArgs,
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
