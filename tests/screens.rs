//! Every pane in its states and sizes, as snapshots; and what any sequence of keys must never break.
#![cfg(feature = "tui")]
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test program; each uses its own part of the support"
)]

#[path = "support/screen.rs"]
mod screen;

use std::path::{Path, PathBuf};

use hookdbg::settings::{SettingsError, SettingsFile, read};
use hookdbg::tui::{Glyphs, Msg, Pane, Theme, update};
use proptest::prelude::*;
use screen::{app, demo_app, fire, frame, load, payload, press, text, type_text};

const PANES: [(&str, &str); 6] =
    [("1", "hooks"), ("2", "composer"), ("3", "timeline"), ("4", "detail"), ("5", "replay"), ("6", "problems")];

fn shot(name: &str, app: &hookdbg::tui::App) {
    insta::assert_snapshot!(name.to_string(), text(app));
}

/// Three firings: a denial, a pass, a failure.
fn busy(size: (u16, u16)) -> hookdbg::tui::App {
    let mut app = demo_app("goat", size);
    for (id, index) in [(1, 0), (2, 3), (3, 6)] {
        let payload = payload(&app, index);
        fire(&mut app, "goat", id, &payload);
    }
    app
}

fn fixture(name: &str) -> PathBuf {
    Path::new("tests/fixtures/screens").join(name).join("settings.json")
}

/// A file with several things wrong, and then one that cannot be read at all.
fn broken(size: (u16, u16)) -> hookdbg::tui::App {
    let mut app = app(load("goat", &fixture("mistakes")), Vec::new(), size);
    let half_saved = SettingsFile { path: fixture("half-saved"), layer: "project".into() };
    let Err(SettingsError::File(error)) = read(&[half_saved], Some(app.loaded.dialect.clone())) else { panic!() };
    update(&mut app, Msg::LoadFailed(error));
    app
}

fn empty(size: (u16, u16)) -> hookdbg::tui::App {
    app(load("goat", &fixture("empty")), Vec::new(), size)
}

#[test]
fn every_pane_in_every_state() {
    for (key, name) in PANES {
        for (state, make) in [("empty", empty as fn((u16, u16)) -> _), ("busy", busy), ("error", broken)] {
            let mut app = make((80, 24));
            press(&mut app, &["esc"]);
            if key == "2" {
                press(&mut app, &["tab"]);
            } else {
                press(&mut app, &[key]);
            }
            shot(&format!("{name}_{state}_80x24"), &app);
        }
        let mut app = busy((40, 12));
        if key == "2" {
            press(&mut app, &["tab"]);
        } else {
            press(&mut app, &[key]);
        }
        shot(&format!("{name}_busy_40x12"), &app);
    }
}

#[test]
fn the_wide_layout_in_every_state() {
    for (state, make) in [("empty", empty as fn((u16, u16)) -> _), ("busy", busy), ("error", broken)] {
        let mut app = make((120, 40));
        press(&mut app, &["3"]);
        shot(&format!("wide_{state}_120x40"), &app);
    }
    let mut ascii = busy((120, 40));
    ascii.glyphs = Glyphs::ASCII;
    press(&mut ascii, &["3"]);
    let shown = text(&ascii);
    assert!(shown.is_ascii(), "{shown}");
    shot("wide_busy_ascii_120x40", &ascii);
}

#[test]
fn every_tab_of_the_details() {
    let mut app = busy((80, 24));
    press(&mut app, &["3", "G", "k", "enter"]);
    for tab in ["why", "stdin", "stdout", "stderr", "answer", "merged", "env", "diff"] {
        shot(&format!("tab_{tab}_80x24"), &app);
        press(&mut app, &["l"]);
    }
    press(&mut app, &["3", "g", "j", "j", "j", "enter", "l", "l", "l", "l", "l"]);
    shot("tab_merged_rewritten_input_80x24", &app);
    // The open tab is in sight where not all are.
    let mut narrow = busy((40, 12));
    press(&mut narrow, &["4", "h"]);
    shot("tab_diff_40x12", &narrow);
}

