//! Tells when settings files or scripts may have changed. It says "look again", never what changed: the reader
//! compares contents, so that our own reads and no-op saves cause nothing.
//!
//! Watched are each file's directory, the directory above it, and the directory of a symlink's target, and the set is
//! made anew after every event: that survives rename-over, delete and recreate, re-pointed links and directories that
//! come and go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use notify::{Event, EventKind, PollWatcher, RecursiveMode, Watcher};

/// Changes that come closer together than this are one.
const QUIET: Duration = Duration::from_millis(25);
/// How often the fallback looks.
const POLL: Duration = Duration::from_secs(1);

/// A running watch; it ends when dropped.
#[derive(Debug)]
pub struct Watch {
    commands: mpsc::Sender<WatchCommand>,
}

#[derive(Debug)]
enum WatchCommand {
    Files(Vec<PathBuf>),
    Changed,
    End,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// Something near a watched file changed.
    MayHaveChanged,
    /// The system's notification is exhausted or missing; files are looked at once a second instead.
    Polling(String),
}

impl Watch {
    /// Watch `files` and call `on_event`, which must be quick, from a thread of the watch's own.
    pub fn start(files: Vec<PathBuf>, on_event: impl Fn(WatchEvent) + Send + 'static) -> std::io::Result<Self> {
        let (commands, inbox) = mpsc::channel();
        let own = commands.clone();
        std::thread::Builder::new().name("watch".into()).spawn(move || run(files, &own, &inbox, &on_event))?;
        Ok(Self { commands })
    }

    pub fn files(&self, files: Vec<PathBuf>) {
        let _ = self.commands.send(WatchCommand::Files(files));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.commands.send(WatchCommand::End);
    }
}

fn run(
    files: Vec<PathBuf>,
    own: &mpsc::Sender<WatchCommand>,
    inbox: &mpsc::Receiver<WatchCommand>,
    on_event: &impl Fn(WatchEvent),
) {
    let mut files = files;
    let mut backend: Box<dyn Watcher> = match notify::recommended_watcher(report(own.clone())) {
        Ok(watcher) => Box::new(watcher),
        Err(error) => match poll(own, &error, on_event) {
            Some(backend) => backend,
            None => return,
        },
    };
    let mut watched = BTreeSet::new();
    if let Err(error) = rebuild_watches(backend.as_mut(), &mut watched, &files)
        && let Some(polling) = poll(own, &error, on_event)
    {
        backend = polling;
        watched.clear();
        let _ = rebuild_watches(backend.as_mut(), &mut watched, &files);
    }
    // The files may have changed between their first reading and the first watch.
    on_event(WatchEvent::MayHaveChanged);
    while let Ok(first) = inbox.recv() {
        let mut command = Some(first);
        // Wait for quiet, so that ten saves in a row are one.
        while let Some(now) = command {
            match now {
                WatchCommand::Files(new) => files = new,
                WatchCommand::Changed => {}
                WatchCommand::End => return,
            }
            command = inbox.recv_timeout(QUIET).ok();
        }
        let _ = rebuild_watches(backend.as_mut(), &mut watched, &files);
        // Always, and after the watches stand: what changed while they were made anew was seen by nobody.
        on_event(WatchEvent::MayHaveChanged);
    }
}

fn poll(
    own: &mpsc::Sender<WatchCommand>,
    error: &notify::Error,
    on_event: &impl Fn(WatchEvent),
) -> Option<Box<dyn Watcher>> {
    let config = notify::Config::default().with_poll_interval(POLL).with_compare_contents(true);
    let watcher = PollWatcher::new(report(own.clone()), config).ok()?;
    on_event(WatchEvent::Polling(error.to_string()));
    Some(Box::new(watcher))
}

fn report(commands: mpsc::Sender<WatchCommand>) -> impl Fn(notify::Result<Event>) + Send + 'static {
    move |event| {
        // Reads are events too; ours would chase themselves for ever.
        let is_read = matches!(&event, Ok(Event { kind: EventKind::Access(_), .. }));
        if !is_read {
            let _ = commands.send(WatchCommand::Changed);
        }
    }
}

/// Watch exactly the directories `files` need now; the error is the first that is not a missing directory.
fn rebuild_watches(
    backend: &mut dyn Watcher,
    watched: &mut BTreeSet<PathBuf>,
    files: &[PathBuf],
) -> notify::Result<()> {
    let needed: BTreeSet<PathBuf> = files.iter().flat_map(|f| directories(f)).collect();
    // A directory that was removed and recreated has the same name and a dead watch, so all are made anew.
    for dir in watched.iter() {
        let _ = backend.unwatch(dir);
    }
    watched.clear();
    for dir in needed {
        match backend.watch(&dir, RecursiveMode::NonRecursive) {
            Ok(()) => {
                watched.insert(dir);
            }
            Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The nearest existing directory of `file`, the one above it, and the same for the target of a link.
fn directories(file: &Path) -> Vec<PathBuf> {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
    let mut found = Vec::new();
    let mut places = vec![absolute.clone()];
    places.extend(std::fs::canonicalize(&absolute).ok());
    for place in places {
        let existing = place.ancestors().skip(1).filter(|d| d.is_dir());
        found.extend(existing.take(2).map(Path::to_path_buf));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_taken_once_the_watches_stand_and_after_every_change() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        std::fs::write(&file, "{}").unwrap();
        let (tx, rx) = mpsc::channel();
        let _watch = Watch::start(vec![file.clone()], move |event| drop(tx.send(event))).unwrap();
        // The first comes without any change: a save before the watches stood would have been missed.
        assert_eq!(rx.recv().unwrap(), WatchEvent::MayHaveChanged);
        std::fs::write(&file, "{ }").unwrap();
        assert_eq!(rx.recv().unwrap(), WatchEvent::MayHaveChanged);
    }
}
