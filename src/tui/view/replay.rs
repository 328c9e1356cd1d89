//! Recorded payloads; the decision column fills in as they are fired.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::chrome;
use crate::record::Outcome;
use crate::report::{count, visible_lines};
use crate::tui::app::App;
use crate::tui::state::{Pane, ReplayFilter, ReplayRow, Review};
use crate::tui::widgets::fit;

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let file =
        app.replay.file.as_ref().and_then(|f| f.file_name()).map_or_else(String::new, |f| f.display().to_string());
    let about = match app.replay.items.filter() {
        "" => file,
        filter => format!("{file} /{filter}"),
    };
    let inside = chrome::pane(app, frame, area, Pane::Replay, &about, &progress(app));
    let rows = app.replay.items.rows();
    if rows.is_empty() {
        let lines = if app.replay.items.is_empty() {
            ["No payloads are open.", "", "o opens a recording, a payload log or a transcript."]
        } else {
            ["No event is listed.", "", "esc clears the filter; f lists all events."]
        };
        return chrome::empty(app, frame, inside, &lines);
    }
    let (list, both) = split(app, inside);
    let known = app.replay.items.iter().any(|i| i.entry.recorded.is_some());
    let columns = if known { Columns::RecordedAndCurrent } else { Columns::Current };
    chrome::list(app, frame, list, Some(Pane::Replay), app.replay.cursor.row, rows.len(), |row| match &rows[row] {
        ReplayRow::Session(name, events) => {
            Line::styled(format!("{name}  {}", count(*events, "event")), app.theme.strong)
        }
        ReplayRow::Event(index) => event_line(app, *index, usize::from(list.width), columns),
    });
    if let Some(both) = both {
        side_by_side(app, frame, both);
    }
}

/// Room for both answers below the list, where differences are looked at.
fn split(app: &App, inside: Rect) -> (Rect, Option<Rect>) {
    if app.replay.items.listed() == ReplayFilter::All || inside.height < 10 {
        return (inside, None);
    }
    let lower = inside.height / 2;
    let list = Rect { height: inside.height - lower, ..inside };
    (list, Some(Rect { y: list.bottom(), height: lower, ..inside }))
}

/// Whether anything is known of what happened then.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    Current,
    RecordedAndCurrent,
}

fn event_line(app: &App, index: usize, width: usize, columns: Columns) -> Line<'static> {
    let item = &app.replay.items[index];
    let decision = item.decision.clone().unwrap_or_else(|| app.glyphs.skipped.to_string());
    let style = match item.decision.as_deref() {
        Some("deny" | "blocked" | "abort") => app.theme.err,
        Some("ask" | "goes on") => app.theme.warn,
        Some(_) => app.theme.ok,
        None => app.theme.dim,
    };
    let mark = match (item.review, item.differences().is_empty()) {
        (Some(Review::Accepted), _) => app.glyphs.ok,
        (Some(Review::Rejected), _) => app.glyphs.blocked,
        (None, false) => app.glyphs.to,
        (None, true) => " ",
    };
    let recorded = item.recorded_word();
    let taken = if columns == Columns::RecordedAndCurrent { 20 } else { 12 };
    let text = format!("{:>4} {} {}", index + 1, item.payload.event, item.payload.subject());
    let mut spans = vec![Span::raw(fit(&text, width.saturating_sub(taken), app.glyphs.more))];
    if columns == Columns::RecordedAndCurrent {
        spans.push(Span::styled(format!(" {} {mark}", fit(recorded, 7, app.glyphs.more)), app.theme.dim));
    }
    spans.push(Span::styled(format!(" {}", fit(&decision, 9, app.glyphs.more)), style));
    Line::from(spans)
}

/// What happened then on the left, what came of it now on the right.
fn side_by_side(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let Some(item) = app.selected_replay().map(|i| &app.replay.items[i]) else { return };
    let half = area.width / 2;
    let sides = [
        ("then", item.entry.recorded.as_ref(), Rect { width: half.saturating_sub(1), ..area }),
        ("now", item.current.as_ref(), Rect { x: area.x + half, width: area.width - half, ..area }),
    ];
    for (title, outcome, place) in sides {
        let mut lines = vec![Line::styled(
            format!("{title}  {}", outcome.and_then(Outcome::word).unwrap_or("not known")),
            app.theme.strong,
        )];
        if let Some(outcome) = outcome {
            let facts = [
                outcome.decided_by.as_ref().map(|h| format!("by {h}")),
                outcome.reason.clone(),
                outcome.updated_input.as_ref().map(|i| format!("input {i}")),
                outcome.model_sees.as_ref().map(|t| format!("model sees {t}")),
            ];
            let facts = facts.into_iter().flatten().collect::<Vec<_>>().join("\n");
            lines.extend(visible_lines(&facts).map(Line::from));
        }
        chrome::text(app, frame, place, &lines);
    }
}

/// `12 of 40, 5/s, 6 s left` during a run-all.
fn progress(app: &App) -> String {
    let Some((total, started)) = app.replay.started else { return String::new() };
    let done = total.saturating_sub(app.replay.queue.len() + 1);
    let seconds = (app.now - started) / 1000.0;
    if done == 0 || seconds <= 0.0 {
        return format!("{done} of {total}");
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of payloads")]
    let rate = done as f64 / seconds;
    #[expect(clippy::cast_precision_loss, reason = "counts of payloads")]
    let left = (total - done) as f64 / rate;
    format!("{done} of {total}, {rate:.0}/s, {left:.0} s left")
}
