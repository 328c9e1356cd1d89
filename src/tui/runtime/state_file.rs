//! What should be there next time: pane, theme, filter, and hooks switched off for a project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::model::HookId;
use crate::settings::state_dir;
use crate::tui::app::App;
use crate::tui::state::{OffFor, Pane};
use crate::tui::theme::Theme;

/// The file and the project it is asked about.
pub struct StateFile {
    file: Option<PathBuf>,
    project: String,
}

impl StateFile {
    /// For the project that `settings` belong to.
    pub fn new(settings: &Path) -> Self {
        let project = fs::canonicalize(settings).unwrap_or_else(|_| settings.to_path_buf());
        Self { file: state_dir().map(|d| d.join("state.json")), project: project.display().to_string() }
    }

    fn read(&self) -> Value {
        let text = self.file.as_ref().and_then(|f| fs::read(f).ok()).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_else(|_| json!({}))
    }

    pub fn restore(&self, app: &mut App) {
        let state = self.read();
        if let Some(theme) =
            state["theme"].as_str().and_then(Theme::find).filter(|_| app.theme.name != Theme::MONO.name)
        {
            app.theme = theme;
        }
        if let Some(pane) = Pane::ALL.into_iter().find(|p| state["pane"] == p.title()) {
            app.go_to(pane);
        }
        app.store.set_filter(state["filter"].as_str().unwrap_or_default());
        for id in state["off"][&self.project].as_array().into_iter().flatten().filter_map(Value::as_str) {
            app.switches.off.insert(id.into(), OffFor::ThisProject);
        }
        crate::tui::update::composer_changed(app);
    }

    /// Keep it; other projects' parts stay.
    pub fn save(&self, app: &App) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut state = self.read();
        let off: Vec<&HookId> =
            app.switches.off.iter().filter(|(_, o)| **o == OffFor::ThisProject).map(|(id, _)| id).collect();
        state["theme"] = app.theme.name.into();
        state["pane"] = app.focus.title().into();
        state["filter"] = app.store.filter().into();
        state["off"][&self.project] = json!(off);
        if let Some(dir) = file.parent() {
            fs::create_dir_all(dir)?;
        }
        // Written beside and moved over, so that a crash leaves the old state, not half of a new one.
        let beside = file.with_extension("json.new");
        fs::write(&beside, serde_json::to_vec_pretty(&state)?)?;
        fs::rename(beside, file)
    }
}
