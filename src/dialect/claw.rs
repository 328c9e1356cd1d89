//! The claw host: two lists of shell commands around every tool; exit codes decide, stdout is feedback.
//!
//! `claw` is the specification; `claw@newest` is today's program, which reads JSON answers and matchers and treats every
//! failing hook as a block.

mod answer;
mod call;
mod merge;
mod message;
mod rules;
mod settings;
mod stdin;

use super::Capability::{AddContext, Deny, ModifyInput};
use super::event::Effect::{self, Can, LikeExitTwo};
use super::event::{
    AnswerField, Drops, Exit, ExitRule, Kind, MatchedOn, Matching, MergeClass, OtherExit, TextAs, To, always,
};
use super::job::Shell;
use super::profile::project_files;
use super::{
    ChangeRow, DecisionRule, EventRow, FailPolicy, FieldRow, Host, JsonUse, Layers, PayloadRule, Profile, ProjectFile,
    Root, SettingsPlace, Shape, ShortCircuit, Stream, driver, elsewhere,
};
use crate::model::{Gate, GateKind, Hook, Payload};

const TOOL_NAME: FieldRow = always("tool_name", "\"\"", "\"bash\"", "name of the tool");
const TOOL_INPUT: FieldRow = always("tool_input", "null", "{\"command\":\"ls\"}", "input of the tool, parsed");
const CONTEXT: AnswerField = AnswerField::new("additionalContext", Kind::Text, Can(AddContext));

const TOOL: EventRow = EventRow {
    matched_on: MatchedOn::Tool("tool_name"),
    matching: Matching::Wildcards,
    exit: ExitRule { two: Exit::Blocks(To::Model), other: OtherExit::Blocks },
    text: TextAs::Feedback,
    top: &[
        AnswerField::new("continue", Kind::Bool, LikeExitTwo),
        AnswerField::new("systemMessage", Kind::Text, Can(AddContext)),
        AnswerField::new("decision", Kind::OneOf(&["block"]), LikeExitTwo),
        AnswerField::new("reason", Kind::Text, Effect::None),
        AnswerField::new("hookSpecificOutput", Kind::Any, Effect::None),
    ],
    specific: &[CONTEXT],
    merge: MergeClass::Output,
    ..EventRow::BLANK
};
#[rustfmt::skip]
const EVENTS: &[EventRow] = &[
    EventRow {
        name: "PreToolUse", when: "before every tool", fields: &[TOOL_NAME, TOOL_INPUT],
        specific: &[
            AnswerField::new("permissionDecision", Kind::OneOf(&["allow", "deny", "ask"]), Can(Deny)),
            AnswerField::new("permissionDecisionReason", Kind::Text, Effect::None),
            AnswerField::new("updatedInput", Kind::Any, Can(ModifyInput)), CONTEXT,
        ],
        guards: Some("the tool call"), merge: MergeClass::Permission, ..TOOL
    },
    EventRow {
        name: "PostToolUse", when: "after a tool that worked",
        fields: &[
            TOOL_NAME, TOOL_INPUT,
            always("tool_output", "null", "\"Cargo.toml\\nsrc\"", "what the tool gave back, as text"),
            always("tool_result_is_error", "false", "false", "whether it failed"),
        ],
        ..TOOL
    },
    EventRow {
        name: FAILURE, when: "after a tool that failed",
        fields: &[TOOL_NAME, TOOL_INPUT, always("tool_error", "\"\"", "\"no such file\"", "what went wrong")],
        merge: MergeClass::ToolError, ..TOOL
    },
];
const FAILURE: &str = "PostToolUseFailure";

const PLACES: &[SettingsPlace] = &[
    SettingsPlace { root: Root::Home, path: ".claw.json", layer: "user legacy" },
    SettingsPlace { root: Root::Home, path: ".claw/settings.json", layer: "user" },
    SettingsPlace { root: Root::Project, path: ".claw.json", layer: "project legacy" },
    SettingsPlace { root: Root::Project, path: ".claw/settings.json", layer: "project" },
    SettingsPlace { root: Root::Project, path: ".claw/settings.local.json", layer: "local" },
];
const SPECIFIED_PLACES: &[SettingsPlace] = &[
    SettingsPlace { root: Root::Home, path: ".claude.json", layer: "user legacy" },
    SettingsPlace { root: Root::Home, path: ".claude/settings.json", layer: "user" },
    SettingsPlace { root: Root::Project, path: ".claude.json", layer: "project legacy" },
    SettingsPlace { root: Root::Project, path: ".claude/settings.json", layer: "project" },
    SettingsPlace { root: Root::Project, path: ".claude/settings.local.json", layer: "local" },
];

