//! The bundled files of a host: its demo project, unpacked where hooks can run, and what a new project begins with.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::dialect::{Profile, ProjectFile};

/// An unpacked demo; it is removed when dropped.
#[derive(Debug)]
pub struct Demo {
    dir: tempfile::TempDir,
    settings: &'static str,
}

impl Demo {
    /// Unpack the project of a host into a fresh directory.
    pub fn unpack(host: &Profile) -> io::Result<Self> {
        let (settings, _) = host.demo.first().ok_or_else(|| io::Error::other("this dialect has no demo"))?;
        let dir = tempfile::Builder::new().prefix("hookdbg-demo-").tempdir()?;
        write_project(dir.path(), host.demo)?;
        Ok(Self { dir, settings })
    }

    /// Where it lies; hooks run there.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub fn settings(&self) -> PathBuf {
        self.dir().join(self.settings)
    }

    pub fn payloads(&self) -> PathBuf {
        self.dir().join("payloads.json")
    }
}

/// Write `files` below `dir`; what begins with `#!` can be executed. A file that exists is an error and stays as it is.
pub fn write_project(dir: &Path, files: &[ProjectFile]) -> io::Result<()> {
    files.iter().try_for_each(|(name, text)| {
        let path = dir.join(name);
        let failed = |e: io::Error| io::Error::new(e.kind(), format!("cannot write {}: {e}", path.display()));
        write_new(&path, text).map_err(failed)
    })
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    if text.starts_with("#!") {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o777);
    }
    options.write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}
