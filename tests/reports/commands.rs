//! Reports of the program itself: every demo and every sample, through real processes, for people and as JSON.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use hookdbg::dialect::registry;
use hookdbg::settings::{SettingsFile, read};
use serde_json::{Value, json};

use crate::plain::{Plain, replaced};
use crate::snapshot::Snapshots;

/// What a command printed, and under which command and name it is kept.
struct Case {
    command: &'static str,
    name: String,
    human: String,
    json: Option<Value>,
}

/// Compare what the commands print about all demos and samples.
pub fn compare() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let samples = Stage::new(&package.join("sample-configs"), "sample");
    let demos: Vec<Stage> = registry::all()
        .iter()
        .map(|d| Stage::new(&package.join("assets/demo").join(d.profile().name), d.profile().name))
        .collect();
    let cases = std::thread::scope(|scope| {
        let demos: Vec<_> = demos.iter().map(|stage| scope.spawn(|| demo(stage))).collect();
        let mut cases: Vec<Case> = demos.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        cases.extend(samples.files().iter().flat_map(|file| sample(&samples, file)));
        cases
    });
    let mut out = Snapshots::default();
    for case in cases {
        out.add(&format!("{}.txt", case.command), &case.name, &case.human);
        if let Some(json) = case.json {
            out.add_json(case.command, &case.name, &samples.plain, &json);
        }
    }
    out.compare("commands");
}

/// A project directory, with a home and a state directory beside it.
struct Stage {
    dir: tempfile::TempDir,
    name: String,
    plain: Plain,
}

impl Stage {
    /// A copy of `from`.
    fn new(from: &Path, name: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        ["project", "home", "state"].iter().for_each(|d| fs::create_dir(dir.path().join(d)).unwrap());
        copy(from, &dir.path().join("project"));
        // The samples run the project's tests; what a real `make` prints differs from machine to machine.
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/bin"), &dir.path().join("home"));
        let plain = Plain::new(&dir.path().display().to_string());
        Self { dir, name: name.to_string(), plain }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("project").join(name)
    }