#[test]
fn every_dialect_has_its_demo_on_screen() {
    for dialect in ["claude", "claw", "massgen", "armament"] {
        let mut app = demo_app(dialect, (120, 40));
        for (id, index) in [(1, 0), (2, 1), (3, 2)] {
            let payload = payload(&app, index);
            fire(&mut app, dialect, id, &payload);
        }
        press(&mut app, &["3", "j"]);
        shot(&format!("dialect_{dialect}_120x40"), &app);
        press(&mut app, &["4", "l", "l", "l", "l", "l"]);
        shot(&format!("dialect_{dialect}_merged_120x40"), &app);
        press(&mut app, &["2", "ctrl-o"]);
        shot(&format!("dialect_{dialect}_templates_120x40"), &app);
    }
}

#[test]
fn every_overlay() {
    let mut app = busy((80, 24));
    press(&mut app, &["3", "?"]);
    shot("overlay_help_80x24", &app);
    press(&mut app, &["pagedown"; 9]);
    shot("overlay_help_end_80x24", &app);
    press(&mut app, &["esc", ":"]);
    type_text(&mut app, "re");
    shot("overlay_palette_80x24", &app);
    press(&mut app, &["esc", "2", "ctrl-o"]);
    shot("overlay_events_80x24", &app);
    // The first closes the list, the second leaves the text: in the composer a digit is a character.
    press(&mut app, &["esc", "esc", "1", "m"]);
    type_text(&mut app, "Write");
    shot("overlay_playground_80x24", &app);
    press(&mut app, &["enter", "esc", "3", "/"]);
    type_text(&mut app, "edit");
    shot("overlay_filter_80x24", &app);
    let order = hookdbg::tui::FireOrder {
        id: hookdbg::model::FiringId(9),
        payload: payload(&app, 0),
        toggles: app.toggles(),
        fired_for: hookdbg::tui::FiredFor::User,
        host: std::sync::Arc::default(),
        consented: false,
    };
    let asked = vec![hookdbg::settings::ConsentItem { command: "./hooks/guard.sh \u{1b}[2J".into(), reason: "new" }];
    update(&mut app, Msg::NeedsConsent(order, asked));
    shot("overlay_consent_80x24", &app);
    press(&mut app, &["n"]);
    assert!(app.overlay.is_none());
}

#[test]
fn a_hook_that_asks_a_model_has_the_user_asked() {
    let mut app = demo_app("claude", (80, 24));
    press(&mut app, &["2", "ctrl-o"]);
    type_text(&mut app, "PreToolUse Agent");
    press(&mut app, &["enter", "ctrl-r"]);
    shot("overlay_reply_80x24", &app);
}

#[test]
fn a_recording_with_what_happened_then() {
    for (name, size) in [("80x24", (80, 24)), ("120x40", (120, 40))] {
        let mut app = demo_app("claude", size);
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/recordings/demo.jsonl");
        let mut opened = hookdbg::record::open_events(&file, app.loaded.dialect.as_ref()).unwrap();
        for (index, (_, entry)) in opened.events.iter_mut().enumerate() {
            entry.origin.session = Some(if index < 4 { "one".into() } else { "two".into() });
        }
        let recorded = opened.events[0].1.recorded.as_mut().unwrap();
        (recorded.blocked, recorded.decision) = (Some(false), Some("allow".into()));
        update(&mut app, Msg::PayloadsOpened("demo.jsonl".into(), opened.events, Vec::new()));
        for (id, index) in [(1, 0), (2, 1)] {
            let payload = app.replay.items[index].payload.clone();
            screen::fire_for(
                &mut app,
                "claude",
                hookdbg::model::FiringId(id),
                &payload,
                hookdbg::tui::FiredFor::Replay(index),
            );
        }
        press(&mut app, &["5", "j"]);
        shot(&format!("replay_then_{name}"), &app);
        press(&mut app, &["f"]);
        shot(&format!("replay_differences_{name}"), &app);
    }
}

/// Where styles differ from plain text, as `row:columns style`.
fn styles(app: &hookdbg::tui::App) -> String {
    let buffer = frame(app);
    let width = usize::from(buffer.area.width);
    let mut out = String::new();
    for (row, cells) in buffer.content.chunks(width).enumerate() {
        let mut start = 0;
        for column in 1..=width {
            let style = |c: usize| (cells[c].fg, cells[c].bg, cells[c].modifier);
            if column == width || style(column) != style(start) {
                let (fg, bg, modifier) = style(start);
                out = format!("{out}{row}:{start}-{} {fg} {bg} {modifier:?}\n", column - 1);
                start = column;
            }
        }
    }
    out
}

