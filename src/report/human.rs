//! The report for people: one line per hook, then the verdict with the rule that decided.

use super::escape::{visible, visible_lines};
use super::style::{Page, Paint, Painter};
use super::value::{CallReport, HookReport, HookState, Report, RunReport};
use crate::diag::{Diagnostic, Severity, render};
use crate::model::{GateKind, Leftover, RunOutcome, Verdict};

/// How much of each run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// Output of hooks that failed.
    Normal,
    /// Output and input of every hook, and hooks of other events.
    Full,
}

/// Hooks listed that do not run; a file may hold thousands.
const GATED_LINES: usize = 20;
const OUTPUT_LINES: usize = 6;
/// Before what is said of a run.
const INDENT: &str = "      ";

pub fn render_report(report: &Report, painter: Painter, verbosity: Verbosity) -> String {
    let mut page = Page::new(painter);
    let files: Vec<_> = report.settings.iter().map(|f| f.path.as_str()).collect();
    let title: Vec<_> = std::iter::once(&report.event).chain(&report.tool).map(|t| visible(t)).collect();
    let about = painter.paint(Paint::Dim, &format!("{} · {}", report.dialect, files.join(", ")));
    page.labelled("", Paint::Strong, &title.join(" "), &format!(" {about}"));
    report.diagnostics.iter().for_each(|d| diagnostic(&mut page, d, "  "));
    hooks(&mut page, report, verbosity);
    match &report.verdict {
        Some(verdict) => verdict_block(&mut page, report, verdict),
        None => report.explanation.iter().take(1).for_each(|e| page.painted("", Paint::Strong, &visible(e))),
    }
    page.text
}

pub fn render_call(call: &CallReport, painter: Painter, verbosity: Verbosity) -> String {
    let mut page = Page::new(painter);
    page.text = render_report(&call.pre, painter, verbosity);
    page.line("");
    let (paint, word) = match (call.tool.ran, call.tool.is_error) {
        (false, _) => (Paint::Bad, "tool not run"),
        (true, true) => (Paint::Warn, "tool failed"),
        (true, false) => (Paint::Good, "tool ran"),
    };
    page.labelled("", paint, word, &format!(" input {}", visible(&call.tool.input.to_string())));
    if let Some(post) = &call.post {
        page.line("");
        page.text += &render_report(post, painter, verbosity);
    }
    let label = if call.result.is_error { "result (error)" } else { "result" };
    page.line("");
    page.painted("", Paint::Strong, &format!("The model gets this {label}:"));
    visible_lines(&call.result.text).for_each(|l| page.line(&format!("  {l}")));
    call.user_messages.iter().for_each(|m| page.line(&format!("  then a message: {}", visible(m))));
    page.text
}

/// A finding with its source lines, the first line in the colour of its severity.
pub fn diagnostic(page: &mut Page, diagnostic: &Diagnostic, indent: &str) {
    let paint = match diagnostic.severity {
        Severity::Error => Paint::Bad,
        Severity::Warning => Paint::Warn,
        Severity::Note => Paint::Dim,
    };
    for (index, line) in visible_lines(&render(diagnostic)).enumerate() {
        match index {
            0 => page.painted(indent, paint, &line),
            _ => page.line(&format!("{indent}{line}")),
        }
    }
}

fn hooks(page: &mut Page, report: &Report, verbosity: Verbosity) {
    let elsewhere = |h: &&HookReport| h.gate.as_ref().is_some_and(|g| g.gate == GateKind::Event);
    let mut shown: Vec<_> = report.hooks.iter().filter(|h| verbosity == Verbosity::Full || !elsewhere(h)).collect();
    let hidden = report.hooks.len() - shown.len();
    let mut room = GATED_LINES;
    let before = shown.len();
    if verbosity == Verbosity::Normal {
        shown.retain(|h| {
            let gated = h.state == HookState::Skipped;
            room -= usize::from(gated && room > 0);
            !gated || room > 0
        });
    }
    let unlisted = before - shown.len();
    let width = shown.iter().map(|h| visible(&h.label).chars().count()).max().unwrap_or(0).min(28);
    for hook in &shown {
        hook_line(page, hook, width);
        if let Some(run) = &hook.run {
            let failed = !matches!(run.outcome, RunOutcome::Success | RunOutcome::Blocked | RunOutcome::Background);
            if failed || verbosity == Verbosity::Full {
                stream(page, "stderr", &run.stderr);
                stream(page, "stdout", &run.stdout);
            }
            if verbosity == Verbosity::Full {
                environment(page, run);
            }
            notes(page, run);
        }
    }
    if unlisted > 0 {
        page.painted("  ", Paint::Dim, &format!("{unlisted} more do not run either; --verbose lists them"));
    }
    if hidden > 0 {
        let noun = if hidden == 1 { "hook is" } else { "hooks are" };
        page.painted("  ", Paint::Dim, &format!("{hidden} {noun} configured for other events"));
    }
}

