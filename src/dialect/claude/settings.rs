//! Settings of Claude Code: strict JSON in layers that are merged, with the host's own consequences for what is wrong.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::conduct::conduct;
use super::{Claude, events::EVENTS};
use crate::diag::{Diagnostic, Source};
use crate::dialect::{Dialect, Loaded};
use crate::model::doc::{JsonRules, Node, NodeKind, parse_json};
use crate::model::{Handler, Hook, Origin, did_you_mean, short_name};

/// The order in which layers start their hooks.
const LAYERS: [&str; 6] = ["user", "project", "local", "flag", "managed", "plugin"];
/// A broken entry under these drops the whole file.
const STRICT_EVENTS: [&str; 2] = ["PreToolUse", "PermissionRequest"];

/// Whether `source` has matcher groups with typed handlers.
pub fn recognises(source: &Source) -> bool {
    let Ok(doc) = parse_json(&source.text, JsonRules::Comments) else { return false };
    if doc.get("disableAllHooks").is_some() || doc.get("allowManagedHooksOnly").is_some() {
        return true;
    }
    let typed = |h: &Node| h.get("type").is_some_and(|t| t.as_str().is_some());
    let group = |g: &Node| g.get("hooks").and_then(Node::as_array).is_some_and(|hooks| hooks.iter().any(typed));
    let events = doc.get("hooks").and_then(Node::as_object).unwrap_or_default();
    events.iter().any(|e| e.value.as_array().is_some_and(|groups| groups.iter().any(group)))
}

/// Load all layers.
pub fn load(sources: &[Source]) -> Result<Loaded, Box<Diagnostic>> {
    let mut loaded = Loaded::default();
    let mut hooks: Vec<(usize, Hook)> = Vec::new();
    let mut switches = Switches::default();
    for (index, source) in sources.iter().enumerate() {
        let doc = parse_json(&source.text, JsonRules::Strict).map_err(|e| {
            let diagnostic = Diagnostic::error("invalid-json", format!("not valid JSON: {e}"));
            Box::new(
                diagnostic
                    .consequence("the host ignores this file without a word; the hooks of other files stay")
                    .at(source, e.span),
            )
        })?;
        switches.read(source, &doc);
        let prefix = if index == 0 { String::new() } else { format!("{}:", index + 1) };
        let mut reader = Reader { source, found: Vec::new(), fatal: None, prefix };
        let mut own = reader.events(&doc);
        if let Some(why) = &reader.fatal {
            for hook in &mut own {
                hook.options.insert("not_loaded".into(), json!(format!("the host drops the whole file: {why}")));
            }
        }
        loaded.diagnostics.append(&mut reader.found);
        let rank = LAYERS.iter().position(|l| *l == source.layer.as_ref()).unwrap_or(LAYERS.len());
        hooks.extend(own.into_iter().map(|h| (rank, h)));
    }
    hooks.sort_by_key(|(rank, _)| *rank);
    let mut hooks: Vec<Hook> = hooks.into_iter().map(|(_, h)| h).collect();
    switches.apply(&mut hooks);
    mark_duplicates(&mut hooks);
    loaded.hooks.append(hooks);
    loaded.hooks.tell_labels_apart();
    Ok(loaded)
}

/// `disableAllHooks` and `allowManagedHooksOnly` after precedence.
#[derive(Default)]
struct Switches {
    disabled: Option<(usize, bool, String)>,
    managed_disables: bool,
    managed_only: bool,
    http_urls: Option<Vec<String>>,
}