const DEMO: &[ProjectFile] = project_files!("demo/claw":
    "settings.json", "payloads.json", "hooks/advice.sh", "hooks/crashes.sh", "hooks/guard.sh", "hooks/scan.sh"
);
const STARTER: &[ProjectFile] = project_files!("init/claw": ".claude.json", "hooks/guard.sh");

fn newest() -> Profile {
    Profile {
        name: "claw",
        version: "newest".into(),
        about: "Claw: shell commands around every tool, exit 2 denies, stdout becomes feedback",
        changes: CHANGES,
        places: PLACES,
        events: EVENTS.into(),
        unknown: TOOL,
        entry_keys: &["matcher", "hooks", "type", "command"],
        short_circuit: ShortCircuit::OnDeny,
        shell: Shell::Login,
        variables: (&["HOOK_EVENT", "HOOK_TOOL_NAME", "HOOK_TOOL_INPUT", "HOOK_TOOL_IS_ERROR", "HOOK_TOOL_OUTPUT"])
            .into(),
        event_field: "hook_event_name",
        payload: PayloadRule::Closed {
            also: &["tool_input_json", "tool_output", "tool_result_is_error", "tool_error"],
        },
        rule: "stdout may be one JSON object or plain text; exit 2 denies, any other failure blocks too",
        refusal: "{\"decision\":\"block\",\"reason\":\"…\"}",
        json: JsonUse::AnyExit,
        reason_from: Stream::Stdout,
        failure: FailPolicy::Closed,
        merge: DecisionRule::Last,
        call: Some(&call::NEWEST),
        demo: DEMO,
        starter: STARTER,
        ..Profile::default()
    }
}

const CHANGES: &[ChangeRow] = &[ChangeRow {
    since: "newest",
    about: "JSON answers and matchers are read, a failing hook blocks, layers add up, and a failed tool has its own event",
    before: specify,
}];

fn specified() -> Profile {
    let mut profile = newest();
    specify(&mut profile);
    profile
}

fn specify(profile: &mut Profile) {
    profile.version.clear();
    profile.places = SPECIFIED_PLACES;
    profile.layers = Layers::Replace;
    profile.shape = Shape::Strings;
    profile.entry_keys = &[];
    profile.json = JsonUse::Never;
    profile.failure = FailPolicy::Open;
    profile.merge = DecisionRule::AnyDeny;
    profile.call = Some(&call::SPECIFIED);
    profile.rule = "stdout is plain text that becomes feedback; exit 0 allows, exit 2 denies with stdout as the reason, any other exit only warns";
    profile.refusal = "the reason on stdout, and exit 2";
    profile.events.to_mut().retain(|e| e.name != FAILURE);
    profile.change_event("PostToolUse", |e| e.when = "after every tool, failed ones too");
    profile.each_event(|e| {
        e.exit.other = OtherExit::Warns;
        e.bad_entry = Drops::AllFiles;
        e.top = &[];
        e.specific = &[];
    });
}

/// What this host does that can't be a value.
pub const HOST: Host = Host {
    profile: specified,
    detects: settings::detects,
    load: settings::load,
    elsewhere,
    gate,
    driver: |input, profile| driver(input, profile, rules::ClawRules::new),
    at: |version| (version == "newest").then(newest),
};

fn gate(hook: &Hook, payload: &Payload, _profile: &Profile) -> Option<Gate> {
    let (matcher, tool) = (hook.matcher.as_deref()?, payload.text("tool_name").unwrap_or_default());
    let how = "alternatives, `*` wildcard, case does not count";
    let why = || format!("its matcher `{matcher}` ({how}) does not fit `{tool}`");
    (!settings::matcher_fits(matcher, tool)).then(|| Gate::new(GateKind::Matcher, why()))
}
