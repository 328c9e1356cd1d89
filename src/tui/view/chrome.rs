//! Header, tab line, footer, and the borders around panes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph, Wrap};

use crate::report::count;
use crate::tui::app::App;
use crate::tui::command::{Command, CommandSpec, Scope, disabled};
use crate::tui::key::Code;
use crate::tui::state::Pane;
use crate::tui::widgets::{fit, shorten, width, wrapped};

/// What is open, its numbers, what changed.
pub fn header(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let theme = &app.theme;
    let name = if app.demo {
        "demo".to_string()
    } else {
        app.loaded.files.iter().map(|f| short(&f.path)).collect::<Vec<_>>().join(", ")
    };
    let hooks = app.loaded.hooks.hooks.len();
    let off = app.switches.off.len();
    let problems = app.problems().count();
    let mut facts = vec![app.loaded.dialect.profile().label(), count(hooks, "hook")];
    if off > 0 {
        facts.push(format!("{off} off"));
    }
    if problems > 0 {
        facts.push(count(problems, "problem"));
    }
    let dot = format!(" {} ", app.glyphs.dot);
    // A broken file is the news: the facts about the last good one can wait.
    let (left, strip, strip_style) = match (&app.load_error, &app.change) {
        (Some(error), _) => {
            let place = error.place.as_ref().map_or_else(String::new, |p| format!(" {}:{}", p.line, p.column));
            (String::new(), format!("{dot}broken file{place}: the last good hooks stay"), theme.err)
        }
        (None, Some(change)) => {
            (facts.join(&dot), format!("{dot}generation {}: {change}", app.reloads + 1), theme.warn)
        }
        (None, None) => (facts.join(&dot), String::new(), theme.warn),
    };
    let left = format!(" hookdbg  {name}{}{left}", if left.is_empty() { "" } else { &dot });
    let right = format!(" {} watching ", app.glyphs.watching);
    let room = usize::from(area.width).saturating_sub(width(&right));
    let left_width = width(&left).min(room);
    let spans = vec![
        Span::styled(fit(&left, left_width, app.glyphs.more), theme.strong),
        Span::styled(fit(&strip, room - left_width, app.glyphs.more), strip_style),
        Span::styled(right, theme.dim),
    ];
    frame.render_widget(Line::from(spans), area);
}

fn short(path: &str) -> &str {
    let mut parts = path.rmatch_indices('/');
    parts.next();
    parts.next().map_or(path, |(at, _)| &path[at + 1..])
}

/// The panes by number, in the narrow layout.
pub fn tabs(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let spans: Vec<_> = Pane::ALL
        .iter()
        .enumerate()
        .flat_map(|(index, pane)| {
            let style = if *pane == app.focus { app.theme.selection } else { app.theme.dim };
            let title = if area.width >= 70 || *pane == app.focus { pane.title() } else { "" };
            [Span::styled(fit(&format!(" {} {title}", index + 1), title.len() + 4, ""), style), Span::raw(" ")]
        })
        .collect();
    frame.render_widget(Line::from(spans), area);
}

/// A message if there is one, else the most useful keys of this pane.
pub fn footer(app: &App, frame: &mut Frame<'_>, area: Rect) {
    if let Some((text, _)) = &app.toast {
        let line = Line::styled(format!(" {text}"), app.theme.accent);
        frame.render_widget(shorten(line, usize::from(area.width), app.glyphs.more), area);
        return;
    }
    let useful = |spec: &CommandSpec| spec.works_in(app.focus) && disabled(app, spec.command).is_none();
    let rows = app.keymap.rows().filter(|(spec, _)| useful(spec));
    let mut rows: Vec<_> = rows.filter_map(|(spec, keys)| Some((spec, spec.hint?, keys))).collect();
    // Firing comes first everywhere, then the pane's own, then the rest.
    rows.sort_by_key(|(spec, ..)| match (spec.command, spec.scope) {
        (Command::Fire, _) => 0,
        (_, Scope::In(_)) => 1,
        _ => 2,
    });
    let typing = app.focus == Pane::Composer;
    let mut spans = Vec::new();
    let mut used = 0;
    for (_, hint, keys) in rows {
        let Some(key) = keys.iter().find(|k| !typing || k.ctrl || matches!(k.code, Code::F(_))) else { continue };
        let (key, hint) = (format!(" {key}"), format!(" {hint} "));
        let cost = width(&key) + width(&hint);
        if used + cost <= usize::from(area.width) {
            used += cost;
            spans.push(Span::styled(key, app.theme.accent));
            spans.push(Span::styled(hint, app.theme.dim));
        }
    }
    frame.render_widget(Line::from(spans), area);
}

