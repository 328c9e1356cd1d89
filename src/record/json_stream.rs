//! The JSON objects of a file, whatever way they stand in it: one a line, a list, one after the other with indentation,
//! or at the end of lines of text. Memory is bounded by the largest object, and that has a limit.

use std::io::{self, Read};

use memchr::{memchr, memmem};

/// Bytes looked at to tell how a file is written.
const PEEK: usize = 64 << 10;
/// Bytes read at once.
const CHUNK: usize = 1 << 20;
/// A larger object is skipped.
const MAX_OBJECT: usize = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileForm {
    /// One a line, perhaps after some text, perhaps several.
    Lines,
    /// In a list, or one after the other over several lines.
    Stream,
}

pub enum StreamItem<'a> {
    /// The text of an object and the line it begins on.
    Object(&'a [u8], u64),
    /// A line or object that is none: where and what.
    Broken(u64, String),
}

pub struct JsonStream<R> {
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
    line: u64,
    form: FileForm,
    /// Read so far.
    pub bytes: u64,
    pub max_object: usize,
}

/// How files begin that cannot hold objects, and what to do about it.
const UNREADABLE: [(&[u8], &str); 6] = [
    (&[0x1f, 0x8b], "it is compressed with gzip; unpack it first (gunzip)"),
    (b"PK\x03\x04", "it is a zip archive; unpack it first"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "it is compressed with zstd; unpack it first (unzstd)"),
    (b"SQLite format 3\0", "it is an SQLite database; export its sessions as JSON first"),
    (&[0xff, 0xfe], "it is UTF-16; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"),
    (&[0xfe, 0xff], "it is UTF-16; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"),
];

fn unreadable(start: &[u8]) -> Option<&'static str> {
    let known = UNREADABLE.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, why)| *why);
    known.or_else(|| memchr(0, start).map(|_| "it is binary, not text"))
}

impl<R: Read> JsonStream<R> {
    pub fn new(mut reader: R) -> io::Result<Self> {
        let mut buffer = Vec::with_capacity(PEEK);
        reader.by_ref().take(PEEK as u64).read_to_end(&mut buffer)?;
        if let Some(why) = unreadable(&buffer) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        let start = if buffer.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let form = form(&buffer[start..]);
        let ended = buffer.len() < PEEK;
        let bytes = buffer.len() as u64;
        Ok(Self { reader, buffer, start, ended, line: 1, form, bytes, max_object: MAX_OBJECT })
    }

    pub fn beginning(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Read more; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let before = self.buffer.len();
        self.reader.by_ref().take(CHUNK as u64).read_to_end(&mut self.buffer)?;
        let more = self.buffer.len() - before;
        self.bytes += more as u64;
        // Less than was asked for means the end as it is now; a file that grows is read up to here.
        self.ended = more < CHUNK;
        Ok(more > 0)
    }

    pub fn for_each(&mut self, mut each: impl FnMut(StreamItem<'_>)) -> io::Result<()> {
        match self.form {
            FileForm::Lines => self.lines(&mut each),
            FileForm::Stream => self.stream(&mut each),
        }
    }

    fn lines(&mut self, each: &mut impl FnMut(StreamItem<'_>)) -> io::Result<()> {
        let mut searched = 0;
        let mut dropped = 0_usize;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[self.start + searched..]) {
                let end = self.start + searched + at;
                if dropped > 0 {
                    each(StreamItem::Broken(self.line, too_long(dropped + end - self.start)));
                } else {
                    line_pieces(&self.buffer[self.start..end], self.line, LastLine::No, each);
                }
                (self.start, searched, dropped) = (end + 1, 0, 0);
                self.line += 1;
                continue;
            }
            let pending = self.buffer.len() - self.start;
            if dropped > 0 || pending > self.max_object {
                // Only its length is of interest from here on.
                dropped += pending;
                self.start = self.buffer.len();
            }
            searched = self.buffer.len() - self.start;
            if !self.fill()? && self.ended {
                if dropped > 0 {
                    each(StreamItem::Broken(self.line, too_long(dropped)));
                } else {
                    line_pieces(&self.buffer[self.start..], self.line, LastLine::Yes, each);
                }
                return Ok(());
            }
        }
    }

