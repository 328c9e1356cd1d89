//! Every command through the pure update function: what changes and what the runtime is asked to do.
#![cfg(feature = "tui")]
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test program; each uses its own part of the support"
)]

#[path = "support/screen.rs"]
mod screen;

use std::path::Path;

use hookdbg::model::{FiringId, Lifecycle, Payload, Planned, RunId, RunStamp};
use hookdbg::tui::{
    App, COMMANDS, Command as C, FiredFor, Key, Msg, Pane, Scope, SideEffect, Tab, disabled, update, view,
};
use serde_json::json;

use screen::{demo_app, fire, load, load_text, payload, press, type_text};

fn busy() -> App {
    let mut app = demo_app("goat", (140, 40));
    for (id, index) in [(1, 0), (2, 3)] {
        let payload = payload(&app, index);
        fire(&mut app, "goat", id, &payload);
    }
    app
}

fn key(app: &mut App, name: &str) -> Vec<SideEffect> {
    update(app, Msg::Key(Key::parse(name).unwrap()))
}

/// Go to the pane of a command and press its first key.
fn run(app: &mut App, command: C) -> Vec<SideEffect> {
    let spec = COMMANDS.iter().find(|s| s.command == command).unwrap();
    if let Scope::In(pane) = spec.scope {
        app.focus = pane;
    }
    key(app, spec.keys[0])
}

fn is_fire(effects: &[SideEffect]) -> bool {
    effects.iter().all(|e| matches!(e, SideEffect::Fire(_))) && !effects.is_empty()
}

/// An app in which there is something to do for every command in `pane`: several firings, one of them running, a
/// replay under way, problems, a search, a switch to undo; no cursor is at an end.
fn ready(fired: &[(usize, screen::Fired)], pane: Pane, command: C) -> App {
    let mut app = demo_app("goat", (140, 40));
    for (index, firing) in fired {
        let payload = payload(&app, *index);
        screen::show(&mut app, &payload, FiredFor::Replay(*index), firing);
    }
    start_slow(&mut app, 5);
    app.loaded.diagnostics = load("goat", Path::new("tests/fixtures/screens/mistakes/settings.json")).diagnostics;
    app.hooks_cursor.row = 8;
    press(&mut app, &["1", "space", "4", "l", "/"]);
    type_text(&mut app, "tool");
    press(&mut app, &["enter", "5", "a", "esc"]);
    app.playground = Some("Bash".into());
    app.problems_cursor.row = 2;
    app.replay.cursor.row = 6;
    // Below the running firing and its run is a finished one.
    app.timeline.cursor.row = if matches!(command, C::Cancel | C::Kill) { 1 } else { 3 };
    app.timeline.follow = false;
    app.detail.cursor.row = 7;
    app.go_to(pane);
    app.toast = None;
    app
}

/// A firing whose hook runs.
fn start_slow(app: &mut App, id: u64) {
    let firing = FiringId(id);
    app.pending.insert(firing, payload(app, 5));
    let (hook_name, event) = ("./hooks/slow.sh".to_string(), "PreToolUse".to_string());
    let plan = vec![Planned { index: 3, id: "slow".into(), hook_name: hook_name.clone(), label: "slow.sh".into() }];
    let (at, dialect) = (String::new(), "goat".into());
    let began = Lifecycle::FiringStarted { version: 1, firing, at, dialect, event: event.clone(), plan };
    update(app, Msg::Lifecycle(began));
    let (run, hook_id) = (RunId(1), String::new());
    let hook = RunStamp { firing, run, index: 3, id: "slow".into(), hook_id, hook_name, hook_event: event, t: 0.0 };
    update(app, Msg::Lifecycle(Lifecycle::HookStarted { hook }));
    update(app, Msg::Tick(400.0));
}

/// What a user sees: the cells and the cursor.
fn look(app: &App) -> (ratatui::buffer::Buffer, ratatui::layout::Position) {
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal.draw(|frame| view(app, frame)).unwrap();
    let cursor = terminal.get_cursor_position().unwrap();
    (terminal.backend().buffer().clone(), cursor)
}

