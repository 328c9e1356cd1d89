//! Why: everything about the selected firing or run, in tabs.

mod content;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{chrome, layout};
use crate::tui::app::App;
use crate::tui::state::{Pane, Tab};
use crate::tui::widgets::{output_line, shorten, wrapped};
use content::{Content, content};

pub use content::{none_as_words, repro_line};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let about = app.selected_firing().map_or_else(String::new, |id| {
        let hook =
            app.selected_row().and_then(|(f, r)| app.store.runs(f).get(r?).map(|run| app.store.names.text(run.hook)));
        format!("#{}{}", id.0, hook.map_or_else(String::new, |h| format!(" {h}")))
    });
    let note = if app.detail.search.is_empty() { String::new() } else { format!("/{}", app.detail.search) };
    let inside = chrome::pane(app, frame, area, Pane::Detail, &about, &note);
    if inside.height < 2 {
        return;
    }
    tab_line(app, frame, Rect { height: 1, ..inside });
    let body = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    let content = content(app);
    let len = content.len(body.width);
    let top = layout::top_row(app.detail.cursor.row, len, body.height);
    let lines = content.window(app, top, usize::from(body.height), body.width);
    for (row, (line, y)) in (top..).zip(lines.into_iter().zip(body.y..body.bottom())) {
        let mut line = shorten(mark_found(app, line), usize::from(body.width), app.glyphs.more);
        if row == app.detail.cursor.row && app.focus == Pane::Detail {
            if len > usize::from(body.height) {
                line = line.patch_style(app.theme.selection);
            }
            if app.overlay.is_none() {
                frame.set_cursor_position((body.x, y));
            }
        }
        frame.render_widget(line, Rect { y, height: 1, ..body });
    }
}

/// The tabs; where not all fit, the first ones give way to the open one.
fn tab_line(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width);
    let open = app.detail.tab as usize;
    let taken = |tabs: &[Tab]| tabs.iter().map(|t| t.title().len() + 1).sum::<usize>();
    let first = (0..open).find(|first| taken(&Tab::ALL[*first..=open]) + 3 <= columns).unwrap_or(open);
    let mut line = Line::from(Span::styled(if first > 0 { app.glyphs.more } else { "" }, app.theme.dim));
    for (index, tab) in Tab::ALL.iter().enumerate().skip(first) {
        let style = if *tab == app.detail.tab { app.theme.selection } else { app.theme.dim };
        line.push_span(Span::raw(if index > 0 { " " } else { "" }));
        line.push_span(Span::styled(tab.title(), style));
    }
    frame.render_widget(shorten(line, columns, app.glyphs.more), area);
}

fn mark_found(app: &App, line: Line<'static>) -> Line<'static> {
    let needle = app.detail.search.to_lowercase();
    if needle.is_empty() || !line.to_string().to_lowercase().contains(&needle) {
        return line;
    }
    line.patch_style(app.theme.found)
}

/// Width of the text inside the pane, which decides how it wraps.
fn body_width(app: &App) -> u16 {
    layout::layout(app).iter().find(|(p, _)| *p == Pane::Detail).map_or(app.size.0, |(_, a)| a.width).saturating_sub(2)
}

pub fn detail_len(app: &App) -> usize {
    content(app).len(body_width(app))
}

/// The open tab as plain text, for the clipboard.
pub fn detail_text(app: &App) -> String {
    match content(app) {
        Content::Text(text) => text.into_owned(),
        other => {
            let width = body_width(app);
            let lines = other.window(app, 0, other.len(width), width);
            lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        }
    }
}

/// The next line in the direction of `step` that contains what is searched for.
pub fn detail_match(app: &App, step: i64) -> Option<usize> {
    let needle = app.detail.search.to_lowercase();
    let text = detail_text(app);
    let lines: Vec<&str> = text.lines().collect();
    let len = lines.len();
    (1..=len)
        .map(|n| if step > 0 { (app.detail.cursor.row + n) % len } else { (app.detail.cursor.row + len - n) % len })
        .find(|row| lines[*row].to_lowercase().contains(&needle))
}

/// The path of the JSON under the cursor, if it can be folded.
pub fn fold_path(app: &App) -> Option<String> {
    match content(app) {
        Content::Tree(lines) => lines.get(app.detail.cursor.row).filter(|l| l.folded.is_some()).map(|l| l.path.clone()),
        Content::Lines(_) | Content::Text(_) => None,
    }
}

impl Content<'_> {
    fn len(&self, width: u16) -> usize {
        match self {
            Self::Lines(lines) => lines.iter().map(|l| wrapped(l, width).len()).sum(),
            Self::Text(text) => text.lines().count(),
            Self::Tree(lines) => lines.len(),
        }
    }

    /// The lines from `top` on; only these are made.
    fn window(&self, app: &App, top: usize, height: usize, width: u16) -> Vec<Line<'static>> {
        match self {
            Self::Lines(lines) => lines.iter().flat_map(|l| wrapped(l, width)).skip(top).take(height).collect(),
            Self::Text(text) => text.lines().skip(top).take(height).map(output_line).collect(),
            Self::Tree(lines) => lines
                .iter()
                .skip(top)
                .take(height)
                .map(|line| {
                    let fold = match line.folded {
                        Some(true) => app.glyphs.closed,
                        Some(false) => app.glyphs.open,
                        None => " ",
                    };
                    let key = if line.key.is_empty() { String::new() } else { format!("{}: ", line.key) };
                    Line::from(vec![
                        Span::styled(format!("{}{fold} ", "  ".repeat(line.depth)), app.theme.dim),
                        Span::styled(key, app.theme.accent),
                        Span::raw(line.value.clone()),
                    ])
                })
                .collect(),
        }
    }
}