    fn stream(&mut self, each: &mut impl FnMut(StreamItem<'_>)) -> io::Result<()> {
        let mut scan = Scan::default();
        let mut at = self.start;
        loop {
            while at < self.buffer.len() {
                let byte = self.buffer[at];
                let column_zero = at == self.start && scan.begin.is_none() || at > 0 && self.buffer[at - 1] == b'\n';
                // With indentation only a new object begins in the first column: the one before it was torn.
                if byte == b'{' && scan.depth > 0 && column_zero && !scan.in_list {
                    each(StreamItem::Broken(scan.line, "the object is not closed before the next one begins".into()));
                    scan.reset();
                }
                if scan.step(byte, at, self.line) {
                    let begin = scan.begin.take().unwrap_or(at);
                    each(StreamItem::Object(&self.buffer[begin..=at], scan.line));
                    scan.reset();
                }
                if byte == b'\n' {
                    self.line += 1;
                }
                at += 1;
            }
            let keep = scan.begin.unwrap_or(self.buffer.len());
            if self.buffer.len() - keep > self.max_object {
                each(StreamItem::Broken(scan.line, too_long(self.buffer.len() - keep)));
                return Ok(());
            }
            self.start = keep.min(self.buffer.len());
            let shift = if self.ended { 0 } else { self.start };
            if !self.fill()? && self.ended {
                if scan.depth > 0 {
                    each(StreamItem::Broken(scan.line, "the file ends inside this object".into()));
                }
                return Ok(());
            }
            at -= shift;
            scan.begin = scan.begin.map(|b| b - shift);
        }
    }
}

fn too_long(bytes: usize) -> String {
    format!("{} MiB in one piece, which no event has; skipped", bytes >> 20)
}

/// Whether a line may be torn because the file ends there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastLine {
    Yes,
    No,
}

/// The objects of one line: usually one, perhaps behind some text, perhaps several without anything between.
fn line_pieces(line: &[u8], number: u64, last: LastLine, each: &mut impl FnMut(StreamItem<'_>)) {
    let line = line.trim_ascii();
    let line = line.strip_suffix(b",").unwrap_or(line);
    if line.is_empty() {
        return;
    }
    if line[0] == b'{' && line[line.len() - 1] == b'}' && memmem::find(line, b"}{").is_none() {
        return each(StreamItem::Object(line, number));
    }
    let Some(from) = memchr(b'{', line) else {
        return each(StreamItem::Broken(number, "not JSON".into()));
    };
    let objects = serde_json::Deserializer::from_slice(&line[from..]).into_iter::<&serde_json::value::RawValue>();
    let mut found = 0;
    for object in objects {
        match object {
            Ok(raw) if raw.get().starts_with('{') => {
                found += 1;
                each(StreamItem::Object(raw.get().as_bytes(), number));
            }
            Ok(_) => {}
            Err(error) if found == 0 || error.is_eof() => {
                let torn = error.is_eof() && last == LastLine::Yes;
                let why = if torn { "the last line is torn".to_string() } else { format!("not JSON: {error}") };
                return each(StreamItem::Broken(number, why));
            }
            Err(_) => return,
        }
    }
}

#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    in_list: bool,
    begin: Option<usize>,
    line: u64,
}

impl Scan {
    fn reset(&mut self) {
        (self.depth, self.in_string, self.escaped, self.begin) = (0, false, false, None);
    }

    /// One more byte; true if it closes an object of the top.
    fn step(&mut self, byte: u8, at: usize, line: u64) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' if self.depth > 0 => self.in_string = true,
            b'{' => {
                if self.depth == 0 {
                    (self.begin, self.line) = (Some(at), line);
                }
                self.depth += 1;
            }
            b'}' if self.depth > 0 => {
                self.depth -= 1;
                return self.depth == 0;
            }
            b'[' if self.depth == 0 => self.in_list = true,
            _ => {}
        }
        false
    }
}

