//! The house rules as tests: who may use whom, where input/output and waiting are allowed, who may name a host, and
//! whether ARCHITECTURE.md says what is there.
#![expect(clippy::unwrap_used, reason = "a test program")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hookdbg::dialect::registry;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Left never imports right. `tui` stands beside `cli`; nothing stands on either.
const LAYERS: [&str; 11] =
    ["diag", "model", "dialect", "settings", "plan", "check", "engine", "record", "store", "report", "cli"];
const BESIDE: [&str; 2] = ["tui", "cli"];
/// No input, no output, no waiting.
const PURE: [&str; 7] = ["diag", "model", "dialect", "plan", "store", "tui/update", "tui/view"];
const TYPES: [&str; 5] = ["struct", "enum", "trait", "union", "type"];
/// What a name may come after that it then stands for.
const KEYWORDS: [&str; 10] = ["struct", "enum", "trait", "union", "type", "const", "static", "fn", "mod", "as"];
const IO: [&str; 9] =
    ["std::fs", "std::io", "std::net", "std::process", "std::env", "std::thread", "tokio", "async", "await"];
/// Who may name a host, and why.
const NAMES_HOSTS: [(&str, &str); 3] = [
    ("dialect", "a host's rules are in its folder there"),
    ("record/import", "a log or a recording has the form of the host that wrote it"),
    ("record/transcript", "so has a transcript"),
];

/// What one file of `src` says, without comments and without what is compiled for tests only.
#[derive(Default)]
struct SourceFile {
    /// Below `src`.
    path: String,
    /// Every path it names, single names included, with the groups of `use` written out.
    paths: Vec<Vec<String>>,
    /// What it declares, as `struct Name` or `pub struct Name`, wherever that can be seen.
    declared: Vec<(String, String)>,
    /// The words of names and texts in lower case: `find_path`, `FindPath` and `"find.path"` have two each.
    words: BTreeSet<String>,
}

impl SourceFile {
    fn room(&self) -> &str {
        self.path.split('/').next().unwrap_or_default().trim_end_matches(".rs")
    }

    fn is_in(&self, place: &str) -> bool {
        self.path == format!("{place}.rs") || self.path.starts_with(&format!("{place}/"))
    }

    fn names(&self, path: &str) -> bool {
        self.paths.iter().any(|p| format!("::{}::", p.join("::")).contains(&format!("::{path}::")))
    }

    /// The rooms that paths lead to from here, whether through `crate`, `super` or, in `main.rs`, the library's name.
    fn rooms_used(&self) -> BTreeSet<String> {
        let whole = self.path.trim_end_matches(".rs");
        let own: Vec<String> = whole.split('/').filter(|m| !["lib", "main"].contains(m)).map(str::to_string).collect();
        let resolved = self.paths.iter().filter_map(|path| {
            let supers = path.iter().take_while(|p| *p == "super").count();
            match path[0].as_str() {
                "crate" | "hookdbg" => path.get(1).cloned(),
                "super" => own[..own.len().checked_sub(supers)?].iter().chain(&path[supers..]).next().cloned(),
                _ => None,
            }
        });
        resolved.collect()
    }

    /// The names declared with one of `keywords`.
    fn declared(&self, keywords: &[&str]) -> impl Iterator<Item = &String> {
        self.declared.iter().filter(|(how, _)| keywords.contains(&how.trim_start_matches("pub "))).map(|(_, name)| name)
    }

    fn read(&mut self, tokens: &[TokenTree], prefix: &[String]) {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.read(&tokens_of(group), &[]),
                TokenTree::Ident(name) => {
                    self.declaration(tokens, at);
                    self.add_words(&name.to_string());
                    let mut path = prefix.to_vec();
                    path.push(name.to_string());
                    while is_punct(tokens.get(at + 1), ':') && is_punct(tokens.get(at + 2), ':') {
                        at += 2;
                        match tokens.get(at + 1) {
                            Some(TokenTree::Ident(name)) => {
                                self.add_words(&name.to_string());
                                path.push(name.to_string());
                            }
                            Some(TokenTree::Group(group)) => self.read(&tokens_of(group), &path),
                            _ => break,
                        }
                        at += 1;
                    }
                    self.paths.push(path);
                }
                TokenTree::Literal(literal) => self.add_words(&literal.to_string()),
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }

    /// The keyword at `at`, if it is one, and the name behind it.
    fn declaration(&mut self, tokens: &[TokenTree], at: usize) {
        let keyword = tokens[at].to_string();
        let Some(TokenTree::Ident(name)) = tokens.get(at + 1).filter(|_| KEYWORDS.contains(&keyword.as_str())) else {
            return;
        };
        let before = |n: usize| at.checked_sub(n).map(|at| &tokens[at]);
        let scope = matches!(before(1), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
        let public = matches!(before(1 + usize::from(scope)), Some(TokenTree::Ident(i)) if i == "pub");
        self.declared.push((if public { format!("pub {keyword}") } else { keyword }, name.to_string()));
    }

    fn add_words(&mut self, text: &str) {
        for letters in text.split(|c: char| !c.is_alphanumeric()) {
            self.words.insert(letters.to_lowercase());
            self.words.extend(camel_words(letters));
        }
    }
}

/// Parsed once for all tests.
static SOURCES: LazyLock<Vec<SourceFile>> = LazyLock::new(|| {
    let root = package().join("src");
    let of = |path: PathBuf| {
        let mut file = SourceFile::default();
        file.read(&code(fs::read_to_string(&path).unwrap().parse().unwrap()), &[]);
        file.path = path.strip_prefix(&root).unwrap().display().to_string();
        file
    };
    files(&root).into_iter().map(of).collect()
});

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The tokens without doc comments, which are attributes here, and without items under `#[cfg(test)]`.
fn code(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(hash) if hash.as_char() == '#' => {
                let inner = tokens.next_if(|t| is_punct(Some(t), '!')).is_some();
                let attribute = tokens.next().unwrap().to_string();
                if attribute.replace(' ', "") == "[cfg(test)]" {
                    assert!(!inner, "a whole file for tests");
                    // An item ends with its body or with a semicolon.
                    let ends = |t: &TokenTree| {
                        is_punct(Some(t), ';') || matches!(t, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace)
                    };
                    tokens.find(ends).unwrap();
                }
            }
            TokenTree::Group(group) => {
                let inside = code(group.stream()).into_iter().collect();
                kept.push(Group::new(group.delimiter(), inside).into());
            }
            token => kept.push(token),
        }
    }
    kept
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c)
}

fn tokens_of(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn camel_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for c in name.chars() {
        match words.last_mut().filter(|_| !c.is_uppercase()) {
            Some(word) => word.push(c),
            None => words.push(c.to_lowercase().collect()),
        }
    }
    words
}

