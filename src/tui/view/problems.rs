//! What is wrong with the files, each with its source line and what the host does because of it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::{chrome, layout};
use crate::diag::{Diagnostic, GUTTER, Severity, render};
use crate::report::visible_lines;
use crate::tui::app::App;
use crate::tui::state::Pane;
use crate::tui::widgets::{shorten, wrapped};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let count = app.problems().count();
    let inside =
        chrome::pane(app, frame, area, Pane::Problems, "", &if count == 0 { String::new() } else { count.to_string() });
    if count == 0 {
        let about = "They are watched; a broken save shows up here with its place.";
        return chrome::empty(app, frame, inside, &["No problems in the settings files.", "", about]);
    }
    let mut lines = Vec::new();
    let mut selected_at = 0;
    for (index, problem) in app.problems().enumerate() {
        let selected = index == app.problems_cursor.row;
        if selected {
            selected_at = lines.len();
        }
        for (row, text) in visible_lines(&render(problem)).enumerate() {
            let style = if row == 0 { severity_style(app, problem) } else { app.theme.dim };
            let style = if row == 0 && selected && app.focus == Pane::Problems { app.theme.selection } else { style };
            let line = Line::styled(text.clone(), style);
            // The excerpt stays as it is, or the caret below it would point elsewhere.
            if text.starts_with(GUTTER) {
                lines.push(shorten(line, usize::from(inside.width), app.glyphs.more));
            } else {
                lines.extend(wrapped(&line, inside.width));
            }
        }
        lines.push(Line::default());
    }
    let top = layout::top_row(selected_at, lines.len(), inside.height);
    if app.focus == Pane::Problems && app.overlay.is_none() {
        let y = inside.y + u16::try_from(selected_at - top).unwrap_or(0);
        frame.set_cursor_position((inside.x, y.min(inside.bottom().saturating_sub(1))));
    }
    let shown: Vec<_> = lines.into_iter().skip(top).take(usize::from(inside.height)).collect();
    frame.render_widget(Paragraph::new(shown), inside);
}

fn severity_style(app: &App, problem: &Diagnostic) -> ratatui::style::Style {
    match problem.severity {
        Severity::Error => app.theme.err,
        Severity::Warning => app.theme.warn,
        Severity::Note => app.theme.text,
    }
}
