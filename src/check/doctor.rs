//! The output doctor: what is wrong with what a hook printed, where, and the one line that mends it.
//!
//! It looks at bytes, never at processes; what the host made of the answer is decided elsewhere.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::dialect::event::{AnswerField, Exit, Kind, Need, TextAs};
use crate::dialect::{EventRow, Forgives, JsonUse, Profile, Stream, registry};
use crate::model::nearest;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    pub id: &'static str,
    pub says: String,
    pub fix: String,
    /// The first offending byte of stdout, or of stderr where that is spoken of.
    pub byte: Option<usize>,
}

/// What there is to look at.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    pub event: &'a str,
    pub stdout: &'a str,
    pub stderr: &'a str,
    pub exit: Option<i32>,
    pub payload: &'a Map<String, Value>,
}

/// What answers look like at one event.
struct Answers<'a> {
    profile: &'a Profile,
    event: &'a str,
    row: EventRow,
    top: Vec<&'static str>,
    /// Every field inside the key that is for one event.
    specific: Vec<&'static str>,
    /// The one of these that names the event.
    event_name: &'static str,
}

impl Answers<'_> {
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

pub fn examine(seen: &Observed<'_>, profile: &Profile) -> Vec<Advice> {
    let (row, specific) = (profile.row(seen.event), profile.specific_fields());
    let event_name = specific.iter().find(|f| f.kind == Kind::EventName).map_or("", |f| f.name);
    let (top, specific) = (names(profile.top_fields()), names(specific));
    let spec = &Answers { profile, event: seen.event, row, top, specific, event_name };
    let mut found = Vec::new();
    found.extend(started_wrong(seen));
    found.extend(exit_code(seen, spec));
    found.extend(json_on_stderr(seen, spec));
    let text = seen.stdout;
    if text.starts_with('\u{feff}') && spec.profile.forgives != Forgives::Mark {
        found.push(advice(
            "bom",
            "stdout begins with a byte order mark",
            "write UTF-8 without a mark (in PowerShell: utf8NoBOM)",
            Some(0),
        ));
    }
    let body = text.trim_start_matches('\u{feff}');
    match profile.json {
        JsonUse::Never => found.extend(foreign_text(body, profile)),
        JsonUse::ExitZero | JsonUse::AnyExit => found.extend(json(seen, body, spec)),
    }
    found
}

fn advice(id: &'static str, says: impl Into<String>, fix: impl Into<String>, byte: Option<usize>) -> Advice {
    Advice { id, says: says.into(), fix: fix.into(), byte }
}

fn started_wrong(seen: &Observed<'_>) -> Option<Advice> {
    let says = |needle: &str| seen.stderr.contains(needle);
    if says("\r: command not found") || says("^M") || says("$'\\r'") || says("\\r': No such file") {
        return Some(advice(
            "crlf",
            "the script has Windows line ends, and its shell reads the carriage returns as part of the words",
            "save it with Unix line ends: sed -i 's/\\r$//' SCRIPT",
            None,
        ));
    }
    match seen.exit {
        Some(126) => Some(advice(
            "not-executable",
            "exit 126: the shell found the script and may not execute it",
            "chmod +x SCRIPT, or name the interpreter in the command (sh SCRIPT)",
            None,
        )),
        Some(127) => Some(advice(
            "not-found",
            format!("exit 127: the shell did not find the program{}", quoted_first_line(seen.stderr)),
            "use an absolute path; the directory and the PATH of a host are not those of your shell",
            None,
        )),
        _ => None,
    }
}

fn quoted_first_line(text: &str) -> String {
    text.lines().next().filter(|l| !l.is_empty()).map_or_else(String::new, |l| format!(" (`{}`)", l.trim()))
}

/// Whether a message or script reads as if it meant to refuse.
pub fn means_to_refuse(text: &str) -> bool {
    let text = text.to_lowercase();
    ["block", "deny", "denied", "not allowed", "forbidden", "refus", "reject"].iter().any(|w| text.contains(w))
}

/// What interpreters and option parsers write before they exit with 2 themselves.
const INTERPRETERS: [(&str, &str); 9] = [
    ("can't open file", "python did not find the script"),
    ("No such file or directory", "a file was not found"),
    ("SyntaxError", "the interpreter could not read the script"),
    ("syntax error", "the shell could not read the script"),
    ("Syntax error", "the shell could not read the script"),
    ("usage:", "an option parser refused the arguments"),
    ("Bad substitution", "sh is no bash: it does not know this expansion"),
    ("error: unrecognized arguments", "an option parser refused the arguments"),
    ("unexpected operator", "sh is no bash: it does not know this test"),
];

