//! The report for people: one line per hook, then the verdict with the rule that decided.

use std::fmt::Write as _;

use super::escape::{visible, visible_lines};
use super::style::{Paint, Painter};
use super::value::{CallReport, HookReport, HookState, Report, RunReport};
use crate::diag::{Diagnostic, Severity, render};
use crate::model::{GateKind, RunOutcome, Verdict};

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

pub fn render_report(report: &Report, painter: Painter, verbosity: Verbosity) -> String {
    let mut out = String::new();
    let files: Vec<_> = report.settings.iter().map(|f| f.path.as_str()).collect();
    let title: Vec<_> = std::iter::once(&report.event).chain(&report.tool).map(|t| visible(t)).collect();
    let _ = writeln!(
        out,
        "{}  {}",
        painter.paint(Paint::Strong, &title.join(" ")),
        painter.paint(Paint::Dim, &format!("{} · {}", report.dialect, files.join(", ")))
    );
    report.diagnostics.iter().for_each(|d| diagnostic(&mut out, d, "  ", painter));
    hooks(&mut out, report, painter, verbosity);
    match &report.verdict {
        Some(verdict) => verdict_block(&mut out, report, verdict, painter),
        None => report.explanation.iter().take(1).for_each(|e| {
            let _ = writeln!(out, "{}", painter.paint(Paint::Strong, &visible(e)));
        }),
    }
    out
}

pub fn render_call(call: &CallReport, painter: Painter, verbosity: Verbosity) -> String {
    let mut out = String::new();
    if let Some(pre) = &call.pre {
        out += &render_report(pre, painter, verbosity);
        out.push('\n');
    }
    let word = match (call.tool.ran, call.tool.is_error) {
        (false, _) => painter.paint(Paint::Bad, "tool not run"),
        (true, true) => painter.paint(Paint::Warn, "tool failed"),
        (true, false) => painter.paint(Paint::Good, "tool ran"),
    };
    let _ = writeln!(out, "{word}  input {}", visible(&call.tool.input.to_string()));
    if let Some(post) = &call.post {
        let _ = write!(out, "\n{}", render_report(post, painter, verbosity));
    }
    let label = if call.result.is_error { "result (error)" } else { "result" };
    let _ = writeln!(out, "\n{}", painter.paint(Paint::Strong, &format!("The model gets this {label}:")));
    visible_lines(&call.result.text).for_each(|l| {
        let _ = writeln!(out, "  {l}");
    });
    for message in &call.user_messages {
        let _ = writeln!(out, "  then a message: {}", visible(message));
    }
    out
}

/// A finding with its source lines, the first line in the colour of its severity.
pub fn diagnostic(out: &mut String, diagnostic: &Diagnostic, indent: &str, painter: Painter) {
    let paint = match diagnostic.severity {
        Severity::Error => Paint::Bad,
        Severity::Warning => Paint::Warn,
        Severity::Note => Paint::Dim,
    };
    for (index, line) in visible_lines(&render(diagnostic)).enumerate() {
        let _ = writeln!(out, "{indent}{}", if index == 0 { painter.paint(paint, &line) } else { line });
    }
}

fn hooks(out: &mut String, report: &Report, painter: Painter, verbosity: Verbosity) {
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
        hook_line(out, hook, width, painter);
        if let Some(run) = &hook.run {
            let failed = !matches!(run.outcome, RunOutcome::Success | RunOutcome::Blocked | RunOutcome::Background);
            if failed || verbosity == Verbosity::Full {
                stream(out, "stderr", &run.stderr, painter);
                stream(out, "stdout", &run.stdout, painter);
            }
            if verbosity == Verbosity::Full {
                environment(out, run, painter);
            }
            notes(out, run, painter);
        }
    }
    if unlisted > 0 {
        let _ = writeln!(
            out,
            "  {}",
            painter.paint(Paint::Dim, &format!("{unlisted} more do not run either; --verbose lists them"))
        );
    }
    if hidden > 0 {
        let noun = if hidden == 1 { "hook is" } else { "hooks are" };
        let _ =
            writeln!(out, "  {}", painter.paint(Paint::Dim, &format!("{hidden} {noun} configured for other events")));
    }
}

