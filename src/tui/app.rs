//! The state of the screen. Everything visible is computed from it; nothing here touches the world.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::glyphs::Glyphs;
use super::keymap::Keymap;
use super::msg::Loaded;
use super::theme::Theme;
use super::widgets::Editor;
use crate::diag::{Diagnostic, Severity};
use crate::model::{FiringId, Hook, Payload, Plan, RunId, Toggles};
use crate::record::RecordedEvent;
use crate::report::{HookReport, Report, RunReport};
use crate::store::{Row, RunState, Timeline};

pub use super::panes::{
    Asks, ComposeError, Composer, Cursor, DetailPane, HookRow, Listed, Live, OffFor, Overlay, Pane, PromptKind,
    ReplayItem, ReplayPane, ReplayRow, Review, Switches, Tab, TimelinePane,
};

/// What the app begins with.
#[derive(Debug)]
pub struct Startup {
    /// Settings as read.
    pub loaded: Loaded,
    /// A file that could not be read, if any.
    pub error: Option<Diagnostic>,
    /// Payloads to start with.
    pub payloads: Vec<(Payload, RecordedEvent)>,
    /// Their file.
    pub payload_file: Option<PathBuf>,
    /// Whether this is the built-in demo.
    pub demo: bool,
    /// Keys.
    pub keymap: Keymap,
    /// Colours.
    pub theme: Theme,
    /// Signs.
    pub glyphs: Glyphs,
    /// Things to say at the start.
    pub notices: Vec<String>,
}

/// Reports kept; older firings keep their row and lose their detail.
pub const REPORTS_KEPT: usize = 500;

/// The whole state.
#[derive(Debug)]
pub struct App {
    /// Terminal size.
    pub size: (u16, u16),
    /// Colours.
    pub theme: Theme,
    /// Signs.
    pub glyphs: Glyphs,
    /// Keys.
    pub keymap: Keymap,
    /// The settings in force.
    pub loaded: Loaded,
    /// Why the files cannot be read now.
    pub load_error: Option<Diagnostic>,
    /// Counts successful loads.
    pub generation: u32,
    /// What the last load changed.
    pub change: Option<String>,
    /// Whether this is the demo.
    pub demo: bool,
    /// The focused pane.
    pub focus: Pane,
    /// Which of timeline, replay and problems the wide layout shows in the middle.
    pub middle: Pane,
    /// Hooks switched off.
    pub switches: Switches,
    /// Cursor of the hooks pane.
    pub hooks_cursor: Cursor,
    /// Tool name in the matcher playground.
    pub playground: Option<String>,
    /// The composer.
    pub composer: Composer,
    /// Firings and runs.
    pub store: Timeline,
    /// Their reports.
    pub reports: HashMap<FiringId, Arc<Report>>,
    /// Ids in `reports`, oldest first.
    pub report_order: VecDeque<FiringId>,
    /// Payloads of firings whose report is not there yet.
    pub fired: HashMap<FiringId, Payload>,
    /// Live output by firing and hook index.
    pub live: HashMap<(FiringId, usize), Live>,
    /// The timeline pane.
    pub timeline: TimelinePane,
    /// The detail pane.
    pub detail: DetailPane,
    /// The replay pane.
    pub replay: ReplayPane,
    /// Cursor of the problems pane.
    pub problems_cursor: Cursor,
    /// Pinned firings with the decision they last had.
    pub pinned: Vec<(FiringId, Payload, Option<String>)>,
    /// What lies over the panes.
    pub overlay: Option<Overlay>,
    /// A message and when it goes.
    pub toast: Option<(String, f64)>,
    /// How often Ctrl-C was pressed while hooks ran.
    pub interrupts: u8,
    /// Milliseconds since the start.
    pub now: f64,
    /// The last reply given for each hook that asks a model, by its name.
    pub replies: HashMap<String, String>,
    /// When each running firing began, in `now`.
    pub began: HashMap<FiringId, f64>,
}

