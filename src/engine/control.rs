//! Requests to stop running hooks: interrupt or kill, all of them or one.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;

use crate::model::RunId;

/// How hard a run is asked to end. Later steps include earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Stop {
    #[default]
    No,
    /// TERM, then KILL after the grace time.
    Interrupt,
    Kill,
}

#[derive(Debug, Clone, Default)]
struct StopRequests {
    all: Stop,
    runs: HashMap<RunId, Stop>,
}

/// A handle that ends runs; clones command the same ones.
#[derive(Debug, Clone)]
pub struct Control(Arc<watch::Sender<StopRequests>>);

impl Default for Control {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(StopRequests::default())))
    }
}

impl Control {
    /// End every run under this control, those not yet started included.
    pub fn stop(&self, how: Stop) {
        self.0.send_modify(|requests| requests.all = requests.all.max(how));
    }

    pub fn stop_run(&self, run: RunId, how: Stop) {
        self.0.send_modify(|requests| {
            let stop = requests.runs.entry(run).or_default();
            *stop = (*stop).max(how);
        });
    }

    pub fn requested(&self) -> Stop {
        self.0.borrow().all
    }

    /// The requests as run `run` sees them.
    pub(super) fn listen(&self, run: RunId) -> StopListener {
        StopListener { run, requests: self.0.subscribe() }
    }
}

#[derive(Debug)]
pub(super) struct StopListener {
    run: RunId,
    requests: watch::Receiver<StopRequests>,
}

impl StopListener {
    /// The stop that applies to this run now.
    pub fn current(&mut self) -> Stop {
        let requests = self.requests.borrow_and_update();
        requests.all.max(requests.runs.get(&self.run).copied().unwrap_or_default())
    }

    /// Wait for another request; forever once no handle is left.
    pub async fn changed(&mut self) {
        if self.requests.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
