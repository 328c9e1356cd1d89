//! One message in, the state changed, effects out. Pure: what the world has to do is returned, never done.

mod composer;
mod engine;
mod firing;
mod navigation;
mod overlay;
mod reload;
mod review;

pub use composer::composer_changed;

use super::app::App;
use super::command::{Command, Command as C, disabled};
use super::key::{Code, Key};
use super::msg::Msg;
use super::side_effect::SideEffect;
use super::state::{Overlay, Pane, PromptKind};
use super::view::pane_at;

pub fn update(app: &mut App, msg: Msg) -> Vec<SideEffect> {
    match msg {
        Msg::Key(key) => on_key(app, key),
        Msg::Paste(text) => overlay::paste(app, &text),
        Msg::Click { x, y } => navigation::click(app, x, y),
        Msg::Wheel { x, y, lines } => {
            let pane = pane_at(app, x, y).unwrap_or(app.focus);
            navigation::scroll(app, pane, i64::from(lines));
            Vec::new()
        }
        Msg::Resize(width, height) => {
            app.size = (width, height);
            Vec::new()
        }
        Msg::Lifecycle(event) => engine::lifecycle(app, &event),
        Msg::Fired(id, fired_for, report) => engine::fired(app, id, fired_for, report),
        Msg::NeedsConsent(order, asked) => {
            app.overlay = Some(Overlay::Consent { order: Box::new(order), asked, top: 0 });
            Vec::new()
        }
        Msg::Loaded(loaded) => reload::loaded(app, *loaded),
        Msg::LoadFailed(diagnostic) => reload::failed(app, *diagnostic),
        Msg::ScriptChanged(path) => reload::script_changed(app, &path),
        Msg::PayloadsOpened(file, payloads, problems) => firing::payloads_opened(app, file, payloads, &problems),
        Msg::Edited(text) => {
            app.composer.editor = super::widgets::Editor::new(&text);
            composer_changed(app);
            Vec::new()
        }
        Msg::Notice(text) => {
            app.say(text);
            Vec::new()
        }
        Msg::Tick(now) => {
            app.now = now;
            if app.toast.as_ref().is_some_and(|(_, until)| *until <= now) {
                app.toast = None;
            }
            Vec::new()
        }
    }
}

fn on_key(app: &mut App, key: Key) -> Vec<SideEffect> {
    // What was said at the start has been read by whoever presses a key.
    if app.toast.as_ref().is_some_and(|(_, until)| until.is_infinite()) {
        app.toast = None;
    }
    if app.overlay.is_some() && !matches!((key.ctrl, key.code), (true, Code::Char('c' | 'z'))) {
        return overlay::key(app, key);
    }
    let typed = matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
    let command = app.keymap.command(key, app.focus);
    if app.focus == Pane::Composer && (typed || command.is_none()) {
        if app.composer.editor.key(key) {
            composer_changed(app);
        }
        return Vec::new();
    }
    let Some(command) = command else {
        app.say(format!("{key} does nothing here; ? shows the keys of this pane"));
        return Vec::new();
    };
    perform(app, command)
}

