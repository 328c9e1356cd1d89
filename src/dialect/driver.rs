//! One firing while it runs: who waits, who runs again, what is handed on, and what ended it.
//!
//! The engine's whole loop is: start what `ready` gives, wait for one run to end, hand it to `ended`, repeat until
//! nothing is ready and nothing runs. What differs between hosts is asked of their [`Rules`].

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::profile::Concurrency;
use super::rules::{Done, Rules};
use crate::model::{End, Gate, GateKind, Launch, Next, Plan, Reading, RunEnd, Verdict};

/// A [`Driver`] without the types of its host, for the engine to hold.
pub trait FiringDriver: Send {
    /// The runs that may start now. Empty while everything has to wait, and when all is done.
    fn ready(&mut self) -> Vec<Launch>;

    /// A run ended: what it means, and what follows.
    fn ended(&mut self, end: &RunEnd) -> (Reading, Next);

    /// Why planned hooks were never asked for.
    fn halted(&self) -> Option<Gate>;

    /// The merged result.
    fn verdict(&self) -> Verdict;
}

/// The state of one firing under the rules of one host.
pub struct Driver<R: Rules> {
    rules: R,
    plan: Arc<Plan>,
    concurrency: Concurrency,
    waiting: VecDeque<Turn>,
    running: usize,
    carried: R::Carried,
    done: Vec<Done<R::Answer>>,
    halted: Option<String>,
}

/// A run that waits for its start.
struct Turn {
    hook: usize,
    phase: u32,
    limit: Option<Duration>,
}

impl<R: Rules> Driver<R> {
    /// All hooks of `plan` that run, waiting for their start.
    pub fn new(plan: Arc<Plan>, concurrency: Concurrency, rules: R) -> Self {
        Self {
            waiting: plan.running().map(|hook| Turn { hook, phase: 0, limit: None }).collect(),
            carried: rules.start(),
            rules,
            plan,
            concurrency,
            running: 0,
            done: Vec::new(),
            halted: None,
        }
    }

    fn launch(&mut self, turn: &Turn) -> Launch {
        self.running += 1;
        let (job, mut limit) = self.rules.launch(turn.hook, &self.carried);
        limit.own = turn.limit.or(limit.own);
        Launch { hook: turn.hook, phase: turn.phase, job, limit }
    }
}

impl<R: Rules> FiringDriver for Driver<R> {
    fn ready(&mut self) -> Vec<Launch> {
        let count = match self.concurrency {
            _ if self.halted.is_some() => 0,
            Concurrency::Parallel => self.waiting.len(),
            Concurrency::Sequential => self.waiting.len().min(1usize.saturating_sub(self.running)),
        };
        let turns: Vec<Turn> = self.waiting.drain(..count).collect();
        turns.iter().map(|turn| self.launch(turn)).collect()
    }

    fn ended(&mut self, end: &RunEnd) -> (Reading, Next) {
        self.running = self.running.saturating_sub(1);
        let (reading, answer) = self.rules.read(end);
        let next = if end.end == End::Cancelled {
            Next::Halt(format!("the firing was cancelled while `{}` ran", self.plan.hook(end.hook).label))
        } else {
            self.rules.next(end.hook, &reading, &answer)
        };
        match &next {
            Next::Go | Next::EndOthers => {}
            Next::Again(limit) => {
                self.waiting.push_front(Turn { hook: end.hook, phase: end.phase + 1, limit: Some(*limit) });
            }
            Next::Halt(why) => self.halted = Some(why.clone()),
        }
        self.rules.carry(&mut self.carried, &answer);
        self.done.push(Done { hook: end.hook, answer });
        (reading, next)
    }

    fn halted(&self) -> Option<Gate> {
        self.halted.as_ref().map(|why| Gate::new(GateKind::Halted, why.clone()))
    }

    fn verdict(&self) -> Verdict {
        self.rules.merge(&self.done, &self.carried)
    }
}
