//! The state as a frame. Pure: reads the app, writes cells, decides nothing.
//!
//! ```text
//! wide                                          narrow
//! ┌ header ─────────────────────────────┐       ┌ header ──────┐
//! │ Hooks   │ Timeline*   │ Detail      │       │ tabs         │
//! │         │             │             │       │ one pane     │
//! ├─────────┴─────────┬───┴─────────────┤       │              │
//! │ Composer          │ Plan            │       │ plan, a line │
//! └ footer ───────────┴─────────────────┘       └ footer ──────┘
//! * or Replay, or Problems
//! ```

mod bar;
mod chrome;
mod composer;
mod detail;
mod hooks;
mod layout;
mod overlay;
mod problems;
mod replay;
mod timeline;

pub use bar::columns as bar_columns;
pub use detail::{detail_len, detail_match, detail_text, fold_path, repro_line};
pub use layout::{layout, pane_at, top_row};
pub use overlay::{event_choices, hidden_lines, palette_rows};

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::app::App;
use super::state::Pane;

pub fn view(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < layout::MIN.0 || area.height < layout::MIN.1 {
        return too_small(app, frame, area);
    }
    chrome::header(app, frame, Rect { height: 1, ..area });
    let panes = layout(app);
    if panes.len() == 1 {
        chrome::tabs(app, frame, Rect { y: 1, height: 1, ..area });
    }
    for (pane, area) in &panes {
        match pane {
            Pane::Hooks => hooks::draw(app, frame, *area),
            Pane::Composer => composer::draw(app, frame, *area),
            Pane::Timeline => timeline::draw(app, frame, *area),
            Pane::Detail => detail::draw(app, frame, *area),
            Pane::Replay => replay::draw(app, frame, *area),
            Pane::Problems => problems::draw(app, frame, *area),
        }
    }
    chrome::footer(app, frame, layout::footer(area));
    overlay::draw(app, frame, area);
}

fn too_small(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let text =
        [Line::from("hookdbg"), Line::from("needs 40x10"), Line::from(format!("has {}x{}", area.width, area.height))];
    frame.render_widget(Paragraph::new(text.to_vec()).style(app.theme.text), area);
}
