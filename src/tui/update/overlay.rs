//! Keys and pastes while something lies over the panes.

use std::path::PathBuf;

use serde_json::Value;

use super::perform;
use crate::model::FiringId;
use crate::tui::app::App;
use crate::tui::key::{Code, Key};
use crate::tui::side_effect::SideEffect;
use crate::tui::state::{Choices, Cursor, Overlay, Pane, PromptKind};
use crate::tui::view::{detail_match, event_choices, hidden_lines, palette_rows};

/// Where firings are saved unless another name is given.
const RECORDING: &str = "hookdbg-recording.jsonl";

/// Act on a key. The overlay is taken out, and put back unless the key closed it.
pub fn key(app: &mut App, key: Key) {
    let Some(overlay) = app.overlay.take() else { return };
    let left = after(app, key, overlay);
    if left.is_some() {
        app.overlay = left;
    }
}

/// `overlay` after a key; none if the key closed it.
fn after(app: &mut App, key: Key, mut overlay: Overlay) -> Option<Overlay> {
    let hidden = hidden_lines(app, &overlay);
    match (&mut overlay, key.code) {
        (Overlay::Help { .. }, Code::Esc | Code::Enter | Code::F(1) | Code::Char('q' | '?')) => return None,
        (Overlay::Consent { order, .. }, Code::Char('y' | 'Y')) => {
            order.consented = true;
            app.effects.push(SideEffect::Fire(order.clone()));
            return None;
        }
        (Overlay::Consent { order, .. }, Code::Char('n' | 'N' | 'q') | Code::Esc) => {
            return run_nothing(app, order.id, "nothing was run");
        }
        (Overlay::Help { top } | Overlay::Consent { top, .. }, _) => *top = scrolled(*top, hidden, key),
        (Overlay::Quit, Code::Char('y' | 'Y' | 'q')) => {
            super::leave(app);
            return None;
        }
        (Overlay::Quit, Code::Char('n' | 'N') | Code::Esc) => return None,
        (Overlay::Quit, _) => {}
        (Overlay::Reply { order, .. }, Code::Esc) => {
            return run_nothing(app, order.id, "nothing was run: a hook asks a model, and its reply was not given");
        }
        // One reply is typed; the last one fires.
        (Overlay::Reply { order, requests, replies, text }, Code::Enter) => match serde_json::from_str(text) {
            Ok(value) => {
                replies.push(value);
                if let Some(answered) = requests.pop_front() {
                    app.replies.insert(answered.hook, std::mem::take(text));
                }
                let Some(next) = requests.front() else {
                    order.set_replies(std::mem::take(replies));
                    app.effects.push(SideEffect::Fire(order.clone()));
                    return None;
                };
                *text = app.first_reply(next);
            }
            Err(error) => app.say(format!("a reply is JSON: {error}")),
        },
        (Overlay::Reply { text, .. }, _) => edit_line(text, &mut Cursor::default(), key),
        (Overlay::Choice { .. } | Overlay::Prompt { .. }, Code::Esc) => return None,
        (Overlay::Choice { of, query, cursor }, Code::Enter) => {
            choose(app, *of, query, cursor.row);
            return None;
        }
        (Overlay::Choice { of, query, cursor }, _) => {
            edit_line(query, cursor, key);
            let len = match of {
                Choices::Commands => palette_rows(app, query).len(),
                Choices::Events => event_choices(app, query).len(),
            };
            cursor.shift(0, len);
        }
        (Overlay::Prompt { kind, text }, Code::Enter) => {
            submit(app, *kind, text);
            return None;
        }
        (Overlay::Prompt { kind, text }, _) => {
            edit_line(text, &mut Cursor::default(), key);
            apply_live(app, *kind, text);
        }
    }
    Some(overlay)
}

fn run_nothing(app: &mut App, id: FiringId, why: &str) -> Option<Overlay> {
    app.pending.remove(&id);
    app.replay.queue.clear();
    app.say(why);
    None
}