impl Switches {
    fn read(&mut self, source: &Source, doc: &Node) {
        let managed = source.layer.as_ref() == "managed";
        if let Some(NodeKind::Bool(off)) = doc.get("disableAllHooks").map(|n| &n.kind) {
            let rank = ["user", "project", "local", "flag", "managed"]
                .iter()
                .position(|l| *l == source.layer.as_ref())
                .unwrap_or(0);
            if self.disabled.as_ref().is_none_or(|(r, _, _)| rank >= *r) {
                self.disabled = Some((rank, *off, source.path.to_string()));
            }
            self.managed_disables |= managed && *off;
        }
        if let Some(urls) = doc.get("allowedHttpHookUrls").and_then(Node::as_array) {
            self.http_urls.get_or_insert_default().extend(urls.iter().filter_map(|u| u.as_str().map(str::to_string)));
        }
        if let Some(node) = doc.get("allowManagedHooksOnly").filter(|_| managed) {
            self.managed_only = node.kind != NodeKind::Bool(false);
        }
    }

    fn url_refused(&self, hook: &Hook) -> bool {
        let Handler::Reply { kind, text } = &hook.handler else { return false };
        let fits = |pattern: &String| super::condition::wildcard(&pattern.to_lowercase(), &text.to_lowercase());
        kind == "http" && self.http_urls.as_ref().is_some_and(|urls| !urls.iter().any(fits))
    }

    fn apply(&self, hooks: &mut [Hook]) {
        for hook in hooks {
            let managed = hook.origin.layer.as_ref() == "managed";
            let off = match &self.disabled {
                Some((_, true, path)) if !managed || self.managed_disables => {
                    Some(format!("`disableAllHooks` is true in {path}"))
                }
                _ if self.url_refused(hook) => Some("its url is not in allowedHttpHookUrls".to_string()),
                _ if self.managed_only && !managed => {
                    Some("managed settings allow only managed hooks (allowManagedHooksOnly)".to_string())
                }
                _ => None,
            };
            if let Some(why) = off {
                hook.options.insert("off".into(), json!(why));
            }
        }
    }
}

/// The same command with the same arguments and `if` under one event runs once: the first one's place, the last one's
/// options. Plugins keep their copies.
fn mark_duplicates(hooks: &mut [Hook]) {
    let key =
        |h: &Hook| (h.event.clone(), h.options.get("identity").map(Value::to_string), h.options.get("if").cloned());
    for at in 0..hooks.len() {
        if hooks[at].origin.layer.as_ref() == "plugin" || hooks[at].options.contains_key("not_loaded") {
            continue;
        }
        let first = (0..at).find(|i| {
            let other = &hooks[*i];
            key(other) == key(&hooks[at])
                && other.origin.layer.as_ref() != "plugin"
                && !other.options.contains_key("duplicate_of")
                && !other.options.contains_key("not_loaded")
        });
        if let Some(first) = first {
            let place =
                hooks[first].origin.place.as_ref().map_or_else(|| "another place".to_string(), ToString::to_string);
            hooks[first].timeout = hooks[at].timeout;
            for option in ["async", "asyncRewake", "onFailure"] {
                match hooks[at].options.get(option).cloned() {
                    Some(value) => hooks[first].options.insert(option.into(), value),
                    None => hooks[first].options.remove(option),
                };
            }
            let matcher = hooks[first].matcher.clone();
            hooks[at].options.insert("duplicate_of".into(), json!(place));
            hooks[at].options.insert("duplicate_matcher".into(), json!(matcher));
        }
    }
}

/// Events on which every type of handler runs.
const ALL_TYPES: [&str; 13] = [
    "PermissionRequest",
    "PermissionDenied",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreToolUse",
    "Stop",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "TeammateIdle",
    "UserPromptExpansion",
    "UserPromptSubmit",
];

/// Why the host does not run this type of handler on its event; none if it does.
pub fn unsupported(hook: &Hook) -> Option<String> {
    let event = hook.event.as_str();
    match hook.options.get("type").and_then(Value::as_str) {
        Some("http") if ["SessionStart", "Setup"].contains(&hook.event.as_str()) => {
            Some(format!("http hooks are not run on {}", hook.event))
        }
        Some(kind @ ("prompt" | "agent")) if !ALL_TYPES.contains(&event) => {
            Some(format!("{kind} hooks are not run on {event}"))
        }
        Some("mcp_tool") if event == "Setup" => Some("mcp_tool hooks are not run on Setup".into()),
        Some("agent") if event == "PermissionRequest" => Some("agent hooks are skipped on PermissionRequest".into()),
        _ => None,
    }
}

