//! What happened: firings newest first, their runs below them with bars on the firing's time axis.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::detail::none_as_words;
use super::{bar, chrome, layout};
use crate::model::{FiringId, RunOutcome};
use crate::report::{duration, visible, visible_lines};
use crate::store::{FiringState, Row, RunRow, RunState, micros};
use crate::tui::app::App;
use crate::tui::state::Pane;
use crate::tui::widgets::{fit, width};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let filter = app.store.filter();
    let about = if filter.is_empty() { String::new() } else { format!("/{filter}") };
    let note = if app.timeline.follow { "follow" } else { "held" };
    let inside = chrome::pane(app, frame, area, Pane::Timeline, &about, note);
    if app.store.is_empty() {
        let lines = if filter.is_empty() {
            ["Nothing was fired yet, and nothing runs unasked.", "", "ctrl-r fires the event in the composer (2)."]
        } else {
            ["No firing fits the filter.", "", "esc clears it."]
        };
        return chrome::empty(app, frame, inside, &lines);
    }
    let inside = explain(app, frame, inside);
    chrome::list(app, frame, inside, Some(Pane::Timeline), app.timeline.cursor.row, app.store.len(), |row| {
        match app.store.row(row) {
            Some(Row::Firing(firing)) => firing_line(app, firing, inside.width),
            Some(Row::Run(firing, run)) => run_line(app, firing, &app.store.runs(firing)[run], inside.width),
            None => Line::default(),
        }
    });
}

/// Where the details are a key away, the selected row is explained below the list; gives the room that is left.
fn explain(app: &App, frame: &mut Frame<'_>, inside: Rect) -> Rect {
    const LINES: u16 = 5;
    if layout::layout(app).len() > 1 || inside.height < 3 * LINES {
        return inside;
    }
    let text = match (app.selected_report(), app.selected_hook_report()) {
        (Some(_), Some(hook)) if app.selected_hook_index().is_some() => {
            hook.run.as_ref().map_or_else(String::new, |r| r.says.clone())
        }
        (Some(report), _) => report.verdict.as_ref().map_or_else(String::new, |v| {
            let troubled =
                |o: RunOutcome| !matches!(o, RunOutcome::Success | RunOutcome::Blocked | RunOutcome::Background);
            let failed = report.hooks.iter().filter_map(|h| Some((h, h.run.as_ref().filter(|r| troubled(r.outcome))?)));
            let failed: String = failed.map(|(h, r)| format!("{}: {}\n", h.label, r.says)).take(1).collect();
            let reason = v.reason.as_ref().map_or_else(String::new, |r| format!("{r}\n"));
            format!("{reason}{failed}{}\nthe model sees: {}", v.rule, none_as_words(&v.model_sees))
        }),
        (None, _) => "running".to_string(),
    };
    let list = Rect { height: inside.height - LINES, ..inside };
    let mut lines = vec![chrome::rule(app, inside.width)];
    lines.extend(visible_lines(&text).map(Line::from));
    let below = Rect { y: list.bottom(), height: LINES, ..inside };
    chrome::text(app, frame, below, &lines);
    list
}

/// Microseconds since a running firing began.
fn elapsed(app: &App, id: FiringId) -> u32 {
    micros(app.running_since.get(&id).map_or(0.0, |since| app.now - since))
}

