//! Which settings files to read: those named on the command line, or those in the usual places of a dialect. Without
//! a dialect, the first one whose usual places hold a file it recognises.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::read::{Settings, SettingsError, any_detected, read};
use crate::dialect::{Dialect, Root, registry};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    pub path: PathBuf,
    pub layer: String,
}

/// The layers that may be named as `LAYER=PATH`.
pub const LAYERS: [&str; 7] = ["user", "project", "local", "flag", "managed", "plugin", "agent"];

impl SettingsFile {
    /// From `PATH` or `LAYER=PATH`. A path that happens to hold `=` is taken whole unless a layer stands before it.
    pub fn parse(argument: &str) -> Self {
        match argument.split_once('=') {
            Some((layer, path)) if LAYERS.contains(&layer) => {
                Self { path: inside(layer, path.into()), layer: layer.into() }
            }
            _ => Self { path: argument.into(), layer: guess_layer(Path::new(argument)).into() },
        }
    }
}

/// A layer that a directory may or may not have, such as a plugin's, may be named by the directory.
fn inside(layer: &str, path: PathBuf) -> PathBuf {
    let hosts = registry::all();
    let mut places = hosts.iter().flat_map(|d| d.profile().places);
    let place = places.find(|p| p.layer == layer && matches!(p.root, Root::ProjectWith(_))).filter(|_| path.is_dir());
    place.map_or_else(|| path.clone(), |p| path.join(p.path))
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

/// The directories on this machine that [`Root`] stands for.
#[derive(Debug, Clone)]
pub struct Roots {
    pub project: PathBuf,
    pub home: Option<PathBuf>,
    pub system: PathBuf,
}

impl Roots {
    /// The roots of this machine; a home other than the user's may be named, and then its variables do not count.
    pub fn new(project: &Path, home: Option<&Path>) -> Self {
        Self { project: project.into(), home: home.map(Into::into), system: "/".into() }
    }

    fn resolve(&self, root: Root) -> Option<PathBuf> {
        match root {
            Root::Project => Some(self.project.clone()),
            Root::Repository => {
                let absolute = self.project.canonicalize().unwrap_or_else(|_| self.project.clone());
                let top = absolute.ancestors().find(|d| d.join(".git").exists());
                // A project at the top keeps the path the user gave.
                Some(top.filter(|t| **t != absolute).map_or_else(|| self.project.clone(), Into::into))
            }
            Root::ProjectWith(marker) => self.project.join(marker).is_file().then(|| self.project.clone()),
            Root::Home => self.home.clone(),
            Root::Config(variable, below) => {
                let own = std::env::var_os("HOME").map(PathBuf::from) == self.home;
                let named = std::env::var_os(variable).filter(|v| own && !v.is_empty()).map(PathBuf::from);
                named.or_else(|| Some(self.home.as_ref()?.join(below)))
            }
            Root::System => Some(self.system.clone()),
        }
    }
}

/// Every usual place of `dialect` with its layer, whether a file is there or not.
pub fn places(dialect: &dyn Dialect, roots: &Roots) -> Vec<(&'static str, PathBuf)> {
    let resolved = |p: &crate::dialect::SettingsPlace| Some((p.layer, roots.resolve(p.root)?.join(p.path)));
    dialect.profile().places.iter().filter_map(resolved).collect()
}

/// The settings files that exist in the usual places of `dialect`, in layer order.
pub fn discover(dialect: &dyn Dialect, roots: &Roots) -> Vec<SettingsFile> {
    let mut found = Vec::new();
    for (layer, path) in places(dialect, roots) {
        let files = match path.parent().filter(|_| path.ends_with("*.json")) {
            Some(dir) => json_files(dir),
            None => Some(path).filter(|p| p.is_file()).into_iter().collect(),
        };
        found.extend(files.into_iter().map(|path| SettingsFile { path, layer: layer.to_string() }));
    }
    found
}

/// The project of a settings file that lies in the directory some host keeps in projects.
pub fn project_of(file: &Path) -> Option<PathBuf> {
    let dir = file.parent()?;
    let hosts = registry::all();
    let places = hosts.iter().flat_map(|d| d.profile().places);
    let own = places.filter(|p| matches!(p.root, Root::Project | Root::Repository)).map(|p| Path::new(p.path));
    let depth =
        own.filter_map(Path::parent).find(|own| *own != Path::new("") && dir.ends_with(own))?.components().count();
    dir.ancestors().nth(depth).filter(|project| *project != Path::new("")).map(Into::into)
}

fn json_files(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok).map(|e| e.path());
    let shown = |p: &PathBuf| p.file_name().and_then(|n| n.to_str()).is_some_and(|n| !n.starts_with('.'));
    let mut files: Vec<_> =
        entries.filter(|p| p.extension().is_some_and(|e| e == "json") && shown(p) && p.is_file()).collect();
    files.sort();
    files
}

