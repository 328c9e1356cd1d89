//! A hook's process group: waiting for its leader, ending all of it, and the guard that no group outlives us.
//!
//! The leader stays unreaped until the run is over. While it is at least a zombie, its number cannot be given to
//! anybody else, so signals to the group cannot hit a stranger.

use std::io;
use std::time::Duration;

use super::leftovers::other_groups;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Exited(i32),
    Signalled(i32),
}

/// One session with everything in it.
#[derive(Debug)]
pub struct ProcessGroup {
    leader: Pid,
    reaped: bool,
    watch: ExitWatch,
}

impl ProcessGroup {
    /// Take charge of the session whose leader is `leader`; if it cannot be watched, it is ended at once.
    pub fn new(leader: Pid) -> io::Result<Self> {
        match ExitWatch::new(leader) {
            Ok(watch) => Ok(Self { leader, reaped: false, watch }),
            Err(error) => {
                end_unreaped(leader);
                Err(error)
            }
        }
    }

    /// The leader's id, which is also the group's and the session's.
    pub fn id(&self) -> Pid {
        self.leader
    }

    /// Resolves when the leader has ended; it is not reaped by this.
    pub async fn exited(&mut self) {
        self.watch.wait().await;
    }

    /// Ask everybody to end; the stopped are woken so that they can.
    pub fn interrupt(&self) {
        for signal in [Signal::TERM, Signal::CONT] {
            self.signal(signal);
        }
    }

    /// End everybody. Repeated, because a member may be forking while the first one goes out.
    pub fn kill(&self) {
        if !self.reaped {
            kill_session(self.leader);
        }
    }

    /// Reap the leader, which has ended.
    pub fn reap(&mut self) -> Option<Status> {
        let waited = waitid(WaitId::Pid(self.leader), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        // An error means somebody else reaped it: its number is no longer ours to signal.
        self.reaped = !matches!(waited, Ok(None));
        let status = waited.ok()??;
        match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Some(Status::Exited(code)),
            (None, Some(signal)) => Some(Status::Signalled(signal)),
            (None, None) => None,
        }
    }

    /// Whether members are left after the leader was reaped. A group number is not reused while it has members.
    pub fn has_members(&self) -> bool {
        test_kill_process_group(self.leader).is_ok()
    }

    fn signal(&self, signal: Signal) {
        if !self.reaped {
            let _ = kill_process_group(self.leader, signal);
            for group in other_groups(self.leader) {
                let _ = kill_process_group(group, signal);
            }
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        end_unreaped(self.leader);
    }
}

/// Kill a session whose leader is not reaped: its own group and every group its members made (as `timeout` and job
/// control do), until none is left.
fn kill_session(leader: Pid) {
    for _ in 0..3 {
        let _ = kill_process_group(leader, Signal::KILL);
        let others = other_groups(leader);
        if others.is_empty() {
            return;
        }
        for group in others {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Kill the group of a leader that is not reaped yet, and reap it.
fn end_unreaped(leader: Pid) {
    kill_session(leader);
    // A killed process is reapable within moments; one stuck in the kernel must not hold us up.
    for _ in 0..50 {
        match waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            Ok(Some(_)) | Err(_) => return,
        }
    }
    let _ = std::thread::Builder::new().name("reaper".into()).spawn(move || {
        let _ = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED);
    });
}

#[cfg(target_os = "linux")]
#[derive(Debug)]
struct ExitWatch(tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>);

#[cfg(target_os = "linux")]
impl ExitWatch {
    fn new(leader: Pid) -> io::Result<Self> {
        let fd = rustix::process::pidfd_open(leader, rustix::process::PidfdFlags::empty())?;
        super::spawn::watch(fd).map(Self).map_err(|(_, error)| error)
    }

    async fn wait(&mut self) {
        // An error here means the runtime is shutting down; the guard then ends the group.
        let _ = self.0.readable().await;
    }
}

/// Without process descriptors a thread waits for the leader's end without reaping it.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
struct ExitWatch(tokio::sync::watch::Receiver<bool>);

#[cfg(not(target_os = "linux"))]
impl ExitWatch {
    fn new(leader: Pid) -> io::Result<Self> {
        let (tx, rx) = tokio::sync::watch::channel(false);
        std::thread::Builder::new().name("waiter".into()).spawn(move || {
            let _ = waitid(WaitId::Pid(leader), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let _ = tx.send(true);
        })?;
        Ok(Self(rx))
    }

    async fn wait(&mut self) {
        let _ = self.0.wait_for(|done| *done).await;
    }
}