/// Three columns: your shell, the host, this run.
fn environment(out: &mut String, run: &RunReport, painter: Painter) {
    let cell = |value: &Option<String>| {
        let text = visible(value.as_deref().unwrap_or("-"));
        let cut: String = text.chars().take(26).collect();
        if text.chars().count() > 26 { format!("{}…", cut.chars().take(25).collect::<String>()) } else { cut }
    };
    if run.environment.is_empty() {
        return;
    }
    let head = format!("{:<28} {:<26} {:<26} {}", "environment", "your shell", "the host gives", "this run got");
    let _ = writeln!(out, "      {}", painter.paint(Paint::Dim, &head));
    for row in &run.environment {
        let name: String = row.name.chars().take(28).collect();
        let line = format!("{name:<28} {:<26} {:<26} {}", cell(&row.shell), cell(&row.host), cell(&row.run));
        let differs = row.shell != row.run || row.host != row.run;
        let _ = writeln!(out, "      {}", if differs { painter.paint(Paint::Warn, &line) } else { line });
    }
}

fn hook_line(out: &mut String, hook: &HookReport, width: usize, painter: Painter) {
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
    let _ = writeln!(out, "  {} {}", painter.paint(paint, &head), visible(&sentence));
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

fn stream(out: &mut String, name: &str, text: &str, painter: Painter) {
    let total = text.lines().count();
    for line in visible_lines(text).take(OUTPUT_LINES) {
        let _ = writeln!(out, "      {} {line}", painter.paint(Paint::Dim, &format!("{name} │")));
    }
    if total > OUTPUT_LINES {
        let _ = writeln!(
            out,
            "      {}",
            painter.paint(Paint::Dim, &format!("{name} │ … {} more lines", total - OUTPUT_LINES))
        );
    }
}

fn notes(out: &mut String, run: &RunReport, painter: Painter) {
    for advice in &run.advice {
        let byte = advice.byte.map_or_else(String::new, |b| format!(" (byte {b})"));
        let _ = writeln!(out, "      {} {}{byte}", painter.paint(Paint::Warn, "output"), visible(&advice.says));
        let _ = writeln!(out, "      {} {}", painter.paint(Paint::Good, "fix   "), visible(&advice.fix));
    }
    let mut note = |text: String| {
        let _ = writeln!(out, "      {} {}", painter.paint(Paint::Warn, "note"), visible(&text));
    };
    if run.truncated {
        note(format!(
            "only the beginning and the end of {} bytes of output were kept",
            run.stdout_bytes + run.stderr_bytes
        ));
    }
    if run.outcome == RunOutcome::Timeout && run.stdout_bytes + run.stderr_bytes > 0 {
        note("what it had printed by then is shown here; the host drops it".into());
    }
    if run.late_bytes > 0 {
        note(format!("{} bytes came after its own process had ended", run.late_bytes));
    }
    if !run.leftovers.is_empty() {
        let names: Vec<_> = run
            .leftovers
            .iter()
            .map(|l| {
                format!(
                    "{} (pid {}{})",
                    l.name,
                    l.pid,
                    if l.escaped { ", in its own session: hookdbg does not end it" } else { "" }
                )
            })
            .collect();
        note(format!("it left processes behind: {}", names.join(", ")));
    }
    let started = !matches!(run.outcome, RunOutcome::SpawnFailed | RunOutcome::Cancelled);
    // Whether a small payload was taken is a race between the hook and its pipe, and says nothing.
    let large = run.stdin_bytes > 64 << 10;
    if run.stdin_read != "all" && started && !run.argv.is_empty() && large {
        note(format!(
            "it did not read its stdin to the end ({} of {} bytes), which is no error",
            run.stdin_written, run.stdin_bytes
        ));
    }
}

fn verdict_block(out: &mut String, report: &Report, verdict: &Verdict, painter: Painter) {
    let (paint, word) = headline(verdict);
    let reason = verdict.reason.as_ref().map_or_else(String::new, |r| format!("  {}", visible(r)));
    let _ = writeln!(out, "{}{reason}", painter.paint(paint, &word));
    let mut row = |label: &str, text: &str| {
        for (index, line) in visible_lines(text).enumerate() {
            let label = if index == 0 { label } else { "" };
            let _ = writeln!(out, "  {} {line}", painter.paint(Paint::Dim, &format!("{label:<11}")));
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
        return (
            Paint::Bad,
            format!("{}, AND THE LOOP IS INTERRUPTED", verdict.decision.as_deref().unwrap_or("pass").to_uppercase()),
        );
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
