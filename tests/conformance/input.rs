//! What a vector feeds in: settings files, the event, the host's state. Never what it expects.
//!
//! The only place that turns vectors into inputs; the conformance runners and the report snapshots both use it.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::sync::Arc;

use hookdbg::engine::Request;
use hookdbg::model::{HostState, Payload};
use serde_json::{Map, Value, json};

use crate::scene::Scene;
use crate::stand_ins;

/// What the vector does with its hooks.
pub enum Act {
    /// Only asks which hooks would run.
    Plan(Payload),
    /// One event.
    Fire(Payload),
    /// A whole tool call.
    Call(Map<String, Value>),
}

/// A vector without its expectations.
pub struct Input {
    /// The dialect, with its version.
    pub dialect: &'static str,
    /// Layer and text of each settings file, in the order of the layers.
    pub files: Vec<(String, String)>,
    /// The event or call.
    pub act: Act,
    /// Variables the hooks get beside those of the test.
    pub env: Vec<(String, String)>,
    host: HostState,
}

/// What a Claude vector may say about the host beside the event: the keys of the vector format that hookdbg knows.
const HOST_KEYS: [&str; 5] =
    ["interactive", "permission_rules", "consecutive_continuations", "trigger", "directory_exists_after"];

impl Input {
    /// The input of `vector`, whose macros `scene` has already replaced.
    pub fn of(system: &str, vector: &Value, scene: &Scene) -> Self {
        let object = |key: &str| vector[key].as_object().cloned().unwrap_or_default();
        let texts = object("env").into_iter().map(|(k, v)| (k, v.as_str().expect("a text variable").to_string()));
        let mut input = Self {
            dialect: "goat",
            files: vec![("project".into(), vector["config"].to_string())],
            act: Act::Call(object("event")),
            env: texts.collect(),
            host: HostState::default(),
        };
        match system {
            "goat" => {
                let event = &vector["event"];
                input.act = if let Some(turn) = event.get("turn").and_then(Value::as_object) {
                    Act::Call(turn.clone())
                } else {
                    let fields = event["input"].as_object().cloned().unwrap_or_default();
                    Act::Fire(Payload::new(event["name"].as_str().expect("an event name"), fields))
                };
            }
            "claw" => {
                input.dialect = if vector["profile"] == "newest" { "claw@newest" } else { "claw" };
                if let Some(layers) = vector.get("layers").and_then(Value::as_object) {
                    let order = ["user legacy", "user", "project legacy", "project", "local"];
                    let files = order.iter().filter_map(|l| Some(((*l).to_string(), layers.get(*l)?.to_string())));
                    input.files = files.collect();
                }
            }
            "massgen" => input.dialect = "massgen",
            "armament" => {
                input.dialect = "armament";
                let point = vector["event"]["point"].as_str().expect("a point");
                input.act = Act::Fire(Payload::new(point, object("event")));
            }
            "claude" => input.claude(vector, scene),
            other => panic!("no dialect `{other}`"),
        }
        input
    }

    fn claude(&mut self, vector: &Value, scene: &Scene) {
        self.dialect = "claude";
        let event = vector["event"].as_str().expect("an event");
        let hooks = vector["hooks"].as_array().expect("hooks");
        let group = |hooks: Vec<Value>| {
            let mut group = json!({"hooks": hooks});
            if let Some(matcher) = vector.get("matcher") {
                group["matcher"] = matcher.clone();
            }
            json!({"hooks": {event: [group]}}).to_string()
        };
        let payload = stand_ins::payload(vector);
        if vector["kind"] == "decision" {
            let (entries, replies) = stand_ins::entries(scene, hooks, event);
            self.files = vec![("project".into(), group(entries))];
            self.act = Act::Fire(payload);
            let given = HOST_KEYS.iter().filter_map(|k| Some(((*k).to_string(), vector.get(*k)?.clone())));
            self.host = HostState { replies, ..HostState::read(given.collect()).expect("a host state") };
            let path = format!("{}:{}", scene.path().display(), std::env::var("PATH").unwrap_or_default());
            self.env.push(("PATH".into(), path));
            return;
        }
        self.act = Act::Plan(payload);
        self.files = match vector["kind"].as_str() {
            Some("dedupe") => hooks.iter().map(|h| (stand_ins::layer(h).into(), group(vec![h.clone()]))).collect(),
            Some("if") => {
                let entry = json!({"type": "command", "command": "x", "if": vector["if"]});
                vec![("project".into(), group(vec![entry]))]
            }
            _ => vec![("project".into(), group(vec![json!({"type": "command", "command": "x"})]))],
        };
    }

    /// A request for `payload` under the host's state of this vector.
    pub fn request(&self, payload: Payload) -> Request {
        Request { host: Arc::new(self.host.clone()), ..Request::new(payload) }
    }
}
