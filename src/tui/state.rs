//! The parts of the app's state, one file per type. They hold and step values; what the user sees and does is elsewhere.

mod composer;
mod cursor;
mod detail_pane;
mod hook_row;
mod live_output;
mod overlay;
mod pane;
mod replay_list;
mod replay_pane;
mod switches;
mod timeline_pane;

pub use composer::{ComposeError, Composer};
pub use cursor::Cursor;
pub use detail_pane::{DetailPane, Tab};
pub use hook_row::HookRow;
pub use live_output::LiveOutput;
pub use overlay::{Choices, Overlay, PromptKind, ReplyRequest};
pub use pane::Pane;
pub use replay_list::{ReplayFilter, ReplayList, ReplayRow};
pub use replay_pane::{ReplayItem, ReplayPane, Review};
pub use switches::{OffFor, Switches};
pub use timeline_pane::TimelinePane;
