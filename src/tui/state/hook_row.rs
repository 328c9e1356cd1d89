//! One row of the hooks pane.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookRow {
    Event(String),
    /// A hook, by its index in the loaded set.
    Hook(usize),
    /// An entry that was not loaded, by its index among the problems.
    Problem(usize),
}
