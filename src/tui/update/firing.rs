//! Firing, re-running, replaying, pinning, switching: what the user makes happen.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::navigation::is_wide;
use crate::model::{FiringId, HookId, Payload, Toggles};
use crate::plan::plan;
use crate::record::RecordedEvent;
use crate::report::count;
use crate::store::Row;
use crate::tui::app::{App, REPORTS_KEPT};
use crate::tui::fire_order::{FireOrder, FiredFor};
use crate::tui::side_effect::SideEffect;
use crate::tui::state::{OffFor, Overlay, Pane, ReplayItem, ReplyRequest};

/// Fire `payload` with the switches as they are; hooks that ask a model have the user asked first. What a save fires
/// again takes the replies given before.
pub fn order(app: &mut App, payload: Payload, fired_for: FiredFor) {
    let id = FiringId::next();
    app.pending.insert(id, payload.clone());
    let toggles = app.toggles();
    let requests = reply_requests(app, &payload, &toggles);
    let mut order = Box::new(FireOrder { id, payload, toggles, fired_for, host: Arc::default(), consented: false });
    if matches!(fired_for, FiredFor::Pinned(_)) || app.overlay.is_some() {
        let replies = requests.iter().filter_map(|r| serde_json::from_str(app.replies.get(&r.hook)?).ok());
        order.set_replies(replies.collect());
    } else if let Some(first) = requests.front() {
        let text = app.first_reply(first);
        app.overlay = Some(Overlay::Reply { order, requests, replies: Vec::new(), text });
        return;
    }
    app.effects.push(SideEffect::Fire(order));
}

/// The hooks that would run for `payload` and ask a model or a tool server.
fn reply_requests(app: &App, payload: &Payload, toggles: &Toggles) -> VecDeque<ReplyRequest> {
    let plan = plan(app.loaded.dialect.as_ref(), &app.loaded.hooks, payload, toggles);
    let asks = |index: usize| {
        let hook = plan.hook(index);
        let text = hook.handler.asks()?.to_string();
        Some(ReplyRequest { hook: hook.name.clone(), kind: hook.handler.word().into(), text })
    };
    plan.running().filter_map(asks).collect()
}

pub fn fire_composed(app: &mut App) {
    let Ok(payload) = app.composer.payload.as_ref().cloned() else { return };
    app.timeline.follow = true;
    if app.focus == Pane::Hooks || app.focus == Pane::Composer && !is_wide(app) {
        app.go_to(Pane::Timeline);
    }
    order(app, payload, FiredFor::User);
}

/// The payload of a firing, from its report or from the one still running.
fn payload_of(app: &App, id: FiringId) -> Option<Payload> {
    if let Some(payload) = app.pending.get(&id) {
        return Some(payload.clone());
    }
    let report = app.reports.get(&id)?;
    Some(Payload::new(report.event.clone(), report.payload.as_object()?.clone()))
}

pub fn rerun(app: &mut App) {
    match app.selected_firing().and_then(|id| payload_of(app, id)) {
        Some(payload) => order(app, payload, FiredFor::User),
        None => app.say("its payload is no longer kept; only the latest firings keep theirs"),
    }
}

/// Fire every listed event again, oldest first.
pub fn rerun_all(app: &mut App) {
    let firing = |row| match app.store.row(row)? {
        Row::Firing(firing) => Some(app.store.firing(firing).id),
        Row::Run(..) => None,
    };
    let listed: Vec<_> = (0..app.store.len()).filter_map(firing).take(REPORTS_KEPT).collect();
    for payload in listed.into_iter().rev().filter_map(|id| payload_of(app, id)).collect::<Vec<_>>() {
        order(app, payload, FiredFor::User);
    }
}

pub fn pin(app: &mut App) {
    let Some(id) = app.selected_firing() else { return };
    if let Some(at) = app.pinned.iter().position(|(pinned, _, _)| *pinned == id) {
        app.pinned.remove(at);
        app.say("unpinned");
    } else if let Some(payload) = payload_of(app, id) {
        let decision = app.reports.get(&id).and_then(|r| r.verdict.as_ref()).and_then(|v| v.decision.clone());
        app.pinned.push((id, payload, decision));
        app.say("pinned: it fires again on every save of the settings or of a hook's script");
    }
}

/// Edit a copy of the selected firing's payload.
pub fn duplicate(app: &mut App) {
    let Some(payload) = app.selected_firing().and_then(|id| payload_of(app, id)) else { return };
    compose(app, &payload);
}

fn compose(app: &mut App, payload: &Payload) {
    let mut fields = payload.fields.as_ref().clone();
    fields.entry(app.loaded.dialect.profile().event_field).or_insert_with(|| payload.event.clone().into());
    app.compose(&Value::Object(fields));
    app.go_to(Pane::Composer);
}

pub fn delete(app: &mut App) {
    let Some(id) = app.selected_firing() else { return };
    if app.is_running(id) {
        return app.say("it still runs; cancel it first");
    }
    app.store.delete(id);
    app.pinned.retain(|(pinned, _, _)| *pinned != id);
    app.timeline.cursor.shift(0, app.store.len());
}

