//! Settings and scripts on disk: looks again when told to, compares contents, and says what is new.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::diag::Diagnostic;
use crate::dialect::Dialect;
use crate::settings::{SettingsError, SettingsFile, Watch, WatchEvent, read, scripts};
use crate::tui::loaded_settings::LoadedSettings;
use crate::tui::msg::Msg;

pub struct SettingsWatcher {
    watch: Option<Watch>,
    seen: Arc<Mutex<FileContents>>,
    settings_files: Vec<PathBuf>,
    cwd: PathBuf,
    outbox: mpsc::UnboundedSender<Msg>,
}

struct FileContents {
    cwd: PathBuf,
    settings_files: Vec<SettingsFile>,
    dialect: Arc<dyn Dialect>,
    settings: Vec<Option<Vec<u8>>>,
    scripts: HashMap<PathBuf, Option<Vec<u8>>>,
}

impl SettingsWatcher {
    /// Watch `settings_files` and the scripts of `loaded`.
    pub fn start(
        settings_files: Vec<SettingsFile>,
        loaded: &LoadedSettings,
        cwd: PathBuf,
        outbox: mpsc::UnboundedSender<Msg>,
    ) -> Self {
        let settings = settings_files.iter().map(|w| std::fs::read(&w.path).ok()).collect();
        let files: Vec<PathBuf> = settings_files.iter().map(|w| w.path.clone()).collect();
        let scripts = named_scripts(loaded, &cwd);
        let seen =
            FileContents { settings_files, dialect: loaded.dialect.clone(), settings, scripts, cwd: cwd.clone() };
        let mut watching = Self { watch: None, seen: Arc::new(Mutex::new(seen)), settings_files: files, cwd, outbox };
        let (seen, outbox) = (watching.seen.clone(), watching.outbox.clone());
        let watch = Watch::start(watching.files(), move |event| match event {
            WatchEvent::MayHaveChanged => look(&seen, &outbox),
            WatchEvent::Polling(why) => {
                let _ = outbox.send(Msg::Notice(format!("files are looked at once a second: {why}")));
            }
        });
        match watch {
            Ok(watch) => watching.watch = Some(watch),
            Err(e) => {
                let _ = watching.outbox.send(Msg::Notice(format!("files are not watched: {e}")));
            }
        }
        watching
    }

    /// The hooks changed: watch the scripts they name now.
    pub fn follow(&self, loaded: &LoadedSettings) {
        self.lock().scripts = named_scripts(loaded, &self.cwd);
        if let Some(watch) = &self.watch {
            watch.files(self.files());
        }
    }

    pub fn look(&self) {
        look(&self.seen, &self.outbox);
    }

    fn files(&self) -> Vec<PathBuf> {
        self.settings_files.iter().cloned().chain(self.lock().scripts.keys().cloned()).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FileContents> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let now: Vec<_> = seen.settings_files.iter().map(|w| std::fs::read(&w.path).ok()).collect();
    if now != seen.settings {
        seen.settings = now;
        let msg = match read(&seen.settings_files, Some(seen.dialect.clone())) {
            Ok(settings) => Msg::Loaded(Box::new(LoadedSettings::of(settings, &seen.cwd))),
            Err(SettingsError::File(diagnostic)) => Msg::LoadFailed(diagnostic),
            Err(SettingsError::Dialect(message)) => Msg::LoadFailed(Box::new(Diagnostic::error("dialect", message))),
        };
        let _ = outbox.send(msg);
    }
    let changed: Vec<_> = seen
        .scripts
        .iter()
        .map(|(f, before)| (f.clone(), small(f), before))
        .filter(|(_, now, before)| now != *before)
        .map(|(f, now, _)| (f, now))
        .collect();
    for (file, now) in changed {
        // A script that is gone for a moment is being saved; its return is the change.
        let gone = now.is_none();
        seen.scripts.insert(file.clone(), now);
        if !gone {
            let _ = outbox.send(Msg::ScriptChanged(file));
        }
    }
}
