//! Bars on a firing's own time axis.

use crate::tui::glyphs::Glyphs;

/// Columns a bar takes at a zoom step.
pub fn columns(zoom: u8, room: u16) -> usize {
    let wanted = 6 + usize::from(zoom) * 5;
    wanted.min(usize::from(room).saturating_sub(38))
}

/// A run on its firing's axis.
#[derive(Debug, Clone, Copy)]
pub struct BarSpan {
    pub start: u32,
    pub end: u32,
    /// How much of its end was waiting for output.
    pub drain: u32,
    pub total: u32,
    /// Whether a limit cut it off.
    pub cut: bool,
}

/// A bar on the axis, `columns` wide; every run shows at least one cell.
pub fn bar(span: BarSpan, columns: usize, glyphs: &Glyphs) -> String {
    let BarSpan { start, end, drain, total, cut } = span;
    if columns == 0 {
        return String::new();
    }
    let at = |t: u32| usize::try_from(u64::from(t) * columns as u64 / u64::from(total.max(1))).unwrap_or(columns);
    let from = at(start).min(columns - 1);
    let to = at(end).clamp(from + 1, columns);
    let draining = if drain == 0 { 0 } else { to - at(end.saturating_sub(drain)).clamp(from, to) };
    let cut_columns = usize::from(cut);
    let running = (to - from).saturating_sub(draining + cut_columns);
    let drained = (to - from).saturating_sub(running + cut_columns);
    format!(
        "{}{}{}{}{}",
        " ".repeat(from),
        glyphs.bar.repeat(running),
        glyphs.drain.repeat(drained),
        if cut { glyphs.limit } else { "" },
        " ".repeat(columns - to)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_share_one_axis() {
        let shown = |start, end, drain, total, columns, cut| {
            bar(BarSpan { start, end, drain, total, cut }, columns, &Glyphs::ASCII)
        };
        assert_eq!(shown(0, 50, 0, 100, 10, false), "=====     ");
        assert_eq!(shown(50, 100, 0, 100, 10, false), "     =====");
        assert_eq!(shown(100, 100, 0, 100, 10, false), "         =");
        assert_eq!(shown(0, 0, 0, 0, 4, false), "=   ");
        assert_eq!(shown(5, 9, 0, 3, 0, false), "");
        assert_eq!(shown(0, 100, 50, 100, 10, false), "=====.....");
        assert_eq!(shown(0, 100, 0, 100, 10, true), "=========|");
    }
}
