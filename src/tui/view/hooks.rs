//! What is configured: hooks by event, each with its matcher, switch, last outcome and durations.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::chrome;
use crate::model::{Hook, Payload, RunOutcome};
use crate::plan::gate;
use crate::report::{duration, visible};
use crate::tui::app::App;
use crate::tui::state::{HookRow, Pane};
use crate::tui::widgets::{fit, width};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let note = app.playground.as_ref().map_or_else(String::new, |t| format!("tool {t}"));
    let inside = chrome::pane(app, frame, area, Pane::Hooks, "", &note);
    let rows = app.hook_rows();
    if rows.is_empty() {
        let lines = [
            "No hooks are configured in these files.",
            "",
            "e in Problems (6) opens the file; a save is seen at once.",
        ];
        return chrome::empty(app, frame, inside, &lines);
    }
    // The last lines explain the selected hook.
    let about_height = if inside.height >= 12 { 4 } else { 0 };
    let list = Rect { height: inside.height - about_height, ..inside };
    chrome::list(app, frame, list, Some(Pane::Hooks), app.hooks_cursor.row, rows.len(), |row| match &rows[row] {
        HookRow::Event(event) => event_line(app, event),
        HookRow::Problem(index) => problem_line(app, *index),
        HookRow::Hook(index) => hook_line(app, &app.loaded.hooks.hooks[*index], list.width),
    });
    if about_height > 0 {
        about(app, frame, Rect { y: list.bottom(), height: about_height, ..inside });
    }
}

fn event_line(app: &App, event: &str) -> Line<'static> {
    let known = app.loaded.dialect.profile().event(event).is_some();
    let style = if known { app.theme.strong } else { app.theme.err };
    let note = if known { "" } else { "  unknown event: never fires" };
    Line::from(vec![Span::styled(event.to_string(), style), Span::styled(note.to_string(), app.theme.err)])
}

/// An entry that was not loaded, with its place.
fn problem_line(app: &App, index: usize) -> Line<'static> {
    let Some(problem) = app.problem(index) else { return Line::default() };
    let place = problem.place.as_ref().map_or_else(String::new, |p| format!("{}:{} ", p.line, p.column));
    Line::styled(format!(" {} {place}{}", app.glyphs.warn, visible(&problem.message)), app.theme.err)
}

fn hook_line(app: &App, hook: &Hook, columns: u16) -> Line<'static> {
    let columns = usize::from(columns);
    let stats = app.store.stats.get(&hook.id);
    let off = app.switches.off.get(&hook.id);
    let tried = app.playground.as_ref().map(|tool| not_for(app, hook, tool));
    let (glyph, style) = match (off, tried, stats.and_then(|s| s.last_outcome)) {
        (Some(_), _, _) => (app.glyphs.off, app.theme.dim),
        (None, Some(None), _) => (app.glyphs.ok, app.theme.ok),
        (None, Some(Some(_)), _) => (app.glyphs.skipped, app.theme.dim),
        (None, None, Some(outcome)) => (app.glyphs.outcome(outcome), app.theme.outcome(outcome)),
        (None, None, None) => (app.glyphs.skipped, app.theme.text),
    };
    let right = match (off, stats) {
        (Some(off), _) => format!("off {}", off.words()),
        (None, Some(stats)) => {
            let p95 = stats.percentile(95).map_or_else(String::new, |p| format!(" p95 {}", duration(p)));
            let outcome = stats.last_outcome.map_or("", RunOutcome::word);
            let full = format!("{outcome} {}{p95}", duration(stats.last_ms));
            if columns >= 44 { full } else { duration(stats.last_ms) }
        }
        (None, None) if hook.handler.word() != "command" => hook.handler.word().to_string(),
        (None, None) => String::new(),
    };
    let right_room = if columns >= 44 { 28.min(columns / 2) } else { 9 };
    let right = format!("{right:>right_room$}");
    let matcher = hook.matcher.clone().unwrap_or_else(|| "*".into());
    let scope = hook.origin.scope.as_ref().map_or_else(String::new, |s| format!(" @{s}"));
    let room = columns.saturating_sub(width(&right) + 5);
    let name_room = room * 3 / 5;
    let name = fit(&format!("{}{scope}", visible(&hook.label)), name_room, app.glyphs.more);
    let matcher = fit(&matcher, room.saturating_sub(name_room + 1), app.glyphs.more);
    Line::from(vec![
        Span::styled(format!(" {glyph} "), style),
        Span::styled(name, if off.is_some() { app.theme.dim } else { app.theme.text }),
        Span::styled(format!(" {matcher} "), app.theme.dim),
        Span::styled(right, style),
    ])
}

/// Why the hook wouldn't run for a tool; none if it would.
fn not_for(app: &App, hook: &Hook, tool: &str) -> Option<String> {
    let dialect = app.loaded.dialect.as_ref();
    let fields = serde_json::Map::from_iter([(dialect.profile().tool_field().to_string(), tool.into())]);
    gate(dialect, hook, &Payload::new(hook.event.clone(), fields)).map(|g| g.why)
}

fn about(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let Some(hook) = app.selected_hook() else { return about_problem(app, frame, area) };
    let place = hook.origin.place.as_ref().map_or_else(
        || "registered in code".to_string(),
        |p| {
            let file = p.path.rsplit('/').next().unwrap_or_default();
            format!("{file}:{}:{}", p.line, p.column)
        },
    );
    let limit = hook
        .timeout
        .map_or_else(|| "no limit".to_string(), |t| format!("limit {}", duration(t.as_secs_f64() * 1000.0)));
    let origin = format!("{place} {d} {} {d} {limit}", hook.origin.layer, d = app.glyphs.dot);
    let verdict = match &app.playground {
        Some(tool) => {
            not_for(app, hook, tool).map_or_else(|| format!("runs for {tool}"), |why| format!("not for {tool}: {why}"))
        }
        None => hook.handler.command().map_or_else(|| hook.handler.word().to_string(), visible),
    };
    let lines = [chrome::rule(app, area.width), Line::styled(origin, app.theme.dim), Line::from(verdict)];
    chrome::text(app, frame, area, &lines);
}

/// What the host does because of the selected problem.
fn about_problem(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let problem = match app.hook_rows().get(app.hooks_cursor.row) {
        Some(HookRow::Problem(index)) => app.problem(*index),
        _ => None,
    };
    let Some(problem) = problem else { return };
    let consequence = problem.consequence.clone().unwrap_or_default();
    let lines = [
        chrome::rule(app, area.width),
        Line::styled(format!("host: {consequence}"), app.theme.warn),
        Line::styled("e opens the place; Problems (6) shows the line", app.theme.dim),
    ];
    chrome::text(app, frame, area, &lines);
}
