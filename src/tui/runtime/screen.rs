//! The terminal: entered, left, and restored whatever happens.

use std::io::{self, Stdout, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Size;
use ratatui::{Frame, Terminal};
use tokio::sync::mpsc;

use crate::tui::msg::Msg;

/// Whether the terminal is ours now; the panic hook has to know.
static OURS: AtomicBool = AtomicBool::new(false);

#[derive(Debug)]
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    mouse: bool,
}

impl Screen {
    /// Take the terminal. A panic on this thread gives it back first; one on another thread becomes a message.
    pub fn enter(mouse: bool, outbox: mpsc::UnboundedSender<Msg>) -> io::Result<Self> {
        // The mono theme carries NO_COLOR; the library's own reading of it would lose reverse video too.
        crossterm::style::force_color_output(true);
        let main = std::thread::current().id();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == main {
                restore();
                before(panic);
            } else if OURS.load(Ordering::SeqCst) {
                let _ =
                    outbox.send(Msg::Notice(format!("internal error in the background: {panic}").replace('\n', " ")));
            } else {
                before(panic);
            }
        }));
        take(mouse)?;
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(stdout()))?, mouse })
    }

    /// Draw one frame, as one update where the terminal knows that.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        execute!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(draw)?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }

    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Give it away for a while.
    pub fn leave() {
        restore();
    }

    /// Take it back and paint everything anew.
    pub fn resume(&mut self) -> io::Result<()> {
        take(self.mouse)?;
        execute!(stdout(), Clear(ClearType::All))?;
        // A fresh one knows nothing of what was on the screen, so it paints every cell; clearing the old one would ask
        // the terminal where its cursor is, and read the answer from the user's keys.
        self.terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn take(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    OURS.store(true, Ordering::SeqCst);
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
    if mouse {
        execute!(stdout(), EnableMouseCapture)?;
    }
    Ok(())
}

/// Everything back as it was; harmless when it already is.
fn restore() {
    if OURS.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
    }
}
