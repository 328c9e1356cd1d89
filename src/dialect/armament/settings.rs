//! Armament's settings: YAML registrations, `.arma` hook lines, and switches by name.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::arma::hook_lines;
use crate::diag::{Diagnostic, Source, Span};
use crate::dialect::document::json_or_yaml;
use crate::dialect::{Loaded, Profile};
use crate::model::doc::{Node, NodeKind};
use crate::model::{Handler, Hook, Origin, did_you_mean, short_name};

const REFUSED: &str = "this registration is refused; the others stay";
const DEFAULT_PRIORITY: f64 = 100.0;
const SCRIPT_PRIORITY: f64 = 50.0;
const DEFAULT_LIMIT: u64 = 50;

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
pub fn load(sources: &[Source], profile: &Profile) -> Result<Loaded, Box<Diagnostic>> {
    let mut book = Book::new(profile);
    let mut documents = Vec::new();
    for source in sources {
        if source.path.ends_with(".arma") {
            book.arma(source, &source.text, None);
        } else {
            documents.push((source, json_or_yaml(source)?));
        }
    }
    for (source, doc) in &documents {
        if let Some(hooks) = doc.get("hooks") {
            book.defaults(source, hooks);
        }
        if let Some(arma) = doc.get("arma") {
            match arma.as_str() {
                Some(text) => book.arma(source, text, Some(arma.span)),
                None => book.wrong(source, "`arma` must be the text of a script", arma.span),
            }
        }
    }
    for (source, doc) in &documents {
        match doc.get("register").map(|r| (r, r.as_array())) {
            Some((_, Some(entries))) => entries.iter().enumerate().for_each(|(i, e)| book.register(source, e, i)),
            Some((other, None)) => book.wrong(source, "`register` must be a list", other.span),
            None => {}
        }
    }
    for (_, doc) in &documents {
        for op in doc.get("ops").and_then(Node::as_array).unwrap_or_default() {
            book.switch(op);
        }
    }
    Ok(book.close())
}

/// The registry while it fills.
struct Book<'a> {
    profile: &'a Profile,
    hooks: Vec<(f64, Hook)>,
    refused: Vec<Value>,
    found: Vec<Diagnostic>,
    error_behavior: String,
    timeout: Duration,
    limit: u64,
}

impl<'a> Book<'a> {
    fn new(profile: &'a Profile) -> Self {
        Self {
            profile,
            hooks: Vec::new(),
            refused: Vec::new(),
            found: Vec::new(),
            error_behavior: "log".into(),
            timeout: profile.unknown.limit.time().unwrap_or_default(),
            limit: DEFAULT_LIMIT,
        }
    }

    fn wrong(&mut self, source: &Source, message: &str, span: Span) {
        self.found.push(Diagnostic::error("wrong-type", message).consequence(REFUSED).at(source, span));
    }

    fn defaults(&mut self, source: &Source, node: &Node) {
        for entry in node.as_object().unwrap_or_default() {
            let number = match &entry.value.kind {
                NodeKind::Number(n) => n.as_u64().filter(|n| *n > 0),
                _ => None,
            };
            match (entry.key.as_str(), entry.value.as_str(), number) {
                ("errorBehavior", Some(word @ ("skip" | "abort" | "log")), _) => self.error_behavior = word.into(),
                ("timeout", _, Some(ms)) => self.timeout = Duration::from_millis(ms),
                ("maxHooksPerPoint", _, Some(limit)) => self.limit = limit,
                ("errorBehavior", _, _) => {
                    self.default_kept(source, "`errorBehavior` must be skip, abort or log", &entry.value);
                }
                ("timeout", _, _) => self.default_kept(source, "`timeout` must be milliseconds above 0", &entry.value),
                ("maxHooksPerPoint", _, _) => {
                    self.default_kept(source, "`maxHooksPerPoint` must be a number above 0", &entry.value);
                }
                (other, _, _) => {
                    let hint = did_you_mean(other, ["errorBehavior", "timeout", "maxHooksPerPoint"]);
                    let diagnostic = Diagnostic::warning("unknown-key", format!("unknown key `{other}`{hint}"))
                        .consequence("it is ignored");
                    self.found.push(diagnostic.at(source, entry.key_span));
                }
            }
        }
    }

    fn default_kept(&mut self, source: &Source, message: &str, node: &Node) {
        self.found
            .push(Diagnostic::error("wrong-type", message).consequence("the default is kept").at(source, node.span));
    }

    fn arma(&mut self, source: &Source, text: &str, inside: Option<Span>) {
        let profile = self.profile;
        for line in hook_lines(text, |p| profile.event(p).is_some()) {
            let offset = match inside {
                Some(span) => span.start,
                None => source.offset(line.line, 0),
            };
            let mut options = Map::new();
            if let Some(tool) = &line.tool {
                options.insert("tool".into(), json!(tool));
            }
            let matcher = line.tool.clone();
            let handler = Handler::Action { line: line.command.clone() };
            let hook = self.hook(source, &line.point, &line.command, handler, offset, format!("arma:{}", line.line));
            self.add(source, Hook { matcher, options, ..hook }, SCRIPT_PRIORITY, Span::new(offset, offset + 1), None);
        }
    }