#[test]
fn themes_differ_only_in_style_and_each_shows_the_selection() {
    let shown = |theme: Theme, keys: &[&str]| {
        let mut app = busy((80, 24));
        app.theme = theme;
        press(&mut app, keys);
        app
    };
    // Rows 3 to 9 of the screen are the list.
    let list = |app: &hookdbg::tui::App| {
        let styles = |cells: &[ratatui::buffer::Cell]| cells.iter().map(ratatui::buffer::Cell::style).collect();
        frame(app).content.chunks(80).skip(3).take(7).map(styles).collect::<Vec<Vec<_>>>()
    };
    let mut shots = Vec::new();
    for theme in Theme::ALL {
        let second = shown(theme, &["3", "j"]);
        insta::assert_snapshot!(format!("theme_{}_80x24", theme.name), styles(&second));
        let (second_list, third_list) = (list(&second), list(&shown(theme, &["3", "j", "j"])));
        let differ: Vec<_> = (0..7).filter(|row| second_list[*row] != third_list[*row]).collect();
        assert_eq!(differ, [1, 2], "the selected row looks different in {}", theme.name);
        shots.push(text(&second));
    }
    assert!(shots.windows(2).all(|w| w[0] == w[1]));
    let mono = frame(&shown(Theme::MONO, &["3"]));
    let reset = ratatui::style::Color::Reset;
    assert!(mono.content.iter().all(|cell| cell.fg == reset && cell.bg == reset));
}

#[test]
fn a_running_firing_shows_what_is_left_of_its_limit() {
    let mut app = demo_app("goat", (80, 24));
    let slow = payload(&app, 5);
    app.pending.insert(hookdbg::model::FiringId(1), slow.clone());
    let plan = vec![hookdbg::model::Planned {
        index: 3,
        id: "slow".into(),
        hook_name: "./hooks/slow.sh".into(),
        label: "slow.sh".into(),
    }];
    update(
        &mut app,
        Msg::Lifecycle(hookdbg::model::Lifecycle::FiringStarted {
            version: 1,
            firing: hookdbg::model::FiringId(1),
            at: String::new(),
            dialect: "goat".into(),
            event: "PreToolUse".into(),
            plan,
        }),
    );
    let hook = hookdbg::model::RunStamp {
        firing: hookdbg::model::FiringId(1),
        run: hookdbg::model::RunId(1),
        index: 3,
        id: "slow".into(),
        hook_id: String::new(),
        hook_name: String::new(),
        hook_event: "PreToolUse".into(),
        t: 0.0,
    };
    update(&mut app, Msg::Lifecycle(hookdbg::model::Lifecycle::HookStarted { hook }));
    update(&mut app, Msg::Tick(400.0));
    press(&mut app, &["3"]);
    shot("timeline_running_80x24", &app);
    // Leaving asks, because something runs.
    press(&mut app, &["q"]);
    shot("overlay_quit_80x24", &app);
}

#[test]
fn tiny_terminals_get_a_notice_and_others_their_panes() {
    let shown = |(width, height)| {
        let mut app = busy((80, 24));
        update(&mut app, Msg::Resize(width, height));
        press(&mut app, &["3"]);
        text(&app)
    };
    assert_eq!(shown((1, 1)), "h");
    for (width, height) in [(20, 5), (39, 30), (200, 9)] {
        assert_eq!(shown((width, height)).trim_end(), format!("hookdbg\nneeds 40x10\nhas {width}x{height}"));
    }
    assert!(shown((40, 10)).contains("3 Timeline"));
    let large = shown((500, 200));
    let missing = |pane: &&str| !large.contains(*pane);
    let missing: Vec<_> = [" 1 Hooks ", " 2 Composer ", " 3 Timeline ", " 4 Detail ", " Plan "]
        .into_iter()
        .filter(|p| missing(p))
        .collect();
    assert!(missing.is_empty(), "{missing:?}\n{large}");
    assert!(large.lines().all(|line| line.chars().count() <= 500) && large.lines().count() == 200);
}

