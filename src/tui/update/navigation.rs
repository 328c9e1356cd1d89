//! Moving about: focus, cursors, tabs, folds, clicks.

use crate::store::Row;
use crate::tui::app::App;
use crate::tui::side_effect::SideEffect;
use crate::tui::state::{Cursor, HookRow, Pane, Tab};
use crate::tui::view::{bar_columns, detail_len, detail_match, fold_path, layout, pane_at, repro_line, top_row};

/// Whether several panes are visible at once.
pub fn is_wide(app: &App) -> bool {
    layout(app).len() > 1
}

pub fn cycle_pane(app: &mut App, steps: usize) {
    app.go_to(Pane::ALL[(app.focus as usize + steps) % Pane::ALL.len()]);
}

pub fn cycle_tab(app: &mut App, steps: usize) {
    app.detail.tab = Tab::ALL[(app.detail.tab as usize + steps) % Tab::ALL.len()];
    app.detail.cursor = Cursor::default();
}

/// One step back: the toast, the filter or search, then the hooks pane.
pub fn back(app: &mut App) {
    if app.toast.take().is_some() {
    } else if app.focus == Pane::Timeline && !app.store.filter().is_empty() {
        app.store.set_filter("");
    } else if app.focus == Pane::Replay && !app.replay.items.filter().is_empty() {
        app.replay.items.set_filter("");
    } else if app.focus == Pane::Detail && !app.detail.search.is_empty() {
        app.detail.search.clear();
    } else if app.focus == Pane::Hooks && app.playground.is_some() {
        app.playground = None;
    } else if app.focus == Pane::Detail || app.focus == Pane::Composer {
        app.go_to(app.main_pane);
    } else {
        app.go_to(Pane::Hooks);
    }
}

pub fn scroll(app: &mut App, pane: Pane, by: i64) {
    match pane {
        Pane::Hooks => {
            let rows = app.hook_rows();
            app.hooks_cursor.shift(by, rows.len());
            // Headings are passed over in the direction of travel, unless nothing lies behind them.
            if matches!(rows.get(app.hooks_cursor.row), Some(HookRow::Event(_))) {
                let step = if by < 0 && app.hooks_cursor.row > 0 { -1 } else { 1 };
                app.hooks_cursor.shift(step, rows.len());
            }
        }
        Pane::Composer => app.composer.editor.scroll(i32::try_from(by.clamp(-10_000, 10_000)).unwrap_or(0)),
        Pane::Timeline => {
            app.timeline.cursor.shift(by, app.store.len());
            app.timeline.follow = app.timeline.cursor.row == 0;
            app.detail.cursor = Cursor::default();
        }
        Pane::Detail => app.detail.cursor.shift(by, detail_len(app)),
        Pane::Replay => app.replay.cursor.shift(by, app.replay.items.rows().len()),
        Pane::Problems => app.problems_cursor.shift(by, app.problems().count()),
    }
}

/// Take the first of `steps` at which the bars look different; say `why` if none is.
pub fn zoom(app: &mut App, steps: Vec<u8>, why: &str) {
    let width = layout(app).iter().find(|(pane, _)| *pane == Pane::Timeline).map_or(0, |(_, area)| area.width - 2);
    let columns = |zoom| bar_columns(zoom, width);
    match steps.into_iter().find(|zoom| columns(*zoom) != columns(app.timeline.zoom)) {
        Some(zoom) => app.timeline.zoom = zoom,
        None => app.say(why),
    }
}

pub fn open(app: &mut App) {
    match app.focus {
        Pane::Timeline => {
            let on_run = matches!(app.store.row(app.timeline.cursor.row), Some(Row::Run(..)));
            if !on_run && !matches!(app.detail.tab, Tab::Why | Tab::Merged) {
                app.detail.tab = Tab::Why;
            }
            app.go_to(Pane::Detail);
        }
        Pane::Hooks => compose_for_hook(app),
        Pane::Replay => {
            let fired = app.selected_replay().and_then(|row| app.replay.items[row].firing);
            match fired.and_then(|id| app.store.row_of(id)) {
                Some(row) => {
                    app.timeline.cursor.row = row;
                    app.timeline.follow = false;
                    app.go_to(Pane::Detail);
                }
                None => super::firing::replay_one(app),
            }
        }
        Pane::Problems => edit(app),
        Pane::Detail => fold(app),
        Pane::Composer => {}
    }
}

/// Put an event into the composer that the selected hook listens to.
fn compose_for_hook(app: &mut App) {
    let Some(hook) = app.selected_hook().cloned() else { return };
    let dialect = app.loaded.dialect.clone();
    let Some(spec) = dialect.profile().event(&hook.event) else {
        return app.say(format!("the host knows no event `{}`, so this hook never runs", hook.event));
    };
    let mut value = dialect.profile().template(spec);
    if let (Some(field), Some(matcher)) = (spec.matched_on.field(), hook.matcher.as_ref().filter(|m| !m.is_empty())) {
        value[field] = matcher.replace('*', "example").into();
    }
    app.compose(&value);
    app.go_to(Pane::Composer);
}

/// Open the place of the selected hook or problem in the editor.
pub fn edit(app: &mut App) {
    let place = match (app.focus, app.hook_rows().get(app.hooks_cursor.row)) {
        (Pane::Problems, _) => app.selected_problem().and_then(|d| d.place.clone()),
        (_, Some(HookRow::Problem(index))) => app.problem(*index).and_then(|d| d.place.clone()),
        _ => app.selected_hook().and_then(|h| h.origin.place.clone()),
    };
    match place {
        Some(place) => app.effects.push(SideEffect::EditFile(place.path.as_ref().into(), place.line)),
        None => app.say("it has no place in a file"),
    }
}

pub fn fold(app: &mut App) {
    match fold_path(app) {
        Some(path) => {
            if !app.detail.folds.remove(&path) {
                app.detail.folds.insert(path);
            }
        }
        None => app.say("nothing to fold here; the Stdin tab has JSON to fold"),
    }
}

pub fn next_match(app: &mut App, step: i64) {
    match detail_match(app, step) {
        Some(row) => app.detail.cursor.row = row,
        None => app.say("no other match"),
    }
}

pub fn copy_repro(app: &mut App) {
    match repro_line(app) {
        Some(line) => app.effects.push(SideEffect::Copy(line)),
        None => app.say("this run started no program"),
    }
}

/// A click focuses its pane and selects its row.
pub fn click(app: &mut App, x: u16, y: u16) {
    let Some((pane, area)) = pane_at(app, x, y).filter(|_| app.overlay.is_none()) else { return };
    app.go_to(pane);
    let (cursor, len) = match pane {
        Pane::Hooks => (app.hooks_cursor, app.hook_rows().len()),
        Pane::Timeline => (app.timeline.cursor, app.store.len()),
        Pane::Replay => (app.replay.cursor, app.replay.items.rows().len()),
        Pane::Problems | Pane::Composer | Pane::Detail => return,
    };
    if y > area.y {
        let row = top_row(cursor.row, len, area.height.saturating_sub(2)) + usize::from(y - area.y - 1);
        scroll(app, pane, i64::try_from(row).unwrap_or(i64::MAX) - i64::try_from(cursor.row).unwrap_or(0));
    }
}
