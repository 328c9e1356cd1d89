//! Help, palette, templates, consent, prompts: what lies over the panes.

use nucleo_matcher::Utf32Str;
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};
use serde_json::Value;

use super::chrome;
use crate::report::visible;
use crate::tui::app::App;
use crate::tui::command::{CommandSpec, Scope, disabled};
use crate::tui::key::Key;
use crate::tui::state::{Choices, Overlay, Pane, PromptKind};
use crate::tui::widgets::{fit, width, wrapped};

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    match &app.overlay {
        None => {}
        Some(Overlay::Choice { of, query, cursor }) => choose(app, frame, area, *of, query, cursor.row),
        Some(Overlay::Prompt { kind, text }) => prompt(app, frame, area, *kind, text),
        Some(overlay) => page(app, frame, area, overlay),
    }
}

/// Draw what is read rather than searched, in the middle.
fn page(app: &App, frame: &mut Frame<'_>, area: Rect, overlay: &Overlay) {
    let (title, top, lines) = text(app, area, overlay);
    let wide = lines.iter().map(Line::width).max().unwrap_or(0) + 4;
    let width = u16::try_from(wide).unwrap_or(u16::MAX).clamp(30, area.width.saturating_sub(4).max(30)).min(area.width);
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(page_room(area)) + 2;
    let hidden = lines.len().saturating_sub(page_room(area).into());
    let hint = if hidden > 0 { format!("{title} j/k scroll ") } else { title.to_string() };
    let inside = open(app, frame, centered(area, width, height), hint);
    let shown: Vec<_> = lines.into_iter().skip(top.min(hidden)).collect();
    frame.render_widget(Paragraph::new(shown), inside);
}

/// How many lines of an overlay have no room, so how far it can be scrolled.
pub fn hidden_lines(app: &App, overlay: &Overlay) -> usize {
    let area = Rect::new(0, 0, app.size.0, app.size.1);
    text(app, area, overlay).2.len().saturating_sub(page_room(area).into())
}

fn page_room(area: Rect) -> u16 {
    area.height.saturating_sub(4).max(1)
}

/// Title, first line and all lines of an overlay, wrapped.
fn text(app: &App, area: Rect, overlay: &Overlay) -> (&'static str, usize, Vec<Line<'static>>) {
    let (title, top, lines) = match overlay {
        Overlay::Help { top } => (" Help ", *top, help(app, area)),
        Overlay::Consent { order, items, top } => {
            let mut lines =
                vec![Line::from(format!("Firing {} would run these commands:", order.payload.event)), Line::default()];
            lines.extend(items.iter().map(|a| {
                Line::from(vec![
                    Span::styled(format!("  {}", visible(&a.command)), app.theme.strong),
                    Span::styled(format!("   {}", a.reason), app.theme.dim),
                ])
            }));
            lines.push(Line::default());
            lines.push(Line::from("Run them? Your answer is kept until a command or its script changes."));
            lines.push(Line::styled("y run    n do not", app.theme.accent));
            (" May these run? ", *top, lines)
        }
        Overlay::Reply { requests, replies, text, .. } => {
            let total = replies.len() + requests.len();
            let (kind, question) = requests.front().map_or(("", ""), |a| (&a.kind, &a.text));
            let lines = vec![
                Line::from(format!("This {kind} hook asks, and hookdbg never makes an answer up:")),
                Line::default(),
                Line::styled(format!("  {}", visible(question)), app.theme.strong),
                Line::default(),
                Line::from(format!("Its reply, as JSON ({} of {total}):", replies.len() + 1)),
                Line::from(vec![Span::styled("> ", app.theme.accent), Span::raw(text.clone()), Span::raw("█")]),
                Line::default(),
                Line::styled("enter give it    ctrl-u clear    esc run nothing", app.theme.accent),
            ];
            (" The model's reply ", 0, lines)
        }
        Overlay::Quit => {
            let running = match app.running_since.len() {
                1 => "1 firing still runs. Leaving ends its hooks.".to_string(),
                running => format!("{running} firings still run. Leaving ends their hooks."),
            };
            let keys = Line::styled("y leave    n stay", app.theme.accent);
            (" Leave? ", 0, vec![Line::from(running), Line::default(), keys])
        }
        Overlay::Choice { .. } | Overlay::Prompt { .. } => ("", 0, Vec::new()),
    };
    (title, top, lines.iter().flat_map(|line| wrapped(line, area.width.saturating_sub(8))).collect())
}

