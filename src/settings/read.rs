//! Reads settings files and hands them to their dialect. What cannot be read is said with its position.

use std::fs;
use std::io::Read as _;
use std::sync::Arc;

use serde::Serialize;

use super::discover::SettingsFile;
use crate::diag::{Diagnostic, Source, Span, render};
use crate::dialect::{Dialect, registry};
use crate::model::HookSet;
use crate::model::doc::{JsonRules, parse_json, parse_yaml};

/// No settings file is larger than this; what is, is no settings file.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileStatus {
    /// The file as the user named it.
    pub path: String,
    pub layer: String,
    pub read: bool,
    pub why: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Settings {
    pub dialect: Arc<dyn Dialect>,
    pub hooks: HookSet,
    pub diagnostics: Vec<Diagnostic>,
    pub files: Vec<FileStatus>,
    /// Their texts, for excerpts.
    pub sources: Vec<Source>,
}

/// Why there are no settings to work with.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A file cannot be read, or not as a document.
    #[error("{}", render(.0))]
    File(Box<Diagnostic>),
    /// The dialect is unknown or cannot be told.
    #[error("{0}")]
    Dialect(String),
}

/// Read `files` under `dialect`, or under the one that recognises a file.
pub fn read(files: &[SettingsFile], dialect: Option<Arc<dyn Dialect>>) -> Result<Settings, SettingsError> {
    let sources = files.iter().map(source).collect::<Result<Vec<_>, _>>().map_err(SettingsError::File)?;
    let Some(dialect) = dialect.or_else(|| registry::detect(&sources)) else {
        return Err(undetected(&sources));
    };
    let loaded = dialect.load(&sources).map_err(SettingsError::File)?;
    let files = files.iter().map(|w| FileStatus {
        path: w.path.display().to_string(),
        layer: w.layer.clone(),
        read: true,
        why: None,
    });
    Ok(Settings { dialect, hooks: loaded.hooks, diagnostics: loaded.diagnostics, files: files.collect(), sources })
}

/// Whether `dialect` recognises one of the files.
pub fn any_detected<'f>(mut files: impl Iterator<Item = &'f SettingsFile>, dialect: &dyn Dialect) -> bool {
    files.any(|w| source(w).is_ok_and(|s| dialect.detects(&s)))
}

/// A file that is broken gets its syntax error; one that is merely unfamiliar gets the list of dialects.
fn undetected(sources: &[Source]) -> SettingsError {
    for source in sources {
        let yaml = [".yaml", ".yml"].iter().any(|end| source.path.ends_with(end));
        let error = if yaml { parse_yaml(source).err() } else { parse_json(&source.text, JsonRules::Comments).err() };
        if let Some(error) = error {
            let (id, syntax) = if yaml { ("invalid-yaml", "YAML") } else { ("invalid-json", "JSON") };
            let diagnostic = Diagnostic::error(id, format!("not valid {syntax}: {error}")).at(source, error.span);
            return SettingsError::File(Box::new(diagnostic));
        }
    }
    let names = registry::all().iter().map(|d| d.profile().name).collect::<Vec<_>>().join(", ");
    let files = sources.iter().map(|s| s.path.as_ref()).collect::<Vec<_>>().join(", ");
    SettingsError::Dialect(format!("cannot tell which host {files} is written for; name it with --dialect ({names})"))
}

fn source(file: &SettingsFile) -> Result<Source, Box<Diagnostic>> {
    let path = file.path.display().to_string();
    let unreadable = |why: String| Box::new(Diagnostic::error("unreadable-file", format!("cannot read {path}: {why}")));
    let mut bytes = Vec::new();
    let open = fs::File::open(&file.path).map_err(|e| unreadable(e.to_string()))?;
    open.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| unreadable(e.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unreadable("it is larger than 64 MiB, which no settings file is".into()));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(path.as_str(), file.layer.as_str(), text.trim_start_matches('\u{feff}'))),
        Err(e) => {
            let at = e.utf8_error().valid_up_to();
            let source = Source::new(path.as_str(), file.layer.as_str(), String::from_utf8_lossy(e.as_bytes()));
            let byte = e.as_bytes()[at];
            let message = format!("not UTF-8 text: byte {at} is 0x{byte:02x}");
            Err(Box::new(Diagnostic::error("not-utf8", message).at(&source, Span::new(at, at + 1))))
        }
    }
}