fn firing_line(app: &App, firing: usize, columns: u16) -> Line<'static> {
    let row = app.store.firing(firing);
    let names = &app.store.names;
    let decision = names.text(row.decision);
    let (glyph, word, style) = match row.state {
        FiringState::Running => (app.glyphs.running, "running".to_string(), app.theme.accent),
        FiringState::Blocked => (app.glyphs.blocked, upper(decision, "BLOCKED"), app.theme.err),
        FiringState::Resumed => (app.glyphs.resumed, "GOES ON".to_string(), app.theme.warn),
        FiringState::Passed => (app.glyphs.ok, upper(decision, "PASS"), app.theme.ok),
    };
    let took = if row.state == FiringState::Running { elapsed(app, row.id) } else { row.micros };
    let right = format!("{glyph} {} {:>8}", padded(&word), duration(f64::from(took) / 1000.0));
    let pin = if app.pinned.iter().any(|(id, _, _)| *id == row.id) { app.glyphs.pin } else { "" };
    let left = format!("#{}{pin} {} {}", row.id.0, names.text(row.event), names.text(row.subject));
    let room = usize::from(columns).saturating_sub(width(&right) + 1);
    Line::from(vec![
        Span::styled(fit(&left, room, app.glyphs.more), app.theme.strong),
        Span::raw(" "),
        Span::styled(right, style),
    ])
}

fn upper(decision: &str, fallback: &str) -> String {
    if decision.is_empty() { fallback.to_string() } else { decision.to_uppercase() }
}

fn run_line(app: &App, firing: usize, run: &RunRow, columns: u16) -> Line<'static> {
    let row = app.store.firing(firing);
    let total = if row.state == FiringState::Running { elapsed(app, row.id) } else { row.micros };
    let end = if run.state == RunState::Running { total } else { run.end };
    let (glyph, word, style) = match run.state {
        RunState::Waiting => (
            app.glyphs.skipped,
            (if row.state == FiringState::Running { "waiting" } else { "not run" }).into(),
            app.theme.dim,
        ),
        RunState::Running => (app.glyphs.running, running_word(app, row.id, run, total), app.theme.accent),
        RunState::Done(outcome) => (app.glyphs.outcome(outcome), outcome_word(outcome), app.theme.outcome(outcome)),
    };
    let right = |took: &str| format!("{glyph} {} {took:>8}", padded(&word));
    let columns_of_bar = bar::columns(app.timeline.zoom, columns);
    let (right, bar) = if run.state == RunState::Waiting {
        (right(""), " ".repeat(columns_of_bar))
    } else {
        let cut = run.state == RunState::Done(RunOutcome::Timeout);
        let span = bar::BarSpan { start: run.start, end, drain: run.drain, total, cut };
        let took = duration(f64::from(end.saturating_sub(run.start)) / 1000.0);
        (right(&took), bar::bar(span, columns_of_bar, &app.glyphs))
    };
    let bar = if columns_of_bar > 0 {
        format!("{}{bar}{}", app.glyphs.bar_left, app.glyphs.bar_right)
    } else {
        String::new()
    };
    let name = format!("  {}", visible(app.store.names.text(run.hook)));
    let name_room = usize::from(columns).saturating_sub(width(&bar) + width(&right) + 2);
    Line::from(vec![
        Span::styled(fit(&name, name_room, app.glyphs.more), app.theme.text),
        Span::styled(format!(" {bar} "), style),
        Span::styled(right, style),
    ])
}

/// Words in a column of their own, so that bars and durations line up.
fn padded(word: &str) -> String {
    let columns = width(word).max(9);
    fit(word, columns, "")
}

/// `running`, with what is left of its limit where it has one.
fn running_word(app: &App, id: FiringId, run: &RunRow, now: u32) -> String {
    let label = app.store.names.text(run.hook);
    let limit = app.pending.get(&id).and_then(|p| {
        app.loaded.hooks.hooks.iter().find(|h| h.label == label && h.event == p.event).and_then(|h| h.timeout)
    });
    match limit {
        Some(limit) => {
            let left = limit.as_secs_f64() * 1000.0 - f64::from(now.saturating_sub(run.start)) / 1000.0;
            if left > 0.0 { format!("running, {} left", duration(left)) } else { "ending".into() }
        }
        None => "running".into(),
    }
}

pub fn outcome_word(outcome: RunOutcome) -> String {
    match outcome {
        RunOutcome::Success => "ok".into(),
        other => other.word().replace('_', " "),
    }
}
