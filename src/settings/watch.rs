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

use notify::{Event, EventKind, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher as _};

/// Changes that come closer together than this are one.
const QUIET: Duration = Duration::from_millis(25);
/// How often the fallback looks.
const POLL: Duration = Duration::from_secs(1);

/// A running watch; it ends when dropped.
#[derive(Debug)]
pub struct Watch {
    wanted: mpsc::Sender<Order>,
}

#[derive(Debug)]
enum Order {
    Files(Vec<PathBuf>),
    Changed,
    End,
}

/// What the watch has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sighting {
    /// Something near a watched file changed.
    LookAgain,
    /// The system's notification is exhausted or missing; files are looked at once a second instead.
    Polling(String),
}

impl Watch {
    /// Watch `files` and tell `tell`, which must be quick, from a thread of the watch's own.
    pub fn start(files: Vec<PathBuf>, tell: impl Fn(Sighting) + Send + 'static) -> std::io::Result<Self> {
        let (orders, inbox) = mpsc::channel();
        let own = orders.clone();
        std::thread::Builder::new().name("watch".into()).spawn(move || run(files, &own, &inbox, &tell))?;
        Ok(Self { wanted: orders })
    }

    /// Watch these files instead.
    pub fn files(&self, files: Vec<PathBuf>) {
        let _ = self.wanted.send(Order::Files(files));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.wanted.send(Order::End);
    }
}

/// Either kind of watcher.
enum Eyes {
    Native(RecommendedWatcher),
    Polling(PollWatcher),
}

impl Eyes {
    fn watch(&mut self, dir: &Path) -> notify::Result<()> {
        match self {
            Self::Native(w) => w.watch(dir, RecursiveMode::NonRecursive),
            Self::Polling(w) => w.watch(dir, RecursiveMode::NonRecursive),
        }
    }

    fn unwatch(&mut self, dir: &Path) {
        let _ = match self {
            Self::Native(w) => w.unwatch(dir),
            Self::Polling(w) => w.unwatch(dir),
        };
    }
}

fn run(files: Vec<PathBuf>, own: &mpsc::Sender<Order>, inbox: &mpsc::Receiver<Order>, tell: &impl Fn(Sighting)) {
    let mut files = files;
    let mut eyes = match notify::recommended_watcher(report(own.clone())) {
        Ok(watcher) => Eyes::Native(watcher),
        Err(error) => match poll(own, &error, tell) {
            Some(eyes) => eyes,
            None => return,
        },
    };
    let mut watched = BTreeSet::new();
    if let Err(error) = arm(&mut eyes, &mut watched, &files)
        && let Some(polling) = poll(own, &error, tell)
    {
        eyes = polling;
        watched.clear();
        let _ = arm(&mut eyes, &mut watched, &files);
    }
    // The files may have changed between their first reading and the first watch.
    tell(Sighting::LookAgain);
    while let Ok(first) = inbox.recv() {
        let mut order = Some(first);
        // Wait for quiet, so that ten saves in a row are one.
        while let Some(now) = order {
            match now {
                Order::Files(new) => files = new,
                Order::Changed => {}
                Order::End => return,
            }
            order = inbox.recv_timeout(QUIET).ok();
        }
        let _ = arm(&mut eyes, &mut watched, &files);
        // Always, and after the watches stand: what changed while they were made anew was seen by nobody.
        tell(Sighting::LookAgain);
    }
}

fn poll(own: &mpsc::Sender<Order>, error: &notify::Error, tell: &impl Fn(Sighting)) -> Option<Eyes> {
    let config = notify::Config::default().with_poll_interval(POLL).with_compare_contents(true);
    let watcher = PollWatcher::new(report(own.clone()), config).ok()?;
    tell(Sighting::Polling(error.to_string()));
    Some(Eyes::Polling(watcher))
}

fn report(orders: mpsc::Sender<Order>) -> impl Fn(notify::Result<Event>) + Send + 'static {
    move |event| {
        // Reads are events too; ours would chase themselves for ever.
        let is_read = matches!(&event, Ok(Event { kind: EventKind::Access(_), .. }));
        if !is_read {
            let _ = orders.send(Order::Changed);
        }
    }
}

/// Watch exactly the directories `files` need now; the error is the first that is not a missing directory.
fn arm(eyes: &mut Eyes, watched: &mut BTreeSet<PathBuf>, files: &[PathBuf]) -> notify::Result<()> {
    let needed: BTreeSet<PathBuf> = files.iter().flat_map(|f| directories(f)).collect();
    // A directory that was removed and recreated has the same name and a dead watch, so all are made anew.
    for dir in watched.iter() {
        eyes.unwatch(dir);
    }
    watched.clear();
    for dir in needed {
        match eyes.watch(&dir) {
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
        let _watch = Watch::start(vec![file.clone()], move |sighting| drop(tx.send(sighting))).unwrap();
        // The first comes without any change: a save before the watches stood would have been missed.
        assert_eq!(rx.recv().unwrap(), Sighting::LookAgain);
        std::fs::write(&file, "{ }").unwrap();
        assert_eq!(rx.recv().unwrap(), Sighting::LookAgain);
    }
}
