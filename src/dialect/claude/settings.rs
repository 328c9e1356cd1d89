//! Settings of Claude Code: strict JSON in layers that are merged, with the host's own consequences for what is wrong.

use std::time::Duration;

use serde_json::Value;

use super::policy::{Policy, mark_duplicates};
use crate::diag::{Diagnostic, Source};
use crate::dialect::document::{Findings, json, unknown_event};
use crate::dialect::event::{Drops, Limits};
use crate::dialect::{Dedupe, LoadResult, Order, Profile};
use crate::model::doc::{JsonRules, Node, NodeKind};
use crate::model::{Background, Handler, Hook, HookOptions, OnFailure, Standing, did_you_mean};

/// The order in which layers start their hooks.
const LAYERS: [&str; 6] = ["user", "project", "local", "flag", "managed", "plugin"];
/// No budget that hooks of an event share is larger.
const LARGEST_SHARED_LIMIT: Duration = Duration::from_mins(1);
#[rustfmt::skip]
pub const HANDLER_KEYS: &[&str] = &[
    "type", "if", "timeout", "statusMessage", "once", "command", "args", "shell", "async", "asyncRewake", "onFailure",
    "url", "headers", "allowedEnvVars", "server", "tool", "input", "prompt", "model", "continueOnBlock", "description",
    "name",
];

/// Whether `source` has matcher groups with typed handlers.
pub fn detects(source: &Source) -> bool {
    let Ok(doc) = json(source, JsonRules::Comments) else { return false };
    if doc.get("disableAllHooks").is_some() || doc.get("allowManagedHooksOnly").is_some() {
        return true;
    }
    let typed = |h: &Node| h.get("type").is_some_and(|t| t.as_str().is_some());
    let group = |g: &Node| g.get("hooks").and_then(Node::as_array).is_some_and(|hooks| hooks.iter().any(typed));
    let events = doc.get("hooks").and_then(Node::as_object).unwrap_or_default();
    events.iter().any(|e| e.value.as_array().is_some_and(|groups| groups.iter().any(group)))
}

/// Load all layers. Err only if not one file can be read at all.
pub fn load(sources: &[Source], profile: &Profile) -> Result<LoadResult, Box<Diagnostic>> {
    let mut loaded = LoadResult::default();
    let mut hooks: Vec<(usize, Hook)> = Vec::new();
    let mut policy = Policy::default();
    let mut broken = Vec::new();
    for source in sources {
        let found = Findings { source, all: &mut loaded.diagnostics };
        let mut reader = Reader { profile, found, fatal: None };
        let mut own = match json(source, JsonRules::Strict) {
            Ok(doc) => {
                let own = reader.events(&doc);
                // What is dropped takes its other settings with it.
                if reader.fatal.is_none() {
                    policy.read(source, &doc);
                }
                own
            }
            Err(e) => {
                reader.fatal = Some(format!("it is {}", e.message));
                let consequence = "the host ignores this file without a word; the hooks of other files stay";
                broken.push(e.consequence(consequence));
                // Comments and final commas are all that is wrong in most of them, so its hooks can still be shown.
                json(source, JsonRules::Comments).map(|doc| reader.events(&doc)).unwrap_or_default()
            }
        };
        if let Some(why) = &reader.fatal {
            for hook in &mut own {
                hook.standing = Standing::Rejected(format!("the host drops the whole file: {why}"));
            }
        }
        let rank = LAYERS.iter().position(|l| *l == source.layer.as_ref()).unwrap_or(LAYERS.len());
        hooks.extend(own.into_iter().map(|h| (rank, h)));
    }
    if broken.len() == sources.len() && hooks.is_empty() && !broken.is_empty() {
        return Err(Box::new(broken.swap_remove(0)));
    }
    loaded.diagnostics.append(&mut broken);
    if profile.order == Order::Layers {
        hooks.sort_by_key(|(rank, _)| *rank);
    }
    let mut hooks: Vec<Hook> = hooks.into_iter().map(|(_, h)| h).collect();
    policy.apply(&mut hooks);
    if profile.dedupe == Dedupe::Command {
        mark_duplicates(&mut hooks);
    }
    profile.events.iter().for_each(|e| share_limit(&mut hooks, e.name, e.limit));
    loaded.hooks.append(hooks);
    loaded.hooks.disambiguate_labels();
    Ok(loaded)
}

