//! Traps 11–15: feeding a hook.

use hookdbg::model::End;

use crate::support::{Command, end, run};

#[test]
fn trap_11_a_hook_that_does_not_read_a_megabyte_is_a_normal_result() {
    let record = run(Command::hook("ignores-stdin.sh", &[]).stdin(vec![b'x'; 1 << 20]));
    assert_eq!(end(&record).end, End::Exited(0));
    assert_eq!(end(&record).stdout.text(), "{}");
    let stdin = end(&record).stdin;
    assert_eq!(stdin.total, 1 << 20);
    assert!(stdin.written < stdin.total, "{stdin:?}");
    assert_ne!(stdin.word(), "all");
}

#[test]
fn trap_12_a_hook_that_never_reads_is_ended_by_its_timeout() {
    let record = run(Command::hook("never-reads.sh", &[]).stdin(vec![b'x'; 1 << 20]).timeout_ms(200));
    assert!(matches!(end(&record).end, End::TimedOut { limit_ms: 200, .. }), "{:?}", end(&record).end);
}

#[test]
fn trap_13_a_hook_that_writes_before_it_reads_does_not_deadlock() {
    let record = run(Command::hook("writes-first.sh", &[]).stdin(vec![b'x'; 300_000]));
    assert_eq!(end(&record).end, End::Exited(0));
    assert_eq!(end(&record).stdout.text().trim(), "300000");
    assert_eq!(end(&record).stderr.total, 300_000);
}

#[test]
fn trap_14_stdin_is_closed_after_the_last_byte() {
    let record = run(Command::hook("counts-stdin.sh", &[]).stdin(&b"hello"[..]));
    assert_eq!(end(&record).stdout.text().trim(), "5");
    assert_eq!(end(&record).stdin.word(), "all");
    let large = run(Command::hook("counts-stdin.sh", &[]).stdin(vec![b'x'; 3 << 20]));
    assert_eq!(end(&large).stdout.text().trim(), (3 << 20).to_string());
}

#[test]
fn trap_15_an_empty_payload_still_ends_stdin() {
    let record = run(Command::hook("counts-stdin.sh", &[]).stdin(&b""[..]));
    assert_eq!(end(&record).stdout.text().trim(), "0");
}
