//! What each tab of the detail pane holds.

use std::borrow::Cow;

use ratatui::text::{Line, Span};
use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::model::{AnswerKind, FiringId, GateKind, Leftover};
use crate::report::{HookReport, Report, RunReport, duration, visible, visible_lines};
use crate::tui::app::App;
use crate::tui::state::{LiveOutput, Tab};
use crate::tui::view::chrome::warning;
use crate::tui::view::timeline::outcome_word;
use crate::tui::widgets::{TreeLine, fit, tree_lines, wrapped};

pub enum Content<'a> {
    /// Styled lines, wrapped to the width.
    Lines(Vec<Line<'static>>),
    /// Hook output, line by line.
    Text(Cow<'a, str>),
    Tree(Vec<TreeLine>),
}

pub fn content(app: &App) -> Content<'_> {
    let Some(id) = app.selected_firing() else { return Content::Lines(nothing_selected(app)) };
    let live = app.selected_hook_index().and_then(|index| app.live.get(&(id, index)));
    let Some(report) = app.reports.get(&id) else { return while_running(app, id, live) };
    let hook = app.selected_hook_report();
    let run = hook.and_then(|h| h.run.as_ref());
    match app.detail.tab {
        Tab::Why => Content::Lines(why(app, report)),
        Tab::Stdin => json_or_text(app, run.map(|r| r.stdin.as_str())),
        Tab::Stdout => output(run.map(|r| r.stdout.as_str()), "stdout"),
        Tab::Stderr => output(run.map(|r| r.stderr.as_str()), "stderr"),
        Tab::Answer => Content::Lines(answer(app, run)),
        Tab::Merged => Content::Lines(merged(app, report)),
        Tab::Env => Content::Lines(env(app, hook, run)),
        Tab::Diff => Content::Lines(diff(app, id, report)),
    }
}

fn nothing_selected(app: &App) -> Vec<Line<'static>> {
    let mut lines = vec![
        Line::styled("Nothing was fired yet. This is what would happen to the event in the composer:", app.theme.dim),
        Line::default(),
    ];
    for entry in app.composer.configured().take(200) {
        let label = visible(&entry.hook.label);
        lines.push(match &entry.gate {
            None => Line::styled(format!("{} {label} runs", app.glyphs.ok), app.theme.ok),
            Some(gate) => {
                Line::styled(format!("{} {label} does not run: {}", app.glyphs.skipped, gate.why), app.theme.text)
            }
        });
    }
    if lines.len() == 2 {
        lines.push(Line::styled("No hook is configured for this event.", app.theme.warn));
    }
    lines
}

fn while_running<'a>(app: &App, id: FiringId, live: Option<&'a LiveOutput>) -> Content<'a> {
    match (app.detail.tab, live) {
        (Tab::Stdout, Some(live)) => Content::Text(Cow::Borrowed(&live.stdout)),
        (Tab::Stderr, Some(live)) => Content::Text(Cow::Borrowed(&live.stderr)),
        _ if app.is_running(id) || app.pending.contains_key(&id) => Content::Lines(vec![
            Line::styled(format!("{} running", app.glyphs.running), app.theme.accent),
            Line::styled("Stdout and Stderr show what it prints; the rest comes when it is over.", app.theme.dim),
        ]),
        _ => Content::Lines(vec![Line::styled(
            "Its details are no longer kept: only the latest firings keep theirs. Fire it again to see them.",
            app.theme.dim,
        )]),
    }
}

fn output<'a>(text: Option<&'a str>, name: &str) -> Content<'a> {
    match text {
        Some("") => Content::Text(Cow::Owned(format!("({name} is empty)"))),
        Some(text) => Content::Text(Cow::Borrowed(text)),
        None => Content::Text(Cow::Borrowed("(no program ran)")),
    }
}

fn json_or_text<'a>(app: &App, text: Option<&'a str>) -> Content<'a> {
    match text.map(serde_json::from_str::<Value>) {
        Some(Ok(value)) if !app.detail.raw => Content::Tree(tree_lines(&value, &app.detail.folds)),
        _ => output(text, "stdin"),
    }
}

