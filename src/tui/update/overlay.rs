//! Keys and pastes while something lies over the panes.

use std::collections::VecDeque;
use std::path::PathBuf;

use serde_json::Value;

use super::perform;
use crate::tui::app::App;
use crate::tui::command::Command;
use crate::tui::fire_order::FireOrder;
use crate::tui::key::{Code, Key};
use crate::tui::side_effect::SideEffect;
use crate::tui::state::{Cursor, Overlay, Pane, PromptKind, ReplyRequest};
use crate::tui::view::{event_choices, palette_rows};

/// Where firings are saved unless another name is given.
const RECORDING: &str = "hookdbg-recording.jsonl";

/// Act on a key. The overlay is taken out, and put back unless the key closed it.
pub fn key(app: &mut App, key: Key) -> Vec<SideEffect> {
    let Some(overlay) = app.overlay.take() else { return Vec::new() };
    let closes = key.code == Code::Esc;
    match overlay {
        Overlay::Help { top } => {
            let closes = closes || matches!(key.code, Code::Char('q' | '?') | Code::F(1) | Code::Enter);
            if !closes {
                app.overlay = Some(Overlay::Help { top: scrolled(top, key) });
            }
            Vec::new()
        }
        Overlay::Quit => match key.code {
            Code::Char('y' | 'Y' | 'q') => vec![SideEffect::SaveState, SideEffect::Quit],
            Code::Char('n' | 'N') | Code::Esc => Vec::new(),
            _ => {
                app.overlay = Some(Overlay::Quit);
                Vec::new()
            }
        },
        Overlay::Consent { mut order, asked, top } => match key.code {
            Code::Char('y' | 'Y') => {
                order.consented = true;
                vec![SideEffect::Fire(order)]
            }
            Code::Char('n' | 'N' | 'q') | Code::Esc => {
                app.pending.remove(&order.id);
                app.replay.queue.clear();
                app.say("nothing was run");
                Vec::new()
            }
            _ => {
                app.overlay = Some(Overlay::Consent { order, asked, top: scrolled(top, key) });
                Vec::new()
            }
        },
        Overlay::Reply { order, asked, given, text } => reply(app, key, order, asked, given, text),
        Overlay::Palette { .. } | Overlay::Events { .. } | Overlay::Prompt { .. } if closes => Vec::new(),
        Overlay::Palette { mut query, mut cursor } => {
            if key.code == Code::Enter {
                let chosen: Option<Command> = palette_rows(app, &query).get(cursor.row).map(|spec| spec.command);
                return chosen.map_or_else(Vec::new, |command| perform(app, command));
            }
            edit_line(&mut query, &mut cursor, key);
            cursor.shift(0, palette_rows(app, &query).len());
            app.overlay = Some(Overlay::Palette { query, cursor });
            Vec::new()
        }
        Overlay::Events { mut query, mut cursor } => {
            if key.code == Code::Enter {
                if let Some((_, value)) = event_choices(app, &query).into_iter().nth(cursor.row) {
                    app.compose(&value);
                    app.go_to(Pane::Composer);
                }
                return Vec::new();
            }
            edit_line(&mut query, &mut cursor, key);
            cursor.shift(0, event_choices(app, &query).len());
            app.overlay = Some(Overlay::Events { query, cursor });
            Vec::new()
        }
        Overlay::Prompt { kind, mut text } => {
            if key.code == Code::Enter {
                return submit(app, kind, &text);
            }
            edit_line(&mut text, &mut Cursor::default(), key);
            apply_live(app, kind, &text);
            app.overlay = Some(Overlay::Prompt { kind, text });
            Vec::new()
        }
    }
}

