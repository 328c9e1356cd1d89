//! Runs every conformance vector through the library with real processes.
//!
//! Vectors are data: `tests/vectors/*.json`, and every `*.json` in the directory `HOOKDBG_VECTORS` names. A vector of
//! a dialect or with an expectation this harness does not know fails; it is never skipped.
#![expect(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test program")]

#[path = "conformance/armament.rs"]
mod armament;
#[path = "conformance/check.rs"]
mod check;
#[path = "conformance/claude.rs"]
mod claude;
#[path = "conformance/claw.rs"]
mod claw;
#[path = "conformance/goat.rs"]
mod goat;
#[path = "conformance/input.rs"]
mod input;
#[path = "conformance/massgen.rs"]
mod massgen;
#[path = "conformance/scene.rs"]
mod scene;
#[path = "conformance/stage.rs"]
mod stage;
#[path = "conformance/stand_ins.rs"]
mod stand_ins;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn main() {
    let mut files = json_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"));
    if let Some(more) = std::env::var_os("HOOKDBG_VECTORS") {
        let found = json_files(Path::new(&more));
        assert!(!found.is_empty(), "HOOKDBG_VECTORS={} holds no *.json", more.display());
        files.extend(found);
    }
    let only = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let mut tally: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let document: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let vectors = document["vectors"].as_array().unwrap_or_else(|| panic!("{}: no `vectors`", file.display()));
        for vector in vectors {
            let id = vector["id"].as_str().unwrap_or("?");
            if only.as_ref().is_some_and(|o| !id.contains(o.as_str())) {
                continue;
            }
            let system = match document["subject"].as_str() {
                Some("Claude Code hooks") => "claude",
                _ => vector["system"].as_str().unwrap_or("unknown"),
            };
            let counts = tally.entry(system.to_string()).or_default();
            match run(system, vector) {
                Ok(()) => counts.0 += 1,
                Err(failures) => {
                    counts.1 += 1;
                    println!("FAILED {id} ({}): {}", file.display(), vector["why"].as_str().unwrap_or(""));
                    failures.iter().for_each(|f| println!("    {f}"));
                }
            }
        }
    }
    for (system, (passed, failed)) in &tally {
        println!("{system}: {passed} passed, {failed} failed");
    }
    if tally.values().any(|(_, failed)| *failed > 0) {
        std::process::exit(1);
    }
}

fn run(system: &str, vector: &Value) -> Result<(), Vec<String>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    match system {
        "goat" => runtime.block_on(goat::run(vector)),
        "claude" => runtime.block_on(claude::run(vector)),
        "claw" => runtime.block_on(claw::run(vector)),
        "massgen" => runtime.block_on(massgen::run(vector)),
        "armament" => runtime.block_on(armament::run(vector)),
        other => Err(vec![format!("no runner for dialect `{other}`")]),
    }
}

fn json_files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut files: Vec<_> =
        entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|x| x == "json")).collect();
    files.sort();
    files
}
