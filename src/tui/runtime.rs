//! The edge: terminal, engine, watcher, editor, clipboard. Turns what happens into messages, and effects into deeds.

mod clipboard;
mod editor;
mod firing_tasks;
mod screen;
mod settings_watcher;
mod startup;
mod state_file;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossterm::event::{Event, EventStream, MouseButton, MouseEventKind};
use futures_util::StreamExt as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::app::App;
use super::key::Key;
use super::msg::Msg;
use super::side_effect::SideEffect;
use super::update::update;
use super::view::view;
use firing_tasks::FiringTasks;
pub use screen::Screen;
use settings_watcher::SettingsWatcher;

#[derive(Debug, Clone)]
pub struct Options {
    pub settings: Vec<String>,
    pub dialect: Option<String>,
    /// Project to look for settings in.
    pub project: PathBuf,
    /// Home to look for settings in.
    pub home: Option<PathBuf>,
    pub cwd: Option<PathBuf>,
    pub theme: Option<String>,
    pub plain: bool,
    /// ASCII symbols only.
    pub ascii: bool,
    pub no_mouse: bool,
    pub log_file: Option<PathBuf>,
}

const FRAME: Duration = Duration::from_millis(8);
/// How often running bars and messages are looked at.
const TICK: Duration = Duration::from_millis(100);

