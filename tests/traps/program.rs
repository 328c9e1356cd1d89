//! Traps that need the whole program: a terminal it stands in (9, 10), process id 1 (32), signals (34, 35) and
//! suspension (36), and another clock (37).

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::skip::{has, skipped};
use crate::support::{alive, appears, eventually, hook_path};

const HOOKDBG: &str = env!("CARGO_BIN_EXE_hookdbg");

/// Goat settings with one PreToolUse command.
fn settings(dir: &Path, command: &str, timeout: u64) -> String {
    let file = dir.join("settings.json");
    let text = serde_json::json!({"hooks": {"PreToolUse": [{"commands": [command], "timeout": timeout}]}});
    std::fs::write(&file, text.to_string()).unwrap();
    file.display().to_string()
}

fn arguments(settings: &str) -> Vec<String> {
    let words = ["fire", settings, "--event", "PreToolUse", "--yes", "--format", "json"];
    words.iter().map(|w| (*w).to_string()).collect()
}

fn fire(settings: &str) -> Child {
    Command::new(HOOKDBG)
        .args(arguments(settings))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .stdin(Stdio::null())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), signal).unwrap();
}

#[test]
fn trap_09_10_a_hook_cannot_reach_the_terminal_we_stand_in() {
    let dir = tempfile::tempdir().unwrap();
    let settings = settings(dir.path(), &hook_path("grab-terminal.sh"), 0);
    let pty = native_pty_system().openpty(PtySize { rows: 24, cols: 200, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(HOOKDBG);
    arguments(&settings).iter().for_each(|a| command.arg(a));
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut screen = String::new();
    // The terminal's end of file is an error on Linux.
    let _ = pty.master.try_clone_reader().unwrap().read_to_string(&mut screen);
    assert!(child.wait().unwrap().success());
    assert!(screen.contains("tty=no own-session=yes"), "{screen}");
    assert!(!screen.contains("GARBAGE"), "{screen}");
}

#[test]
fn trap_32_a_leaky_hook_does_not_hold_us_when_we_are_process_one() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid").display().to_string();
    let settings = settings(dir.path(), &format!("{} {pid}", hook_path("quiet-grandchild.sh")), 0);
    let unshare = ["--pid", "--fork", "--mount-proc", "--kill-child"];
    if !Command::new("unshare").args(unshare).arg("true").status().is_ok_and(|s| s.success()) {
        skipped("trap 32, because this machine gives no process namespace");
        return;
    }
    let output = Command::new("unshare").args(unshare).arg(HOOKDBG).args(arguments(&settings)).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["hooks"][0]["run"]["outcome"], "success", "{report}");
    assert_eq!(report["hooks"][0]["run"]["leaked"], true, "{report}");
}

#[test]
fn trap_34_term_and_hup_to_us_leave_no_hook_alive() {
    for (kind, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let dir = tempfile::tempdir().unwrap();
        let pid_file = dir.path().join("pid");
        let settings = settings(dir.path(), &format!("{} {}", hook_path("hangs.sh"), pid_file.display()), 0);
        let mut child = fire(&settings);
        let pid = appears(&pid_file);
        signal(&child, kind);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        eventually("the hook is gone", || !alive(&pid));
    }
}

#[test]
fn trap_35_three_interrupts_escalate() {
    let dir = tempfile::tempdir().unwrap();
    let pid_file = dir.path().join("pid");
    let settings = settings(dir.path(), &format!("{} {}", hook_path("ignores-term.sh"), pid_file.display()), 0);
    let mut child = fire(&settings);
    let pid = appears(&pid_file);
    let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
    signal(&child, Signal::INT);
    assert!(messages.next().unwrap().unwrap().contains("interrupting the hooks"));
    // The hook ignores the first; the second comes while the grace time still runs.
    signal(&child, Signal::INT);
    assert!(messages.next().unwrap().unwrap().contains("killing the hooks"));
    let _ = kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    eventually("the hook is gone", || !alive(&pid));
}

#[test]
fn trap_36_time_in_which_we_were_suspended_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("hook");
    let settings = settings(dir.path(), &format!("{} {}", hook_path("waits-for.sh"), base.display()), 5);
    let mut child = fire(&settings);
    appears(&base.with_extension("pid"));
    signal(&child, Signal::STOP);
    // Longer than the hook's limit of five seconds; this is the passing of time under test, not a synchronisation.
    std::thread::sleep(std::time::Duration::from_millis(5600));
    signal(&child, Signal::CONT);
    std::fs::write(base.with_extension("go"), "").unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["hooks"][0]["run"]["outcome"], "success", "{report}");
}

#[test]
fn trap_37_a_wall_clock_that_jumps_changes_no_duration_and_no_limit() {
    if !has("cc") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/clock/jumps.c");
    let library = dir.path().join("jumps.so");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status().unwrap();
    assert!(built.success());
    // Measured by a clock that goes back, the second would be none; by one that leaps ahead, the limit would be over.
    let settings = settings(dir.path(), "sleep 1", 60);
    for jump in ["-7200", "7200"] {
        let mut command = Command::new(HOOKDBG);
        command.args(arguments(&settings)).env("LD_PRELOAD", &library).env("CLOCK_JUMP", jump).stdin(Stdio::null());
        let output = command.output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let at: jiff::Timestamp = report["at"].as_str().unwrap().parse().unwrap();
        let off = at.duration_since(jiff::Timestamp::now()).as_hours();
        assert!(report["at"].as_str().unwrap().ends_with('Z') && off.abs() >= 1, "the clock jumps: {at}");
        let run = &report["hooks"][0]["run"];
        assert_eq!(run["outcome"], "success", "{run:#}");
        let ms = |value: &Value| value.as_f64().unwrap();
        let (start, took, all) = (ms(&run["started_ms"]), ms(&run["duration_ms"]), ms(&report["duration_ms"]));
        assert!(start >= 0.0 && took >= 1000.0 && start + took <= all && all < 3_600_000.0, "{start} {took} {all}");
    }
}
