//! The transcript as it was at the moment of an event: a copy that grows line by line, since hooks read it.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

pub struct TranscriptCopy {
    source: BufReader<File>,
    copy: File,
    path: PathBuf,
    lines: u64,
}

impl TranscriptCopy {
    /// Begin a copy of `transcript` in `dir`; none if it is no file of lines.
    pub fn begin(transcript: &Path, dir: &Path) -> Option<Self> {
        if transcript.extension().is_none_or(|e| e != "jsonl") {
            return None;
        }
        let path = dir.join(transcript.file_name()?);
        let source = BufReader::new(File::open(transcript).ok()?);
        Some(Self { source, copy: File::create(&path).ok()?, path, lines: 0 })
    }

    /// Let the copy reach up to and with `line`; gives its path.
    pub fn up_to(&mut self, line: u64) -> io::Result<&Path> {
        let mut buffer = Vec::new();
        while self.lines < line {
            buffer.clear();
            if self.source.read_until(b'\n', &mut buffer)? == 0 {
                break;
            }
            self.copy.write_all(&buffer)?;
            self.lines += 1;
        }
        Ok(&self.path)
    }
}
