//! Goat's settings: the JSON form that mirrors the host's own type, and the front matter of an agent definition.
//! A broken entry becomes a diagnostic; the healthy ones beside it load.

use std::time::Duration;

use serde_json::Value;

use crate::diag::{Diagnostic, Source};
use crate::dialect::document::{Findings, json, unknown_event, yaml};
use crate::dialect::{LoadResult, Profile};
use crate::model::doc::{JsonRules, Node, NodeKind};
use crate::model::{Handler, Hook, HookSet};

const TOP_KEYS: [&str; 3] = ["session", "hooks", "scoped"];
const IGNORED: &str = "it is ignored";
const NOT_LOADED: &str = "this entry is not loaded; the others are";

/// Whether `source` has this host's shape.
pub fn detects(source: &Source) -> bool {
    if front_matter(&source.text).is_some() {
        return true;
    }
    let Ok(doc) = json(source, JsonRules::Comments) else { return false };
    let entry_shape = |node: &Node| node.get("commands").is_some() || node.get("hooks").is_some_and(has_stub);
    let has_entry = |hooks: &Node| {
        hooks.as_object().is_some_and(|events| {
            events.iter().any(|e| e.value.as_array().is_some_and(|entries| entries.iter().any(entry_shape)))
        })
    };
    doc.get("scoped").is_some() || doc.get("session").is_some() || doc.get("hooks").is_some_and(has_entry)
}

fn has_stub(hooks: &Node) -> bool {
    hooks.as_array().is_some_and(|h| h.iter().any(|s| s.get("output").is_some() || s.get("error").is_some()))
}

/// Load all files, later `session` fields over earlier ones, hooks one file after the other.
pub fn load(sources: &[Source], profile: &Profile) -> Result<LoadResult, Box<Diagnostic>> {
    let mut loaded = LoadResult::default();
    for source in sources {
        let found = Findings { source, all: &mut loaded.diagnostics };
        let mut reader = Reader { profile, set: &mut loaded.hooks, found };
        match front_matter(&source.text) {
            Some(head) => reader.agent(&yaml(&Source::new(source.path.clone(), source.layer.clone(), head))?),
            None => reader.settings(&json(source, JsonRules::Comments)?),
        }
    }
    loaded.hooks.disambiguate_labels();
    Ok(loaded)
}

/// The text from the opening `---` up to the closing one: a YAML document whose places are those of the file.
fn front_matter(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let offset = text.len() - rest.len();
    let mut at = offset;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return text.get(..at);
        }
        at += line.len();
    }
    None
}

struct Reader<'a> {
    profile: &'a Profile,
    set: &'a mut HookSet,
    found: Findings<'a>,
}