fn centered(area: Rect, width: u16, height: u16) -> Rect {
    Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height }
}

/// An empty window; gives the room in it.
fn open(app: &App, frame: &mut Frame<'_>, place: Rect, title: String) -> Rect {
    frame.render_widget(Clear, place);
    let title = Span::styled(title, app.theme.strong);
    let inside = chrome::border(app, frame, place, app.theme.accent, title, String::new());
    Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside }
}

fn help(app: &App, area: Rect) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let keys_of = |keys: &[Key]| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let column = app.keymap.rows().map(|(_, keys)| width(&keys_of(keys)) + 4).max().unwrap_or(0);
    let room = area.width.saturating_sub(8 + u16::try_from(column).unwrap_or(0));
    let mut group = |title: String, wanted: &dyn Fn(Scope) -> bool| {
        lines.push(Line::styled(title, app.theme.strong));
        for (spec, keys) in app.keymap.rows().filter(|(spec, _)| wanted(spec.scope)) {
            for (row, about) in wrapped(&Line::from(spec.about), room).into_iter().enumerate() {
                let keys = if row == 0 { format!("  {}", keys_of(keys)) } else { String::new() };
                let keys = Span::styled(fit(&keys, column, ""), app.theme.accent);
                lines.push(Line::from(vec![keys, Span::raw(about.to_string())]));
            }
        }
        lines.push(Line::default());
    };
    let focus = app.focus;
    group(format!("{} pane", focus.title()), &|scope| scope == Scope::In(focus));
    if focus != Pane::Composer {
        group("Lists and texts".into(), &|scope| scope == Scope::Lists);
    }
    group("Everywhere".into(), &|scope| scope == Scope::Everywhere);
    lines.push(Line::styled(
        "j/k scroll, esc closes. With a mouse: wheel and click; shift-drag selects text.",
        app.theme.dim,
    ));
    lines
}

/// Commands that match what was typed, best first: by their names, then by what they do.
pub fn palette_rows(app: &App, query: &str) -> Vec<&'static CommandSpec> {
    let mut config = nucleo_matcher::Config::DEFAULT;
    config.prefer_prefix = true;
    let mut matcher = nucleo_matcher::Matcher::new(config);
    let pattern = |kind| Pattern::new(query, CaseMatching::Ignore, Normalization::Smart, kind);
    let (letters, words) = (pattern(AtomKind::Fuzzy), pattern(AtomKind::Substring));
    let mut buffer = Vec::new();
    let mut score = |spec: &CommandSpec| {
        let by_name = letters.score(Utf32Str::new(spec.name, &mut buffer), &mut matcher);
        by_name
            .map(|s| (true, s))
            .or_else(|| words.score(Utf32Str::new(spec.about, &mut buffer), &mut matcher).map(|s| (false, s)))
    };
    let specs = app.keymap.rows().map(|(spec, _)| spec).filter(|spec| spec.works_in(app.focus));
    let mut rows: Vec<_> = specs.filter_map(|spec| Some((score(spec)?, spec))).collect();
    rows.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    rows.into_iter().map(|(_, spec)| spec).collect()
}

