//! Repro bundles: everything a hook's run depended on in one archive, with secrets scrubbed.
//!
//! `bundle.json` names the dialect, the versions, the event, the settings files, the scripts, what the environment adds,
//! and what came of it. Scripts lie under `files/` as the project has them, so that the bundle runs again elsewhere.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::failure::Failure;
use crate::check::secrets::{SECRETS, scrub};
use crate::engine::Firing;
use crate::model::HostState;
use crate::record::Outcome;
use crate::settings::{Settings, SettingsFile};

/// Of the archive's layout; a newer one is refused.
const VERSION: u32 = 1;
/// Bytes read of one script.
const MAX_FILE: u64 = 1 << 20;

#[derive(Debug, Serialize, Deserialize)]
pub struct Manifest {
    hookdbg_bundle: u32,
    hookdbg: String,
    /// As `NAME@VERSION`.
    pub dialect: String,
    system: String,
    pub event: String,
    pub payload: Map<String, Value>,
    /// Facts about the host; unpacked without the directory of the machine it was written on.
    pub host: HostState,
    /// Layer, and path below `files/`.
    settings: Vec<(String, String)>,
    /// The variables hooks got in addition to the inherited ones.
    environment: BTreeMap<String, String>,
    outcome: Outcome,
    secrets_scrubbed: usize,
    patterns: Vec<String>,
}

/// Write the bundle of `firing` to `path`; returns the number of secrets that were taken out.
pub fn write(path: &Path, settings: &Settings, firing: &Firing, project: &Path) -> Result<usize, Failure> {
    let failed = Failure::cannot("write", path);
    let project = project.canonicalize().unwrap_or_else(|_| project.to_path_buf());
    let mut scrubbed = 0;
    let mut clean = |text: &str| {
        let (text, count) = scrub(text);
        scrubbed += count;
        text
    };
    let mut files: BTreeMap<String, (String, u32)> = BTreeMap::new();
    let mut listed = Vec::new();
    for (file, source) in settings.files.iter().zip(&settings.sources) {
        let place = archive_path(Path::new(&file.path), &project);
        files.insert(place.clone(), (clean(&source.text), 0o644));
        listed.push((file.layer.clone(), place));
    }
    for script in scripts(firing, &project) {
        if let Some(text) = text_of(&script) {
            files.insert(archive_path(&script, &project), (clean(&text), 0o755));
        }
    }
    let payload = clean(&Value::Object(firing.payload.fields.as_ref().clone()).to_string());
    let outcome = clean(&serde_json::to_string(&Outcome::of(firing)).unwrap_or_default());
    let environment = firing.runs.iter().filter_map(|r| r.last().invocation.as_ref()).flat_map(|i| i.env.clone());
    let environment = environment.map(|(name, value)| (name, clean(&value))).collect();
    let manifest = Manifest {
        hookdbg_bundle: VERSION,
        hookdbg: env!("CARGO_PKG_VERSION").into(),
        dialect: settings.dialect.profile().label(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        event: firing.payload.event.clone(),
        payload: serde_json::from_str(&payload).unwrap_or_default(),
        host: firing.host.as_ref().clone(),
        settings: listed,
        environment,
        outcome: serde_json::from_str(&outcome).unwrap_or_default(),
        secrets_scrubbed: scrubbed,
        patterns: SECRETS.iter().map(|(what, _)| (*what).to_string()).collect(),
    };
    let mut archive = tar::Builder::new(File::create(path).map_err(failed)?);
    let text = serde_json::to_string_pretty(&json!(manifest)).map_err(color_eyre::Report::from)?;
    add(&mut archive, "bundle.json", &text, 0o644).map_err(failed)?;
    for (place, (text, mode)) in &files {
        add(&mut archive, &format!("files/{place}"), text, *mode).map_err(failed)?;
    }
    archive.finish().map_err(failed)?;
    Ok(scrubbed)
}

fn add(archive: &mut tar::Builder<File>, name: &str, text: &str, mode: u32) -> std::io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(mode);
    archive.append_data(&mut header, name, text.as_bytes())
}

/// The scripts of the project that the commands name; files outside it stay where they are.
fn scripts(firing: &Firing, project: &Path) -> Vec<PathBuf> {
    let commands = firing.runs.iter().filter_map(|r| firing.plan.hook(r.hook).handler.command());
    commands.flat_map(|c| crate::settings::scripts(c, project)).filter(|p| p.starts_with(project)).collect()
}

fn text_of(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_FILE).read_to_string(&mut text).ok()?;
    Some(text)
}

/// `path` relative to the project; of a file elsewhere only the name.
fn archive_path(path: &Path, project: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let below = whole.strip_prefix(project).map(Path::to_path_buf);
    let below = below.unwrap_or_else(|_| PathBuf::from(path.file_name().unwrap_or_default()));
    let parts = below.components().filter_map(|c| match c {
        Component::Normal(part) => part.to_str(),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A bundle unpacked, ready to be fired again.
pub struct UnpackedBundle {
    /// Deleted when this value is dropped.
    pub dir: tempfile::TempDir,
    pub settings: Vec<SettingsFile>,
    pub manifest: Manifest,
}

/// Unpack the bundle at `path` into a directory of its own.
pub fn open(path: &Path) -> Result<UnpackedBundle, Failure> {
    let failed = Failure::cannot("read", path);
    let dir = tempfile::Builder::new().prefix("hookdbg-bundle-").tempdir()?;
    // The archive library refuses entries that climb out of the directory.
    tar::Archive::new(File::open(path).map_err(failed)?).unpack(dir.path()).map_err(failed)?;
    let Ok(text) = std::fs::read_to_string(dir.path().join("bundle.json")) else {
        return Err(Failure::input(format!("{} is no bundle of hookdbg: it has no bundle.json", path.display())));
    };
    let mut manifest: Manifest = serde_json::from_str(&text)
        .map_err(|e| Failure::input(format!("{} is no bundle of hookdbg: {e}", path.display())))?;
    if manifest.hookdbg_bundle > VERSION {
        return Err(Failure::input(format!("{} is of version {}", path.display(), manifest.hookdbg_bundle)));
    }
    let files = dir.path().join("files");
    manifest.host.project = None;
    let file = |(layer, place): &(String, String)| SettingsFile { path: files.join(place), layer: layer.clone() };
    Ok(UnpackedBundle { settings: manifest.settings.iter().map(file).collect(), manifest, dir })
}
