//! The house rules as tests: who may use whom, where input/output and waiting are allowed.
#![expect(clippy::unwrap_used, reason = "a test program")]

use std::fs;
use std::path::{Path, PathBuf};

/// Left never imports right. `tui` stands beside `cli`; nothing stands on either.
const LAYERS: [&str; 11] =
    ["diag", "model", "dialect", "settings", "plan", "check", "engine", "record", "store", "report", "cli"];
const BESIDE: [&str; 2] = ["tui", "cli"];
/// No input, no output, no waiting.
const PURE: [&str; 7] = ["diag", "model", "dialect", "plan", "store", "tui/update", "tui/view"];
const IO_WORDS: [&str; 9] =
    ["std::fs", "std::io", "std::net", "std::process", "std::env::", "tokio", "async fn", "async move", "std::thread"];

/// Every source file with its path below src and its text without comments and tests.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files
        .into_iter()
        .map(|file| {
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            let text = fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code: Vec<_> = code.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
            (name, code.join("\n"))
        })
        .collect()
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

fn layer(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

/// The top modules a file names through `crate::`.
fn imports(code: &str) -> Vec<String> {
    code.match_indices("crate::")
        .map(|(at, word)| code[at + word.len()..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

fn rank(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|l| *l == layer)
}

#[test]
fn left_never_imports_right() {
    let mut wrong = Vec::new();
    for (file, code) in sources() {
        let own = layer(&file);
        for import in imports(&code) {
            let allowed = match (rank(own), rank(&import)) {
                _ if own == "cli" && import == "tui" => true,
                (Some(own), Some(other)) => other <= own,
                (Some(_), None) => !BESIDE.contains(&import.as_str()),
                (None, _) => ["lib", "main"].contains(&own) || (own == "tui" && import != "cli"),
            };
            if !allowed {
                wrong.push(format!("{file} uses {import}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pure_layers_do_no_io_and_never_wait() {
    let mut wrong = Vec::new();
    for (file, code) in sources() {
        if PURE.iter().any(|p| file == format!("{p}.rs") || file.starts_with(&format!("{p}/"))) {
            wrong.extend(IO_WORDS.iter().filter(|w| code.contains(**w)).map(|w| format!("{file} says {w}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn libraries_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    let mut only = |word: &str, rooms: &[&str]| {
        for (file, code) in sources() {
            if code.contains(word) && !rooms.iter().any(|r| file.starts_with(r)) {
                wrong.push(format!("{file} uses {word}"));
            }
        }
    };
    only("tokio::process", &["engine"]);
    only("libc::posix_spawn", &["engine/spawn"]);
    only("unsafe {", &["engine/spawn/posix.rs"]);
    only("crossterm", &["tui/runtime", "tui/key.rs"]);
    only("ratatui", &["tui"]);
    only("SystemTime", &[]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_engine_and_the_ui_know_no_dialect_by_name() {
    for (file, code) in sources() {
        let general = ["engine", "plan", "store", "tui", "report"].contains(&layer(&file));
        assert!(!general || !code.to_lowercase().contains("goat"), "{file} names a dialect");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{} has no module doc", file.display());
    }
}
