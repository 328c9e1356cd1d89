//! An app on a test terminal with real firings whose times are made the same every run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookdbg::dialect::registry;
use hookdbg::engine::{EngineOptions, EventSink, Request, Runner};
use hookdbg::model::{FiringId, Lifecycle, Payload};
use hookdbg::record::{RecordedEvent, open_events};
use hookdbg::report::{ParentShell, Report, firing_report_in};
use hookdbg::settings::{Settings, SettingsFile, read};
use hookdbg::tui::{App, FiredFor, Glyphs, InitialState, Key, Keymap, LoadedSettings, Msg, Theme, update, view};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

/// The demo project of a dialect, below the directory tests run in: the same text on every machine.
pub fn demo_dir(dialect: &str) -> PathBuf {
    Path::new("assets/demo").join(dialect)
}

/// A settings file as the program reads it, lints included; hooks run beside it.
pub fn load(dialect: &str, file: &Path) -> LoadedSettings {
    let files = [SettingsFile { path: file.into(), layer: "project".into() }];
    let settings = read(&files, Some(registry::find(dialect).unwrap())).unwrap();
    LoadedSettings::of(settings, file.parent().unwrap())
}

/// The same for a file of this text.
pub fn load_text(dialect: &str, text: &str) -> LoadedSettings {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("settings.json");
    std::fs::write(&file, text).unwrap();
    load(dialect, &file)
}

/// The demo of `dialect` at a size.
pub fn demo_app(dialect: &str, size: (u16, u16)) -> App {
    let dir = demo_dir(dialect);
    let file = ["settings.json", "settings.yaml"].map(|name| dir.join(name)).into_iter().find(|f| f.exists()).unwrap();
    let loaded = load(dialect, &file).for_demo();
    let payloads = open_events(&dir.join("payloads.json"), loaded.dialect.as_ref()).unwrap().events;
    App { demo: true, ..app(loaded, payloads, size) }
}

/// An app for `loaded`.
pub fn app(loaded: LoadedSettings, payloads: Vec<(Payload, RecordedEvent)>, (width, height): (u16, u16)) -> App {
    let mut app = App::new(InitialState {
        loaded,
        payload_file: (!payloads.is_empty()).then(|| "payloads.json".into()),
        payloads,
        demo: false,
        keymap: Keymap::default(),
        theme: Theme::DEFAULT,
        glyphs: Glyphs::UNICODE,
        notices: Vec::new(),
    });
    update(&mut app, Msg::Resize(width, height));
    app
}

/// Press keys by name, one after the other; effects are left undone.
pub fn press(app: &mut App, keys: &[&str]) {
    for key in keys {
        update(app, Msg::Key(Key::parse(key).unwrap_or_else(|| panic!("no key {key}"))));
    }
}

/// Type text, a key for each character.
pub fn type_text(app: &mut App, text: &str) {
    for c in text.chars() {
        let name = if c == ' ' { "space".to_string() } else { c.to_string() };
        press(app, &[&name]);
    }
}

/// Run the real hooks for `payload` as firing `id`, and feed the app what happened with fixed times.
pub fn fire(app: &mut App, dialect: &str, id: u64, payload: &Payload) {
    fire_for(app, dialect, FiringId(id), payload, FiredFor::User);
}

/// The same under a number and a fired_for.
pub fn fire_for(app: &mut App, dialect: &str, id: FiringId, payload: &Payload, fired_for: FiredFor) {
    let fired = run(app, dialect, id, payload);
    show(app, payload, fired_for, &fired);
}

/// What happened while the hooks ran, and the report of it.
pub type Fired = (FiringId, Vec<Lifecycle>, Arc<Report>);

/// Let the app know of a firing.
pub fn show(app: &mut App, payload: &Payload, fired_for: FiredFor, (id, events, report): &Fired) {
    app.pending.insert(*id, payload.clone());
    for event in events {
        update(app, Msg::Lifecycle(event.clone()));
    }
    update(app, Msg::Fired(*id, fired_for, report.clone()));
}

/// Run the real hooks for `payload`.
pub fn run(app: &App, dialect: &str, id: FiringId, payload: &Payload) -> Fired {
    let options = EngineOptions { cwd: Some(demo_dir(dialect)), ..EngineOptions::default() };
    let runner = Runner::new(app.loaded.dialect.clone(), app.loaded.hooks.as_ref().clone(), options);
    let (events, mut stream) = EventSink::channel();
    let request = Request { events, toggles: app.toggles(), ..Request::numbered(id, payload.clone()) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut firing = runtime.block_on(runner.fire(request));
    let mut clock = 0.0;
    let mut events: Vec<Lifecycle> = std::iter::from_fn(|| stream.try_recv()).collect();
    // Hooks that run together finish in any order; the pictures show them in the order of the plan.
    let kind = |e: &Lifecycle| match e {
        Lifecycle::FiringStarted { .. } => 0,
        Lifecycle::HookStarted { .. } => 1,
        Lifecycle::HookResponse { .. } => 2,
        _ => 3,
    };
    if events.iter().map(kind).filter(|k| [1, 2].contains(k)).collect::<Vec<_>>().windows(2).any(|w| w == [1, 1]) {
        events.retain(|e| !matches!(e, Lifecycle::HookProgress { .. }));
        events.sort_by_key(|e| (kind(e), e.hook().map_or(0, |h| h.index)));
    }
    for event in &mut events {
        if let Lifecycle::HookStarted { hook } | Lifecycle::HookResponse { hook, .. } = event {
            clock += 4.0;
            hook.t = clock;
        }
        if let Lifecycle::HookResponse { duration_ms, drain_ms, .. } = event {
            *drain_ms = 0.0;
            *duration_ms = 4.0;
        }
        if let Lifecycle::FiringFinished { t, .. } = event {
            *t = clock + 1.0;
        }
    }
    if let Some(executions) = firing.verdict.host.get_mut("hook_executions").and_then(|e| e.as_array_mut()) {
        executions.iter_mut().for_each(|e| e["execution_time_ms"] = 4.0.into());
    }
    firing.duration_ms = clock + 1.0;
    for record in &mut firing.runs {
        for phase in &mut record.phases {
            phase.end.duration_ms = 4.0;
        }
    }
    let settings = Settings {
        dialect: app.loaded.dialect.clone(),
        hooks: hookdbg::model::HookSet::default(),
        diagnostics: Vec::new(),
        files: app.loaded.files.clone(),
        sources: Vec::new(),
    };
    let variable = |name: &str| match name {
        "PATH" => Some("/usr/bin:/bin".to_string()),
        "HOME" => Some("/home/dev".to_string()),
        "LANG" => Some("C.UTF-8".to_string()),
        _ => None,
    };
    let shell = ParentShell { directory: Some("/home/dev/project".into()), variable: &variable };
    (id, events, Arc::new(firing_report_in(&settings, &firing, &shell)))
}

/// The recorded payload number `index`.
pub fn payload(app: &App, index: usize) -> Payload {
    app.replay.items[index].payload.clone()
}

/// The frame the app draws.
pub fn frame(app: &App) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal.draw(|f| view(app, f)).unwrap();
    terminal.backend().buffer().clone()
}

/// The frame as text.
pub fn text(app: &App) -> String {
    let buffer = frame(app);
    let width = usize::from(buffer.area.width);
    let lines: Vec<String> = buffer
        .content
        .chunks(width)
        .map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_string())
        .collect();
    lines.join("\n")
}