fn labelled(app: &App, label: &str, text: &str) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(label.to_string(), app.theme.dim)];
    lines.extend(visible_lines(text).map(|l| Line::from(format!("  {l}"))));
    lines
}

fn why(app: &App, report: &Report) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let chosen = app.selected_hook_index().and_then(|i| report.hooks.get(i));
    if let Some(hook) = chosen {
        lines.extend(why_run(app, hook));
        lines.push(Line::default());
    }
    if let Some(verdict) = &report.verdict {
        let word =
            verdict.decision.clone().unwrap_or_else(|| if verdict.blocked { "blocked".into() } else { "pass".into() });
        let style = if verdict.blocked { app.theme.err } else { app.theme.ok };
        lines.push(Line::styled(word.to_uppercase(), style));
        if let Some(reason) = &verdict.reason {
            lines.push(Line::from(visible(reason)));
        }
        lines.push(Line::from(visible(&verdict.rule)));
        lines.extend(labelled(app, "the model sees", none_as_words(&verdict.model_sees)));
        lines.extend(labelled(app, "the user sees", none_as_words(&verdict.user_sees)));
        lines.extend(verdict.warnings.iter().map(|w| warning(app, visible(w))));
        lines.push(Line::default());
    }
    let gates = report.hooks.iter().filter_map(|h| Some((h, h.gate.as_ref().filter(|g| g.gate != GateKind::Event)?)));
    for (hook, gate) in gates.take(50) {
        let (label, word) = (visible(&hook.label), gate.gate.word());
        let text = format!("{} {label} not run ({word}): {}", app.glyphs.skipped, gate.why);
        lines.push(Line::styled(text, app.theme.dim));
    }
    lines.extend(report.diagnostics.iter().map(|d| warning(app, visible(&d.message))));
    lines
}

pub fn none_as_words(text: &str) -> &str {
    if text.is_empty() { "nothing of these hooks" } else { text }
}

fn why_run(app: &App, hook: &HookReport) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if let Some(run) = &hook.run {
        let head = format!(
            "{} {} {} {}",
            app.glyphs.outcome(run.outcome),
            visible(&hook.label),
            outcome_word(run.outcome),
            duration(run.duration_ms)
        );
        lines.push(Line::styled(head, app.theme.outcome(run.outcome)));
        lines.push(Line::from(visible(&run.says)));
        let end = match (run.exit_code, run.signal) {
            (Some(code), _) if code > 128 => format!("exit {code} (a shell's word for signal {})", code - 128),
            (Some(code), _) => format!("exit {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => String::new(),
        };
        if !end.is_empty() {
            lines.push(Line::styled(end, app.theme.dim));
        }
        lines.extend(run.answer.ignored.iter().map(|i| warning(app, visible(i))));
        let left = |l: &Leftover| warning(app, format!("left behind: {} (pid {})", l.name, l.pid));
        lines.extend(run.leftovers.iter().map(left));
    }
    if let (Some(path), Some(line), Some(column)) = (&hook.source.path, hook.source.line, hook.source.column) {
        lines.push(Line::styled(format!("{path}:{line}:{column}"), app.theme.dim));
    }
    lines
}

fn answer(app: &App, run: Option<&RunReport>) -> Vec<Line<'static>> {
    let Some(run) = run else { return vec![Line::styled("no hook ran", app.theme.dim)] };
    let answer = &run.answer;
    let kind = match answer.kind {
        AnswerKind::Empty => "empty: nothing was said",
        AnswerKind::Text => "plain text",
        AnswerKind::Json => "JSON",
        AnswerKind::Invalid => "not what this host reads",
    };
    let mut lines = vec![Line::styled(format!("read as {kind}"), app.theme.strong)];
    if let Some(error) = &answer.error {
        lines.push(warning(app, visible(error)).style(app.theme.err));
    }
    if let Some(json) = &answer.json {
        let pretty = serde_json::to_string_pretty(json).unwrap_or_default();
        lines.extend(visible_lines(&pretty).map(Line::from));
    }
    for advice in &run.advice {
        let byte = advice.byte.map_or_else(String::new, |b| format!(" (byte {b})"));
        lines.push(warning(app, format!("{}{byte}", visible(&advice.says))));
        lines.push(Line::from(vec![
            Span::styled("  fix: ", app.theme.dim),
            Span::styled(visible(&advice.fix), app.theme.ok),
        ]));
    }
    lines.extend(answer.ignored.iter().map(|i| Line::styled(format!("ignored: {}", visible(i)), app.theme.warn)));
    lines.push(Line::default());
    lines.push(Line::from(visible(&run.says)));
    lines
}

