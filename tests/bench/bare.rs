//! The baseline of starts: a hook as the barest program would run it that owes it the same. The program is looked up in
//! PATH, gets a session of its own and three pipes, is fed, is read to the end of both streams at once (or it could hang)
//! and reaped; no time is kept, nobody may stop it, and nothing is remembered or told. With sessions grouped by the scheduler, a start without one is another thing altogether.
#![allow(dead_code, reason = "each program uses its own part of it")]
#![expect(clippy::unwrap_used, reason = "a benchmark")]

#[path = "../../src/engine/spawn/posix.rs"]
mod posix;

use std::ffi::CString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// Starts `sh -c` lines.
pub struct Bare {
    env: Vec<CString>,
}

/// A started one.
pub struct Child {
    pid: Pid,
    pub stdout: File,
    stderr: File,
}

impl Bare {
    pub fn new() -> Self {
        let line = |(mut key, value): (std::ffi::OsString, std::ffi::OsString)| {
            key.push("=");
            key.push(value);
            CString::new(key.into_vec()).unwrap()
        };
        Self { env: std::env::vars_os().map(line).collect() }
    }

    /// Start `line` and write all of `stdin`.
    pub fn start(&self, line: &str, stdin: &[u8]) -> Child {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let shell = std::env::split_paths(&path).map(|dir| dir.join("sh"));
        let shell = shell.into_iter().find(|f| rustix::fs::access(f, rustix::fs::Access::EXEC_OK).is_ok()).unwrap();
        let shell = CString::new(shell.as_os_str().as_bytes()).unwrap();
        let argv = ["sh", "-c", line].map(|word| CString::new(word).unwrap());
        let [(in_r, in_w), (out_r, out_w), (err_r, err_w)] = [(); 3].map(|()| std::io::pipe().unwrap());
        let env: Vec<_> = self.env.iter().map(CString::as_c_str).collect();
        let theirs = [OwnedFd::from(in_r), OwnedFd::from(out_w), OwnedFd::from(err_w)];
        let stdio = theirs.each_ref();
        let pid = posix::start(&posix::Start { program: &shell, argv: &argv, env: &env, cwd: None, stdio });
        drop(theirs);
        // A child that is gone already does not read; that is not what is measured.
        let _ = File::from(OwnedFd::from(in_w)).write_all(stdin);
        let [stdout, stderr] = [out_r, err_r].map(|r| File::from(OwnedFd::from(r)));
        Child { pid: pid.unwrap(), stdout, stderr }
    }

    /// Start `count` of them and wait for all.
    pub fn run(&self, count: usize, line: &str, stdin: &[u8]) {
        let children: Vec<Child> = (0..count).map(|_| self.start(line, stdin)).collect();
        children.into_iter().for_each(Child::finish);
    }
}

impl Child {
    /// Read both streams to their ends, whichever speaks, and reap it.
    pub fn finish(self) {
        let mut open = vec![self.stdout, self.stderr];
        open.iter().for_each(|pipe| rustix::io::ioctl_fionbio(pipe, true).unwrap());
        let mut buffer = [0; 8192];
        while !open.is_empty() {
            let mut fds: Vec<_> = open.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
            poll(&mut fds, None).unwrap();
            let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
            let mut ready = ready.into_iter();
            open.retain_mut(|pipe| !ready.next().unwrap() || pipe.read(&mut buffer).unwrap() > 0);
        }
        waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED).unwrap();
    }
}
