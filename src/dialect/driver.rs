//! One firing while it runs: who waits, who runs again, what is handed on, and what ended it.
//!
//! The engine's whole loop is: start what `ready` gives, wait for one run to end, hand it to `ended`, repeat until
//! nothing is ready and nothing runs. What differs between hosts is asked of their [`Rules`].

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::profile::{Concurrency, InputChain, Profile, ShortCircuit};
use super::rules::{Done, FiringInput, Rules};
use crate::model::{End, Gate, GateKind, Launch, Next, Plan, Reading, RunEnd, Verdict};

/// A [`Driver`] without the types of its host, for the engine to hold.
pub trait FiringDriver: Send {
    /// The runs that may start now. Empty while everything has to wait, and when all is done.
    fn ready(&mut self) -> Vec<Launch>;

    /// A run ended: what it means, and what follows.
    fn ended(&mut self, end: &RunEnd) -> (Reading, Next);

    fn halted(&self) -> Option<Gate>;

    fn verdict(&self) -> Verdict;
}

/// A driver for `input` under the rules that `make` gives.
pub fn driver<R: Rules + 'static>(
    input: FiringInput,
    profile: Arc<Profile>,
    make: fn(FiringInput, Arc<Profile>) -> R,
) -> Box<dyn FiringDriver> {
    let plan = Arc::clone(&input.plan);
    Box::new(Driver::new(plan, Arc::clone(&profile), make(input, profile)))
}

/// The state of one firing under the rules of one host.
pub struct Driver<R: Rules> {
    rules: R,
    profile: Arc<Profile>,
    plan: Arc<Plan>,
    waiting: VecDeque<Turn>,
    running: usize,
    carried: R::Carried,
    done: Vec<Done<R::Answer>>,
    halted: Option<String>,
}

struct Turn {
    hook: usize,
    phase: u32,
    limit: Option<Duration>,
}

