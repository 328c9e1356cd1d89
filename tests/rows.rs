//! A rule of one event is one row: a row that is added reaches every reader, and readers say what the row says.
#![expect(clippy::unwrap_used, reason = "a test program")]

use std::sync::Arc;

use hookdbg::check::{HookOutput, examine};
use hookdbg::diag::Source;
use hookdbg::dialect::event::{AnswerField, Effect, EventRow, FieldRow, Kind, MatchedOn, Presence};
use hookdbg::dialect::{Capability, Dialect, registry};
use hookdbg::engine::{EngineOptions, Firing, Request, Runner};
use hookdbg::model::{Payload, RunOutcome, Toggles};
use hookdbg::plan::plan;
use serde_json::{Map, Value, json};

fn fire(dialect: &Arc<dyn Dialect>, event: &str, command: &str) -> Firing {
    let settings = json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}});
    let loaded = dialect.load(&[Source::new("settings.json", "project", settings.to_string())]).unwrap();
    let runner = Runner::new(Arc::clone(dialect), loaded.hooks, EngineOptions::default());
    let template = dialect.profile().template(dialect.profile().event(event).unwrap());
    let payload = Payload::new(event, template.as_object().unwrap().clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(runner.fire(Request::new(payload)))
}

#[test]
fn exit_two_after_the_tool_tells_the_model_and_blocks_nothing() {
    let claude = registry::find("claude").unwrap();
    for event in ["PostToolUse", "PostToolUseFailure"] {
        let fired = fire(&claude, event, "echo too late >&2; exit 2");
        assert_eq!(fired.runs[0].last().reading.outcome, RunOutcome::Success, "{event}");
        assert!(!fired.verdict.blocked && fired.verdict.model_sees.contains("too late"), "{event}");
    }
    let before = fire(&claude, "PreToolUse", "echo no >&2; exit 2");
    assert_eq!(before.runs[0].last().reading.outcome, RunOutcome::Blocked);
}

/// The answer of the added event.
const SPECIFIC: &[AnswerField] = &[
    AnswerField::new("hookEventName", Kind::EventName, Effect::None).required(),
    AnswerField::new("additionalContext", Kind::Text, Effect::Can(Capability::AddContext)),
    AnswerField::new("deployTo", Kind::OneOf(&["staging", "live"]), Effect::None),
];

#[test]
fn a_new_row_reaches_every_reader() {
    let claude = registry::find("claude").unwrap();
    let mut profile = claude.profile().clone();
    let row = EventRow {
        name: "PreDeploy",
        when: "before a deployment",
        fields: &[FieldRow {
            name: "target",
            presence: Presence::Always { empty: "null" },
            example: "\"staging\"",
            about: "where to",
        }],
        matched_on: MatchedOn::Field("target"),
        specific: SPECIFIC,
        ..profile.row("UserPromptSubmit")
    };
    profile.events.to_mut().push(row);
    let host = claude.with(profile);

    // Loading knows it, and the host of before doesn't.
    let entry = json!([{"matcher": "live", "hooks": [{"type": "command", "command": "true"}]}]);
    let source = Source::new("settings.json", "project", json!({"hooks": {"PreDeploy": entry}}).to_string());
    let loaded = host.load(std::slice::from_ref(&source)).unwrap();
    assert!(loaded.diagnostics.is_empty());
    assert_eq!(claude.load(&[source]).unwrap().diagnostics[0].id, "unknown-event");
    assert_eq!(loaded.hooks.hooks[0].timeout, row.limit.time());

    // Templates have its fields; selecting compares the matcher with the one the row names.
    let template = host.profile().template(&row);
    assert_eq!((&template["hook_event_name"], &template["target"]), (&json!("PreDeploy"), &json!("staging")));
    let runs = |target: &str| {
        let fields = Map::from_iter([("target".to_string(), json!(target))]);
        plan(host.as_ref(), &loaded.hooks, &Payload::new("PreDeploy", fields), &Toggles::default()).running().count()
    };
    assert_eq!((runs("live"), runs("staging")), (1, 0));

    // Reading checks its fields; merging follows its class; exit 2 blocks.
    let answer = |own: Value| {
        let mut own = own;
        own["hookEventName"] = "PreDeploy".into();
        format!("echo '{}'", json!({"hookSpecificOutput": own}))
    };
    let added = fire(&host, "PreDeploy", &answer(json!({"additionalContext": "frozen", "deployTo": "live"})));
    assert_eq!(added.verdict.context, ["frozen"]);
    let wrong = fire(&host, "PreDeploy", &answer(json!({"deployTo": "moon"})));
    assert_eq!(wrong.runs[0].last().reading.outcome, RunOutcome::Error);
    let blocked = fire(&host, "PreDeploy", "echo no >&2; exit 2");
    assert!(blocked.verdict.blocked);
    assert_eq!(blocked.verdict.reason_to.as_deref(), Some("user"));

    // The output doctor and the help page know its words.
    let stdout = r#"{"hookSpecificOutput":{"hookEventName":"PreDeploy","deployTo":"moon"}}"#;
    let seen = HookOutput { event: "PreDeploy", stdout, stderr: "", exit: Some(0), payload: &Map::new() };
    assert_eq!(examine(&seen, host.profile())[0].id, "wrong-word");
    let page = hookdbg::cli::host_page(host.as_ref());
    assert!(page.contains("| PreDeploy | before a deployment | deny, add context, override continue | `target` |"));
    assert!(page.contains("`deployTo` is one of `staging`, `live`"));
}
