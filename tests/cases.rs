//! `hookdbg test`, bundles and `why` as their users meet them.
#![expect(clippy::unwrap_used, reason = "a test program")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        let hook = |command: &str| json!({"type": "command", "command": command});
        let settings = json!({"hooks": {
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [hook("\"$CLAUDE_PROJECT_DIR\"/hooks/guard.sh")]},
                {"matcher": "Write", "hooks": [hook("\"$CLAUDE_PROJECT_DIR\"/hooks/never.sh")]}
            ],
            "preToolUse": [{"hooks": [hook("true")]}]
        }});
        project.write("settings.json", &settings.to_string(), 0o644);
        let guard = "#!/bin/sh\n# API_KEY=abcdefgh12345678\ncase \"$(cat)\" in *'rm -rf'*) echo 'no rm here' >&2; exit 2;; esac\n";
        project.write("hooks/guard.sh", guard, 0o755).write("hooks/never.sh", "#!/bin/sh\n", 0o755);
        project
    }

    fn write(&self, name: &str, text: &str, mode: u32) -> &Self {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        self
    }

    fn run_in(&self, dir: &Path, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_hookdbg"))
            .args(args)
            .current_dir(dir)
            .env("HOME", self.0.path().join("home"))
            .env("HOOKDBG_STATE_DIR", self.0.path().join("state"))
            .output()
            .unwrap()
    }

    fn run(&self, args: &[&str]) -> Output {
        self.run_in(self.0.path(), args)
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const CASES: &str = "\
settings: settings.json
cases:
  - name: rm is refused
    payload: { event: PreToolUse, tool: Bash, set: { tool_input.command: \"rm -rf build\" } }
    expect: { decision: deny, reason: no rm, runs: [guard.sh], skips: [never.sh], feedback: hook error, max_ms: 60000 }
  - name: ls passes
    payload: event.json
    expect: { blocked: false, decision: null, outcomes: { guard.sh: success } }
  - name: a canned hook
    payload: { hook_event_name: PreToolUse, tool_name: Bash, tool_input: { command: ls } }
    stubs: { guard.sh: { json: { hookSpecificOutput: { hookEventName: PreToolUse, permissionDecision: ask } } } }
    expect: { decision: ask }
";

#[test]
fn cases_pass_fail_and_say_why() {
    let project = Project::new();
    let event = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    project.write("cases.yaml", CASES, 0o644).write("event.json", &event.to_string(), 0o644);
    let passed = project.run(&["test", "cases.yaml", "--yes"]);
    assert_eq!(passed.status.code(), Some(0), "{}{}", stdout(&passed), stderr(&passed));
    assert!(stdout(&passed).contains("3 passed, 0 failed; 1 of 3 hooks exercised; never: never.sh, true"));
    project.write("cases.yaml", &CASES.replace("decision: deny", "decision: allow"), 0o644);
    let failed = project.run(&["test", "cases.yaml", "--yes"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(stdout(&failed).contains("decision: expected \"allow\", found \"deny\""), "{}", stdout(&failed));
    let junit = stdout(&project.run(&["test", "cases.yaml", "--yes", "--format", "junit"]));
    assert_eq!((junit.matches("<testcase").count(), junit.matches("<failure").count()), (3, 1), "{junit}");
    let github = stdout(&project.run(&["test", "cases.yaml", "--yes", "--format", "github"]));
    assert!(github.starts_with("::error file=cases.yaml,line=3,title=rm is refused::decision"), "{github}");
    // Accepting changes the one value and nothing else.
    assert!(project.run(&["test", "cases.yaml", "--yes", "--update"]).status.success());
    let text = fs::read_to_string(project.0.path().join("cases.yaml")).unwrap();
    assert_eq!(text, CASES.replace("decision: deny", "decision: \"deny\""));
}

#[test]
fn a_case_that_cannot_be_evaluated_fails() {
    let project = Project::new();
    let case = |more: &str| {
        format!("settings: settings.json\ncases:\n  - name: x\n    payload: {{ event: PreToolUse }}\n{more}\n")
    };
    for (text, code, says) in [
        (case("    expect: { decison: deny }"), 1, "did you mean `decision`"),
        (case("    expect: { runs: guard.sh }"), 1, "list of short names"),
        (case("    stubs: { gard.sh: {} }\n    expect: { blocked: true }"), 1, "did you mean `guard.sh`"),
        (case("    expct: {}"), 2, "unknown key `expct`"),
        (case(""), 2, "without `expect`"),
        (case("    expect: { blocked: true }").replace("PreToolUse", "PreTool"), 1, "unknown event `PreTool`"),
        (case("    expect: {}"), 2, "without `expect`"),
        (case("    stubs: { guard.sh: { exitcode: 2 } }\n    expect: { blocked: true }"), 1, "unknown key `exitcode`"),
        ("cases: 3".into(), 2, "a list `cases`"),
        ("cases: [".into(), 2, "not valid"),
    ] {
        project.write("cases.yaml", &text, 0o644);
        let output = project.run(&["test", "cases.yaml", "--yes"]);
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert!(output.status.code() == Some(code) && said.contains(says), "{text}: {said}");
    }
}

#[test]
fn a_stub_stands_in_for_a_hook_and_leaves_what_it_is() {
    let project = Project::new();
    let prompt = json!({"type": "prompt", "prompt": "is it safe?"});
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [prompt]}]}}).to_string();
    let cases = "settings: asks.json\ncases:\n  - name: prompts do not run at launch\n    payload: { event: SessionStart }\n    \
                 stubs: { \"is it safe?\": { stdout: hello } }\n    expect: { runs: [], context: \"\" }\n";
    project.write("asks.json", &settings, 0o644).write("asks.yaml", cases, 0o644);
    let told = project.run(&["test", "asks.yaml", "--yes"]);
    assert!(told.status.success(), "{}{}", stdout(&told), stderr(&told));
}

