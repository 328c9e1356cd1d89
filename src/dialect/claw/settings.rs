//! Claw's settings: layers of JSON whose hook lists replace (newest: extend) each other.

use crate::diag::{Diagnostic, Source, Span};
use crate::dialect::document::json;
use crate::dialect::event::Drops;
use crate::dialect::glob::wildcard_matches;
use crate::dialect::{Layers, LoadResult, Profile, Shape};
use crate::model::doc::{JsonRules, Node};
use crate::model::{Handler, Hook, Standing, did_you_mean};

/// Whether `source` has lists of command strings.
pub fn detects(source: &Source) -> bool {
    let Ok(doc) = json(source, JsonRules::Strict) else { return false };
    let Some(events) = doc.get("hooks").and_then(Node::as_object) else { return false };
    events.iter().any(|e| e.value.as_array().is_some_and(|items| items.iter().any(|i| i.as_str().is_some())))
}

/// A list of one event with the file it stands in.
struct List<'a> {
    source: &'a Source,
    event: String,
    value: Node,
}

pub fn load(sources: &[Source], profile: &Profile) -> Result<LoadResult, Box<Diagnostic>> {
    let mut loaded = LoadResult::default();
    let mut lists: Vec<List<'_>> = Vec::new();
    for source in sources {
        let doc = json(source, JsonRules::Strict)?;
        if doc.as_object().is_none() {
            loaded.diagnostics.push(refusal("top-level settings value must be a JSON object", source, doc.span));
            continue;
        }
        let Some(hooks) = doc.get("hooks") else { continue };
        let Some(events) = hooks.as_object() else {
            let message = "merged settings.hooks: expected JSON object";
            loaded.diagnostics.push(refusal(message, source, hooks.span));
            continue;
        };
        for entry in events {
            if profile.event(&entry.key).is_none() {
                let hint = did_you_mean(&entry.key, profile.event_names());
                let message = match profile.shape {
                    Shape::Strings => format!("unknown event `{}`{hint}", entry.key),
                    Shape::Nested | Shape::Flat | Shape::List | Shape::Named | Shape::Files => {
                        format!("unknown_hook_event: unknown hook event {}{hint}", entry.key)
                    }
                };
                let diagnostic = Diagnostic::warning("unknown-event", message).consequence("the host ignores it");
                loaded.diagnostics.push(diagnostic.at(source, entry.key_span));
            }
            if profile.layers == Layers::Replace {
                lists.retain(|l| l.event != entry.key);
            }
            lists.push(List { source, event: entry.key.clone(), value: entry.value.clone() });
        }
    }
    let mut hooks = Vec::new();
    for list in &lists {
        hooks.extend(read_list(list, profile, &mut loaded.diagnostics));
    }
    // At the time of the specification one wrong value stops the loading of everything.
    if let Some(refused) = loaded.diagnostics.iter().find(|d| d.id == "refused-settings").map(|d| d.message.clone()) {
        let why = format!("the host refuses these settings as a whole: {refused}");
        hooks.iter_mut().for_each(|h| h.standing = Standing::Rejected(why.clone()));
    }
    loaded.hooks.append(hooks);
    loaded.hooks.disambiguate_labels();
    Ok(loaded)
}

fn refusal(message: &str, source: &Source, span: Span) -> Diagnostic {
    Diagnostic::error("refused-settings", message)
        .consequence("the host stops loading: no hook of any layer runs")
        .help("an event holds a list of shell commands, each as text")
        .at(source, span)
}

fn read_list(list: &List<'_>, profile: &Profile, found: &mut Vec<Diagnostic>) -> Vec<Hook> {
    let known = profile.event(&list.event).is_some();
    let drops = profile.row(&list.event).bad_entry;
    let Some(items) = list.value.as_array() else {
        let message = format!("merged settings.hooks: field {} must be an array", list.event);
        match drops {
            Drops::AllFiles if known => found.push(refusal(&message, list.source, list.value.span)),
            Drops::AllFiles => {}
            Drops::Entry | Drops::Group | Drops::File => found.push(invalid(&message, list.source, list.value.span)),
        }
        return Vec::new();
    };
    let mut hooks = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match (item.as_str(), profile.shape) {
            (Some(command), shape) if shape != Shape::Strings && command.trim().is_empty() => {
                found.push(list.broken(index, "must be a non-empty string", item));
            }
            (Some(command), _) => hooks.push(hook(list, command, index, item)),
            (None, Shape::Nested | Shape::Flat | Shape::List | Shape::Named | Shape::Files) => {
                object_entry(list, item, index, &mut hooks, found);
            }
            (None, Shape::Strings) if known => {
                let message = format!("merged settings.hooks: field {} must contain only strings", list.event);
                found.push(refusal(&message, list.source, item.span));
            }
            (None, Shape::Strings) => {}
        }
    }
    hooks
}

