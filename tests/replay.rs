//! Recordings, importers and replay as their users meet them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test program")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use hookdbg::dialect::registry;
use hookdbg::record::{FieldsOf, ImportOptions, RecordedEvent, import};
use serde_json::{Map, Value, json};

struct Project(tempfile::TempDir);

impl Project {
    fn new(settings: &Value) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let project = Self(dir);
        project.write("settings.json", &settings.to_string());
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("project").join(name)
    }

    fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookdbg"));
        command.args(args).current_dir(self.path("")).env_remove("HOOKDBG_TRUST").env("HOME", self.0.path());
        command.env("HOOKDBG_STATE_DIR", self.0.path().join("state")).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn replay(&self, args: &[&str]) -> Value {
        let base = ["replay", "settings.json", "--dialect", "claude", "--yes", "--format", "json"];
        let output = self.run(&[&base[..], args].concat());
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// Every file of the project with its bytes.
    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.path("")];
        while let Some(dir) = open.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { open.push(path) } else { drop(found.insert(path.clone(), fs::read(&path).unwrap())) }
            }
        }
        found
    }
}

fn hooks(event: &str, commands: &[&str]) -> Value {
    let list: Vec<_> = commands.iter().map(|c| json!({"type": "command", "command": c})).collect();
    json!({"hooks": {event: [{"hooks": list}]}})
}

fn pre(id: &str, command: &str) -> Value {
    json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PreToolUse", "tool_name": "Bash",
           "tool_input": {"command": command}, "tool_use_id": id})
}

fn post(id: &str, command: &str) -> Value {
    let mut value = pre(id, command);
    value["hook_event_name"] = "PostToolUse".into();
    value["tool_response"] = json!({"stdout": ""});
    value
}

