//! One claude firing: every matching hook starts at once; what is run for each, and who may end the others.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::environment;
use super::merge::ClaudeMerge;
use super::policy::dedupe_key;
use super::reading::Reader;
use super::result::ClaudeResult;
use super::stdin::Stdin;
use crate::dialect::event::{FirstBlock, Limits};
use crate::dialect::job::job;
use crate::dialect::{Done, EventRow, FiringInput, Profile, Rules};
use crate::model::{Background, GateKind, Handler, Hook, Job, Limit, Next, Plan, Reading, RunEnd, RunOutcome, Verdict};

/// From TERM to KILL.
const GRACE: Duration = Duration::from_millis(1500);

pub struct ClaudeRules {
    input: FiringInput,
    profile: Arc<Profile>,
    row: EventRow,
    stdin: Stdin,
    /// Where among the hooks that run each one is, and the reply it was given if a model judges it.
    places: HashMap<usize, (usize, Option<Value>)>,
    /// Hooks that have duplicates, with the options of their last one.
    doubled: HashMap<usize, Arc<Hook>>,
}

impl ClaudeRules {
    pub fn new(input: FiringInput, profile: Arc<Profile>) -> Self {
        Self {
            row: profile.row(&input.payload.event),
            stdin: Stdin::of(&input.payload, &profile),
            places: places(&input),
            doubled: doubled(&input.plan),
            profile,
            input,
        }
    }

    /// The hook as the host runs it: its own place, the options of its last duplicate.
    fn hook(&self, index: usize) -> &Arc<Hook> {
        self.doubled.get(&index).unwrap_or_else(|| &self.input.plan.entries[index].hook)
    }

    fn merging(&self) -> ClaudeMerge<'_> {
        ClaudeMerge { payload: &self.input.payload, host: &self.input.host, row: &self.row, profile: &self.profile }
    }

    /// What to run for `hook`, the `place`-th that runs, with the reply it was given.
    fn job(&self, hook: &Hook, place: usize, reply: Option<&Value>) -> Job {
        if let Handler::Http { url, headers, variables } = &hook.handler {
            let (url, headers, allowed) = (url.clone(), headers.clone(), variables.clone());
            return Job::Http { url, headers, allowed, body: self.stdin.body.clone() };
        }
        if hook.handler.asks().is_some() {
            let missing = || "it asks a model; give the model's reply with --reply".to_string();
            return Job::Stub(reply.cloned().ok_or_else(missing));
        }
        if let Some(why) = environment::refusal(hook) {
            return Job::Stub(Err(why));
        }
        if let Handler::PowerShell { command } = &hook.handler {
            let command = environment::for_powershell(command);
            let argv = vec!["pwsh".into(), "-NoProfile".into(), "-NonInteractive".into(), "-Command".into(), command];
            return self.process(&Handler::Exec { argv }, hook, place);
        }
        let known = environment::placeholders(hook, &self.input);
        let handler = match &hook.handler {
            Handler::Exec { argv } => {
                Handler::Exec { argv: argv.iter().map(|a| environment::replace(a, &known)).collect() }
            }
            Handler::Shell { command } => {
                let command = environment::replace(command, &known);
                match self.input.host.variable("CLAUDE_CODE_SHELL_PREFIX") {
                    // The prefix is taken as one word.
                    Some(prefix) => {
                        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
                        Handler::Shell { command: format!("{} {}", quoted(prefix), quoted(&command)) }
                    }
                    None => Handler::Shell { command },
                }
            }
            other => other.clone(),
        };
        self.process(&handler, hook, place)
    }

    fn process(&self, handler: &Handler, hook: &Hook, place: usize) -> Job {
        let mut env = environment::common(&self.input, &self.profile);
        if environment::plugin_root(hook).is_some() {
            let own = environment::placeholders(hook, &self.input).into_iter().skip(1);
            env.extend(own.map(|(name, value)| (name.to_string(), value)));
        }
        let mut made = job(handler, self.profile.shell, &self.stdin.bytes, &self.stdin.value, env);
        if let Job::Process(process) = &mut made {
            process.removed_env = environment::WITHOUT.to_vec();
            process.note = environment::note(&self.row, place);
        }
        made
    }

    /// A hook that runs in the background has no limit, unless it may wake the agent; the end of a session has one for all.
    fn limit(&self, hook: &Hook) -> Limit {
        let given = self.input.host.variable("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS");
        let given = given.and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
        let shared = given.or(hook.timeout).filter(|_| matches!(self.row.limit, Limits::Shared(_))).map(|b| (0, b));
        let own = hook.timeout.filter(|_| shared.is_none() && hook.options.background != Background::Detached);
        Limit { group: shared, own, grace: Some(GRACE) }
    }
}

/// The place of each hook that runs, and its reply: replies are taken in the order of the hooks that ask for one.
fn places(input: &FiringInput) -> HashMap<usize, (usize, Option<Value>)> {
    let mut replies = input.host.replies.iter().cloned();
    let asks = |hook: &Hook| hook.handler.asks().is_some();
    let running = input.plan.running().enumerate();
    running.map(|(place, i)| (i, (place, asks(input.plan.hook(i)).then(|| replies.next()).flatten()))).collect()
}

fn doubled(plan: &Plan) -> HashMap<usize, Arc<Hook>> {
    let duplicates = plan.entries.iter().filter(|e| e.gate.as_ref().is_some_and(|g| g.gate == GateKind::Duplicate));
    let last: HashMap<_, &Hook> = duplicates.map(|e| (dedupe_key(&e.hook), e.hook.as_ref())).collect();
    let with_options = |index: usize| {
        let (hook, last) = (plan.hook(index), last.get(&dedupe_key(plan.hook(index)))?);
        let (handler, options) = (last.handler.clone(), last.options.clone());
        let hook = Hook { timeout: last.timeout, handler, options, ..hook.clone() };
        Some((index, Arc::new(hook)))
    };
    plan.running().filter_map(with_options).collect()
}

impl Rules for ClaudeRules {
    type Answer = ClaudeResult;
    type Carried = ();

    fn start(&self) {}

    fn launch(&self, hook: usize, (): &()) -> (Job, Limit) {
        let (place, reply) = self.places.get(&hook).map_or((0, None), |(place, reply)| (*place, reply.as_ref()));
        let hook = self.hook(hook);
        (self.job(hook, place, reply), self.limit(hook))
    }

    fn read(&self, end: &RunEnd) -> (Reading, ClaudeResult) {
        let reader = Reader { row: &self.row, profile: &self.profile, merge: self.merging() };
        reader.read(end, self.hook(end.hook))
    }

    fn next(&self, _hook: usize, reading: &Reading, _result: &ClaudeResult) -> Next {
        // The first block of a prompt decides at once; slower hooks are ended.
        let ends_others = reading.outcome == RunOutcome::Blocked && self.row.first_block == FirstBlock::EndsOthers;
        if ends_others { Next::EndOthers } else { Next::Go }
    }

    fn merge(&self, done: &[Done<ClaudeResult>], (): &()) -> Verdict {
        let mut verdict = self.merging().verdict(done);
        verdict.warnings.extend(self.row.unverified.map(|u| format!("not established: {u}")));
        verdict
    }
}
