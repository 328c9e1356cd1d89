//! A verdict while it is made, beside the facts that only one host has. Reports get these as JSON; nobody reads them back.

use std::ops::{Deref, DerefMut};

use serde::Serialize;

use crate::model::Verdict;

#[derive(Default)]
pub struct Draft<H> {
    verdict: Verdict,
    /// The host's own; they become the verdict's `host` at the end.
    pub facts: H,
}

impl<H: Serialize> Draft<H> {
    pub fn finish(self) -> Verdict {
        let host = serde_json::to_value(self.facts).ok().and_then(|v| v.as_object().cloned());
        Verdict { host: host.unwrap_or_default(), ..self.verdict }
    }
}

impl<H> Deref for Draft<H> {
    type Target = Verdict;

    fn deref(&self) -> &Verdict {
        &self.verdict
    }
}

impl<H> DerefMut for Draft<H> {
    fn deref_mut(&mut self) -> &mut Verdict {
        &mut self.verdict
    }
}
