//! What a hook of Claude Code finds around it: added variables, placeholders, the file for exports.

use serde_json::Value;

use crate::dialect::{EventRow, FiringInput, Profile};
use crate::model::{EnvFile, Handler, Hook, HostMode};

/// Beginnings of names that hooks do not inherit.
pub const WITHOUT: &[&str] = &["OTEL_", "CLAUDE_ENV_FILE", "CLAUDE_EFFORT"];

/// Variables of its own environment the host goes by.
pub const HOST_VARIABLES: &[&str] =
    &["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", "CLAUDE_CODE_SHELL_PREFIX"];

/// Variables that hooks get; `CLAUDE_EFFORT` only where the payload has an effort.
pub const ADDED: &[&str] = &[
    "CLAUDE_PROJECT_DIR", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SESSION_ATTENDED", "AI_AGENT", "COREPACK_ENABLE_AUTO_PIN", "NoDefaultCurrentDirectoryInExePath",
    "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_PID", "CLAUDE_EFFORT",
];

/// The project directory: given as host state, else the payload's.
pub fn project(input: &FiringInput) -> String {
    input.host.project.as_deref().or_else(|| input.payload.text("cwd")).unwrap_or_default().to_string()
}

/// The variables of every hook of this firing.
pub fn common(input: &FiringInput, profile: &Profile) -> Vec<(String, String)> {
    let version = profile.version.replace('.', "-");
    let session = input.payload.text("session_id").unwrap_or_default();
    let (entrypoint, attended) = match input.host.mode {
        HostMode::Interactive => ("cli", "1"),
        HostMode::Headless => ("sdk-cli", "0"),
    };
    let mut env: Vec<(String, String)> = [
        ("CLAUDE_PROJECT_DIR", project(input).as_str()),
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_ENTRYPOINT", entrypoint),
        ("CLAUDE_CODE_SESSION_ID", session),
        ("CLAUDE_CODE_SESSION_ATTENDED", attended),
        ("AI_AGENT", format!("claude-code_{version}_harness").as_str()),
        ("COREPACK_ENABLE_AUTO_PIN", "0"),
        ("NoDefaultCurrentDirectoryInExePath", "1"),
        ("CLAUDE_CODE_CHILD_SESSION", "1"),
        ("CLAUDE_PID", input.pid.to_string().as_str()),
    ]
    .map(|(name, value)| (name.to_string(), value.to_string()))
    .into();
    let effort = input.payload.fields.get("effort").and_then(|e| e.get("level")).and_then(Value::as_str);
    env.extend(effort.map(|level| ("CLAUDE_EFFORT".to_string(), level.to_string())));
    env.retain(|(name, _)| profile.variables.contains(&name.as_str()));
    env
}

/// The directory of the plugin `hook` belongs to, two above its `hooks/hooks.json`.
pub fn plugin_root(hook: &Hook) -> Option<String> {
    let path = hook.origin.place.as_ref().filter(|_| hook.origin.layer.as_ref() == "plugin")?.path.to_string();
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    if parts.last() == Some(&"hooks") {
        parts.pop();
    }
    Some(if parts.is_empty() { ".".into() } else { parts.join("/") })
}

/// Placeholders the host itself replaces, with their values for `hook`.
pub fn placeholders(hook: &Hook, input: &FiringInput) -> Vec<(&'static str, String)> {
    let mut known = vec![("CLAUDE_PROJECT_DIR", project(input))];
    if let Some(root) = plugin_root(hook) {
        let data = format!("{root}/.data");
        known.extend([("CLAUDE_PLUGIN_ROOT", root), ("CLAUDE_PLUGIN_DATA", data)]);
    }
    known
}

/// `text` with `${NAME}` replaced for the known names.
pub fn replace(text: &str, known: &[(&'static str, String)]) -> String {
    known.iter().fold(text.to_string(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}

/// Why the host refuses to start `hook` at all.
pub fn refusal(hook: &Hook) -> Option<String> {
    let (command, shell) = match &hook.handler {
        Handler::Exec { argv } => (argv.first().map_or("", String::as_str), false),
        _ => (hook.name.as_str(), true),
    };
    if command.is_empty() {
        return Some("Failed to run: The argument 'file' cannot be empty. Received ''".into());
    }
    if shell && command.contains("${user_config.") {
        let why = "${user_config.*} cannot be used in a shell command; use the form with args.";
        return Some(format!("Failed to run: {why}"));
    }
    let foreign = command.contains("${CLAUDE_PLUGIN_ROOT}") && plugin_root(hook).is_none();
    let why = "Hook command references ${CLAUDE_PLUGIN_ROOT} but the hook is not associated with a plugin.";
    foreign.then(|| format!("Failed to run: {why}"))
}

/// A command for PowerShell: placeholders become its own variables.
pub fn for_powershell(command: &str) -> String {
    ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"]
        .iter()
        .fold(command.to_string(), |c, name| c.replace(&format!("${{{name}}}"), &format!("${{env:{name}}}")))
}

/// The file a hook of the event of `row` may write exports to.
pub fn note(row: &EventRow, index: usize) -> Option<EnvFile> {
    row.env_file.map(|variable| EnvFile { variable, name: format!("{}-hook-{index}.sh", row.name.to_lowercase()) })
}
