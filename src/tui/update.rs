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
use super::state::{Choices, Cursor, Overlay, Pane, PromptKind, Tab};
use super::view::{detail_text, pane_at};

pub fn update(app: &mut App, msg: Msg) -> Vec<SideEffect> {
    match msg {
        Msg::Key(key) => on_key(app, key),
        Msg::Paste(text) => overlay::paste(app, &text),
        Msg::Click { x, y } => navigation::click(app, x, y),
        Msg::Wheel { x, y, lines } => {
            let pane = pane_at(app, x, y).map_or(app.focus, |(pane, _)| pane);
            navigation::scroll(app, pane, i64::from(lines));
        }
        Msg::Resize(width, height) => app.size = (width, height),
        Msg::Lifecycle(event) => engine::lifecycle(app, &event),
        Msg::Fired(id, fired_for, report) => engine::fired(app, id, fired_for, report),
        Msg::NeedsConsent(order, items) => {
            app.overlay = Some(Overlay::Consent { order: Box::new(order), items, top: 0 });
        }
        Msg::Loaded(loaded) => reload::loaded(app, *loaded),
        Msg::LoadFailed(diagnostic) => reload::failed(app, *diagnostic),
        Msg::ScriptChanged(path) => reload::script_changed(app, &path),
        Msg::PayloadsOpened(file, payloads, problems) => firing::payloads_opened(app, file, payloads, &problems),
        Msg::Edited(text) => app.edit(&text),
        Msg::Notice(text) => app.say(text),
        Msg::Tick(now) => {
            app.now = now;
            app.toast.take_if(|(_, until)| *until <= now);
        }
    }
    std::mem::take(&mut app.effects)
}

fn on_key(app: &mut App, key: Key) {
    // What was said at the start has been read by whoever presses a key.
    app.toast.take_if(|(_, until)| until.is_infinite());
    if app.overlay.is_some() && !matches!((key.ctrl, key.code), (true, Code::Char('c' | 'z'))) {
        return overlay::key(app, key);
    }
    let typed = app.focus == Pane::Composer && matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
    match app.keymap.command(key, app.focus).filter(|_| !typed) {
        Some(command) => perform(app, command),
        None if app.focus == Pane::Composer => {
            if app.composer.editor.key(key) {
                composer_changed(app);
            }
        }
        None => app.say(format!("{key} does nothing here; ? shows the keys of this pane")),
    }
}

pub fn perform(app: &mut App, command: Command) {
    if let Some(why) = disabled(app, command) {
        return app.say(why);
    }
    match command {
        C::Fire => firing::fire_composed(app),
        C::Quit => quit(app),
        C::Interrupt => firing::interrupt(app),
        C::Suspend => app.effects.push(SideEffect::Suspend),
        C::Help => app.overlay = Some(Overlay::Help { top: 0 }),
        C::Palette => choose(app, Choices::Commands),
        C::NextPane => navigation::cycle_pane(app, 1),
        C::PreviousPane => navigation::cycle_pane(app, Pane::ALL.len() - 1),
        C::Go(pane) => app.go_to(pane),
        C::Back => navigation::back(app),
        C::Up => navigation::scroll(app, app.focus, -1),
        C::Down => navigation::scroll(app, app.focus, 1),
        C::PageUp => navigation::scroll(app, app.focus, -10),
        C::PageDown => navigation::scroll(app, app.focus, 10),
        C::Top => navigation::scroll(app, app.focus, i64::MIN / 2),
        C::Bottom => navigation::scroll(app, app.focus, i64::MAX / 2),
        C::Open => navigation::open(app),
        C::Filter => prompt(app, PromptKind::Filter),
        C::NextMatch => navigation::next_match(app, 1),
        C::PreviousMatch => navigation::next_match(app, -1),
        C::CycleTheme => {
            app.theme = app.theme.next();
            composer_changed(app);
            app.say(format!("theme: {}", app.theme.name));
        }
        C::Toggle => firing::toggle(app),
        C::ToggleLayer => firing::toggle_layer(app),
        C::UndoToggles => firing::undo_toggle(app),
        C::Edit => navigation::edit(app),
        C::Playground => prompt(app, PromptKind::Playground),
        C::PickEvent => choose(app, Choices::Events),
        C::EditPayload => app.effects.push(SideEffect::EditText(app.composer.editor.text())),
        C::Tidy => composer::tidy(app),
        C::Rerun => firing::rerun(app),
        C::RerunAll => firing::rerun_all(app),
        C::Pin => firing::pin(app),
        C::Cancel => app.effects.extend(app.selected_firing().map(SideEffect::Interrupt)),
        C::Kill => app.effects.extend(app.selected_live_run().map(|(f, r)| SideEffect::KillRun(f, r))),
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
        C::PreviousTab => navigation::cycle_tab(app, Tab::ALL.len() - 1),
        C::Fold => navigation::fold(app),
        C::Raw => {
            app.detail.raw = !app.detail.raw;
            app.detail.cursor = Cursor::default();
        }
        C::Yank => app.effects.push(SideEffect::Copy(detail_text(app))),
        C::YankRepro => navigation::copy_repro(app),
        C::Compare => {
            app.detail.mark = app.selected_firing();
            app.say("marked; the Diff tab compares other runs with this one");
        }
        C::OpenFile => prompt(app, PromptKind::OpenFile),
        C::RunOne => firing::replay_one(app),
        C::Step => firing::replay_step(app),
        C::RunAll => firing::replay_all(app),
        C::StopReplay => {
            app.replay.queue.clear();
            app.say("the replay stops after the event that runs");
        }
        C::Compose => firing::compose_replayed(app),
        C::Differences => review::list(app),
        C::Accept => review::accept(app),
        C::Reject => review::reject(app),
        C::SaveFiring => prompt(app, PromptKind::SaveTo),
    }
}

fn choose(app: &mut App, of: Choices) {
    app.overlay = Some(Overlay::Choice { of, query: String::new(), cursor: Cursor::default() });
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

fn quit(app: &mut App) {
    if app.running_since.is_empty() {
        leave(app);
    } else {
        app.overlay = Some(Overlay::Quit);
    }
}

fn leave(app: &mut App) {
    app.effects.extend([SideEffect::SaveState, SideEffect::Quit]);
}