/// Hooks of an event with a shared limit have one budget, raised to the largest limit a settings file gives.
fn share_limit(hooks: &mut [Hook], event: &str, limit: Limits) {
    let Limits::Shared(limit) = limit else { return };
    let rejected = |h: &Hook| matches!(h.standing, Standing::Rejected(_));
    let counts = |h: &&Hook| h.event == event && h.origin.layer.as_ref() != "plugin" && !rejected(h);
    let given = hooks.iter().filter(counts).filter_map(|h| h.options.given_timeout);
    let budget = given.fold(limit, Duration::max).min(LARGEST_SHARED_LIMIT);
    for hook in hooks.iter_mut().filter(|h| h.event == event) {
        hook.timeout = Some(budget);
    }
}

struct Reader<'a> {
    profile: &'a Profile,
    found: Findings<'a>,
    fatal: Option<String>,
}

impl Reader<'_> {
    /// An entry the host rejects: alone, or with its whole file.
    fn reject(&mut self, event: &str, message: &str, node: &Node) {
        let strict = self.profile.row(event).bad_entry != Drops::Entry;
        let consequence = if strict {
            "the host drops this whole file, other hooks and settings in it included"
        } else {
            "the host ignores this entry alone"
        };
        if strict {
            let place = self.found.source.place(node.span.start);
            self.fatal.get_or_insert_with(|| format!("{message} at {place}"));
        }
        self.found.error("invalid-entry", message, consequence, node.span);
    }

    /// What loads well and does not do what its author may think.
    fn note(&mut self, node: &Node) {
        self.found.unknown_keys(node, self.profile.entry_keys, "the host ignores it");
        if node.get("once").is_some_and(|n| n.kind == NodeKind::Bool(true)) {
            let message = "`once` counts only in the frontmatter of a skill";
            self.found.warning("once-ignored", message, "the host runs this hook every time", node.span);
        }
        if node.get("onFailure").is_some() && self.profile.failure_key.is_none() {
            let message = format!("`onFailure` is not read by {}", self.profile.version);
            self.found.warning("too-new", message, "a failing hook blocks nothing", node.span);
        }
    }

    fn events(&mut self, doc: &Node) -> Vec<Hook> {
        let mut hooks = Vec::new();
        let Some(node) = doc.get("hooks") else {
            // Events at the top, or the key misspelt: the commonest way to have no hooks at all.
            let stray =
                doc.as_object().unwrap_or_default().iter().find(|m| {
                    self.profile.event(&m.key).is_some() || ["hook", "Hooks", "HOOKS"].contains(&m.key.as_str())
                });
            if let Some(member) = stray {
                let message = format!("`{}` stands where only `hooks` is read", member.key);
                let diagnostic = Diagnostic::error("unknown-key", message)
                    .consequence("none of these hooks exists for the host")
                    .help("write {\"hooks\": {\"PreToolUse\": […]}}");
                self.found.add(diagnostic, member.key_span);
            }
            return hooks;
        };
        let Some(events) = node.as_object() else {
            self.reject("", "`hooks` must be an object of events", node);
            return hooks;
        };
        for (at, event) in events.iter().enumerate() {
            if events[at + 1..].iter().any(|later| later.key == event.key) {
                let message = format!("`{}` stands here twice, and the last one counts", event.key);
                self.found.error("duplicate-key", message, "the hooks of this one are lost", event.key_span);
                continue;
            }
            if let Some(message) = unknown_event(self.profile, &event.key) {
                let consequence = "the host ignores it, so these hooks never run";
                self.found.error("unknown-event", message, consequence, event.key_span);
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

    /// `shell`, `onFailure` and `if` have to be what the host takes.
    fn options_are_valid(&mut self, event: &str, node: &Node) -> bool {
        let words: [(&str, &[&str]); 2] = [("shell", &["bash", "powershell"]), ("onFailure", &["continue", "block"])];
        for (key, allowed) in words {
            if let Some(value) = node.get(key)
                && !value.as_str().is_some_and(|v| allowed.contains(&v))
                && (key != "onFailure" || self.profile.failure_key.is_some())
            {
                self.reject(event, &format!("`{key}` must be {}", allowed.join(" or ")), value);
                return false;
            }
        }
        true
    }

    fn group(&mut self, event: &str, group: &Node, index: usize) -> Vec<Hook> {
        for member in group.as_object().unwrap_or_default() {
            if !["matcher", "hooks", "description"].contains(&member.key.as_str()) {
                let hint = did_you_mean(&member.key, ["matcher", "hooks"]);
                let message = format!("unknown key `{}` of a group{hint}", member.key);
                self.found.warning("unknown-key", message, "the host ignores it", member.key_span);
            }
        }
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
        handlers.iter().filter_map(|node| self.hook(event, matcher.as_deref(), node, index)).collect()
    }

    fn handler(&mut self, event: &str, node: &Node) -> Option<(Handler, String)> {
        let kind = node.get("type").and_then(Node::as_str).unwrap_or_default();
        let key = match kind {
            "command" => "command",
            "http" => "url",
            "mcp_tool" => "tool",
            "prompt" | "agent" => "prompt",
            _ => {
                let at = node.get("type").unwrap_or(node);
                self.reject(event, "`type` must be command, http, mcp_tool, prompt or agent", at);
                return None;
            }
        };
        let text = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_string);
        let Some(what) = text(key) else {
            self.reject(event, &format!("a {kind} hook needs `{key}` as text"), node);
            return None;
        };
        let name = what.clone();
        Some(match kind {
            "command" => return self.command(event, node, what),
            "http" => {
                (Handler::Http { url: what, headers: headers(node), variables: texts(node, "allowedEnvVars") }, name)
            }
            "mcp_tool" => (Handler::McpTool { server: text("server"), tool: what }, name),
            "agent" => (Handler::Agent { prompt: what }, name),
            _ => (Handler::Prompt { prompt: what }, name),
        })
    }

    /// A command line, or with `args` a program without a shell.
    fn command(&mut self, event: &str, node: &Node, command: String) -> Option<(Handler, String)> {
        let Some(args) = node.get("args") else {
            let name = command.clone();
            let powershell = node.get("shell").and_then(Node::as_str) == Some("powershell");
            let handler = if powershell { Handler::PowerShell { command } } else { Handler::Shell { command } };
            return Some((handler, name));
        };
        match args.as_array() {
            Some(list) if list.iter().all(|a| a.as_str().is_some()) => {
                let rest = list.iter().filter_map(Node::as_str).map(str::to_string);
                let argv: Vec<String> = std::iter::once(command).chain(rest).collect();
                let name = argv.join(" ");
                Some((Handler::Exec { argv }, name))
            }
            _ => {
                self.reject(event, "`args` must be a list of strings", args);
                None
            }
        }
    }

    fn options(&self, node: &Node) -> HookOptions {
        let on = |key: &str| node.get(key).is_some_and(|n| n.kind == NodeKind::Bool(true));
        let blocks = self.profile.failure_key.is_some_and(|key| node.get(key).and_then(Node::as_str) == Some("block"));
        HookOptions {
            condition: node.get("if").and_then(Node::as_str).map(str::to_string),
            background: match (on("async"), on("asyncRewake")) {
                (_, true) => Background::MayWake,
                (true, false) => Background::Detached,
                (false, false) => Background::Foreground,
            },
            on_failure: if blocks { OnFailure::Blocks } else { OnFailure::Proceeds },
            continues_on_block: on("continueOnBlock"),
            ..HookOptions::default()
        }
    }

    fn hook(&mut self, event: &str, matcher: Option<&str>, node: &Node, group: usize) -> Option<Hook> {
        let (handler, name) = self.handler(event, node)?;
        let given = node.get("timeout").map(|t| (self.profile.limit(t), t));
        if let Some((None, other)) = given {
            self.reject(event, "`timeout` must be a number of seconds above 0", other);
            return None;
        }
        let given = given.and_then(|(limit, _)| limit);
        if !self.options_are_valid(event, node) {
            return None;
        }
        let default = match &handler {
            Handler::Prompt { .. } => Duration::from_secs(30),
            Handler::Agent { .. } => Duration::from_mins(1),
            _ => self.profile.row(event).limit.time().unwrap_or_default(),
        };
        self.note(node);
        let host_id = self.profile.host_id(event, &handler, group);
        let hook = Hook::new(self.found.source, node.span.start, event, handler, name);
        let command = hook.handler.word() == "command";
        Some(Hook {
            host_id,
            label: if command { hook.label } else { format!("{}: {}", hook.handler.word(), hook.name) },
            matcher: matcher.map(str::to_string),
            timeout: Some(given.unwrap_or(default)),
            group,
            options: HookOptions { given_timeout: given, ..self.options(node) },
            ..hook
        })
    }
}

/// The headers of an http hook; of two with one name the last counts, and what is not text is left out.
fn headers(node: &Node) -> Vec<(String, String)> {
    let Some(Value::Object(all)) = node.get("headers").map(Node::to_value) else { return Vec::new() };
    all.into_iter().filter_map(|(name, value)| Some((name, value.as_str()?.to_string()))).collect()
}

fn texts(node: &Node, key: &str) -> Vec<String> {
    let list = node.get(key).and_then(Node::as_array).unwrap_or_default();
    list.iter().filter_map(|n| n.as_str().map(str::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::dialect::claude::HOST;

    fn loaded(text: &str) -> LoadResult {
        load(&[Source::new("settings.json", "project", text)], &super::super::profile()).unwrap()
    }

    #[test]
    fn a_bad_entry_drops_its_file_only_under_the_strict_events() {
        let good = r#"{"hooks":[{"type":"command","command":"a"}]}"#;
        let strict =
            loaded(&format!(r#"{{"hooks":{{"PreToolUse":[{good},{{"matcher":null,"hooks":[]}}],"Stop":[{good}]}}}}"#));
        assert!(strict.hooks.hooks.iter().all(|h| h.standing != Standing::Active));
        let mild =
            loaded(&format!(r#"{{"hooks":{{"PreToolUse":[{good}],"Stop":[{good},{{"matcher":7,"hooks":[]}}]}}}}"#));
        assert!(mild.hooks.hooks.iter().all(|h| h.standing == Standing::Active) && mild.diagnostics.len() == 1);
    }

    #[test]
    fn a_broken_file_is_said_and_the_hooks_of_others_stay() {
        let good = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}"#;
        let commented = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"b"},]}]}} // c"#;
        let sources = [Source::new("a", "user", good), Source::new("b", "project", commented)];
        let loaded = load(&sources, &super::super::profile()).unwrap();
        let lost = |i: usize| loaded.hooks.hooks[i].standing != Standing::Active;
        assert!(!lost(0) && lost(1) && loaded.diagnostics.len() == 1);
        assert!(load(&[Source::new("c", "user", "{")], &super::super::profile()).is_err());
    }

    #[test]
    fn of_two_headers_with_one_name_the_last_counts() {
        let hook = r#"{"type":"http","url":"u","headers":{"X":"1","Y":"2","X":"3","Z":5}}"#;
        let loaded = loaded(&format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{hook}]}}]}}}}"#));
        let Handler::Http { headers, .. } = &loaded.hooks.hooks[0].handler else { panic!("http") };
        assert_eq!(headers.iter().map(|(k, v)| format!("{k}{v}")).collect::<Vec<_>>(), ["X3", "Y2"]);
    }

    #[test]
    fn a_duplicate_knows_those_before_it() {
        let group = |m: &str| format!(r#"{{"matcher":"{m}","hooks":[{{"type":"command","command":"a"}}]}}"#);
        let text =
            format!(r#"{{"hooks":{{"PreToolUse":[{},{},{}]}}}}"#, group("Bash"), group("Edit"), group("Bash|Edit"));
        let loaded = loaded(&text);
        let event =
            |tool: &str| crate::model::Payload::new("PreToolUse", Map::from_iter([("tool_name".into(), json!(tool))]));
        let runs = |tool: &str| {
            loaded.hooks.hooks.iter().map(|h| HOST.dialect().gate(h, &event(tool)).is_none()).collect::<Vec<_>>()
        };
        assert_eq!(runs("Bash"), [true, false, false]);
        assert_eq!(runs("Edit"), [false, true, false]);
    }
}
