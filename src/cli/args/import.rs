//! Arguments of `import`, and the choice of fields it shares with `replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

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
    #[arg(long, value_enum, default_value_t = FieldsChoice::Recorded)]
    pub fields: FieldsChoice,
    /// How to print; jsonl prints the recording itself
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// Whose fields derived payloads get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FieldsChoice {
    /// Those of the version that wrote the transcript
    Recorded,
    /// Those of the newest version
    Newest,
}

impl From<FieldsChoice> for crate::record::FieldsOf {
    fn from(choice: FieldsChoice) -> Self {
        match choice {
            FieldsChoice::Recorded => Self::Recorded,
            FieldsChoice::Newest => Self::Newest,
        }
    }
}
