//! Settings as the UI holds them: the hooks, and everything there is to say about their files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::check::{ProjectDirs, check};
use crate::diag::Diagnostic;
use crate::dialect::Dialect;
use crate::model::HookSet;
use crate::settings::{FileStatus, Settings};

#[derive(Debug, Clone)]
pub struct LoadedSettings {
    pub dialect: Arc<dyn Dialect>,
    pub hooks: Arc<HookSet>,
    /// What the loader and the lints found.
    pub diagnostics: Vec<Diagnostic>,
    pub files: Vec<FileStatus>,
}

impl LoadedSettings {
    /// `settings` with the findings of all lints; hooks run in `project`.
    pub fn of(settings: Settings, project: &Path) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let dirs = ProjectDirs { project: project.to_path_buf(), home };
        let diagnostics = check(&settings, &dirs);
        Self { dialect: settings.dialect, hooks: Arc::new(settings.hooks), diagnostics, files: settings.files }
    }

    /// Without findings that only concern a real project.
    #[must_use]
    pub fn for_demo(mut self) -> Self {
        self.diagnostics.retain(|d| d.id != "relative-script");
        self
    }
}
