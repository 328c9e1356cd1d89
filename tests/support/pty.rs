//! The built program in a real terminal: keys in, screen out.

use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// A running program and its screen.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    parser: Arc<Mutex<vt100::Parser>>,
    /// Said with the parser's lock after each look at what was written, and when that came.
    painted: Arc<(Condvar, Mutex<Instant>)>,
    raw: Arc<Mutex<Vec<u8>>>,
}

impl Pty {
    /// Start hookdbg with `args` in `dir`.
    pub fn start(dir: &Path, args: &[&str], env: &[(&str, &str)], (cols, rows): (u16, u16)) -> Self {
        let pty = native_pty_system().openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookdbg"));
        args.iter().for_each(|a| command.arg(a));
        command.cwd(dir);
        command.env("HOOKDBG_STATE_DIR", dir.join(".state"));
        command.env("HOOKDBG_CONFIG_DIR", dir.join(".config"));
        command.env("HOME", dir);
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("RUST_BACKTRACE", "0");
        for name in ["NO_COLOR", "HOOKDBG_TRUST", "SSH_TTY", "TMUX", "LC_ALL"] {
            command.env_remove(name);
        }
        env.iter().for_each(|(k, v)| command.env(k, v));
        let child = pty.slave.spawn_command(command).unwrap();
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().unwrap();
        let size = |n: u16| std::num::NonZero::new(n).unwrap();
        let parser = Arc::new(Mutex::new(vt100::Parser::new(size(rows), size(cols), 0)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let painted = Arc::new((Condvar::new(), Mutex::new(Instant::now())));
        let (screen, bytes, said) = (parser.clone(), raw.clone(), painted.clone());
        std::thread::spawn(move || {
            let mut buffer = vec![0; 65536];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 {
                    break;
                }
                let came = Instant::now();
                bytes.lock().unwrap().extend_from_slice(&buffer[..count]);
                let mut screen = screen.lock().unwrap();
                screen.process(&buffer[..count]);
                *said.1.lock().unwrap() = came;
                said.0.notify_all();
            }
        });
        Self { writer: pty.master.take_writer().unwrap(), master: pty.master, child, parser, painted, raw }
    }

    /// The screen as text.
    pub fn screen(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    /// Everything the program ever wrote.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.raw.lock().unwrap()).into_owned()
    }

    /// Whether the alternate screen is on.
    pub fn alternate(&self) -> bool {
        self.parser.lock().unwrap().screen().alternate_screen()
    }

    /// Send bytes as typed.
    pub fn send(&mut self, bytes: &str) {
        self.writer.write_all(bytes.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Wait until the screen satisfies `wanted`; fails after half a minute, which only a hang reaches.
    pub fn wait(&self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return screen;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "never on screen: {what}\n{screen}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// When the bytes came that made the screen satisfy `wanted`, without looking at it in between.
    pub fn came(&self, wanted: impl Fn(&str) -> bool) -> Instant {
        let screen = self.parser.lock().unwrap();
        let _seen = self.painted.0.wait_while(screen, |s| !wanted(&s.screen().contents())).unwrap();
        *self.painted.1.lock().unwrap()
    }

    /// Wait for a text.
    pub fn see(&self, text: &str) -> String {
        self.wait(text, |s| s.contains(text))
    }

    /// Change the terminal's size.
    pub fn resize(&self, cols: u16, rows: u16) {
        let size = |n: u16| std::num::NonZero::new(n).unwrap();
        // What is painted for the new size must find a screen of that size.
        let mut parser = self.parser.lock().unwrap();
        parser.screen_mut().set_size(size(rows), size(cols));
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Wait for the end; its exit code.
    pub fn ended(&mut self) -> u32 {
        self.child.wait().unwrap().exit_code()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
