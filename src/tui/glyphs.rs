//! Symbols, each with an ASCII twin. None is alone: a word beside it says the same.

use crate::model::RunOutcome;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    pub ok: &'static str,
    pub blocked: &'static str,
    pub warn: &'static str,
    pub timeout: &'static str,
    pub cancelled: &'static str,
    pub background: &'static str,
    pub running: &'static str,
    pub off: &'static str,
    pub skipped: &'static str,
    pub resumed: &'static str,
    pub pin: &'static str,
    pub watching: &'static str,
    pub open: &'static str,
    pub closed: &'static str,
    pub bar: &'static str,
    pub drain: &'static str,
    pub limit: &'static str,
    pub bar_left: &'static str,
    pub bar_right: &'static str,
    pub child: &'static str,
    pub dot: &'static str,
    pub more: &'static str,
    pub to: &'static str,
    pub ascii_borders: bool,
}

impl Glyphs {
    pub const UNICODE: Self = Self {
        ok: "✓",
        blocked: "✗",
        warn: "!",
        timeout: "⧖",
        cancelled: "■",
        background: "…",
        running: "▸",
        off: "○",
        skipped: "·",
        resumed: "↻",
        pin: "◆",
        watching: "●",
        open: "▾",
        closed: "▸",
        bar: "█",
        drain: "░",
        limit: "┃",
        bar_left: "▕",
        bar_right: "▏",
        child: "└",
        dot: "·",
        more: "…",
        to: "→",
        ascii_borders: false,
    };

    pub const ASCII: Self = Self {
        ok: "+",
        blocked: "x",
        warn: "!",
        timeout: "T",
        cancelled: "#",
        background: "~",
        running: ">",
        off: "o",
        skipped: "-",
        resumed: "@",
        pin: "*",
        watching: "*",
        open: "v",
        closed: ">",
        bar: "=",
        drain: ".",
        limit: "|",
        bar_left: "[",
        bar_right: "]",
        child: "`",
        dot: "-",
        more: "..",
        to: "->",
        ascii_borders: true,
    };

    pub fn outcome(&self, outcome: RunOutcome) -> &'static str {
        match outcome {
            RunOutcome::Success => self.ok,
            RunOutcome::Blocked => self.blocked,
            RunOutcome::Error | RunOutcome::SpawnFailed => self.warn,
            RunOutcome::Timeout => self.timeout,
            RunOutcome::Cancelled => self.cancelled,
            RunOutcome::Background => self.background,
        }
    }
}
