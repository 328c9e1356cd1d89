//! Armament's settings: YAML registrations, `.arma` hook lines, and switches by name.

use std::time::Duration;

use super::arma::hook_lines;
use crate::diag::{Diagnostic, Source, Span};
use crate::dialect::document::{Findings, json_or_yaml};
use crate::dialect::{LoadResult, Order, Profile};
use crate::model::doc::{Member, Node, NodeKind};
use crate::model::{Handler, Hook, HookOptions, OnFailure, Standing, did_you_mean};

const REFUSED: &str = "this registration is refused; the others stay";
const DEFAULT_PRIORITY: f64 = 100.0;
const SCRIPT_PRIORITY: f64 = 50.0;
const DEFAULT_MAX_PER_POINT: u64 = 50;

/// Whether `source` registers hooks at points.
pub fn detects(source: &Source) -> bool {
    if source.path.ends_with(".arma") {
        return true;
    }
    let Ok(doc) = json_or_yaml(source) else { return false };
    let settings =
        doc.get("hooks").is_some_and(|h| ["errorBehavior", "maxHooksPerPoint"].iter().any(|k| h.get(k).is_some()));
    let registers =
        doc.get("register").and_then(Node::as_array).is_some_and(|r| r.iter().any(|e| e.get("point").is_some()));
    settings || registers || doc.get("arma").is_some()
}

/// Load all files: `.arma` lines first, then registrations, then switches.
pub fn load(sources: &[Source], profile: &Profile) -> Result<LoadResult, Box<Diagnostic>> {
    let mut registry = HookRegistry::new(profile);
    let mut documents = Vec::new();
    for source in sources {
        if source.path.ends_with(".arma") {
            registry.arma(source, &source.text, None);
        } else {
            documents.push((source, json_or_yaml(source)?));
        }
    }
    for (source, doc) in &documents {
        if let Some(hooks) = doc.get("hooks") {
            registry.defaults(source, hooks);
        }
        if let Some(arma) = doc.get("arma") {
            match arma.as_str() {
                Some(text) => registry.arma(source, text, Some(arma.span)),
                None => registry.wrong(source, "`arma` must be the text of a script", arma.span),
            }
        }
    }
    for (source, doc) in &documents {
        match doc.get("register").map(|r| (r, r.as_array())) {
            Some((_, Some(entries))) => entries.iter().for_each(|e| registry.register(source, e)),
            Some((other, None)) => registry.wrong(source, "`register` must be a list", other.span),
            None => {}
        }
    }
    for (_, doc) in &documents {
        for op in doc.get("ops").and_then(Node::as_array).unwrap_or_default() {
            registry.switch(op);
        }
    }
    Ok(registry.close())
}

struct Registered {
    priority: f64,
    hook: Hook,
    /// Whether it has a name, by which others may replace or switch it.
    named: bool,
    on_failure: Option<OnFailure>,
}

impl Registered {
    fn is_named(&self, name: &str) -> bool {
        self.named && self.hook.name == name
    }
}

/// The registry while it fills.
struct HookRegistry<'a> {
    profile: &'a Profile,
    hooks: Vec<Registered>,
    refused: Vec<String>,
    found: Vec<Diagnostic>,
    error_behavior: OnFailure,
    time_limit: Option<Duration>,
    max_per_point: u64,
}

impl<'a> HookRegistry<'a> {
    fn new(profile: &'a Profile) -> Self {
        Self {
            profile,
            hooks: Vec::new(),
            refused: Vec::new(),
            found: Vec::new(),
            error_behavior: OnFailure::Proceeds,
            time_limit: None,
            max_per_point: DEFAULT_MAX_PER_POINT,
        }
    }

    fn findings<'f>(&'f mut self, source: &'f Source) -> Findings<'f> {
        Findings { source, all: &mut self.found }
    }

    fn wrong(&mut self, source: &Source, message: &str, span: Span) {
        self.findings(source).error("wrong-type", message, REFUSED, span);
    }

