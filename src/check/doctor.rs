//! The output doctor: what is wrong with what a hook printed, where, and the one line that fixes it.
//!
//! It looks at bytes, never at processes; what the host made of the answer is decided elsewhere.

mod exits;
mod fields;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::dialect::event::{AnswerField, Kind, TextAs};
use crate::dialect::{EventRow, Forgives, JsonUse, Profile, registry};
use exits::{diagnose_start, exit_code};
use fields::fields;

pub use exits::means_to_refuse;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OutputFinding {
    pub id: &'static str,
    pub says: String,
    pub fix: String,
    /// The first offending byte of stdout, or of stderr where that is spoken of.
    pub byte: Option<usize>,
}

/// What a hook wrote, at which event, and how it ended.
#[derive(Debug, Clone, Copy)]
pub struct HookOutput<'a> {
    pub event: &'a str,
    pub stdout: &'a str,
    pub stderr: &'a str,
    pub exit: Option<i32>,
    pub payload: &'a Map<String, Value>,
}

/// What answers look like at one event.
struct AnswerShape<'a> {
    profile: &'a Profile,
    event: &'a str,
    row: EventRow,
    top: Vec<&'static str>,
    /// Every field inside the key that is for one event.
    specific: Vec<&'static str>,
    /// The one of these that names the event.
    event_name: &'static str,
}

impl AnswerShape<'_> {
    /// An answer with `fields`, as JSON text, where those of one event belong.
    fn specific_answer(&self, fields: &str) -> String {
        let (key, event_name, event) = (self.profile.specific_key, self.event_name, self.event);
        let fields = if fields.is_empty() { String::new() } else { format!(",{fields}") };
        format!("{{\"{key}\":{{\"{event_name}\":\"{event}\"{fields}}}}}")
    }
}

fn names(fields: Vec<&'static AnswerField>) -> Vec<&'static str> {
    fields.into_iter().map(|f| f.name).collect()
}

pub fn examine(seen: &HookOutput<'_>, profile: &Profile) -> Vec<OutputFinding> {
    let (row, specific) = (profile.row(seen.event), profile.specific_fields());
    let event_name = specific.iter().find(|f| f.kind == Kind::EventName).map_or("", |f| f.name);
    let (top, specific) = (names(profile.top_fields()), names(specific));
    let spec = &AnswerShape { profile, event: seen.event, row, top, specific, event_name };
    let mut found = Vec::new();
    found.extend(diagnose_start(seen));
    found.extend(exit_code(seen, spec));
    found.extend(json_on_stderr(seen, spec));
    let text = seen.stdout;
    if text.starts_with('\u{feff}') && spec.profile.forgives != Forgives::Mark {
        found.push(listed("bom", "", Some(0)));
    }
    let body = text.trim_start_matches('\u{feff}');
    match profile.json {
        JsonUse::Never => found.extend(foreign_text(body, profile)),
        JsonUse::ExitZero | JsonUse::AnyExit => found.extend(json(seen, body, spec)),
    }
    found
}

/// What is said in the same words each time, with `{}` for what was found, and the line that repairs it.
#[rustfmt::skip]
const FINDINGS: [(&str, &str, &str); 13] = [
    ("crlf", "the script has Windows line endings; the shell treats each carriage return as part of a word", "save it with Unix line endings: sed -i 's/\\r$//' SCRIPT"),
    ("not-executable", "exit 126: the shell found the script but isn't allowed to execute it", "chmod +x SCRIPT, or name the interpreter in the command (sh SCRIPT)"),
    ("not-found", "exit 127: the shell did not find the program{}", "use an absolute path; the host's working directory and PATH differ from your shell's"),
    ("interpreter-exit-2", "exit 2 looks like a decision, but {}, so the script never decided anything", "fix the script or its path; until then, it blocks every event by accident"),
    ("exit-2-stdout-only", "with exit 2 the reason is read from stderr, but it was printed to stdout", "print it with >&2"),
    ("exit-1-is-no-deny", "exit {} doesn't block here; only exit 2 does, so the event proceeds", "use exit 2, or print a JSON answer that denies"),
    ("json-on-stderr", "the answer was printed to stderr, but hosts read JSON from stdout only", "print it to stdout"),
    ("bom", "stdout begins with a byte order mark", "write UTF-8 without a byte order mark (in PowerShell: utf8NoBOM)"),
    ("not-an-object", "stdout is JSON but not an object; an answer must be an object", "print {…}, or nothing"),
    ("two-documents", "stdout contains {} JSON documents; an answer must be a single object", "print one object; send debugging output to stderr"),
    ("text-before-json", "`{}` comes before the JSON, so all of stdout is read as text", "print only the answer to stdout and everything else to stderr; sh -l and bash -l also run a shell profile, which may print"),
    ("text-after-json", "`{}` comes after the JSON", "print nothing after the answer; send debugging output to stderr"),
    ("echoed-input", "it printed its own input back, which isn't an answer", "read stdin without printing it (INPUT=$(cat)), and print only the answer"),
];

/// The finding `id` of the table, where `found` was found.
fn listed(id: &'static str, found: impl ToString, byte: Option<usize>) -> OutputFinding {
    let (says, fix) = FINDINGS.iter().find(|row| row.0 == id).map_or(("", ""), |(_, says, fix)| (*says, *fix));
    finding(id, says.replacen("{}", &found.to_string(), 1), fix, byte)
}

fn finding(id: &'static str, says: impl Into<String>, fix: impl Into<String>, byte: Option<usize>) -> OutputFinding {
    OutputFinding { id, says: says.into(), fix: fix.into(), byte }
}

fn json_on_stderr(seen: &HookOutput<'_>, spec: &AnswerShape<'_>) -> Option<OutputFinding> {
    let object = serde_json::from_str::<Map<String, Value>>(seen.stderr.trim()).ok()?;
    let known = object.keys().any(|k| spec.top.contains(&k.as_str()) || spec.specific.contains(&k.as_str()));
    (known && seen.stdout.trim().is_empty() && spec.profile.json != JsonUse::Never)
        .then(|| listed("json-on-stderr", "", Some(0)))
}

/// JSON where only text is read.
fn foreign_text(body: &str, profile: &Profile) -> Option<OutputFinding> {
    let object = serde_json::from_str::<Map<String, Value>>(body.trim()).ok()?;
    let (host, dialect) = (shape_of(&object, profile)?, profile.name);
    Some(finding(
        "foreign-answer",
        format!(
            "this is {host}'s shape; {dialect} reads stdout as plain text, so the JSON itself becomes the feedback"
        ),
        "print the reason as plain text and exit 2 to deny",
        Some(0),
    ))
}

/// The other host whose answers have all keys of `object`: the likeliest is the first, then those with fewer fields.
fn shape_of(object: &Map<String, Value>, not: &Profile) -> Option<&'static str> {
    let fits = |p: &Profile| !object.is_empty() && object.keys().all(|k| names(p.top_fields()).contains(&k.as_str()));
    let hosts = registry::all();
    let others = hosts.iter().map(|d| d.profile()).enumerate().filter(|(_, p)| p.name != not.name && fits(p));
    others.min_by_key(|(at, p)| (*at > 0, p.top_fields().len())).map(|(_, p)| p.name)
}