    /// Names of the files in the project, in order.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("")).unwrap().map(Result::unwrap);
        let files = entries.filter(|e| e.path().is_file());
        let mut names: Vec<String> = files.map(|e| e.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The case `name` of `command`: once for people and once as JSON, at the same time.
    fn case(&self, command: &'static str, name: &str, args: &[&str]) -> Case {
        let human = self.start(&[&[command], args].concat());
        let json = self.start(&[&[command], args, &["--format", "json"]].concat());
        let (human, json) = (self.printed(human), self.printed(json));
        let value = serde_json::from_str(&json.stdout).unwrap_or_else(|_| json!({"stderr": json.stderr}));
        Case { command, name: format!("{}/{name}", self.name), human: human.text(), json: Some(settled(value)) }
    }

    /// The plan. Of its JSON only hooks that run differ from that of the firing, so few cases keep it.
    fn why(&self, name: &str, args: &[&str]) -> Case {
        let case = self.case("why", name, args);
        Case { json: case.json.filter(|_| name.ends_with("/0")), ..case }
    }

    fn start(&self, args: &[&str]) -> Child {
        let (home, state) = (self.dir.path().join("home"), self.dir.path().join("state"));
        let path = format!("{}:{}", home.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookdbg"));
        command.args(args).current_dir(self.path("")).env_clear();
        command
            .env("HOME", home)
            .env("HOOKDBG_STATE_DIR", state)
            .env("PATH", path)
            .env("NO_COLOR", "1")
            .env("TZ", "UTC");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// What the process prints until its end, without the places of this run.
    fn printed(&self, child: Child) -> Printed {
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| self.plain.text(&String::from_utf8_lossy(bytes));
        Printed { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

struct Printed {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Printed {
    /// Exit code if it is not 0, standard output, standard error; measured times read `TIME`.
    fn text(&self) -> String {
        let mut text = without_times(&self.stdout);
        if self.code != Some(0) {
            let _ = writeln!(text, "exit code {:?}", self.code);
        }
        if !self.stderr.is_empty() {
            let _ = writeln!(text, "stderr: {}", without_times(&self.stderr));
        }
        text
    }
}

/// Every event of the demo planned and fired, its settings checked, all of it replayed and tested, and one call.
fn demo(stage: &Stage) -> Vec<Case> {
    let settings = stage.files().into_iter().find(|f| f.starts_with("settings.")).unwrap();
    let from = ["--dialect", &stage.name, settings.as_str()];
    let events: Vec<Value> = serde_json::from_slice(&fs::read(stage.path("payloads.json")).unwrap()).unwrap();
    std::thread::scope(|scope| {
        let tested = scope.spawn(|| tested(stage, &settings, &events));
        let replayed =
            scope.spawn(|| stage.case("replay", "demo", &[&from[..], &["--from", "payloads.json", "--yes"]].concat()));
        let compared = scope.spawn(|| compared(stage, &from));
        let mut cases = vec![stage.case("check", "demo", &from)];
        for (at, event) in events.iter().enumerate() {
            let file = format!("event-{at}.json");
            fs::write(stage.path(&file), event.to_string()).unwrap();
            let of_event = [&from[..], &["--payload", &file]].concat();
            cases.push(stage.why(&format!("demo/{at}"), &of_event));
            cases.push(stage.case("fire", &format!("demo/{at}"), &[&of_event[..], &["--yes"]].concat()));
        }
        let call = stage.printed(stage.start(&["payload", "call", "--dialect", &stage.name]));
        if call.code == Some(0) {
            fs::write(stage.path("call.json"), &call.stdout).unwrap();
            cases.push(stage.case("call", "demo", &[&from[..], &["--payload", "call.json", "--yes"]].concat()));
        }
        cases.push(replayed.join().unwrap());
        cases.extend(compared.join().unwrap());
        cases.extend(tested.join().unwrap());
        cases
    })
}

/// The demo's recording against what was recorded: as it was, and without the hook that decided its first event.
fn compared(stage: &Stage, from: &[&str]) -> [Case; 2] {
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/recordings/demo.jsonl");
    let lines = fs::read_to_string(&recording).unwrap();
    let mut recorded = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let first = recorded.find(|event| event["dialect"] == stage.name.as_str()).unwrap();
    let decider = first["outcome"]["decided_by"].as_str().unwrap();
    fs::write(stage.path("recorded.jsonl"), &lines).unwrap();
    let args = [from, &["--from", "recorded.jsonl", "--against-recorded", "--yes"]].concat();
    let without = [&args[..], &["--disable", decider]].concat();
    [stage.case("replay", "recorded", &args), stage.case("replay", "recorded-without-decider", &without)]
}

/// The events as cases with expectations that no report meets.
fn write_cases(stage: &Stage, settings: &str, events: &[Value]) {
    let expect = json!({"decision": "nonsense", "runs": ["nobody.sh"]});
    let of = |(at, event): (usize, &Value)| json!({"name": format!("event {at}"), "payload": event, "expect": expect});
    let cases: Vec<String> = events.iter().enumerate().map(|e| of(e).to_string()).collect();
    let dialect = settings.split('-').next().filter(|_| stage.name == "sample").unwrap_or(&stage.name);
    let head = format!("{{\"dialect\": \"{dialect}\", \"settings\": \"{settings}\", \"cases\": [");
    fs::write(stage.path("cases.json"), format!("{head}\n{}\n]}}\n", cases.join(",\n"))).unwrap();
}

/// The cases as they are written, and with what `--update` wrote instead.
fn tested(stage: &Stage, settings: &str, events: &[Value]) -> [Case; 2] {
    write_cases(stage, settings, events);
    let failed = stage.case("test", "demo", &["cases.json", "--yes"]);
    stage.printed(stage.start(&["test", "cases.json", "--yes", "--update"]));
    [failed, stage.case("test", "demo-updated", &["cases.json", "--yes"])]
}

/// A sample checked, and each event it has hooks for planned, fired, replayed and tested with the template of its host.
fn sample(stage: &Stage, file: &str) -> Vec<Case> {
    let settings = read(&[SettingsFile::parse(&stage.path(file).display().to_string())], None).unwrap();
    let events: BTreeSet<&str> = settings.hooks.hooks.iter().map(|h| h.event.as_str()).collect();
    let fired = events.iter().flat_map(|event| {
        let (name, args) = (format!("{file}/{event}"), [file, "--event", event]);
        [stage.why(&name, &args), stage.case("fire", &name, &[&args[..], &["--yes"]].concat())]
    });
    let dialect = &settings.dialect;
    let payloads = events.iter().filter_map(|event| {
        let profile = dialect.profile();
        let mut payload = profile.template(profile.event(event)?);
        payload[profile.event_field] = (*event).into();
        Some(payload)
    });
    let payloads: Vec<Value> = payloads.collect();
    fs::write(stage.path("events.json"), Value::from(payloads.clone()).to_string()).unwrap();
    write_cases(stage, file, &payloads);
    let from = [file, "--from", "events.json", "--yes"];
    let of_all = [
        stage.case("check", file, &[file]),
        stage.case("replay", file, &from),
        stage.case("test", file, &["cases.json", "--yes"]),
    ];
    of_all.into_iter().chain(fired).collect()
}

/// Measured times have a unit and, except in milliseconds, a fraction. The table of a replay is sorted by them; here it
/// is sorted by name, and does not say which event was slowest.
fn without_times(text: &str) -> String {
    let text = replaced(text, r" *\d+(\.\d+)? ms\b| *\d+\.\d+ s\b", " TIME");
    let text = replaced(&text, r" TIME TIME TIME  \S+", " TIME TIME TIME");
    let mut lines: Vec<&str> = text.lines().collect();
    lines.chunk_by_mut(|a, b| a.ends_with("TIME TIME") && b.ends_with("TIME TIME")).for_each(<[_]>::sort_unstable);
    lines.into_iter().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// `value` without what depends on who was faster, and without hooks of other events, which the plans show.
fn settled(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.remove("finish_order");
            map.values_mut().for_each(|v| *v = settled(v.take()));
        }
        Value::Array(items) => {
            items.retain(|v| v["gate"]["gate"] != "event");
            items.iter_mut().for_each(|v| *v = settled(v.take()));
            // Of a replay: sorted by time.
            items.sort_by_key(|v| v["hook"].as_str().map(str::to_string));
        }
        _ => {}
    }
    value
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
