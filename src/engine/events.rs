//! The channel lifecycle events travel through. Lifecycle events are never dropped and never block the engine;
//! output chunks wait (and are merged) at their source while the reader is behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;

use crate::model::Lifecycle;

/// Progress events that may lie unread before sources start to merge.
const BACKLOG: usize = 256;

#[derive(Debug, Clone, Default)]
pub struct EventSink(Option<Sender>);

#[derive(Debug, Clone)]
struct Sender {
    events: mpsc::UnboundedSender<Lifecycle>,
    unread: Arc<AtomicUsize>,
}

#[derive(Debug)]
pub struct EventStream {
    events: mpsc::UnboundedReceiver<Lifecycle>,
    unread: Arc<AtomicUsize>,
}

impl EventSink {
    pub fn channel() -> (Self, EventStream) {
        let (tx, rx) = mpsc::unbounded_channel();
        let unread = Arc::new(AtomicUsize::new(0));
        (Self(Some(Sender { events: tx, unread: unread.clone() })), EventStream { events: rx, unread })
    }

    pub fn none() -> Self {
        Self(None)
    }

    pub fn is_open(&self) -> bool {
        self.0.as_ref().is_some_and(|s| !s.events.is_closed())
    }

    /// Whether another output chunk is welcome now.
    pub fn has_room(&self) -> bool {
        self.0.as_ref().is_some_and(|s| s.unread.load(Ordering::Relaxed) < BACKLOG)
    }

    /// Send; a reader that went away is no error.
    pub fn send(&self, event: Lifecycle) {
        let Some(sender) = &self.0 else { return };
        if matches!(event, Lifecycle::HookProgress { .. }) {
            sender.unread.fetch_add(1, Ordering::Relaxed);
        }
        let _ = sender.events.send(event);
    }
}

impl EventStream {
    /// The next event; none when every sink is gone.
    pub async fn recv(&mut self) -> Option<Lifecycle> {
        let event = self.events.recv().await?;
        self.count(&event);
        Some(event)
    }

    /// The next event, for a thread that may wait.
    pub fn blocking_recv(&mut self) -> Option<Lifecycle> {
        let event = self.events.blocking_recv()?;
        self.count(&event);
        Some(event)
    }

    pub fn try_recv(&mut self) -> Option<Lifecycle> {
        let event = self.events.try_recv().ok()?;
        self.count(&event);
        Some(event)
    }

    fn count(&self, event: &Lifecycle) {
        if matches!(event, Lifecycle::HookProgress { .. }) {
            self.unread.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
