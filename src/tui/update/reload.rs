//! Settings and scripts changed on disk: what is different, and the pinned events again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::diag::Diagnostic;
use crate::model::{Hook, HookOptions, HookSet, Payload};
use crate::plan::gate;
use crate::report::count;
use crate::tui::app::App;
use crate::tui::fire_order::FiredFor;
use crate::tui::loaded_settings::LoadedSettings;

pub fn loaded(app: &mut App, loaded: LoadedSettings) {
    let selected = app.selected_hook().map(|h| h.id.clone());
    let change = describe(&app.loaded.hooks, &loaded.hooks);
    let recovered = app.load_error.take().is_some();
    app.reloads += 1;
    app.change = change.or_else(|| recovered.then(|| "readable again".to_string())).or(Some("no hook changed".into()));
    app.loaded = loaded;
    app.select_hook(selected.as_ref());
    let problems = app.problems().count();
    app.problems_cursor.shift(0, problems);
    super::composer_changed(app);
    rerun_pinned(app, |_| true);
}

/// The files cannot be read now: the last good set stays.
pub fn failed(app: &mut App, diagnostic: Diagnostic) {
    let selected = app.selected_hook().map(|h| h.id.clone());
    app.load_error = Some(diagnostic);
    app.select_hook(selected.as_ref());
}

/// A script changed: pinned events it takes part in run again.
pub fn script_changed(app: &mut App, path: &Path) {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_string();
    app.say(format!("{name} was saved"));
    rerun_pinned(app, |hook| hook.handler.command().is_some_and(|c| c.contains(&name)));
}

fn rerun_pinned(app: &mut App, concerns: impl Fn(&Hook) -> bool) {
    let concerned = |payload: &Payload| {
        app.loaded.hooks.hooks.iter().any(|h| concerns(h) && gate(app.loaded.dialect.as_ref(), h, payload).is_none())
    };
    let pinned = app.pinned.iter().filter(|(_, payload, _)| concerned(payload));
    for (id, payload) in pinned.map(|(id, payload, _)| (*id, payload.clone())).collect::<Vec<_>>() {
        super::firing::order(app, payload, FiredFor::Pinned(id));
    }
}

/// `+1 hook, 2 changed`, or nothing.
fn describe(before: &HookSet, after: &HookSet) -> Option<String> {
    // Two hooks are the same if they say the same; what moved within the file did not change.
    let index = |set: &HookSet| -> BTreeMap<(String, usize), String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let entry = |h: &Arc<Hook>| {
            let key = format!("{}|{}", h.event, h.name);
            let count = seen.entry(key.clone()).or_default();
            *count += 1;
            let options = HookOptions { duplicates: None, ..h.options.clone() };
            let text = format!("{:?}{:?}{:?}{:?}{options:?}", h.matcher, h.timeout, h.handler, h.standing);
            ((key, *count), text)
        };
        set.hooks.iter().map(entry).collect()
    };
    let (old, new) = (index(before), index(after));
    let added = new.keys().filter(|k| !old.contains_key(*k)).count();
    let removed = old.keys().filter(|k| !new.contains_key(*k)).count();
    let changed = new.iter().filter(|(k, v)| old.get(*k).is_some_and(|o| o != *v)).count();
    let parts = [
        (added > 0).then(|| format!("+{}", count(added, "hook"))),
        (removed > 0).then(|| format!("-{}", count(removed, "hook"))),
        (changed > 0).then(|| format!("{changed} changed")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