/// Three columns: your shell, the host, this run.
fn environment(page: &mut Page, run: &RunReport) {
    let cell = |value: &Option<String>| {
        let text = visible(value.as_deref().unwrap_or("-"));
        if text.chars().count() > 26 { format!("{}…", text.chars().take(25).collect::<String>()) } else { text }
    };
    if run.environment.is_empty() {
        return;
    }
    let head = format!("{:<28} {:<26} {:<26} {}", "environment", "your shell", "the host gives", "this run got");
    page.painted(INDENT, Paint::Dim, &head);
    for row in &run.environment {
        let name: String = row.name.chars().take(28).collect();
        let line = format!("{name:<28} {:<26} {:<26} {}", cell(&row.shell), cell(&row.host), cell(&row.run));
        if row.shell == row.run && row.host == row.run {
            page.line(&format!("{INDENT}{line}"));
        } else {
            page.painted(INDENT, Paint::Warn, &line);
        }
    }
}

fn hook_line(page: &mut Page, hook: &HookReport, width: usize) {
    let label: String = visible(&hook.label).chars().take(width.max(1)).collect();
    let (paint, glyph, word, sentence) = match (&hook.run, &hook.gate) {
        (Some(run), _) => {
            let (paint, glyph) = mark(run.outcome);
            (paint, glyph, format!("{:>8} {}", duration(run.duration_ms), outcome_word(run.outcome)), run.says.clone())
        }
        (None, Some(gate)) => {
            (Paint::Dim, "·", format!("{:>8} {}", "", gate.gate.word()), format!("Not run: {}.", gate.why))
        }
        (None, None) if hook.state == HookState::Runs => (
            Paint::Good,
            "▸",
            format!("{:>8} runs", ""),
            place(hook).map_or_else(String::new, |p| format!("configured at {p}")),
        ),
        (None, None) => (Paint::Dim, "·", format!("{:>8} skipped", ""), String::new()),
    };
    let head = format!("{glyph} {label:<width$} {word:<18}");
    page.labelled("  ", paint, &head, &visible(&sentence));
}

fn outcome_word(outcome: RunOutcome) -> String {
    outcome.word().replace('_', " ")
}

fn mark(outcome: RunOutcome) -> (Paint, &'static str) {
    match outcome {
        RunOutcome::Success => (Paint::Good, "✓"),
        RunOutcome::Blocked => (Paint::Bad, "✗"),
        RunOutcome::Error | RunOutcome::SpawnFailed => (Paint::Warn, "!"),
        RunOutcome::Timeout => (Paint::Warn, "⏱"),
        RunOutcome::Cancelled => (Paint::Warn, "■"),
        RunOutcome::Background => (Paint::Dim, "…"),
    }
}

fn stream(page: &mut Page, name: &str, text: &str) {
    let total = text.lines().count();
    for line in visible_lines(text).take(OUTPUT_LINES) {
        page.labelled(INDENT, Paint::Dim, &format!("{name} │"), &line);
    }
    if total > OUTPUT_LINES {
        page.painted(INDENT, Paint::Dim, &format!("{name} │ … {} more lines", total - OUTPUT_LINES));
    }
}