fn palette_line(app: &App, spec: &'static CommandSpec) -> Line<'static> {
    let keys =
        app.keymap.rows().find(|(s, _)| s.name == spec.name).and_then(|(_, k)| k.first().map(ToString::to_string));
    let (about, style) = match disabled(app, spec.command) {
        Some(why) => (format!("not now: {why}"), app.theme.dim),
        None => (spec.about.to_string(), app.theme.text),
    };
    Line::from(vec![
        Span::styled(fit(spec.name, 20, ""), style),
        Span::styled(fit(&keys.unwrap_or_default(), 9, ""), app.theme.accent),
        Span::styled(about, style),
    ])
}

/// Templates of every event and the recorded payloads, filtered by what was typed.
pub fn event_choices(app: &App, query: &str) -> Vec<(String, Value)> {
    let dialect = &app.loaded.dialect;
    let value = |spec| dialect.profile().template(spec);
    let templates = dialect.profile().events.iter().map(|spec| (format!("{}  {}", spec.name, spec.when), value(spec)));
    // The first tool is the template's own.
    let variants = dialect.profile().events.iter().flat_map(|spec| {
        dialect.profile().tools.iter().skip(1).filter_map(move |tool| {
            let mut fields = value(spec).as_object().filter(|f| f.contains_key("tool_input"))?.clone();
            tool.put_into(&mut fields);
            Some((format!("{} {}  {}", spec.name, tool.name, spec.when), Value::Object(fields)))
        })
    });
    let recorded = app.replay.items.iter().map(|item| {
        let name = format!("recorded: {} {}", item.payload.event, item.payload.subject());
        (name, Value::Object(item.payload.fields.as_ref().clone()))
    });
    let query = query.to_lowercase();
    templates.chain(variants).chain(recorded).filter(|(name, _)| name.to_lowercase().contains(&query)).collect()
}

fn choose(app: &App, frame: &mut Frame<'_>, area: Rect, of: Choices, query: &str, row: usize) {
    let (title, lines): (_, Vec<_>) = match of {
        Choices::Commands => {
            (" Commands ", palette_rows(app, query).into_iter().map(|spec| palette_line(app, spec)).collect())
        }
        Choices::Events => {
            (" Start from ", event_choices(app, query).into_iter().map(|(name, _)| Line::from(name)).collect())
        }
    };
    let width = area.width.saturating_sub(8).clamp(30, 100).min(area.width);
    let inside = open(app, frame, centered(area, width, area.height.saturating_sub(4).clamp(5, 24)), title.into());
    input(app, frame, Rect { height: 1, ..inside }, "> ", query);
    let list = Rect { y: inside.y + 2, height: inside.height.saturating_sub(2), ..inside };
    if lines.is_empty() {
        return chrome::empty(app, frame, list, &["nothing fits"]);
    }
    chrome::list(app, frame, list, None, row, lines.len(), |index| lines[index].clone());
}

fn prompt(app: &App, frame: &mut Frame<'_>, area: Rect, kind: PromptKind, text: &str) {
    let label = match kind {
        PromptKind::Filter if app.focus == Pane::Detail => "search: ",
        PromptKind::Filter => "filter: ",
        PromptKind::Playground => "tool name: ",
        PromptKind::OpenFile => "recording, log or transcript: ",
        PromptKind::SaveTo => "add it to the recording [hookdbg-recording.jsonl]: ",
    };
    let line = super::layout::footer(area);
    frame.render_widget(Clear, line);
    input(app, frame, line, label, text);
}

/// A label, the text, and the real cursor after it.
fn input(app: &App, frame: &mut Frame<'_>, area: Rect, label: &str, text: &str) {
    let room = usize::from(area.width).saturating_sub(width(label) + 1);
    // The end of a long text is what is being typed.
    let mut shown: String = text.to_string();
    while width(&shown) > room {
        shown.remove(0);
    }
    let x = area.x + u16::try_from(width(label) + width(&shown)).unwrap_or(0);
    frame.render_widget(Line::from(vec![Span::styled(label.to_string(), app.theme.accent), Span::raw(shown)]), area);
    frame.set_cursor_position((x.min(area.right().saturating_sub(1)), area.y));
}
