//! Snapshot files: all cases of one host, command and format in one file, compared case by case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::plain::Plain;

/// Lines of a difference that are shown of one case.
const SHOWN: usize = 20;
/// Characters shown on either side of a difference within a line.
const AROUND: usize = 60;
/// Begins the line with the names of the cases.
const MARK: &str = "===== ";

/// The texts of one host, by file and then in the order of the cases.
#[derive(Default)]
pub struct Snapshots {
    files: BTreeMap<String, Vec<(String, String)>>,
    keys: BTreeMap<String, BTreeSet<String>>,
}

impl Snapshots {
    /// Add the text of `case` to `file`.
    pub fn add(&mut self, file: &str, case: &str, text: &str) {
        self.files.entry(file.into()).or_default().push((case.into(), text.trim_end().into()));
    }

    /// Add the JSON of `case` to the file of `command`, and the names of its members to the file of names.
    pub fn add_json(&mut self, command: &str, case: &str, plain: &Plain, value: &Value) {
        let text = plain.json(value, self.keys.entry(command.into()).or_default());
        self.add(&format!("{command}.json"), case, &text);
    }

    /// Compare with the files of `host`, or write them where `HOOKDBG_UPDATE` is set.
    pub fn compare(mut self, host: &str) {
        for (command, keys) in std::mem::take(&mut self.keys) {
            self.add("keys.txt", &command, &keys.into_iter().collect::<Vec<_>>().join("\n"));
        }
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/reports");
        let mut complaints = self.stale(&dir, host);
        for (file, cases) in &self.files {
            let path = dir.join(format!("{host}.{file}"));
            if std::env::var_os("HOOKDBG_UPDATE").is_some() {
                fs::create_dir_all(&dir).unwrap();
                fs::write(&path, joined(cases)).unwrap();
            }
            complaints.push_str(&differences(&path, cases));
        }
        assert!(
            complaints.is_empty(),
            "{complaints}\nIf this is meant: HOOKDBG_UPDATE=1 cargo test --test reports, and read the difference."
        );
    }
}

impl Snapshots {
    /// Files of `host` that no case writes any more.
    fn stale(&self, dir: &Path, host: &str) -> String {
        let kept = fs::read_dir(dir).into_iter().flatten().map(|entry| entry.unwrap().file_name());
        let kept = kept.filter_map(|name| Some(name.to_str()?.strip_prefix(&format!("{host}."))?.to_string()));
        kept.filter(|file| !self.files.contains_key(file))
            .fold(String::new(), |all, file| format!("{all}\nno case: {host}.{file}\n"))
    }
}

/// Cases in order; those that read the same share one text under the names of all.
fn joined(cases: &[(String, String)]) -> String {
    let mut texts: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, text) in cases {
        match texts.iter_mut().find(|(t, _)| t == text) {
            Some((_, names)) => names.push(name),
            None => texts.push((text, vec![name])),
        }
    }
    texts.iter().fold(String::new(), |mut out, (text, names)| {
        let _ = writeln!(out, "{MARK}{}\n{text}", names.join(" "));
        out
    })
}

fn differences(path: &PathBuf, cases: &[(String, String)]) -> String {
    let kept = fs::read_to_string(path).unwrap_or_default();
    if kept == joined(cases) {
        return String::new();
    }
    let parts = kept.split(MARK).skip(1).map(|part| part.split_once('\n').unwrap_or((part, "")));
    let mut by_name: BTreeMap<&str, &str> =
        parts.flat_map(|(names, text)| names.split(' ').map(move |name| (name, text))).collect();
    let mut out = format!("\n{}\n", path.display());
    for (name, text) in cases {
        match by_name.remove(name.as_str()) {
            Some(old) if old.trim_end() == text => {}
            Some(old) => out.push_str(&changed(name, old.trim_end(), text)),
            None => out.extend(["  new case ", name, "\n"]),
        }
    }
    by_name.keys().for_each(|name| out.extend(["  gone: case ", name, "\n"]));
    out
}

/// What differs: line by line where there are as many as before, else all lines between the common start and end.
fn changed(name: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    if old.len() == new.len() {
        let pairs = old.iter().zip(&new).enumerate().filter(|(_, (a, b))| a != b).take(SHOWN);
        let parts = pairs.map(|(at, (a, b))| {
            let (a, b) = apart(a, b);
            format!("    line {}\n    - {a}\n    + {b}\n", at + 1)
        });
        return format!("  case {name}\n{}", parts.collect::<String>());
    }
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let part = |lines: &[&str], sign: char| {
        let lines = &lines[head..lines.len() - tail];
        let more = lines.len().saturating_sub(SHOWN);
        let shown: String =
            lines.iter().take(SHOWN).flat_map(|l| ["    ".into(), sign.to_string(), format!(" {l}\n")]).collect();
        if more == 0 { shown } else { format!("{shown}    {sign} and {more} lines more\n") }
    };
    format!("  case {name}, line {}\n{}{}", head + 1, part(&old, '-'), part(&new, '+'))
}

/// The parts of two lines that differ, with some of what stands around them.
fn apart(old: &str, new: &str) -> (String, String) {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let cut = |line: &[char]| {
        let (from, to) = (head.saturating_sub(AROUND), (line.len() - tail + AROUND).min(line.len()));
        let dots = |is_cut: bool| if is_cut { "…" } else { "" };
        format!("{}{}{}", dots(from > 0), line[from..to].iter().collect::<String>(), dots(to < line.len()))
    };
    (cut(&old), cut(&new))
}
