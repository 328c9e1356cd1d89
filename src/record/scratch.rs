//! A copy of the project for hooks to run in, so that a replay of a thousand events writes nothing into the user's own.
//!
//! Under git the copy is a clone that borrows the objects, with the files as they are on disk; the user's repository is
//! only read. Without git it is a plain copy, up to a limit.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Files and bytes a project without git may have.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 1 << 30;

/// A copy that goes with this value.
#[derive(Debug)]
pub struct Scratch {
    _dir: TempDir,
    project: PathBuf,
    /// The top of what was copied, in the original.
    original: PathBuf,
    copy: PathBuf,
}

impl Scratch {
    /// A copy of `project` as it is now.
    pub fn of(project: &Path) -> io::Result<Self> {
        Self::filled(project, |project, copy| {
            let Some(top) = git_top(project) else {
                copy_tree(project, copy, &mut (MOST_FILES, MOST_BYTES))?;
                return Ok(project.to_path_buf());
            };
            clone(&top, copy)?;
            for file in listed(&top)? {
                copy_file(&top.join(&file), &copy.join(&file))?;
            }
            // The index of a fresh clone is empty; filled from HEAD, git status reads as in the original.
            let _ = git(copy, &["reset", "--quiet"]);
            Ok(top)
        })
    }

    /// A copy of `project` as it was at `revision`.
    pub fn at(project: &Path, revision: &str) -> io::Result<Self> {
        Self::filled(project, |project, copy| {
            let top = git_top(project).ok_or_else(|| io::Error::other("the project is not under git"))?;
            let commit = format!("{revision}^{{commit}}");
            let revision = git(&top, &["rev-parse", "--verify", "--end-of-options", &commit])?;
            clone(&top, copy)?;
            git(copy, &["checkout", "--quiet", "--detach", revision.trim()])?;
            Ok(top)
        })
    }

    /// A copy that `fill` makes of a project; it tells the top of what it copied.
    fn filled(project: &Path, fill: impl FnOnce(&Path, &Path) -> io::Result<PathBuf>) -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("hookdbg-scratch-").tempdir()?;
        let (project, copy) = (project.canonicalize()?, dir.path().join("project"));
        let original = fill(&project, &copy)?;
        let project = project.strip_prefix(&original).map_or_else(|_| copy.clone(), |below| copy.join(below));
        Ok(Self { _dir: dir, project, original, copy })
    }

    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Where `path` of the original is in the copy; itself if it was not copied.
    pub fn inside(&self, path: &Path) -> PathBuf {
        let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        whole.strip_prefix(&self.original).map_or_else(|_| path.to_path_buf(), |below| self.copy.join(below))
    }
}

fn git(dir: &Path, arguments: &[&str]) -> io::Result<String> {
    // Neither the user's hooks nor a lock on the original.
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).args(["-c", "core.hooksPath=/dev/null"]).args(arguments).env("GIT_OPTIONAL_LOCKS", "0");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_string()))
}

fn git_top(project: &Path) -> Option<PathBuf> {
    let top = git(project, &["rev-parse", "--show-toplevel"]).ok()?;
    PathBuf::from(top.trim_end_matches('\n')).canonicalize().ok()
}

fn clone(top: &Path, copy: &Path) -> io::Result<()> {
    let (from, to) = (top.display().to_string(), copy.display().to_string());
    match git(top, &["clone", "--quiet", "--shared", "--no-checkout", "--no-tags", &from, &to]) {
        Ok(_) => Ok(()),
        // A repository without a commit cannot be cloned; its files can still be copied.
        Err(_) => std::fs::create_dir_all(copy),
    }
}

/// Files git knows or would add.
fn listed(top: &Path) -> io::Result<Vec<PathBuf>> {
    let output = git(top, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    Ok(output.split('\0').filter(|f| !f.is_empty()).map(PathBuf::from).collect())
}

fn copy_file(from: &Path, to: &Path) -> io::Result<u64> {
    // Deleted but not yet committed, or gone meanwhile.
    let Ok(kind) = from.symlink_metadata().map(|m| m.file_type()) else { return Ok(0) };
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent)?;
    }
    if kind.is_symlink() {
        #[cfg(unix)]
        std::os::unix::fs::symlink(std::fs::read_link(from)?, to)?;
        return Ok(0);
    }
    if kind.is_dir() {
        // A submodule: its own files are its own affair.
        std::fs::create_dir_all(to)?;
        return Ok(0);
    }
    std::fs::copy(from, to)
}

fn copy_tree(from: &Path, to: &Path, budget: &mut (usize, u64)) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy_tree(&entry.path(), &target, budget)?;
        } else if kind.is_file() || kind.is_symlink() {
            let bytes = copy_file(&entry.path(), &target)?;
            *budget = (budget.0.saturating_sub(1), budget.1.saturating_sub(bytes));
            if budget.0 == 0 || budget.1 == 0 {
                return Err(io::Error::other(
                    "the project is too large to copy (20,000 files or 1 GiB) and not under git; name the directory with \
                     --project, or run --in-place",
                ));
            }
        }
    }
    Ok(())
}