fn exit_code(seen: &Observed<'_>, spec: &Answers<'_>) -> Vec<Advice> {
    let mut found = Vec::new();
    // A JSON answer decides whatever the code; a crash that mentions a word refuses nothing.
    let answered = serde_json::from_str::<Map<String, Value>>(seen.stdout.trim())
        .is_ok_and(|o| o.keys().any(|k| spec.top.contains(&k.as_str())));
    let crashed = seen.stderr.contains("Traceback (most recent call last)") || seen.stderr.starts_with("jq: ");
    if (answered && spec.profile.json != JsonUse::Never) || (crashed && seen.exit != Some(2)) {
        return found;
    }
    let refuses = || means_to_refuse(seen.stderr) || means_to_refuse(seen.stdout);
    match (seen.exit, spec.row.exit.two) {
        (Some(2), two) if two != Exit::Fails => {
            if let Some(what) = interpreter(seen.stderr) {
                found.push(advice(
                    "interpreter-exit-2",
                    format!("exit 2 looks like a decision, but {what}: the script itself decided nothing"),
                    "mend the script or its path; until then every event is blocked by the accident",
                    None,
                ));
            } else if spec.profile.reason_from == Stream::Stderr
                && seen.stderr.trim().is_empty()
                && !seen.stdout.trim().is_empty()
            {
                found.push(advice(
                    "exit-2-stdout-only",
                    "exit 2 takes its reason from stderr, and the reason was printed to stdout",
                    "print it with >&2",
                    None,
                ));
            }
        }
        (Some(code), two) if two != Exit::Fails && code != 0 && code < 126 && refuses() => {
            found.push(advice(
                "exit-1-is-no-deny",
                format!("exit {code} reads like a refusal, but only exit 2 blocks here: the event goes on"),
                "exit 2, or answer with JSON",
                None,
            ));
        }
        (Some(code), Exit::Fails) if code != 0 && code < 126 && refuses() => {
            found.push(advice(
                "exit-is-no-deny",
                format!("exit {code} reads like a refusal, but this host counts it as a failed hook and goes on"),
                format!("exit 0 and answer with JSON: {}", spec.profile.refusal),
                None,
            ));
        }
        _ => {}
    }
    found
}

/// What an interpreter says in a line of its own form: its name or the script's first, then the trouble.
fn interpreter(stderr: &str) -> Option<&'static str> {
    let own_form = |line: &str| {
        let head = line.split(':').next().unwrap_or_default().trim();
        let name = head.rsplit('/').next().unwrap_or_default();
        let known = ["sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby", "perl", "env"];
        known.contains(&name)
            || line.contains(": line ")
            || line.split(':').nth(1).is_some_and(|n| n.trim().parse::<u32>().is_ok())
    };
    stderr.lines().find_map(|line| {
        let (_, what) = INTERPRETERS.iter().find(|(needle, _)| line.contains(needle))?;
        let parser = line.starts_with("usage:") || line.contains(": error: ");
        let traceback = line.starts_with("SyntaxError:") || line.starts_with("IndentationError:");
        (own_form(line) || parser || traceback).then_some(*what)
    })
}

fn json_on_stderr(seen: &Observed<'_>, spec: &Answers<'_>) -> Option<Advice> {
    let object = serde_json::from_str::<Map<String, Value>>(seen.stderr.trim()).ok()?;
    let known = object.keys().any(|k| spec.top.contains(&k.as_str()) || spec.specific.contains(&k.as_str()));
    (known && seen.stdout.trim().is_empty() && spec.profile.json != JsonUse::Never).then(|| {
        advice(
            "json-on-stderr",
            "the answer was printed to stderr, where no host looks for JSON",
            "print it to stdout",
            Some(0),
        )
    })
}

