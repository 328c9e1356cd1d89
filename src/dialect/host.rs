//! A host as everybody else holds it: its profile, and the few functions that can't be values.

use std::sync::Arc;

use super::{Dialect, FiringDriver, FiringInput, LoadResult, Profile};
use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, GateKind, Hook, Payload};

/// What a host's folder gives to the rest of the program; each function is the [`Dialect`] method of its name.
#[derive(Debug)]
pub struct Host {
    /// The rules that are meant where no version is named.
    pub profile: fn() -> Profile,
    pub detects: fn(&Source) -> bool,
    pub load: fn(&[Source], &Profile) -> Result<LoadResult, Box<Diagnostic>>,
    /// Why a hook does not run that is configured under another event, from the names of both.
    pub elsewhere: fn(&str, &str) -> String,
    /// The gates of hooks that are configured under the event.
    pub gate: fn(&Hook, &Payload, &Profile) -> Option<Gate>,
    pub driver: fn(FiringInput, Arc<Profile>) -> Box<dyn FiringDriver>,
    pub at: fn(&str) -> Option<Profile>,
}

/// Why a hook that is configured under another event does not run, as most hosts say it.
pub fn elsewhere(configured: &str, event: &str) -> String {
    format!("it is configured under {configured}, and this event is {event}")
}

/// A host under the rules of one profile.
#[derive(Debug)]
struct HostAt {
    host: &'static Host,
    profile: Arc<Profile>,
}

impl Host {
    /// The host under the rules that are meant where no version is named.
    pub fn dialect(&'static self) -> Arc<dyn Dialect> {
        Arc::new(HostAt { host: self, profile: (self.profile)().into() })
    }
}

impl Dialect for HostAt {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn with(&self, profile: Profile) -> Arc<dyn Dialect> {
        Arc::new(Self { host: self.host, profile: profile.into() })
    }

    fn detects(&self, source: &Source) -> bool {
        (self.host.detects)(source)
    }

    fn load(&self, sources: &[Source]) -> Result<LoadResult, Box<Diagnostic>> {
        (self.host.load)(sources, &self.profile)
    }

    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        if hook.event != payload.event {
            return Some(Gate::new(GateKind::Event, (self.host.elsewhere)(&hook.event, &payload.event)));
        }
        (self.host.gate)(hook, payload, &self.profile)
    }

    fn driver(&self, input: FiringInput) -> Box<dyn FiringDriver> {
        (self.host.driver)(input, Arc::clone(&self.profile))
    }

    fn at(&self, version: &str) -> Option<Arc<dyn Dialect>> {
        (self.host.at)(version).map(|profile| self.with(profile))
    }
}
