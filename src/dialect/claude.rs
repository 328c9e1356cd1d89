//! Claude Code: 33 events, hooks of one event in parallel, answers merged in the order they finish.
//!
//! Rules are those observed on 2.1.325; older versions differ by the table in `version`. The replies of `prompt`, `agent` and `mcp_tool` hooks are given by the user.

mod answer;
mod condition;
mod environment;
mod events;
mod facts;
mod matcher;
mod merge;
mod policy;
mod reading;
mod result;
mod rules;
mod says;
mod sees;
mod settings;
mod shell;
mod specials;
mod stdin;
mod tools;
mod versions;

pub use matcher::{Mode, fits as matcher_fits};

use super::call::{self, After, CallRow};
use super::event::Runs;
use super::job::Shell;
use super::profile::project_files;
use super::{
    Concurrency, DecisionRule, Dedupe, EventRow, Forgives, Host, JsonUse, LimitUnit, Order, Profile, ProjectFile, Root,
    SettingsPlace, driver, elsewhere,
};
use crate::model::{FirstOfMatcher, Gate, GateKind, Handler, Hook, Payload, Standing};

#[cfg(target_os = "macos")]
const MANAGED: &str = "Library/Application Support/ClaudeCode/managed-settings.json";
#[cfg(target_os = "macos")]
const MANAGED_PARTS: &str = "Library/Application Support/ClaudeCode/managed-settings.d/*.json";
#[cfg(not(target_os = "macos"))]
const MANAGED: &str = "etc/claude-code/managed-settings.json";
#[cfg(not(target_os = "macos"))]
const MANAGED_PARTS: &str = "etc/claude-code/managed-settings.d/*.json";

const PLACES: &[SettingsPlace] = &[
    SettingsPlace { root: Root::Config("CLAUDE_CONFIG_DIR", ".claude"), path: "settings.json", layer: "user" },
    SettingsPlace { root: Root::Project, path: ".claude/settings.json", layer: "project" },
    SettingsPlace { root: Root::Repository, path: ".claude/settings.local.json", layer: "local" },
    SettingsPlace { root: Root::System, path: MANAGED, layer: "managed" },
    SettingsPlace { root: Root::System, path: MANAGED_PARTS, layer: "managed" },
    SettingsPlace { root: Root::ProjectWith(".claude-plugin/plugin.json"), path: "hooks/hooks.json", layer: "plugin" },
];

const CALL: CallRow = CallRow {
    template: r#"{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_01",
        "tool":{"output":{"stdout":"Cargo.toml\nsrc","stderr":"","interrupted":false}}}"#,
    before: "PreToolUse",
    after: After { event: "PostToolUse", field: "tool_response", flag: None },
    after_failed: None,
    after_error: Some(After { event: "PostToolUseFailure", field: "error", flag: None }),
    failed: None,
    dropped: &["tool", "tool_response", "error", "is_interrupt", "duration_ms", "hook_event_name"],
    raw_input: None,
    input: call::given_input,
    output: std::convert::identity,
    text: call::replaced_output,
    messages: |post| post.system_messages.clone(),
};

const DEMO: &[ProjectFile] = project_files!("demo/claude":
    "settings.json", "payloads.json", "hooks/audit.sh", "hooks/branch.sh", "hooks/exit-one.sh", "hooks/guard.sh",
    "hooks/lint.sh", "hooks/never.sh", "hooks/push-note.sh", "hooks/safe-path.sh", "hooks/slow.sh",
    "hooks/tests-pass.sh"
);
const STARTER: &[ProjectFile] = project_files!("init/claude": ".claude/settings.json", ".claude/hooks/guard.sh");

