//! The state of the UI. Everything visible is computed from it; nothing here does input or output.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::glyphs::Glyphs;
use super::keymap::Keymap;
use super::loaded_settings::LoadedSettings;
use super::side_effect::SideEffect;
use super::state::{
    ComposeError, Composer, Cursor, DetailPane, HookRow, LiveOutput, Overlay, Pane, ReplayItem, ReplayPane, ReplayRow,
    ReplyRequest, Switches, TimelinePane,
};
use super::theme::Theme;
use super::widgets::Editor;
use crate::diag::{Diagnostic, Severity};
use crate::model::{FiringId, Hook, HookId, Payload, Plan, RunId, Toggles};
use crate::record::RecordedEvent;
use crate::report::{HookReport, Report, RunReport};
use crate::store::{Row, RunState, Timeline};

#[derive(Debug)]
pub struct InitialState {
    pub loaded: LoadedSettings,
    /// Payloads for the replay pane; the composer starts with the first.
    pub payloads: Vec<(Payload, RecordedEvent)>,
    pub payload_file: Option<PathBuf>,
    pub demo: bool,
    pub keymap: Keymap,
    /// Chosen by `--theme`, or without colors by `--plain` and `NO_COLOR`.
    pub theme: Theme,
    /// Unicode, or ASCII where the locale or the user wants it.
    pub glyphs: Glyphs,
    /// Messages for the footer that stay until the first key.
    pub notices: Vec<String>,
}

/// How many reports are kept; older firings keep their row and lose their details.
pub const REPORTS_KEPT: usize = 500;

/// The state of the UI. Times are milliseconds since the start.
#[derive(Debug)]
pub struct App {
    pub size: (u16, u16),
    pub theme: Theme,
    pub glyphs: Glyphs,
    pub keymap: Keymap,
    /// The settings in force: the last ones that could be read.
    pub loaded: LoadedSettings,
    /// Why the files can't be read now; absent if they can.
    pub load_error: Option<Diagnostic>,
    /// Successful reloads since the start.
    pub reloads: u32,
    /// What the last reload changed; absent before the first.
    pub change: Option<String>,
    pub demo: bool,
    pub focus: Pane,
    /// The pane in the main column of the wide layout: timeline, replay or problems.
    pub main_pane: Pane,
    pub switches: Switches,
    pub hooks_cursor: Cursor,
    /// The tool name all matchers are tried with; absent while the playground is closed.
    pub playground: Option<String>,
    pub composer: Composer,
    pub store: Timeline,
    pub reports: HashMap<FiringId, Arc<Report>>,
    /// The keys of `reports`, oldest first.
    pub report_order: VecDeque<FiringId>,
    /// Payloads of firings that have no report yet.
    pub pending: HashMap<FiringId, Payload>,
    /// Output of runs in progress, by firing and hook index.
    pub live: HashMap<(FiringId, usize), LiveOutput>,
    pub timeline: TimelinePane,
    pub detail: DetailPane,
    pub replay: ReplayPane,
    pub problems_cursor: Cursor,
    /// Firings repeated on every save, with their payload and latest decision.
    pub pinned: Vec<(FiringId, Payload, Option<String>)>,
    /// What lies over the panes and gets their keys.
    pub overlay: Option<Overlay>,
    /// The message in the footer and when it disappears; an infinite time means at the next key.
    pub toast: Option<(String, f64)>,
    /// How often Ctrl-C was pressed since hooks started to run.
    pub interrupts: u8,
    /// The current time, set by every tick.
    pub now: f64,
    /// The last reply given for each hook that asks a model, by the hook's name.
    pub replies: HashMap<String, String>,
    pub running_since: HashMap<FiringId, f64>,
    /// What the message under way asks of the runtime; `update` hands it over.
    pub effects: Vec<SideEffect>,
}

impl App {
    pub fn new(initial: InitialState) -> Self {
        let toast = (!initial.notices.is_empty()).then(|| (initial.notices.join("; "), f64::INFINITY));
        let mut app = Self {
            size: (80, 24),
            theme: initial.theme,
            glyphs: initial.glyphs,
            keymap: initial.keymap,
            loaded: initial.loaded,
            load_error: None,
            reloads: 0,
            change: None,
            demo: initial.demo,
            focus: Pane::Hooks,
            main_pane: Pane::Timeline,
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
            pending: HashMap::new(),
            live: HashMap::new(),
            timeline: TimelinePane { cursor: Cursor::default(), follow: true, zoom: 2 },
            detail: DetailPane::default(),
            replay: ReplayPane {
                file: initial.payload_file,
                items: initial.payloads.into_iter().map(ReplayItem::new).collect(),
                ..ReplayPane::default()
            },
            problems_cursor: Cursor::default(),
            pinned: Vec::new(),
            overlay: None,
            toast,
            interrupts: 0,
            now: 0.0,
            replies: HashMap::new(),
            running_since: HashMap::new(),
            effects: Vec::new(),
        };
        app.fill_composer();
        // The first hook rather than its heading.
        app.hooks_cursor.row = app.hook_rows().iter().position(|r| matches!(r, HookRow::Hook(_))).unwrap_or(0);
        app
    }

