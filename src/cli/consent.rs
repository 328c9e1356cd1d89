//! Asks before somebody's commands run for the first time, and remembers the answer by their content.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use super::args::RunArgs;
use super::failure::Failure;
use crate::model::Plan;
use crate::report::visible;
use crate::settings::{Fingerprint, TrustStore};

/// Continue only if the user agrees to run the commands of `plan`.
pub fn obtain(plan: &Plan, args: &RunArgs) -> Result<(), Failure> {
    let commands: Vec<&str> = plan.running().filter_map(|i| plan.hook(i).handler.command()).collect();
    if commands.is_empty() || args.yes || std::env::var_os("HOOKDBG_TRUST").is_some_and(|v| v == "1") {
        return Ok(());
    }
    let cwd = args.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
    let fingerprint = Fingerprint::of(commands.iter().copied(), &cwd);
    let store = TrustStore::new(&state_dir()?);
    if store.trusts(&fingerprint) {
        return Ok(());
    }
    ask(&commands, &cwd)?;
    store.add(&fingerprint)?;
    Ok(())
}

fn ask(commands: &[&str], cwd: &Path) -> Result<(), Failure> {
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty");
    let (true, Ok(mut terminal)) = (std::io::stderr().is_terminal(), terminal) else {
        return Err(Failure::input(
            "this would run commands from the settings file; agree with --yes, or with HOOKDBG_TRUST=1 in the environment",
        ));
    };
    let mut question = format!("These commands would run in {}:\n", cwd.display());
    for command in commands {
        question = format!("{question}  {}\n", visible(command));
    }
    terminal.write_all(format!("{question}Run them? Your answer is kept until they change. [y/N] ").as_bytes())?;
    let mut answer = String::new();
    std::io::BufReader::new(terminal).read_line(&mut answer)?;
    match answer.trim() {
        "y" | "Y" | "yes" => Ok(()),
        _ => Err(Failure::input("nothing was run: you did not agree")),
    }
}

/// Where hookdbg keeps what it remembers.
pub fn state_dir() -> Result<PathBuf, Failure> {
    if let Some(dir) = std::env::var_os("HOOKDBG_STATE_DIR") {
        return Ok(dir.into());
    }
    let strategy =
        etcetera::base_strategy::Xdg::new().map_err(|e| Failure::input(format!("no home directory: {e}")))?;
    Ok(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("hookdbg"))
}
