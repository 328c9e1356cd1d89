//! In-process hooks: async functions registered by id.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value;

type CallbackFuture = Pin<Box<dyn Future<Output = Result<Value, String>> + Send>>;

/// One registered function: gets the event's payload, gives an answer or an error text.
#[derive(Clone)]
pub struct Callback(Arc<dyn Fn(Arc<Value>) -> CallbackFuture + Send + Sync>);

impl std::fmt::Debug for Callback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Callback")
    }
}

impl Callback {
    pub fn new<F, Fut>(function: F) -> Self
    where
        F: Fn(Arc<Value>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, String>> + Send + 'static,
    {
        Self(Arc::new(move |input| Box::pin(function(input))))
    }

    /// Call it; a panic inside becomes an error of the hook.
    pub(super) async fn call(&self, input: Arc<Value>) -> Result<Value, String> {
        let started = std::panic::catch_unwind(AssertUnwindSafe(|| (self.0)(input)));
        let answer = match started {
            Ok(future) => AssertUnwindSafe(future).catch_unwind().await,
            Err(panic) => Err(panic),
        };
        answer.unwrap_or_else(|panic| Err(format!("the callback panicked: {}", panic_text(panic.as_ref()))))
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("?")
}

/// The functions of one runner by id.
pub type Callbacks = HashMap<String, Callback>;
