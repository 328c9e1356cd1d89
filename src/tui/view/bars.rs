//! Bars on a firing's own time axis.

/// Columns a bar takes at a zoom step.
pub fn columns(zoom: u8, room: u16) -> usize {
    let wanted = 6 + usize::from(zoom) * 5;
    wanted.min(usize::from(room).saturating_sub(38))
}

/// A bar from `start` to `end` on an axis of `total`, `columns` wide; every run shows at least one cell.
pub fn bar(start: u32, end: u32, total: u32, columns: usize, glyph: &str) -> String {
    if columns == 0 {
        return String::new();
    }
    let at = |t: u32| usize::try_from(u64::from(t) * columns as u64 / u64::from(total.max(1))).unwrap_or(columns);
    let from = at(start).min(columns - 1);
    let to = at(end).clamp(from + 1, columns);
    format!("{}{}{}", " ".repeat(from), glyph.repeat(to - from), " ".repeat(columns - to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_share_one_axis() {
        assert_eq!(bar(0, 50, 100, 10, "="), "=====     ");
        assert_eq!(bar(50, 100, 100, 10, "="), "     =====");
        assert_eq!(bar(100, 100, 100, 10, "="), "         =");
        assert_eq!(bar(0, 0, 0, 4, "="), "=   ");
        assert_eq!(bar(5, 9, 3, 0, "="), "");
    }
}
