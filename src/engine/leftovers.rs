//! Processes a hook left behind: finding them, naming them, and ending them when hookdbg ends.
//!
//! A host lets a hook's background processes live, so they are not ended with the run. They are ended with the
//! runner, and only after checking that they still are the same processes.

use std::collections::HashSet;
use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Mutex;

use rustix::process::{Pid, Signal, kill_process};

use crate::model::Leftover;

/// What /proc says about one process.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ProcessStat {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    state: u8,
    started: u64,
    name: String,
}

/// Every process, or nothing where there is no /proc.
fn processes() -> Vec<ProcessStat> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok()).filter_map(read_stat).collect()
}

fn read_stat(pid: i32) -> Option<ProcessStat> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name stands in parentheses and may hold anything, parentheses included.
    let (head, rest) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_string();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |i: usize| fields.get(i)?.parse().ok();
    Some(ProcessStat {
        pid,
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        state: *fields.first()?.as_bytes().first()?,
        started: fields.get(19)?.parse().ok()?,
        name,
    })
}

fn is_alive(process: &ProcessStat) -> bool {
    !matches!(process.state, b'Z' | b'X')
}

/// Process groups in the session of `leader` beside its own.
pub fn other_groups(leader: Pid) -> Vec<Pid> {
    let session = leader.as_raw_nonzero().get();
    let members = processes().into_iter().filter(|p| p.session == session && p.group != session && is_alive(p));
    let groups: HashSet<i32> = members.map(|p| p.group).collect();
    groups.into_iter().filter_map(Pid::from_raw).collect()
}

/// Descendants of `leader` that left its session: a kill of the group will not reach them.
#[derive(Debug, Default)]
pub struct Escaped(Vec<ProcessStat>);

impl Escaped {
    /// Look before the group is ended, while parents can still be followed.
    pub fn below(leader: Pid) -> Self {
        let processes = processes();
        let mut family: HashSet<i32> = HashSet::from([leader.as_raw_nonzero().get()]);
        loop {
            let before = family.len();
            family.extend(processes.iter().filter(|p| family.contains(&p.parent)).map(|p| p.pid).collect::<Vec<_>>());
            if family.len() == before {
                break;
            }
        }
        let session = leader.as_raw_nonzero().get();
        Self(processes.into_iter().filter(|p| family.contains(&p.pid) && p.session != session && is_alive(p)).collect())
    }

    pub fn survivors(&self) -> Vec<Leftover> {
        let same = |p: &&ProcessStat| read_stat(p.pid).is_some_and(|now| now.started == p.started && is_alive(&now));
        self.0.iter().filter(same).map(|p| Leftover { pid: p.pid, name: p.name.clone(), escaped: true }).collect()
    }
}

/// Processes that hold the other end of one of our pipes, whatever session they moved to.
pub fn holders(pipes: &[BorrowedFd<'_>], leader: Pid) -> Vec<Leftover> {
    let own = std::process::id().cast_signed();
    let wanted: Vec<String> = pipes
        .iter()
        .filter_map(|p| rustix::fs::fstat(p.as_fd()).ok())
        .map(|stat| format!("pipe:[{}]", stat.st_ino))
        .collect();
    let holds = |pid: i32| {
        fs::read_dir(format!("/proc/{pid}/fd")).is_ok_and(|fds| {
            fds.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok())
                .any(|target| target.to_str().is_some_and(|t| wanted.iter().any(|w| w == t)))
        })
    };
    let session = leader.as_raw_nonzero().get();
    processes()
        .into_iter()
        .filter(|p| p.pid != own && p.pid != session && is_alive(p) && holds(p.pid))
        .map(|p| Leftover { pid: p.pid, escaped: p.session != session, name: p.name })
        .collect()
}

/// Processes left in sessions of ended hooks, kept until the runner ends.
#[derive(Debug, Default)]
pub struct Leftovers(Mutex<Vec<ProcessStat>>);

impl Leftovers {
    /// Remember the members of the session `leader`, whose leader is reaped, and name them.
    pub fn remember(&self, leader: Pid) -> Vec<Leftover> {
        let session = leader.as_raw_nonzero().get();
        let members: Vec<ProcessStat> =
            processes().into_iter().filter(|p| p.session == session && is_alive(p)).collect();
        let named = members.iter().map(|p| Leftover { pid: p.pid, name: p.name.clone(), escaped: false }).collect();
        self.lock().extend(members);
        named
    }

    /// End what is left: every remembered process that still is the same one.
    pub fn end(&self) {
        for member in self.lock().drain(..) {
            let same =
                read_stat(member.pid).is_some_and(|now| now.started == member.started && now.session == member.session);
            if let Some(pid) = Pid::from_raw(member.pid).filter(|_| same) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<ProcessStat>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        self.end();
    }
}
