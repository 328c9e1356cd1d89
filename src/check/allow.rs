//! Lints a user does not want to hear of, by id, in hookdbg's own configuration: the settings file stays as it is.
//!
//! ```toml
//! [check]
//! allow = ["relative-script", "broad-matcher@lint.sh"]
//! ```

use std::path::Path;

use serde::Deserialize;

use super::lints::{LINTS, spec};
use crate::diag::Diagnostic;
use crate::model::did_you_mean;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    check: CheckTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CheckTable {
    allow: Vec<String>,
}

#[derive(Debug, Default)]
pub struct AllowList(Vec<String>);

impl AllowList {
    /// From the files that exist; a name that is no lint is said.
    pub fn read(files: &[&Path]) -> Result<Self, String> {
        let mut allow = Vec::new();
        for file in files {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            let config: Config = toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?;
            for entry in config.check.allow {
                let id = entry.split('@').next().unwrap_or_default();
                if spec(id).is_none() {
                    let hint = did_you_mean(id, LINTS.iter().map(|l| l.id));
                    return Err(format!("{}: no lint is called `{id}`{hint}", file.display()));
                }
                allow.push(entry);
            }
        }
        Ok(Self(allow))
    }

    /// Whether `diagnostic` is not to be shown; `id@text` silences only where the line has the text.
    pub fn covers(&self, diagnostic: &Diagnostic) -> bool {
        self.0.iter().any(|entry| match entry.split_once('@') {
            None => entry == diagnostic.id,
            Some((id, text)) => {
                let line = diagnostic.excerpt.as_ref().map_or("", |e| e.text.as_str());
                id == diagnostic.id && (line.contains(text) || diagnostic.message.contains(text))
            }
        })
    }
}
