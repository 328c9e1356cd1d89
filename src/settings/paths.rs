//! Where hookdbg keeps its own files: XDG directories, or what the environment names.

use std::path::PathBuf;

use etcetera::BaseStrategy as _;
use etcetera::base_strategy::Xdg;

/// Trust, layout and switches; none without a home directory.
pub fn state_dir() -> Option<PathBuf> {
    dir("HOOKDBG_STATE_DIR", |xdg| xdg.state_dir().unwrap_or_else(|| xdg.data_dir()))
}

/// The user's configuration; none without a home directory.
pub fn config_dir() -> Option<PathBuf> {
    dir("HOOKDBG_CONFIG_DIR", Xdg::config_dir)
}

fn dir(variable: &str, usual: impl FnOnce(&Xdg) -> PathBuf) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from);
    named.or_else(|| Some(usual(&Xdg::new().ok()?).join("hookdbg")))
}
