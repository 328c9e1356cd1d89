//! Takes out of reports what differs from run to run and from machine to machine, and prints JSON in few lines.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use regress::Regex;
use serde_json::{Map, Value, json};

/// A longer text is shown by its start and its length.
const LONG: usize = 400;
/// Variables every machine has, with its own values.
const OF_THE_MACHINE: [&str; 8] = ["PATH", "HOME", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR"];
/// Measured, so different each time; left out.
const MEASURED: [&str; 13] = [
    "duration_ms", "execution_time_ms", "started_ms", "at", "pid", "time", "seconds", "total_ms", "p50_ms", "p95_ms",
    "max_ms", "slowest", "CLAUDE_PID",
];
/// Members that get lines of their own.
const OWN_LINES: [&str; 8] = ["pre", "post", "hooks", "run", "verdict", "findings", "groups", "cases"];

/// Texts that stand for places of this run.
pub struct Plain {
    places: Vec<(String, &'static str)>,
}

impl Plain {
    /// `dir` reads `DIR`; the directory of this package and the test's PATH read so too.
    pub fn new(dir: &str) -> Self {
        let mut places = vec![(dir.to_string(), "DIR"), (env!("CARGO_MANIFEST_DIR").to_string(), "PACKAGE")];
        places.extend(std::env::var("PATH").map(|p| (p, "PATH")));
        // The longest first, where one lies in another.
        places.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        Self { places }
    }

    /// `text` without places, moments, port numbers and names of directories made for one run.
    pub fn text(&self, text: &str) -> String {
        let text = self.places.iter().fold(text.to_string(), |text, (place, name)| text.replace(place, name));
        let text = replaced(&text, r"127\.0\.0\.1:\d+", "127.0.0.1:PORT");
        let text = replaced(
            &text,
            r"environment are \d+ bytes, and the system takes \d+",
            "environment are N bytes, and the system takes N",
        );
        let text = replaced(&text, r"/tmp/hookdbg-[A-Za-z0-9-]+", "/tmp/hookdbg-RUN");
        replaced(&text, r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "MOMENT")
    }

    /// `value` without what is measured, empty or of this machine, in few lines. Adds where members are to `keys`.
    pub fn json(&self, value: &Value, keys: &mut BTreeSet<String>) -> String {
        keys_of(value, "", keys);
        let mut out = String::new();
        print("", &self.value(value), 0, &mut out);
        out
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.text(&shortened(text)).into(),
            Value::Array(items) => items.iter().map(|v| self.value(v)).collect(),
            Value::Object(map) => {
                let members = map.iter().filter_map(|(key, value)| self.member(map, key, value));
                Value::Object(members.filter(|(_, v)| !is_empty(v)).collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    fn member(&self, all: &Map<String, Value>, key: &str, value: &Value) -> Option<(String, Value)> {
        let value = match key {
            _ if MEASURED.contains(&key) && !value.is_object() && !value.is_array() => return None,
            "version" if value.is_number() => return None,
            // Places and moments take more or fewer bytes, and a hook that does not read may end before or after its
            // input is written. That only a part was read does not depend on these.
            "stdin_bytes" | "stdin_written" | "stdin_read"
                if all.get("stdin_read").is_some_and(|r| r == "none" || r == "all") =>
            {
                return None;
            }
            "lens" => value.as_array()?.iter().filter(|r| tells(r)).map(|r| self.value(r)).collect(),
            _ => self.value(value),
        };
        Some((self.text(key), value))
    }
}

/// Whether a row of the environment's table says more than the list of variables: nobody else has it, or others differ.
fn tells(row: &Value) -> bool {
    let ours = row["shell"].is_null() && row["host"] == row["run"] && !row["run"].is_null();
    let same = row["shell"] == row["host"] && row["host"] == row["run"];
    !ours && !same && row["name"] != "directory" && !OF_THE_MACHINE.iter().any(|n| row["name"] == *n)
}

fn is_empty(value: &Value) -> bool {
    *value == json!(null) || *value == json!("") || *value == json!([]) || *value == json!({}) || *value == json!(false)
}

/// `text` with `with` in place of what `pattern` matches.
pub fn replaced(text: &str, pattern: &str, with: &str) -> String {
    Regex::new(pattern).unwrap().replace_all(text, with)
}

/// A long text by its start and its length.
pub fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONG {
        return text.to_string();
    }
    let start: String = text.chars().take(80).collect();
    let end: String = text.chars().skip(count - 40).collect();
    format!("{start}[… {} characters …]{end}", count - 120)
}

/// Where members are, as `hooks[].run.argv`; maps of names end in `{}`.
fn keys_of(value: &Value, at: &str, keys: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| keys_of(v, &format!("{at}[]"), keys)),
        Value::Object(_)
            if ["payload", "env", "host", "json", "updated_input", "input"].iter().any(|n| at.ends_with(n)) =>
        {
            keys.insert(format!("{at}{{}}"));
        }
        Value::Object(map) => map.iter().for_each(|(k, v)| {
            let at = if at.is_empty() { k.clone() } else { format!("{at}.{k}") };
            keys_of(v, &at, keys);
        }),
        _ => drop(keys.insert(at.to_string())),
    }
}

/// One line for what has no lines of its own; the rest follows, indented.
fn print(name: &str, value: &Value, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    let name = if name.is_empty() { String::new() } else { format!("{name} ") };
    let Value::Object(map) = value else {
        let _ = writeln!(out, "{pad}{name}{value}");
        return;
    };
    let (own, rest): (Vec<_>, Vec<_>) = map.iter().partition(|(k, v)| {
        OWN_LINES.contains(&k.as_str())
            && (v.is_object() || v.as_array().is_some_and(|a| a.iter().all(Value::is_object)))
    });
    let rest: Map<String, Value> = rest.into_iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    let _ = writeln!(out, "{pad}{name}{}", Value::Object(rest));
    for (key, value) in own {
        match value.as_array() {
            Some(items) => items.iter().for_each(|v| print(key, v, depth + 1, out)),
            None => print(key, value, depth + 1, out),
        }
    }
}
