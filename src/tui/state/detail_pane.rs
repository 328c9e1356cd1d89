//! The detail pane: its tabs, cursor, folds and search. What a tab shows is made by the view.

use std::collections::HashSet;

use super::Cursor;
use crate::model::FiringId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    #[default]
    Why,
    Stdin,
    Stdout,
    Stderr,
    Answer,
    Merged,
    Env,
    Diff,
}

impl Tab {
    pub const ALL: [Self; 8] =
        [Self::Why, Self::Stdin, Self::Stdout, Self::Stderr, Self::Answer, Self::Merged, Self::Env, Self::Diff];

    pub fn title(self) -> &'static str {
        match self {
            Self::Why => "Why",
            Self::Stdin => "Stdin",
            Self::Stdout => "Stdout",
            Self::Stderr => "Stderr",
            Self::Answer => "Answer",
            Self::Merged => "Merged",
            Self::Env => "Env",
            Self::Diff => "Diff",
        }
    }
}

#[derive(Debug, Default)]
pub struct DetailPane {
    pub tab: Tab,
    pub cursor: Cursor,
    /// Whether stdin is shown as its exact text instead of a tree.
    pub raw: bool,
    pub folds: HashSet<String>,
    /// The text searched for; empty when nothing is.
    pub search: String,
    /// The firing the Diff tab compares with; without one it takes the previous firing of the same event.
    pub mark: Option<FiringId>,
}
