//! Which panes are visible and where. Update asks the same functions when it has to know what a click hit.

use ratatui::layout::{Constraint, Layout, Rect};

use crate::tui::app::App;
use crate::tui::state::Pane;

/// Below this there is only a notice.
pub const MIN: (u16, u16) = (40, 10);
/// From here on several panes fit side by side.
const WIDE: (u16, u16) = (110, 28);

pub fn footer(area: Rect) -> Rect {
    Rect { y: area.bottom().saturating_sub(1), height: 1, ..area }
}

pub fn layout(app: &App) -> Vec<(Pane, Rect)> {
    let (width, height) = app.size;
    let area = Rect::new(0, 0, width, height);
    if width < WIDE.0 || height < WIDE.1 {
        let body = Rect { y: 2, height: height.saturating_sub(3), ..area };
        return vec![(app.focus, body)];
    }
    let body = Rect { y: 1, height: height - 2, ..area };
    let [top, bottom] = Layout::vertical([Constraint::Fill(7), Constraint::Fill(4)]).areas(body);
    let columns = [Constraint::Fill(29), Constraint::Fill(37), Constraint::Fill(34)];
    let [left, main, right] = Layout::horizontal(columns).areas(top);
    vec![(Pane::Hooks, left), (app.main_pane, main), (Pane::Detail, right), (Pane::Composer, bottom)]
}

pub fn pane_at(app: &App, x: u16, y: u16) -> Option<(Pane, Rect)> {
    layout(app).into_iter().find(|(_, area)| area.contains((x, y).into()))
}

/// The first row of a list that is visible in `height` lines: the cursor stays near the middle.
pub fn top_row(row: usize, len: usize, height: u16) -> usize {
    let height = usize::from(height);
    row.saturating_sub(height / 2).min(len.saturating_sub(height))
}