/// The settings of `project` and `home`, if there are any. Files of the project count more than those of the user: a
/// project for one host is not hidden by the settings the user has for another.
pub fn find(
    dialect: Option<Arc<dyn Dialect>>,
    project: &Path,
    home: Option<&Path>,
) -> Result<Option<(Vec<SettingsFile>, Settings)>, SettingsError> {
    let roots = Roots::new(project, home);
    let named = dialect.is_some();
    let hosts = dialect.map_or_else(registry::all, |dialect| vec![dialect]);
    let hosts: Vec<_> = hosts.into_iter().map(|host| (discover(host.as_ref(), &roots), host)).collect();
    let of_project = |w: &&SettingsFile| !["user", "user legacy", "managed"].contains(&w.layer.as_str());
    // Hosts share places; a file counts for the one whose form it has.
    let chosen = hosts
        .iter()
        .find(|(files, _)| named && !files.is_empty())
        .or_else(|| hosts.iter().find(|(files, host)| any_detected(files.iter().filter(of_project), host.as_ref())))
        .or_else(|| hosts.iter().find(|(files, host)| any_detected(files.iter(), host.as_ref())))
        // Files nobody recognises are broken or hold no hooks; either is worth saying.
        .or_else(|| hosts.iter().find(|(files, _)| files.iter().any(|w| of_project(&w))));
    let Some((files, host)) = chosen else { return Ok(None) };
    Ok(Some((files.clone(), read(files, Some(host.clone()))?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_is_taken_only_if_it_is_one() {
        let layer = |text: &str| SettingsFile::parse(text).layer;
        assert_eq!(layer("user=a.json"), "user");
        assert_eq!(layer("x=a.json"), "project");
        assert_eq!(SettingsFile::parse("x=a.json").path, Path::new("x=a.json"));
        assert_eq!(layer(".claude/settings.local.json"), "local");
        assert_eq!(layer("agents/scout.md"), "agent");
    }

    #[test]
    fn a_settings_file_belongs_to_the_project_around_its_directory() {
        let project = |file: &str| project_of(Path::new(file));
        assert_eq!(project("app/.claude/settings.local.json"), Some("app".into()));
        assert_eq!(project("/x/.goat/hooks.json"), Some("/x".into()));
        for elsewhere in [".claude/settings.json", "app/hooks/hooks.json", "settings.json", "/settings.json"] {
            assert_eq!(project(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn every_layer_is_found_in_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        };
        for path in [
            "home/.claude/settings.json",
            "repo/.git/HEAD",
            "repo/.claude/settings.local.json",
            "repo/app/.claude/settings.json",
            "repo/app/.claude-plugin/plugin.json",
            "repo/app/hooks/hooks.json",
            "etc/claude-code/managed-settings.json",
            "etc/claude-code/managed-settings.d/20-b.json",
            "etc/claude-code/managed-settings.d/10-a.json",
            "etc/claude-code/managed-settings.d/.hidden.json",
        ] {
            write(path);
        }
        let roots = Roots {
            project: dir.path().join("repo/app"),
            home: Some(dir.path().join("home")),
            system: dir.path().into(),
        };
        let claude = crate::dialect::registry::find("claude").unwrap();
        let found = discover(claude.as_ref(), &roots);
        let named: Vec<_> =
            found.iter().map(|w| (w.layer.as_str(), w.path.file_name().unwrap().to_str().unwrap())).collect();
        let managed = |name| ("managed", name);
        assert_eq!(
            named,
            [
                ("user", "settings.json"),
                ("project", "settings.json"),
                ("local", "settings.local.json"),
                managed("managed-settings.json"),
                managed("10-a.json"),
                managed("20-b.json"),
                ("plugin", "hooks.json")
            ]
        );
    }
}