/// Switch the selected hook: on, off for this run, off for this project, on.
pub fn toggle(app: &mut App) {
    let Some(hook) = app.selected_hook().cloned() else { return };
    app.switches.change(|off| {
        match off.get(&hook.id) {
            None => off.insert(hook.id.clone(), OffFor::ThisRun),
            Some(OffFor::ThisRun) => off.insert(hook.id.clone(), OffFor::ThisProject),
            Some(OffFor::ThisProject) => off.remove(&hook.id),
        };
    });
    let word = app.switches.off.get(&hook.id).map_or("on".to_string(), |o| format!("off for {}", o.words()));
    switched(app, format!("{} is {word}; its file is unchanged", hook.label));
}

/// Switch all hooks of the selected hook's layer off for this run, or all of them on again.
pub fn toggle_layer(app: &mut App) {
    let Some(layer) = app.selected_hook().map(|h| h.origin.layer.clone()) else { return };
    let ids: Vec<HookId> =
        app.loaded.hooks.hooks.iter().filter(|h| h.origin.layer == layer).map(|h| h.id.clone()).collect();
    let off = !ids.iter().all(|id| app.switches.off.contains_key(id));
    app.switches.change(|switched| {
        for id in &ids {
            if off {
                switched.entry(id.clone()).or_insert(OffFor::ThisRun);
            } else {
                switched.remove(id);
            }
        }
    });
    let word = if off { "off for this run" } else { "on" };
    switched(app, format!("{layer} layer: {} {word}; its files are unchanged", count(ids.len(), "hook")));
}

pub fn undo_toggle(app: &mut App) {
    if let Some(before) = app.switches.undo.pop() {
        app.switches.off = before;
    }
    switched(app, "undone".into());
}

fn switched(app: &mut App, text: String) {
    app.say(text);
    super::composer_changed(app);
    app.effects.push(SideEffect::SaveState);
}

/// Ctrl-C: interrupt, then kill, then leave.
pub fn interrupt(app: &mut App) {
    let running: Vec<FiringId> = app.running_since.keys().copied().collect();
    app.replay.queue.clear();
    if running.is_empty() {
        return super::leave(app);
    }
    app.interrupts += 1;
    match app.interrupts {
        1 => {
            app.say("interrupting the hooks; ctrl-c again kills them");
            app.effects.extend(running.into_iter().map(SideEffect::Interrupt));
        }
        2 => {
            app.say("killing the hooks; ctrl-c again leaves");
            app.effects.extend(running.into_iter().map(SideEffect::Kill));
        }
        _ => super::leave(app),
    }
}

pub fn payloads_opened(app: &mut App, file: PathBuf, payloads: Vec<(Payload, RecordedEvent)>, problems: &[String]) {
    let events = payloads.len();
    app.replay.items.replace(payloads.into_iter().map(ReplayItem::new));
    app.replay.cursor.row = 0;
    app.replay.queue.clear();
    let trouble = problems.first().map_or_else(String::new, |p| format!("; {} left out: {p}", problems.len()));
    app.say(format!("{} from {}{trouble}", count(events, "payload"), file.display()));
    app.replay.file = Some(file);
    app.go_to(Pane::Replay);
}

pub fn replay_one(app: &mut App) {
    if let Some(row) = app.selected_replay() {
        replay(app, row);
    }
}

fn replay(app: &mut App, row: usize) {
    let payload = app.replay.items[row].payload.clone();
    order(app, payload, FiredFor::Replay(row));
}

/// Fire it and go to the next.
pub fn replay_step(app: &mut App) {
    replay_one(app);
    app.replay.cursor.shift(1, app.replay.items.rows().len());
}

/// Fire all listed payloads, one after the other.
pub fn replay_all(app: &mut App) {
    app.replay.queue = app.replay.items.events().collect();
    app.replay.started = Some((app.replay.queue.len(), app.now));
    replay_next(app);
}

/// The next of a run-all.
pub fn replay_next(app: &mut App) {
    while let Some(row) = app.replay.queue.pop_front() {
        if !refused_before(app, row) {
            return replay(app, row);
        }
        app.replay.items.change(row, |item| item.decision = Some("no result".into()));
    }
    app.replay.started = None;
}

/// Whether the call this event belongs to was refused now, so that it would have no result.
fn refused_before(app: &App, row: usize) -> bool {
    let item = &app.replay.items[row];
    let Some(id) = item.payload.text("tool_use_id") else { return false };
    let blocked = |i: &ReplayItem| {
        let same = i.payload.text("tool_use_id") == Some(id) && i.payload.event != item.payload.event;
        same && i.current.as_ref().is_some_and(|n| n.blocked == Some(true))
    };
    app.replay.items[row.saturating_sub(64)..row].iter().any(blocked)
}

/// Edit the selected payload in the composer.
pub fn compose_replayed(app: &mut App) {
    let Some(row) = app.selected_replay() else { return };
    let payload = app.replay.items[row].payload.clone();
    compose(app, &payload);
}