fn json(seen: &HookOutput<'_>, body: &str, spec: &AnswerShape<'_>) -> Vec<OutputFinding> {
    let shift = seen.stdout.len() - body.len();
    let trimmed = body.trim();
    if trimmed.is_empty() {
        return Vec::new();
    }
    let text_is_fine = matches!(spec.row.text, TextAs::Context | TextAs::Path);
    match serde_json::from_str::<Value>(trimmed) {
        Ok(Value::Object(object)) => fields(seen, &object, spec),
        Ok(_) | Err(_) if text_is_fine && !trimmed.starts_with('{') => Vec::new(),
        Ok(_) => vec![listed("not-an-object", "", Some(shift))],
        Err(error) => broken(body, trimmed, &error, shift, spec),
    }
}

fn broken(
    body: &str,
    trimmed: &str,
    error: &serde_json::Error,
    shift: usize,
    spec: &AnswerShape<'_>,
) -> Vec<OutputFinding> {
    let offset = |part: &str| shift + (part.as_ptr() as usize - body.as_ptr() as usize);
    let objects: Vec<Result<Map<String, Value>, _>> = serde_json::Deserializer::from_str(trimmed).into_iter().collect();
    let whole = objects.iter().filter(|o| o.is_ok()).count();
    if whole > 1 {
        return vec![listed("two-documents", whole, second_document(trimmed).map(|at| offset(trimmed) + at))];
    }
    let answer =
        |object: Map<String, Value>| object.is_empty() || object.keys().any(|k| spec.top.contains(&k.as_str()));
    if !trimmed.starts_with('{')
        && let Some((at, _)) =
            trimmed.match_indices('{').find(|(at, _)| serde_json::from_str(&trimmed[*at..]).is_ok_and(answer))
    {
        let before = trimmed[..at].lines().next().unwrap_or_default().trim();
        return vec![listed("text-before-json", short(before), Some(offset(trimmed)))];
    }
    if let Some(at) = second_document(trimmed).filter(|_| whole == 1) {
        return vec![listed("text-after-json", short(trimmed[at..].trim()), Some(offset(trimmed) + at))];
    }
    if !trimmed.starts_with('{') {
        return Vec::new();
    }
    let at = byte_of(trimmed, error);
    let hint = if trimmed.contains('\'') && !trimmed.contains('"') {
        "JSON has double quotes, not single ones"
    } else if trimmed.contains(",}") || trimmed.contains(",]") || trimmed.contains(",\n}") {
        "take the last comma away"
    } else {
        "let a JSON encoder print it (jq -n, json.dumps, JSON.stringify) instead of gluing strings together"
    };
    vec![finding("invalid-json-answer", format!("not JSON: {error}"), hint, Some(offset(trimmed) + at))]
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(40).filter(|c| !c.is_control()).collect();
    if text.chars().count() > 40 { format!("{cut}…") } else { cut }
}

/// Where the first document ends and something else begins.
fn second_document(text: &str) -> Option<usize> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    stream.next()?.ok()?;
    let at = stream.byte_offset();
    let rest = text[at..].trim_start();
    (!rest.is_empty()).then(|| text.len() - rest.len())
}

fn byte_of(text: &str, error: &serde_json::Error) -> usize {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    (before + error.column().saturating_sub(1)).min(text.len())
}
