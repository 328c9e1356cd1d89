//! The bundled demo projects: sample hooks and recorded payloads, unpacked where they can run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of one dialect's project: names and texts.
type Project = (&'static str, &'static [(&'static str, &'static str)]);

macro_rules! project {
    ($dialect:literal, $($file:literal),+) => {
        ($dialect, &[$(($file, include_str!(concat!("../../assets/demo/", $dialect, "/", $file)))),+])
    };
}

/// The projects, as they lie in `assets/demo`.
#[rustfmt::skip]
const PROJECTS: &[Project] = &[
    project!("claude", "payloads.json", "settings.json", "hooks/audit.sh", "hooks/branch.sh", "hooks/exit-one.sh", "hooks/guard.sh", "hooks/lint.sh", "hooks/never.sh", "hooks/push-note.sh", "hooks/safe-path.sh", "hooks/slow.sh", "hooks/tests-pass.sh"),
    project!("goat", "payloads.json", "settings.json", "hooks/audit.sh", "hooks/broken.sh", "hooks/chatty.sh", "hooks/format.sh", "hooks/guard.sh", "hooks/note.sh", "hooks/slow.sh", "hooks/tests-pass.sh"),
    project!("claw", "payloads.json", "settings.json", "hooks/advice.sh", "hooks/crashes.sh", "hooks/guard.sh", "hooks/scan.sh"),
    project!("massgen", "payloads.json", "settings.yaml", "hooks/lint-note.sh", "hooks/no-prod.sh", "hooks/only-a.sh", "hooks/safe-path.sh"),
    project!("armament", "payloads.json", "settings.yaml", "hooks/abort-late.sh", "hooks/broken.sh", "hooks/prefix.sh", "hooks/safety.sh"),
];

/// An unpacked demo; it is removed when dropped.
#[derive(Debug)]
pub struct Demo {
    dir: tempfile::TempDir,
    settings: &'static str,
}

impl Demo {
    /// Unpack the project of `dialect`, or the first one, into a fresh directory.
    pub fn unpack(dialect: Option<&str>) -> io::Result<Self> {
        let wanted = PROJECTS.iter().find(|(name, _)| dialect.is_none_or(|d| d == *name));
        let (_, files) = wanted.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "this dialect has no demo"))?;
        let dir = tempfile::Builder::new().prefix("hookdbg-demo-").tempdir()?;
        for (name, text) in *files {
            let file = dir.path().join(name);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&file, text)?;
            make_executable(&file, text)?;
        }
        let settings = files.iter().map(|(name, _)| *name).find(|n| n.starts_with("settings.")).unwrap_or_default();
        Ok(Self { dir, settings })
    }

    /// Where it lies; hooks run there.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Its settings file.
    pub fn settings(&self) -> PathBuf {
        self.dir().join(self.settings)
    }

    /// Its recorded payloads.
    pub fn payloads(&self) -> PathBuf {
        self.dir().join("payloads.json")
    }
}

#[cfg(unix)]
fn make_executable(file: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if text.starts_with("#!") { fs::set_permissions(file, fs::Permissions::from_mode(0o755)) } else { Ok(()) }
}

#[cfg(not(unix))]
fn make_executable(_file: &Path, _text: &str) -> io::Result<()> {
    Ok(())
}
