//! Settings and scripts on disk: looks again when told to, compares contents, and says what is new.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;

use super::lock;
use crate::diag::Diagnostic;
use crate::dialect::Dialect;
use crate::settings::{SettingsError, SettingsFile, Watch, WatchEvent, read, scripts};
use crate::tui::loaded_settings::LoadedSettings;
use crate::tui::msg::Msg;

pub struct SettingsWatcher {
    watch: Option<Watch>,
    seen: Arc<Mutex<FileContents>>,
    outbox: mpsc::UnboundedSender<Msg>,
}

struct FileContents {
    cwd: PathBuf,
    settings_files: Vec<SettingsFile>,
    dialect: Arc<dyn Dialect>,
    settings: Vec<Option<Vec<u8>>>,
    scripts: HashMap<PathBuf, Option<Vec<u8>>>,
}

impl FileContents {
    fn files(&self) -> Vec<PathBuf> {
        self.settings_files.iter().map(|f| &f.path).chain(self.scripts.keys()).cloned().collect()
    }
}

impl SettingsWatcher {
    /// Watch `settings_files` and the scripts of `loaded`.
    pub fn start(
        settings_files: Vec<SettingsFile>,
        loaded: &LoadedSettings,
        cwd: PathBuf,
        outbox: mpsc::UnboundedSender<Msg>,
    ) -> Self {
        let (settings, scripts) = (contents(&settings_files), named_scripts(loaded, &cwd));
        let seen = FileContents { settings_files, dialect: loaded.dialect.clone(), settings, scripts, cwd };
        let files = seen.files();
        let seen = Arc::new(Mutex::new(seen));
        let (contents, sender) = (seen.clone(), outbox.clone());
        let watch = Watch::start(files, move |event| match event {
            WatchEvent::MayHaveChanged => look(&contents, &sender),
            WatchEvent::Polling(why) => {
                let _ = sender.send(Msg::Notice(format!("files are looked at once a second: {why}")));
            }
        });
        if let Err(e) = &watch {
            let _ = outbox.send(Msg::Notice(format!("files are not watched: {e}")));
        }
        Self { watch: watch.ok(), seen, outbox }
    }

    /// The hooks changed: watch the scripts they name now.
    pub fn follow(&self, loaded: &LoadedSettings) {
        let mut seen = lock(&self.seen);
        seen.scripts = named_scripts(loaded, &seen.cwd);
        let files = seen.files();
        drop(seen);
        if let Some(watch) = &self.watch {
            watch.files(files);
        }
    }

    pub fn look(&self) {
        look(&self.seen, &self.outbox);
    }
}

fn contents(files: &[SettingsFile]) -> Vec<Option<Vec<u8>>> {
    files.iter().map(|f| std::fs::read(&f.path).ok()).collect()
}

fn named_scripts(loaded: &LoadedSettings, cwd: &Path) -> HashMap<PathBuf, Option<Vec<u8>>> {
    let commands = loaded.hooks.hooks.iter().filter_map(|h| h.handler.command());
    commands.flat_map(|c| scripts(c, cwd)).map(|file| (file.clone(), small(&file))).collect()
}

/// The content of a script; a large file is a program and counts by its size alone.
fn small(file: &Path) -> Option<Vec<u8>> {
    let size = std::fs::metadata(file).ok()?.len();
    if size > 1 << 20 { Some(size.to_le_bytes().to_vec()) } else { std::fs::read(file).ok() }
}

fn look(seen: &Mutex<FileContents>, outbox: &mpsc::UnboundedSender<Msg>) {
    let mut seen = lock(seen);
    let now = contents(&seen.settings_files);
    if now != seen.settings {
        seen.settings = now;
        let msg = match read(&seen.settings_files, Some(seen.dialect.clone())) {
            Ok(settings) => Msg::Loaded(Box::new(LoadedSettings::of(settings, &seen.cwd))),
            Err(SettingsError::File(diagnostic)) => Msg::LoadFailed(diagnostic),
            Err(SettingsError::Dialect(message)) => Msg::LoadFailed(Box::new(Diagnostic::error("dialect", message))),
        };
        let _ = outbox.send(msg);
    }
    let scripts = seen.scripts.iter().map(|(file, before)| (file, small(file), before));
    let changed: Vec<_> =
        scripts.filter(|(_, now, before)| now != *before).map(|(file, now, _)| (file.clone(), now)).collect();
    for (file, now) in changed {
        // A script that is gone for a moment is being saved; its return is the change.
        let gone = now.is_none();
        seen.scripts.insert(file.clone(), now);
        if !gone {
            let _ = outbox.send(Msg::ScriptChanged(file));
        }
    }
}
