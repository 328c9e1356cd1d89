//! Colours by meaning. Views name a slot, never a colour; every theme keeps the selection visible without colour.

use ratatui::style::{Color, Modifier, Style};

use crate::model::RunOutcome;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    pub name: &'static str,
    pub text: Style,
    pub dim: Style,
    /// Went well.
    pub ok: Style,
    /// Worth a look.
    pub warn: Style,
    /// Blocked or failed.
    pub err: Style,
    /// The focused pane and its keys.
    pub accent: Style,
    pub strong: Style,
    pub selection: Style,
    pub found: Style,
}

const PLAIN: Style = Style::new();

impl Theme {
    /// ANSI colours, so the terminal's own palette decides the look.
    pub const DEFAULT: Self = Self {
        name: "default",
        text: PLAIN,
        dim: PLAIN.fg(Color::DarkGray),
        ok: PLAIN.fg(Color::Green),
        warn: PLAIN.fg(Color::Yellow),
        err: PLAIN.fg(Color::Red).add_modifier(Modifier::BOLD),
        accent: PLAIN.fg(Color::Cyan),
        strong: PLAIN.add_modifier(Modifier::BOLD),
        selection: PLAIN.add_modifier(Modifier::REVERSED),
        found: PLAIN.fg(Color::Black).bg(Color::Yellow),
    };

    pub const HIGH_CONTRAST: Self = Self {
        name: "high-contrast",
        text: PLAIN.fg(Color::White),
        dim: PLAIN.fg(Color::Gray),
        ok: PLAIN.fg(Color::LightGreen).add_modifier(Modifier::BOLD),
        warn: PLAIN.fg(Color::LightYellow).add_modifier(Modifier::BOLD),
        err: PLAIN.fg(Color::LightRed).add_modifier(Modifier::BOLD),
        accent: PLAIN.fg(Color::LightCyan).add_modifier(Modifier::BOLD),
        strong: PLAIN.fg(Color::White).add_modifier(Modifier::BOLD),
        selection: PLAIN.fg(Color::Black).bg(Color::White).add_modifier(Modifier::BOLD),
        found: PLAIN.fg(Color::Black).bg(Color::LightYellow),
    };

    pub const MONO: Self = Self {
        name: "mono",
        text: PLAIN,
        dim: PLAIN.add_modifier(Modifier::DIM),
        ok: PLAIN,
        warn: PLAIN.add_modifier(Modifier::BOLD),
        err: PLAIN.add_modifier(Modifier::BOLD),
        accent: PLAIN.add_modifier(Modifier::BOLD),
        strong: PLAIN.add_modifier(Modifier::BOLD),
        selection: PLAIN.add_modifier(Modifier::REVERSED),
        found: PLAIN.add_modifier(Modifier::UNDERLINED),
    };

    pub const ALL: [Self; 3] = [Self::DEFAULT, Self::HIGH_CONTRAST, Self::MONO];

    #[must_use]
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|t| t.name == self.name).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name == name)
    }

    pub fn outcome(&self, outcome: RunOutcome) -> Style {
        match outcome {
            RunOutcome::Success => self.ok,
            RunOutcome::Blocked => self.err,
            RunOutcome::Error | RunOutcome::SpawnFailed | RunOutcome::Timeout | RunOutcome::Cancelled => self.warn,
            RunOutcome::Background => self.dim,
        }
    }
}
