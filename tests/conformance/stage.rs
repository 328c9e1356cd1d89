//! What the runners of all dialects share: loading a vector's settings and running events on them.

use hookdbg::diag::{Diagnostic, Source};
use hookdbg::dialect::registry;
use hookdbg::engine::{EngineOptions, Runner};
use hookdbg::model::HookSet;

use crate::input::Input;
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
    /// Load the files of `input`; its hooks run in the directory of `scene`.
    pub fn load(input: &Input, scene: &Scene) -> Result<Self, Vec<String>> {
        let dialect = registry::find(input.dialect).map_err(|e| vec![e])?;
        let sources: Vec<_> =
            input.files.iter().map(|(layer, text)| Source::new("vector.json", layer.as_str(), text.as_str())).collect();
        let loaded = dialect.load(&sources).map_err(|d| vec![d.message.clone()])?;
        let env = input.env.clone();
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