fn lines(values: &[Value]) -> String {
    values.iter().flat_map(|v| [v.to_string(), "\n".into()]).collect()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn derived(transcript: &Path) -> Vec<RecordedEvent> {
    let dialect = registry::find("claude").unwrap();
    let options = ImportOptions { dialect: dialect.as_ref(), fields: FieldsOf::Recorded };
    let mut entries = Vec::new();
    import(transcript, &options, &mut |e| entries.push(e)).unwrap();
    entries
}

fn fields(entry: &RecordedEvent) -> Map<String, Value> {
    serde_json::from_str(&entry.payload).unwrap()
}

/// `Event subject` of every entry.
fn told(entries: &[RecordedEvent]) -> Vec<String> {
    entries
        .iter()
        .map(|e| {
            let f = fields(e);
            let text = |k: &str| f.get(k).and_then(Value::as_str).unwrap_or_default().to_string();
            let id = if f.contains_key("tool_use_id") { text("tool_use_id") } else { text("tool_name") };
            format!("{} {id}{}{}", e.event, text("source"), text("trigger")).trim_end().to_string()
        })
        .collect()
}

#[test]
fn every_shape_of_record_gives_its_events() {
    let entries = derived(&fixture("sessions/11111111-2222-4333-8444-555555555555.jsonl"));
    assert_eq!(
        told(&entries),
        [
            "SessionStart startup", "UserPromptSubmit",
            // Two calls of one message, told in the order they were asked for.
            "PreToolUse t1", "PostToolUse t1", "PreToolUse t2", "PostToolUse t2", "PreToolUse t3",
            "PostToolUseFailure t3",
            // t4 was refused before any hook saw it; t5 by a hook, t6 by the user.
            "PreToolUse t5", "PreToolUse t6", "UserPromptSubmit", "PreToolUse t7", "SubagentStart", "PreToolUse s1",
            "PostToolUse s1", "SubagentStop", "PostToolUse t7", "Stop", "Stop", "PreCompact manual",
            "SessionStart compact", "PostCompact manual", "UserPromptSubmit", "StopFailure", "UserPromptSubmit",
            "PreToolUse t8", "PostToolUse t8", "PreToolUse t9", "SessionEnd",
        ]
    );
    let of = |event: &str| entries.iter().filter(|e| e.event == event).collect::<Vec<_>>();
    assert_eq!(fields(of("UserPromptSubmit")[1])["prompt"], "/init fast");
    let stops = of("Stop");
    assert_eq!(fields(stops[0])["last_assistant_message"], "Done with the agent.");
    assert_eq!(
        (&fields(stops[0])["stop_hook_active"], &fields(stops[1])["stop_hook_active"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(stops[0].recorded.as_ref().unwrap().blocked, Some(true));
    assert_eq!(stops[1].recorded.as_ref().unwrap().blocked, Some(false));
    let denied = entries.iter().find(|e| e.payload.contains("rm -rf")).unwrap();
    assert_eq!(denied.recorded.as_ref().unwrap().decision.as_deref(), Some("deny"));
    assert_eq!(fields(of("PreCompact")[0])["custom_instructions"], "keep names");
    let inside = fields(entries.iter().find(|e| e.payload.contains("Grep")).unwrap());
    assert_eq!((&inside["agent_id"], &inside["agent_type"]), (&json!("a1b2c3"), &json!("Explore")));
    assert!(inside["transcript_path"].as_str().unwrap().ends_with("555555555555.jsonl"), "still the main file");
    // The order of keys is the host's.
    let keys: Vec<_> = fields(of("PreToolUse")[0]).keys().cloned().collect();
    let order = ["session_id", "transcript_path", "cwd", "prompt_id", "permission_mode", "effort", "hook_event_name"];
    assert_eq!(keys[..7], order);
    assert_eq!(keys[7..], ["tool_name", "tool_input", "tool_use_id"]);
}

#[test]
fn older_versions_had_other_records_and_fewer_fields() {
    let entries = derived(&fixture("sessions/old-eras.jsonl"));
    assert_eq!(
        told(&entries),
        [
            "SessionStart clear", "UserPromptSubmit", "PreToolUse Bash", "PostToolUse Bash", "PreToolUse Bash",
            // A subagent whose records stand in the same file.
            "PreToolUse Task", "PreToolUse Read", "PostToolUse Read", "PostToolUse Task", "Stop", "SessionStart resume",
            "UserPromptSubmit", "PreToolUse o6", "PostToolUse o6", "PreCompact auto", "SessionStart compact", "Stop",
        ]
    );
    let first = fields(&entries[2]);
    assert!(!first.contains_key("permission_mode") && !first.contains_key("tool_use_id"));
    assert_eq!(entries[2].recorded.as_ref().unwrap().hooks[0].hook, "log.py");
    assert_eq!(entries[4].recorded.as_ref().unwrap().blocked, Some(true));
    assert_eq!(entries[12].recorded.as_ref().unwrap().hooks[0].outcome, "ran");
    assert_eq!(fields(&entries[11])["prompt"], "what is this?");
}

#[test]
fn a_field_inside_a_tools_input_is_none_of_the_events_own() {
    let dir = tempfile::tempdir().unwrap();
    let line = |kind: &str, content: Value| {
        json!({"type": kind, "sessionId": "s", "cwd": "/w", "version": "1.0.100",
        "message": {"role": kind, "content": content}})
    };
    let input = json!({"permission_mode": "plan"});
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Agent", "input": input}]);
    let transcript = dir.path().join("s.jsonl");
    fs::write(&transcript, lines(&[line("user", json!("go")), line("assistant", call)])).unwrap();
    let entries = derived(&transcript);
    let call = entries.iter().find(|e| e.event == "PreToolUse").unwrap();
    assert_eq!(fields(call)["tool_input"], input);
    assert!(!fields(call).contains_key("permission_mode"), "this version had no such field");
    assert!(call.derived.is_empty(), "{:?}", call.derived);
}

/// Sessions recorded from the running program, replayed with their own hooks: what was decided then is decided now, and
/// what the model read then it reads now, byte for byte.
#[test]
fn recorded_sessions_replay_as_they_were() {
    for (session, expected) in
        [("broken-hooks", 0), ("context-lint-stop", 1), ("guard-deny", 0), ("rewrite-halt", 0), ("subagent", 0)]
    {
        let dir = fixture("live").join(session);
        let state = tempfile::tempdir().unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_hookdbg"))
            .args(["replay", "--from", "transcript.jsonl", "--against-recorded", "--yes", "--format", "json"])
            .current_dir(&dir)
            .env("HOME", state.path())
            .env("HOOKDBG_STATE_DIR", state.path())
            .args(["--project", ".", "--cwd", "."])
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(report["flips"], 0, "{session}: {:#}", report["groups"]);
        // The linter of one session reads a file that is not there any more.
        assert_eq!(report["groups"].as_array().unwrap().len(), expected, "{session}: {:#}", report["groups"]);
    }
}

#[test]
fn a_refused_call_has_no_result_and_a_rewritten_input_flows_on() {
    let guard = "case \"$(cat)\" in *bad*) echo no >&2; exit 2;; esac";
    let rewrite = r#"cat >/dev/null; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"new"}}}'"#;
    let mut settings = hooks("PreToolUse", &[guard, rewrite]);
    settings["hooks"]["PostToolUse"] = json!([{"hooks": [{"type": "command", "command": "cat >> \"$OUT\""}]}]);
    let project = Project::new(&settings);
    project.write("log.jsonl", &lines(&[pre("a", "good"), post("a", "good"), pre("b", "bad"), post("b", "bad")]));
    let out = project.0.path().join("out");
    let base = ["replay", "settings.json", "--from", "log.jsonl", "--yes", "--format", "json"];
    let output = project.command(&base).env("OUT", &out).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["left_out"], json!({"its call is refused now, so it has no result": 1}));
    let seen = fs::read_to_string(&out).unwrap();
    assert_eq!(seen.lines().count(), 1);
    assert!(seen.contains(r#""tool_input":{"command":"new"}"#), "{seen}");
}

#[test]
fn a_stop_that_is_not_allowed_is_asked_again_until_the_cap() {
    let stop = json!({"session_id": "s", "hook_event_name": "Stop", "stop_hook_active": false});
    let project = Project::new(&hooks("Stop", &["cat >/dev/null; echo never >&2; exit 2"]));
    project.write("log.jsonl", &lines(std::slice::from_ref(&stop)));
    assert_eq!(project.replay(&["--from", "log.jsonl"])["continued"][0]["times"], 8);
    let once = "grep -q '\"stop_hook_active\":true' && exit 0; echo once >&2; exit 2";
    project.write("settings.json", &hooks("Stop", &[once]).to_string());
    assert_eq!(project.replay(&["--from", "log.jsonl"])["continued"][0]["times"], 1);
}

#[test]
fn equal_events_run_once_and_unsteady_hooks_are_named() {
    let counter = "cat >/dev/null; echo x >> \"$HOME/count\"; test $(wc -l < \"$HOME/count\") -lt 3 || exit 2";
    let project = Project::new(&hooks("PreToolUse", &[counter]));
    let events: Vec<Value> = (0..10).map(|i| pre("same", if i < 8 { "a" } else { "b" })).collect();
    project.write("log.jsonl", &lines(&events));
    let report = project.replay(&["--from", "log.jsonl", "--independent", "-j", "1"]);
    assert_eq!((&report["replayed"], &report["fired"]), (&json!(10), &json!(2)));
    assert_eq!(fs::read_to_string(project.0.path().join("count")).unwrap().lines().count(), 2);
    let report = project.replay(&["--from", "log.jsonl", "--independent", "--no-dedupe", "-j", "2"]);
    assert_eq!(report["fired"], 10);
    fs::remove_file(project.0.path().join("count")).unwrap();
    let report = project.replay(&["--from", "log.jsonl", "--repeat", "4"]);
    assert_eq!(report["unsteady"].as_array().unwrap().len(), 1, "{report:#}");
}

#[test]
fn flips_are_grouped_and_make_the_exit_code() {
    let deny = "grep -q danger && { echo too dangerous >&2; exit 2; } || exit 0";
    let project = Project::new(&hooks("PreToolUse", &["cat >/dev/null"]));
    project.write("old.json", &hooks("PreToolUse", &[deny]).to_string());
    project.write("log.jsonl", &lines(&[pre("1", "danger a"), pre("2", "danger b"), pre("3", "fine")]));
    let base = ["replay", "settings.json", "--from", "log.jsonl", "--yes", "--against", "old.json"];
    let output = project.run(&base);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("2 of 3 events differ, 2 decisions flipped"), "{text}");
    assert!(text.contains("2 × deny → passed"), "{text}");
    let junit = project.run(&[&base[..], &["--format", "junit"]].concat());
    let xml = String::from_utf8_lossy(&junit.stdout);
    assert_eq!((xml.matches("<testcase").count(), xml.matches("<failure").count()), (3, 2), "{xml}");
    // The accepted outcomes are what later runs compare with.
    let accept = project.run(&["replay", "old.json", "--from", "log.jsonl", "--yes", "--accept", "golden.jsonl"]);
    assert!(accept.status.success());
    let same = project.run(&["replay", "old.json", "--from", "golden.jsonl", "--yes", "--against-recorded"]);
    assert_eq!(same.status.code(), Some(0), "{}", String::from_utf8_lossy(&same.stdout));
    let changed =
        project.run(&["replay", "settings.json", "--from", "log.jsonl", "--yes", "--against", "golden.jsonl"]);
    assert_eq!(changed.status.code(), Some(1));
}

fn git(project: &Project, args: &[&str]) {
    let identity = ["-c", "user.name=Dev", "-c", "user.email=dev@example.com"];
    let ok = Command::new("git").args(identity).args(args).current_dir(project.path("")).output().unwrap();
    assert!(ok.status.success(), "{}", String::from_utf8_lossy(&ok.stderr));
}

#[test]
fn a_revision_is_compared_and_the_users_tree_stays_byte_identical() {
    let project = Project::new(&hooks("PreToolUse", &["sh hooks/guard.sh"]));
    project.write("hooks/guard.sh", "cat >/dev/null; echo written > made.txt; echo no >&2; exit 2\n");
    project.write("log.jsonl", &lines(&[pre("1", "x")])).write("kept.txt", "one\n");
    git(&project, &["init", "-q"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "-qm", "one"]);
    project.write("hooks/guard.sh", "cat >/dev/null; rm -f kept.txt; echo x >> settings.json; mkdir d; exit 0\n");
    project.write("untracked.txt", "mine\n");
    let before = project.contents();
    let report = project.replay(&["--from", "log.jsonl", "--against-rev", "HEAD"]);
    assert_eq!(report["flips"], 1, "{report:#}");
    assert_eq!(report["groups"][0]["change"], "deny → passed");
    assert_eq!(project.contents(), before);
    let missing = project.run(&["replay", "settings.json", "--from", "log.jsonl", "--yes", "--against-rev", "nope"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn without_git_the_project_is_copied_and_in_place_is_a_choice() {
    let project = Project::new(&hooks("PreToolUse", &["cat >/dev/null; echo x > made.txt"]));
    project.write("log.jsonl", &lines(&[pre("1", "x")]));
    let before = project.contents();
    let report = project.replay(&["--from", "log.jsonl"]);
    assert!(report["ran_in"].as_str().unwrap().starts_with("a scratch copy"));
    assert_eq!(project.contents(), before);
    project.replay(&["--from", "log.jsonl", "--in-place"]);
    assert!(project.path("made.txt").exists());
}

#[test]
fn hooks_find_the_transcript_as_it_was_at_their_event() {
    let path = r#"sed 's/.*"transcript_path":"\([^"]*\)".*/\1/'"#;
    let count = format!("t=$({path}); wc -l < \"$t\" >> \"$HOME/lines\"");
    let project = Project::new(&hooks("Stop", &[&count]));
    let session = fixture("sessions/11111111-2222-4333-8444-555555555555.jsonl");
    project.replay(&["--from", session.to_str().unwrap(), "--event", "Stop"]);
    let seen = fs::read_to_string(project.0.path().join("lines")).unwrap();
    assert_eq!(seen.lines().map(str::trim).collect::<Vec<_>>(), ["32", "35"]);
}

#[test]
fn filters_leave_out_what_they_name() {
    let project = Project::new(&hooks("PreToolUse", &["cat >/dev/null"]));
    let session = fixture("sessions/11111111-2222-4333-8444-555555555555.jsonl");
    let from = ["--from", session.to_str().unwrap()];
    let count = |more: &[&str]| project.replay(&[&from[..], more].concat())["replayed"].as_u64().unwrap();
    assert_eq!(count(&["--event", "PreToolUse"]), 9);
    assert_eq!(count(&["--tool", "Bash", "--event", "PreToolUse"]), 5);
    assert_eq!(count(&["--hook", "cat >/dev/null"]), 9);
    assert_eq!(count(&["--session", "1111"]), count(&[]));
    assert_eq!(count(&["--since", "2026-10-01T08:00:30Z", "--event", "PreToolUse"]), 3);
    for (wrong, says) in [
        (&["--event", "PreTolUse"][..], "did you mean `PreToolUse`"),
        (&["--since", "yesterday"], "give a date"),
        (&["--session", "zzz"], "no event to replay"),
    ] {
        let output = project.run(&[&["replay", "settings.json", "--yes"], &from[..], wrong].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(says), "{wrong:?}: {text}");
    }
}

#[test]
fn bad_input_is_said_and_the_readable_part_is_used() {
    let project = Project::new(&hooks("PreToolUse", &["cat >/dev/null"]));
    project.write("empty.jsonl", "").write("torn.jsonl", &format!("{}\n{{\"hook_ev", pre("1", "x")));
    project.write("garbage.jsonl", &format!("not json\n{}\n[1]\n", pre("1", "x")));
    fs::write(project.path("packed.jsonl"), [0x1f, 0x8b, 8, 0]).unwrap();
    fs::write(project.path("binary.jsonl"), [1, 0, 2]).unwrap();
    fs::create_dir(project.path("nothing")).unwrap();
    for (file, says) in [
        ("empty.jsonl", "no event to replay"),
        ("packed.jsonl", "gzip"),
        ("binary.jsonl", "binary"),
        ("nothing", "no recording or transcript"),
        ("absent.jsonl", "No such file"),
    ] {
        let output = project.run(&["replay", "settings.json", "--yes", "--from", file]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(says), "{file}: {text}");
    }
    for (file, unreadable) in [("torn.jsonl", 1), ("garbage.jsonl", 2)] {
        let report = project.replay(&["--from", file]);
        assert_eq!(report["replayed"], 1, "{file}");
        assert_eq!(report["left_out"]["lines that cannot be read"], unreadable, "{file}: {report:#}");
    }
}

#[test]
fn ctrl_c_keeps_what_is_done() {
    let slow = "cat > \"$HOME/seen.$$\"; grep -q second \"$HOME/seen.$$\" && { echo waiting > \"$HOME/waits\"; sleep 60; }; exit 0";
    let project = Project::new(&hooks("PreToolUse", &[slow]));
    project.write("log.jsonl", &lines(&[pre("1", "first"), pre("2", "second"), pre("3", "third")]));
    let args = ["replay", "settings.json", "--from", "log.jsonl", "--yes", "--format", "json"];
    let child = project.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let waits = project.0.path().join("waits");
    let began = std::time::Instant::now();
    while !waits.exists() {
        assert!(began.elapsed() < std::time::Duration::from_mins(1), "the second hook never started");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["interrupted"], &report["replayed"]), (&json!(true), &json!(1)));
}

#[test]
fn what_is_fired_can_be_recorded_and_replayed() {
    let project = Project::new(&hooks("PreToolUse", &["cat >/dev/null; echo no >&2; exit 2"]));
    project.write("event.json", &pre("1", "x").to_string());
    for _ in 0..2 {
        let args = ["fire", "settings.json", "--payload", "event.json", "--yes", "--record", "out.jsonl"];
        assert!(project.run(&args).status.success());
    }
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool": {"output": "x"}}).to_string();
    project.write("call.json", &call);
    assert!(
        project
            .run(&["call", "settings.json", "--payload", "call.json", "--yes", "--record", "out.jsonl"])
            .status
            .success()
    );
    let text = fs::read_to_string(project.path("out.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 3);
    let schema: Value =
        serde_json::from_str(&fs::read_to_string(fixture("../../assets/schema/recording.schema.json")).unwrap())
            .unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let errors: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(value["outcome"]["blocked"], true);
    }
    assert_eq!(project.replay(&["--from", "out.jsonl", "--against-recorded"])["flips"], 0);
}

#[test]
fn a_file_that_grows_is_read_up_to_its_end_of_now() {
    let project = Project::new(&hooks("PreToolUse", &["cat >/dev/null"]));
    project.write("log.jsonl", &lines(&vec![pre("1", "x"); 20]));
    let mut writer = Command::new("sh");
    let append = "while printf '%s\\n' \"$LINE\" >> log.jsonl; do echo go; done";
    let mut writer = writer
        .args(["-c", append])
        .env("LINE", pre("2", "y").to_string())
        .current_dir(project.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    BufReader::new(writer.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let report = project.replay(&["--from", "log.jsonl"]);
    writer.kill().unwrap();
    writer.wait().unwrap();
    // It is still written to when the replay begins, so it had more lines than the first, and never more than now.
    let at_the_end = fs::read_to_string(project.path("log.jsonl")).unwrap().lines().count() as u64;
    let replayed = report["replayed"].as_u64().unwrap();
    assert!(replayed > 20 && replayed <= at_the_end, "{replayed} of {at_the_end}");
}

#[test]
fn every_dialect_has_a_recording_that_its_demo_replays() {
    let recording = fixture("../../assets/recordings/demo.jsonl");
    let mut seen = Vec::new();
    for dialect in registry::all() {
        let name = dialect.profile().name;
        let dir = tempfile::tempdir().unwrap();
        let demo = fixture("../../assets/demo").join(name);
        let settings =
            ["settings.json", "settings.yaml"].map(|f| demo.join(f)).into_iter().find(|p| p.exists()).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_hookdbg"))
            .args(["replay", settings.to_str().unwrap(), "--from", recording.to_str().unwrap(), "--yes"])
            .args(["--dialect", name, "--project", demo.to_str().unwrap(), "--format", "json", "--against-recorded"])
            .env("HOOKDBG_STATE_DIR", dir.path())
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{name} {e}: {}", String::from_utf8_lossy(&output.stderr)));
        let recorded = fs::read_to_string(&recording).unwrap();
        let own = recorded.lines().filter(|line| line.contains(&format!("\"dialect\":\"{name}\""))).count();
        assert_eq!(report["replayed"], own, "{name}: {report:#}");
        assert_eq!(report["flips"], 0, "{name}: {:#}", report["groups"]);
        seen.push(name);
    }
    assert_eq!(seen.len(), 5);
    std::io::stdout().flush().unwrap();
}
