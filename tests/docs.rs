//! The front door: pages equal the tables, the tour of the README works, help fits the screen, `init` begins well.
#![expect(clippy::unwrap_used, reason = "a test program")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hookdbg::cli::{help_page, help_topics};
use hookdbg::dialect::registry;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn hookdbg(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hookdbg"))
        .args(args)
        .current_dir(dir)
        .env("HOME", dir.join("home"))
        .env("HOOKDBG_STATE_DIR", dir.join("state"))
        .env("HOOKDBG_CONFIG_DIR", dir.join("config"))
        .env("COLUMNS", "80")
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn pages_equal_the_tables_they_are_made_from() {
    // The page of recipes is written by hand; `recipes.rs` tries what it says.
    for topic in help_topics().into_iter().filter(|topic| topic != "recipes") {
        let path = root().join("assets/docs").join(format!("{topic}.md"));
        let page = help_page(&topic).unwrap();
        if std::env::var_os("HOOKDBG_UPDATE").is_some() {
            fs::write(&path, &page).unwrap();
        }
        assert_eq!(
            fs::read_to_string(&path).unwrap_or_default(),
            page,
            "run with HOOKDBG_UPDATE=1: {}",
            path.display()
        );
    }
}

#[test]
fn every_line_of_the_tour_works() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let block = readme.split("<!-- tour").nth(1).unwrap().split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_hookdbg")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut told = String::new();
    for line in block.lines() {
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(dir.path())
            .env("PATH", &path)
            .env("HOME", dir.path().join("home"))
            .env("HOOKDBG_STATE_DIR", dir.path().join("state"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}\n{}", text(&output));
        told = format!("{told}$ {line}\n{}", text(&output));
    }
    for part in [
        "decided by  guard.sh",
        "1 hook would run for PreToolUse",
        "PASS",
        "DENY  rm -rf is not allowed here",
        "switched off for this run by --disable guard.sh",
        "nothing found",
        "nothing differs in 1 of 1 events",
    ] {
        assert!(told.contains(part), "{part}:\n{told}");
    }
}

#[test]
fn help_fits_eighty_columns_and_has_examples() {
    let dir = tempfile::tempdir().unwrap();
    let mut all = String::new();
    for command in ["", "fire", "call", "why", "check", "test", "replay", "import", "events", "payload", "init"] {
        let args: Vec<&str> = [command, "--help"].into_iter().filter(|a| !a.is_empty()).collect();
        let help = text(&hookdbg(dir.path(), &args));
        let wide: Vec<_> = help.lines().filter(|l| l.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{command}: {wide:#?}");
        all = format!("{all}===== hookdbg {command}\n{help}");
    }
    insta::assert_snapshot!("help", all);
    for command in ["replay", "check", "test", "why"] {
        assert!(text(&hookdbg(dir.path(), &[command, "--help"])).contains("Examples:"), "{command}");
    }
    assert!(text(&hookdbg(dir.path(), &["help", "lint"])).contains("did you mean `lints`"));
    assert!(text(&hookdbg(dir.path(), &["help", "fire"])).contains("--payload"));
}

#[test]
fn completions_and_the_manual_know_every_command() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let completions = text(&hookdbg(dir.path(), &["completions", shell]));
        for command in ["replay", "check", "against-rev"] {
            assert!(completions.contains(command), "{shell} does not know {command}");
        }
    }
    insta::assert_snapshot!("completions_fish", text(&hookdbg(dir.path(), &["completions", "fish"])));
    let man = text(&hookdbg(dir.path(), &["man"]));
    assert!(man.starts_with(".ie") && man.contains("hookdbg\\-replay") | man.contains("hookdbg replay"), "{man}");
    insta::assert_snapshot!("man", man);
}

#[test]
fn init_begins_well_for_every_host_and_overwrites_nothing() {
    for dialect in registry::all() {
        let name = dialect.profile().name;
        let dir = tempfile::tempdir().unwrap();
        let made = hookdbg(dir.path(), &["init", "--dialect", name]);
        assert!(made.status.success(), "{name}: {}", text(&made));
        let checked = hookdbg(dir.path(), &["check", "--dialect", name, "--deny", "warnings"]);
        assert!(checked.status.success(), "{name}: {}", text(&checked));
        let spec = dialect.profile().events[0].name;
        let event = format!(
            "{{\"{}\":\"{spec}\",\"tool_name\":\"Bash\",\"tool\":\"shell\",\"tool_input\":{{\"command\":\"rm -rf x\"}},\"input\":\"rm -rf x\"}}",
            dialect.profile().event_field
        );
        let point = if name == "armament" { event.replace(spec, "pre:tool") } else { event };
        fs::write(dir.path().join("event.json"), point).unwrap();
        let fired =
            hookdbg(dir.path(), &["fire", "--dialect", name, "--payload", "event.json", "--yes", "--exit-code"]);
        assert_eq!(fired.status.code(), Some(1), "{name} lets it pass: {}", text(&fired));
        let again = hookdbg(dir.path(), &["init", "--dialect", name]);
        assert!(again.status.code() == Some(2) && text(&again).contains("nothing was written"), "{name}");
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let unix = manifest["target"].as_table().unwrap().values();
    let tables = unix.map(|t| &t["dependencies"]).chain([&manifest["dependencies"], &manifest["dev-dependencies"]]);
    let name = |(key, value): (&String, &toml::Value)| {
        value.get("package").and_then(toml::Value::as_str).unwrap_or(key).to_string()
    };
    let declared: BTreeSet<_> = tables.flat_map(|t| t.as_table().unwrap().iter().map(name)).collect();
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = architecture.split("\n## ").find(|s| s.starts_with("Dependencies")).unwrap();
    let mut rows = BTreeSet::new();
    for row in section.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| crate |")) {
        let (name, why) = row.trim_matches(['|', ' ']).split_once(" | ").unwrap();
        assert!(why.ends_with('.') && why.split_whitespace().count() > 2, "not a sentence: {row}");
        assert!(rows.insert(name.to_string()), "two rows for {name}");
    }
    assert_eq!(rows, declared, "left: rows of ARCHITECTURE.md, right: dependencies of Cargo.toml");
}

#[test]
fn every_host_has_its_row_in_the_readme() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for dialect in registry::all() {
        assert!(readme.contains(&format!("\n| {} |", dialect.profile().name)), "{}", dialect.profile().name);
    }
}

