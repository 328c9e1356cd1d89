//! Traps 16–22: what a hook prints.

use std::fs;

use hookdbg::engine::EngineOptions;
use hookdbg::model::{End, Lifecycle, Stream};
use hookdbg::report::visible;

use crate::support::{Command, Order, block_on, end, request, run, run_with, runner};

#[test]
fn trap_16_a_flood_is_kept_at_both_ends_and_counted_in_between() {
    let options = EngineOptions { capture_bytes: 64 * 1024, ..EngineOptions::default() };
    let record = run_with(Command::hook("floods.sh", &["50000000"]), options);
    let stdout = &end(&record).stdout;
    assert_eq!(stdout.total, 50_000_008);
    let ys = "y".repeat(32 * 1024);
    assert_eq!(stdout.head, format!("BEGIN{}", &ys[5..]).as_bytes());
    assert_eq!(stdout.tail, format!("{}END", &ys[3..]).as_bytes());
    assert!(stdout.truncated() && stdout.text().contains("49934472 bytes not kept"), "{}", stdout.text());
}

#[test]
fn trap_17_at_the_cap_the_hook_neither_blocks_nor_dies_of_a_closed_pipe() {
    let options = EngineOptions { capture_bytes: 16, ..EngineOptions::default() };
    let record = run_with(Command::hook("floods.sh", &["5000000"]), options);
    assert_eq!(end(&record).end, End::Exited(0));
    let stdout = &end(&record).stdout;
    assert_eq!((stdout.head.as_slice(), stdout.tail.as_slice()), (&b"BEGINyyy"[..], &b"yyyyyEND"[..]));
}

/// Fire one hook; answer each piece of output by creating the next of `files`.
fn progress(command: Command, files: Vec<std::path::PathBuf>) -> (Vec<Lifecycle>, Vec<u8>) {
    let runner = runner(Order::InARow, vec![command], EngineOptions::default());
    let (request, mut events) = request();
    let mut files = files.into_iter();
    let (firing, seen) = block_on(async {
        let listen = async {
            let mut seen = Vec::new();
            while let Some(event) = events.recv().await {
                if let Lifecycle::HookProgress { .. } = event
                    && let Some(file) = files.next()
                {
                    fs::write(file, "").unwrap();
                }
                seen.push(event);
            }
            seen
        };
        tokio::join!(runner.fire(request), listen)
    });
    let bytes = end(&firing.runs[0]).stdout.head.clone();
    (seen.into_iter().filter(|e| matches!(e, Lifecycle::HookProgress { .. })).collect(), bytes)
}

#[test]
fn trap_18_torn_and_invalid_characters_are_shown_right_and_stored_exactly() {
    let dir = tempfile::tempdir().unwrap();
    let go = dir.path().join("go");
    // The first two bytes of the character alone make no event, so the second half is sent without waiting for one.
    fs::write(&go, "").unwrap();
    let (events, bytes) = progress(Command::hook("torn-utf8.sh", &[&go.display().to_string()]), Vec::new());
    assert_eq!(bytes, b"\xe2\x82\xac|\xff\xfe|");
    let shown: String = events
        .iter()
        .map(|e| match e {
            Lifecycle::HookProgress { stdout, .. } => stdout.as_str(),
            _ => "",
        })
        .collect();
    assert_eq!(shown, "€|\u{fffd}\u{fffd}|");
}

#[test]
fn trap_19_pieces_carry_sequence_numbers_and_times() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().join("go").display().to_string();
    let go = |n: u8| format!("{base}.{n}").into();
    let (events, _) = progress(Command::hook("both-streams.sh", &[&base]), vec![go(1), go(2)]);
    let pieces: Vec<_> = events
        .iter()
        .map(|e| match e {
            Lifecycle::HookProgress { hook, stream, seq, output, .. } => (*seq, *stream, output.as_str(), hook.t),
            _ => unreachable!(),
        })
        .collect();
    let order: Vec<_> = pieces.iter().map(|(seq, stream, text, _)| (*seq, *stream, *text)).collect();
    assert_eq!(order, [(0, Stream::Stdout, "one\n"), (1, Stream::Stderr, "two\n"), (2, Stream::Stdout, "three\n")]);
    assert!(pieces.is_sorted_by(|a, b| a.3 <= b.3), "{pieces:?}");
}

#[test]
fn trap_20_a_line_without_an_end_is_shown_when_it_arrives() {
    let dir = tempfile::tempdir().unwrap();
    let go = dir.path().join("go");
    // The hook ends only after its half line was seen as progress.
    let (events, _) = progress(Command::hook("no-newline.sh", &[&go.display().to_string()]), vec![go]);
    assert!(matches!(&events[0], Lifecycle::HookProgress { stdout, .. } if stdout == "half a line"));
}

#[test]
fn trap_21_control_sequences_are_spelled_out() {
    let record = run(Command::hook("paints.sh", &[]));
    let shown = visible(&end(&record).stderr.text());
    assert_eq!(shown, "\\e[2J\\e[H\\e]0;owned\\u{7}\\e[31mred\\e[0m\\rback\\ttab\\n");
    assert!(!shown.chars().any(char::is_control));
}

#[test]
fn trap_22_output_after_the_exit_is_kept_and_marked_late() {
    let record = run(Command::hook("late-output.sh", &[]));
    assert_eq!(end(&record).end, End::Exited(0));
    assert_eq!(end(&record).stdout.text(), "early\ncleaned\n");
    assert_eq!(end(&record).late_bytes, 8);
}
