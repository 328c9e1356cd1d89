//! `hookdbg events`: what each dialect knows, straight from its table.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::args::{EventsArgs, Format};
use super::failure::Failure;
use super::{inputs, output};
use crate::dialect::{EventRow, FieldRow, Presence, Profile};

pub fn run(args: &EventsArgs) -> Result<(), Failure> {
    let dialects = inputs::dialects(args.dialect.as_deref())?;
    let profiles = || dialects.iter().map(|d| d.profile());
    match args.format {
        Format::Human => output::print(&profiles().map(human).collect::<Vec<_>>().join("\n")),
        Format::Json => output::print_json(&profiles().map(as_json).collect::<Vec<_>>()),
        Format::Jsonl => profiles().try_for_each(|profile| output::print_line(&as_json(profile))),
        Format::Junit => Err(output::no_junit()),
    }
}

fn human(profile: &Profile) -> String {
    let mut out = format!("{}  {}\n", profile.label(), profile.about);
    let width = profile.events.iter().map(|e| e.name.len()).max().unwrap_or(0);
    for event in profile.events.iter() {
        let _ = writeln!(out, "  {:<width$}  {}; hooks can {}", event.name, event.when, effects(event));
        let names: Vec<_> = event.fields.iter().map(|f| f.name).collect();
        let _ = writeln!(out, "  {:<width$}  fields: {}", "", names.join(", "));
    }
    out
}

/// What hooks can do at `event`, in words.
pub fn effects(event: &EventRow) -> String {
    let words: Vec<_> = event.effects().iter().map(|r| r.word()).collect();
    if words.is_empty() { "only observe".into() } else { words.join(", ") }
}

fn as_json(profile: &Profile) -> Value {
    let field = |f: &FieldRow| {
        let presence = match f.presence {
            Presence::Always { .. } => "always",
            Presence::NotEmpty => "not_empty",
        };
        json!({"name": f.name, "presence": presence, "about": f.about})
    };
    let event = |e: &EventRow| {
        json!({
            "name": e.name, "about": e.when, "matched": e.matched_on.field(),
            "rights": e.effects().iter().map(|r| r.word()).collect::<Vec<_>>(),
            "fields": e.fields.iter().map(field).collect::<Vec<_>>(),
        })
    };
    let events: Vec<_> = profile.events.iter().map(event).collect();
    json!({"dialect": profile.label(), "about": profile.about, "events": events})
}
