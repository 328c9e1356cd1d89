//! Our end of a hook's stdout or stderr: read when looked at, or watched by the event loop, and kept up to a cap.
//! When it is looked at and what its bytes mean is the supervising loop's.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use tokio::io::unix::AsyncFd;

use super::capture::Capture;
use super::spawn;
use crate::model::Captured;

/// One output stream: our end, a read buffer that grows with demand, and what is kept.
pub struct OutputPipe {
    end: PipeEnd,
    buffer: Vec<u8>,
    capture: Capture,
}

/// Most hooks say a few words or none and are gone. To watch their pipes costs more than all else we do for them.
enum PipeEnd {
    Quiet(OwnedFd),
    Watched(AsyncFd<OwnedFd>),
    Closed,
}

/// The buffer a quiet hook costs, and the one a chatty hook earns.
const SMALL: usize = 8 * 1024;
const LARGE: usize = 256 * 1024;
/// The pipe a chatty hook earns, where the system allows it.
const LARGE_PIPE: usize = 1 << 20;

impl PipeEnd {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Self::Quiet(fd) => Some(fd.as_fd()),
            Self::Watched(watch) => Some(watch.as_fd()),
            Self::Closed => None,
        }
    }
}

impl OutputPipe {
    pub fn new(fd: OwnedFd, cap: usize) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&fd, true)?;
        Ok(Self { end: PipeEnd::Quiet(fd), buffer: Vec::new(), capture: Capture::new(cap) })
    }

    pub fn is_open(&self) -> bool {
        !matches!(self.end, PipeEnd::Closed)
    }

    pub fn is_quiet(&self) -> bool {
        matches!(self.end, PipeEnd::Quiet(_))
    }

    pub fn close(&mut self) {
        self.end = PipeEnd::Closed;
    }

    /// Have the event loop watch it, if nobody does.
    pub fn watch(&mut self) {
        self.end = match std::mem::replace(&mut self.end, PipeEnd::Closed) {
            PipeEnd::Quiet(fd) => spawn::watch(fd).map_or_else(|(fd, _)| PipeEnd::Quiet(fd), PipeEnd::Watched),
            end => end,
        };
    }

    /// The next bytes in the buffer; none at the end. Resolves only while watched.
    pub async fn read(&mut self) -> Option<usize> {
        let PipeEnd::Watched(watch) = &self.end else { return std::future::pending().await };
        self.buffer.resize(self.buffer.len().max(SMALL), 0);
        loop {
            let Ok(mut ready) = watch.readable().await else { return None };
            match ready.try_io(|fd| Ok(rustix::io::read(fd, &mut self.buffer[..])?)) {
                Ok(Ok(0) | Err(_)) => return None,
                Ok(Ok(count)) => return Some(count),
                Err(_nothing_there) => {}
            }
        }
    }

    /// How many bytes are there now, zero at the end of the stream; none if there is nothing to read.
    pub fn read_now(&mut self) -> Option<usize> {
        let fd = self.end.fd()?;
        self.buffer.resize(self.buffer.len().max(SMALL), 0);
        rustix::io::read(fd, &mut self.buffer[..]).ok()
    }

    /// Keep the `count` bytes that were read last; they are in the buffer until the next read.
    pub fn take(&mut self, count: usize) -> &[u8] {
        self.capture.push(&self.buffer[..count]);
        self.grow_if_busy(count);
        &self.buffer[..count]
    }

    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.end.fd()
    }

    pub fn finish(self) -> Captured {
        self.capture.finish()
    }

    fn grow_if_busy(&mut self, count: usize) {
        if count < self.buffer.len() || self.buffer.len() == LARGE {
            return;
        }
        self.buffer.resize(LARGE, 0);
        #[cfg(target_os = "linux")]
        if let Some(fd) = self.end.fd() {
            // Refused beyond the user's pipe quota; the small pipe works too, only slower.
            let _ = rustix::pipe::fcntl_setpipe_size(fd, LARGE_PIPE);
        }
    }
}
