//! What the runners of all dialects share: loading a vector's settings and running events on them.

use hookdbg::diag::{Diagnostic, Source};
use hookdbg::dialect::registry;
use hookdbg::engine::{EngineOptions, Runner};
use hookdbg::model::HookSet;
use serde_json::Value;

use crate::scene::Scene;

/// A loaded vector, ready to run.
pub struct Stage {
    /// The runner.
    pub runner: Runner,
    /// The hooks as loaded.
    pub hooks: HookSet,
    /// Findings of loading.
    pub diagnostics: Vec<Diagnostic>,
}

impl Stage {
    /// Load `files` (layer, text) under `dialect` for `scene`.
    pub fn load(dialect: &str, files: &[(&str, String)], scene: &Scene, vector: &Value) -> Result<Self, Vec<String>> {
        let dialect = registry::find(dialect).map_err(|e| vec![e])?;
        let sources: Vec<_> =
            files.iter().map(|(layer, text)| Source::new("vector.json", *layer, text.as_str())).collect();
        let loaded = dialect.load(&sources).map_err(|d| vec![d.message.clone()])?;
        let env = vector["env"].as_object().into_iter().flatten();
        let env = env.map(|(k, v)| (k.clone(), v.as_str().expect("a text variable").to_string())).collect();
        let options =
            EngineOptions { cwd: Some(scene.path()), env, capture_bytes: 64 << 20, ..EngineOptions::default() };
        let runner = Runner::new(dialect, loaded.hooks.clone(), options);
        Ok(Self { runner, hooks: loaded.hooks, diagnostics: loaded.diagnostics })
    }

    /// The messages of all findings.
    pub fn findings(&self) -> Vec<String> {
        self.diagnostics.iter().map(|d| d.message.clone()).collect()
    }
}
