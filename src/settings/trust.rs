//! Which commands the user has agreed to run: one line each in the state directory.
//!
//! A line holds a fingerprint of the command and of the scripts it names, so that a change asks again, and the command
//! itself, so that the question can say what changed.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::dialect::registry;

/// One command that needs the user's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentItem {
    pub command: String,
    /// `new`, or `its script changed` since the user agreed to it.
    pub reason: &'static str,
}

#[derive(Debug, Clone)]
pub struct TrustStore {
    file: PathBuf,
}

impl TrustStore {
    /// The list in `state_dir`, which need not exist yet.
    pub fn new(state_dir: &Path) -> Self {
        Self { file: state_dir.join("trust.txt") }
    }

    /// The commands among `commands` that the user has not agreed to, as they and their scripts are now. Relative
    /// script paths count from `cwd`.
    pub fn untrusted<'a>(&self, commands: impl IntoIterator<Item = &'a str>, cwd: &Path) -> Vec<ConsentItem> {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let known: Vec<(&str, &str)> = text.lines().filter_map(|l| l.split_once('\t')).collect();
        let mut items: Vec<ConsentItem> = Vec::new();
        for command in commands {
            let print = fingerprint(command, cwd);
            let shown = one_line(command);
            if known.iter().any(|(p, _)| *p == print) || items.iter().any(|a| a.command == command) {
                continue;
            }
            let seen_before = known.iter().any(|(_, c)| *c == shown);
            let reason = if seen_before { "its script changed" } else { "new" };
            items.push(ConsentItem { command: command.to_string(), reason });
        }
        items
    }

    /// The user agrees to `commands` as they are now.
    pub fn trust<'a>(&self, commands: impl IntoIterator<Item = &'a str>, cwd: &Path) -> io::Result<()> {
        if let Some(dir) = self.file.parent() {
            fs::create_dir_all(dir)?;
        }
        let line = |command| format!("{}\t{}\n", fingerprint(command, cwd), one_line(command));
        let lines = commands.into_iter().map(line).collect::<Vec<_>>().concat();
        // Appended at once: two hookdbg at the same time do not spoil each other's lines.
        fs::OpenOptions::new().create(true).append(true).open(&self.file)?.write_all(lines.as_bytes())
    }
}

fn fingerprint(command: &str, cwd: &Path) -> String {
    let mut hash = Sha256::new();
    hash.update(command.as_bytes());
    hash.update(fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_path_buf()).as_os_str().as_encoded_bytes());
    for file in scripts(command, cwd) {
        hash.update(file.as_os_str().as_encoded_bytes());
        // An unreadable script counts by its absence; it cannot run either.
        hash.update(fs::read(file).map_or([0; 32], |bytes| Sha256::digest(&bytes).into()));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

fn one_line(command: &str) -> String {
    command.replace(['\n', '\r', '\t'], " ")
}

/// `text` with the variables in which hosts name the project's directory put in.
pub fn expand_project(text: &str, project: &Path) -> String {
    let names = registry::project_variables().chain(["PWD"]);
    names.fold(text.to_string(), |text, name| expand_variable(&text, name, &project.display().to_string()))
}

/// `text` with `$name` and `${name}` replaced.
pub fn expand_variable(text: &str, name: &str, value: &str) -> String {
    text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value)
}

/// The files a command line names: every word that is a file seen from `cwd`.
pub fn scripts(command: &str, cwd: &Path) -> Vec<PathBuf> {
    let words = shlex::split(command).unwrap_or_else(|| command.split_whitespace().map(str::to_string).collect());
    words
        .iter()
        .map(|w| expand_project(w, cwd))
        .map(|w| w.trim_end_matches([';', '&']).to_string())
        .filter(|w| !w.is_empty())
        .map(|w| std::path::absolute(cwd.join(&w)).unwrap_or_else(|_| cwd.join(&w)))
        .filter(|p| p.is_file())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_script_asks_again_and_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let store = TrustStore::new(&dir.path().join("state"));
        let why = || store.untrusted(["./a.sh --x"], dir.path()).first().map(|a| a.reason);
        fs::write(dir.path().join("a.sh"), "one").unwrap();
        assert_eq!(why(), Some("new"));
        store.trust(["./a.sh --x"], dir.path()).unwrap();
        assert_eq!(why(), None);
        fs::write(dir.path().join("a.sh"), "two").unwrap();
        assert_eq!(why(), Some("its script changed"));
    }

    #[test]
    fn the_same_command_elsewhere_is_another_command() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = TrustStore::new(&one.path().join("state"));
        for dir in [&one, &two] {
            fs::write(dir.path().join("a.sh"), "same").unwrap();
        }
        store.trust(["./a.sh"], one.path()).unwrap();
        assert_eq!(store.untrusted(["./a.sh"], two.path()).len(), 1);
    }
}
