//! The bundled demo project: sample hooks and recorded payloads, unpacked where they can run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of the project, as they lie in `assets/demo`.
const FILES: &[(&str, &str)] = &[
    ("settings.json", include_str!("../../assets/demo/goat/settings.json")),
    ("payloads.json", include_str!("../../assets/demo/goat/payloads.json")),
    ("hooks/guard.sh", include_str!("../../assets/demo/goat/hooks/guard.sh")),
    ("hooks/audit.sh", include_str!("../../assets/demo/goat/hooks/audit.sh")),
    ("hooks/format.sh", include_str!("../../assets/demo/goat/hooks/format.sh")),
    ("hooks/slow.sh", include_str!("../../assets/demo/goat/hooks/slow.sh")),
    ("hooks/chatty.sh", include_str!("../../assets/demo/goat/hooks/chatty.sh")),
    ("hooks/note.sh", include_str!("../../assets/demo/goat/hooks/note.sh")),
    ("hooks/broken.sh", include_str!("../../assets/demo/goat/hooks/broken.sh")),
    ("hooks/tests-pass.sh", include_str!("../../assets/demo/goat/hooks/tests-pass.sh")),
];

/// An unpacked demo; it is removed when dropped.
#[derive(Debug)]
pub struct Demo(tempfile::TempDir);

impl Demo {
    /// Unpack into a fresh directory.
    pub fn unpack() -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("hookdbg-demo-").tempdir()?;
        for (name, text) in FILES {
            let file = dir.path().join(name);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&file, text)?;
            make_executable(&file, text)?;
        }
        Ok(Self(dir))
    }

    /// Where it lies; hooks run there.
    pub fn dir(&self) -> &Path {
        self.0.path()
    }

    /// Its settings file.
    pub fn settings(&self) -> PathBuf {
        self.dir().join("settings.json")
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