#[test]
fn every_key_of_every_command_does_something_one_sees() {
    let app = demo_app("goat", (140, 40));
    let fire = |(id, index)| (index, screen::run(&app, "goat", FiringId(id), &payload(&app, index)));
    let fired = [(1, 0), (2, 3), (3, 6), (4, 0)].map(fire);
    let (mut silent, mut refused) = (Vec::new(), Vec::new());
    for spec in COMMANDS {
        for pane in Pane::ALL.into_iter().filter(|pane| spec.works_in(*pane)) {
            for name in spec.keys {
                let mut app = ready(&fired, pane, spec.command);
                let press = format!("{name} ({}) in {}", spec.name, pane.title());
                let typed = pane == Pane::Composer && name.chars().count() == 1;
                let no = disabled(&app, spec.command).is_some() && !typed;
                let (before, text) = (look(&app), app.composer.editor.text());
                let effects = key(&mut app, name);
                if typed {
                    assert_eq!(app.composer.editor.text(), format!("{name}{text}"), "{press} is typed");
                } else if effects.is_empty() && look(&app) == before && spec.name != pane.title().to_lowercase() {
                    // Only the way to where we are already shows nothing.
                    silent.push(press);
                } else if no {
                    assert!(app.toast.is_some(), "{press} says why not");
                    refused.push(press);
                }
            }
        }
    }
    assert!(silent.is_empty(), "nothing happened and nothing was said: {silent:#?}");
    // Here is something to do for every command, so nothing is refused but what a pane does not have.
    assert_eq!(refused, ["/ (filter) in Hooks", "/ (filter) in Problems"]);
}

