//! The panes of the screen and their titles.

/// The panes, in the order Tab visits them; their numbers on screen start at 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pane {
    Hooks,
    /// The payload to fire next, and its plan.
    Composer,
    Timeline,
    /// The selected firing or run in tabs.
    Detail,
    Replay,
    Problems,
}

impl Pane {
    pub const ALL: [Self; 6] =
        [Self::Hooks, Self::Composer, Self::Timeline, Self::Detail, Self::Replay, Self::Problems];

    /// The word on the border; the state file stores it too.
    pub fn title(self) -> &'static str {
        match self {
            Self::Hooks => "Hooks",
            Self::Composer => "Composer",
            Self::Timeline => "Timeline",
            Self::Detail => "Detail",
            Self::Replay => "Replay",
            Self::Problems => "Problems",
        }
    }

    /// Whether the wide layout shows this pane in its main column, where only one of them has room.
    pub fn is_main(self) -> bool {
        matches!(self, Self::Timeline | Self::Replay | Self::Problems)
    }
}
