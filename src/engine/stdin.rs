//! Feeds a hook's stdin and closes it after the last byte. A hook that does not read is no error.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::net::unix::pipe::Sender;

use crate::model::StdinUse;

/// The writing end while bytes are left.
#[derive(Debug)]
pub struct StdinFeed {
    bytes: Arc<[u8]>,
    written: usize,
    refused: bool,
    pipe: Option<Sender>,
}

impl StdinFeed {
    /// Write what the pipe takes at once; small payloads are done here and never touch the event loop.
    pub fn start(pipe: OwnedFd, bytes: Arc<[u8]>) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        let mut feed = Self { bytes, written: 0, refused: false, pipe: None };
        while feed.written < feed.bytes.len() {
            match rustix::io::write(&pipe, &feed.bytes[feed.written..]) {
                Ok(n) => feed.written += n,
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => {
                    feed.pipe = Some(Sender::from_owned_fd_unchecked(pipe)?);
                    return Ok(feed);
                }
                Err(_) => {
                    feed.refused = true;
                    return Ok(feed);
                }
            }
        }
        Ok(feed)
    }

    pub fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Wait until the pipe takes more and write it. Only while open.
    pub async fn step(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        let result = match pipe.writable().await {
            Ok(()) => pipe.try_write(&self.bytes[self.written..]),
            Err(e) => Err(e),
        };
        match result {
            Ok(n) => self.written += n,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.refused = true,
        }
        if self.refused || self.written == self.bytes.len() {
            self.pipe = None;
        }
    }

    /// Give up on the rest: the hook is over.
    pub fn close(&mut self) {
        self.pipe = None;
    }

    pub fn outcome(&self) -> StdinUse {
        StdinUse { written: self.written, total: self.bytes.len(), refused: self.refused }
    }
}
