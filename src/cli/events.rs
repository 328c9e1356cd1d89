//! `hookdbg events`: what each dialect knows, straight from its table.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::args::{EventsArgs, Format};
use super::failure::Failure;
use super::{inputs, output};
use crate::dialect::{Dialect, EventRow, Presence};

pub fn run(args: &EventsArgs) -> Result<(), Failure> {
    let dialects = inputs::dialects(args.dialect.as_deref())?;
    match args.format {
        Format::Human => output::print(&dialects.iter().map(|d| human(d.as_ref())).collect::<Vec<_>>().join("\n"))?,
        Format::Json => output::print_json(&dialects.iter().map(|d| as_json(d.as_ref())).collect::<Vec<_>>())?,
        Format::Jsonl => dialects.iter().try_for_each(|d| output::print_line(&as_json(d.as_ref())))?,
        Format::Junit => return Err(output::no_junit()),
    }
    Ok(())
}

fn human(dialect: &dyn Dialect) -> String {
    let mut out = format!("{}  {}\n", dialect.profile().label(), dialect.profile().about);
    let width = dialect.profile().events.iter().map(|e| e.name.len()).max().unwrap_or(0);
    for event in dialect.profile().events.iter() {
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

fn as_json(dialect: &dyn Dialect) -> Value {
    let field = |f: &crate::dialect::FieldRow| {
        let presence = match f.presence {
            Presence::Always { .. } => "always",
            Presence::NotEmpty => "not_empty",
        };
        json!({"name": f.name, "presence": presence, "about": f.about})
    };
    let events: Vec<_> = dialect
        .profile()
        .events
        .iter()
        .map(|e| {
            json!({
                "name": e.name, "about": e.when, "matched": e.matched_on.field(),
                "rights": e.effects().iter().map(|r| r.word()).collect::<Vec<_>>(),
                "fields": e.fields.iter().map(field).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({"dialect": dialect.profile().label(), "about": dialect.profile().about, "events": events})
}