struct Reader<'a> {
    source: &'a Source,
    found: Vec<Diagnostic>,
    fatal: Option<String>,
    prefix: String,
}

impl Reader<'_> {
    /// An entry the host rejects: alone, or with its whole file.
    fn reject(&mut self, event: &str, message: &str, node: &Node) {
        let strict = STRICT_EVENTS.contains(&event);
        let consequence = if strict {
            "the host drops this whole file, other hooks and settings in it included"
        } else {
            "the host ignores this entry alone"
        };
        if strict {
            let place = self.source.place(node.span.start);
            self.fatal.get_or_insert_with(|| format!("{message} at {place}"));
        }
        self.found
            .push(Diagnostic::error("invalid-entry", message).consequence(consequence).at(self.source, node.span));
    }

    fn events(&mut self, doc: &Node) -> Vec<Hook> {
        let mut hooks = Vec::new();
        let Some(node) = doc.get("hooks") else { return hooks };
        let Some(events) = node.as_object() else {
            self.reject("", "`hooks` must be an object of events", node);
            return hooks;
        };
        for event in events {
            if Claude.event(&event.key).is_none() {
                let message =
                    format!("unknown event `{}`{}", event.key, did_you_mean(&event.key, EVENTS.iter().map(|e| e.name)));
                let diagnostic = Diagnostic::error("unknown-event", message)
                    .consequence("the host ignores it, so these hooks never run");
                self.found.push(diagnostic.at(self.source, event.key_span));
            }
            let Some(groups) = event.value.as_array() else {
                self.reject(&event.key, &format!("`{}` must be a list of matcher groups", event.key), &event.value);
                continue;
            };
            for (index, group) in groups.iter().enumerate() {
                hooks.extend(self.group(&event.key, group, index));
            }
        }
        hooks
    }

    fn group(&mut self, event: &str, group: &Node, index: usize) -> Vec<Hook> {
        let matcher = match group.get("matcher").map(|m| (m.as_str(), m)) {
            None => None,
            Some((Some(text), _)) => Some(text.to_string()),
            Some((None, other)) => {
                self.reject(event, &format!("`matcher` must be a string, found {}", other.word()), other);
                return Vec::new();
            }
        };
        let Some(handlers) = group.get("hooks").and_then(Node::as_array) else {
            self.reject(event, "a matcher group needs a list `hooks`", group);
            return Vec::new();
        };
        let prefix = self.prefix.clone();
        handlers
            .iter()
            .enumerate()
            .filter_map(|(at, node)| {
                self.handler(
                    event,
                    matcher.as_deref(),
                    node,
                    &format!("{prefix}hooks.{event}[{index}].hooks[{at}]"),
                    index,
                )
            })
            .collect()
    }

    fn handler(&mut self, event: &str, matcher: Option<&str>, node: &Node, id: &str, group: usize) -> Option<Hook> {
        let text = |key: &str| node.get(key).and_then(Node::as_str);
        let kind = text("type").unwrap_or_default().to_string();
        let mut options = Map::new();
        let (handler, name) = match kind.as_str() {
            "command" => {
                let Some(command) = text("command") else {
                    self.reject(event, "a command hook needs `command` as text", node);
                    return None;
                };
                match node.get("args").map(|a| (a.as_array(), a)) {
                    None => {
                        options.insert("identity".into(), json!([command]));
                        (Handler::Shell { command: command.into() }, command.to_string())
                    }
                    Some((Some(args), _)) if args.iter().all(|a| a.as_str().is_some()) => {
                        let argv: Vec<String> = std::iter::once(command)
                            .chain(args.iter().filter_map(Node::as_str))
                            .map(str::to_string)
                            .collect();
                        options.insert("identity".into(), json!(["exec", argv]));
                        (Handler::Exec { argv: argv.clone() }, argv.join(" "))
                    }
                    Some((_, other)) => {
                        self.reject(event, "`args` must be a list of strings", other);
                        return None;
                    }
                }
            }
            "prompt" | "agent" | "mcp_tool" | "http" => {
                let key = match kind.as_str() {
                    "http" => "url",
                    "mcp_tool" => "tool",
                    _ => "prompt",
                };
                let Some(what) = text(key) else {
                    self.reject(event, &format!("a {kind} hook needs `{key}` as text"), node);
                    return None;
                };
                options.insert("identity".into(), json!([kind, what]));
                (Handler::Reply { kind: kind.clone(), text: what.into() }, what.to_string())
            }
            _ => {
                let at = node.get("type").unwrap_or(node);
                self.reject(event, "`type` must be command, http, mcp_tool, prompt or agent", at);
                return None;
            }
        };
        let timeout = match node.get("timeout").map(|t| (&t.kind, t)) {
            None => None,
            Some((NodeKind::Number(n), _)) if n.as_f64().is_some_and(|s| s > 0.0 && s < 1e9) => n.as_f64(),
            Some((_, other)) => {
                self.reject(event, "`timeout` must be a number of seconds above 0", other);
                return None;
            }
        };
        let default = match kind.as_str() {
            "prompt" => 30.0,
            "agent" => 60.0,
            _ => conduct(event).timeout,
        };
        for key in
            ["if", "onFailure", "async", "asyncRewake", "continueOnBlock", "statusMessage", "headers", "allowedEnvVars"]
        {
            if let Some(value) = node.get(key) {
                options.insert(key.into(), value.to_value());
            }
        }
        options.insert("type".into(), json!(kind));
        Some(Hook {
            id: id.into(),
            host_id: Claude.host_id(event, &handler, group),
            label: if kind == "command" { short_name(&name) } else { format!("{kind}: {name}") },
            name,
            event: event.into(),
            matcher: matcher.map(str::to_string),
            handler,
            timeout: Some(Duration::from_secs_f64(timeout.unwrap_or(default))),
            group,
            origin: Origin {
                place: Some(self.source.place(node.span.start)),
                layer: Arc::clone(&self.source.layer),
                scope: None,
            },
            options,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Loaded {
        load(&[Source::new("settings.json", "project", text)]).unwrap()
    }

    #[test]
    fn a_bad_entry_drops_its_file_only_under_the_strict_events() {
        let good = r#"{"hooks":[{"type":"command","command":"a"}]}"#;
        let strict =
            loaded(&format!(r#"{{"hooks":{{"PreToolUse":[{good},{{"matcher":null,"hooks":[]}}],"Stop":[{good}]}}}}"#));
        assert!(strict.hooks.hooks.iter().all(|h| h.options.contains_key("not_loaded")));
        let mild =
            loaded(&format!(r#"{{"hooks":{{"PreToolUse":[{good}],"Stop":[{good},{{"matcher":7,"hooks":[]}}]}}}}"#));
        assert!(mild.hooks.hooks.iter().all(|h| !h.options.contains_key("not_loaded")) && mild.diagnostics.len() == 1);
    }

    #[test]
    fn duplicates_keep_the_first_place_and_the_last_options() {
        let hook = |timeout: u32| format!(r#"{{"type":"command","command":"a","timeout":{timeout}}}"#);
        let loaded = loaded(&format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{},{}]}}]}}}}"#, hook(10), hook(1)));
        let hooks = &loaded.hooks.hooks;
        assert_eq!(hooks[0].timeout, Some(Duration::from_secs(1)));
        assert!(hooks[1].options.contains_key("duplicate_of"));
    }
}