impl List<'_> {
    /// What is wrong with one entry, in the newest program's words.
    fn broken(&self, index: usize, problem: &str, node: &Node) -> Diagnostic {
        let space = if problem.starts_with('.') { "" } else { " " };
        let entry = format!("field {}[{index}]", self.event);
        let message = format!("invalid_hooks_config: merged settings.hooks: {entry}{space}{problem}");
        invalid(&message, self.source, node.span)
    }
}

fn invalid(message: &str, source: &Source, span: Span) -> Diagnostic {
    Diagnostic::error("invalid-hooks-config", message)
        .consequence("the host skips it and keeps the rest")
        .at(source, span)
}

/// `{matcher, hooks: [{type: "command", command}]}`, which only the newest program reads.
fn object_entry(list: &List<'_>, item: &Node, index: usize, hooks: &mut Vec<Hook>, found: &mut Vec<Diagnostic>) {
    let Some(inner) = item.get("hooks").and_then(Node::as_array) else {
        let problem =
            if item.as_object().is_none() { "must be a string or hook object" } else { ".hooks must be an array" };
        return found.push(list.broken(index, problem, item));
    };
    let matcher = match item.get("matcher") {
        None => None,
        Some(node) => match node.as_str() {
            Some(text) => Some(text.to_string()),
            None => return found.push(list.broken(index, ".matcher must be a string", node)),
        },
    };
    for (at, handler) in inner.iter().enumerate() {
        let kind = handler.get("type").map_or(Some("command"), Node::as_str);
        match (kind, handler.get("command").and_then(Node::as_str)) {
            (Some("command"), Some(command)) if !command.trim().is_empty() => {
                hooks.push(Hook { matcher: matcher.clone(), ..hook(list, command, index, handler) });
            }
            (Some("command"), _) => {
                let problem = format!(".hooks[{at}].command must be a non-empty string");
                found.push(list.broken(index, &problem, handler));
            }
            _ => found.push(list.broken(index, &format!(".hooks[{at}].type must be \"command\""), handler)),
        }
    }
}

fn hook(list: &List<'_>, command: &str, index: usize, node: &Node) -> Hook {
    let handler = Handler::Shell { command: command.into() };
    let hook = Hook::new(list.source, node.span.start, &list.event, handler, command.into());
    Hook { host_id: format!("{}-{index}", list.event), group: index, ..hook }
}

/// The newest program's matcher: alternatives by `,` or `|`, trimmed, `*` as wildcard, case ignored; blank fits all.
pub fn matcher_fits(matcher: &str, tool: &str) -> bool {
    if matcher.trim().is_empty() {
        return true;
    }
    let tool = tool.to_lowercase();
    matcher
        .split([',', '|'])
        .map(|p| p.trim().to_lowercase())
        .filter(|p| !p.is_empty())
        .any(|p| wildcard_matches(&p, &tool))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::claw::{newest, specified};

    fn load_one(profile: &Profile, texts: &[&str]) -> LoadResult {
        let sources: Vec<_> = texts.iter().map(|t| Source::new("settings.json", "project", *t)).collect();
        load(&sources, profile).unwrap()
    }

    #[test]
    fn later_layers_replace_or_extend() {
        let layers = [r#"{"hooks":{"PreToolUse":["a"],"PostToolUse":["q"]}}"#, r#"{"hooks":{"PreToolUse":["b"]}}"#];
        let names = |profile: &Profile| {
            load_one(profile, &layers).hooks.hooks.iter().map(|h| h.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&specified()), ["q", "b"]);
        assert_eq!(names(&newest()), ["a", "q", "b"]);
    }

    #[test]
    fn one_wrong_value_stops_everything_for_the_specification_only() {
        let text = r#"{"hooks":{"PreToolUse":["a", 7]}}"#;
        let loaded = load_one(&specified(), &[text]);
        assert_eq!(loaded.diagnostics[0].message, "merged settings.hooks: field PreToolUse must contain only strings");
        assert!(matches!(loaded.hooks.hooks[0].standing, Standing::Rejected(_)));
        let newest = load_one(&newest(), &[text]);
        assert!(
            newest.hooks.hooks[0].standing == Standing::Active && newest.diagnostics[0].id == "invalid-hooks-config"
        );
    }

    #[test]
    fn wildcards() {
        for (matcher, tool, fits) in [
            ("BASH|Edit", "bash", true),
            ("Read*", "ReadFile", true),
            ("*file", "ReadFile", true),
            ("r*f*e", "readfile", true),
            ("read", "ReadFile", false),
            (" ", "x", true),
            ("a, b", "B", true),
            ("|", "x", false),
        ] {
            assert_eq!(matcher_fits(matcher, tool), fits, "{matcher} on {tool}");
        }
    }
}