impl App {
    /// The first screen.
    pub fn new(startup: Startup) -> Self {
        let items = startup.payloads.into_iter().map(ReplayItem::new).collect();
        let toast = (!startup.notices.is_empty()).then(|| (startup.notices.join("; "), f64::INFINITY));
        let mut app = Self {
            size: (80, 24),
            theme: startup.theme,
            glyphs: startup.glyphs,
            keymap: startup.keymap,
            loaded: startup.loaded,
            load_error: startup.error,
            generation: 1,
            change: None,
            demo: startup.demo,
            focus: Pane::Hooks,
            middle: Pane::Timeline,
            switches: Switches::default(),
            hooks_cursor: Cursor::default(),
            playground: None,
            composer: Composer {
                editor: Editor::new(""),
                payload: Err(ComposeError { message: String::new(), span: None }),
                findings: Vec::new(),
                plan: Plan::default(),
            },
            store: Timeline::default(),
            reports: HashMap::new(),
            report_order: VecDeque::new(),
            fired: HashMap::new(),
            live: HashMap::new(),
            timeline: TimelinePane { cursor: Cursor::default(), follow: true, zoom: 2 },
            detail: DetailPane {
                tab: Tab::Why,
                cursor: Cursor::default(),
                raw: false,
                folds: HashSet::new(),
                search: String::new(),
                mark: None,
            },
            replay: ReplayPane { file: startup.payload_file, items, ..ReplayPane::default() },
            problems_cursor: Cursor::default(),
            pinned: Vec::new(),
            overlay: None,
            toast,
            interrupts: 0,
            now: 0.0,
            replies: HashMap::new(),
            began: HashMap::new(),
        };
        app.fill_composer();
        app.select_first_hook();
        app
    }

    /// The first recorded payload, or a template of the first event that has a hook.
    fn fill_composer(&mut self) {
        let value = if let Some(item) = self.replay.items.first() {
            Value::Object(item.payload.fields.as_ref().clone())
        } else {
            let dialect = &self.loaded.dialect;
            let events = &dialect.profile().events;
            let hooked = events.iter().find(|e| self.loaded.hooks.hooks.iter().any(|h| h.event == e.name));
            hooked.or(events.first()).map_or(Value::Null, |spec| dialect.profile().template(spec))
        };
        self.compose(&value);
    }

    /// Put `value` into the composer.
    pub fn compose(&mut self, value: &Value) {
        self.composer.editor = Editor::new(&serde_json::to_string_pretty(value).unwrap_or_default());
        super::update::composer_changed(self);
    }

    /// Hooks switched off, for the plan and the engine.
    pub fn toggles(&self) -> Toggles {
        let mut toggles = Toggles::default();
        for (id, span) in &self.switches.off {
            toggles.switch_off(id, span.words());
        }
        toggles
    }

    /// The rows of the hooks pane.
    pub fn hook_rows(&self) -> Vec<HookRow> {
        let mut rows = Vec::new();
        // What is broken comes first: whoever misses a hook here looks for it.
        let broken = |d: &Diagnostic| d.severity == Severity::Error && d.place.is_some();
        rows.extend(self.problems().enumerate().filter(|(_, d)| broken(d)).map(|(i, _)| HookRow::Problem(i)));
        let hooks = &self.loaded.hooks.hooks;
        let mut events: Vec<&str> = Vec::new();
        for hook in hooks {
            if !events.contains(&hook.event.as_str()) {
                events.push(&hook.event);
            }
        }
        let known = &self.loaded.dialect.profile().events;
        events.sort_by_key(|e| known.iter().position(|k| k.name == *e).unwrap_or(usize::MAX));
        for event in events {
            rows.push(HookRow::Event(event.to_string()));
            rows.extend(hooks.iter().enumerate().filter(|(_, h)| h.event == event).map(|(i, _)| HookRow::Hook(i)));
        }
        rows
    }

    /// Put the cursor on the first hook rather than on its heading.
    pub fn select_first_hook(&mut self) {
        self.hooks_cursor.row = self.hook_rows().iter().position(|r| matches!(r, HookRow::Hook(_))).unwrap_or(0);
    }