/// The border of `pane` with its number and a note at the right; gives the inside.
pub fn pane(app: &App, frame: &mut Frame<'_>, area: Rect, pane: Pane, about: &str, note: &str) -> Rect {
    let focused = app.focus == pane;
    let (style, title_style) =
        if focused { (app.theme.accent, app.theme.strong) } else { (app.theme.dim, app.theme.dim) };
    let space = if about.is_empty() { "" } else { "  " };
    let title = format!(" {} {}{space}{about} ", pane as usize + 1, pane.title());
    let room = usize::from(area.width).saturating_sub(4);
    let title = if width(&title) > room { fit(&title, room, app.glyphs.more) } else { title };
    let has_room = !note.is_empty() && width(&title) + width(note) + 2 <= room;
    let note = if has_room { format!(" {note} ") } else { String::new() };
    border(app, frame, area, style, Span::styled(title, title_style), note)
}

/// A border with a title and a note at the right; gives the inside.
pub fn border(app: &App, frame: &mut Frame<'_>, area: Rect, style: Style, title: Span<'static>, note: String) -> Rect {
    let block = Block::bordered()
        .border_set(borders(app))
        .border_style(style)
        .title(title)
        .title(Line::from(Span::styled(note, app.theme.dim)).right_aligned());
    let inside = block.inner(area);
    frame.render_widget(block, area);
    inside
}

/// Box drawing, or its ASCII twin.
fn borders(app: &App) -> border::Set<'static> {
    const ASCII: border::Set<'static> = border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    };
    if app.glyphs.ascii_borders { ASCII } else { border::PLAIN }
}

/// The rows of a list around the selected one, which is marked where `pane` has the keys; a list without a pane has them.
pub fn list(
    app: &App,
    frame: &mut Frame<'_>,
    area: Rect,
    pane: Option<Pane>,
    selected: usize,
    len: usize,
    line: impl Fn(usize) -> Line<'static>,
) {
    let top = super::layout::top_row(selected, len, area.height);
    for (row, y) in (top..len).zip(area.y..area.bottom()) {
        let mut line = shorten(line(row), usize::from(area.width), app.glyphs.more);
        if row == selected && pane.is_none_or(|pane| app.focus == pane) {
            line = line.patch_style(app.theme.selection);
            if app.overlay.is_none() {
                frame.set_cursor_position((area.x, y));
            }
        }
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
}

/// A line between a list and what is said about its selected row.
pub fn rule(app: &App, columns: u16) -> Line<'static> {
    Line::styled(borders(app).horizontal_top.repeat(usize::from(columns)), app.theme.dim)
}

/// Text that wraps; where there is more of it than room, its last line says so.
pub fn text(app: &App, frame: &mut Frame<'_>, area: Rect, lines: &[Line<'static>]) {
    let mut rows: Vec<_> = lines.iter().flat_map(|line| wrapped(line, area.width)).collect();
    if rows.len() > usize::from(area.height) {
        rows.truncate(usize::from(area.height));
        if let Some(mut last) = rows.pop() {
            last.push_span(Span::styled(app.glyphs.more, app.theme.dim));
            rows.push(shorten(last, usize::from(area.width), app.glyphs.more));
        }
    }
    frame.render_widget(Paragraph::new(rows), area);
}

/// Something to look at, marked as such.
pub fn warning(app: &App, text: impl std::fmt::Display) -> Line<'static> {
    Line::styled(format!("{} {text}", app.glyphs.warn), app.theme.warn)
}

/// What an empty pane says: what it is, why it is empty, and the key that fills it.
pub fn empty(app: &App, frame: &mut Frame<'_>, area: Rect, lines: &[&str]) {
    let lines: Vec<_> = lines.iter().map(|l| Line::styled((*l).to_string(), app.theme.dim)).collect();
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: true }), area);
}