    fn defaults(&mut self, source: &Source, node: &Node) {
        for entry in node.as_object().unwrap_or_default() {
            let number = match &entry.value.kind {
                NodeKind::Number(n) => n.as_u64().filter(|n| *n > 0),
                _ => None,
            };
            match (entry.key.as_str(), entry.value.as_str().and_then(on_failure), number) {
                ("errorBehavior", Some(behavior), _) => self.error_behavior = behavior,
                ("timeout", _, Some(_)) => self.time_limit = self.profile.limit(&entry.value),
                ("maxHooksPerPoint", _, Some(max)) => self.max_per_point = max,
                ("errorBehavior", _, _) => self.kept(source, "`errorBehavior` must be skip, abort or log", entry),
                ("timeout", _, _) => self.kept(source, "`timeout` must be milliseconds above 0", entry),
                ("maxHooksPerPoint", _, _) => self.kept(source, "`maxHooksPerPoint` must be a number above 0", entry),
                _ => {
                    let known = ["errorBehavior", "timeout", "maxHooksPerPoint"];
                    self.findings(source).unknown_key(entry, &known, "it is ignored");
                }
            }
        }
    }

    fn kept(&mut self, source: &Source, message: &str, entry: &Member) {
        self.findings(source).error("wrong-type", message, "the default is kept", entry.value.span);
    }

    fn arma(&mut self, source: &Source, text: &str, inside: Option<Span>) {
        let profile = self.profile;
        for line in hook_lines(text, |p| profile.event(p).is_some()) {
            let offset = match inside {
                Some(span) => span.start,
                None => source.offset(line.line, 0),
            };
            let handler = Handler::Action { line: line.command.clone() };
            let hook = Hook::new(source, offset, &line.point, handler, line.command.clone());
            let hook = Hook { matcher: line.tool.clone(), label: line.command.clone(), ..hook };
            let entry = Registered { priority: SCRIPT_PRIORITY, hook, named: false, on_failure: None };
            self.add(source, entry, Span::new(offset, offset + 1));
        }
    }

    fn register(&mut self, source: &Source, node: &Node) {
        if node.as_object().is_none() {
            return self.wrong(source, "a registration must be a map", node.span);
        }
        let known = self.profile.entry_keys;
        self.findings(source).unknown_keys(node, known, "it is ignored");
        let text = |key: &str| node.get(key).and_then(Node::as_str).filter(|t| !t.is_empty());
        let Some(point) = text("point") else {
            return self.wrong(source, "a registration needs a `point` as text", node.span);
        };
        let handler = match (text("run"), text("module")) {
            (Some(run), _) => Handler::Shell { command: run.into() },
            (None, Some(path)) => {
                Handler::Module { path: path.into(), export: text("export").unwrap_or("default").into() }
            }
            (None, None) => {
                return self.wrong(source, "a registration needs `run` (a command) or `module` (a file)", node.span);
            }
        };
        let priority = match node.get("priority").map(|p| (&p.kind, p)) {
            None => DEFAULT_PRIORITY,
            Some((NodeKind::Number(n), _)) => n.as_f64().unwrap_or(DEFAULT_PRIORITY),
            Some((_, other)) => {
                self.refused.extend(text("name").map(str::to_string));
                return self.wrong(source, "`priority` must be a number", other.span);
            }
        };
        let on_failure = match node.get("onError").map(|o| (o.as_str().and_then(on_failure), o)) {
            None => None,
            Some((Some(own), _)) => Some(own),
            Some((None, other)) => {
                self.refused.extend(text("name").map(str::to_string));
                return self.wrong(source, "`onError` must be skip, abort or log", other.span);
            }
        };
        let name = text("name").or(handler.command()).unwrap_or_default().to_string();
        let mut hook = Hook::new(source, node.span.start, point, handler, name);
        let named = text("name").is_some();
        if named || matches!(hook.handler, Handler::Module { .. }) {
            hook.label.clone_from(&hook.name);
        }
        self.add(source, Registered { priority, hook, named, on_failure }, node.span);
    }

