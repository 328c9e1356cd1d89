//! Case files: YAML or JSON, read with the place of every value, so that a wrong key is pointed at.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::failure::Failure;
use crate::diag::{Diagnostic, Source, render};
use crate::dialect::{Dialect, registry};
use crate::model::doc::{JsonRules, Node, parse_json, parse_yaml};
use crate::model::{Handler, HostState, Payload, did_you_mean};
use crate::settings::{Settings, SettingsFile, read};

const FILE_KEYS: [&str; 4] = ["settings", "dialect", "host", "cases"];
const CASE_KEYS: [&str; 8] = ["name", "settings", "dialect", "payload", "stubs", "host", "replies", "expect"];
const STUB_KEYS: [&str; 4] = ["stdout", "stderr", "exit", "json"];
const PAYLOAD_KEYS: [&str; 4] = ["file", "event", "tool", "set"];

pub struct CaseFile {
    pub path: PathBuf,
    pub source: Source,
    /// The whole file; a key a case does not have is read from its top.
    common: Node,
    pub cases: Vec<Case>,
}

pub struct Case {
    /// As written, else `case N`.
    pub name: String,
    /// Where it begins; tells apart cases of the same name.
    pub line: usize,
    pub node: Node,
}

impl CaseFile {
    /// Every mistake is an error that shows its place in the file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let source = Source::new(path.display().to_string(), "cases", text);
        let json = path.extension().is_some_and(|e| e == "json");
        let parsed = if json { parse_json(&source.text, JsonRules::Comments) } else { parse_yaml(&source) };
        let doc = parsed
            .map_err(|e| render(&Diagnostic::error("invalid-cases", format!("not valid: {e}")).at(&source, e.span)))?;
        known_keys(&source, &doc, &FILE_KEYS)?;
        let Some(list) = doc.get("cases").and_then(Node::as_array) else {
            return Err(format!("{}: a case file has a list `cases`", path.display()));
        };
        if list.is_empty() {
            return Err(format!("{}: the list `cases` is empty", path.display()));
        }
        let mut cases = Vec::new();
        for (index, node) in list.iter().enumerate() {
            known_keys(&source, node, &CASE_KEYS)?;
            if node.get("expect").is_none_or(|e| e.as_object().is_some_and(<[_]>::is_empty)) {
                let problem = Diagnostic::error("invalid-cases", "a case without `expect` shows nothing");
                return Err(render(&problem.at(&source, node.span)));
            }
            let name = node.get("name").and_then(Node::as_str).map(str::to_string);
            cases.push(Case {
                name: name.unwrap_or_else(|| format!("case {}", index + 1)),
                line: source.place(node.span.start).line,
                node: node.clone(),
            });
        }
        Ok(Self { path: path.to_path_buf(), source, common: doc, cases })
    }

    /// The directory that relative paths of the cases start from.
    pub fn dir(&self) -> PathBuf {
        self.path.parent().filter(|p| !p.as_os_str().is_empty()).map_or_else(|| PathBuf::from("."), Path::to_path_buf)
    }
}

fn known_keys(source: &Source, node: &Node, known: &[&str]) -> Result<(), String> {
    for member in node.as_object().unwrap_or_default() {
        if !known.contains(&member.key.as_str()) {
            let hint = did_you_mean(&member.key, known.iter().copied());
            let problem = Diagnostic::error("invalid-cases", format!("unknown key `{}`{hint}", member.key));
            return Err(render(&problem.at(source, member.key_span)));
        }
    }
    Ok(())
}

impl Case {
    fn get<'a>(&'a self, file: &'a CaseFile, key: &str) -> Option<&'a Node> {
        self.node.get(key).or_else(|| file.common.get(key))
    }

    pub fn settings(&self, file: &CaseFile) -> Result<Settings, Failure> {
        let dialect = self.get(file, "dialect").and_then(Node::as_str);
        let dialect = dialect.map(registry::find).transpose().map_err(Failure::Input)?;
        let named = self.get(file, "settings");
        let listed = named.and_then(Node::as_array).or_else(|| named.map(std::slice::from_ref)).unwrap_or_default();
        let here = |file_named: &str| {
            let named = SettingsFile::parse(file_named);
            SettingsFile { path: file.dir().join(named.path), layer: named.layer }
        };
        let files: Vec<_> = listed.iter().filter_map(Node::as_str).map(here).collect();
        if files.is_empty() {
            return Err(Failure::input(format!("{}:{}: a case needs `settings`", file.path.display(), self.line)));
        }
        Ok(read(&files, dialect)?)
    }

