//! Massgen's settings: YAML (or JSON) with hooks for everybody and hooks under each agent.

use std::time::Duration;

use crate::diag::{Diagnostic, Source};
use crate::dialect::document::{Findings, json_or_yaml, unknown_event};
use crate::dialect::{LoadResult, Profile};
use crate::model::doc::{Node, NodeKind};
use crate::model::{Handler, Hook, HookOptions, OnFailure, short_name};

const SKIPPED: &str = "this entry is skipped; the others are registered";

/// Whether `source` has entries with handlers.
pub fn detects(source: &Source) -> bool {
    let Ok(doc) = json_or_yaml(source) else { return false };
    let with_handler = |event: &Node| {
        let list = event.as_array().or_else(|| event.get("hooks").and_then(Node::as_array));
        list.is_some_and(|l| l.iter().any(|e| e.get("handler").is_some()))
    };
    let in_hooks = |hooks: &Node| hooks.as_object().is_some_and(|events| events.iter().any(|e| with_handler(&e.value)));
    let agents = doc.get("agents").and_then(Node::as_array).unwrap_or_default();
    doc.get("hooks").is_some_and(in_hooks)
        || agents.iter().any(|a| a.get("backend").and_then(|b| b.get("hooks")).is_some_and(in_hooks))
}

pub fn load(sources: &[Source], profile: &Profile) -> Result<LoadResult, Box<Diagnostic>> {
    let mut loaded = LoadResult::default();
    let (mut global, mut own, mut overrides) = (Vec::new(), Vec::new(), Vec::new());
    for source in sources {
        let doc = json_or_yaml(source)?;
        let mut reader = Reader { profile, found: Findings { source, all: &mut loaded.diagnostics } };
        if let Some(hooks) = doc.get("hooks") {
            global.extend(reader.events(hooks, None, &mut overrides));
        }
        for agent in doc.get("agents").and_then(Node::as_array).unwrap_or_default() {
            let Some(hooks) = agent.get("backend").and_then(|b| b.get("hooks")) else { continue };
            let Some(id) = agent.get("id").and_then(Node::as_str) else {
                let message = "an agent with hooks needs an `id`";
                reader.found.error("missing-id", message, "its hooks apply to nobody", agent.span);
                continue;
            };
            own.extend(reader.events(hooks, Some(id), &mut overrides));
        }
    }
    for hook in &mut global {
        let of_event = overrides.iter().filter(|(_, event)| *event == hook.event);
        hook.options.overridden_for = of_event.map(|(agent, _)| agent.clone()).collect();
    }
    loaded.hooks.append(global);
    loaded.hooks.append_scoped(own);
    loaded.hooks.disambiguate_labels();
    Ok(loaded)
}

struct Reader<'a> {
    profile: &'a Profile,
    found: Findings<'a>,
}