/// The names of the fields of a struct, from its source.
fn fields_of(file: &str, name: &str) -> Vec<String> {
    let source = fs::read_to_string(root().join(file)).unwrap();
    let body = source.split(&format!("pub struct {name} {{")).nth(1).unwrap().split("\n}").next().unwrap();
    body.lines().filter_map(|l| Some(l.trim().strip_prefix("pub ")?.split(':').next()?.to_string())).collect()
}

/// Every source file that could read a column: not the help page, not the tables themselves.
fn readers() -> String {
    let declares = ["cli/help.rs", "dialect/profile.rs", "dialect/event.rs"];
    let files = walk(&root().join("src")).into_iter().filter(|f| !declares.iter().any(|d| f.ends_with(d)));
    files.map(|f| fs::read_to_string(f).unwrap()).collect()
}

fn walk(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn every_parameter_of_a_host_has_a_column_and_every_column_a_reader() {
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = architecture.split("\n## ").find(|s| s.starts_with("The parameters of a host")).unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|l| l.starts_with("| P"))
        .map(|l| l.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let columns = [fields_of("src/dialect/profile.rs", "Profile"), fields_of("src/dialect/event.rs", "EventRow")];
    let readers = readers();
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row[0], format!("P{}", index + 1));
        let named = row[2..]
            .iter()
            .zip(&columns)
            .flat_map(|(cell, known)| cell.split(", ").filter(|c| !c.is_empty()).map(move |c| (c, known)));
        let named: Vec<_> = named.collect();
        assert!(!named.is_empty(), "{} has no column", row[0]);
        for (cell, known) in named {
            let column = cell.trim_end_matches('†').trim_matches('`');
            assert!(known.iter().any(|k| k == column), "{}: no column {column}", row[0]);
            // A dagger says that the value is for the help page, and the host's own code decides.
            let read = readers.contains(&format!(".{column}"));
            assert!(read || cell.ends_with('†'), "{}: nobody reads {column}", row[0]);
        }
    }
    assert_eq!(rows.len(), 24);
}
