//! Bars on a firing's own time axis.

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
}

/// The symbols a bar is made of.
#[derive(Debug, Clone, Copy)]
pub struct BarGlyphs<'a> {
    pub run: &'a str,
    /// Waiting for output after the hook's own end.
    pub drain: &'a str,
    /// The last cell: where a limit cut it off.
    pub cut: Option<&'a str>,
}

/// A bar on the axis, `columns` wide; every run shows at least one cell.
pub fn bar(span: BarSpan, columns: usize, glyphs: BarGlyphs<'_>) -> String {
    let BarSpan { start, end, drain, total } = span;
    if columns == 0 {
        return String::new();
    }
    let at = |t: u32| usize::try_from(u64::from(t) * columns as u64 / u64::from(total.max(1))).unwrap_or(columns);
    let from = at(start).min(columns - 1);
    let to = at(end).clamp(from + 1, columns);
    let draining = if drain == 0 { 0 } else { to - at(end.saturating_sub(drain)).clamp(from, to) };
    let cut = usize::from(glyphs.cut.is_some());
    let running = (to - from).saturating_sub(draining + cut);
    let drained = (to - from).saturating_sub(running + cut);
    format!(
        "{}{}{}{}{}",
        " ".repeat(from),
        glyphs.run.repeat(running),
        glyphs.drain.repeat(drained),
        glyphs.cut.unwrap_or_default(),
        " ".repeat(columns - to)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_share_one_axis() {
        let shown = |start, end, drain, total, columns, cut| {
            bar(BarSpan { start, end, drain, total }, columns, BarGlyphs { run: "=", drain: ".", cut })
        };
        assert_eq!(shown(0, 50, 0, 100, 10, None), "=====     ");
        assert_eq!(shown(50, 100, 0, 100, 10, None), "     =====");
        assert_eq!(shown(100, 100, 0, 100, 10, None), "         =");
        assert_eq!(shown(0, 0, 0, 0, 4, None), "=   ");
        assert_eq!(shown(5, 9, 0, 3, 0, None), "");
        assert_eq!(shown(0, 100, 50, 100, 10, None), "=====.....");
        assert_eq!(shown(0, 100, 0, 100, 10, Some("|")), "=========|");
    }
}
