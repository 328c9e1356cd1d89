//! Asks before somebody's commands run for the first time, and remembers the answer by their content.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use super::args::RunArgs;
use super::failure::Failure;
use crate::model::Plan;
use crate::report::visible;
use crate::settings::{ConsentItem, TrustStore, state_dir};

/// Continue only if the user agrees to run the commands of `plan`.
pub fn obtain(plan: &Plan, args: &RunArgs) -> Result<(), Failure> {
    obtain_for(plan.running().filter_map(|i| plan.hook(i).handler.command()), args)
}

/// As `obtain`, for commands that belong to no single plan.
pub fn obtain_for<'a>(commands: impl Iterator<Item = &'a str>, args: &RunArgs) -> Result<(), Failure> {
    let commands: Vec<&str> = commands.collect();
    if commands.is_empty() || args.yes || std::env::var_os("HOOKDBG_TRUST").is_some_and(|v| v == "1") {
        return Ok(());
    }
    let cwd = args.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
    let store =
        TrustStore::new(&state_dir().ok_or_else(|| Failure::input("no home directory to keep your answer in"))?);
    let items = store.untrusted(commands, &cwd);
    if items.is_empty() {
        return Ok(());
    }
    ask(&items, &cwd)?;
    store.trust(items.iter().map(|a| a.command.as_str()), &cwd)?;
    Ok(())
}

fn ask(items: &[ConsentItem], cwd: &Path) -> Result<(), Failure> {
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
    let (true, Ok(mut terminal)) = (std::io::stderr().is_terminal(), terminal) else {
        return Err(Failure::input(
            "this would run commands from the settings file; agree with --yes, or with HOOKDBG_TRUST=1 in the environment",
        ));
    };
    let lines: Vec<_> = items.iter().map(|a| format!("  {}   ({})\n", visible(&a.command), a.reason)).collect();
    let question = format!("These commands would run in {}:\n{}", cwd.display(), lines.concat());
    terminal.write_all(format!("{question}Run them? Your answer is kept until they change. [y/N] ").as_bytes())?;
    let mut answer = String::new();
    std::io::BufReader::new(terminal).read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::input("nothing was run: you did not agree")),
    }
}
