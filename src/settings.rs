//! Settings files: finding them, reading them, watching them, and the trust a user gave to what they run.

mod demo;
mod discover;
mod paths;
mod read;
mod trust;
mod watch;

pub use demo::{Demo, write_project};
pub use discover::{Roots, SettingsFile, find, places, project_of};
pub use paths::{config_dir, state_dir};
pub use read::{FileStatus, Settings, SettingsError, read};
pub use trust::{ConsentItem, TrustStore, expand_project, expand_variable, scripts};
pub use watch::{Watch, WatchEvent};
