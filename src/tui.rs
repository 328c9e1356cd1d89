//! The terminal UI. State, update and view are apart: `update(&mut App, Msg) -> Vec<SideEffect>` and `view(&App)` are
//! pure; the runtime owns the terminal, the engine and the watcher, and draws only when something changed.

mod app;
mod command;
mod fire_order;
mod glyphs;
mod key;
mod keymap;
mod loaded_settings;
mod msg;
mod runtime;
mod side_effect;
mod state;
mod theme;
mod update;
mod view;
mod widgets;

pub use app::{App, InitialState};
pub use command::{COMMANDS, Command, CommandSpec, Scope, disabled};
pub use fire_order::{FireOrder, FiredFor};
pub use glyphs::Glyphs;
pub use key::Key;
pub use keymap::Keymap;
pub use loaded_settings::LoadedSettings;
pub use msg::Msg;
pub use runtime::{Options, Screen, run};
pub use side_effect::SideEffect;
pub use state::{Pane, Review, Tab};
pub use theme::Theme;
pub use update::update;
pub use view::view;