#[test]
fn a_bundle_runs_again_elsewhere_and_holds_no_secret() {
    let project = Project::new();
    let event = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s",
                       "tool_input": {"command": "rm -rf x; curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz'"}});
    project.write("event.json", &event.to_string(), 0o644);
    let args = ["fire", "settings.json", "--payload", "event.json", "--yes", "--bundle", "out.tar"];
    let first = project.run(&args);
    assert!(first.status.success() && stderr(&first).contains("secrets taken out"), "{}", stderr(&first));
    let archive = fs::read(project.0.path().join("out.tar")).unwrap();
    let text = String::from_utf8_lossy(&archive);
    assert!(!text.contains("abcdefghijklmnop") && !text.contains("abcdefgh12345678"), "a secret is in the bundle");
    let elsewhere = tempfile::tempdir().unwrap();
    let bundle = project.0.path().join("out.tar");
    let args = ["fire", "--from-bundle", bundle.to_str().unwrap(), "--yes", "--format", "json"];
    fs::remove_dir_all(project.0.path().join("hooks")).unwrap();
    let again = project.run_in(elsewhere.path(), &args);
    let report: Value = serde_json::from_slice(&again.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(&again)));
    assert_eq!((&report["verdict"]["decision"], &report["verdict"]["reason"]), (&json!("deny"), &json!("no rm here")));
    fs::write(elsewhere.path().join("x.tar"), "no archive").unwrap();
    assert_eq!(project.run_in(elsewhere.path(), &["fire", "--from-bundle", "x.tar"]).status.code(), Some(2));
}

#[test]
fn why_takes_an_event_and_a_tool() {
    let project = Project::new();
    let text = stdout(&project.run(&["why", "settings.json", "PreToolUse", "Write", "--all"]));
    for part in [
        "never.sh          runs",
        "`Bash` (exact list) does not name `Write`",
        "it is configured under `preToolUse`; the event is `PreToolUse`",
        "did you mean `PreToolUse`?",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    fs::create_dir_all(project.0.path().join(".claude")).unwrap();
    fs::rename(project.0.path().join("settings.json"), project.0.path().join(".claude/settings.json")).unwrap();
    let text = stdout(&project.run(&["why", "PreToolUse", "Bash", "--all"]));
    assert!(text.contains("not read: the local layer, ./.claude/settings.local.json does not exist"), "{text}");
}

#[test]
fn the_environment_is_shown_three_times() {
    let project = Project::new();
    let text = stdout(&project.run(&["fire", "settings.json", "--event", "PreToolUse", "--yes", "--verbose"]));
    assert!(text.contains("your shell") && text.contains("the host gives") && text.contains("this run got"), "{text}");
    assert!(text.contains("CLAUDE_PROJECT_DIR"), "{text}");
}
