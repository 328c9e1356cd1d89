//! The engine behind the UI: fires orders after consent, remembers how to end them, sends reports back.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;

use super::lock;
use crate::engine::{Control, EngineOptions, EventSink, EventStream, Request, Runner, Stop};
use crate::model::{FiringId, RunId};
use crate::plan::plan;
use crate::record::Scratch;
use crate::report::firing_report;
use crate::settings::{Settings, TrustStore, state_dir};
use crate::tui::app::App;
use crate::tui::fire_order::{FireOrder, FiredFor};
use crate::tui::loaded_settings::LoadedSettings;
use crate::tui::msg::Msg;

/// Whether commands need the user's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trusted {
    Ask,
    /// They are our own, or the user said so from outside.
    Yes,
}

/// Running firings and the way to them.
pub struct FiringTasks {
    pub events: EventStream,
    runner: Arc<Runner>,
    sink: EventSink,
    outbox: mpsc::UnboundedSender<Msg>,
    controls: Arc<Mutex<HashMap<FiringId, Control>>>,
    cwd: PathBuf,
    trusted: Trusted,
    store: Option<TrustStore>,
    /// Where recorded events run: a copy of the project with a runner in it, made for the first of them.
    replays: Mutex<Option<(Arc<Runner>, Scratch)>>,
}

fn runner(loaded: &LoadedSettings, cwd: &Path) -> Arc<Runner> {
    let options = EngineOptions { cwd: Some(cwd.to_path_buf()), ..EngineOptions::default() };
    Arc::new(Runner::new(loaded.dialect.clone(), loaded.hooks.as_ref().clone(), options))
}

impl FiringTasks {
    pub fn new(app: &App, outbox: mpsc::UnboundedSender<Msg>, cwd: PathBuf, trusted: Trusted) -> Self {
        let (sink, events) = EventSink::channel();
        Self {
            events,
            runner: runner(&app.loaded, &cwd),
            sink,
            outbox,
            controls: Arc::default(),
            cwd,
            trusted,
            store: state_dir().map(|dir| TrustStore::new(&dir)),
            replays: Mutex::new(None),
        }
    }

    /// New hooks; what runs keeps those it began with.
    pub fn replace(&self, loaded: &LoadedSettings) {
        self.runner.replace(loaded.hooks.as_ref().clone());
        // A changed script is copied anew.
        *lock(&self.replays) = None;
    }

    pub fn fire(&self, order: FireOrder, app: &App) {
        let plan = plan(self.runner.dialect(), &self.runner.hooks(), &order.payload, &order.toggles);
        if self.trusted == Trusted::Ask
            && let Some(store) = &self.store
        {
            let commands = plan.running().filter_map(|i| plan.hook(i).handler.command());
            let items = store.untrusted(commands, &self.cwd);
            if !items.is_empty() && !order.consented {
                let _ = self.outbox.send(Msg::NeedsConsent(order, items));
                return;
            }
            if let Err(e) = store.trust(items.iter().map(|a| a.command.as_str()), &self.cwd) {
                let _ = self.outbox.send(Msg::Notice(format!("your answer could not be kept: {e}")));
            }
        }
        self.start(order, &app.loaded);
    }

    fn start(&self, order: FireOrder, loaded: &LoadedSettings) {
        let FireOrder { id, payload, toggles, fired_for, host, .. } = order;
        let request = Request { toggles, host, events: self.sink.clone(), ..Request::numbered(id, payload) };
        lock(&self.controls).insert(id, request.control.clone());
        let runner =
            if matches!(fired_for, FiredFor::Replay(_)) { self.replaying(loaded) } else { self.runner.clone() };
        let (outbox, controls) = (self.outbox.clone(), self.controls.clone());
        let settings = Settings {
            dialect: loaded.dialect.clone(),
            hooks: crate::model::HookSet::default(),
            diagnostics: Vec::new(),
            files: loaded.files.clone(),
            sources: Vec::new(),
        };
        tokio::spawn(async move {
            let firing = runner.fire(request).await;
            lock(&controls).remove(&id);
            let report = firing_report(&settings, &firing);
            let _ = outbox.send(Msg::Fired(id, fired_for, Arc::new(report)));
        });
    }

    /// The runner for recorded events: they leave no trace in the user's project. Where it cannot be copied they run in
    /// place, and that is said.
    fn replaying(&self, loaded: &LoadedSettings) -> Arc<Runner> {
        let mut replays = lock(&self.replays);
        if replays.is_none() && self.trusted == Trusted::Ask {
            let text = match Scratch::of(&self.cwd) {
                Ok(scratch) => {
                    *replays = Some((runner(loaded, scratch.project()), scratch));
                    "recorded events run in a scratch copy of the project".to_string()
                }
                Err(e) => format!("recorded events run in the project itself: {e}"),
            };
            let _ = self.outbox.send(Msg::Notice(text));
        }
        replays.as_ref().map_or(&self.runner, |(runner, _)| runner).clone()
    }

    pub fn stop(&self, id: FiringId, how: Stop) {
        if let Some(control) = lock(&self.controls).get(&id) {
            control.stop(how);
        }
    }

    pub fn kill_run(&self, id: FiringId, run: RunId) {
        if let Some(control) = lock(&self.controls).get(&id) {
            control.stop_run(run, Stop::Kill);
        }
    }
}
