//! From arguments to settings, toggles and a payload; every mistake is said before anything runs.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::args::{CommonArgs, EventSource, RunArgs, SettingsArgs};
use super::failure::Failure;
use crate::dialect::{Dialect, EventRow, registry};
use crate::engine::Firing;
use crate::model::{HostState, Payload, Toggles, did_you_mean};
use crate::record::{ImportOptions, ImportSummary, RecordedEvent, Recording, files, import};
use crate::settings::{Settings, SettingsError, SettingsFile, find, read};

/// Bytes. A larger input is a wrong file, and reading it would fill the memory.
const MAX_PAYLOAD: u64 = 1 << 30;

/// The settings the arguments name, or those of the project.
pub fn settings(common: &CommonArgs) -> Result<Settings, Failure> {
    Ok(read_settings(&common.given)??)
}

/// The same where a file that cannot be read is a finding and no failure.
pub fn read_settings(given: &SettingsArgs) -> Result<Result<Settings, SettingsError>, Failure> {
    let dialect = given.dialect.as_deref().map(registry::find).transpose().map_err(Failure::Input)?;
    if !given.settings.is_empty() {
        let files: Vec<_> = given.settings.iter().map(|s| SettingsFile::parse(s)).collect();
        return Ok(read(&files, dialect));
    }
    let found = find(dialect, &given.project, given.home().as_deref()).map(|found| found.map(|(_, settings)| settings));
    found.transpose().ok_or_else(|| {
        let project = given.project.display();
        Failure::input(format!("no settings found in {project}; name a file, or a directory with --project"))
    })
}

/// The host of that name, or all of them.
pub fn dialects(name: Option<&str>) -> Result<Vec<Arc<dyn Dialect>>, Failure> {
    name.map_or_else(|| Ok(registry::all()), |name| Ok(vec![registry::find(name).map_err(Failure::Input)?]))
}

/// The toggles the arguments name; unknown names are an error with the nearest known one.
pub fn toggles(common: &CommonArgs, settings: &Settings) -> Result<Toggles, Failure> {
    let set = &settings.hooks;
    // Where the payload names the agent, --agent fills that field instead; see `payload`.
    let agent = common.agent.clone().filter(|_| settings.dialect.profile().agent_field.is_none());
    let toggles = Toggles::new(&common.disable, &common.enable, &common.only).agent(agent.clone());
    if let Some((flag, name)) = toggles.unknown(set).first() {
        let known = || set.hooks.iter().flat_map(|h| [h.label.as_str(), h.name.as_str()]);
        let hint = did_you_mean(name, known());
        return Err(Failure::input(format!("{flag} {name}: no hook of these settings has that name{hint}")));
    }
    if let Some(agent) = &agent {
        let scopes = set.scopes();
        if !scopes.iter().any(|s| s.as_ref() == agent) {
            let hint = did_you_mean(agent, scopes.iter().map(AsRef::as_ref));
            return Err(Failure::input(format!("--agent {agent}: no agent of that name has hooks here{hint}")));
        }
    }
    Ok(toggles)
}

/// The fields in `file`; `-` is standard input.
pub fn read_fields(file: &str) -> Result<Map<String, Value>, Failure> {
    let mut bytes = Vec::new();
    let read = if file == "-" {
        std::io::stdin().lock().take(MAX_PAYLOAD + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|f| f.take(MAX_PAYLOAD + 1).read_to_end(&mut bytes))
    };
    let name = if file == "-" { "standard input" } else { file };
    read.map_err(|e| Failure::input(format!("cannot read the payload from {name}: {e}")))?;
    if bytes.len() as u64 > MAX_PAYLOAD {
        return Err(Failure::input(format!("{name} is larger than 1 GiB, which no payload is")));
    }
    Payload::parse_fields(&bytes).map_err(|e| Failure::input(format!("{name}: {e}")))
}