impl Reader<'_> {
    fn wrong_type(&mut self, what: &str, expected: &str, node: &Node) {
        let message = format!("{what} must be {expected}, found {}", node.word());
        self.found.error("wrong-type", message, NOT_LOADED, node.span);
    }

    fn settings(&mut self, doc: &Node) {
        let Some(entries) = doc.as_object() else { return self.wrong_type("the settings", "an object", doc) };
        for entry in entries {
            match entry.key.as_str() {
                "session" => self.session(&entry.value),
                "hooks" => {
                    let hooks = self.events(&entry.value);
                    self.set.append(hooks);
                }
                "scoped" => self.scopes(&entry.value),
                _ => self.found.unknown_key(entry, &TOP_KEYS, IGNORED),
            }
        }
    }

    fn session(&mut self, node: &Node) {
        let Some(entries) = node.as_object() else { return self.wrong_type("`session`", "an object", node) };
        let known: Vec<_> = self.profile.base_fields.iter().map(|f| f.name).collect();
        for entry in entries {
            if !known.contains(&entry.key.as_str()) {
                self.found.unknown_key(entry, &known, IGNORED);
            } else if entry.value.as_str().is_none() {
                self.wrong_type(&format!("`session.{}`", entry.key), "text", &entry.value);
            } else {
                self.set.session.insert(entry.key.clone(), entry.value.to_value());
            }
        }
    }

    fn scopes(&mut self, node: &Node) {
        let Some(operations) = node.as_array() else { return self.wrong_type("`scoped`", "a list", node) };
        for operation in operations {
            let Some(id) = operation.get("id").and_then(Node::as_str).filter(|id| !id.is_empty()) else {
                let message = "a scoped entry needs the agent's `id` as text";
                self.found.error("missing-id", message, NOT_LOADED, operation.span);
                continue;
            };
            match operation.get("op").map_or(Some("register"), Node::as_str) {
                Some("register") => {
                    let hooks = operation.get("hooks").map_or_else(Vec::new, |h| self.events(h));
                    self.set.register_scope(id, hooks);
                }
                Some("unregister") => self.set.unregister_scope(id),
                other => {
                    let message =
                        format!("unknown operation {}", other.map_or("that is not text".into(), |o| format!("`{o}`")));
                    let diagnostic =
                        Diagnostic::error("unknown-operation", message).help("write register or unregister");
                    self.found.add(diagnostic.consequence(NOT_LOADED), operation.span);
                }
            }
        }
    }

    /// An agent definition: its hooks live and die with that agent.
    fn agent(&mut self, doc: &Node) {
        let stem = self.found.source.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
        let id = doc.get("name").and_then(Node::as_str).unwrap_or(stem).to_string();
        if let Some(hooks) = doc.get("hooks") {
            let hooks = self.events(hooks);
            self.set.register_scope(&id, hooks);
        }
    }

    fn events(&mut self, node: &Node) -> Vec<Hook> {
        let mut hooks = Vec::new();
        let Some(events) = node.as_object() else {
            self.wrong_type("`hooks`", "an object of events", node);
            return hooks;
        };
        let mut group = 0;
        for event in events {
            if let Some(message) = unknown_event(self.profile, &event.key) {
                let consequence = "the host never fires it, so these hooks never run";
                self.found.error("unknown-event", message, consequence, event.key_span);
            }
            let Some(entries) = event.value.as_array() else {
                self.wrong_type(&format!("`{}`", event.key), "a list of matcher entries", &event.value);
                continue;
            };
            for entry in entries {
                hooks.extend(self.entry(entry, &event.key, group));
                group += 1;
            }
        }
        hooks
    }

    fn entry(&mut self, node: &Node, event: &str, group: usize) -> Vec<Hook> {
        if node.as_object().is_none() {
            self.wrong_type(&format!("an entry of `{event}`"), "an object", node);
            return Vec::new();
        }
        self.found.unknown_keys(node, self.profile.entry_keys, IGNORED);
        let (Ok(matcher), Ok(timeout)) = (self.matcher(node), self.timeout(node)) else { return Vec::new() };
        let mut hooks = Vec::new();
        let mut add = |reader: &Self, handler: Handler, name: String, index: usize, at: &Node| {
            let host_id = reader.profile.host_id(event, &handler, index);
            let hook = Hook::new(reader.found.source, at.span.start, event, handler, name);
            hooks.push(Hook { host_id, matcher: matcher.clone(), timeout, group, ..hook });
        };
        for (index, stub) in self.list(node, "hooks").into_iter().flatten().enumerate() {
            if let Some((name, answer)) = self.stub(stub) {
                add(self, Handler::Stub { answer }, name, index, stub);
            }
        }
        for list in ["commands", "hookcallbackids"] {
            for (index, command) in self.list(node, list).into_iter().flatten().enumerate() {
                match command.as_str() {
                    Some(text) => add(self, Handler::Shell { command: text.into() }, text.into(), index, command),
                    None => self.wrong_type(&format!("an item of `{list}`"), "a command as text", command),
                }
            }
        }
        hooks
    }

    fn list<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n [Node]> {
        let value = node.get(key).filter(|v| v.kind != NodeKind::Null)?;
        if value.as_array().is_none() {
            self.wrong_type(&format!("`{key}`"), "a list", value);
        }
        value.as_array()
    }

    fn matcher(&mut self, node: &Node) -> Result<Option<String>, ()> {
        match node.get("matcher").map(|m| (m, &m.kind)) {
            None | Some((_, NodeKind::Null)) => Ok(None),
            Some((_, NodeKind::String(text))) => Ok(Some(text.clone())),
            Some((other, _)) => {
                self.wrong_type("`matcher`", "text", other);
                Err(())
            }
        }
    }

    fn timeout(&mut self, node: &Node) -> Result<Option<Duration>, ()> {
        let Some(value) = node.get("timeout") else { return Ok(None) };
        match &value.kind {
            NodeKind::Null => Ok(None),
            NodeKind::Number(n) if n.is_i64() || n.is_u64() => {
                if n.as_i64().is_some_and(|s| s < 0) {
                    let diagnostic = Diagnostic::warning("negative-timeout", "a timeout below zero is no limit at all");
                    self.found.add(diagnostic.help("write seconds above 0, or leave it out"), value.span);
                }
                Ok(self.profile.limit(value))
            }
            _ => {
                self.wrong_type("`timeout`", "a whole number of seconds", value);
                Err(())
            }
        }
    }

    fn stub(&mut self, node: &Node) -> Option<(String, Result<Value, String>)> {
        let name = node.get("name").and_then(Node::as_str);
        let answer = match (node.get("output"), node.get("error").and_then(Node::as_str)) {
            (_, Some(error)) => Some(Err(error.to_string())),
            (Some(output), None) => Some(Ok(output.to_value())),
            (None, None) => None,
        };
        if let (Some(name), Some(answer)) = (name, answer) {
            return Some((name.to_string(), answer));
        }
        let diagnostic =
            Diagnostic::error("bad-stub", "an entry of `hooks` is {\"name\", \"output\"} or {\"name\", \"error\"}");
        self.found.add(diagnostic.help("put shell commands under `commands`").consequence(NOT_LOADED), node.span);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> LoadResult {
        load(&[Source::new("s.json", "project", text)], &super::super::profile()).unwrap()
    }

    #[test]
    fn a_broken_entry_never_hides_the_healthy_ones() {
        let loaded = loaded(
            r#"{"hooks":{"PreToolUse":[{"matcher":7,"commands":["a"]},{"timeout":"x","commands":["b"]},
               {"commands":["c",1,"d"]},"e"],"PreTolUse":[{"commands":["f"]}],"Stop":{}},"hoks":1}"#,
        );
        let names: Vec<_> = loaded.hooks.hooks.iter().map(|h| h.name.as_str()).collect();
        assert_eq!(names, ["c", "d", "f"]);
        let ids: Vec<_> = loaded.diagnostics.iter().map(|d| d.id).collect();
        assert_eq!(
            ids,
            ["wrong-type", "wrong-type", "wrong-type", "wrong-type", "unknown-event", "wrong-type", "unknown-key"]
        );
        assert!(loaded.diagnostics.iter().all(|d| d.place.is_some()));
        assert!(loaded.diagnostics[4].message.contains("did you mean `PreToolUse`"));
    }

    #[test]
    fn every_hook_knows_its_place() {
        let loaded = loaded("{\n \"hooks\": {\n  \"Stop\": [\n   {\"commands\": [\"./a.sh\"]}\n  ]\n }\n}");
        let place = loaded.hooks.hooks[0].origin.place.clone().unwrap();
        assert_eq!((place.line, place.column), (4, 18));
    }

    #[test]
    fn front_matter_gives_scoped_hooks() {
        let text = "---\nname: scout\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hookcallbackids: [./s.sh]\n      timeout: 3\n---\n# Scout\n";
        let source = Source::new("agents/scout.md", "agent", text);
        assert!(detects(&source));
        let hooks = load(&[source], &super::super::profile()).unwrap().hooks;
        assert_eq!(hooks.hooks[0].origin.scope.as_deref(), Some("scout"));
        assert_eq!(hooks.hooks[0].timeout, Some(Duration::from_secs(3)));
        assert_eq!(hooks.hooks[0].origin.place.as_ref().unwrap().line, 6);
    }

    #[test]
    fn front_matter_may_have_windows_line_ends() {
        let text = "---\r\nname: scout\r\nhooks:\r\n  Stop:\r\n    - hookcallbackids: [./s.sh]\r\n      timeout: 300\r\n---\r\nx\r\n";
        let hooks = load(&[Source::new("scout.md", "agent", text)], &super::super::profile()).unwrap().hooks;
        assert_eq!(hooks.hooks[0].timeout, Some(Duration::from_mins(5)));
    }

    #[test]
    fn scopes_before_hooks_in_the_file_still_come_after_them() {
        let loaded = loaded(
            r#"{"scoped":[{"id":"a","hooks":{"Stop":[{"commands":["s"]}]}}],"hooks":{"Stop":[{"commands":["b"]}]}}"#,
        );
        assert_eq!(loaded.hooks.hooks.iter().map(|h| h.name.as_str()).collect::<Vec<_>>(), ["b", "s"]);
    }

    #[test]
    fn registering_a_scope_again_replaces_it_in_its_place() {
        let entry = |id: &str, command: &str| {
            format!(r#"{{"op":"register","id":"{id}","hooks":{{"Stop":[{{"commands":["{command}"]}}]}}}}"#)
        };
        let text = format!("{{\"scoped\":[{},{},{}]}}", entry("a", "one"), entry("b", "two"), entry("a", "three"));
        let names: Vec<_> = loaded(&text).hooks.hooks.iter().map(|h| h.name.clone()).collect();
        assert_eq!(names, ["three", "two"]);
    }
}
