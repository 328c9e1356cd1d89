//! Colours by meaning. Every coloured word says the same without its colour.

use anstyle::{AnsiColor, Style};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Good,
    /// Blocked or failed.
    Bad,
    /// Worth a look.
    Warn,
    /// Secondary.
    Dim,
    Strong,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Painter {
    Colour,
    Plain,
}

impl Painter {
    pub fn paint(self, paint: Paint, text: &str) -> String {
        if self == Self::Plain || text.is_empty() {
            return text.to_string();
        }
        let style = match paint {
            Paint::Good => AnsiColor::Green.on_default(),
            Paint::Bad => AnsiColor::Red.on_default().bold(),
            Paint::Warn => AnsiColor::Yellow.on_default(),
            Paint::Dim => Style::new().dimmed(),
            Paint::Strong => Style::new().bold(),
        };
        format!("{style}{text}{style:#}")
    }
}

/// Lines of text, some of them painted.
pub struct Page {
    pub text: String,
    painter: Painter,
}

impl Page {
    pub fn new(painter: Painter) -> Self {
        Self { text: String::new(), painter }
    }

    pub fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub fn painted(&mut self, indent: &str, paint: Paint, text: &str) {
        self.line(&format!("{indent}{}", self.painter.paint(paint, text)));
    }

    /// A painted label, and plain text after it.
    pub fn labelled(&mut self, indent: &str, paint: Paint, label: &str, text: &str) {
        self.line(&format!("{indent}{} {text}", self.painter.paint(paint, label)));
    }
}
