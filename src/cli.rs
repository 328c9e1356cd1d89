//! The command line: one file per subcommand, thin layers over the library.

mod args;
mod bundle;
mod call;
mod check;
mod consent;
mod context;
mod demo;
mod events;
mod failure;
mod fire;
mod help;
mod import;
mod init;
mod open;
mod output;
mod payload;
mod replay;
mod shell;
mod signals;
mod test;
mod why;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command};
use failure::Failure;

/// Parse the arguments, do what they say, and give the exit code: 0 done, 1 the thing asked for failed, 2 usage or
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
    match dispatch(cli) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    match cli.command {
        None => open::run(&cli.top),
        Some(Command::Fire(args)) => fire::run(&args),
        Some(Command::Call(args)) => call::run(&args),
        Some(Command::Why(args)) => why::run(&args),
        Some(Command::Events(args)) => events::run(&args),
        Some(Command::Payload(args)) => payload::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Test(args)) => test::run(&args),
        Some(Command::Replay(args)) => replay::run(&args),
        Some(Command::Init(args)) => init::run(&args),
        Some(Command::Help(args)) => help::run(&args),
        Some(Command::Completions(args)) => shell::completions(&args),
        Some(Command::Man) => shell::man(),
        Some(Command::Import(args)) => import::run(&args),
    }
}

/// A page of `hookdbg help`, and the list of them.
pub use help::{page as help_page, topics as help_topics};

/// The argument parser, for help pages, completions and tests.
pub fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}