impl Reader<'_> {
    fn wrong_type(&mut self, message: &str, node: &Node, consequence: &str) {
        self.found.error("wrong-type", message, consequence, node.span);
    }

    fn events(&mut self, node: &Node, agent: Option<&str>, overrides: &mut Vec<(String, String)>) -> Vec<Hook> {
        let mut hooks = Vec::new();
        let Some(events) = node.as_object() else {
            if node.kind != NodeKind::Null {
                let message = format!("hooks must be a map of events, found {}", node.word());
                self.wrong_type(&message, node, "none of them is registered");
            }
            return hooks;
        };
        for event in events {
            if event.key == "override" {
                continue;
            }
            if let Some(message) = unknown_event(self.profile, &event.key) {
                self.found.warning("unknown-event", message, "the host never fires it", event.key_span);
            }
            let list = if event.value.as_object().is_some() {
                self.take_override(&event.value, &event.key, agent, overrides);
                match event.value.get("hooks").filter(|l| l.kind != NodeKind::Null) {
                    Some(list) => list,
                    None => continue,
                }
            } else {
                &event.value
            };
            let Some(entries) = list.as_array() else {
                let message = format!("`{}` must be a list, or {{override, hooks}}, found {}", event.key, list.word());
                self.wrong_type(&message, list, "none of its hooks is registered");
                continue;
            };
            for (index, entry) in entries.iter().enumerate() {
                hooks.extend(self.entry(entry, &event.key, agent, index));
            }
        }
        hooks
    }

    fn take_override(&mut self, node: &Node, event: &str, agent: Option<&str>, overrides: &mut Vec<(String, String)>) {
        match node.get("override").map(|o| (&o.kind, o)) {
            Some((NodeKind::Bool(true), _)) => overrides.extend(agent.map(|a| (a.to_string(), event.to_string()))),
            Some((NodeKind::Bool(false), _)) | None => {}
            Some((_, other)) => {
                let message = format!("`override` must be true or false, found {}", other.word());
                self.wrong_type(&message, other, "it is taken as false");
            }
        }
    }

    fn entry(&mut self, node: &Node, event: &str, agent: Option<&str>, index: usize) -> Option<Hook> {
        if node.as_object().is_none() {
            self.wrong_type(&format!("a hook must be a map, found {}", node.word()), node, SKIPPED);
            return None;
        }
        self.found.unknown_keys(node, self.profile.entry_keys, "it is ignored");
        let Some(path) = node.get("handler").and_then(Node::as_str).filter(|h| !h.is_empty()) else {
            self.found.warning("missing-handler", "a hook needs a `handler` as text", SKIPPED, node.span);
            return None;
        };
        let kind = node.get("type").map_or(Some("python"), Node::as_str);
        let handler = match kind {
            Some("python") => Handler::Python { function: path.into() },
            Some("command") => Handler::Program { path: path.into() },
            _ => {
                let at = node.get("type").unwrap_or(node);
                self.found.error("unknown-type", "`type` must be python or command", SKIPPED, at.span);
                return None;
            }
        };
        let matcher = self.matcher(node)?;
        let timeout = self.timeout(node, event)?;
        let mut options = HookOptions::default();
        if let Some(closed) = node.get("fail_closed") {
            match closed.kind {
                NodeKind::Bool(true) => options.on_failure = OnFailure::Blocks,
                NodeKind::Bool(false) => {}
                _ => self.wrong_type("`fail_closed` must be true or false", closed, "it is taken as false"),
            }
        }
        let name = format!("{}_{path}", kind.unwrap_or_default());
        let label = if matches!(handler, Handler::Python { .. }) { path.to_string() } else { short_name(path) };
        let host_id = self.profile.host_id(event, &handler, index);
        let mut hook = Hook::new(self.found.source, node.span.start, event, handler, name);
        hook.origin.scope = agent.map(Into::into);
        Some(Hook { host_id, label, matcher, timeout, group: index, options, ..hook })
    }

    /// None if the entry is broken; otherwise the matcher, which may be missing.
    #[expect(clippy::option_option, reason = "broken, absent and present are three things")]
    fn matcher(&mut self, node: &Node) -> Option<Option<String>> {
        match node.get("matcher").map(|m| (m, &m.kind)) {
            None | Some((_, NodeKind::Null)) => Some(None),
            Some((_, NodeKind::String(text))) => Some(Some(text.clone())),
            Some((other, _)) => {
                self.wrong_type(&format!("`matcher` must be text, found {}", other.word()), other, SKIPPED);
                None
            }
        }
    }

    /// None if the entry is broken; otherwise the limit, which `null` lifts.
    #[expect(clippy::option_option, reason = "broken, unlimited and limited are three things")]
    fn timeout(&mut self, node: &Node, event: &str) -> Option<Option<Duration>> {
        match node.get("timeout").map(|t| (t, &t.kind)) {
            None => Some(self.profile.row(event).limit.time()),
            Some((_, NodeKind::Null)) => Some(None),
            Some((given, _)) if self.profile.limit(given).is_some() => Some(self.profile.limit(given)),
            Some((other, _)) => {
                let message = "`timeout` must be a number of seconds above 0";
                self.found.error("bad-timeout", message, SKIPPED, other.span);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_and_its_mistakes() {
        let text = "hooks:\n  PreToolUse:\n    - handler: ./a.sh\n      type: command\n    - matcher: '*'\n    - {handler: x.y, timeout: -1}\n    - {handler: m.f, timeout: null, fail_closed: true}\n  OnStop: []\nagents:\n  - id: a1\n    backend:\n      hooks:\n        PreToolUse: {override: true, hooks: []}\n";
        let loaded = load(&[Source::new("massgen.yaml", "project", text)], &super::super::profile()).unwrap();
        let hooks = &loaded.hooks.hooks;
        assert_eq!(hooks.iter().map(|h| h.name.as_str()).collect::<Vec<_>>(), ["command_./a.sh", "python_m.f"]);
        assert_eq!((hooks[0].timeout, hooks[1].timeout), (Some(Duration::from_secs(30)), None));
        assert_eq!(hooks[0].options.overridden_for, ["a1"]);
        assert_eq!(
            loaded.diagnostics.iter().map(|d| d.id).collect::<Vec<_>>(),
            ["missing-handler", "bad-timeout", "unknown-event"]
        );
        assert_eq!(loaded.diagnostics[1].place.as_ref().unwrap().line, 6);
    }
}
