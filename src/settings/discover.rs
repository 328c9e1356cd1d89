//! Which files to read: those named on the command line, or the usual places of the dialects.

use std::path::{Path, PathBuf};

use crate::dialect::{Dialect, Root};

/// A file to read and the layer it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The file.
    pub path: PathBuf,
    /// Its layer.
    pub layer: String,
}

/// The layers that may be named as `LAYER=PATH`.
pub const LAYERS: [&str; 6] = ["user", "project", "local", "managed", "plugin", "agent"];

impl Wanted {
    /// From `PATH` or `LAYER=PATH`. A path that happens to hold `=` is taken whole unless a layer stands before it.
    pub fn parse(argument: &str) -> Self {
        match argument.split_once('=') {
            Some((layer, path)) if LAYERS.contains(&layer) => Self { path: path.into(), layer: layer.into() },
            _ => Self { path: argument.into(), layer: guess_layer(Path::new(argument)).into() },
        }
    }
}

fn guess_layer(path: &Path) -> &'static str {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    if name.contains(".local.") {
        "local"
    } else if path.extension().is_some_and(|e| e == "md") {
        "agent"
    } else {
        "project"
    }
}

/// The settings files that exist in the usual places of `dialect`, in layer order.
pub fn discover(dialect: &dyn Dialect, project: &Path, home: Option<&Path>) -> Vec<Wanted> {
    dialect
        .usual_places()
        .iter()
        .filter_map(|place| {
            let root = match place.root {
                Root::Project => project,
                Root::Home => home?,
            };
            let path = root.join(place.path);
            path.is_file().then(|| Wanted { path, layer: place.layer.to_string() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_taken_only_if_it_is_one() {
        let layer = |text: &str| Wanted::parse(text).layer;
        assert_eq!(layer("user=a.json"), "user");
        assert_eq!(layer("x=a.json"), "project");
        assert_eq!(Wanted::parse("x=a.json").path, Path::new("x=a.json"));
        assert_eq!(layer(".claude/settings.local.json"), "local");
        assert_eq!(layer("agents/scout.md"), "agent");
    }
}