fn form(start: &[u8]) -> FileForm {
    let text = start.trim_ascii_start();
    let first_line = memchr(b'\n', text).map(|at| text[..at].trim_ascii_end());
    match (text.first(), first_line) {
        (Some(b'['), _) if matches!(text[1..].trim_ascii_start().first(), Some(b'{' | b']')) => FileForm::Stream,
        // A first line too long to be seen whole is one object a line.
        (Some(b'{'), Some(line)) if !line.ends_with(b"}") && !line.ends_with(b"},") => FileForm::Stream,
        _ => FileForm::Lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = (Vec<(String, u64)>, Vec<(u64, String)>);

    fn read(text: &str) -> Found {
        let (mut objects, mut broken) = (Vec::new(), Vec::new());
        let mut reader = JsonStream::new(text.as_bytes()).unwrap();
        reader
            .for_each(|item| match item {
                StreamItem::Object(text, line) => objects.push((String::from_utf8_lossy(text).into_owned(), line)),
                StreamItem::Broken(line, why) => broken.push((line, why)),
            })
            .unwrap();
        (objects, broken)
    }

    #[test]
    fn objects_in_every_form() {
        let lines = |text: &str| read(text).0.iter().map(|(_, line)| *line).collect::<Vec<_>>();
        assert_eq!(lines("{\"a\":1}\n\n{\"a\":2}\n"), [1, 3]);
        assert_eq!(lines("[\n {\"a\": \"}\"},\n {\"a\":\n 2}\n]"), [2, 3]);
        assert_eq!(lines("{\n \"a\": 1\n}\n{\n \"b\": {}\n}"), [1, 4]);
        assert_eq!(lines("{\"a\":1}{\"a\":2}"), [1, 1]);
        assert_eq!(lines("[2025-08-31] [PreToolUse] JSON: {\"a\":{}}\nno json here\n"), [1]);
        assert_eq!(lines("\u{feff}{\"a\":1}"), [1]);
        assert_eq!(lines(""), [0_u64; 0]);
    }

    #[test]
    fn what_is_broken_is_said_with_its_line() {
        assert_eq!(read("{\"a\":1}\n{\"a\":\n{\"a\":3}\n").1[0].0, 2);
        assert_eq!(read("{\"a\":1}\n{\"a\":").1, [(2, "the last line is torn".to_string())]);
        let (objects, broken) = read("{\n \"a\": 1,\n{\n \"b\": 2\n}\n");
        assert_eq!((objects.len(), broken[0].0), (1, 1));
        assert_eq!(read("[\n{\"a\":1},\n{\"a\":").1[0].0, 3);
    }

    #[test]
    fn a_huge_line_costs_no_memory_and_the_rest_is_read() {
        let long = format!("{{\"a\":\"{}\"}}\n{{\"b\":1}}\n", "x".repeat(3 << 20));
        let mut reader = JsonStream::new(long.as_bytes()).unwrap();
        reader.max_object = 1 << 20;
        let mut seen = Vec::new();
        reader
            .for_each(|item| match item {
                StreamItem::Object(_, line) => seen.push((line, true)),
                StreamItem::Broken(line, _) => seen.push((line, false)),
            })
            .unwrap();
        assert_eq!(seen, [(1, false), (2, true)]);
        assert!(reader.buffer.capacity() < 4 << 20);
    }

    #[test]
    fn other_kinds_of_files_are_named() {
        let why = |bytes: &[u8]| JsonStream::new(bytes).err().unwrap().to_string();
        assert!(why(&[0x1f, 0x8b, 8]).contains("gzip"));
        assert!(why(b"abc\0def").contains("binary"));
        assert!(why(&[0xff, 0xfe, b'{', 0]).contains("UTF-16"));
    }
}