fn some_key() -> impl Strategy<Value = String> {
    let names: Vec<String> =
        hookdbg::tui::COMMANDS.iter().flat_map(|c| c.keys.iter().map(|k| (*k).to_string())).collect();
    prop_oneof![4 => prop::sample::select(names), 1 => "[a-zA-Z0-9{}\":,/]"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_sequence_of_keys_breaks_the_screen(keys in prop::collection::vec(some_key(), 1..60), sizes in prop::collection::vec((1u16..180, 1u16..60), 1..4)) {
        let mut app = demo_app("goat", (80, 24));
        let step = keys.len().div_ceil(sizes.len());
        for (index, key) in keys.iter().enumerate() {
            if index % step == 0 {
                let (width, height) = sizes[index / step];
                update(&mut app, Msg::Resize(width, height));
            }
            press(&mut app, &[key]);
            let _ = text(&app);
            prop_assert!(app.hooks_cursor.row < app.hook_rows().len().max(1));
            prop_assert!(app.timeline.cursor.row < app.store.len().max(1));
            prop_assert!(app.replay.cursor.row < app.replay.items.rows().len().max(1));
            prop_assert!(app.problems_cursor.row < app.problems().count().max(1));
            prop_assert!(matches!(app.main_pane, Pane::Timeline | Pane::Replay | Pane::Problems));
            prop_assert!(app.composer.payload.is_ok() || !app.composer.payload.as_ref().unwrap_err().message.is_empty());
        }
    }
}

/// The frame as an SVG picture: one text element per run of equal style.
fn svg(app: &hookdbg::tui::App) -> String {
    use ratatui::style::{Color, Modifier};
    use std::fmt::Write as _;
    let colour = |c: Color, fallback: &'static str| match c {
        Color::Red | Color::LightRed => "#f7768e",
        Color::Green | Color::LightGreen => "#9ece6a",
        Color::Yellow | Color::LightYellow => "#e0af68",
        Color::Cyan | Color::LightCyan => "#7dcfff",
        Color::DarkGray => "#737aa2",
        _ => fallback,
    };
    let buffer = frame(app);
    let (columns, rows) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let (w, h) = (8.4, 18.0);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred cells")]
    let (width, height) = (columns as f64 * w + 20.0, rows as f64 * h + 20.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"monospace\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"#1a1b26\"/>\n"
    );
    for (row, cells) in buffer.content.chunks(columns).enumerate() {
        let mut start = 0;
        for column in 1..=columns {
            let style = |c: usize| (cells[c].fg, cells[c].bg, cells[c].modifier);
            if column < columns && style(column) == style(start) {
                continue;
            }
            let text: String = cells[start..column].iter().map(ratatui::buffer::Cell::symbol).collect();
            let (fg, _, modifier) = style(start);
            let reversed = modifier.contains(Modifier::REVERSED);
            #[expect(clippy::cast_precision_loss, reason = "a few hundred cells")]
            let (x, y, long) = (start as f64 * w + 10.0, row as f64 * h + 24.0, (column - start) as f64 * w);
            if reversed {
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{long:.1}\" height=\"{h}\" fill=\"#c0caf5\"/>",
                    y - 14.0
                );
            }
            if !text.trim().is_empty() {
                let fill = if reversed { "#1a1b26" } else { colour(fg, "#c0caf5") };
                let weight = if modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
                let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                let _ = writeln!(
                    out,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{fill}\"{weight} xml:space=\"preserve\" textLength=\"{long:.1}\">{text}</text>"
                );
            }
            start = column;
        }
    }
    out + "</svg>\n"
}

/// `HOOKDBG_UPDATE=1` writes the pictures anew.
#[test]
fn the_pictures_in_assets_show_the_real_screens() {
    let mut wide = busy((132, 38));
    press(&mut wide, &["3", "G", "k"]);
    let mut narrow = busy((80, 24));
    press(&mut narrow, &["3"]);
    for (name, app) in [("workspace.svg", &wide), ("timeline.svg", &narrow)] {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/screenshots").join(name);
        let picture = svg(app);
        if std::env::var_os("HOOKDBG_UPDATE").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &picture).unwrap();
        }
        assert!(
            std::fs::read_to_string(&file).is_ok_and(|t| t == picture),
            "{name} is out of date: run with HOOKDBG_UPDATE=1"
        );
    }
}
