//! The `hookdbg` program: runs the command line and turns a panic into exit code 3.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A second call fails only if a report hook is installed already, which changes nothing here.
    let _ = color_eyre::install();
    std::panic::catch_unwind(hookdbg::cli::run).unwrap_or(ExitCode::from(3))
}
