//! Turns output bytes into progress events: at once when it is quiet, merged when it is not, whole characters only.

use std::time::{Duration, Instant};

use super::events::EventSink;
use crate::model::{Lifecycle, RunStamp, Stream};

/// The least time between two progress events of one run.
const SPACING: Duration = Duration::from_millis(16);
/// Bytes one stream may hold back; beyond that the middle is left out of the live view (never of the record).
const MAX_PENDING: usize = 256 * 1024;

#[derive(Debug)]
pub struct Progress {
    sink: EventSink,
    hook: RunStamp,
    firing_start: Instant,
    stdout: PendingOutput,
    stderr: PendingOutput,
    seq: u64,
    last: Option<Instant>,
}

#[derive(Debug, Default)]
struct PendingOutput {
    bytes: Vec<u8>,
    skipped: u64,
}

impl Progress {
    /// For the run `hook` describes; `firing_start` is the firing's start.
    pub fn new(sink: EventSink, hook: RunStamp, firing_start: Instant) -> Self {
        Self {
            sink,
            hook,
            firing_start,
            stdout: PendingOutput::default(),
            stderr: PendingOutput::default(),
            seq: 0,
            last: None,
        }
    }

    pub fn push(&mut self, stream: Stream, bytes: &[u8]) {
        if !self.sink.is_open() {
            return;
        }
        let (other, full) = match stream {
            Stream::Stdout => (!self.stderr.bytes.is_empty(), self.stdout.bytes.len() + bytes.len() > MAX_PENDING),
            Stream::Stderr => (!self.stdout.bytes.is_empty(), self.stderr.bytes.len() + bytes.len() > MAX_PENDING),
        };
        // A change of stream keeps its place in the order, and a full buffer goes out early rather than lose text.
        if (other || full) && self.sink.has_room() {
            self.flush(Rest::Keep);
        }
        let pending = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let room = MAX_PENDING.saturating_sub(pending.bytes.len());
        let taken = bytes.len().min(room);
        pending.bytes.extend_from_slice(&bytes[..taken]);
        pending.skipped += (bytes.len() - taken) as u64;
        self.flush_if_due();
    }

    /// When pending output should go out; none if there is none.
    pub fn due(&self) -> Option<Instant> {
        if self.stdout.bytes.is_empty() && self.stderr.bytes.is_empty() {
            return None;
        }
        Some(self.last.map_or_else(Instant::now, |last| last + SPACING))
    }

    /// Send what is pending if its time has come and the reader has room.
    pub fn flush_if_due(&mut self) {
        if self.due().is_some_and(|due| due <= Instant::now()) && self.sink.has_room() {
            self.flush(Rest::Keep);
        } else if self.due().is_some_and(|due| due <= Instant::now()) {
            // The reader is behind: look again later instead of at once.
            self.last = Some(Instant::now());
        }
    }

    /// Send everything, torn characters included: nothing more will come.
    pub fn finish(mut self) {
        self.flush(Rest::Send);
    }

    fn flush(&mut self, rest: Rest) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let pending = match stream {
                Stream::Stdout => &mut self.stdout,
                Stream::Stderr => &mut self.stderr,
            };
            let keep = match rest {
                Rest::Keep => torn_tail(&pending.bytes),
                Rest::Send => 0,
            };
            let whole = pending.bytes.len() - keep;
            if whole == 0 && pending.skipped == 0 {
                continue;
            }
            let text = String::from_utf8_lossy(&pending.bytes[..whole]).into_owned();
            pending.bytes.drain(..whole);
            let skipped = std::mem::take(&mut pending.skipped);
            let (stdout, stderr) = match stream {
                Stream::Stdout => (text.clone(), String::new()),
                Stream::Stderr => (String::new(), text.clone()),
            };
            let mut hook = self.hook.clone();
            hook.t = self.firing_start.elapsed().as_secs_f64() * 1000.0;
            self.sink.send(Lifecycle::HookProgress {
                hook,
                stream,
                stdout,
                stderr,
                output: text,
                seq: self.seq,
                skipped,
            });
            self.seq += 1;
        }
        self.last = Some(Instant::now());
    }
}

/// What to do with the first bytes of an unfinished character.
#[derive(Clone, Copy)]
enum Rest {
    Keep,
    Send,
}

/// How many bytes at the end begin a character whose rest has not come yet.
fn torn_tail(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let needs = match byte {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            0x80..=0xBF => continue,
            _ => return 0,
        };
        return if needs > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_character_waits_for_its_rest() {
        let euro = "€".as_bytes();
        assert_eq!(torn_tail(&euro[..1]), 1);
        assert_eq!(torn_tail(&euro[..2]), 2);
        assert_eq!(torn_tail(euro), 0);
        assert_eq!(torn_tail(b"ab"), 0);
        assert_eq!(torn_tail(b"\xff"), 0);
        assert_eq!(torn_tail(b"\x80\x80\x80\x80"), 0);
    }
}
