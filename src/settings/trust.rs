//! Which commands the user has agreed to run: a list of fingerprints in the state directory.
//!
//! A fingerprint covers the command lines and the content of the scripts they name, so that a change asks again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// The identity of what would run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Of `commands`, whose relative script paths count from `cwd`.
    pub fn of<'a>(commands: impl IntoIterator<Item = &'a str>, cwd: &Path) -> Self {
        let mut hash = Sha256::new();
        for command in commands {
            hash.update(command.len().to_le_bytes());
            hash.update(command.as_bytes());
            for file in scripts(command, cwd) {
                // An unreadable script counts by its absence; it cannot run either.
                hash.update(fs::read(file).map_or([0; 32], |bytes| Sha256::digest(&bytes).into()));
            }
        }
        Self(hash.finalize().iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        }))
    }
}

/// The files a command line names: every word with a slash that is a file.
pub fn scripts(command: &str, cwd: &Path) -> Vec<PathBuf> {
    let words = shlex::split(command).unwrap_or_else(|| command.split_whitespace().map(str::to_string).collect());
    words.iter().filter(|w| w.contains('/')).map(|w| cwd.join(w)).filter(|p| p.is_file()).collect()
}

/// The list on disk.
#[derive(Debug)]
pub struct TrustStore {
    file: PathBuf,
}

impl TrustStore {
    /// The list in `state_dir`, which need not exist yet.
    pub fn new(state_dir: &Path) -> Self {
        Self { file: state_dir.join("trust.txt") }
    }

    /// Whether the user has agreed to this.
    pub fn trusts(&self, fingerprint: &Fingerprint) -> bool {
        self.all().contains(&fingerprint.0)
    }

    /// The user agrees.
    pub fn add(&self, fingerprint: &Fingerprint) -> io::Result<()> {
        if let Some(dir) = self.file.parent() {
            fs::create_dir_all(dir)?;
        }
        // One short line appended at once: two hookdbg at the same time do not spoil each other's entry.
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.file)?;
        file.write_all(format!("{}\n", fingerprint.0).as_bytes())
    }

    fn all(&self) -> BTreeSet<String> {
        fs::read_to_string(&self.file).unwrap_or_default().lines().map(str::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_script_changes_the_fingerprint() {
        let dir = tempfile::tempdir().unwrap();
        let print = || Fingerprint::of(["./a.sh --x"], dir.path());
        fs::write(dir.path().join("a.sh"), "one").unwrap();
        let first = print();
        assert_eq!(first, print());
        fs::write(dir.path().join("a.sh"), "two").unwrap();
        assert_ne!(first, print());
        let store = TrustStore::new(&dir.path().join("state"));
        assert!(!store.trusts(&first));
        store.add(&first).unwrap();
        assert!(store.trusts(&first) && !store.trusts(&print()));
    }
}