/// Run the UI until the user leaves.
pub fn run(options: &Options) -> color_eyre::Result<()> {
    let startup = startup::begin(options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(Ui::new(startup)?.run());
    // Whatever still runs is dropped here, and its guards end its processes.
    runtime.shutdown_timeout(Duration::from_secs(3));
    result
}

struct Ui {
    app: App,
    screen: Screen,
    input: Option<EventStream>,
    inbox: mpsc::UnboundedReceiver<Msg>,
    tasks: FiringTasks,
    watcher: SettingsWatcher,
    state: state_file::StateFile,
    log: startup::Log,
    started: Instant,
    drawn: Option<Instant>,
    /// Files of a demo live as long as the UI.
    _demo: Option<crate::settings::Demo>,
}

#[derive(PartialEq)]
enum Flow {
    On,
    Leave,
}

impl Ui {
    fn new(startup: startup::Startup) -> color_eyre::Result<Self> {
        let (outbox, inbox) = mpsc::unbounded_channel();
        let mut app = App::new(startup.initial);
        startup.state.restore(&mut app);
        let tasks = FiringTasks::new(&app, outbox.clone(), startup.cwd.clone(), startup.trusted);
        let watcher = SettingsWatcher::start(startup.settings_files, &app.loaded, startup.cwd, outbox.clone());
        let screen = Screen::enter(startup.mouse, outbox)?;
        let size = screen.size()?;
        app.size = (size.width, size.height);
        startup.log.line(&format!("start {}x{}", size.width, size.height));
        Ok(Self {
            app,
            screen,
            input: Some(EventStream::new()),
            inbox,
            tasks,
            watcher,
            state: startup.state,
            log: startup.log,
            started: Instant::now(),
            drawn: None,
            _demo: startup.demo,
        })
    }

    async fn run(mut self) -> color_eyre::Result<()> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        let mut dirty = true;
        loop {
            if dirty && self.drawn.is_none_or(|d| d.elapsed() >= FRAME) {
                self.draw()?;
                dirty = false;
            }
            let next_frame = self.drawn.map_or_else(Instant::now, |d| d + FRAME);
            let ticking = !self.app.running_since.is_empty()
                || self.app.toast.as_ref().is_some_and(|(_, until)| until.is_finite());
            let input = self.input.get_or_insert_with(EventStream::new);
            let msg = tokio::select! {
                event = input.next() => match event {
                    Some(Ok(event)) => translate(event),
                    // The terminal is gone.
                    Some(Err(_)) | None => return Ok(()),
                },
                Some(event) = self.tasks.events.recv() => Some(Msg::Lifecycle(event)),
                Some(msg) = self.inbox.recv() => Some(msg),
                () = tokio::time::sleep(TICK), if ticking => Some(Msg::Tick(self.now())),
                () = tokio::time::sleep_until(next_frame.into()), if dirty => None,
                _ = terminate.recv() => return Ok(()),
                _ = hangup.recv() => return Ok(()),
            };
            let Some(msg) = msg else { continue };
            dirty = true;
            if self.handle(msg)? == Flow::Leave {
                return Ok(());
            }
            // Everything else that is waiting, before the next frame; bounded, so that a flood still draws.
            for _ in 0..512 {
                let Some(event) = self.tasks.events.try_recv() else { break };
                self.handle(Msg::Lifecycle(event))?;
            }
        }
    }

    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1000.0
    }

    fn draw(&mut self) -> color_eyre::Result<()> {
        let app = &self.app;
        self.screen.draw(|frame| view(app, frame))?;
        self.drawn = Some(Instant::now());
        Ok(())
    }

    fn handle(&mut self, msg: Msg) -> color_eyre::Result<Flow> {
        self.app.now = self.now();
        if let Msg::Loaded(loaded) = &msg {
            self.log.line(&format!("loaded {} hooks", loaded.hooks.hooks.len()));
            self.tasks.replace(loaded);
            self.watcher.follow(loaded);
        }
        for effect in update(&mut self.app, msg) {
            if self.carry_out(effect)? == Flow::Leave {
                return Ok(Flow::Leave);
            }
        }
        Ok(Flow::On)
    }

    fn carry_out(&mut self, effect: SideEffect) -> color_eyre::Result<Flow> {
        match effect {
            SideEffect::Fire(order) => {
                self.log.line(&format!("fire #{} {}", order.id.0, order.payload.event));
                self.tasks.fire(*order, &self.app);
            }
            SideEffect::Interrupt(id) => self.tasks.stop(id, crate::engine::Stop::Interrupt),
            SideEffect::Kill(id) => self.tasks.stop(id, crate::engine::Stop::Kill),
            SideEffect::KillRun(id, run) => self.tasks.kill_run(id, run),
            SideEffect::EditFile(path, line) => {
                if let Err(e) = self.outside(|| editor::edit_file(&path, line))? {
                    self.app.say(format!("the editor could not be run: {e}"));
                }
                self.watcher.look();
            }
            SideEffect::EditText(text) => match self.outside(|| editor::edit_text(&text))? {
                Ok(text) => return self.handle(Msg::Edited(text)),
                Err(e) => self.app.say(format!("the editor could not be run: {e}")),
            },
            SideEffect::Copy(text) => self.app.say(clipboard::copy(&text)),
            SideEffect::OpenPayloads(path) => {
                let path = startup::expand_home(&path);
                match crate::record::open_events(&path, self.app.loaded.dialect.as_ref()) {
                    Ok(opened) => return self.handle(Msg::PayloadsOpened(path, opened.events, opened.problems)),
                    Err(e) => self.app.say(format!("cannot open {}: {e}", path.display())),
                }
            }
            SideEffect::Record(path, entry) => {
                let path = startup::expand_home(&path);
                let written = crate::record::Recording::open(&path).and_then(|mut r| r.write(&entry));
                self.app.say(match written {
                    Ok(()) => format!("added to {}", path.display()),
                    Err(e) => format!("cannot write {}: {e}", path.display()),
                });
            }
            SideEffect::SaveState => {
                if let Err(e) = self.state.save(&self.app) {
                    self.app.say(format!("the state could not be kept: {e}"));
                }
            }
            SideEffect::Suspend => self.outside(editor::suspend)?,
            SideEffect::Quit => return Ok(Flow::Leave),
        }
        Ok(Flow::On)
    }

    /// Give the terminal away for a while: nobody of ours reads keys meanwhile.
    fn outside<T>(&mut self, work: impl FnOnce() -> T) -> color_eyre::Result<T> {
        self.input = None;
        Screen::leave();
        let result = work();
        self.screen.resume()?;
        let size = self.screen.size()?;
        self.app.size = (size.width, size.height);
        Ok(result)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the terminal sent, in our words.
fn translate(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Key::from_event(key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollDown => Some(Msg::Wheel { x: mouse.column, y: mouse.row, lines: 3 }),
            MouseEventKind::ScrollUp => Some(Msg::Wheel { x: mouse.column, y: mouse.row, lines: -3 }),
            MouseEventKind::Down(MouseButton::Left) => Some(Msg::Click { x: mouse.column, y: mouse.row }),
            _ => None,
        },
        Event::FocusGained | Event::FocusLost => None,
    }
}
