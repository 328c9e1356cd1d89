//! Arguments of `test`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ColorChoice, RunArgs};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookdbg test cases.yaml --yes
  hookdbg test cases/*.yaml --yes --format junit > report.xml
  hookdbg test cases.yaml --yes --update")]
pub struct TestArgs {
    /// Files of cases, YAML or JSON
    #[arg(value_name = "CASES", required = true)]
    pub cases: Vec<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
    /// Write what was found into the files as what is expected
    #[arg(long)]
    pub update: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t = TestFormat::Human)]
    pub format: TestFormat,
    /// When to use colour
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// For people
    Human,
    /// One JSON value
    Json,
    /// JUnit XML
    Junit,
    /// Annotations of a GitHub workflow
    Github,
}
