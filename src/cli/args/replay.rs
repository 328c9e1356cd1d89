//! Arguments of `replay`.

use std::path::PathBuf;

use clap::Args;

use super::{CommonArgs, RunArgs};
use crate::record::FieldsOf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  hookdbg replay --from sessions/ --yes
  hookdbg replay new.json --from events.jsonl --against old.json --yes
  hookdbg replay --from session.jsonl --against-rev HEAD~1 --yes")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ReplayArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// Recordings, payload logs, transcripts, or directories of them
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    pub from: Vec<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Fire each event for itself instead of whole sessions
    #[arg(long)]
    pub independent: bool,
    /// Events at once with --independent [default: the number of processors]
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Fire equal events every time
    #[arg(long)]
    pub no_dedupe: bool,
    /// Fire each event N times and name those that answer differently
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub repeat: usize,
    /// Compare with these settings, or with the outcomes in a recording; exit 1 if a decision flips
    #[arg(long, value_name = "SETTINGS")]
    pub against: Vec<String>,
    /// Compare with the project at this git revision
    #[arg(long, value_name = "REV", conflicts_with = "against")]
    pub against_rev: Option<String>,
    /// Compare with what the recording says happened then
    #[arg(long, conflicts_with_all = ["against", "against_rev"])]
    pub against_recorded: bool,
    /// Write the outcomes to this recording, for later runs to compare with
    #[arg(long, value_name = "FILE")]
    pub accept: Option<PathBuf>,
    /// Run the hooks in the project itself instead of a scratch copy
    #[arg(long)]
    pub in_place: bool,
    /// Fields of payloads derived from a transcript
    #[arg(long, value_enum, default_value_t = FieldsOf::Recorded)]
    pub fields: FieldsOf,
}

/// Which events are replayed.
#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Only this event; repeatable
    #[arg(long, value_name = "EVENT")]
    pub event: Vec<String>,
    /// Only events about this tool; repeatable
    #[arg(long, value_name = "TOOL")]
    pub tool: Vec<String>,
    /// Only this hook, and only events it runs on; repeatable
    #[arg(long, value_name = "NAME")]
    pub hook: Vec<String>,
    /// Only events since then: a date, a time, or a span such as 30d or 12h
    #[arg(long, value_name = "WHEN")]
    pub since: Option<String>,
    /// Only this session, by the beginning of its id; repeatable
    #[arg(long, value_name = "ID")]
    pub session: Vec<String>,
}
