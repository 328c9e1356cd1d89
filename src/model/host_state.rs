//! What is true of the host and in no payload: how it was started, its environment, the replies of models.
//!
//! Given as JSON by `--host`, cases and bundles; read once, here, and an unknown key is an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::did_you_mean;

/// The state of the host while an event is fired.
#[derive(Debug, Clone, PartialEq, Default, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostState {
    /// Whether somebody sits in front of the screen.
    #[serde(rename = "interactive")]
    pub mode: HostMode,
    /// The project directory; none means where hooks run.
    #[serde(rename = "project_dir", skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Variables of the host's own environment that it goes by; none means those of ours.
    #[serde(rename = "environment", skip_serializing_if = "Option::is_none")]
    pub variables: Option<BTreeMap<String, String>>,
    /// Replies for hooks that ask a model or a tool server, in the order of the hooks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Value>,
    /// How often in a row a Stop hook has kept the agent going.
    #[serde(rename = "consecutive_continuations", skip_serializing_if = "Option::is_none")]
    pub continuations: Option<u32>,
    /// How often it may; none means the host's own cap, zero no cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_hook_block_cap: Option<u32>,
    #[serde(skip_serializing_if = "PermissionRules::is_empty")]
    pub permission_rules: PermissionRules,
    /// What brought the event about, where its payload does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Whether the directory is still there after the hooks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory_exists_after: Option<bool>,
}

/// How the host was started; `true` and `false` in files, two names in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum HostMode {
    /// With a person in front of it; what is meant where nothing is said.
    #[default]
    Interactive,
    /// From a script or a program, with nobody to ask.
    Headless,
}

/// Tools that permission rules of the host speak of.
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PermissionRules {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<String>,
}

impl PermissionRules {
    fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// Why a JSON object is not a host state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostStateError {
    #[error("unknown key `{key}`{hint}; known: {}", KEYS.join(", "))]
    UnknownKey {
        key: String,
        /// The near miss, as a phrase.
        hint: String,
    },
    #[error("{0}")]
    WrongType(String),
}

const KEYS: [&str; 9] = [
    "interactive", "project_dir", "environment", "replies", "consecutive_continuations", "stop_hook_block_cap",
    "permission_rules", "trigger", "directory_exists_after",
];

impl HostState {
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.as_ref()?.get(name).map(String::as_str)
    }

    pub fn read(fields: Map<String, Value>) -> Result<Self, HostStateError> {
        if let Some(key) = fields.keys().find(|k| !KEYS.contains(&k.as_str())) {
            return Err(HostStateError::UnknownKey { hint: did_you_mean(key, KEYS), key: key.clone() });
        }
        // One key at a time, so that the message names the one that is wrong.
        for (key, value) in &fields {
            let alone = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
            if let Err(e) = serde_json::from_value::<Self>(alone) {
                return Err(HostStateError::WrongType(format!("`{key}`: {e}")));
            }
        }
        serde_json::from_value(Value::Object(fields)).map_err(|e| HostStateError::WrongType(e.to_string()))
    }

    /// Its JSON form, as reports and bundles keep it.
    pub fn to_json(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }
}

impl From<bool> for HostMode {
    fn from(interactive: bool) -> Self {
        if interactive { Self::Interactive } else { Self::Headless }
    }
}

impl From<HostMode> for bool {
    fn from(mode: HostMode) -> Self {
        mode == HostMode::Interactive
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<HostState, String> {
        let Value::Object(fields) = value else { panic!("an object") };
        HostState::read(fields).map_err(|e| e.to_string())
    }

    #[test]
    fn nothing_said_means_the_interactive_program() {
        assert_eq!(read(json!({})).unwrap().mode, HostMode::Interactive);
        assert_eq!(HostState::default().to_json(), *json!({"interactive": true}).as_object().unwrap());
        assert_eq!(read(json!({"interactive": false})).unwrap().mode, HostMode::Headless);
    }

    #[test]
    fn unknown_keys_and_wrong_types_are_named() {
        assert!(read(json!({"interactiv": false})).unwrap_err().contains("did you mean `interactive`?"));
        let wrong = read(json!({"replies": [], "consecutive_continuations": "two"})).unwrap_err();
        assert!(wrong.starts_with("`consecutive_continuations`: "), "{wrong}");
    }

    #[test]
    fn what_is_written_is_read_back() {
        let state = read(json!({
            "interactive": false, "project_dir": "/p", "environment": {"A": "1"}, "replies": [{"ok": true}],
            "consecutive_continuations": 3, "permission_rules": {"deny": ["Bash"]}, "trigger": "TaskUpdate"
        }))
        .unwrap();
        assert_eq!(HostState::read(state.to_json()).unwrap(), state);
    }
}
