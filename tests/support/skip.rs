//! Says what was not tested. Written past the test harness, which keeps back what passing tests print: a test that
//! could not run must not look like one that passed.

use std::io::Write as _;
use std::process::Command;

/// Say that something was not tested, and why.
pub fn skipped(reason: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {reason}");
}

/// Whether `program` can be started here; says so where not.
#[allow(dead_code, reason = "each test program uses its own part")]
pub fn has(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        skipped(&format!("tests with {program}, which is not on this machine"));
    }
    there
}