/// The event to fire: from the file, from the flags, or a template.
pub fn payload(source: &EventSource, common: &CommonArgs, dialect: &Arc<dyn Dialect>) -> Result<Payload, Failure> {
    let mut fields = match (&source.payload, &source.event) {
        (Some(file), _) => read_fields(file)?,
        (None, Some(event)) => event_template(dialect.as_ref(), event)?,
        (None, None) => {
            return Err(Failure::input("give the event with --payload FILE, or by name with --event EVENT"));
        }
    };
    let field = dialect.profile().event_field;
    let event = match (&source.event, fields.get(field)) {
        (Some(event), _) | (None, Some(Value::String(event))) => event.clone(),
        (None, Some(_)) => return Err(Failure::input(format!("`{field}` in the payload must be text"))),
        (None, None) => {
            let fix = format!("add `{field}`, or give --event EVENT");
            return Err(Failure::input(format!("the payload does not name its event: {fix}")));
        }
    };
    known_event(dialect.as_ref(), &event)?;
    fields.insert(field.to_string(), event.clone().into());
    name_agent(&mut fields, common, dialect.as_ref());
    if let Some(tool) = &source.tool {
        match source.payload {
            None => dialect.profile().put_tool(&mut fields, tool),
            Some(_) => drop(fields.insert(dialect.profile().tool_field().into(), tool.clone().into())),
        }
    }
    Ok(Payload::new(event, fields))
}

/// One event is no suite of tests, so JUnit is refused before anything runs.
pub fn refuse_junit(common: &CommonArgs) -> Result<(), Failure> {
    if common.format == super::args::Format::Junit { Err(super::output::no_junit()) } else { Ok(()) }
}

/// Append what was fired to the recording of `--record`, if there is one.
pub fn record<'a>(
    args: &RunArgs,
    dialect: &dyn Dialect,
    firings: impl Iterator<Item = &'a Firing>,
) -> Result<(), Failure> {
    let Some(path) = &args.record else { return Ok(()) };
    let failed = Failure::cannot("write", path);
    let mut recording = Recording::open(path).map_err(failed)?;
    for firing in firings {
        recording.write(&RecordedEvent::of(firing, dialect.profile().name)).map_err(failed)?;
    }
    Ok(())
}

/// The events of all files that `paths` stand for, into `sink`: what became of each file, and why some cannot be read.
pub fn import_all(
    paths: &[PathBuf],
    options: &ImportOptions<'_>,
    sink: &mut dyn FnMut(RecordedEvent),
) -> Result<(Vec<ImportSummary>, Vec<String>), Failure> {
    let files = files(paths);
    if files.is_empty() {
        return Err(Failure::input("there is no recording or transcript (*.jsonl) in there"));
    }
    let (mut summaries, mut failed) = (Vec::new(), Vec::new());
    for file in &files {
        match import(file, options, sink) {
            Ok(summary) => summaries.push(summary),
            Err(error) => failed.push(format!("{}: {error}", file.display())),
        }
    }
    Ok((summaries, failed))
}

/// The host's state from --host and --reply.
pub fn host(args: &RunArgs) -> Result<Arc<HostState>, Failure> {
    let mut host = match &args.host {
        None => HostState::default(),
        Some(text) => Payload::parse_fields(text.as_bytes())
            .map_err(|e| e.to_string().replace("the payload", "it"))
            .and_then(|fields| HostState::read(fields).map_err(|e| e.to_string()))
            .map_err(|e| Failure::input(format!("--host: {e}")))?,
    };
    let parse = |text: &String| {
        serde_json::from_str(text).map_err(|e| Failure::input(format!("--reply {text}: not JSON: {e}")))
    };
    let replies: Vec<Value> = args.reply.iter().map(parse).collect::<Result<_, _>>()?;
    if !replies.is_empty() {
        host.replies = replies;
    }
    Ok(Arc::new(host))
}

/// Put --agent where this host looks for it.
pub fn name_agent(fields: &mut Map<String, Value>, common: &CommonArgs, dialect: &dyn Dialect) {
    if let (Some(field), Some(agent)) = (dialect.profile().agent_field, &common.agent) {
        fields.insert(field.into(), agent.clone().into());
    }
}

pub fn event_template(dialect: &dyn Dialect, event: &str) -> Result<Map<String, Value>, Failure> {
    let row = known_event(dialect, event)?;
    Ok(dialect.profile().template(row).as_object().cloned().unwrap_or_default())
}

fn known_event<'d>(dialect: &'d dyn Dialect, event: &str) -> Result<&'d EventRow, Failure> {
    let profile = dialect.profile();
    profile.event(event).ok_or_else(|| {
        let hint = did_you_mean(event, profile.events.iter().map(|e| e.name));
        Failure::input(format!("unknown event `{event}` for {}{hint}; `hookdbg events` lists them", profile.label()))
    })
}
