//! Arguments of `import`.

use std::path::PathBuf;

use clap::Args;

use super::Format;
use crate::record::FieldsOf;

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Transcripts, payload logs, recordings, or directories of them
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Append the events to this recording
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Host whose payloads a log holds, and whose events the recording is for
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// Fields of payloads derived from a transcript
    #[arg(long, value_enum, default_value_t = FieldsOf::Recorded)]
    pub fields: FieldsOf,
    /// How to print; jsonl prints the recording itself
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}
