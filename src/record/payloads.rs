//! Reads files of payloads as people keep them: one JSON object, a list of objects, or JSON Lines.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::model::Payload;

/// What a file gave.
#[derive(Debug, Default)]
pub struct Opened {
    /// The payloads, in order.
    pub payloads: Vec<Payload>,
    /// What was left out, each with its place.
    pub problems: Vec<String>,
}

/// Larger files are not read into memory.
const MAX_BYTES: u64 = 256 << 20;

/// Read `file` as payloads of `dialect`.
pub fn open_payloads(file: &Path, dialect: &dyn Dialect) -> io::Result<Opened> {
    let mut bytes = Vec::new();
    fs::File::open(file)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 256 MiB"));
    }
    Ok(parse(&String::from_utf8_lossy(&bytes), dialect))
}

fn parse(text: &str, dialect: &dyn Dialect) -> Opened {
    let text = text.trim_start_matches('\u{feff}');
    let mut opened = Opened::default();
    match serde_json::from_str(text) {
        Ok(Value::Array(items)) => {
            for (index, item) in items.into_iter().enumerate() {
                opened.take(item, &format!("item {}", index + 1), dialect);
            }
        }
        Ok(value) => opened.take(value, "the file", dialect),
        Err(_) => {
            for (index, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
                let place = format!("line {}", index + 1);
                match serde_json::from_str(line) {
                    Ok(value) => opened.take(value, &place, dialect),
                    Err(e) => opened.problems.push(format!("{place} is not JSON: {e}")),
                }
            }
        }
    }
    opened
}

impl Opened {
    fn take(&mut self, value: Value, place: &str, dialect: &dyn Dialect) {
        let Value::Object(fields) = value else {
            return self.problems.push(format!("{place} is no object"));
        };
        match event_of(&fields, dialect) {
            Some(event) if dialect.event(&event).is_some() => self.payloads.push(Payload::new(event, fields)),
            Some(event) => self.problems.push(format!("{place} names the unknown event `{event}`")),
            None => self.problems.push(format!("{place} does not name its event in `{}`", dialect.event_field())),
        }
    }
}

fn event_of(fields: &Map<String, Value>, dialect: &dyn Dialect) -> Option<String> {
    fields.get(dialect.event_field())?.as_str().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::registry;

    #[test]
    fn three_forms_are_read_and_what_is_wrong_is_said() {
        let dialect = registry::all().remove(0);
        let count = |text: &str| {
            let opened = parse(text, dialect.as_ref());
            (opened.payloads.len(), opened.problems.len())
        };
        let one = r#"{"hook_event_name":"Stop"}"#;
        assert_eq!(count(one), (1, 0));
        assert_eq!(count(&format!("[{one},{one},7]")), (2, 1));
        assert_eq!(count(&format!("{one}\n\nnot json\n{one}\n{{\"a\":1}}\n{{\"hook_event_name\":\"X\"}}")), (2, 3));
        assert_eq!(count(""), (0, 0));
    }
}