#[test]
fn a_hook_that_asks_a_model_gets_the_reply_the_user_types() {
    let mut app = demo_app("claude", (140, 40));
    press(&mut app, &["2", "ctrl-o"]);
    type_text(&mut app, "PreToolUse Agent");
    press(&mut app, &["enter"]);
    assert!(key(&mut app, "ctrl-r").is_empty());
    press(&mut app, &["ctrl-u"]);
    type_text(&mut app, "not json");
    assert!(key(&mut app, "enter").is_empty() && app.overlay.is_some());
    press(&mut app, &["ctrl-u"]);
    type_text(&mut app, r#"{"ok": false, "reason": "do it yourself"}"#);
    let effects = key(&mut app, "enter");
    let [SideEffect::Fire(order)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(order.host.replies[0]["ok"], false);
    // The next time it is there to be used again, and Esc runs nothing.
    key(&mut app, "ctrl-r");
    assert!(screen::text(&app).contains("do it yourself"));
    assert!(key(&mut app, "esc").is_empty() && app.overlay.is_none());
}

#[test]
fn a_layer_is_switched_as_one_and_undone_as_one() {
    let mut app = demo_app("claude", (140, 40));
    press(&mut app, &["1", "j"]);
    run(&mut app, C::ToggleLayer);
    assert_eq!(app.switches.off.len(), app.loaded.hooks.hooks.len());
    run(&mut app, C::UndoToggles);
    assert!(app.switches.off.is_empty());
    run(&mut app, C::ToggleLayer);
    run(&mut app, C::ToggleLayer);
    assert!(app.switches.off.is_empty());
}

/// A recording with two sessions, the first event of which happened otherwise then.
fn with_recording() -> App {
    let mut app = demo_app("claude", (140, 40));
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/recordings/demo.jsonl");
    let mut opened = hookdbg::record::open_events(&file, app.loaded.dialect.as_ref()).unwrap();
    for (index, (_, entry)) in opened.events.iter_mut().enumerate() {
        entry.origin.session = Some(if index < 4 { "one".into() } else { "two".into() });
    }
    let recorded = opened.events[0].1.recorded.as_mut().unwrap();
    (recorded.blocked, recorded.decision) = (Some(false), Some("allow".into()));
    update(&mut app, Msg::PayloadsOpened("demo.jsonl".into(), opened.events, opened.problems));
    app
}

#[test]
fn differences_are_listed_side_by_side_accepted_and_rejected() {
    let mut app = with_recording();
    assert!(screen::text(&app).contains("session one  4 events"));
    press(&mut app, &["j"]);
    let effects = key(&mut app, "r");
    let [SideEffect::Fire(order)] = effects.as_slice() else { panic!("{effects:?}") };
    let (id, payload, fired_for) = (order.id, order.payload.clone(), order.fired_for);
    screen::fire_for(&mut app, "claude", id, &payload, fired_for);
    press(&mut app, &["f"]);
    let text = screen::text(&app);
    assert!(text.contains("then  allow") && text.contains("now  deny"), "{text}");
    assert!(key(&mut app, "X").is_empty());
    assert_eq!(app.replay.items[0].review, Some(hookdbg::tui::Review::Rejected));
    let effects = key(&mut app, "A");
    let [SideEffect::Record(path, entry)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(path, std::path::Path::new("demo.accepted.jsonl"));
    assert_eq!(entry.recorded.as_ref().unwrap().decision.as_deref(), Some("deny"));
    assert!(app.replay.items.rows().is_empty(), "it differs no more");
}

#[test]
fn a_firing_is_saved_to_a_recording() {
    let mut app = busy();
    run(&mut app, C::SaveFiring);
    let effects = key(&mut app, "enter");
    let [SideEffect::Record(path, entry)] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(path, std::path::Path::new("hookdbg-recording.jsonl"));
    assert!(entry.recorded.is_some() && entry.to_line().is_ok());
}

#[test]
fn a_saved_firing_keeps_the_beginning_of_a_long_output() {
    let settings = r#"{"hooks":{"Stop":[{"commands":["printf %09000d 0"]}]}}"#;
    let mut app = screen::app(load_text("goat", settings), Vec::new(), (140, 40));
    fire(&mut app, "goat", 1, &Payload::new("Stop", serde_json::Map::new()));
    run(&mut app, C::SaveFiring);
    let effects = key(&mut app, "enter");
    let [SideEffect::Record(_, entry)] = effects.as_slice() else { panic!("{effects:?}") };
    let kept = &entry.recorded.as_ref().unwrap().hooks[0].stdout;
    assert_eq!((kept.chars().count(), kept.ends_with("0…")), (4097, true));
}

#[test]
fn a_key_without_a_command_says_so() {
    let mut app = busy();
    app.focus = Pane::Timeline;
    assert!(key(&mut app, "Z").is_empty());
    assert!(screen::text(&app).contains("Z does nothing here; ? shows the keys of this pane"));
}

#[test]
fn panes_are_reached_by_number_and_by_tab() {
    let mut app = busy();
    for pane in [Pane::Timeline, Pane::Detail, Pane::Replay, Pane::Problems, Pane::Hooks, Pane::Composer] {
        run(&mut app, C::Go(pane));
        assert_eq!(app.focus, pane);
    }
    press(&mut app, &["tab"]);
    assert_eq!(app.focus, Pane::Timeline);
    press(&mut app, &["backtab", "backtab"]);
    assert_eq!(app.focus, Pane::Hooks);
}

#[test]
fn firing_rerunning_and_replaying_ask_the_runtime() {
    let mut app = busy();
    assert!(is_fire(&run(&mut app, C::Fire)));
    assert!(is_fire(&run(&mut app, C::Rerun)));
    assert_eq!(run(&mut app, C::RerunAll).len(), 2);
    assert!(is_fire(&run(&mut app, C::RunOne)));
    let row = app.replay.cursor.row;
    assert!(is_fire(&run(&mut app, C::Step)));
    assert_eq!(app.replay.cursor.row, row + 1);
    // Run-all fires one, and the next when that one is over.
    assert_eq!(run(&mut app, C::RunAll).len(), 1);
    let left = app.replay.queue.len();
    let report = app.reports[&FiringId(1)].clone();
    assert!(is_fire(&update(&mut app, Msg::Fired(FiringId(77), FiredFor::Replay(0), report.clone()))));
    assert_eq!((app.replay.queue.len(), app.replay.items[0].decision.as_deref()), (left - 1, Some("deny")));
    run(&mut app, C::StopReplay);
    assert!(update(&mut app, Msg::Fired(FiringId(78), FiredFor::Replay(1), report)).is_empty());
}

#[test]
fn a_switch_goes_through_its_three_states_and_undo_is_exact() {
    let mut app = busy();
    let states: Vec<_> = (0..3)
        .map(|_| {
            run(&mut app, C::Toggle);
            app.switches.off.values().next().map(|o| o.words())
        })
        .collect();
    assert_eq!(states, [Some("this run"), Some("this project"), None]);
    for expected in [Some("this project"), Some("this run"), None] {
        run(&mut app, C::UndoToggles);
        assert_eq!(app.switches.off.values().next().map(|o| o.words()), expected);
    }
    // The plan follows at once.
    run(&mut app, C::Toggle);
    let gate = app.composer.plan.entries[0].gate.as_ref().unwrap();
    assert!(gate.why.contains("you switched it off for this run"));
}

#[test]
fn detail_tabs_folds_search_and_copies() {
    let mut app = busy();
    press(&mut app, &["3", "G", "k", "enter"]);
    assert_eq!(app.focus, Pane::Detail);
    run(&mut app, C::NextTab);
    assert_eq!(app.detail.tab, Tab::Stdin);
    press(&mut app, &["space"]);
    assert_eq!(app.detail.folds.len(), 1);
    press(&mut app, &["space", "/"]);
    type_text(&mut app, "tool_name");
    press(&mut app, &["enter"]);
    assert_eq!(app.detail.cursor.row, 6);
    assert!(matches!(&run(&mut app, C::Yank)[..], [SideEffect::Copy(text)] if text.contains("rm -rf build")));
    assert!(
        matches!(&run(&mut app, C::YankRepro)[..], [SideEffect::Copy(line)] if line.starts_with("cd ") && line.contains("| sh -c ./hooks/guard.sh"))
    );
    run(&mut app, C::PreviousTab);
    assert_eq!(app.detail.tab, Tab::Why);
    run(&mut app, C::Compare);
    assert_eq!(app.detail.mark, Some(FiringId(1)));
}

#[test]
fn timeline_commands() {
    let mut app = busy();
    update(&mut app, Msg::Resize(200, 50));
    app.focus = Pane::Timeline;
    assert!(app.timeline.follow);
    run(&mut app, C::Follow);
    assert!(!app.timeline.follow);
    let zoom = app.timeline.zoom;
    run(&mut app, C::ZoomIn);
    run(&mut app, C::ZoomIn);
    run(&mut app, C::ZoomOut);
    assert_eq!(app.timeline.zoom, zoom + 1);
    run(&mut app, C::Pin);
    assert_eq!(app.pinned.len(), 1);
    run(&mut app, C::Pin);
    assert!(app.pinned.is_empty());
    run(&mut app, C::Duplicate);
    assert_eq!(app.focus, Pane::Composer);
    assert!(app.composer.editor.text().contains("notes.txt"));
    let rows = app.store.len();
    run(&mut app, C::Delete);
    assert!(app.store.len() < rows);
    // Nothing runs, so there is nothing to cancel or kill, and both say so.
    for command in [C::Cancel, C::Kill] {
        app.toast = None;
        assert!(run(&mut app, command).is_empty());
        assert!(app.toast.is_some());
    }
}

#[test]
fn the_composer_follows_each_keystroke() {
    let mut app = busy();
    press(&mut app, &["2", "ctrl-o"]);
    type_text(&mut app, "session");
    press(&mut app, &["enter"]);
    assert_eq!(app.composer.payload.as_ref().unwrap().event, "SessionStart");
    press(&mut app, &["}"]);
    let error = app.composer.payload.as_ref().unwrap_err();
    assert!(error.span.is_some() && !error.message.is_empty());
    press(&mut app, &["backspace"]);
    assert!(app.composer.payload.is_ok());
    assert!(matches!(&run(&mut app, C::EditPayload)[..], [SideEffect::EditText(_)]));
    update(&mut app, Msg::Edited("{\"hook_event_name\":\"Stop\"}".into()));
    run(&mut app, C::Tidy);
    assert_eq!(app.composer.editor.text(), "{\n  \"hook_event_name\": \"Stop\"\n}");
    // A paste is text even when it looks like commands.
    update(&mut app, Msg::Paste("q:?".into()));
    assert!(app.composer.editor.text().contains("q:?") && app.overlay.is_none());
}

#[test]
fn a_reload_says_what_changed_and_a_broken_file_keeps_the_hooks() {
    let mut app =
        screen::app(load_text("goat", r#"{"hooks":{"Stop":[{"commands":["a","b"]}]}}"#), Vec::new(), (140, 40));
    let next = load_text("goat", r#"{"hooks":{"Stop":[{"commands":["a"],"timeout":3},{"commands":["c"]}]}}"#);
    update(&mut app, Msg::Loaded(Box::new(next)));
    assert_eq!(app.change.as_deref(), Some("+1 hook, -1 hook, 1 changed"));
    assert_eq!(app.reloads, 1);
    update(&mut app, Msg::LoadFailed(Box::new(hookdbg::diag::Diagnostic::error("invalid-json", "no"))));
    assert_eq!(app.loaded.hooks.hooks.len(), 2);
    let again = load_text("goat", r#"{"hooks":{"Stop":[{"commands":["a"],"timeout":3},{"commands":["c"]}]}}"#);
    update(&mut app, Msg::Loaded(Box::new(again)));
    assert_eq!((app.load_error.is_none(), app.change.as_deref()), (true, Some("readable again")));
}

#[test]
fn a_problem_is_found_by_its_row_with_and_without_a_broken_file() {
    let settings = r#"{"hooks":{"Stop":[{"commands":["a"],"colour":1,"size":2}]}}"#;
    let mut app = screen::app(load_text("goat", settings), Vec::new(), (140, 40));
    let by_row = |app: &App| {
        let listed: Vec<_> = app.problems().collect();
        for (row, problem) in listed.iter().enumerate() {
            assert!(app.problem(row).is_some_and(|found| std::ptr::eq(found, *problem)), "row {row}");
        }
        assert!(app.problem(listed.len()).is_none());
        listed.len()
    };
    let before = by_row(&app);
    assert!(before > 1, "the settings have two mistakes");
    update(&mut app, Msg::LoadFailed(Box::new(hookdbg::diag::Diagnostic::error("invalid-json", "no"))));
    assert_eq!(by_row(&app), before + 1);
}

#[test]
fn back_goes_one_step_and_never_quits() {
    let mut app = busy();
    press(&mut app, &["3", "/"]);
    type_text(&mut app, "bash");
    press(&mut app, &["enter"]);
    assert_eq!(app.store.filter(), "bash");
    app.toast = None;
    for _ in 0..10 {
        assert!(run(&mut app, C::Back).is_empty());
    }
    assert!(app.store.filter().is_empty());
    assert_eq!(app.focus, Pane::Hooks);
}

#[test]
fn leaving_asks_only_while_something_runs_and_ctrl_c_escalates() {
    let mut app = busy();
    assert!(matches!(run(&mut app, C::Quit)[..], [SideEffect::SaveState, SideEffect::Quit]));
    app.running_since.insert(FiringId(9), 0.0);
    assert!(run(&mut app, C::Quit).is_empty());
    assert!(app.overlay.is_some());
    press(&mut app, &["n"]);
    assert!(matches!(run(&mut app, C::Interrupt)[..], [SideEffect::Interrupt(_)]));
    assert!(matches!(run(&mut app, C::Interrupt)[..], [SideEffect::Kill(_)]));
    assert!(matches!(run(&mut app, C::Interrupt)[..], [SideEffect::SaveState, SideEffect::Quit]));
}

/// An order that needs consent.
fn stop(app: &App) -> hookdbg::tui::FireOrder {
    hookdbg::tui::FireOrder {
        id: FiringId(50),
        payload: Payload::new("Stop", serde_json::Map::new()),
        toggles: app.toggles(),
        fired_for: FiredFor::User,
        host: std::sync::Arc::default(),
        consented: false,
    }
}

#[test]
fn consent_is_asked_and_a_no_runs_nothing() {
    let mut app = busy();
    let asked = || vec![hookdbg::settings::ConsentItem { command: "./x".into(), reason: "new" }];
    let first = stop(&app);
    update(&mut app, Msg::NeedsConsent(first, asked()));
    assert!(key(&mut app, "n").is_empty());
    let second = stop(&app);
    update(&mut app, Msg::NeedsConsent(second, asked()));
    assert!(matches!(&key(&mut app, "y")[..], [SideEffect::Fire(order)] if order.consented));
}

#[test]
fn what_was_scrolled_past_its_end_comes_back_with_one_key() {
    let mut app = demo_app("goat", (80, 24));
    let asked = (0..40).map(|n| hookdbg::settings::ConsentItem { command: format!("./{n}"), reason: "new" }).collect();
    for open in [Msg::Key(Key::parse("?").unwrap()), Msg::NeedsConsent(stop(&app), asked)] {
        app.overlay = None;
        update(&mut app, open);
        press(&mut app, &["pagedown"; 20]);
        let end = screen::text(&app);
        press(&mut app, &["k"]);
        let above = screen::text(&app);
        assert_ne!(above, end, "one line up from the end");
        press(&mut app, &["j", "j"]);
        assert_eq!(screen::text(&app), end);
        // A taller window shows more of it, and the way up still begins where it shows it.
        update(&mut app, Msg::Resize(80, 30));
        let end = screen::text(&app);
        press(&mut app, &["k"]);
        assert_ne!(screen::text(&app), end);
        update(&mut app, Msg::Resize(80, 24));
    }
}

#[test]
fn the_mouse_focuses_selects_and_scrolls() {
    let mut app = busy();
    update(&mut app, Msg::Click { x: 60, y: 3 });
    assert_eq!((app.focus, app.timeline.cursor.row), (Pane::Timeline, 1));
    update(&mut app, Msg::Wheel { x: 60, y: 3, lines: 3 });
    assert_eq!(app.timeline.cursor.row, 4);
    update(&mut app, Msg::Wheel { x: 5, y: 5, lines: 3 });
    assert_eq!(app.focus, Pane::Timeline, "the wheel does not take the focus");
}

/// Two hooks of one event that share a label, and a third above them.
fn same_labels(above: &str) -> hookdbg::tui::LoadedSettings {
    let hooks = r#"{"matcher":"Bash","commands":["./a.sh"]},{"matcher":"Edit","commands":["./a.sh"]}"#;
    load_text("goat", &format!(r#"{{"hooks":{{"PreToolUse":[{above}{hooks}]}}}}"#))
}

#[test]
fn a_hook_that_is_off_stays_off_when_another_is_inserted_above_it() {
    let mut app = screen::app(same_labels(""), Vec::new(), (140, 40));
    let edit = app.loaded.hooks.hooks[1].id.clone();
    app.select_hook(Some(&edit));
    run(&mut app, C::Toggle);
    update(&mut app, Msg::Loaded(Box::new(same_labels(r#"{"matcher":"Read","commands":["./a.sh"]},"#))));
    let off: Vec<_> = app.loaded.hooks.hooks.iter().filter(|h| app.switches.off.contains_key(&h.id)).collect();
    assert_eq!(off.iter().map(|h| h.matcher.as_deref()).collect::<Vec<_>>(), [Some("Edit")]);
    assert_eq!(app.selected_hook().map(|h| h.matcher.as_deref()), Some(Some("Edit")));
}

#[test]
fn hooks_that_share_a_label_have_numbers_of_their_own() {
    let mut app = screen::app(same_labels(""), Vec::new(), (140, 40));
    let event = json!({"tool_name": "Edit"}).as_object().unwrap().clone();
    fire(&mut app, "goat", 1, &Payload::new("PreToolUse", event));
    let runs: Vec<_> =
        app.loaded.hooks.hooks.iter().map(|h| app.store.stats.get(&h.id).map_or(0, |stats| stats.runs)).collect();
    assert_eq!(runs, [0, 1]);
}
