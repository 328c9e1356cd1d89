//! The fields of an answer: those nobody reads, those in the wrong place, and words that are none.

use serde_json::{Map, Value};

use super::{AnswerShape, HookOutput, OutputFinding, finding, listed, shape_of};
use crate::dialect::Forgives;
use crate::dialect::event::{AnswerField, Kind, Need};
use crate::model::nearest;

pub fn fields(seen: &HookOutput<'_>, object: &Map<String, Value>, spec: &AnswerShape<'_>) -> Vec<OutputFinding> {
    if echoed(seen, object, spec) {
        return vec![listed("echoed-input", "", Some(0))];
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
        return vec![finding(
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
            finding(
                "field-too-high",
                format!("`{key}` is at the top level, where it isn't read"),
                format!("put it inside: {}", spec.specific_answer(&example)),
                at(key),
            )
        } else {
            let near = nearest(key, spec.top.iter().chain(&spec.specific).copied());
            let hint = near.map_or_else(
                || format!("{dialect} reads: {}", spec.top.join(", ")),
                |n| format!("did you mean `{n}`?"),
            );
            finding("unknown-field", format!("`{key}` isn't a recognized output field; it is ignored"), hint, at(key))
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
            found.push(finding(
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
fn wrong_word_fix(word: &str, words: &[&str], spec: &AnswerShape<'_>) -> String {
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
    seen: &HookOutput<'_>,
    inner: &Map<String, Value>,
    spec: &AnswerShape<'_>,
    at: impl Fn(&str) -> Option<usize>,
) -> Vec<OutputFinding> {
    let mut found = Vec::new();
    let (inside, event_name) = (spec.profile.specific_key, spec.event_name);
    let required = spec.row.specific_field(event_name).is_some_and(|f| f.need == Need::Required);
    match inner.get(event_name) {
        Some(Value::String(name)) if name != seen.event => found.push(finding(
            "wrong-event-name",
            format!("`{event_name}` is \"{name}\", and this event is {}", seen.event),
            format!("write \"{}\", or take it from the input's {}", seen.event, spec.profile.event_field),
            at(name),
        )),
        None if required => found.push(finding(
            "missing-event-name",
            format!("`{inside}` has no `{event_name}`, so the host refuses all of it"),
            format!("add \"{event_name}\":\"{}\"", seen.event),
            at(inside),
        )),
        _ => {}
    }
    // A field of another event is the reader's to name; one of the top is in the wrong place.
    let stray = |k: &&String| {
        let (top, specific) = (spec.top.contains(&k.as_str()), spec.specific.contains(&k.as_str()));
        spec.row.specific_field(k).is_none() && (top || !specific)
    };
    for key in inner.keys().filter(stray) {
        if spec.top.contains(&key.as_str()) {
            let says = format!("`{key}` is inside `{inside}`, where it isn't read");
            found.push(finding("field-too-deep", says, format!("move it to the top: {{\"{key}\":…}}"), at(key)));
        } else if let Some(near) = nearest(key, spec.specific.iter().copied()) {
            let says = format!("`{key}` isn't a recognized field of `{inside}`; it is ignored");
            found.push(finding("unknown-field", says, format!("did you mean `{near}`?"), at(key)));
        }
    }
    found
}

/// Whether the answer is the payload: it has the same values under keys that are no field of an answer.
fn echoed(seen: &HookOutput<'_>, object: &Map<String, Value>, spec: &AnswerShape<'_>) -> bool {
    let same = |(key, value): &(&String, &Value)| {
        !spec.top.contains(&key.as_str()) && seen.payload.get(*key).is_some_and(|v| v == *value)
    };
    object.iter().filter(same).count() >= 2
}
