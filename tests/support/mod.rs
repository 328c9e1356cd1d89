//! A test rig: a dialect without rules that runs exactly the given invocations, in a row or all at once.
#![allow(dead_code, reason = "each test program uses its own part of the rig")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookdbg::diag::{Diagnostic, Source};
use hookdbg::dialect::{
    Concurrency, Dialect, Done, Driver, FiringDriver, FiringInput, LoadResult, Profile, Rules, ShortCircuit,
};
use hookdbg::engine::{EngineOptions, EventSink, EventStream, Firing, Request, RunRecord, Runner};
use hookdbg::model::{
    Answer, AnswerKind, Gate, Handler, Hook, HookSet, Invocation, Job, Limit, Next, Payload, Reading, RunEnd,
    RunOutcome, Verdict,
};
use serde_json::Map;

/// How the rig runs its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    InARow,
    Together,
}

/// What one hook of the rig runs.
#[derive(Debug, Clone)]
pub struct Command {
    argv: Vec<String>,
    shell: Option<String>,
    stdin: Arc<[u8]>,
    timeout: Option<Duration>,
    cwd: Option<PathBuf>,
}

impl Command {
    /// Through `sh -c`.
    pub fn shell(line: impl Into<String>) -> Self {
        let line = line.into();
        Self {
            argv: vec!["sh".into(), "-c".into(), line.clone()],
            shell: Some(line),
            stdin: Arc::from(&b"{}"[..]),
            timeout: None,
            cwd: None,
        }
    }

    /// Without a shell.
    pub fn exec(argv: &[&str]) -> Self {
        Self { argv: argv.iter().map(|a| (*a).to_string()).collect(), shell: None, ..Self::shell("") }
    }

    /// One of the misbehaving hooks in tests/hooks with its arguments.
    pub fn hook(name: &str, args: &[&str]) -> Self {
        let words: Vec<String> = args.iter().map(|a| format!("'{a}'")).collect();
        Self::shell(format!("{} {}", hook_path(name), words.join(" ")))
    }

    pub fn stdin(mut self, bytes: impl Into<Arc<[u8]>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    pub fn timeout_ms(mut self, ms: u64) -> Self {
        self.timeout = Some(Duration::from_millis(ms));
        self
    }

    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }
}

/// The path of a hook in tests/hooks.
pub fn hook_path(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hooks").join(name).display().to_string()
}

/// The dialect without rules.
#[derive(Debug, Clone)]
pub struct Rig {
    order: Order,
    commands: Vec<Command>,
}

impl Rules for Rig {
    type Answer = ();
    type Carried = ();

    fn start(&self) {}

    fn launch(&self, hook: usize, (): &()) -> (Job, Limit) {
        let command = &self.commands[hook];
        let process = Invocation {
            argv: command.argv.clone(),
            shell_command: command.shell.clone(),
            cwd: command.cwd.clone(),
            env: Vec::new(),
            removed_env: Vec::new(),
            note: None,
            stdin: command.stdin.clone(),
        };
        (Job::Process(process), Limit { own: command.timeout, ..Limit::default() })
    }

    fn read(&self, _end: &RunEnd) -> (Reading, ()) {
        let answer = Answer::of(AnswerKind::Text);
        (Reading { outcome: RunOutcome::Success, answer, says: String::new() }, ())
    }

    fn next(&self, _hook: usize, _reading: &Reading, (): &()) -> Next {
        Next::Go
    }

    fn merge(&self, _done: &[Done<()>], (): &()) -> Verdict {
        Verdict::default()
    }
}

impl Dialect for Rig {
    fn profile(&self) -> &Profile {
        static PROFILE: std::sync::LazyLock<Profile> =
            std::sync::LazyLock::new(|| Profile { name: "rig", about: "no rules", ..Profile::default() });
        &PROFILE
    }
    fn with(&self, _profile: Profile) -> Arc<dyn Dialect> {
        Arc::new(self.clone())
    }
    fn at(&self, _version: &str) -> Option<Arc<dyn Dialect>> {
        None
    }
    fn detects(&self, _source: &Source) -> bool {
        false
    }
    fn load(&self, _sources: &[Source]) -> Result<LoadResult, Box<Diagnostic>> {
        Ok(LoadResult::default())
    }
    fn gate(&self, _hook: &Hook, _payload: &Payload) -> Option<Gate> {
        None
    }
    fn driver(&self, input: FiringInput) -> Box<dyn FiringDriver> {
        let concurrency = match self.order {
            Order::InARow => Concurrency::Sequential,
            Order::Together => Concurrency::Parallel,
        };
        let profile = Profile { concurrency, short_circuit: ShortCircuit::OnStop, ..Profile::default() };
        Box::new(Driver::new(input.plan, profile.into(), self.clone()))
    }
}

/// A runner for `commands`.
pub fn runner(order: Order, commands: Vec<Command>, options: EngineOptions) -> Runner {
    let hooks = commands.iter().enumerate().map(|(index, command)| {
        let handler = Handler::Shell { command: command.argv.join(" ") };
        let hook = Hook::in_code("rig", handler, format!("rig-{index}"));
        Hook { host_id: format!("rig-{index}"), timeout: command.timeout, group: index, ..hook }
    });
    let mut set = HookSet::default();
    set.append(hooks.collect::<Vec<_>>());
    Runner::new(Arc::new(Rig { order, commands }), set, options)
}

/// A request for the rig with its events.
pub fn request() -> (Request, EventStream) {
    let (events, stream) = EventSink::channel();
    (Request { events, ..Request::new(Payload::new("rig", Map::new())) }, stream)
}

/// Run one command to its end with the default limits.
pub fn run(command: Command) -> RunRecord {
    run_with(command, EngineOptions::default())
}

/// Run one command to its end.
pub fn run_with(command: Command, options: EngineOptions) -> RunRecord {
    let firing = fire_all(Order::InARow, vec![command], options);
    firing.runs.into_iter().next().expect("one run")
}

/// Run several commands to their ends.
pub fn fire_all(order: Order, commands: Vec<Command>, options: EngineOptions) -> Firing {
    let runner = runner(order, commands, options);
    block_on(runner.fire(Request::new(Payload::new("rig", Map::new()))))
}

/// A runtime as the command line has it.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

/// The one record's end.
pub fn end(record: &RunRecord) -> &RunEnd {
    &record.last().end
}

/// Whether the process lives (a zombie does not).
pub fn alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !matches!(rest.trim_start().chars().next(), Some('Z' | 'X') | None))
}

/// Living processes of a session.
pub fn session_members(session: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("/proc");
    entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok().filter(|n| n.parse::<u32>().is_ok()))
        .filter(|pid| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, r)| r.split_whitespace().nth(3) == Some(session.trim()))
                && alive(pid)
        })
        .collect()
}

/// Wait until `condition` holds; fails after half a minute, which only a hang reaches.
pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "never happened: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The text of a file once it is there and not empty.
pub fn appears(file: &Path) -> String {
    eventually(&format!("{} appears", file.display()), || {
        std::fs::read_to_string(file).is_ok_and(|t| t.ends_with('\n'))
    });
    std::fs::read_to_string(file).expect("just seen").trim().to_string()
}
