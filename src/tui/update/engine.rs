//! What the engine says, folded into the state.

use std::sync::Arc;

use crate::model::{FiringId, Lifecycle, Payload, Stream};
use crate::report::Report;
use crate::tui::app::{App, REPORTS_KEPT};
use crate::tui::fire_order::FiredFor;
use crate::tui::state::LiveOutput;

/// Bytes of live output kept per stream; the report has all of it.
const LIVE_BYTES: usize = 256 * 1024;

pub fn lifecycle(app: &mut App, event: &Lifecycle) {
    let rows = app.store.len();
    let pending = |firing| app.pending.get(firing).map(Payload::subject);
    let about = if let Lifecycle::FiringStarted { firing, .. } = event { pending(firing) } else { None };
    app.store.fold(event, &about.unwrap_or_default());
    match event {
        Lifecycle::FiringStarted { firing, .. } => {
            app.running_since.insert(*firing, app.now);
            // New rows come in on top: whoever follows stays there, whoever reads keeps reading.
            if app.timeline.follow {
                app.timeline.cursor.row = 0;
                app.detail.cursor.row = 0;
            } else {
                app.timeline.cursor.row += app.store.len() - rows;
            }
        }
        Lifecycle::HookStarted { hook } => {
            app.live.insert((hook.firing, hook.index), LiveOutput { run: Some(hook.run), ..LiveOutput::default() });
        }
        Lifecycle::HookProgress { hook, stream, output, .. } => {
            let live = app.live.entry((hook.firing, hook.index)).or_default();
            let text = match stream {
                Stream::Stdout => &mut live.stdout,
                Stream::Stderr => &mut live.stderr,
            };
            if text.len() + output.len() <= LIVE_BYTES {
                text.push_str(output);
            }
        }
        Lifecycle::FiringFinished { firing, .. } => {
            app.running_since.remove(firing);
            if app.running_since.is_empty() {
                app.interrupts = 0;
            }
        }
        Lifecycle::HookResponse { .. }
        | Lifecycle::HookQueued { .. }
        | Lifecycle::ToolResult { .. }
        | Lifecycle::Diagnostic { .. } => {}
    }
}

pub fn fired(app: &mut App, id: FiringId, fired_for: FiredFor, report: Arc<Report>) {
    app.live.retain(|(firing, _), _| *firing != id);
    app.pending.remove(&id);
    let decision = outcome_words(&report);
    if let Some(pin) = app.pinned.iter_mut().find(|(pinned, _, _)| *pinned == id) {
        pin.2.get_or_insert_with(|| decision.clone());
    }
    app.reports.insert(id, report);
    app.report_order.push_back(id);
    if app.report_order.len() > REPORTS_KEPT
        && let Some(oldest) = app.report_order.pop_front()
    {
        app.reports.remove(&oldest);
    }
    match fired_for {
        FiredFor::User => {}
        FiredFor::Pinned(original) => {
            if let Some(pin) = app.pinned.iter_mut().find(|(pinned, _, _)| *pinned == original) {
                let before = pin.2.replace(decision.clone());
                let arrow = app.glyphs.to;
                match before.filter(|b| *b != decision) {
                    Some(before) => app.say(format!("pinned event: {before} {arrow} {decision}")),
                    None => app.say(format!("pinned event: still {decision}")),
                }
            }
        }
        FiredFor::Replay(row) => {
            let current = app.reports.get(&id).and_then(|r| super::review::outcome(r));
            app.replay.items.change(row, |item| {
                item.decision = Some(decision);
                item.current = current;
                item.firing = Some(id);
            });
            super::firing::replay_next(app);
        }
    }
}

/// The word for what a firing came to.
fn outcome_words(report: &Report) -> String {
    let Some(verdict) = &report.verdict else { return "planned".into() };
    match (&verdict.decision, verdict.blocked, verdict.resume) {
        (Some(decision), _, _) => decision.clone(),
        (None, true, _) => "blocked".into(),
        (None, false, true) => "goes on".into(),
        (None, false, false) => "pass".into(),
    }
}