/// One reply is typed; the last one fires.
fn reply(
    app: &mut App,
    key: Key,
    order: Box<FireOrder>,
    mut asked: VecDeque<ReplyRequest>,
    mut given: Vec<Value>,
    mut text: String,
) -> Vec<SideEffect> {
    if key.code == Code::Esc {
        app.pending.remove(&order.id);
        app.replay.queue.clear();
        app.say("nothing was run: a hook asks a model, and its reply was not given");
        return Vec::new();
    }
    if key.code != Code::Enter {
        edit_line(&mut text, &mut Cursor::default(), key);
        app.overlay = Some(Overlay::Reply { order, asked, given, text });
        return Vec::new();
    }
    let Some(current) = asked.pop_front() else { return vec![SideEffect::Fire(order)] };
    match serde_json::from_str(&text) {
        Ok(value) => {
            app.replies.insert(current.hook, text);
            given.push(value);
        }
        Err(error) => {
            app.say(format!("a reply is JSON: {error}"));
            asked.push_front(current);
            app.overlay = Some(Overlay::Reply { order, asked, given, text });
            return Vec::new();
        }
    }
    let Some(next) = asked.front() else { return vec![SideEffect::Fire(super::firing::with_replies(order, given))] };
    let text = app.replies.get(&next.hook).cloned().unwrap_or_else(|| next.example().into());
    app.overlay = Some(Overlay::Reply { order, asked, given, text });
    Vec::new()
}

fn scrolled(top: usize, key: Key) -> usize {
    match key.code {
        Code::Down | Code::Char('j') => top + 1,
        Code::Up | Code::Char('k') => top.saturating_sub(1),
        Code::PageDown => top + 10,
        Code::PageUp => top.saturating_sub(10),
        _ => top,
    }
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
            app.replay.cursor.shift(0, app.replay_rows().len());
        }
        (PromptKind::Filter, Pane::Detail) => app.detail.search = text.to_string(),
        (PromptKind::Playground, _) => app.playground = Some(text.to_string()).filter(|t| !t.is_empty()),
        (PromptKind::Filter | PromptKind::OpenFile | PromptKind::SaveTo, _) => {}
    }
}

fn submit(app: &mut App, kind: PromptKind, text: &str) -> Vec<SideEffect> {
    apply_live(app, kind, text);
    match kind {
        PromptKind::OpenFile if !text.is_empty() => vec![SideEffect::OpenPayloads(PathBuf::from(text))],
        PromptKind::Filter if app.focus == Pane::Detail && !text.is_empty() => {
            if let Some(row) = crate::tui::view::detail_match(app, 1) {
                app.detail.cursor.row = row;
            }
            Vec::new()
        }
        PromptKind::SaveTo => super::review::save(app, if text.is_empty() { RECORDING } else { text }),
        PromptKind::OpenFile | PromptKind::Filter | PromptKind::Playground => Vec::new(),
    }
}

/// Pasted text goes where text goes, and nowhere else.
pub fn paste(app: &mut App, text: &str) -> Vec<SideEffect> {
    let line: String = text.chars().filter(|c| !c.is_control()).collect();
    match &mut app.overlay {
        Some(Overlay::Palette { query, .. } | Overlay::Events { query, .. }) => query.push_str(&line),
        Some(Overlay::Prompt { kind, text: own }) => {
            own.push_str(&line);
            let (kind, own) = (*kind, own.clone());
            apply_live(app, kind, &own);
        }
        Some(Overlay::Reply { text: own, .. }) => own.push_str(&line),
        Some(Overlay::Help { .. } | Overlay::Consent { .. } | Overlay::Quit) => {}
        None if app.focus == Pane::Composer => {
            app.composer.editor.paste(text);
            super::composer_changed(app);
        }
        None => {
            // A pasted payload can only be meant for the composer.
            if serde_json::from_str::<Value>(text).is_ok_and(|v| v.is_object()) {
                app.composer.editor = crate::tui::widgets::Editor::new(text);
                super::composer_changed(app);
                app.go_to(Pane::Composer);
            } else {
                app.say("paste works in the composer (2)");
            }
        }
    }
    Vec::new()
}
