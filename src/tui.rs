//! The terminal UI. State, update and view are apart: `update(&mut App, Msg) -> Vec<Effect>` and `view(&App)` are
//! pure; the runtime owns the terminal, the engine and the watcher, and draws only when something changed.

mod app;
mod command;
mod glyphs;
mod keymap;
mod keys;
mod msg;
mod panes;
mod replay_list;
mod runtime;
mod theme;
mod update;
mod view;
mod widgets;

pub use app::{App, Pane, Review, Startup, Tab};
pub use command::{COMMANDS, Command, CommandSpec, Scope};
pub use glyphs::Glyphs;
pub use keymap::{Keymap, KeymapProblem};
pub use keys::{Code, Key};
pub use msg::{Effect, FireOrder, Loaded, Msg, Purpose};
pub use runtime::{Options, Screen, run};
pub use theme::Theme;
pub use update::update;
pub use view::view;