/// Do `command`, or say why not.
pub fn perform(app: &mut App, command: Command) -> Vec<SideEffect> {
    if let Some(why) = disabled(app, command) {
        app.say(why);
        return Vec::new();
    }
    match command {
        C::Fire => return firing::fire_composed(app),
        C::Quit => return quit(app),
        C::Interrupt => return firing::interrupt(app),
        C::Suspend => return vec![SideEffect::Suspend],
        C::Help => app.overlay = Some(Overlay::Help { top: 0 }),
        C::Palette => {
            app.overlay = Some(Overlay::Palette { query: String::new(), cursor: super::state::Cursor::default() });
        }
        C::NextPane => navigation::cycle_pane(app, 1),
        C::PreviousPane => navigation::cycle_pane(app, Pane::ALL.len() - 1),
        C::PaneHooks => app.go_to(Pane::Hooks),
        C::PaneComposer => app.go_to(Pane::Composer),
        C::PaneTimeline => app.go_to(Pane::Timeline),
        C::PaneDetail => app.go_to(Pane::Detail),
        C::PaneReplay => app.go_to(Pane::Replay),
        C::PaneProblems => app.go_to(Pane::Problems),
        C::Back => navigation::back(app),
        C::Up => navigation::scroll(app, app.focus, -1),
        C::Down => navigation::scroll(app, app.focus, 1),
        C::PageUp => navigation::scroll(app, app.focus, -10),
        C::PageDown => navigation::scroll(app, app.focus, 10),
        C::Top => navigation::scroll(app, app.focus, i64::MIN / 2),
        C::Bottom => navigation::scroll(app, app.focus, i64::MAX / 2),
        C::Open => return navigation::open(app),
        C::Filter => prompt(app, PromptKind::Filter),
        C::NextMatch => navigation::next_match(app, 1),
        C::PreviousMatch => navigation::next_match(app, -1),
        C::CycleTheme => {
            app.theme = app.theme.next();
            composer_changed(app);
            app.say(format!("theme: {}", app.theme.name));
        }
        C::Toggle => return firing::toggle(app),
        C::ToggleLayer => return firing::toggle_layer(app),
        C::UndoToggles => return firing::undo_toggle(app),
        C::Edit => return navigation::edit(app),
        C::Playground => prompt(app, PromptKind::Playground),
        C::PickEvent => {
            app.overlay = Some(Overlay::Events { query: String::new(), cursor: super::state::Cursor::default() });
        }
        C::EditPayload => return vec![SideEffect::EditText(app.composer.editor.text())],
        C::Tidy => composer::tidy(app),
        C::Rerun => return firing::rerun(app),
        C::RerunAll => return firing::rerun_all(app),
        C::Pin => firing::pin(app),
        C::Cancel => return app.selected_firing().map(SideEffect::Interrupt).into_iter().collect(),
        C::Kill => return app.selected_live_run().map(|(f, r)| SideEffect::KillRun(f, r)).into_iter().collect(),
        C::Duplicate => firing::duplicate(app),
        C::Delete => firing::delete(app),
        C::Follow => {
            app.timeline.follow = !app.timeline.follow;
            if app.timeline.follow {
                app.timeline.cursor.row = 0;
            }
        }
        C::ZoomIn => navigation::zoom(app, (app.timeline.zoom..=6).collect(), "there is no room for wider bars"),
        C::ZoomOut => {
            navigation::zoom(app, (0..=app.timeline.zoom).rev().collect(), "the bars are as narrow as they get");
        }
        C::NextTab => navigation::cycle_tab(app, 1),
        C::PreviousTab => navigation::cycle_tab(app, super::state::Tab::ALL.len() - 1),
        C::Fold => navigation::fold(app),
        C::Raw => {
            app.detail.raw = !app.detail.raw;
            app.detail.cursor = super::state::Cursor::default();
        }
        C::Yank => return vec![SideEffect::Copy(super::view::detail_text(app))],
        C::YankRepro => return navigation::copy_repro(app),
        C::Compare => {
            app.detail.mark = app.selected_firing().map(|f| (f, app.selected_hook_index()));
            app.say("marked; the Diff tab compares other runs with this one");
        }
        C::OpenFile => prompt(app, PromptKind::OpenFile),
        C::RunOne => return firing::replay_one(app),
        C::Step => return firing::replay_step(app),
        C::RunAll => return firing::replay_all(app),
        C::StopReplay => {
            app.replay.queue.clear();
            app.say("the replay stops after the event that runs");
        }
        C::Compose => firing::compose_replayed(app),
        C::Flips => review::list(app),
        C::Accept => return review::accept(app),
        C::Reject => review::reject(app),
        C::SaveFiring => prompt(app, PromptKind::SaveTo),
    }
    Vec::new()
}

fn prompt(app: &mut App, kind: PromptKind) {
    let text = match (kind, app.focus) {
        (PromptKind::Filter, Pane::Timeline) => app.store.filter().to_string(),
        (PromptKind::Filter, Pane::Replay) => app.replay.items.filter().to_string(),
        (PromptKind::Filter, Pane::Detail) => app.detail.search.clone(),
        (PromptKind::Playground, _) => app.playground.clone().unwrap_or_default(),
        (PromptKind::Filter | PromptKind::OpenFile | PromptKind::SaveTo, _) => String::new(),
    };
    app.overlay = Some(Overlay::Prompt { kind, text });
}

fn quit(app: &mut App) -> Vec<SideEffect> {
    if app.running_since.is_empty() {
        return vec![SideEffect::SaveState, SideEffect::Quit];
    }
    app.overlay = Some(Overlay::Quit);
    Vec::new()
}
