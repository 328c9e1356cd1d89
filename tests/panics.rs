//! A panic while the UI owns the terminal: on the main thread it gives the terminal back first, on another thread it
//! becomes a message and the screen stays. The program runs itself as the one that panics.
#![allow(dead_code, reason = "each program uses its own part of the support")]
#![expect(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test program")]

use std::io::Read as _;
use std::path::Path;

use hookdbg::tui::{Msg, Screen};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use ratatui::widgets::Paragraph;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("panic-here") => panic_here(),
        Some("panic-elsewhere") => panic_elsewhere(),
        _ => parent(),
    }
}

fn panic_here() {
    let (outbox, _inbox) = tokio::sync::mpsc::unbounded_channel();
    let mut screen = Screen::enter(true, outbox).unwrap();
    screen.draw(|f| f.render_widget(Paragraph::new("THE SCREEN"), f.area())).unwrap();
    panic!("on fired_for");
}

fn panic_elsewhere() {
    let (outbox, mut inbox) = tokio::sync::mpsc::unbounded_channel();
    let mut screen = Screen::enter(true, outbox).unwrap();
    assert!(std::thread::spawn(|| panic!("in a task")).join().is_err());
    let Some(Msg::Notice(text)) = inbox.blocking_recv() else { panic!("no message came") };
    screen.draw(|f| f.render_widget(Paragraph::new(format!("SAID: {text}")), f.area())).unwrap();
}

/// Everything the child wrote to its terminal.
fn child(how: &str) -> String {
    let pty = native_pty_system().openpty(PtySize { rows: 24, cols: 200, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    command.arg(how);
    command.cwd(Path::new("/"));
    command.env("RUST_BACKTRACE", "0");
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut text = String::new();
    // The terminal's end of file is an error on Linux.
    let _ = pty.master.try_clone_reader().unwrap().read_to_string(&mut text);
    child.wait().unwrap();
    text
}

/// What was written, with every control sequence as a space: the cursor jumps over blanks.
fn words(raw: &str) -> String {
    let mut out = String::new();
    let mut chars = raw.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            while chars.next().is_some_and(|c| !c.is_ascii_alphabetic()) {}
            out.push(' ');
        } else {
            out.push(c);
        }
    }
    out
}

fn parent() {
    let here = child("panic-here");
    let left = here.find("\u{1b}[?1049l").unwrap_or_else(|| panic!("the alternate screen was never left: {here:?}"));
    let message = here.rfind("on fired_for").unwrap_or_else(|| panic!("the message is missing: {here:?}"));
    assert!(left < message, "the message is readable only after the screen was given back: {here:?}");
    for off in ["\u{1b}[?1000l", "\u{1b}[?2004l", "\u{1b}[?25h"] {
        assert!(here.contains(off), "{off:?} was never sent");
    }
    let elsewhere = words(&child("panic-elsewhere"));
    assert!(elsewhere.contains("SAID: internal error in the background"), "{elsewhere:?}");
    assert!(elsewhere.contains("in a task"));
    assert_eq!(
        elsewhere.matches("panicked at").count(),
        1,
        "nothing but the message reached the terminal: {elsewhere:?}"
    );
    println!("panics: 2 passed, 0 failed");
}
