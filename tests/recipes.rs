//! The page of recipes: every hook on it does what the page says, and every command on it works.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test program")]

#[path = "support/skip.rs"]
mod skip;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use skip::has;

fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/docs/recipes.md")).unwrap()
}

/// The blocks of one language below a heading.
fn blocks(page: &str, title: &str, language: &str) -> Vec<String> {
    let section = page.split("\n## ").find(|s| s.starts_with(title)).unwrap_or_else(|| panic!("no recipe {title}"));
    let fence = format!("```{language}\n");
    section.split(&fence).skip(1).map(|b| b.split("```").next().unwrap().to_string()).collect()
}

/// A project with hooks in `.claude`, and a home beside it.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        project.write("project/.claude/settings.json", "{}");
        project.write("home/.profile", "");
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The hook of a recipe under `event`.
    fn hook(&self, title: &str, event: &str, matcher: &str) {
        let script = self.write("project/.claude/hooks/guard.sh", &blocks(&page(), title, "sh")[0]);
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
        let hook = json!({"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"});
        let settings = json!({"hooks": {event: [{"matcher": matcher, "hooks": [hook]}]}});
        self.write("project/.claude/settings.json", &settings.to_string());
    }

    /// A line of shell in the project. `make` is a stand-in whose tests fail.
    fn sh(&self, line: &str) -> Output {
        let bin = Path::new(env!("CARGO_BIN_EXE_hookdbg")).parent().unwrap();
        let make = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/bin");
        let path = format!("{}:{}:{}", bin.display(), make.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.path("project")).stdin(Stdio::null());
        command.env("PATH", path).env("HOME", self.path("home")).env("HOOKDBG_TRUST", "1");
        command.env("HOOKDBG_STATE_DIR", self.path("state")).output().unwrap()
    }

    fn fire(&self, payload: &Value) -> Value {
        self.write("project/event.json", &payload.to_string());
        let output = self.sh("hookdbg fire --payload event.json --format json");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
    }
}

fn bash(event: &str, command: &str) -> Value {
    json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command}})
}

#[test]
fn block_a_command() {
    let project = Project::new();
    project.hook("Block a command", "PreToolUse", "Bash");
    let verdict = &project.fire(&bash("PreToolUse", "rm -rf build"))["verdict"];
    assert_eq!(verdict["blocked"], true, "{verdict}");
    assert!(verdict["model_sees"].as_str().unwrap().contains("move the files to ./trash instead"), "{verdict}");
    assert_eq!(project.fire(&bash("PreToolUse", "ls"))["verdict"]["blocked"], false);
}

#[test]
fn format_on_save() {
    if !(has("jq") && has("rustfmt")) {
        return;
    }
    let project = Project::new();
    project.hook("Format on save", "PostToolUse", "Write|Edit");
    let file = project.write("project/a.rs", "fn  main( ) {}\n");
    let input = json!({"file_path": file, "content": ""});
    let report = project.fire(&json!({"hook_event_name": "PostToolUse", "tool_name": "Write", "tool_input": input}));
    assert_eq!(report["hooks"][0]["run"]["outcome"], "success", "{report:#}");
    assert_eq!(fs::read_to_string(file).unwrap(), "fn main() {}\n");
}

#[test]
fn inject_context() {
    let project = Project::new();
    project.hook("Inject context", "UserPromptSubmit", "");
    assert!(project.sh("git init -q -b recipes").status.success());
    let verdict = &project.fire(&json!({"hook_event_name": "UserPromptSubmit", "prompt": "hello"}))["verdict"];
    assert!(verdict["model_sees"].as_str().unwrap().contains("Current branch: recipes"), "{verdict}");
}

#[test]
fn approve_safely() {
    if !has("jq") {
        return;
    }
    let project = Project::new();
    project.hook("Approve safely", "PreToolUse", "Bash");
    let decision = |command: &str| project.fire(&bash("PreToolUse", command))["verdict"]["decision"].clone();
    assert_eq!((decision("git status"), decision("ls src")), (json!("allow"), json!("allow")));
    assert_eq!(decision("git status; rm -rf /"), Value::Null);
}

#[test]
fn let_a_stop_hook_end() {
    let project = Project::new();
    project.hook("Let a Stop hook end", "Stop", "");
    let blocked = |active: bool| {
        let payload = json!({"hook_event_name": "Stop", "stop_hook_active": active});
        project.fire(&payload)["verdict"]["blocked"].clone()
    };
    assert_eq!((blocked(false), blocked(true)), (json!(true), json!(false)));
}

/// Every `hookdbg …` of the page, in a project that has the files it names.
#[test]
fn every_command_works() {
    let project = Project::new();
    project.hook("Block a command", "PreToolUse", "Bash");
    project.write("project/cases.yaml", &blocks(&page(), "Test in CI", "yaml")[0]);
    project.write("project/rm.json", &bash("PreToolUse", "rm -rf build").to_string());
    let golden = "hookdbg fire --payload rm.json --record golden.jsonl && cp rm.json event.json";
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions/old-eras.jsonl");
    fs::create_dir_all(project.path("home/.claude/projects/my-project")).unwrap();
    fs::copy(session, project.path("home/.claude/projects/my-project/s.jsonl")).unwrap();
    let git = "git -c user.name=a -c user.email=a@b";
    let commits = format!("git init -q && git add . && {git} commit -qm 1 && {git} commit -q --allow-empty -m 2");
    for line in [golden, &commits] {
        let output = project.sh(line);
        assert!(output.status.success(), "{output:?}");
    }
    let page = page();
    let inline = page.split('`').skip(1).step_by(2);
    let blocks = page.split("```sh\n").skip(1).flat_map(|b| b.split("```").next().unwrap().lines());
    let commands: Vec<&str> = inline.chain(blocks).filter(|c| c.starts_with("hookdbg ")).collect();
    assert_eq!(commands.len(), page.matches("hookdbg ").count(), "{commands:#?}");
    for command in commands {
        let line = command.replace("SETTINGS", ".claude/settings.json").replace("EVENT.json", "event.json");
        let output = project.sh(&line);
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
    }
}
