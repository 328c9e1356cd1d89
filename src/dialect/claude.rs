//! Claude Code: 33 events, hooks of one event in parallel, answers merged in the order they finish.
//!
//! Rules are those observed on 2.1.325; older versions differ by the table in `version`. The replies of `prompt`, `agent` and `mcp_tool` hooks are given by the user.

mod answer;
mod call;
mod condition;
mod conduct;
mod environment;
mod events;
mod handlers;
mod matcher;
mod merge;
mod policy;
mod result;
mod says;
mod script;
mod sees;
mod settings;
mod shell;
mod specials;
mod stdin;
mod tools;
mod version;

use serde_json::{Map, Value, json};

use events::EVENTS;
pub use matcher::{Mode, fits as matcher_fits};
pub use version::{CHANGES, ChangeSpec, Rules};

use super::{CallScript, Dialect, EventSpec, FieldSpec, FiringInput, Loaded, Root, Script, ToolSpec, UsualPlace};
use crate::diag::{Diagnostic, Source};
use crate::model::{Gate, GateKind, Handler, Hook, HookSet, Payload};

/// The dialect under the rules of one version.
#[derive(Debug, Clone, Copy)]
pub struct Claude {
    rules: Rules,
}

impl Claude {
    /// The newest version known.
    pub const NEWEST: Self = Self { rules: Rules::NEWEST };
}

#[cfg(target_os = "macos")]
const MANAGED: &str = "Library/Application Support/ClaudeCode/managed-settings.json";
#[cfg(target_os = "macos")]
const MANAGED_PARTS: &str = "Library/Application Support/ClaudeCode/managed-settings.d/*.json";
#[cfg(not(target_os = "macos"))]
const MANAGED: &str = "etc/claude-code/managed-settings.json";
#[cfg(not(target_os = "macos"))]
const MANAGED_PARTS: &str = "etc/claude-code/managed-settings.d/*.json";

const PLACES: &[UsualPlace] = &[
    UsualPlace { root: Root::Config("CLAUDE_CONFIG_DIR", ".claude"), path: "settings.json", layer: "user" },
    UsualPlace { root: Root::Project, path: ".claude/settings.json", layer: "project" },
    UsualPlace { root: Root::Repository, path: ".claude/settings.local.json", layer: "local" },
    UsualPlace { root: Root::System, path: MANAGED, layer: "managed" },
    UsualPlace { root: Root::System, path: MANAGED_PARTS, layer: "managed" },
    UsualPlace { root: Root::ProjectWith(".claude-plugin/plugin.json"), path: "hooks/hooks.json", layer: "plugin" },
];

impl Dialect for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn profile(&self) -> String {
        format!("claude@{}", self.rules.version())
    }

    fn about(&self) -> &'static str {
        "Claude Code: commands in parallel, exit 2 blocks, JSON answers decide, deny before ask before allow"
    }

    fn events(&self) -> &'static [EventSpec] {
        EVENTS
    }

    fn heeded_variables(&self) -> &'static [&'static str] {
        environment::HEEDED
    }

    fn tools(&self) -> &'static [ToolSpec] {
        tools::TOOLS
    }

    fn answers(&self) -> &'static super::answers::AnswerSpec {
        &super::answers::CLAUDE
    }

    fn base_fields(&self) -> &'static [FieldSpec] {
        events::BASE
    }

    fn usual_places(&self) -> &'static [UsualPlace] {
        PLACES
    }

    fn recognises(&self, source: &Source) -> bool {
        settings::recognises(source)
    }

    fn load(&self, sources: &[Source]) -> Result<Loaded, Box<Diagnostic>> {
        settings::load(sources, self.rules)
    }

    fn event_field(&self) -> &'static str {
        "hook_event_name"
    }

    fn check_payload(&self, payload: &Payload) -> Vec<Diagnostic> {
        let Some(spec) = self.event(&payload.event) else { return Vec::new() };
        // The host adds fields from version to version, so an unknown one is no finding; a missing one is.
        let missing = |f: &&FieldSpec| {
            matches!(f.presence, super::Presence::Always { .. }) && !payload.fields.contains_key(f.name)
        };
        let found = spec.fields.iter().filter(missing);
        found
            .map(|f| {
                Diagnostic::warning(
                    "missing-field",
                    format!("{} payloads have `{}`; it is missing here", spec.name, f.name),
                )
            })
            .collect()
    }

    fn gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        if let Some(Value::String(why)) = hook.options.get("not_loaded") {
            return Some(Gate::new(GateKind::File, why.clone()));
        }
        if hook.event != payload.event {
            let why = other_event(&hook.event, &payload.event);
            return Some(Gate::new(GateKind::Event, why));
        }
        if let Some(why) = matcher::mismatch(hook.matcher.as_deref(), payload, self.rules) {
            return Some(Gate::new(GateKind::Matcher, why));
        }
        if let Some(why) = hook
            .options
            .get("if")
            .and_then(Value::as_str)
            .and_then(|rule| condition::mismatch(rule, payload, self.rules))
        {
            return Some(Gate::new(GateKind::Condition, why));
        }
        if let Some(Value::String(why)) = hook.options.get("off") {
            return Some(Gate::new(GateKind::Policy, why.clone()));
        }
        // Only one of them runs: the first whose matcher fits.
        let fits = |e: &&Value| matcher::mismatch(e["matcher"].as_str(), payload, self.rules).is_none();
        let earlier = hook.options.get("earlier").and_then(Value::as_array);
        if let Some(first) = earlier.and_then(|e| e.iter().find(fits)) {
            let why = format!(
                "the same command with the same `if` is configured at {}; the host runs it once, with the last one's options",
                first["place"].as_str().unwrap_or_default()
            );
            return Some(Gate::new(GateKind::Duplicate, why));
        }
        handlers::unsupported(hook, payload, self.rules).map(|why| Gate::new(GateKind::Policy, why))
    }

    fn event(&self, name: &str) -> Option<&'static EventSpec> {
        EVENTS.iter().find(|e| e.name == name).filter(|_| settings::known_event(name, self.rules))
    }

    fn host_id(&self, event: &str, _handler: &Handler, index: usize) -> String {
        format!("{event}-{index}")
    }

    fn script(&self, input: FiringInput) -> Box<dyn Script> {
        Box::new(script::ClaudeFiring::new(input, self.rules))
    }

    fn call(&self, _set: &HookSet, fields: &Map<String, Value>) -> Result<Box<dyn CallScript>, String> {
        Ok(Box::new(call::ClaudeCall::new(fields)?))
    }

    fn call_template(&self) -> Value {
        json!({
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_01",
            "tool": {"output": {"stdout": "Cargo.toml\nsrc", "stderr": "", "interrupted": false}}
        })
    }

    fn at(&self, version: &str) -> Option<std::sync::Arc<dyn Dialect>> {
        Rules::of(version).map(|rules| std::sync::Arc::new(Self { rules }) as std::sync::Arc<dyn Dialect>)
    }

    fn versions(&self) -> &'static [&'static str] {
        version::VERSIONS
    }
}

/// Configured elsewhere; under a name that is almost this one, that is the mistake.
fn other_event(configured: &str, event: &str) -> String {
    let plain = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    if plain(configured) == plain(event) {
        return format!(
            "it is configured under `{configured}`; the event is `{event}`, and names are read letter by letter"
        );
    }
    format!("it is configured under {configured}, and this event is {event}")
}