fn profile() -> Profile {
    Profile {
        name: "claude",
        version: versions::NEWEST.into(),
        about: "Claude Code: commands in parallel, exit 2 blocks, JSON answers decide, deny before ask before allow",
        changes: versions::CHANGES,
        places: PLACES,
        events: events::EVENTS.into(),
        unknown: events::BASE_ROW,
        entry_keys: settings::HANDLER_KEYS,
        aliases: matcher::ALIASES,
        order: Order::Layers,
        dedupe: Dedupe::Command,
        concurrency: Concurrency::Parallel,
        shell: Shell::Host,
        variables: environment::ADDED.into(),
        project_variable: Some("CLAUDE_PROJECT_DIR"),
        host_variables: environment::HOST_VARIABLES,
        event_field: "hook_event_name",
        continued_field: Some("stop_hook_active"),
        specific_key: "hookSpecificOutput",
        base_fields: events::BASE,
        tools: tools::TOOLS,
        limit_unit: LimitUnit::Seconds,
        json: JsonUse::AnyExit,
        forgives: Forgives::Mark,
        rule: "stdout that begins with { and ends with } is read as one JSON object, anything else is plain text; exit 2 blocks with stderr as the reason",
        refusal: "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"…\"}}",
        failure_key: Some("onFailure"),
        merge: DecisionRule::Strictest,
        switches: &["disableAllHooks", "allowManagedHooksOnly"],
        call: Some(&CALL),
        demo: DEMO,
        starter: STARTER,
        ..Profile::default()
    }
}

/// What this host does that can't be a value.
pub const HOST: Host = Host {
    profile,
    detects: settings::detects,
    load: settings::load,
    elsewhere: other_event,
    gate,
    driver: |input, profile| driver(input, profile, rules::ClaudeRules::new),
    at: versions::at,
};

fn gate(hook: &Hook, payload: &Payload, profile: &Profile) -> Option<Gate> {
    let row = &profile.row(&payload.event);
    let aliases = profile.aliases;
    if let Some(why) = matcher::mismatch(hook.matcher.as_deref(), payload, row, aliases) {
        return Some(Gate::new(GateKind::Matcher, why));
    }
    let condition = hook.options.condition.as_deref();
    if let Some(why) = condition.and_then(|rule| condition::mismatch(rule, payload, row)) {
        return Some(Gate::new(GateKind::Condition, why));
    }
    if hook.standing != Standing::Active {
        return None;
    }
    // Only one of them runs: the first whose matcher fits.
    let before = hook.options.duplicates.as_ref().map_or(&[][..], |d| &d.all[..d.before]);
    let fits = |e: &&FirstOfMatcher| matcher::mismatch(e.matcher.as_deref(), payload, row, aliases).is_none();
    if let Some(first) = before.iter().find(fits) {
        let place = first.place.as_ref().map_or_else(|| "another place".to_string(), ToString::to_string);
        let why = format!(
            "the same command with the same `if` is configured at {place}; the host runs it once, with the last one's options"
        );
        return Some(Gate::new(GateKind::Duplicate, why));
    }
    unsupported(hook, payload, row).map(|why| Gate::new(GateKind::Policy, why))
}

/// Why the host does not run this type of handler on its event; none if it does.
fn unsupported(hook: &Hook, payload: &Payload, row: &EventRow) -> Option<String> {
    let (event, kind) = (&hook.event, hook.configured().word());
    let runs = match hook.configured() {
        Handler::Http { .. } => row.handlers.http,
        Handler::McpTool { .. } => row.handlers.mcp_tool,
        Handler::Prompt { .. } => row.handlers.prompt,
        Handler::Agent { .. } => row.handlers.agent,
        _ => Runs::Always,
    };
    match runs {
        Runs::Always => None,
        Runs::Never => Some(format!("{kind} hooks are not run on {event}")),
        Runs::Skipped => Some(format!("{kind} hooks are skipped on {event}")),
        Runs::NotAtLaunch if matches!(payload.text("source"), Some("clear" | "compact")) => None,
        Runs::NotAtLaunch => {
            Some(format!("{kind} hooks of {event} are skipped at launch, and run after /clear and compaction"))
        }
    }
}

/// Configured elsewhere; under a name that is almost this one, that is the mistake.
fn other_event(configured: &str, event: &str) -> String {
    let plain = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    if plain(configured) != plain(event) {
        return elsewhere(configured, event);
    }
    format!("it is configured under `{configured}`; the event is `{event}`, and names are read letter by letter")
}