    /// Start with the first recorded payload, or with a template of the first event that has a hook.
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

    pub fn compose(&mut self, value: &Value) {
        self.edit(&serde_json::to_string_pretty(value).unwrap_or_default());
    }

    pub fn edit(&mut self, text: &str) {
        self.composer.editor = Editor::new(text);
        super::update::composer_changed(self);
    }

    /// What the user begins with when asked for a reply: the last one, else an example.
    pub fn first_reply(&self, request: &ReplyRequest) -> String {
        self.replies.get(&request.hook).cloned().unwrap_or_else(|| request.example().into())
    }

    pub fn toggles(&self) -> Toggles {
        let mut toggles = Toggles::default();
        for (id, span) in &self.switches.off {
            toggles.switch_off(id.clone(), span.words());
        }
        toggles
    }

    /// The rows of the hooks pane, events in the order of the host's own list.
    pub fn hook_rows(&self) -> Vec<HookRow> {
        let mut rows = Vec::new();
        // Broken entries come first: someone who misses a hook looks for it here.
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

    pub fn go_to(&mut self, pane: Pane) {
        self.focus = pane;
        if pane.is_main() {
            self.main_pane = pane;
        }
    }

    /// Put the cursor back on the hook with this id, wherever its row is now.
    pub fn select_hook(&mut self, id: Option<&HookId>) {
        let rows = self.hook_rows();
        let hooks = &self.loaded.hooks.hooks;
        let row = id.and_then(|id| rows.iter().position(|r| matches!(r, HookRow::Hook(i) if hooks[*i].id == *id)));
        match row {
            Some(row) => self.hooks_cursor.row = row,
            None => self.hooks_cursor.shift(0, rows.len()),
        }
    }

    pub fn selected_hook(&self) -> Option<&Arc<Hook>> {
        match self.hook_rows().get(self.hooks_cursor.row)? {
            HookRow::Hook(index) => self.loaded.hooks.hooks.get(*index),
            HookRow::Event(_) | HookRow::Problem(_) => None,
        }
    }

    /// Everything the problems pane lists; an unreadable file comes first.
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

    pub fn selected_problem(&self) -> Option<&Diagnostic> {
        self.problem(self.problems_cursor.row)
    }

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

    /// The report of the selected firing; absent while it runs, and when it is no longer kept.
    pub fn selected_report(&self) -> Option<&Arc<Report>> {
        self.reports.get(&self.selected_firing()?)
    }

    /// The report of the selected hook; on a firing's own row, of the hook that decided or the first that ran.
    pub fn selected_hook_report(&self) -> Option<&HookReport> {
        let report = self.selected_report()?;
        if let Some(index) = self.selected_hook_index() {
            return report.hooks.get(index);
        }
        let decider = report.verdict.as_ref().and_then(|v| v.decided_by.as_ref());
        let decider = decider.and_then(|d| report.hooks.get(d.hook));
        decider.or_else(|| report.hooks.iter().find(|h| h.run.is_some()))
    }

    pub fn selected_run_report(&self) -> Option<&RunReport> {
        self.selected_hook_report()?.run.as_ref()
    }

    /// The run under the cursor of the timeline, if it can still be killed.
    pub fn selected_live_run(&self) -> Option<(FiringId, RunId)> {
        let (firing, run) = self.selected_row()?;
        let row = self.store.runs(firing).get(run?)?;
        let id = self.store.firing(firing).id;
        (row.state == RunState::Running)
            .then(|| self.live.get(&(id, row.index as usize))?.run.map(|r| (id, r)))
            .flatten()
    }

    pub fn is_running(&self, id: FiringId) -> bool {
        self.running_since.contains_key(&id)
    }

    pub fn selected_replay(&self) -> Option<usize> {
        match self.replay.items.rows().get(self.replay.cursor.row)? {
            ReplayRow::Event(index) => Some(*index),
            ReplayRow::Session(..) => None,
        }
    }

    /// Show `text` in the footer for a few seconds.
    pub fn say(&mut self, text: impl Into<String>) {
        self.toast = Some((text.into(), self.now + 6000.0));
    }
}