fn merged(app: &App, report: &Report) -> Vec<Line<'static>> {
    let Some(verdict) = &report.verdict else { return Vec::new() };
    let fact = |name: &'static str, text: Span<'static>| Line::from(vec![Span::styled(name, app.theme.dim), text]);
    let decision = verdict.decision.clone().unwrap_or_else(|| "none".into());
    let mut lines = vec![fact("decision    ", Span::styled(decision, app.theme.strong))];
    if let Some(decider) = &verdict.decided_by {
        lines.push(fact("decided by  ", Span::raw(visible(&decider.label))));
    }
    lines.push(fact("rule        ", Span::raw(visible(&verdict.rule))));
    if let Some(input) = &verdict.updated_input {
        lines.push(Line::styled("input, before and after", app.theme.dim));
        let before = report.payload.get("tool_input").unwrap_or(&Value::Null);
        lines.extend(diff_lines(app, &pretty(before), &pretty(input)));
    }
    if let Some(output) = &verdict.updated_output {
        lines.extend(labelled(app, "output instead", &pretty(output)));
    }
    if !verdict.context.is_empty() {
        lines.extend(labelled(app, "context added", &verdict.context.join("\n")));
    }
    if let Some(feedback) = &verdict.feedback {
        lines.extend(labelled(app, "feedback", feedback));
    }
    lines.extend(both_see(app, none_as_words(&verdict.model_sees), none_as_words(&verdict.user_sees)));
    if !verdict.host.is_empty() {
        lines.extend(labelled(app, "only this host", &pretty(&Value::Object(verdict.host.clone()))));
    }
    lines
}

/// What the model sees beside what the user sees, where there is room; below each other where not.
fn both_see(app: &App, model: &str, user: &str) -> Vec<Line<'static>> {
    let half = usize::from(super::body_width(app)) / 2;
    if half < 36 {
        let mut lines = labelled(app, "what the model sees", model);
        lines.extend(labelled(app, "what the user sees", user));
        return lines;
    }
    let room = u16::try_from(half - 2).unwrap_or(u16::MAX);
    let column = |text: &str| {
        let lines = visible_lines(text).flat_map(|l| wrapped(&Line::from(l), room));
        lines.map(|l| l.to_string()).collect::<Vec<_>>()
    };
    let (left, right) = (column(model), column(user));
    let pair = |l: &str, r: &str| format!("{} {r}", fit(l, half - 1, ""));
    let mut lines = vec![Line::styled(pair("what the model sees", "what the user sees"), app.theme.dim)];
    let cell = |side: &[String], row: usize| side.get(row).cloned().unwrap_or_default();
    let rows = 0..left.len().max(right.len());
    lines.extend(rows.map(|row| Line::from(pair(&cell(&left, row), &cell(&right, row)))));
    lines
}

fn pretty(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

fn env(app: &App, hook: Option<&HookReport>, run: Option<&RunReport>) -> Vec<Line<'static>> {
    let Some(run) = run.filter(|r| !r.argv.is_empty()) else {
        return vec![Line::styled("no program ran", app.theme.dim)];
    };
    let mut lines = vec![Line::styled("arguments", app.theme.dim)];
    lines.extend(run.argv.iter().map(|a| Line::from(format!("  {}", visible(a)))));
    lines.extend(labelled(app, "directory", run.cwd.as_deref().unwrap_or("the one hookdbg runs in")));
    lines.push(Line::styled("your shell | the host gives | this run got", app.theme.dim));
    for row in &run.environment {
        let show = |v: &Option<String>| visible(v.as_deref().unwrap_or("-"));
        let same = row.shell == row.host && row.host == row.run;
        let text = if same {
            format!("  {}: {} (all three)", row.name, show(&row.run))
        } else {
            format!("  {}: {} | {} | {}", row.name, show(&row.shell), show(&row.host), show(&row.run))
        };
        lines.push(Line::styled(text, if same { app.theme.text } else { app.theme.warn }));
    }
    lines.push(Line::styled("variables added", app.theme.dim));
    if run.env.is_empty() {
        lines.push(Line::from("  none: the host adds nothing"));
    }
    lines.extend(run.env.iter().map(|(k, v)| Line::from(format!("  {k}={}", visible(v.as_str().unwrap_or_default())))));
    if let Some(line) = hook.and_then(|h| repro(h, run)) {
        lines.extend(labelled(app, "again in a shell (Y copies it)", &line));
    }
    lines
}

