//! Writes recordings: one line, one write, flushed. A crash loses at most the line being written, and the next writer
//! does not glue its line to a torn one.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::recorded_event::RecordedEvent;

#[derive(Debug)]
pub struct Recording {
    file: File,
}

impl Recording {
    /// Open `path` for appending; it is made if it does not exist. A file that holds something else is refused.
    pub fn open(path: &Path) -> io::Result<Self> {
        if is_not_a_recording(path) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists and is no recording"));
        }
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let length = file.metadata()?.len();
        if length > 0 {
            let mut last = [0];
            file.seek(SeekFrom::Start(length - 1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(Self { file })
    }

    pub fn write(&mut self, entry: &RecordedEvent) -> io::Result<()> {
        let line = entry.to_line().map_err(io::Error::other)?;
        self.file.write_all(line.as_bytes())?;
        self.file.flush()
    }
}

/// Whether there is a file whose first line is none of a recording.
pub fn is_not_a_recording(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut start = Vec::new();
    if file.take(1 << 16).read_to_end(&mut start).is_err() {
        return true;
    }
    !start.is_empty() && !start.starts_with(b"{\"hookdbg\":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::recorded_event::EventOrigin;

    #[test]
    fn a_torn_line_stays_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.jsonl");
        std::fs::write(&path, "{\"hookdbg\":1,\"ev").unwrap();
        let entry = RecordedEvent {
            dialect: None,
            event: "Stop".into(),
            payload: "{}".into(),
            origin: EventOrigin::default(),
            derived: Vec::new(),
            recorded: None,
        };
        let mut recording = Recording::open(&path).unwrap();
        recording.write(&entry).unwrap();
        recording.write(&entry).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().filter(|l| RecordedEvent::from_line(l.as_bytes()).is_ok()).count(), 2);
        assert_eq!(text.lines().count(), 3);
    }
}
