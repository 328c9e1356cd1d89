//! The command line as its users meet it: exit codes, messages with positions, formats, consent.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test program")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A project directory with the demo's hooks in it.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/goat"), dir.path());
        Self(dir)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        fs::write(self.0.path().join(name), text).unwrap();
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookdbg"));
        command.args(args).current_dir(self.0.path()).env_remove("HOOKDBG_TRUST").env_remove("NO_COLOR");
        command.env("HOOKDBG_STATE_DIR", self.0.path().join("state")).env("HOME", self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn feed(&self, args: &[&str], stdin: &str) -> Output {
        let mut command = self.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
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

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {} {}", stdout(output), stderr(output)))
}

fn schema() -> jsonschema::Validator {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/schema/report.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

fn assert_valid(report: &Value) {
    let errors: Vec<_> = schema().iter_errors(report).map(|e| format!("{} at {}", e, e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

const RM: &str =
    r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"},"tool_use_id":"t"}"#;

#[test]
fn without_arguments_the_demo_explains_a_denial() {
    let output = Project::new().run(&[]);
    assert!(output.status.success());
    for part in ["✗ guard.sh", "blocked", "DENY  rm -rf is not allowed here", "decided by  guard.sh", "model sees"] {
        assert!(stdout(&output).contains(part), "{part}: {}", stdout(&output));
    }
}

#[test]
fn fire_prints_a_report_of_the_documented_shape() {
    let project = Project::new();
    let output = project.feed(&["fire", "settings.json", "--payload", "-", "--yes", "--format", "json"], RM);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = json(&output);
    assert_valid(&report);
    assert_eq!(report["verdict"]["decision"], "deny");
    assert_eq!(report["verdict"]["decided_by"], "guard.sh");
    assert_eq!(report["hooks"][0]["run"]["outcome"], "blocked");
    assert_eq!(report["hooks"][0]["source"]["line"], 12);
    assert_eq!(report["hooks"][2]["gate"]["gate"], "matcher");
    assert!(report["hooks"][0]["run"]["stdin"].as_str().unwrap().contains("\"session_id\":\"demo-1\""));
}

#[test]
fn every_demo_event_gives_a_valid_report() {
    let project = Project::new();
    let events: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(project.0.path().join("payloads.json")).unwrap()).unwrap();
    for event in events {
        let output =
            project.feed(&["fire", "settings.json", "--payload", "-", "--yes", "--format", "json"], &event.to_string());
        assert_valid(&json(&output));
    }
}

#[test]
fn call_runs_pre_hooks_the_recorded_tool_and_post_hooks() {
    let project = Project::new();
    let call = r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t","tool":{"output":"a\nb"}}"#;
    let output = project.feed(&["call", "settings.json", "--payload", "-", "--yes", "--format", "json"], call);
    let report = json(&output);
    assert_valid(&report);
    assert_eq!(report["tool"]["ran"], true);
    assert_eq!(report["post"]["event"], "PostToolUse");
    assert_eq!(report["result"]["text"], "a\nb");

    let denied = call.replace("\"ls\"", "\"rm -rf x\"");
    let report =
        json(&project.feed(&["call", "settings.json", "--payload", "-", "--yes", "--format", "json"], &denied));
    assert_valid(&report);
    assert_eq!(report["post"], Value::Null);
    assert_eq!(report["result"]["text"], "Error: rm -rf is not allowed here");
}

#[test]
fn why_runs_nothing_and_names_the_first_gate() {
    let project = Project::new();
    project.write(
        "s.json",
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash|Edit","commands":["touch ran"]},{"commands":["touch ran"]}]}}"#,
    );
    let output = project.run(&["why", "s.json", "--event", "PreToolUse", "--tool", "Edit", "--format", "json"]);
    let report = json(&output);
    assert_valid(&report);
    assert_eq!(report["hooks"][0]["state"], "skipped");
    assert!(report["hooks"][0]["gate"]["why"].as_str().unwrap().contains("no alternation"));
    assert_eq!(report["hooks"][1]["state"], "runs");
    assert!(!project.0.path().join("ran").exists());
}

#[test]
fn jsonl_streams_the_lifecycle_and_ends_with_the_report() {
    let project = Project::new();
    let output = project.feed(&["fire", "settings.json", "--payload", "-", "--yes", "--format", "jsonl"], RM);
    let lines: Vec<Value> = stdout(&output).lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let types: Vec<_> = lines.iter().map(|l| l["type"].as_str().unwrap_or("report")).collect();
    assert_eq!(
        types,
        [
            "firing_started", "hook_started", "hook_progress", "hook_response", "hook_started", "hook_progress",
            "hook_progress", "hook_response", "firing_finished", "report"
        ]
    );
    assert_valid(lines.last().unwrap());
}

#[test]
fn toggles_switch_hooks_by_name_and_by_pattern() {
    let project = Project::new();
    let outcome = |extra: &[&str]| {
        let args = [&["fire", "settings.json", "--payload", "-", "--yes", "--format", "json"], extra].concat();
        json(&project.feed(&args, RM))
    };
    let off = outcome(&["--disable", "guard.sh"]);
    assert_eq!(off["verdict"]["decision"], "ask");
    assert_eq!(off["hooks"][0]["gate"]["gate"], "disabled");
    assert_eq!(outcome(&["--only", "guard*"])["hooks"][1]["state"], "skipped");
    assert_eq!(outcome(&["--disable", "*", "--enable", "guard.sh"])["verdict"]["decision"], "deny");
    let wrong = project.feed(&["fire", "settings.json", "--payload", "-", "--yes", "--disable", "gard.sh"], RM);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("did you mean `guard.sh`"), "{}", stderr(&wrong));
}

#[test]
fn an_agent_is_chosen_by_name() {
    let project = Project::new();
    let scope =
        |id: &str| format!(r#"{{"op":"register","id":"{id}","hooks":{{"Stop":[{{"commands":["echo {{}}"]}}]}}}}"#);
    project.write("s.json", format!(r#"{{"scoped":[{},{}]}}"#, scope("one"), scope("two")));
    let report = json(&project.run(&["why", "s.json", "--event", "Stop", "--agent", "two", "--format", "json"]));
    assert_eq!(report["hooks"][0]["gate"]["gate"], "policy");
    assert_eq!(report["hooks"][1]["state"], "runs");
    let wrong = project.run(&["why", "s.json", "--event", "Stop", "--agent", "tow"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("did you mean `two`"), "{}", stderr(&wrong));
}

#[test]
fn bad_input_is_one_message_with_its_place_and_exit_2() {
    let project = Project::new();
    project.write("broken.json", "{\n  \"hooks\": {\n    \"Stop\": [}\n}").write("binary.json", b"{\"hooks\":\xff}");
    project
        .write("list.json", "[1]")
        .write("nameless.json", "{\"tool_name\":\"Bash\"}")
        .write("other.json", "{\"a\":1}");
    project.write("marked.json", format!("\u{feff}{RM}"));
    for (args, part) in [
        (&["fire", "broken.json", "--event", "Stop"][..], "broken.json:3:14"),
        (&["fire", "binary.json", "--event", "Stop"], "byte 9 is 0xff"),
        (&["fire", "gone.json", "--event", "Stop"], "cannot read gone.json"),
        (&["fire", "other.json", "--event", "Stop"], "name it with --dialect"),
        (&["fire", "settings.json", "--event", "Stpo"], "did you mean `Stop`"),
        (&["fire", "settings.json", "--payload", "list.json"], "must be a JSON object, found a list"),
        (&["fire", "settings.json", "--payload", "broken.json"], "line 3 column 14"),
        (&["fire", "settings.json", "--payload", "nameless.json"], "does not name its event"),
        (&["fire", "settings.json", "--event", "Stop", "--dialect", "goad"], "did you mean `goat`"),
        (&["fire", "settings.json"], "--payload FILE"),
        (&["payload", "PreToolUs"], "did you mean `PreToolUse`"),
        (&["call", "settings.json", "--payload", "other.json"], "tool_name"),
        (&["fire", "--event", "Stop", "--project", "state"], "no settings found"),
        (&["fire", "settings.json", "--nonsense"], "unexpected argument"),
        (
            &["fire", "settings.json", "--event", "Stop", "--host", r#"{"interactiv":true}"#],
            "did you mean `interactive`",
        ),
        (&["fire", "settings.json", "--event", "Stop", "--host", r#"{"interactive":1}"#], "--host: `interactive`: "),
    ] {
        let output = project.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(stderr(&output).contains(part), "{args:?}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "{args:?}");
    }
    // A byte order mark before the payload is forgiven: it is ours to read, not a hook's.
    assert_eq!(project.run(&["why", "settings.json", "--payload", "marked.json"]).status.code(), Some(0));
}

#[test]
fn a_broken_entry_is_shown_and_the_healthy_ones_run() {
    let project = Project::new();
    project.write("s.json", "{\"hooks\":{\"Stop\":[{\"commands\":7},\n{\"commands\":[\"echo {}\"]}],\"Stopp\":[]}}");
    let output = project.run(&["fire", "s.json", "--event", "Stop", "--yes", "--format", "json"]);
    let report = json(&output);
    assert_valid(&report);
    assert_eq!(report["hooks"][0]["run"]["outcome"], "success");
    let ids: Vec<_> = report["diagnostics"].as_array().unwrap().iter().map(|d| d["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["wrong-type", "unknown-event"]);
    let human = stdout(&project.run(&["fire", "s.json", "--event", "Stop", "--yes"]));
    assert!(human.contains("s.json:1:31") && human.contains('^'), "{human}");
}

#[test]
fn nothing_runs_without_consent() {
    let project = Project::new();
    project.write("s.json", r#"{"hooks":{"Stop":[{"commands":["touch ran; echo {}"]}]}}"#);
    let refused = project.run(&["fire", "s.json", "--event", "Stop"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--yes"), "{}", stderr(&refused));
    assert!(!project.0.path().join("ran").exists());
    let trusted = project.command(&["fire", "s.json", "--event", "Stop"]).env("HOOKDBG_TRUST", "1").output().unwrap();
    assert!(trusted.status.success() && project.0.path().join("ran").exists());
    // Stubs run nobody's program, so they need no consent.
    project.write("stub.json", r#"{"hooks":{"Stop":[{"hooks":[{"name":"s","output":{"continue":true}}]}]}}"#);
    let stub = project.run(&["fire", "stub.json", "--event", "Stop"]);
    assert!(stdout(&stub).contains("GOES ON"), "{}", stdout(&stub));
}

#[test]
fn exit_code_tells_a_block_only_when_asked() {
    let project = Project::new();
    let code = |extra: &[&str]| {
        let args = [&["fire", "settings.json", "--payload", "-", "--yes"], extra].concat();
        project.feed(&args, RM).status.code()
    };
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--exit-code"]), Some(1));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let project = Project::new();
    let mut child = project.command(&["events"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn colour_is_only_for_terminals_and_only_on_request_elsewhere() {
    let project = Project::new();
    let shown = |args: &[&str]| stdout(&project.run(args));
    assert!(!shown(&[]).contains('\u{1b}'));
    assert!(shown(&["--color", "always"]).contains('\u{1b}'));
    let hook = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hooks/paints.sh");
    project.write("s.json", format!(r#"{{"hooks":{{"Stop":[{{"commands":["{}"]}}]}}}}"#, hook.display()));
    let painted = shown(&["fire", "s.json", "--event", "Stop", "--yes"]);
    assert!(painted.contains("\\e[2J") && !painted.contains('\u{1b}'), "{painted}");
}

#[test]
fn settings_are_found_in_the_project() {
    let project = Project::new();
    let dir: PathBuf = project.0.path().join(".goat");
    fs::create_dir(&dir).unwrap();
    fs::copy(project.0.path().join("settings.json"), dir.join("hooks.json")).unwrap();
    let report = json(&project.run(&["why", "--event", "Stop", "--format", "json"]));
    assert_eq!(report["settings"][0]["layer"], "user");
    assert_eq!(report["dialect"], "goat");
}

#[test]
fn large_inputs_are_carried_and_non_utf8_output_is_survived() {
    let project = Project::new();
    project
        .write("s.json", r#"{"hooks":{"PreToolUse":[{"commands":["wc -c >&2; printf '\\377\\376' >&2; echo {}"]}]}}"#);
    let big =
        format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"{}"}}"#, "x".repeat(20 << 20));
    project.write("big.json", big);
    let report = json(&project.run(&["fire", "s.json", "--payload", "big.json", "--yes", "--format", "json"]));
    assert_valid(&report);
    let run = &report["hooks"][0]["run"];
    assert!(run["stderr"].as_str().unwrap().contains('\u{fffd}'));
    assert!(run["stdin_written"].as_u64().unwrap() > 20 << 20);

    let many: Vec<_> = (0..10_000).map(|i| format!(r#"{{"matcher":"m{i}","commands":["h{i}"]}}"#)).collect();
    project.write("many.json", format!(r#"{{"hooks":{{"PreToolUse":[{}]}}}}"#, many.join(",")));
    let output = project.run(&["why", "many.json", "--event", "PreToolUse", "--tool", "m77"]);
    assert!(stdout(&output).contains("1 hook would run"), "{}", stdout(&output));
    assert!(stdout(&output).lines().count() < 40);
}

/// A project with the demo of a dialect.
fn demo(dialect: &str) -> Project {
    let dir = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo").join(dialect), dir.path());
    Project(dir)
}

#[test]
fn every_dialect_is_detected_and_gives_valid_reports() {
    for (dialect, file) in [
        ("claude", "settings.json"),
        ("claw", "settings.json"),
        ("massgen", "settings.yaml"),
        ("armament", "settings.yaml"),
    ] {
        let project = demo(dialect);
        let events: Vec<Value> =
            serde_json::from_str(&fs::read_to_string(project.0.path().join("payloads.json")).unwrap()).unwrap();
        for (index, event) in events.iter().enumerate() {
            let output =
                project.feed(&["fire", file, "--payload", "-", "--yes", "--format", "json"], &event.to_string());
            let report = json(&output);
            assert_valid(&report);
            assert!(report["dialect"].as_str().unwrap().starts_with(dialect));
            let blocked = index == 0 || (dialect == "claw" && index == 3) || (dialect == "claude" && index == 7);
            assert_eq!(report["verdict"]["blocked"], blocked, "{dialect} {index}");
        }
        assert!(stdout(&project.run(&["events", "--dialect", dialect])).contains("hooks can"));
    }
}

#[test]
fn calls_of_claw_and_massgen_compose_the_result_as_the_host_does() {
    let call = r#"{"tool_name":"bash","tool_input":"{\"command\":\"ls\"}","tool":{"output":"a","is_error":false}}"#;
    let report =
        json(&demo("claw").feed(&["call", "settings.json", "--payload", "-", "--yes", "--format", "json"], call));
    assert_valid(&report);
    let expected = "a\n\nHook feedback:\nPrefer small steps.\n\nHook feedback:\nHook `./hooks/crashes.sh` exited with status 1; allowing tool execution to continue: cannot reach the linter";
    assert_eq!(report["result"]["text"], expected);

    let call = r#"{"tool_name":"Write","tool_input":{"path":"n"},"tool":{"output":"done","ok":true}}"#;
    let project = demo("massgen");
    let args = |agent: &'static str| {
        ["call", "settings.yaml", "--payload", "-", "--yes", "--format", "json", "--agent", agent]
    };
    let report = json(&project.feed(&args("agent_a"), call));
    assert_valid(&report);
    assert_eq!(report["result"]["text"], "done\nnote: lint found nothing");
    assert_eq!(report["pre"]["verdict"]["decision"], "ask");
    let report = json(&project.feed(&args("agent_b"), call));
    assert_eq!(report["result"]["text"], "done", "agent_b overrides the global hook with none");
    assert_eq!(report["post"]["hooks"][2]["gate"]["gate"], "policy");
}

#[test]
fn profiles_are_chosen_by_version() {
    let project = demo("claw");
    project.write("s.json", r#"{"hooks":{"PreToolUse":["echo broken; exit 1"]}}"#);
    let blocked = |dialect: &str| {
        let args = ["fire", "s.json", "--event", "PreToolUse", "--dialect", dialect, "--yes", "--format", "json"];
        let report = json(&project.run(&args));
        (report["dialect"].as_str().unwrap().to_string(), report["verdict"]["blocked"] == true)
    };
    assert_eq!(blocked("claw"), ("claw".into(), false));
    assert_eq!(blocked("claw@newest"), ("claw@newest".into(), true));
    let wrong = project.run(&["fire", "s.json", "--event", "PreToolUse", "--dialect", "claw@old"]);
    assert!(stderr(&wrong).contains("known: newest"), "{}", stderr(&wrong));
}

#[test]
fn a_claude_hook_that_asks_a_model_gets_its_reply_from_the_user() {
    let project = Project::new();
    project.write("s.json", r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"prompt","prompt":"is it safe?"}]}]}}"#);
    let base = ["fire", "s.json", "--event", "PreToolUse", "--yes", "--format", "json"];
    let without = json(&project.run(&base));
    assert!(without["hooks"][0]["run"]["says"].as_str().unwrap().contains("--reply"), "{without}");
    let report = json(&project.run(&[&base[..], &["--reply", r#"{"ok":false,"reason":"no"}"#]].concat()));
    assert_valid(&report);
    assert_eq!((&report["verdict"]["decision"], &report["verdict"]["reason"]), (&"deny".into(), &"no".into()));
    let wrong = project.run(&[&base[..], &["--reply", "{"]].concat());
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn without_host_state_the_interactive_program_is_meant_everywhere() {
    let project = Project::new();
    project.write("s.json", r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 127"}]}]}}"#);
    let base = ["fire", "s.json", "--event", "PreToolUse", "--yes", "--format", "json"];
    let says = |given: &[&str]| {
        let report = json(&project.run(&[&base[..], given].concat()));
        assert_valid(&report);
        let env = &report["hooks"][0]["run"]["env"];
        let unchecked = report["verdict"]["user_sees"].as_str().unwrap().contains("no usable answer");
        let attended = env["CLAUDE_CODE_SESSION_ATTENDED"].clone();
        (report["host"]["interactive"].clone(), attended, env["CLAUDE_CODE_ENTRYPOINT"].clone(), unchecked)
    };
    let interactive = (true.into(), "1".into(), "cli".into(), false);
    assert_eq!(says(&[]), interactive);
    assert_eq!(says(&["--host", r#"{"interactive":true}"#]), interactive);
    let headless = (false.into(), "0".into(), "sdk-cli".into(), true);
    assert_eq!(says(&["--host", r#"{"interactive":false}"#]), headless);
}

#[test]
fn a_claude_deny_reads_as_the_host_words_it() {
    let project = demo("claude");
    let events: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(project.0.path().join("payloads.json")).unwrap()).unwrap();
    let args = ["fire", "settings.json", "--payload", "-", "--yes", "--format", "json"];
    let report = json(&project.feed(&args, &events[0].to_string()));
    let expected = "PreToolUse:Bash hook error: [./hooks/guard.sh]: rm -rf is not allowed here\n";
    let context = "\n\nPreToolUse:Bash hook additional context: This call was audited.";
    assert_eq!(report["verdict"]["model_sees"], format!("{expected}{context}"));
    let gates: Vec<_> =
        report["hooks"].as_array().unwrap().iter().map(|h| h["gate"]["gate"].as_str().unwrap_or("ran")).collect();
    assert_eq!(gates[..6], ["ran", "ran", "condition", "matcher", "matcher", "matcher"]);
    let stdin = report["hooks"][0]["run"]["stdin"].as_str().unwrap();
    assert!(stdin.starts_with("{\"session_id\":") && stdin.ends_with("}\n"), "{stdin}");
    assert_eq!(report["hooks"][0]["run"]["env"]["CLAUDECODE"], "1");
}

#[test]
fn the_place_of_the_decider_is_its_own_and_not_that_of_a_hook_with_its_label() {
    let project = Project::new();
    // The second run denies, so of two equal hooks it is the second that decided.
    let script = "#!/bin/sh\n[ -e ran ] && echo '{\"decision\":\"deny\"}' && exit\ntouch ran\n";
    project.write("twice.sh", script).write(
        "twice.json",
        "{\"hooks\": {\"PreToolUse\": [\n  {\"commands\": [\"sh twice.sh\"]},\n  {\"commands\": [\"sh twice.sh\"]}\n]}}",
    );
    let told = stdout(&project.feed(&["fire", "twice.json", "--payload", "-", "--yes"], RM));
    assert!(told.contains("decided by  twice.sh (twice.json:3:17)"), "{told}");
    let report = json(&project.feed(&["fire", "twice.json", "--payload", "-", "--yes", "--format", "json"], RM));
    let ids: Vec<_> = report["hooks"].as_array().unwrap().iter().map(|h| h["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["project:PreToolUse:sh twice.sh", "project:PreToolUse:sh twice.sh#2"]);
}