/// A shell line that gives the hook the same stdin, variables and directory.
fn repro(hook: &HookReport, run: &RunReport) -> Option<String> {
    let quote = |text: &str| shlex::try_quote(text).ok().map(Cow::into_owned);
    hook.command.as_ref()?;
    let argv = run.argv.iter().map(|a| quote(a)).collect::<Option<Vec<_>>>()?.join(" ");
    let env: Vec<_> = run.env.iter().filter_map(|(k, v)| Some(format!("{k}={} ", quote(v.as_str()?)?))).collect();
    let cd = run.cwd.as_ref().and_then(|c| quote(c)).map_or_else(String::new, |c| format!("cd {c} && "));
    Some(format!("{cd}printf %s {} | {}{argv}", quote(&run.stdin)?, env.concat()))
}

pub fn repro_line(app: &App) -> Option<String> {
    let hook = app.selected_hook_report()?;
    repro(hook, hook.run.as_ref()?)
}

fn diff(app: &App, id: FiringId, report: &Report) -> Vec<Line<'static>> {
    let Some((other_id, other)) = compared(app, id, report) else {
        return vec![Line::styled(
            "No other run to compare with. b marks a run; without a mark the previous firing of this event is taken.",
            app.theme.dim,
        )];
    };
    let mut lines = vec![Line::styled(format!("#{} {} #{}", other_id.0, app.glyphs.to, id.0), app.theme.strong)];
    lines.extend(diff_lines(app, &summary(other), &summary(report)));
    lines
}

/// The marked firing, or the latest one before this of the same event.
fn compared<'a>(app: &'a App, id: FiringId, report: &Report) -> Option<(FiringId, &'a Report)> {
    let marked = app.detail.mark.filter(|f| *f != id);
    let earlier = || app.report_order.iter().rev().copied().find(|o| *o < id && app.reports[o].event == report.event);
    let other = marked.or_else(earlier)?;
    Some((other, app.reports.get(&other)?))
}

/// What two firings are compared by: payload, outcomes, answers, verdict; times are left out.
fn summary(report: &Report) -> String {
    let mut text = format!("payload {}\n", pretty(&report.payload));
    for hook in &report.hooks {
        let label = &hook.label;
        match (&hook.run, &hook.gate) {
            (Some(run), _) => {
                let (word, says) = (run.outcome.word(), &run.says);
                text = format!("{text}{label}: {word} {says}\n{}{}", ended(&run.stdout), ended(&run.stderr));
            }
            (None, Some(gate)) if gate.gate != GateKind::Event => {
                text = format!("{text}{label}: not run: {}\n", gate.why);
            }
            (None, _) => {}
        }
    }
    match &report.verdict {
        Some(v) => format!("{text}decision {:?}\nreason {:?}\nmodel sees {}\n", v.decision, v.reason, v.model_sees),
        None => text,
    }
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_string() } else { format!("{text}\n") }
}

fn diff_lines(app: &App, before: &str, after: &str) -> Vec<Line<'static>> {
    TextDiff::from_lines(before, after)
        .iter_all_changes()
        .map(|change| {
            let text = visible(change.value().trim_end_matches('\n'));
            match change.tag() {
                ChangeTag::Delete => Line::styled(format!("- {text}"), app.theme.err),
                ChangeTag::Insert => Line::styled(format!("+ {text}"), app.theme.ok),
                ChangeTag::Equal => Line::styled(format!("  {text}"), app.theme.dim),
            }
        })
        .collect()
}
