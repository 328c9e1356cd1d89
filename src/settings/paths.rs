//! Where hookdbg keeps its own files: XDG directories, or what the environment names.

use std::path::PathBuf;

use etcetera::BaseStrategy as _;
use etcetera::base_strategy::Xdg;

/// Trust, layout and switches; none without a home directory.
pub fn state_dir() -> Option<PathBuf> {
    if let Some(dir) = std::env::var_os("HOOKDBG_STATE_DIR") {
        return Some(dir.into());
    }
    let strategy = Xdg::new().ok()?;
    Some(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("hookdbg"))
}

/// The user's configuration; none without a home directory.
pub fn config_dir() -> Option<PathBuf> {
    if let Some(dir) = std::env::var_os("HOOKDBG_CONFIG_DIR") {
        return Some(dir.into());
    }
    Some(Xdg::new().ok()?.config_dir().join("hookdbg"))
}
