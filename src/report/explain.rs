//! The sentences a person reads first: outcome or most likely cause on top.

use super::value::{HookReport, HookState, Report, RunReport};
use crate::diag::Severity;
use crate::model::{GateKind, RunOutcome, ToolRun, nearest};

pub fn plan(report: &Report) -> Vec<String> {
    let running = report.hooks.iter().filter(|h| h.state != HookState::Skipped).count();
    let mut out = vec![match running {
        0 => none_runs(report),
        _ => format!("{} would run for {}.", count(running, "hook"), report.event),
    }];
    out.extend(stopped(report));
    out.extend(problems(report));
    out
}

pub fn firing(report: &Report) -> Vec<String> {
    let ran = report.hooks.iter().filter(|h| h.state == HookState::Ran).count();
    let mut out = Vec::new();
    if ran == 0 {
        out.push(none_runs(report));
    }
    if let Some(verdict) = &report.verdict {
        out.push(verdict.rule.clone());
    }
    for hook in &report.hooks {
        let failed = |r: &&RunReport| !matches!(r.outcome, RunOutcome::Success | RunOutcome::Blocked);
        out.extend(hook.run.as_ref().filter(failed).map(|run| format!("`{}`: {}", hook.label, run.says)));
        out.extend(left_behind(hook));
    }
    out.extend(stopped(report));
    out.extend(report.verdict.iter().flat_map(|v| v.warnings.clone()));
    out.extend(problems(report));
    out
}

pub fn call(pre: &Report, tool: &ToolRun, post: Option<&Report>) -> Vec<String> {
    let mut out = vec![if tool.ran {
        "The tool runs (its recorded result stands in for it).".to_string()
    } else {
        "The tool does not run, and no event follows.".to_string()
    }];
    out.extend(pre.explanation.iter().map(|e| format!("{}: {e}", pre.event)));
    out.extend(post.into_iter().flat_map(|p| p.explanation.iter().map(move |e| format!("{}: {e}", p.event))));
    out
}

fn none_runs(report: &Report) -> String {
    if report.hooks.is_empty() {
        return "No hook runs: the settings have no hooks at all.".into();
    }
    let event = &report.event;
    let of_event = report.hooks.iter().filter(|h| h.event == *event).count();
    if of_event > 0 {
        return format!("No hook runs: none of the {of_event} configured for {event} gets past its gates.");
    }
    if let Some(near) = nearest(event, report.hooks.iter().map(|h| h.event.as_str())) {
        let note = "Event names are read letter by letter.";
        return format!("No hook runs: none is configured under {event}; some are under `{near}`. {note}");
    }
    if report.diagnostics.iter().any(|d| d.id == "invalid-entry") {
        return format!("No hook runs: none is loaded under {event}; an entry is refused, see the diagnostics.");
    }
    format!("No hook runs: none is configured under {event}.")
}

/// Hooks of this very event that a gate stops, each with its sentence.
fn stopped(report: &Report) -> impl Iterator<Item = String> {
    let gated = report.hooks.iter().filter_map(|h| Some((&h.label, h.gate.as_ref()?)));
    gated.filter(|(_, g)| g.gate != GateKind::Event).map(|(label, g)| format!("`{label}` does not run: {}.", g.why))
}

fn left_behind(hook: &HookReport) -> Option<String> {
    let left = hook.run.as_ref()?.leftovers.len();
    (left > 0).then(|| {
        format!(
            "`{}` left {} behind. hookdbg waited half a second for more output and went on; a host that reads to the end of \
             the output would wait for it. What is in reach is ended with hookdbg.",
            hook.label,
            count(left, "process")
        )
    })
}

fn problems(report: &Report) -> Option<String> {
    let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    (errors > 0).then(|| format!("{} in the settings; see the diagnostics.", count(errors, "error")))
}

/// `1 hook`, `2 hooks`.
pub fn count(n: usize, what: &str) -> String {
    let plural = if what.ends_with('s') { "es" } else { "s" };
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}{plural}") }
}
