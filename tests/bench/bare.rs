//! The baseline of starts: a hook as std would run it if std could give it a session. The program is looked up in PATH,
//! gets a session of its own and three pipes, is fed, is read to the end of both streams at once (or it could hang) and
//! reaped; no time is kept, nobody may stop it, and nothing is remembered or told. Where the scheduler groups sessions, a
//! start without one is another thing altogether.
#![allow(dead_code, reason = "each program uses its own part of it")]
#![expect(clippy::unwrap_used, unsafe_code, reason = "a benchmark; std has posix_spawn, but not with a session")]

use std::ffi::{CStr, CString, OsString, c_char, c_short};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::{mem, ptr};

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
        let line = |(mut key, value): (OsString, OsString)| {
            key.push("=");
            key.push(value);
            CString::new(key.into_vec()).unwrap()
        };
        Self { env: std::env::vars_os().map(line).collect() }
    }

    /// Start `line` and write all of `stdin`.
    pub fn start(&self, line: &str, stdin: &[u8]) -> Child {
        let line = CString::new(line).unwrap();
        let [(in_r, in_w), (out_r, out_w), (err_r, err_w)] = [(); 3].map(|()| std::io::pipe().unwrap());
        let theirs = [OwnedFd::from(in_r), OwnedFd::from(out_w), OwnedFd::from(err_w)];
        let pid = spawn(&[c"sh", c"-c", &line], &self.env, &theirs);
        drop(theirs);
        // A child that is gone already does not read; that is not what is measured.
        let _ = File::from(OwnedFd::from(in_w)).write_all(stdin);
        let [stdout, stderr] = [out_r, err_r].map(|r| File::from(OwnedFd::from(r)));
        Child { pid, stdout, stderr }
    }

    /// Start `count` of them and wait for all.
    pub fn run(&self, count: usize, line: &str, stdin: &[u8]) {
        let children: Vec<Child> = (0..count).map(|_| self.start(line, stdin)).collect();
        children.into_iter().for_each(Child::finish);
    }
}

/// What `std::process` does, and the session.
fn spawn(argv: &[&CStr], env: &[CString], stdio: &[OwnedFd; 3]) -> Pid {
    let argv: Vec<*mut c_char> = argv.iter().map(|a| a.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect();
    let env: Vec<*mut c_char> = env.iter().map(|e| e.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect();
    // SAFETY: each object is initialised by its first call before it is used and destroyed by its last; the strings and
    // arrays, which end in NUL and null, outlive the call.
    unsafe {
        let (mut actions, mut attributes, mut signals) = (mem::zeroed(), mem::zeroed(), mem::zeroed());
        assert_eq!(libc::posix_spawn_file_actions_init(&raw mut actions), 0);
        for (fd, target) in stdio.iter().zip(0..) {
            assert_eq!(libc::posix_spawn_file_actions_adddup2(&raw mut actions, fd.as_raw_fd(), target), 0);
        }
        assert_eq!(libc::posix_spawnattr_init(&raw mut attributes), 0);
        libc::sigemptyset(&raw mut signals);
        libc::posix_spawnattr_setsigmask(&raw mut attributes, &raw const signals);
        libc::sigaddset(&raw mut signals, libc::SIGPIPE);
        libc::posix_spawnattr_setsigdefault(&raw mut attributes, &raw const signals);
        let flags = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF | i32::from(libc::POSIX_SPAWN_SETSID);
        libc::posix_spawnattr_setflags(&raw mut attributes, c_short::try_from(flags).unwrap());
        let (mut pid, env) = (0, env.as_ptr());
        let (file, argv) = (argv[0], argv.as_ptr());
        let code = libc::posix_spawnp(&raw mut pid, file, &raw const actions, &raw const attributes, argv, env);
        assert_eq!(code, 0);
        libc::posix_spawnattr_destroy(&raw mut attributes);
        libc::posix_spawn_file_actions_destroy(&raw mut actions);
        Pid::from_raw(pid).unwrap()
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