impl<R: Rules> Driver<R> {
    /// All hooks of `plan` that run, waiting for their start.
    pub fn new(plan: Arc<Plan>, profile: Arc<Profile>, rules: R) -> Self {
        Self {
            waiting: plan.running().map(|hook| Turn { hook, phase: 0, limit: None }).collect(),
            carried: rules.start(),
            rules,
            plan,
            profile,
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
        let count = match self.profile.concurrency {
            _ if self.halted.is_some() => 0,
            Concurrency::Parallel | Concurrency::ParallelUnlessAsked => self.waiting.len(),
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
            match self.rules.next(end.hook, &reading, &answer) {
                Next::Halt(_) if self.profile.short_circuit == ShortCircuit::Never => Next::Go,
                next => next,
            }
        };
        match &next {
            Next::Go | Next::EndOthers => {}
            Next::Again(limit) => {
                self.waiting.push_front(Turn { hook: end.hook, phase: end.phase + 1, limit: Some(*limit) });
            }
            Next::Halt(why) => self.halted = Some(why.clone()),
        }
        if self.profile.input_chain == InputChain::Changed {
            self.rules.carry(&mut self.carried, &answer);
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diag::Source;
    use crate::dialect::registry;
    use crate::model::{Answer, AnswerKind, Captured, Job, Limit, PlanEntry, RunOutcome, StdinUse};

    /// Says `go`, `again` or `halt` when a run ends with exit 0, 1 or 2, and hands on how many ended before.
    struct Toy;

    impl Rules for Toy {
        type Answer = i32;
        type Carried = usize;

        fn start(&self) -> usize {
            0
        }

        fn launch(&self, _hook: usize, ended: &usize) -> (Job, Limit) {
            (Job::Stub(Ok(json!(ended))), Limit::default())
        }

        fn read(&self, end: &RunEnd) -> (Reading, i32) {
            let code = if let End::Exited(code) = end.end { code } else { -1 };
            let answer = Answer::of(AnswerKind::Empty);
            (Reading { outcome: RunOutcome::Success, answer, says: String::new() }, code)
        }

        fn next(&self, _hook: usize, _reading: &Reading, code: &i32) -> Next {
            match code {
                1 => Next::Again(Duration::from_secs(1)),
                2 => Next::Halt("it said so".into()),
                _ => Next::Go,
            }
        }

        fn carry(&self, ended: &mut usize, _code: &i32) {
            *ended += 1;
        }

        fn merge(&self, done: &[Done<i32>], ended: &usize) -> Verdict {
            let order: Vec<usize> = done.iter().map(|d| d.hook).collect();
            Verdict { rule: format!("{ended} ended: {order:?}"), ..Verdict::default() }
        }
    }

    fn driver(hooks: usize, concurrency: Concurrency) -> Driver<Toy> {
        let commands: Vec<String> = (0..hooks).map(|i| format!("h{i}")).collect();
        let settings = json!({"hooks": {"PreToolUse": commands}}).to_string();
        let host = registry::find("claw").unwrap();
        let loaded = host.load(&[Source::new("settings.json", "project", settings)]).unwrap();
        let entry = |hook: &_| PlanEntry { hook: Arc::clone(hook), gate: None };
        let entries = loaded.hooks.hooks.iter().map(entry).collect();
        let (short_circuit, input_chain) = (ShortCircuit::OnStop, InputChain::Changed);
        let profile = Profile { concurrency, short_circuit, input_chain, ..Profile::default() };
        Driver::new(Arc::new(Plan { entries }), profile.into(), Toy)
    }

    fn ready(driver: &mut Driver<Toy>) -> Vec<(usize, u32)> {
        driver.ready().iter().map(|l| (l.hook, l.phase)).collect()
    }

    fn end(hook: usize, phase: u32, end: End) -> RunEnd {
        RunEnd {
            hook,
            phase,
            end,
            stdout: Captured::default(),
            stderr: Captured::default(),
            stdin: StdinUse { written: 0, total: 0, refused: false },
            started_ms: 0.0,
            duration_ms: 0.0,
            late_bytes: 0,
            drain_ms: 0.0,
            leftovers: Vec::new(),
            diagnosis: None,
            note: None,
        }
    }

    #[test]
    fn one_after_another_hands_on_and_runs_again_before_the_next() {
        let mut driver = driver(2, Concurrency::Sequential);
        assert_eq!(ready(&mut driver), [(0, 0)]);
        assert_eq!(ready(&mut driver), [], "the first still runs");
        driver.ended(&end(0, 0, End::Exited(1)));
        let again = driver.ready();
        assert_eq!((again[0].hook, again[0].phase, again[0].limit.own), (0, 1, Some(Duration::from_secs(1))));
        assert!(matches!(&again[0].job, Job::Stub(Ok(n)) if *n == json!(1)), "what was carried reaches the next run");
        driver.ended(&end(0, 1, End::Exited(0)));
        assert_eq!(ready(&mut driver), [(1, 0)]);
        assert_eq!(driver.halted(), None);
    }

    #[test]
    fn all_at_once_merges_in_the_order_of_finishing() {
        let mut driver = driver(3, Concurrency::Parallel);
        assert_eq!(ready(&mut driver), [(0, 0), (1, 0), (2, 0)]);
        for hook in [2, 0, 1] {
            driver.ended(&end(hook, 0, End::Exited(0)));
        }
        assert_eq!(driver.verdict().rule, "3 ended: [2, 0, 1]");
    }

    #[test]
    fn what_ends_a_firing_and_what_is_handed_on_are_columns() {
        let mut driver = driver(2, Concurrency::Sequential);
        driver.profile = Arc::new(Profile::default());
        ready(&mut driver);
        assert_eq!(driver.ended(&end(0, 0, End::Exited(2))).1, Next::Go);
        let next = driver.ready();
        assert!(matches!(&next[0].job, Job::Stub(Ok(n)) if *n == json!(0)), "nothing was handed on");
    }

    #[test]
    fn a_halt_and_a_cancelled_run_keep_the_rest_from_starting() {
        let cases = [(End::Exited(2), "it said so"), (End::Cancelled, "the firing was cancelled while `h0` ran")];
        for (how, why) in cases {
            let mut driver = driver(2, Concurrency::Sequential);
            ready(&mut driver);
            driver.ended(&end(0, 0, how));
            assert_eq!((ready(&mut driver).len(), driver.halted().unwrap().why.as_str()), (0, why));
        }
    }
}
