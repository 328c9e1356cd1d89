//! The one file with `unsafe`: a thin, complete wrapper of `posix_spawn`, and the registration of a process
//! descriptor with the event loop.
//!
//! Why not `std::process`: a hook needs its own session, std offers that only through `pre_exec`, and `pre_exec`
//! forces a real fork whose cost grows with our memory (1 ms becomes 55 ms with 1 GB in use). `posix_spawn` has
//! `POSIX_SPAWN_SETSID` and a chdir action and never copies us.
//!
//! What is relied on: every pointer handed over lives in a local variable until the call returns; attribute and
//! action objects are initialised before use and destroyed exactly once.

#![expect(unsafe_code, reason = "posix_spawn has no safe wrapper that can set a session and a directory")]

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use rustix::process::Pid;
use tokio::io::Interest;
use tokio::io::unix::{AsyncFd, AsyncFdRegisterError};

/// Everything a start needs; no allocation happens after this point.
pub struct Start<'a> {
    pub program: &'a CStr,
    /// Arguments, the program's name first.
    pub argv: &'a [CString],
    /// The whole environment, `KEY=value`.
    pub env: &'a [&'a CStr],
    pub cwd: Option<&'a CStr>,
    pub stdio: [&'a OwnedFd; 3],
}

/// Start the program; the error is the one `chdir` or `execve` gave.
pub fn start(start: &Start<'_>) -> io::Result<Pid> {
    let actions = Actions::new(start)?;
    let attributes = Attributes::new()?;
    let argv = pointers(start.argv.iter().map(CString::as_c_str));
    let env = pointers(start.env.iter().copied());
    let mut pid: libc::pid_t = 0;
    // SAFETY: `program`, `argv` and `env` are NUL-terminated and the arrays end in a null pointer; `actions` and
    // `attributes` are initialised; all of them outlive the call, which does not keep any pointer.
    let code = unsafe {
        libc::posix_spawn(
            &raw mut pid,
            start.program.as_ptr(),
            &raw const actions.0,
            &raw const attributes.0,
            argv.as_ptr(),
            env.as_ptr(),
        )
    };
    check(code)?;
    Pid::from_raw(pid).ok_or_else(|| io::Error::other("posix_spawn gave no process id"))
}

fn check(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(code)) }
}

fn pointers<'a>(strings: impl Iterator<Item = &'a CStr>) -> Vec<*mut libc::c_char> {
    strings.map(|s| s.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect()
}

/// Have the event loop watch `fd` for readiness to read; it is given back if it cannot.
pub fn watch(fd: OwnedFd) -> Result<AsyncFd<OwnedFd>, (OwnedFd, io::Error)> {
    // SAFETY: an `OwnedFd` always gives the same descriptor, and the watch owns it until it is dropped.
    unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) }.map_err(AsyncFdRegisterError::into_parts)
}

struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new(start: &Start<'_>) -> io::Result<Self> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: init writes the whole object; on success it is initialised.
        let mut actions = unsafe {
            check(libc::posix_spawn_file_actions_init(raw.as_mut_ptr()))?;
            Self(raw.assume_init())
        };
        for (fd, target) in start.stdio.iter().zip(0..) {
            // SAFETY: the object is initialised; both numbers are plain integers.
            check(unsafe { libc::posix_spawn_file_actions_adddup2(&raw mut actions.0, fd.as_raw_fd(), target) })?;
        }
        if let Some(cwd) = start.cwd {
            // SAFETY: the object is initialised; `cwd` is NUL-terminated and copied by the call.
            check(unsafe { libc::posix_spawn_file_actions_addchdir_np(&raw mut actions.0, cwd.as_ptr()) })?;
        }
        // Descriptors that were already open when we started may lack close-on-exec; the child gets three, no more.
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: the object is initialised.
        check(unsafe { libc::posix_spawn_file_actions_addclosefrom_np(&raw mut actions.0, 3) })?;
        Ok(actions)
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed only here.
        unsafe { libc::posix_spawn_file_actions_destroy(&raw mut self.0) };
    }
}

struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    /// Own session, empty signal mask, every signal back at its default.
    fn new() -> io::Result<Self> {
        let mut raw = MaybeUninit::uninit();
        let mut none = MaybeUninit::uninit();
        let mut every = MaybeUninit::uninit();
        let flags = SETSID | libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        // SAFETY: init, sigemptyset and sigfillset write their whole objects before they are read; the setters copy.
        unsafe {
            check(libc::posix_spawnattr_init(raw.as_mut_ptr()))?;
            let mut attributes = Self(raw.assume_init());
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigfillset(every.as_mut_ptr());
            check(libc::posix_spawnattr_setsigmask(&raw mut attributes.0, none.as_ptr()))?;
            check(libc::posix_spawnattr_setsigdefault(&raw mut attributes.0, every.as_ptr()))?;
            #[expect(clippy::cast_possible_truncation, reason = "the flags are defined as a short")]
            check(libc::posix_spawnattr_setflags(&raw mut attributes.0, flags as libc::c_short))?;
            Ok(attributes)
        }
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed only here.
        unsafe { libc::posix_spawnattr_destroy(&raw mut self.0) };
    }
}

#[cfg(target_os = "linux")]
const SETSID: libc::c_int = libc::POSIX_SPAWN_SETSID as libc::c_int;
/// `POSIX_SPAWN_SETSID` of macOS, which the libc crate does not name.
#[cfg(not(target_os = "linux"))]
const SETSID: libc::c_int = 0x0400;