#[test]
fn left_never_imports_right() {
    let rank = |room: &str| LAYERS.iter().position(|l| *l == room);
    let mut wrong = Vec::new();
    for file in SOURCES.iter() {
        for used in file.rooms_used() {
            let allowed = match (rank(file.room()), rank(&used)) {
                _ if file.room() == "cli" && used == "tui" => true,
                (Some(own), Some(other)) => other <= own,
                (Some(_), None) => !BESIDE.contains(&used.as_str()),
                (None, _) => ["lib", "main"].contains(&file.room()) || (file.room() == "tui" && used != "cli"),
            };
            if !allowed {
                wrong.push(format!("{} uses {used}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn pure_layers_do_no_io_and_never_wait() {
    let pure = |file: &SourceFile| PURE.iter().any(|p| file.is_in(p));
    let mut wrong = Vec::new();
    for file in SOURCES.iter().filter(|f| pure(f)) {
        wrong.extend(IO.iter().filter(|io| file.names(io)).map(|io| format!("{} says {io}", file.path)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn libraries_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    let mut only = |name: &str, rooms: &[&str]| {
        let elsewhere = SOURCES.iter().filter(|f| f.names(name) && !rooms.iter().any(|r| f.path.starts_with(r)));
        wrong.extend(elsewhere.map(|f| format!("{} uses {name}", f.path)));
    };
    only("tokio::process", &["engine"]);
    only("libc", &["engine"]);
    only("unsafe", &["engine/spawn/posix.rs"]);
    only("crossterm", &["tui/runtime", "tui/key.rs"]);
    only("ratatui", &["tui"]);
    only("SystemTime", &[]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_dialects_and_importers_name_a_host() {
    let mut wrong = Vec::new();
    for file in SOURCES.iter().filter(|f| !NAMES_HOSTS.iter().any(|(place, _)| f.path.starts_with(place))) {
        let hosts = registry::all();
        let named = hosts.iter().map(|d| d.profile().name).filter(|name| file.words.contains(*name));
        wrong.extend(named.map(|name| format!("{} names {name}", file.path)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn one_type_name_is_for_one_thing() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in SOURCES.iter() {
        let types = file.declared.iter().filter(|(how, _)| TYPES.iter().any(|t| how.strip_prefix("pub ") == Some(*t)));
        for (_, name) in types {
            places.entry(name.clone()).or_default().push(file.path.clone());
        }
    }
    places.retain(|_, at| at.len() > 1);
    assert!(places.is_empty(), "{places:#?}");
}

#[test]
fn the_names_of_std_mean_what_they_mean_in_std() {
    let std = ["Result", "Option", "String", "Vec", "Box", "Some", "None", "Ok", "Err"];
    for file in SOURCES.iter() {
        let own = file.declared(&TYPES).chain(file.declared(&["as"]));
        let shadowed: Vec<_> = own.filter(|name| std.contains(&name.as_str())).collect();
        assert!(shadowed.is_empty(), "{} has its own {shadowed:?}", file.path);
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for file in files(&package().join("src")) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{} has no module doc", file.display());
    }
}

/// ARCHITECTURE.md, without its list of dependencies, which has a test of its own.
fn document() -> String {
    let text = fs::read_to_string(package().join("ARCHITECTURE.md")).unwrap();
    let (before, rest) = text.split_once("## Dependencies").unwrap();
    let (_, after) = rest.split_once("\n## ").unwrap();
    format!("{before}{after}")
}

#[test]
fn the_house_is_as_drawn() {
    let document = document();
    let tree: Vec<&str> = document.split("```").nth(1).unwrap().lines().filter_map(|l| l.strip_prefix("  ")).collect();
    let drawn: Vec<&str> = tree.iter().map(|line| line.split(' ').next().unwrap()).collect();
    let src = package().join("src");
    let rooms = fs::read_dir(&src).unwrap().map(|entry| entry.unwrap().path()).filter_map(|path| {
        let name = path.file_name()?.to_str()?.to_string();
        if path.is_dir() { Some(format!("{name}/")) } else { (!path.with_extension("").is_dir()).then_some(name) }
    });
    assert_eq!(drawn.iter().map(ToString::to_string).collect::<BTreeSet<_>>(), rooms.collect());
    let room = |name: &str| name.trim_end_matches('/').trim_end_matches(".rs").to_string();
    let layers: Vec<String> = drawn.iter().map(|n| room(n)).filter(|n| LAYERS.contains(&n.as_str())).collect();
    assert_eq!(layers, LAYERS);
    assert!(document.contains(&format!("`{}`", LAYERS.join(" ← "))), "the line of uses");
    for line in tree {
        let name = room(line.split(' ').next().unwrap());
        assert_eq!(line.ends_with(" pure"), PURE.contains(&name.as_str()), "{name} is called pure, or is not");
        let inner = PURE.iter().filter_map(|p| p.strip_prefix(&format!("{name}/"))).map(|p| format!("{p}/"));
        let inner = inner.collect::<Vec<_>>().join(", ");
        assert!(inner.is_empty() || line.contains(&format!("{inner} (pure)")), "{name}: {inner}");
    }
}

#[test]
fn what_the_document_names_exists() {
    let document = document();
    let known: BTreeSet<&str> = SOURCES.iter().flat_map(|f| f.declared(&KEYWORDS)).map(String::as_str).collect();
    let root = package();
    let exists = |path: &str| {
        let whole = [root.join("src").join(path), root.join(path)];
        whole.iter().any(|p| p.exists() || p.with_extension("rs").exists())
            || SOURCES.iter().any(|f| f.path.ends_with(&format!("/{path}")))
    };
    let hosts: Vec<&str> = registry::all().iter().map(|d| d.profile().name).collect();
    let prose = document.split("```").enumerate().filter(|(at, _)| at % 2 == 0).map(|(_, text)| text);
    let spans: Vec<&str> = prose.flat_map(|text| text.split('`').skip(1).step_by(2)).collect();
    assert!(spans.len() > 100, "code is found");
    let mut missing = Vec::new();
    for span in spans.into_iter().filter(|s| !s.contains([' ', '=']) && !s.starts_with('/')) {
        let capital = span.starts_with(char::is_uppercase) && span.chars().all(|c| c.is_alphanumeric() || c == '_');
        let there = if span.contains('/') || span.contains(".rs") {
            hosts.iter().all(|host| exists(&span.replace("HOST", host)))
        } else if let Some((function, _)) = span.split_once('(') {
            known.contains(function)
        } else {
            !capital || known.contains(span)
        };
        if !there {
            missing.push(span);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
