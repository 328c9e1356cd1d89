//! Arguments and flags. The doc comments of fields and variants are the help text.

mod check;
mod import;
mod replay;
mod test;

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};

use crate::dialect::registry;

pub use check::{CheckArgs, CheckFormat, Deny};
pub use import::ImportArgs;
pub use replay::{FilterArgs, ReplayArgs};
pub use test::{TestArgs, TestFormat};

/// A debugger and inspector for AI-agent hooks.
#[derive(Debug, Parser)]
#[command(name = "hookdbg", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
#[command(disable_help_subcommand = true)]
#[command(after_help = "Examples:
  hookdbg fire settings.json --payload event.json --yes
  hookdbg why settings.json --event PreToolUse --tool Bash
  hookdbg check --deny warnings
  hookdbg replay --from session.jsonl --against-rev HEAD~1 --yes
  hookdbg payload PreToolUse > event.json")]
pub struct Cli {
    /// What to do; nothing opens the terminal UI
    #[command(subcommand)]
    pub command: Option<Subcommand>,
    #[command(flatten)]
    pub open: OpenArgs,
}

/// Arguments without a subcommand.
#[derive(Debug, Args)]
#[command(mut_args(help_for_opening))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct OpenArgs {
    #[command(flatten)]
    pub given: SettingsArgs,
    /// Directory hooks run in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// default, high-contrast or mono
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Signs and borders in ASCII only
    #[arg(long)]
    pub ascii: bool,
    /// Leave the mouse to the terminal
    #[arg(long)]
    pub no_mouse: bool,
    /// Write a log there
    #[arg(long, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
    /// Print where configuration and state live, and end
    #[arg(long)]
    pub print_paths: bool,
    /// Print every command with its keys, and end
    #[arg(long)]
    pub print_keys: bool,
    /// When to use colour
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
}

fn help_for_opening(arg: clap::Arg) -> clap::Arg {
    match arg.get_id().as_str() {
        "settings" => {
            arg.help("Settings files, as PATH or LAYER=PATH; none: those of --project, else the built-in demo")
        }
        "dialect" => arg.help("Host whose rules apply; detected from the file if not given"),
        _ => arg,
    }
}

#[derive(Debug, clap::Subcommand)]
pub enum Subcommand {
    /// Fire one event, run its hooks, print the report
    Fire(FireArgs),
    /// One tool call: pre hooks, the recorded tool result, post hooks
    Call(CallArgs),
    /// The plan only: which hooks would run, which not, and why; runs nothing
    Why(WhyArgs),
    /// The events of each dialect and what hooks may do there
    Events(EventsArgs),
    /// A payload to start from
    Payload(PayloadArgs),
    /// Look for mistakes in settings and scripts; runs nothing
    Check(CheckArgs),
    /// Run cases with expectations over the report
    Test(TestArgs),
    /// Recorded events, logs or transcripts through the hooks; compares with other settings
    Replay(ReplayArgs),
    /// Transcripts and payload logs to a recording, or a look at what they hold
    Import(ImportArgs),
    /// Write a settings file and a hook to begin with; overwrites nothing
    Init(InitArgs),
    /// Pages on hosts, keys, lints, recordings, cases and recipes
    Help {
        /// A page or a subcommand
        topic: Option<String>,
    },
    /// Completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// The manual page
    Man,
}

/// Whose settings a command is about.
#[derive(Debug, Clone, Args)]
pub struct SettingsArgs {
    /// Settings files, as PATH or LAYER=PATH (user, project, local, flag, managed, plugin, agent); none: those of --project
    #[arg(value_name = "SETTINGS")]
    pub settings: Vec<String>,
    /// Host whose rules apply, as NAME or NAME@VERSION; detected from the file if not given
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// Directory whose settings are looked for
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// Home directory whose settings are looked for [default: $HOME]
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
}

impl SettingsArgs {
    pub fn home(&self) -> Option<PathBuf> {
        self.home.clone().or_else(|| std::env::var_os("HOME").map(PathBuf::from))
    }
}

#[derive(Debug, Clone, Args)]
pub struct CommonArgs {
    #[command(flatten)]
    pub given: SettingsArgs,
    /// Switch a hook off: its name, short name or a glob over them; repeatable
    #[arg(long, value_name = "NAME")]
    pub disable: Vec<String>,
    /// Switch a hook back on that --only or --disable would switch off; repeatable
    #[arg(long, value_name = "NAME")]
    pub enable: Vec<String>,
    /// Run only these hooks; repeatable
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// The agent whose own hooks are alive
    #[arg(long, value_name = "ID")]
    pub agent: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// When to use colour
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,
    /// Show output of every hook and the hooks of other events too
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Debug, Clone, Args)]
pub struct EventSource {
    /// File with the event as a JSON object; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub payload: Option<String>,
    /// Event name, if the payload does not say it; without --payload a template is used
    #[arg(long, value_name = "EVENT")]
    pub event: Option<String>,
    /// Tool name put into the payload
    #[arg(long, value_name = "TOOL")]
    pub tool: Option<String>,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// Directory hooks run in [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// Agree to run the commands of these settings
    #[arg(short, long)]
    pub yes: bool,
    /// A model's or tool's reply for prompt, agent and mcp_tool hooks, as JSON; repeatable, in the order of the hooks
    #[arg(long, value_name = "JSON")]
    pub reply: Vec<String>,
    /// Facts about the host that decide outcomes, as a JSON object
    #[arg(long, value_name = "JSON")]
    pub host: Option<String>,
    /// Exit with 1 if the event is blocked
    #[arg(long)]
    pub exit_code: bool,
    /// Append the event and what came of it to this recording
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Bytes kept of each output stream
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    pub max_output: usize,
}

#[derive(Debug, Args)]
pub struct FireArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub source: EventSource,
    #[command(flatten)]
    pub run: RunArgs,
    /// Write settings, scripts, event and outcome to this tar archive, secrets scrubbed
    #[arg(long, value_name = "OUT.tar")]
    pub bundle: Option<PathBuf>,
    /// Fire what such an archive holds
    #[arg(long, value_name = "FILE.tar", conflicts_with_all = ["settings", "payload", "event"])]
    pub from_bundle: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct CallArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// File with the call as a JSON object (see `payload call`); - reads standard input
    #[arg(long, value_name = "FILE", required = true)]
    pub payload: String,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  hookdbg why PreToolUse Bash
  hookdbg why settings.json --payload event.json
  hookdbg why Stop --all")]
pub struct WhyArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub source: EventSource,
    /// List hooks of other events too, and places that hold no settings
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Only this host
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct PayloadArgs {
    /// The event, or `call` for a whole tool call
    pub event: String,
    /// Host whose payload it is; the first that knows the event if not given
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// The tool it is about
    #[arg(long, value_name = "TOOL")]
    pub tool: Option<String>,
}

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Host to write for
    #[arg(long, value_name = "NAME", default_value = registry::default().profile().name)]
    pub dialect: String,
    /// Directory of the project
    #[arg(value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// The report as one JSON value
    Json,
    /// Lifecycle events as they happen, one a line, then the report
    Jsonl,
    /// JUnit XML, for `replay` and `test`
    Junit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
