//! The command line: one file per subcommand, thin layers over the library.

mod args;
mod bundle;
mod call;
mod check;
mod completions;
mod consent;
mod demo;
mod events;
mod failure;
mod fire;
mod help;
mod import;
mod init;
mod inputs;
mod open;
mod output;
mod payload;
mod replay;
mod signals;
mod test;
mod why;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Subcommand};
use failure::Failure;

/// Parse the arguments, run the command, and return the exit code: 0 done, 1 what was asked for failed, 2 usage or
/// unreadable input, 3 internal.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    dispatch(cli).unwrap_or_else(Failure::report)
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let done = match cli.command {
        None => open::run(&cli.open),
        Some(Subcommand::Fire(args)) => return fire::run(&args),
        Some(Subcommand::Call(args)) => return call::run(&args),
        Some(Subcommand::Check(args)) => return check::run(&args),
        Some(Subcommand::Test(args)) => return test::run(&args),
        Some(Subcommand::Replay(args)) => return replay::run(&args),
        Some(Subcommand::Why(args)) => why::run(&args),
        Some(Subcommand::Events(args)) => events::run(&args),
        Some(Subcommand::Payload(args)) => payload::run(&args),
        Some(Subcommand::Init(args)) => init::run(&args),
        Some(Subcommand::Help { topic }) => help::run(topic.as_deref()),
        Some(Subcommand::Completions { shell }) => completions::run(shell),
        Some(Subcommand::Man) => completions::man(),
        Some(Subcommand::Import(args)) => import::run(&args),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// A page of `hookdbg help`, and the list of them.
pub use help::{host_page, page as help_page, topics as help_topics};

/// The argument parser, for help pages, completions and tests.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}
