//! Where the hooks of a replay run: a scratch copy, or the project itself.

use std::path::{Path, PathBuf};

use crate::cli::args::ReplayArgs;
use crate::cli::failure::Failure;
use crate::record::Scratch;

pub struct Workspace {
    scratch: Option<Scratch>,
    pub cwd: PathBuf,
    /// Where growing copies of transcripts are kept.
    pub transcripts: tempfile::TempDir,
}

impl Workspace {
    /// The project as it is now, or as it was at `revision`.
    pub fn prepare(args: &ReplayArgs, revision: Option<&str>) -> Result<Self, Failure> {
        let project = args.run.cwd.clone().unwrap_or_else(|| args.common.given.project.clone());
        let scratch = match revision {
            Some(revision) => Some(Scratch::at(&project, revision)),
            None => (!args.in_place).then(|| Scratch::of(&project)),
        };
        let failed = |e: std::io::Error| Failure::input(format!("{} cannot be copied: {e}", project.display()));
        let scratch = scratch.transpose().map_err(failed)?;
        let cwd = scratch.as_ref().map_or_else(|| project.clone(), |s| s.project().to_path_buf());
        Ok(Self { scratch, cwd, transcripts: tempfile::tempdir()? })
    }

    pub fn describe(&self) -> String {
        match &self.scratch {
            Some(_) => "a scratch copy of the project (--in-place runs them in the project itself)".into(),
            None => format!("the project itself, {}", self.cwd.display()),
        }
    }

    /// Where `path` of the project is here.
    pub fn inside(&self, path: &Path) -> PathBuf {
        self.scratch.as_ref().map_or_else(|| path.to_path_buf(), |s| s.inside(path))
    }
}