fn notes(page: &mut Page, run: &RunReport) {
    for advice in &run.advice {
        let byte = advice.byte.map_or_else(String::new, |b| format!(" (byte {b})"));
        page.labelled(INDENT, Paint::Warn, "output", &format!("{}{byte}", visible(&advice.says)));
        page.labelled(INDENT, Paint::Good, "fix   ", &visible(&advice.fix));
    }
    let mut note = |text: String| page.labelled(INDENT, Paint::Warn, "note", &visible(&text));
    let printed = run.stdout_bytes + run.stderr_bytes;
    if run.truncated {
        note(format!("only the beginning and the end of {printed} bytes of output were kept"));
    }
    if run.outcome == RunOutcome::Timeout && printed > 0 {
        note("what it had printed by then is shown here; the host drops it".into());
    }
    if run.late_bytes > 0 {
        note(format!("{} bytes came after its own process had ended", run.late_bytes));
    }
    if !run.leftovers.is_empty() {
        let named = |l: &Leftover| {
            let session = if l.escaped { ", in its own session: hookdbg does not end it" } else { "" };
            format!("{} (pid {}{session})", l.name, l.pid)
        };
        let names: Vec<_> = run.leftovers.iter().map(named).collect();
        note(format!("it left processes behind: {}", names.join(", ")));
    }
    let started = !matches!(run.outcome, RunOutcome::SpawnFailed | RunOutcome::Cancelled);
    // Whether a small payload was taken is a race between the hook and its pipe, and says nothing.
    let large = run.stdin_bytes > 64 << 10;
    if run.stdin_read != "all" && started && !run.argv.is_empty() && large {
        let (taken, all) = (run.stdin_written, run.stdin_bytes);
        note(format!("it did not read its stdin to the end ({taken} of {all} bytes), which is no error"));
    }
}

fn verdict_block(page: &mut Page, report: &Report, verdict: &Verdict) {
    let (paint, word) = headline(verdict);
    match &verdict.reason {
        Some(reason) => page.labelled("", paint, &word, &format!(" {}", visible(reason))),
        None => page.painted("", paint, &word),
    }
    let mut row = |label: &str, text: &str| {
        for (index, line) in visible_lines(text).enumerate() {
            let label = if index == 0 { label } else { "" };
            page.labelled("  ", Paint::Dim, &format!("{label:<11}"), &line);
        }
    };
    row("why", &verdict.rule);
    if let Some(decider) = &verdict.decided_by {
        let (label, place) = (&decider.label, report.hooks.get(decider.hook).and_then(place));
        row("decided by", &place.map_or_else(|| label.clone(), |p| format!("{label} ({p})")));
    }
    if let Some(input) = &verdict.updated_input {
        row("new input", &input.to_string());
    }
    verdict.warnings.iter().for_each(|w| row("note", w));
    row("model sees", if verdict.model_sees.is_empty() { "nothing of these hooks" } else { &verdict.model_sees });
    row("user sees", if verdict.user_sees.is_empty() { "nothing of these hooks" } else { &verdict.user_sees });
}

fn headline(verdict: &Verdict) -> (Paint, String) {
    if verdict.halt {
        let decision = verdict.decision.as_deref().unwrap_or("pass").to_uppercase();
        return (Paint::Bad, format!("{decision}, AND THE LOOP IS INTERRUPTED"));
    }
    match (verdict.blocked, verdict.resume, verdict.decision.as_deref()) {
        (true, _, Some(decision)) => (Paint::Bad, decision.to_uppercase()),
        (true, _, None) => (Paint::Bad, "BLOCKED".into()),
        (false, true, _) => (Paint::Warn, "GOES ON".into()),
        (false, false, Some(decision)) => (Paint::Good, decision.to_uppercase()),
        (false, false, None) => (Paint::Good, "PASS".into()),
    }
}

fn place(hook: &HookReport) -> Option<String> {
    let source = &hook.source;
    Some(format!("{}:{}:{}", source.path.as_ref()?, source.line?, source.column?))
}

/// One unit, three digits at most.
pub fn duration(ms: f64) -> String {
    if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else if ms < 60_000.0 {
        format!("{:.1} s", ms / 1000.0)
    } else {
        format!("{:.0} min", ms / 60_000.0)
    }
}
