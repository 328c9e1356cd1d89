//! The terminal UI in a real terminal: what only the whole program can show.
#![cfg(all(feature = "tui", target_os = "linux"))]
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test program")]

#[path = "support/pty.rs"]
mod pty;
#[path = "support/mod.rs"]
mod support;

use std::fs;
use std::os::unix::fs::symlink;

use pty::Pty;
use rustix::process::{Pid, Signal, kill_process};
use support::{alive, appears, eventually, hook_path};

const WIDE: (u16, u16) = (140, 40);

fn project() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The UI while a hook of it hangs: its project, the terminal and the hook's process id.
fn with_a_hanging_hook() -> (tempfile::TempDir, Pty, String) {
    let dir = project();
    let pid_file = dir.path().join("pid");
    let command = format!("{} {}", hook_path("hangs.sh"), pid_file.display());
    let settings = format!(r#"{{"hooks":{{"Stop":[{{"commands":["{command}"]}}]}}}}"#);
    fs::write(dir.path().join("settings.json"), settings).unwrap();
    let mut pty = Pty::start(dir.path(), &["settings.json"], &[("HOOKDBG_TRUST", "1")], WIDE);
    pty.see("1 hook");
    pty.send("\x12");
    let hook = appears(&pid_file);
    (dir, pty, hook)
}

fn hooks(names: &[&str]) -> String {
    let commands: Vec<_> = names.iter().map(|n| format!("{{\"commands\":[\"echo '{{}}' # {n}\"]}}")).collect();
    format!("{{\"hooks\":{{\"Stop\":[{}]}}}}", commands.join(","))
}

#[test]
fn the_demo_starts_fires_and_shows_a_verdict() {
    let dir = project();
    let mut pty = Pty::start(dir.path(), &[], &[], (80, 24));
    pty.see("This is the demo");
    pty.send("\x12");
    let screen = pty.see("DENY");
    assert!(screen.contains("guard.sh") && screen.contains("blocked"), "{screen}");
    pty.send("q");
    assert_eq!(pty.ended(), 0);
    eventually("the terminal is given back", || !pty.alternate());
}

/// Every way editors and tools save a file.
#[test]
fn every_kind_of_save_is_seen() {
    let dir = project();
    let folder = dir.path().join("conf");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("settings.json");
    let real = dir.path().join("real");
    fs::create_dir(&real).unwrap();
    let mut step = 0;
    let next = |step: &mut usize| {
        *step += 1;
        let names: Vec<String> = (0..*step).map(|n| format!("h{n}")).collect();
        hooks(&names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    fs::write(&file, next(&mut step)).unwrap();
    let pty = Pty::start(dir.path(), &["conf/settings.json"], &[], WIDE);
    pty.see("1 hook");
    let count = |pty: &Pty, n: usize, how: &str| pty.wait(how, |s| s.contains(&format!("{n} hooks")));

    fs::write(&file, next(&mut step)).unwrap();
    count(&pty, step, "in place");

    let beside = folder.join("settings.json.tmp");
    fs::write(&beside, next(&mut step)).unwrap();
    fs::rename(&beside, &file).unwrap();
    count(&pty, step, "rename over");

    fs::rename(&file, folder.join("settings.json~")).unwrap();
    fs::write(&file, next(&mut step)).unwrap();
    count(&pty, step, "backup rename");

    fs::remove_file(&file).unwrap();
    pty.see("broken file");
    fs::write(&file, next(&mut step)).unwrap();
    count(&pty, step, "delete and recreate");

    let text = next(&mut step);
    let (head, tail) = text.split_at(text.len() - 10);
    fs::write(&file, head).unwrap();
    pty.see("broken file");
    let mut open = fs::OpenOptions::new().append(true).open(&file).unwrap();
    std::io::Write::write_all(&mut open, tail.as_bytes()).unwrap();
    count(&pty, step, "append after a half-written file");

    fs::remove_dir_all(&folder).unwrap();
    pty.see("broken file");
    fs::create_dir(&folder).unwrap();
    fs::write(&file, next(&mut step)).unwrap();
    count(&pty, step, "directory removed and recreated");

    let target = real.join("one.json");
    fs::write(&target, next(&mut step)).unwrap();
    fs::remove_file(&file).unwrap();
    symlink(&target, &file).unwrap();
    count(&pty, step, "replaced by a link");

    fs::write(&target, next(&mut step)).unwrap();
    count(&pty, step, "through the link");

    let beside = real.join("one.tmp");
    fs::write(&beside, next(&mut step)).unwrap();
    fs::rename(&beside, &target).unwrap();
    count(&pty, step, "target replaced");

    let other = real.join("two.json");
    fs::write(&other, next(&mut step)).unwrap();
    fs::remove_file(&file).unwrap();
    symlink(&other, &file).unwrap();
    let screen = count(&pty, step, "link re-pointed");
    assert!(screen.contains("+1 hook"), "{screen}");
}

#[test]
fn a_hook_is_switched_off_and_on_again_and_the_file_stays_as_it_is() {
    let dir = project();
    let file = dir.path().join("settings.json");
    let text = hooks(&["one", "two"]);
    fs::write(&file, &text).unwrap();
    let mut pty = Pty::start(dir.path(), &["settings.json"], &[], WIDE);
    pty.see("2 hooks");
    pty.send(" ");
    pty.see("off this run");
    pty.send(" ");
    pty.see("off this project");
    pty.send("uu");
    pty.wait("both on again", |s| !s.contains("off this") && !s.contains("1 off"));
    pty.send("  ");
    pty.see("off this project");
    pty.send("q");
    pty.ended();
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    // The next start remembers what was switched off for the project.
    let again = Pty::start(dir.path(), &["settings.json"], &[], WIDE);
    again.see("1 off");
}

#[test]
fn nothing_runs_before_the_user_agrees_and_a_changed_script_asks_again() {
    let dir = project();
    fs::write(dir.path().join("h.sh"), "#!/bin/sh\necho ran >>log\n").unwrap();
    fs::write(dir.path().join("settings.json"), r#"{"hooks":{"Stop":[{"commands":["sh h.sh"]}]}}"#).unwrap();
    let log = dir.path().join("log");
    let runs = || fs::read_to_string(&log).unwrap_or_default().lines().count();
    let mut pty = Pty::start(dir.path(), &["settings.json"], &[], WIDE);
    pty.see("1 hook");
    pty.send("\x12");
    pty.see("May these run?");
    assert_eq!(runs(), 0);
    pty.send("n");
    pty.see("nothing was run");
    pty.send("\x12");
    pty.see("May these run?");
    pty.send("y");
    eventually("it ran once", || runs() == 1);
    pty.wait("no question", |s| !s.contains("May these run?"));
    pty.send("\x12");
    eventually("it ran again unasked", || runs() == 2);
    fs::write(dir.path().join("h.sh"), "#!/bin/sh\necho changed >>log\n").unwrap();
    pty.see("h.sh was saved");
    pty.send("\x12");
    pty.see("its script changed");
    assert_eq!(runs(), 2);
}

#[test]
fn a_pinned_event_fires_again_on_every_save_of_settings_or_script() {
    let dir = project();
    let script = dir.path().join("g.sh");
    let answer = |decision: &str| format!("#!/bin/sh\nprintf '{{\"decision\":\"{decision}\"}}'\n");
    fs::write(&script, answer("allow")).unwrap();
    let settings = r#"{"hooks":{"PreToolUse":[{"commands":["sh ./g.sh"]}]}}"#;
    fs::write(dir.path().join("settings.json"), settings).unwrap();
    let mut pty = Pty::start(dir.path(), &["settings.json"], &[("HOOKDBG_TRUST", "1")], WIDE);
    pty.see("1 hook");
    pty.send("\x12");
    pty.see("ALLOW");
    pty.send("3p");
    pty.see("pinned");
    fs::write(&script, answer("block")).unwrap();
    pty.see("allow → deny");
    fs::write(dir.path().join("settings.json"), settings.replace("./g.sh", "./g.sh #")).unwrap();
    pty.see("still deny");
}

#[test]
fn a_storm_of_resizes_loses_no_key() {
    let dir = project();
    let mut pty = Pty::start(dir.path(), &[], &[], (80, 24));
    pty.see("This is the demo");
    pty.send("2");
    pty.see("ctrl-o templates");
    // A character is typed at every size, also where there is only room for a notice.
    let typed: String = (0..60).map(|n| char::from(b'a' + n % 26)).collect();
    for (n, character) in (0..60).zip(typed.chars()) {
        pty.resize(20 + n * 3, 5 + n);
        pty.send(&character.to_string());
    }
    pty.resize(140, 40);
    pty.see(&format!("{typed}{{"));
    // Nothing drawn for another size is left.
    let screen = pty.wait("one frame", |s| s.contains("2 Composer  not valid") && s.contains("1 Hooks"));
    assert_eq!(screen.lines().filter(|line| line.contains('┌')).count(), 2, "{screen}");
}

#[test]
fn suspending_gives_the_terminal_back_and_resuming_takes_it() {
    let dir = project();
    let mut pty = Pty::start(dir.path(), &[], &[], (80, 24));
    pty.see("This is the demo");
    let pid = pty.child.process_id().unwrap().to_string();
    pty.send("\x1a");
    let stopped = || fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") T");
    eventually("it is stopped", stopped);
    eventually("the terminal is given back", || !pty.alternate());
    kill_process(Pid::from_raw(pid.parse().unwrap()).unwrap(), Signal::CONT).unwrap();
    pty.wait("the screen is back", |s| s.contains("1 Hooks"));
    eventually("the terminal is taken again", || pty.alternate());
    pty.send("3");
    pty.see("Nothing was fired yet");
}

#[test]
fn the_editor_gets_every_key_and_its_text_comes_back() {
    let dir = project();
    let editor = dir.path().join("editor.sh");
    // Reads one line from the terminal itself, and puts it where the event was.
    fs::write(&editor, "#!/bin/sh\necho EDITOR READY\nread -r line </dev/tty\nprintf '{\"hook_event_name\":\"Stop\",\"note\":\"%s\"}' \"$line\" >\"$1\"\n").unwrap();
    let mut pty = Pty::start(dir.path(), &[], &[("VISUAL", &format!("sh {}", editor.display()))], WIDE);
    pty.see("This is the demo");
    pty.send("2\x07");
    pty.see("EDITOR READY");
    pty.send("quit:q?\r");
    // The terminal echoes the line while the editor reads it; afterwards it stands in the composer.
    pty.wait("the line in the composer", |s| s.contains("quit:q?") && s.contains("2 Composer"));
    pty.see("2 Composer  Stop");
}

#[test]
fn a_paste_of_a_megabyte_is_text_and_nothing_else() {
    let dir = project();
    let mut pty = Pty::start(dir.path(), &[], &[], WIDE);
    pty.see("This is the demo");
    pty.send("2");
    pty.see("Composer");
    let text = format!("{{\"hook_event_name\":\"Stop\",\"x\":\"{}\"}}q?:", "qqqqqqqqqq".repeat(100_000));
    pty.send(&format!("\x1b[200~{text}\x1b[201~"));
    pty.see("not valid");
    pty.send("\x1b");
    pty.see("Nothing was fired yet");
}

#[test]
fn a_hook_cannot_paint_the_screen() {
    let dir = project();
    let settings = format!(r#"{{"hooks":{{"Stop":[{{"commands":["{}"]}}]}}}}"#, hook_path("paints.sh"));
    fs::write(dir.path().join("settings.json"), settings).unwrap();
    let mut pty = Pty::start(dir.path(), &["settings.json"], &[("HOOKDBG_TRUST", "1")], WIDE);
    pty.see("1 hook");
    pty.send("\x12");
    pty.see("error");
    pty.send("4lll");
    let screen = pty.see("\\e[2J");
    assert!(screen.contains("1 Hooks") && screen.contains("red"), "{screen}");
    assert!(!pty.raw().contains("\u{1b}]0;owned"));
}

#[test]
fn quitting_leaves_a_clean_terminal_and_asks_only_while_hooks_run() {
    let (_dir, mut pty, hook) = with_a_hanging_hook();
    pty.send("q");
    pty.see("Leave?");
    pty.send("n");
    pty.wait("it stays", |s| !s.contains("Leave?"));
    pty.send("qy");
    assert_eq!(pty.ended(), 0);
    eventually("the hook is ended", || !alive(&hook));
    eventually("the screen is given back", || !pty.alternate());
    let raw = pty.raw();
    for off in ["\x1b[?1049l", "\x1b[?2004l", "\x1b[?1000l", "\x1b[?25h"] {
        assert!(raw.contains(off), "{off:?} was never sent");
    }
}

#[test]
fn term_and_hup_restore_the_terminal_and_leave_no_hook_alive() {
    for signal in [Signal::TERM, Signal::HUP] {
        let (_dir, mut pty, hook) = with_a_hanging_hook();
        kill_process(Pid::from_raw(pty.child.process_id().unwrap().cast_signed()).unwrap(), signal).unwrap();
        pty.ended();
        eventually("the hook is ended", || !alive(&hook));
        eventually("the screen is given back", || !pty.alternate());
    }
}

#[test]
fn ctrl_c_interrupts_then_kills_then_leaves() {
    let (_dir, mut pty, hook) = with_a_hanging_hook();
    pty.send("\x03");
    pty.see("cancelled");
    eventually("the hook is ended", || !alive(&hook));
    pty.send("\x03");
    assert_eq!(pty.ended(), 0);
}

#[test]
fn no_color_keeps_the_selection_visible() {
    let dir = project();
    let pty = Pty::start(dir.path(), &[], &[("NO_COLOR", "1")], (80, 24));
    pty.see("This is the demo");
    let raw = pty.raw();
    assert!(raw.contains("\x1b[7m"), "reverse video marks the selected row");
    assert!(!raw.contains("\x1b[38;5;") && !raw.contains("\x1b[31m"), "no colour is sent");
}

#[test]
fn bad_settings_are_said_on_a_clean_terminal() {
    let dir = project();
    fs::write(dir.path().join("bad.json"), "{\n \"hooks\": [}").unwrap();
    let mut pty = Pty::start(dir.path(), &["bad.json"], &[], (80, 24));
    assert_eq!(pty.ended(), 2);
    pty.see("bad.json:2:12");
    assert!(!pty.raw().contains("\x1b[?1049h"));
}
