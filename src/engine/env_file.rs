//! The file some hosts give a hook to write to: made before the run, read after it, then gone.

use std::io::Read as _;

use crate::model::Invocation;

/// What is kept of such a file.
const MAX_BYTES: u64 = 64 << 10;

pub struct TempEnvFile {
    path: std::path::PathBuf,
    // Dropped last: the directory goes with it.
    _dir: tempfile::TempDir,
}

impl TempEnvFile {
    /// Make the directory and tell the hook of the file, if this invocation has one.
    pub fn prepare(invocation: &mut Invocation) -> Option<Self> {
        let note = invocation.note.as_ref()?;
        let dir = tempfile::Builder::new().prefix("hookdbg-").tempdir().ok()?;
        let path = dir.path().join(&note.name);
        invocation.env.push((note.variable.to_string(), path.display().to_string()));
        Some(Self { path, _dir: dir })
    }

    /// What the hook wrote; none if it did not.
    pub fn read(self) -> Option<String> {
        // A named pipe in its place would hold us for ever.
        let file =
            std::fs::File::open(self.path.metadata().ok().filter(std::fs::Metadata::is_file).map(|_| &self.path)?);
        let mut bytes = Vec::new();
        file.ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
