//! Header, tab line, footer, and the borders around panes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Paragraph};

use crate::report::count;
use crate::tui::app::App;
use crate::tui::command::disabled;
use crate::tui::state::Pane;
use crate::tui::widgets::{fit, shorten, width, wrapped};

/// What is open, how it stands, what changed.
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
    let strip = match (&app.load_error, &app.change) {
        (Some(error), _) => {
            let place = error.place.as_ref().map_or_else(String::new, |p| format!(" {}:{}", p.line, p.column));
            format!("broken file{place}: the last good hooks stay")
        }
        (None, Some(change)) => format!("generation {}: {change}", app.reloads + 1),
        (None, None) => String::new(),
    };
    let dot = format!(" {} ", app.glyphs.dot);
    // A broken file is the news: the facts about the last good one can wait.
    let left = if app.load_error.is_some() {
        format!(" hookdbg  {name}")
    } else {
        format!(" hookdbg  {name}{dot}{}", facts.join(&dot))
    };
    let right = format!(" {} watching ", app.glyphs.watching);
    let room = usize::from(area.width).saturating_sub(width(&right));
    let strip_style = if app.load_error.is_some() { theme.err } else { theme.warn };
    let left_width = width(&left).min(room);
    let spans = vec![
        Span::styled(fit(&left, left_width, app.glyphs.more), theme.strong),
        Span::styled(
            fit(&if strip.is_empty() { strip } else { format!("{dot}{strip}") }, room - left_width, app.glyphs.more),
            strip_style,
        ),
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
    let mut spans = Vec::new();
    let mut used = 0;
    let own = |scope: crate::tui::command::Scope| matches!(scope, crate::tui::command::Scope::In(_));
    let rows: Vec<_> = app
        .keymap
        .rows()
        .filter(|(spec, _)| spec.hint.is_some() && spec.works_in(app.focus) && disabled(app, spec.command).is_none())
        .collect();
    // Firing comes first everywhere, then the pane's own, then the rest.
    let ordered = rows.iter().filter(|(s, _)| s.name == "fire");
    let ordered = ordered.chain(rows.iter().filter(|(s, _)| own(s.scope)));
    let ordered = ordered.chain(rows.iter().filter(|(s, _)| !own(s.scope) && s.name != "fire"));
    for (spec, keys) in ordered {
        let typing = app.focus == Pane::Composer;
        let Some(key) = keys.iter().find(|k| !typing || k.ctrl || matches!(k.code, crate::tui::key::Code::F(_))) else {
            continue;
        };
        let key = key.to_string();
        let hint = spec.hint.unwrap_or_default();
        let cost = width(&key) + width(hint) + 3;
        if used + cost > usize::from(area.width) {
            continue;
        }
        used += cost;
        spans.push(Span::styled(format!(" {key}"), app.theme.accent));
        spans.push(Span::styled(format!(" {hint} "), app.theme.dim));
    }
    frame.render_widget(Line::from(spans), area);
}

/// The border of `pane` with its number and a note at the right; gives the inside.
pub fn pane(app: &App, frame: &mut Frame<'_>, area: Rect, pane: Pane, about: &str, note: &str) -> Rect {
    let focused = app.focus == pane;
    let style = if focused { app.theme.accent } else { app.theme.dim };
    let number = Pane::ALL.iter().position(|p| *p == pane).map_or(0, |p| p + 1);
    let title = if about.is_empty() {
        format!(" {number} {} ", pane.title())
    } else {
        format!(" {number} {}  {about} ", pane.title())
    };
    let room = usize::from(area.width).saturating_sub(4);
    let title = if width(&title) > room { fit(&title, room, app.glyphs.more) } else { title };
    let note =
        if note.is_empty() || width(&title) + width(note) + 2 > room { String::new() } else { format!(" {note} ") };
    let block = Block::bordered()
        .border_set(borders(app))
        .border_style(style)
        .title(Span::styled(title, if focused { app.theme.strong } else { app.theme.dim }))
        .title(Line::from(Span::styled(note, app.theme.dim)).right_aligned());
    let inside = block.inner(area);
    frame.render_widget(block, area);
    inside
}

/// Box drawing, or its ASCII twin.
pub fn borders(app: &App) -> border::Set<'static> {
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

/// The rows of a list around the selected one, which is marked where `pane` has the keys.
pub fn list(
    app: &App,
    frame: &mut Frame<'_>,
    area: Rect,
    pane: Pane,
    selected: usize,
    len: usize,
    line: impl Fn(usize) -> Line<'static>,
) {
    let top = super::layout::top_row(selected, len, area.height);
    for (row, y) in (top..len).zip(area.y..area.bottom()) {
        let mut line = shorten(line(row), usize::from(area.width), app.glyphs.more);
        if row == selected && app.focus == pane {
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

/// What an empty pane says: what it is, why it is empty, and the key that fills it.
pub fn empty(app: &App, frame: &mut Frame<'_>, area: Rect, lines: &[&str]) {
    let lines: Vec<Line<'_>> = lines.iter().map(|l| Line::styled((*l).to_string(), app.theme.dim)).collect();
    frame.render_widget(Paragraph::new(lines).wrap(ratatui::widgets::Wrap { trim: true }), area);
}