/// JSON where only text is read.
fn foreign_text(body: &str, profile: &Profile) -> Option<Advice> {
    let object = serde_json::from_str::<Map<String, Value>>(body.trim()).ok()?;
    let (host, dialect) = (shape_of(&object, profile)?, profile.name);
    Some(advice(
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

fn json(seen: &Observed<'_>, body: &str, spec: &Answers<'_>) -> Vec<Advice> {
    let shift = seen.stdout.len() - body.len();
    let trimmed = body.trim();
    if trimmed.is_empty() {
        return Vec::new();
    }
    let text_is_fine = matches!(spec.row.text, TextAs::Context | TextAs::Path);
    match serde_json::from_str::<Value>(trimmed) {
        Ok(Value::Object(object)) => fields(seen, &object, spec),
        Ok(_) | Err(_) if text_is_fine && !trimmed.starts_with('{') => Vec::new(),
        Ok(_) => vec![advice(
            "not-an-object",
            "stdout is JSON but no object, and an answer is an object",
            "print {…}, or nothing",
            Some(shift),
        )],
        Err(error) => broken(body, trimmed, &error, shift, spec),
    }
}

fn broken(body: &str, trimmed: &str, error: &serde_json::Error, shift: usize, spec: &Answers<'_>) -> Vec<Advice> {
    let offset = |part: &str| shift + (part.as_ptr() as usize - body.as_ptr() as usize);
    let objects: Vec<Result<Map<String, Value>, _>> = serde_json::Deserializer::from_str(trimmed).into_iter().collect();
    let whole = objects.iter().filter(|o| o.is_ok()).count();
    if whole > 1 {
        return vec![advice(
            "two-documents",
            format!("stdout holds {whole} JSON documents one after the other, and an answer is one"),
            "print one object; send debugging output to stderr",
            second_document(trimmed).map(|at| offset(trimmed) + at),
        )];
    }
    let answer = |text: &str| {
        let object = serde_json::from_str::<Map<String, Value>>(text).ok()?;
        (object.is_empty() || object.keys().any(|k| spec.top.contains(&k.as_str()))).then_some(())
    };
    if !trimmed.starts_with('{')
        && let Some(at) = trimmed.match_indices('{').find_map(|(at, _)| answer(&trimmed[at..]).map(|()| at))
    {
        let before = trimmed[..at].lines().next().unwrap_or_default().trim();
        return vec![advice(
            "text-before-json",
            format!("`{}` stands before the JSON, so all of stdout is read as text", short(before)),
            "keep stdout for the answer: print such lines to stderr; a shell profile that prints is run by sh -l and bash -l",
            Some(offset(trimmed)),
        )];
    }
    if whole == 1
        && let Some(at) = second_document(trimmed)
    {
        return vec![advice(
            "text-after-json",
            format!("`{}` stands after the JSON", short(trimmed[at..].trim())),
            "print nothing after the answer; send debugging output to stderr",
            Some(offset(trimmed) + at),
        )];
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
    vec![advice("invalid-json-answer", format!("not JSON: {error}"), hint, Some(offset(trimmed) + at))]
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

fn fields(seen: &Observed<'_>, object: &Map<String, Value>, spec: &Answers<'_>) -> Vec<Advice> {
    if echoed(seen, object, spec) {
        return vec![advice(
            "echoed-input",
            "it printed its own input back, which is no answer",
            "read stdin without printing it (INPUT=$(cat)), and print only the answer",
            Some(0),
        )];
    }
    let mut found = Vec::new();
    let dialect = spec.profile.name;
    let top_known = |k: &str| {
        spec.top.contains(&k)
            || spec.profile.forgives == Forgives::Case && spec.top.iter().any(|t| t.eq_ignore_ascii_case(k))
    };
    let inner = object.get(spec.profile.specific_key).and_then(Value::as_object);
    let unknown: Vec<&str> = object.keys().map(String::as_str).filter(|k| !top_known(k)).collect();
    if unknown.len() == object.len()
        && let Some(host) = shape_of(object, spec.profile)
    {
        return vec![advice(
            "foreign-answer",
            format!("this is {host}'s shape; {dialect} knows none of these fields"),
            format!("{dialect} reads: {}", spec.top.join(", ")),
            Some(0),
        )];
    }
    let at = |key: &str| seen.stdout.find(&format!("\"{key}\""));
    for key in unknown {
        found.push(if spec.specific.contains(&key) {
            let example = if key == spec.event_name { String::new() } else { format!("\"{key}\":…") };
            advice(
                "field-too-high",
                format!("`{key}` stands at the top, where nobody looks for it"),
                format!("put it inside: {}", spec.specific_answer(&example)),
                at(key),
            )
        } else {
            let near = nearest(key, spec.top.iter().chain(&spec.specific).copied());
            let hint = near.map_or_else(
                || format!("{dialect} reads: {}", spec.top.join(", ")),
                |n| format!("did you mean `{n}`?"),
            );
            advice("unknown-field", format!("`{key}` is no field of an answer; it is ignored"), hint, at(key))
        });
    }
    if let Some(inner) = inner {
        found.extend(inside(seen, inner, spec, at));
    }
    let worded = spec.profile.top_fields().into_iter().chain(spec.profile.specific_fields());
    for (field, value) in worded.filter_map(|f| match object.get(f.name) {
        Some(value) => Some((f, value)),
        None => Some((spec.row.specific_field(f.name).unwrap_or(f), inner?.get(f.name)?)),
    }) {
        let Some(words) = field.words() else { continue };
        if let Value::String(word) = value
            && !words.contains(&word.as_str())
        {
            found.push(advice(
                "wrong-word",
                format!("`{}` is \"{word}\", and the words are {}", field.name, words.join(", ")),
                nearest(word, words.iter().copied())
                    .map_or_else(|| wrong_word_fix(word, words, spec), |near| format!("write \"{near}\"")),
                at(word),
            ));
        }
    }
    found
}

/// Where this event takes `word`, or which of `words` refuses too.
fn wrong_word_fix(word: &str, words: &[&str], spec: &Answers<'_>) -> String {
    let takes = |f: &AnswerField| f.words().is_some_and(|words| words.contains(&word));
    let written = |f: &AnswerField| match f.kind {
        Kind::Fields(inside) => {
            inside.iter().find(|i| takes(i)).map(|i| format!("\"{}\":{{\"{}\":\"{word}\"}}", f.name, i.name))
        }
        _ => takes(f).then(|| format!("\"{}\":\"{word}\"", f.name)),
    };
    if let Some(fields) = spec.row.specific.iter().find_map(written) {
        return format!("write {}", spec.specific_answer(&fields));
    }
    let refuses = |word: &str| ["block", "deny", "reject"].contains(&word);
    match words.iter().find(|w| refuses(word) && refuses(w)) {
        Some(refusal) => format!("write \"{refusal}\""),
        None => "write one of these words".into(),
    }
}

fn inside(
    seen: &Observed<'_>,
    inner: &Map<String, Value>,
    spec: &Answers<'_>,
    at: impl Fn(&str) -> Option<usize>,
) -> Vec<Advice> {
    let mut found = Vec::new();
    let (key, event_name, field) =
        (spec.profile.specific_key, spec.event_name, spec.row.specific_field(spec.event_name));
    match inner.get(event_name) {
        Some(Value::String(name)) if name != seen.event => found.push(advice(
            "wrong-event-name",
            format!("`{event_name}` is \"{name}\", and this event is {}", seen.event),
            format!("write \"{}\", or take it from the input's {}", seen.event, spec.profile.event_field),
            at(name),
        )),
        None if field.is_some_and(|f| f.need == Need::Required) => found.push(advice(
            "missing-event-name",
            format!("`{key}` has no `{event_name}`, so the host refuses all of it"),
            format!("add \"{event_name}\":\"{}\"", seen.event),
            at(key),
        )),
        _ => {}
    }
    // A field of another event is the reader's to name; one of the top is in the wrong place.
    let stray = |k: &&String| {
        let (top, specific) = (spec.top.contains(&k.as_str()), spec.specific.contains(&k.as_str()));
        spec.row.specific_field(k).is_none() && (top || !specific)
    };
    for key in inner.keys().filter(stray) {
        let near = nearest(key, spec.specific.iter().copied());
        if let Some(near) = near.filter(|_| !spec.top.contains(&key.as_str())) {
            let says = format!("`{key}` is no field of `{}`; it is ignored", spec.profile.specific_key);
            found.push(advice("unknown-field", says, format!("did you mean `{near}`?"), at(key)));
        }
        if spec.top.contains(&key.as_str()) {
            found.push(advice(
                "field-too-deep",
                format!("`{key}` stands inside `{}`, where nobody looks for it", spec.profile.specific_key),
                format!("move it to the top: {{\"{key}\":…}}"),
                at(key),
            ));
        }
    }
    found
}

/// Whether the answer is the payload: it has the same values under keys that are no field of an answer.
fn echoed(seen: &Observed<'_>, object: &Map<String, Value>, spec: &Answers<'_>) -> bool {
    let same = |(key, value): &(&String, &Value)| {
        !spec.top.contains(&key.as_str()) && seen.payload.get(*key).is_some_and(|v| v == *value)
    };
    object.iter().filter(same).count() >= 2
}