    /// Put the cursor back on the hook with this id, wherever its row is now.
    pub fn select_hook(&mut self, id: Option<&str>) {
        let rows = self.hook_rows();
        let hooks = &self.loaded.hooks.hooks;
        let row = id.and_then(|id| rows.iter().position(|r| matches!(r, HookRow::Hook(i) if hooks[*i].id == id)));
        match row {
            Some(row) => self.hooks_cursor.row = row,
            None => self.hooks_cursor.shift(0, rows.len()),
        }
    }

    /// The hook under the cursor of the hooks pane.
    pub fn selected_hook(&self) -> Option<&Arc<Hook>> {
        match self.hook_rows().get(self.hooks_cursor.row)? {
            HookRow::Hook(index) => self.loaded.hooks.hooks.get(*index),
            HookRow::Event(_) | HookRow::Problem(_) => None,
        }
    }

    /// Everything the problems pane lists.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        self.load_error.iter().chain(&self.loaded.diagnostics)
    }

    /// The problem at `index` of [`App::problems`], without walking there.
    pub fn problem(&self, index: usize) -> Option<&Diagnostic> {
        match &self.load_error {
            Some(error) if index == 0 => Some(error),
            error => self.loaded.diagnostics.get(index - usize::from(error.is_some())),
        }
    }

    /// The problem under the cursor.
    pub fn selected_problem(&self) -> Option<&Diagnostic> {
        self.problem(self.problems_cursor.row)
    }

    /// The firing under the cursor of the timeline.
    pub fn selected_firing(&self) -> Option<FiringId> {
        self.selected_row().map(|(firing, _)| self.store.firing(firing).id)
    }

    /// The firing's index and, on a run's row, the run's number.
    pub fn selected_row(&self) -> Option<(usize, Option<usize>)> {
        match self.store.row(self.timeline.cursor.row)? {
            Row::Firing(firing) => Some((firing, None)),
            Row::Run(firing, run) => Some((firing, Some(run))),
        }
    }

    /// The plan index of the selected run.
    pub fn selected_hook_index(&self) -> Option<usize> {
        let (firing, run) = self.selected_row()?;
        Some(self.store.runs(firing).get(run?)?.index as usize)
    }

    /// The report of the selected firing.
    pub fn selected_report(&self) -> Option<&Arc<Report>> {
        self.reports.get(&self.selected_firing()?)
    }

    /// The report of the selected hook; on a firing's own row, of the hook that decided or the first that ran.
    pub fn selected_hook_report(&self) -> Option<&HookReport> {
        let report = self.selected_report()?;
        if let Some(index) = self.selected_hook_index() {
            return report.hooks.get(index);
        }
        let decider = report.verdict.as_ref().and_then(|v| v.decided_by.clone());
        let ran = || report.hooks.iter().filter(|h| h.run.is_some());
        ran().find(|h| Some(&h.label) == decider.as_ref()).or_else(|| ran().next())
    }

    /// The run behind [`App::selected_hook_report`].
    pub fn selected_run_report(&self) -> Option<&RunReport> {
        self.selected_hook_report()?.run.as_ref()
    }

    /// The running run under the cursor.
    pub fn selected_live_run(&self) -> Option<(FiringId, RunId)> {
        let (firing, run) = self.selected_row()?;
        let row = self.store.runs(firing).get(run?)?;
        let id = self.store.firing(firing).id;
        (row.state == RunState::Running)
            .then(|| self.live.get(&(id, row.index as usize))?.run.map(|r| (id, r)))
            .flatten()
    }

    /// Whether the firing still runs.
    pub fn is_running(&self, id: FiringId) -> bool {
        self.began.contains_key(&id)
    }

    /// The rows of the replay pane.
    pub fn replay_rows(&self) -> &[ReplayRow] {
        self.replay.items.rows()
    }

    /// The event under the cursor of the replay pane.
    pub fn selected_replay(&self) -> Option<usize> {
        match self.replay_rows().get(self.replay.cursor.row)? {
            ReplayRow::Event(index) => Some(*index),
            ReplayRow::Session(..) => None,
        }
    }

    /// Say `text` for a few seconds.
    pub fn say(&mut self, text: impl Into<String>) {
        self.toast = Some((text.into(), self.now + 6000.0));
    }
}
