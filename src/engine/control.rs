//! Orders from above to running hooks: interrupt or kill, all of them or one.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;

use crate::model::RunId;

/// How hard a run is asked to end. Later steps include earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Stop {
    /// Not at all.
    #[default]
    No,
    /// TERM, then KILL after the grace time.
    Interrupt,
    /// KILL at once.
    Kill,
}

#[derive(Debug, Clone, Default)]
struct Orders {
    all: Stop,
    runs: HashMap<RunId, Stop>,
}

/// A handle that ends runs; clones command the same ones.
#[derive(Debug, Clone)]
pub struct Control(Arc<watch::Sender<Orders>>);

impl Default for Control {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Orders::default())))
    }
}

impl Control {
    /// End every run under this control, those not yet started included.
    pub fn stop(&self, how: Stop) {
        self.0.send_modify(|orders| orders.all = orders.all.max(how));
    }

    /// End one run.
    pub fn stop_run(&self, run: RunId, how: Stop) {
        self.0.send_modify(|orders| {
            let order = orders.runs.entry(run).or_default();
            *order = (*order).max(how);
        });
    }

    /// What has been ordered for all.
    pub fn ordered(&self) -> Stop {
        self.0.borrow().all
    }

    /// The order book as one run sees it.
    pub(super) fn listen(&self, run: RunId) -> Listener {
        Listener { run, orders: self.0.subscribe() }
    }
}

/// One run's view of the orders.
#[derive(Debug)]
pub(super) struct Listener {
    run: RunId,
    orders: watch::Receiver<Orders>,
}

impl Listener {
    /// The order in force.
    pub fn current(&mut self) -> Stop {
        let orders = self.orders.borrow_and_update();
        orders.all.max(orders.runs.get(&self.run).copied().unwrap_or_default())
    }

    /// Wait for news; for ever when nobody can order any more.
    pub async fn changed(&mut self) {
        if self.orders.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
