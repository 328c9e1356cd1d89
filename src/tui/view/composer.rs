//! The next event and, beside it, who would run and who would not.

use ratatui::Frame;
use ratatui::layout::{Constraint, Direction, Layout, Rect};
use ratatui::text::{Line, Span};

use super::chrome;
use crate::model::GateKind;
use crate::report::visible;
use crate::tui::app::App;
use crate::tui::state::Pane;

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let direction = if area.width >= 100 { Direction::Horizontal } else { Direction::Vertical };
    let split = Layout::new(direction, [Constraint::Fill(3), Constraint::Fill(2)]);
    let [editor_area, plan_area] = split.areas(area);
    let about = app
        .composer
        .payload
        .as_ref()
        .map_or_else(|_| "not valid".to_string(), |p| format!("{} {}", p.event, p.subject()));
    let inside = chrome::pane(app, frame, editor_area, Pane::Composer, about.trim(), "");
    let trouble = trouble_lines(app);
    let height = u16::try_from(trouble.len()).unwrap_or(0).min(inside.height / 3);
    let text = Rect { height: inside.height - height, ..inside };
    let cursor = app.composer.editor.render(text, frame.buffer_mut());
    if let Some(position) = cursor.filter(|_| app.focus == Pane::Composer && app.overlay.is_none()) {
        frame.set_cursor_position(position);
    }
    chrome::text(app, frame, Rect { y: text.bottom(), height, ..inside }, &trouble);
    plan(app, frame, plan_area);
}

/// The error under the text, or what is missing and unknown in it.
fn trouble_lines(app: &App) -> Vec<Line<'static>> {
    match &app.composer.payload {
        Err(error) => vec![chrome::warning(app, &error.message).style(app.theme.err)],
        Ok(_) => app.composer.findings.iter().map(|f| chrome::warning(app, &f.message)).collect(),
    }
}

fn plan(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let stale = app.composer.payload.is_err();
    let title = if stale { " Plan  of the last valid text " } else { " Plan " };
    let inside = chrome::border(app, frame, area, app.theme.dim, Span::styled(title, app.theme.dim), String::new());
    let mut entries: Vec<_> = app.composer.configured().collect();
    let mut lines = Vec::new();
    if entries.is_empty() {
        let event = app.composer.payload.as_ref().map_or("this event", |p| p.event.as_str());
        lines.push(Line::styled(format!("no hook is configured for {event}"), app.theme.warn));
    }
    // Those that run come first, then the switched off, then the rest.
    entries.sort_by_key(|entry| match entry.gate.as_ref().map(|g| g.gate) {
        None => 0,
        Some(GateKind::Disabled) => 1,
        Some(_) => 2,
    });
    for entry in entries.into_iter().take(usize::from(inside.height) * 2) {
        let label = visible(&entry.hook.label);
        lines.push(match &entry.gate {
            None => Line::from(vec![Span::styled("runs  ", app.theme.ok), Span::raw(label)]),
            Some(gate) if gate.gate == GateKind::Disabled => {
                Line::styled(format!("off   {label}: {}", gate.why), app.theme.dim)
            }
            Some(gate) => Line::from(vec![
                Span::styled("not   ", app.theme.dim),
                Span::raw(label),
                Span::styled(format!(": {}", gate.why), app.theme.dim),
            ]),
        });
    }
    let tone = if stale { app.theme.dim } else { app.theme.text };
    frame.buffer_mut().set_style(inside, tone);
    chrome::text(app, frame, inside, &lines);
}
