//! Colours by meaning. Every coloured word says the same without its colour.

use anstyle::{AnsiColor, Style};

/// What a piece of text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Good,
    /// Blocked or failed.
    Bad,
    /// Worth a look.
    Warn,
    /// Secondary.
    Dim,
    /// A heading.
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