    /// The event: a file, a template with changes, or given in place.
    pub fn payload(&self, file: &CaseFile, dialect: &dyn Dialect) -> Result<Payload, String> {
        let node = self.node.get("payload").ok_or("a case needs a `payload`")?;
        let mut fields = payload_fields(file, node, dialect)?;
        let key = dialect.profile().event_field;
        let event = fields.get(key).and_then(Value::as_str).map(str::to_string);
        let event = event.ok_or_else(|| format!("the payload does not name its event in `{key}`"))?;
        if dialect.profile().event(&event).is_none() {
            let hint = did_you_mean(&event, dialect.profile().events.iter().map(|e| e.name));
            return Err(format!("unknown event `{event}`{hint}"));
        }
        fields.insert(key.into(), event.clone().into());
        Ok(Payload::new(event, fields))
    }

    /// Canned runs in place of single hooks: real processes all the same, that print and exit as told.
    pub fn stub(&self, settings: &mut Settings) -> Result<(), String> {
        let Some(stubs) = self.node.get("stubs").and_then(Node::as_object) else { return Ok(()) };
        for member in stubs {
            let value = member.value.to_value();
            let mut keys = value.as_object().into_iter().flat_map(Map::keys);
            if let Some(key) = keys.find(|k| !STUB_KEYS.contains(&k.as_str())) {
                let hint = did_you_mean(key, STUB_KEYS.iter().copied());
                return Err(format!("stubs: unknown key `{key}`{hint}"));
            }
            if value.get("exit").is_some_and(|e| !e.is_i64()) {
                return Err("stubs: `exit` is a number".into());
            }
            let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
            let stdout = value.get("json").map_or_else(|| text("stdout"), Value::to_string);
            let quote = |t: &str| format!("'{}'", t.replace('\'', "'\\''"));
            let (stdout, stderr) = (quote(&stdout), quote(&text("stderr")));
            let exit = value.get("exit").and_then(Value::as_i64).unwrap_or(0);
            let command = format!("cat >/dev/null; printf %s {stdout}; printf %s {stderr} >&2; exit {exit}");
            let hooks = &mut settings.hooks.hooks;
            if !hooks.iter().any(|h| h.label == member.key || h.name == member.key) {
                let hint = did_you_mean(&member.key, hooks.iter().map(|h| h.label.as_str()));
                return Err(format!("stubs: no hook is called `{}`{hint}", member.key));
            }
            for hook in hooks.iter_mut().filter(|h| h.label == member.key || h.name == member.key) {
                let hook = Arc::make_mut(hook);
                let configured = std::mem::replace(&mut hook.handler, Handler::Shell { command: command.clone() });
                hook.options.replaced = Some(Box::new(configured));
            }
        }
        Ok(())
    }

    pub fn host(&self, file: &CaseFile) -> Result<Arc<HostState>, String> {
        let mut host = match self.get(file, "host").map(Node::to_value) {
            None => HostState::default(),
            Some(Value::Object(fields)) => HostState::read(fields).map_err(|e| format!("`host`: {e}"))?,
            Some(_) => return Err("`host` is an object".into()),
        };
        if let Some(replies) = self.node.get("replies") {
            let Value::Array(replies) = replies.to_value() else { return Err("`replies` is a list".into()) };
            host.replies = replies;
        }
        Ok(Arc::new(host))
    }
}

/// The fields of a payload: a file, a template with changes, or given in place.
fn payload_fields(file: &CaseFile, node: &Node, dialect: &dyn Dialect) -> Result<Map<String, Value>, String> {
    let from_file = |path: &str| {
        let path = file.dir().join(path);
        let bytes = std::fs::read(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        Payload::parse_fields(&bytes).map_err(|e| format!("{}: {e}", path.display()))
    };
    if let Some(path) = node.as_str() {
        return from_file(path);
    }
    let Value::Object(given) = node.to_value() else { return Err("`payload` is a file or an object".into()) };
    let is_template = node.get("event").is_some() || node.get("file").is_some();
    if !is_template || given.contains_key(dialect.profile().event_field) {
        return Ok(given);
    }
    known_keys(&file.source, node, &PAYLOAD_KEYS)?;
    let mut fields = match (given.get("file").and_then(Value::as_str), given.get("event").and_then(Value::as_str)) {
        (Some(path), _) => from_file(path)?,
        (None, Some(event)) => {
            let row = dialect.profile().event(event).ok_or_else(|| format!("unknown event `{event}`"))?;
            dialect.profile().template(row).as_object().cloned().unwrap_or_default()
        }
        (None, None) => Map::new(),
    };
    if let Some(tool) = given.get("tool").and_then(Value::as_str) {
        dialect.profile().put_tool(&mut fields, tool);
    }
    for (path, value) in given.get("set").and_then(Value::as_object).into_iter().flatten() {
        set_path(&mut fields, path, value.clone());
    }
    Ok(fields)
}

/// Sets `a.b.c`, making the objects on the way.
fn set_path(fields: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => drop(fields.insert(path.into(), value)),
        Some((first, rest)) => {
            let inner = fields.entry(first).or_insert_with(|| json!({}));
            if !inner.is_object() {
                *inner = json!({});
            }
            if let Some(inner) = inner.as_object_mut() {
                set_path(inner, rest, value);
            }
        }
    }
}