    /// Add a registration: an unknown point and one over the limit are refused, a known name is replaced.
    fn add(&mut self, source: &Source, mut entry: Registered, span: Span) {
        let Registered { hook, named, .. } = &mut entry;
        hook.group = self.hooks.len();
        hook.host_id = self.profile.host_id(&hook.event, &hook.handler, self.hooks.len());
        let replaced = |r: &Registered| *named && r.is_named(&hook.name);
        let count = self.hooks.iter().filter(|r| r.hook.event == hook.event && !replaced(r)).count() as u64;
        let refusal = if self.profile.event(&hook.event).is_none() {
            let hint = did_you_mean(&hook.event, self.profile.event_names());
            Some(("unknown-point", format!("unknown point `{}`{hint}", hook.event)))
        } else if count >= self.max_per_point {
            let (point, most) = (&hook.event, self.max_per_point);
            Some(("too-many-hooks", format!("{point} already has {count} hooks, and maxHooksPerPoint is {most}")))
        } else {
            None
        };
        if let Some((id, message)) = refusal {
            self.refused.push(hook.name.clone());
            return self.findings(source).error(id, message, REFUSED, span);
        }
        self.hooks.retain(|r| !replaced(r));
        self.hooks.push(entry);
    }

    /// `{disable: name}` or `{enable: name}`; unknown names are ignored.
    fn switch(&mut self, op: &Node) {
        for (key, standing) in [("disable", Standing::DisabledInFile), ("enable", Standing::Active)] {
            let Some(name) = op.get(key).and_then(Node::as_str) else { continue };
            for entry in self.hooks.iter_mut().filter(|r| r.is_named(name)) {
                entry.hook.standing = standing.clone();
            }
        }
    }

    fn close(mut self) -> LoadResult {
        if self.profile.order == Order::Priority {
            self.hooks.sort_by(|a, b| a.priority.total_cmp(&b.priority));
        }
        let mut loaded = LoadResult { diagnostics: self.found, ..LoadResult::default() };
        let (profile, time_limit, default) = (self.profile, self.time_limit, self.error_behavior);
        loaded.hooks.append(self.hooks.into_iter().map(|Registered { priority, hook, on_failure, .. }| {
            let on_failure = on_failure.unwrap_or(default);
            let options = HookOptions { on_failure, priority: Some(priority), ..HookOptions::default() };
            let timeout = time_limit.or_else(|| profile.row(&hook.event).limit.time());
            Hook { timeout, options, ..hook }
        }));
        loaded.hooks.refused = self.refused;
        loaded.hooks.disambiguate_labels();
        loaded
    }
}

fn on_failure(word: &str) -> Option<OnFailure> {
    match word {
        "skip" => Some(OnFailure::Silent),
        "abort" => Some(OnFailure::Blocks),
        "log" => Some(OnFailure::Proceeds),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> LoadResult {
        load(&[Source::new("hooks.yaml", "project", text)], &super::super::profile()).unwrap()
    }

    #[test]
    fn names_replace_limits_refuse_and_priorities_sort() {
        let text = "hooks: {maxHooksPerPoint: 2}\nregister:\n  - {point: pre:tool, name: a, run: one}\n  - {point: pre:tool, name: b, run: two, priority: 1}\n  - {point: pre:tool, name: a, run: three}\n  - {point: pre:tool, name: c, run: four}\n  - {point: pre:nope, name: d, run: five}\nops:\n  - disable: b\n  - disable: ghost\n";
        let loaded = loaded(text);
        let names: Vec<_> = loaded.hooks.hooks.iter().map(|h| h.handler.command().unwrap()).collect();
        assert_eq!(names, ["two", "three"]);
        assert_eq!(loaded.hooks.refused, ["c", "d"]);
        assert_eq!(loaded.hooks.hooks[0].standing, Standing::DisabledInFile);
        assert_eq!(loaded.diagnostics.iter().map(|d| d.id).collect::<Vec<_>>(), ["too-many-hooks", "unknown-point"]);
    }
}
