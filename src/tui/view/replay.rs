//! Recorded payloads; the decision column fills in as they are fired.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{frame, layout};
use crate::tui::app::{App, Pane};
use crate::tui::widgets::fit;

/// Draw the pane.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let file =
        app.replay.file.as_ref().and_then(|f| f.file_name()).map_or_else(String::new, |f| f.display().to_string());
    let about = if app.replay.filter.is_empty() { file } else { format!("{file} /{}", app.replay.filter) };
    let inside = frame::pane(app, frame, area, Pane::Replay, &about, &progress(app));
    let rows = app.replay_rows();
    if rows.is_empty() {
        let lines = if app.replay.items.is_empty() {
            ["No payloads are open.", "", "o opens a file: one JSON object, a list of them, or JSON Lines."]
        } else {
            ["No payload fits the filter.", "", "esc clears it."]
        };
        return frame::empty(app, frame, inside, &lines);
    }
    let top = layout::top_row(app.replay.cursor.row, rows.len(), inside.height);
    for line in 0..inside.height {
        let at = top + usize::from(line);
        let Some(index) = rows.get(at) else { break };
        let item = &app.replay.items[*index];
        let place = Rect { y: inside.y + line, height: 1, ..inside };
        let decision = item.decision.clone().unwrap_or_else(|| app.glyphs.skipped.to_string());
        let style = match item.decision.as_deref() {
            Some("deny" | "blocked" | "abort") => app.theme.err,
            Some("ask" | "goes on") => app.theme.warn,
            Some(_) => app.theme.ok,
            None => app.theme.dim,
        };
        let room = usize::from(inside.width).saturating_sub(17);
        let text = format!("{:>4} {} {}", index + 1, item.payload.event, item.payload.subject());
        let drawn = Line::from(vec![
            Span::raw(fit(&text, room, app.glyphs.more)),
            Span::styled(format!(" {}", fit(&decision, 15, app.glyphs.more)), style),
        ]);
        let selected = at == app.replay.cursor.row && app.focus == Pane::Replay;
        frame.render_widget(if selected { drawn.patch_style(app.theme.selection) } else { drawn }, place);
        if selected && app.overlay.is_none() {
            frame.set_cursor_position((place.x, place.y));
        }
    }
}

/// `12 of 40, 5/s, 6 s left` while a run-all goes on.
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
