//! Lints and the output doctor: a corpus of broken settings and broken outputs, each with the explanation that has to
//! come first, and no alarm for what is healthy.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test program")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hookdbg::check::{HookOutput, LINTS, examine};
use hookdbg::dialect::registry;
use serde_json::{Map, Value, json};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn corpus(name: &str) -> Vec<Value> {
    serde_json::from_str(&fs::read_to_string(root().join("tests/fixtures").join(name)).unwrap()).unwrap()
}

fn check(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hookdbg"))
        .arg("check")
        .args(args)
        .current_dir(dir)
        .env("HOME", dir)
        .env("HOOKDBG_CONFIG_DIR", dir)
        .output()
        .unwrap()
}

fn findings(output: &Output) -> Vec<Value> {
    let value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    value["findings"].as_array().unwrap().clone()
}

/// A directory with the case's settings and scripts.
fn scene(case: &Value) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = case["file"].as_str().unwrap_or("settings.json").to_string();
    let text = case["settings"].as_str().unwrap();
    let latin_1 = || text.chars().map(|c| u8::try_from(c).unwrap()).collect();
    let bytes = if case["encoding"] == "latin-1" { latin_1() } else { text.as_bytes().to_vec() };
    fs::write(dir.path().join(&file), bytes).unwrap();
    for (name, script) in case["files"].as_object().unwrap() {
        let path = dir.path().join(name);
        fs::write(&path, script[0].as_str().unwrap()).unwrap();
        let mode = if script[1] == true { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
    (dir, file)
}

/// Message, place, excerpt, consequence and advice of every case are in the snapshot, as a user reads them.
#[test]
fn every_broken_setting_has_its_explanation_first() {
    let cases = corpus("broken-settings.json");
    let (mut wrong, mut read) = (Vec::new(), String::new());
    for case in &cases {
        let (dir, file) = scene(case);
        let args = [&file, "--dialect", case["dialect"].as_str().unwrap()];
        let found = findings(&check(dir.path(), &[&args[..], &["--format", "json"]].concat()));
        if found.first().is_none_or(|f| f["id"] != case["first"]) {
            wrong.push(format!("{}: {found:?} instead of {}", case["name"], case["first"]));
        }
        for finding in found {
            let row = LINTS.iter().find(|l| finding["id"] == l.id).unwrap();
            // A key nobody reads is an error only where all hooks are lost under it.
            if finding["severity"] != row.severity.word() && row.id != "unknown-key" {
                wrong.push(format!("{}: the table says {}: {finding}", case["name"], row.severity.word()));
            }
        }
        let report = check(dir.path(), &args);
        let text = String::from_utf8(report.stdout).unwrap().replace(dir.path().to_str().unwrap(), "DIR");
        let (name, settings) = (case["name"].as_str().unwrap(), case["settings"].as_str().unwrap().trim_end());
        read = format!("{read}===== {name}\n{settings}\n-----\n{text}\n");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    insta::assert_snapshot!("broken_settings", read);
}

#[test]
fn every_lint_is_hit_and_every_finding_is_in_the_table() {
    let cases = corpus("broken-settings.json");
    let hit: BTreeSet<&str> = cases.iter().map(|c| c["first"].as_str().unwrap()).collect();
    let missed: Vec<_> = LINTS.iter().map(|l| l.id).filter(|id| !hit.contains(id)).collect();
    assert!(missed.is_empty(), "no case for {missed:?}");
    let unknown: Vec<_> = hit.iter().filter(|id| !LINTS.iter().any(|l| l.id == **id)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    // Whatever the readers of settings say has a row too.
    let mut said = BTreeSet::new();
    let mut open = vec![root().join("src/dialect"), root().join("src/settings")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        for (at, _) in text.match_indices("Diagnostic::error(").chain(text.match_indices("Diagnostic::warning(")) {
            let rest = &text[at..text.len().min(at + 120)];
            said.extend(rest.split('"').nth(1).map(str::to_string).filter(|id| id.contains('-')));
        }
    }
    let payload_findings = ["missing-field", "unknown-field", "unreadable-file"];
    let unlisted: Vec<_> = said
        .iter()
        .filter(|id| !LINTS.iter().any(|l| l.id == id.as_str()) && !payload_findings.contains(&id.as_str()))
        .collect();
    assert!(unlisted.is_empty(), "not in the table: {unlisted:?}");
}

#[test]
fn healthy_settings_raise_no_alarm() {
    let samples = root().join("sample-configs");
    for entry in fs::read_dir(&samples).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let output = check(&samples, &[path.to_str().unwrap(), "--format", "json"]);
            assert!(findings(&output).is_empty(), "{}: {:?}", path.display(), findings(&output));
            assert_eq!(output.status.code(), Some(0));
        }
    }
}

#[test]
fn every_broken_output_has_its_explanation_first_with_a_fix() {
    let cases = corpus("broken-outputs.json");
    let payload = json!({"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash",
                         "tool_input": {"command": "ls"}});
    let (mut wrong, mut read) = (Vec::new(), String::new());
    for case in &cases {
        let text = |key: &str| case[key].as_str().unwrap();
        let dialect = registry::find(text("dialect")).unwrap();
        let seen = HookOutput {
            event: text("event"),
            stdout: text("stdout"),
            stderr: text("stderr"),
            exit: case["exit"].as_i64().map(|c| i32::try_from(c).unwrap()),
            payload: payload.as_object().unwrap(),
        };
        let found = examine(&seen, dialect.profile());
        match found.first() {
            Some(advice) if advice.id == text("first") => assert!(!advice.fix.is_empty()),
            other => wrong.push(format!("{}: {other:?} instead of {}", case["name"], case["first"])),
        }
        let end = if case["exit"].is_null() { "ended by a signal".into() } else { format!("exit {}", case["exit"]) };
        let (stdout, stderr) = (text("stdout"), text("stderr"));
        read = format!("{read}===== {} ({}, {})\n", text("name"), text("dialect"), text("event"));
        read = format!("{read}{end}, stdout {stdout:?}, stderr {stderr:?}\n");
        for advice in found {
            let at = advice.byte.map_or_else(String::new, |byte| format!(" at byte {byte}"));
            read = format!("{read}{}{at}: {}\n  fix: {}\n", advice.id, advice.says, advice.fix);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    insta::assert_snapshot!("broken_outputs", read);
}

#[test]
fn healthy_outputs_get_no_advice() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    for (dialect, stdout, stderr, exit) in [
        ("claude", "", "", 0),
        ("claude", deny, "", 0),
        ("claude", "{}", "some log", 0),
        ("claude", "", "no rm here", 2),
        ("claude", "just text", "", 0),
        ("claude", r#"{"systemMessage":"hello","continue":true}"#, "", 0),
        ("claude", deny, "ignored", 2),
        ("claude", r#"{"decision":"block","reason":"x"}"#, "", 1),
        ("claude", "", "usage of rm is refused: SyntaxError is no excuse", 2),
        ("goat", r#"{"Continue":true}"#, "", 0),
        ("goat", r#"{"decision":"deny","reason":"x"}"#, "", 0),
        ("massgen", r#"{"decision":"allow"}"#, "", 0),
        ("armament", r#"{"abort":true,"reason":"x"}"#, "", 0),
        ("claw", "denied: no", "", 2),
        ("claw", "fine", "", 0),
    ] {
        let host = registry::find(dialect).unwrap();
        let seen = HookOutput { event: "PreToolUse", stdout, stderr, exit: Some(exit), payload: &Map::new() };
        assert_eq!(examine(&seen, host.profile()), [], "{dialect} {stdout} {stderr}");
    }
}

#[test]
fn the_first_offending_byte_is_named() {
    let host = registry::find("claude").unwrap();
    let byte = |stdout: &str| {
        let seen = HookOutput { event: "PreToolUse", stdout, stderr: "", exit: Some(0), payload: &Map::new() };
        examine(&seen, host.profile())[0].byte
    };
    assert_eq!(byte("{\"decision\":\"deny\"}"), Some(12));
    assert_eq!(byte("{\"continue\":true}\n{\"continue\":true}"), Some(18));
    assert_eq!(byte("{\"a\":1,}"), Some(7));
    assert_eq!(byte("  banner\n{\"continue\":true}"), Some(2));
}

#[test]
fn formats_exit_codes_and_silence() {
    let dir = tempfile::tempdir().unwrap();
    let settings =
        json!({"hooks": {"PreToolUse": [{"matcher": "Edit.*", "hooks": [{"type": "command", "command": "true"}]}]}});
    fs::write(dir.path().join("s.json"), settings.to_string()).unwrap();
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let warned = check(dir.path(), &["s.json"]);
    assert!(warned.status.success() && text(&warned).contains("broad-matcher"), "{}", text(&warned));
    assert_eq!(check(dir.path(), &["s.json", "--deny", "warnings"]).status.code(), Some(1));
    let github = text(&check(dir.path(), &["s.json", "--format", "github"]));
    assert!(github.starts_with("::warning file=s.json,line=1,col="), "{github}");
    let sarif: Value = serde_json::from_str(&text(&check(dir.path(), &["s.json", "--format", "sarif"]))).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "broad-matcher");
    assert_eq!(sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 1);
    fs::write(dir.path().join(".hookdbg.toml"), "[check]\nallow = [\"broad-matcher@Edit\"]\n").unwrap();
    let silent = check(dir.path(), &["s.json", "--deny", "warnings"]);
    assert!(silent.status.success() && text(&silent).contains("1 silenced"), "{}", text(&silent));
    fs::write(dir.path().join(".hookdbg.toml"), "[check]\nallow = [\"broad-macher\"]\n").unwrap();
    let wrong = check(dir.path(), &["s.json"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean `broad-matcher`"));
    for lint in LINTS {
        let explained = text(&check(dir.path(), &["--explain", lint.id]));
        assert!(explained.contains(lint.title) && explained.contains(lint.docs));
    }
    assert_eq!(check(dir.path(), &["--explain", "nope"]).status.code(), Some(2));
}