fn choose(app: &mut App, of: Choices, query: &str, row: usize) {
    match of {
        Choices::Commands => {
            if let Some(spec) = palette_rows(app, query).get(row) {
                perform(app, spec.command);
            }
        }
        Choices::Events => {
            if let Some((_, value)) = event_choices(app, query).into_iter().nth(row) {
                app.compose(&value);
                app.go_to(Pane::Composer);
            }
        }
    }
}

/// The line at the top after a key, where `hidden` lines have no room.
fn scrolled(top: usize, hidden: usize, key: Key) -> usize {
    let top = top.min(hidden);
    let moved = match key.code {
        Code::Down | Code::Char('j') => top + 1,
        Code::Up | Code::Char('k') => top.saturating_sub(1),
        Code::PageDown => top + 10,
        Code::PageUp => top.saturating_sub(10),
        _ => top,
    };
    moved.min(hidden)
}

fn edit_line(text: &mut String, cursor: &mut Cursor, key: Key) {
    match (key.code, key.ctrl) {
        (Code::Char('u'), true) => text.clear(),
        (Code::Char('n'), true) | (Code::Down, _) => cursor.row += 1,
        (Code::Char('p'), true) | (Code::Up, _) => cursor.row = cursor.row.saturating_sub(1),
        (Code::Char(c), false) if !key.alt => {
            text.push(c);
            cursor.row = 0;
        }
        (Code::Backspace, _) => {
            text.pop();
            cursor.row = 0;
        }
        _ => {}
    }
}

/// Filters and the playground follow each keystroke.
fn apply_live(app: &mut App, kind: PromptKind, text: &str) {
    match (kind, app.focus) {
        (PromptKind::Filter, Pane::Timeline) => {
            app.store.set_filter(text);
            app.timeline.cursor.shift(0, app.store.len());
        }
        (PromptKind::Filter, Pane::Replay) => {
            app.replay.items.set_filter(text);
            app.replay.cursor.shift(0, app.replay.items.rows().len());
        }
        (PromptKind::Filter, Pane::Detail) => app.detail.search = text.to_string(),
        (PromptKind::Playground, _) => app.playground = Some(text.to_string()).filter(|t| !t.is_empty()),
        (PromptKind::Filter | PromptKind::OpenFile | PromptKind::SaveTo, _) => {}
    }
}

fn submit(app: &mut App, kind: PromptKind, text: &str) {
    apply_live(app, kind, text);
    match kind {
        PromptKind::OpenFile if !text.is_empty() => app.effects.push(SideEffect::OpenPayloads(PathBuf::from(text))),
        PromptKind::Filter if app.focus == Pane::Detail && !text.is_empty() => {
            if let Some(row) = detail_match(app, 1) {
                app.detail.cursor.row = row;
            }
        }
        PromptKind::SaveTo => super::review::save(app, if text.is_empty() { RECORDING } else { text }),
        PromptKind::OpenFile | PromptKind::Filter | PromptKind::Playground => {}
    }
}

/// Pasted text goes where text goes, and nowhere else.
pub fn paste(app: &mut App, text: &str) {
    let line: String = text.chars().filter(|c| !c.is_control()).collect();
    match &mut app.overlay {
        Some(Overlay::Choice { query: own, .. } | Overlay::Reply { text: own, .. }) => own.push_str(&line),
        Some(Overlay::Prompt { kind, text: own }) => {
            own.push_str(&line);
            let (kind, own) = (*kind, own.clone());
            apply_live(app, kind, &own);
        }
        Some(Overlay::Help { .. } | Overlay::Consent { .. } | Overlay::Quit) => {}
        None if app.focus == Pane::Composer => {
            app.composer.editor.paste(text);
            super::composer_changed(app);
        }
        // A pasted payload can only be meant for the composer.
        None if serde_json::from_str::<Value>(text).is_ok_and(|v| v.is_object()) => {
            app.edit(text);
            app.go_to(Pane::Composer);
        }
        None => app.say("paste works in the composer (2)"),
    }
}