    fn hook(&self, source: &Source, point: &str, name: &str, handler: Handler, offset: usize, id: String) -> Hook {
        let label = match &handler {
            Handler::Shell { command } => short_name(command),
            Handler::Action { line } => line.clone(),
            _ => name.to_string(),
        };
        Hook {
            host_id: (self.profile.host_id)(point, &handler, self.hooks.len()),
            id,
            name: name.into(),
            label,
            event: point.into(),
            matcher: None,
            handler,
            timeout: None,
            group: self.hooks.len(),
            origin: Origin { place: Some(source.place(offset)), layer: Arc::clone(&source.layer), scope: None },
            options: Map::new(),
        }
    }

    fn register(&mut self, source: &Source, node: &Node, index: usize) {
        let Some(keys) = node.as_object() else {
            return self.wrong(source, "a registration must be a map", node.span);
        };
        for key in keys.iter().filter(|k| !self.profile.entry_keys.contains(&k.key.as_str())) {
            let hint = did_you_mean(&key.key, self.profile.entry_keys.iter().copied());
            let diagnostic = Diagnostic::warning("unknown-key", format!("unknown key `{}`{hint}", key.key))
                .consequence("it is ignored");
            self.found.push(diagnostic.at(source, key.key_span));
        }
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
                self.refused.extend(text("name").map(|n| json!(n)));
                return self.wrong(source, "`priority` must be a number", other.span);
            }
        };
        let mut options = Map::new();
        match node.get("onError").map(|o| (o.as_str(), o)) {
            None => {}
            Some((Some(word @ ("skip" | "abort" | "log")), _)) => {
                options.insert("onError".into(), json!(word));
            }
            Some((_, other)) => {
                self.refused.extend(text("name").map(|n| json!(n)));
                return self.wrong(source, "`onError` must be skip, abort or log", other.span);
            }
        }
        let command = handler.command().unwrap_or_default().to_string();
        let name = text("name");
        let mut hook =
            self.hook(source, point, name.unwrap_or(&command), handler, node.span.start, format!("register[{index}]"));
        if let Some(name) = name {
            hook.label = name.into();
            options.insert("named".into(), json!(true));
        }
        self.add(source, Hook { options, ..hook }, priority, node.span, name);
    }

    /// Add a registration: an unknown point and one over the limit are refused, a known name is replaced.
    fn add(&mut self, source: &Source, hook: Hook, priority: f64, span: Span, name: Option<&str>) {
        if self.profile.event(&hook.event).is_none() {
            let hint = did_you_mean(&hook.event, self.profile.event_names());
            let message = format!("unknown point `{}`{hint}", hook.event);
            self.refuse(Diagnostic::error("unknown-point", message).at(source, span), &hook);
            return;
        }
        let replaced = |h: &Hook| name.is_some_and(|n| h.options.contains_key("named") && h.name == n);
        let count = self.hooks.iter().filter(|(_, h)| h.event == hook.event && !replaced(h)).count() as u64;
        if count >= self.limit {
            let message = format!("{} already has {count} hooks, and maxHooksPerPoint is {}", hook.event, self.limit);
            self.refuse(Diagnostic::error("too-many-hooks", message).at(source, span), &hook);
            return;
        }
        self.hooks.retain(|(_, h)| !replaced(h));
        self.hooks.push((priority, hook));
    }

    fn refuse(&mut self, diagnostic: Diagnostic, hook: &Hook) {
        self.found.push(diagnostic.consequence(REFUSED));
        self.refused.push(json!(hook.name));
    }

    /// `{disable: name}` or `{enable: name}`; unknown names are ignored.
    fn switch(&mut self, op: &Node) {
        for (key, off) in [("disable", true), ("enable", false)] {
            let Some(name) = op.get(key).and_then(Node::as_str) else { continue };
            for (_, hook) in self.hooks.iter_mut().filter(|(_, h)| h.options.contains_key("named") && h.name == name) {
                hook.options.insert("disabled".into(), json!(off));
            }
        }
    }

    fn close(mut self) -> Loaded {
        self.hooks.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut loaded = Loaded { diagnostics: self.found, ..Loaded::default() };
        let (timeout, behavior) = (self.timeout, self.error_behavior);
        loaded.hooks.append(self.hooks.into_iter().map(|(priority, mut hook)| {
            hook.options.entry("onError").or_insert_with(|| json!(behavior));
            hook.options.insert("priority".into(), json!(priority));
            hook.timeout = Some(timeout);
            hook
        }));
        loaded.hooks.settings.insert("refused".into(), Value::Array(self.refused));
        loaded.hooks.tell_labels_apart();
        loaded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Loaded {
        load(&[Source::new("hooks.yaml", "project", text)], &super::super::profile()).unwrap()
    }

    #[test]
    fn names_replace_limits_refuse_and_priorities_sort() {
        let text = "hooks: {maxHooksPerPoint: 2}\nregister:\n  - {point: pre:tool, name: a, run: one}\n  - {point: pre:tool, name: b, run: two, priority: 1}\n  - {point: pre:tool, name: a, run: three}\n  - {point: pre:tool, name: c, run: four}\n  - {point: pre:nope, name: d, run: five}\nops:\n  - disable: b\n  - disable: ghost\n";
        let loaded = loaded(text);
        let names: Vec<_> = loaded.hooks.hooks.iter().map(|h| h.handler.command().unwrap()).collect();
        assert_eq!(names, ["two", "three"]);
        assert_eq!(loaded.hooks.settings["refused"], json!(["c", "d"]));
        assert_eq!(loaded.hooks.hooks[0].options["disabled"], json!(true));
        assert_eq!(loaded.diagnostics.iter().map(|d| d.id).collect::<Vec<_>>(), ["too-many-hooks", "unknown-point"]);
    }
}
