//! Everything that is decided before the first frame: which settings, which keys, which look.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use color_eyre::eyre::eyre;

use super::Options;
use super::firing_tasks::Trusted;
use super::state_file::StateFile;
use crate::dialect::registry;
use crate::record::open_events;
use crate::settings::{Demo, Settings, SettingsFile, config_dir, find as find_settings, read};
use crate::tui::app::InitialState;
use crate::tui::glyphs::Glyphs;
use crate::tui::keymap::Keymap;
use crate::tui::loaded_settings::LoadedSettings;
use crate::tui::theme::Theme;

pub struct Startup {
    pub initial: InitialState,
    pub settings_files: Vec<SettingsFile>,
    pub cwd: PathBuf,
    pub trusted: Trusted,
    pub mouse: bool,
    pub state: StateFile,
    pub log: Log,
    pub demo: Option<Demo>,
}

/// The log file, if there is one. Nothing ever goes to the screen.
pub struct Log(Option<fs::File>);

impl Log {
    pub fn line(&self, text: &str) {
        if let Some(mut file) = self.0.as_ref() {
            let _ = writeln!(file, "{} {text}", jiff::Timestamp::now());
        }
    }
}

pub fn begin(options: &Options) -> color_eyre::Result<Startup> {
    let append = |path| fs::OpenOptions::new().create(true).append(true).open(path);
    let log = Log(options.log_file.as_ref().map(append).transpose()?);
    let (settings_files, settings, demo) = find(options)?;
    let (keymap, mut notices) = keys();
    let payload_file = demo.as_ref().map(Demo::payloads);
    let payloads =
        payload_file.as_ref().and_then(|f| open_events(f, settings.dialect.as_ref()).ok()).unwrap_or_default();
    if demo.is_some() && notices.is_empty() {
        notices.push("This is the demo. ctrl-r fires the event below; ? shows every key.".into());
    }
    let cwd = match (&options.cwd, &demo) {
        (Some(cwd), _) => cwd.clone(),
        (None, Some(demo)) => demo.dir().to_path_buf(),
        (None, None) => std::env::current_dir()?,
    };
    let loaded = LoadedSettings::of(settings, &cwd);
    let loaded = if demo.is_some() { loaded.for_demo() } else { loaded };
    let initial = InitialState {
        loaded,
        payloads: payloads.events,
        payload_file,
        demo: demo.is_some(),
        keymap,
        theme: theme(options)?,
        glyphs: if options.ascii || !speaks_unicode() { Glyphs::ASCII } else { Glyphs::UNICODE },
        notices,
    };
    let agreed = std::env::var_os("HOOKDBG_TRUST").is_some_and(|v| v == "1");
    let first = settings_files.first().map_or(Path::new(""), |f| &f.path);
    let state = StateFile::new(if demo.is_some() { Path::new("demo") } else { first });
    Ok(Startup {
        initial,
        settings_files,
        cwd,
        trusted: if demo.is_some() || agreed { Trusted::Yes } else { Trusted::Ask },
        mouse: !options.no_mouse,
        state,
        log,
        demo,
    })
}

/// The files of the command line, of the project, or of the demo.
fn find(options: &Options) -> color_eyre::Result<(Vec<SettingsFile>, Settings, Option<Demo>)> {
    let dialect = options.dialect.as_deref().map(registry::find).transpose().map_err(|e| eyre!(e))?;
    if !options.settings.is_empty() {
        let settings_files: Vec<_> = options.settings.iter().map(|s| SettingsFile::parse(s)).collect();
        let settings = read(&settings_files, dialect)?;
        return Ok((settings_files, settings, None));
    }
    let home = options.home.clone().or_else(|| std::env::var_os("HOME").map(PathBuf::from));
    let host = dialect.clone().unwrap_or_else(registry::default);
    if let Some((files, settings)) = find_settings(dialect, &options.project, home.as_deref())? {
        return Ok((files, settings, None));
    }
    let demo = Demo::unpack(host.profile())?;
    let settings_files = vec![SettingsFile { path: demo.settings(), layer: "project".into() }];
    let settings = read(&settings_files, None)?;
    Ok((settings_files, settings, Some(demo)))
}

fn keys() -> (Keymap, Vec<String>) {
    let text = config_dir().and_then(|d| fs::read_to_string(d.join("config.toml")).ok());
    Keymap::with_config(&text.unwrap_or_default())
}

fn theme(options: &Options) -> color_eyre::Result<Theme> {
    if options.plain {
        return Ok(Theme::MONO);
    }
    match &options.theme {
        Some(name) => Theme::find(name).ok_or_else(|| {
            let names: Vec<_> = Theme::ALL.iter().map(|t| t.name).collect();
            eyre!("no theme is called `{name}`; there are {}", names.join(", "))
        }),
        None => Ok(Theme::DEFAULT),
    }
}

/// Whether the locale says UTF-8; one that says nothing gets the benefit of the doubt.
fn speaks_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|n| std::env::var(n).ok()).find(|v| !v.is_empty());
    locale.is_none_or(|l| {
        let l = l.to_lowercase();
        l.contains("utf-8") || l.contains("utf8")
    })
}

/// `~/…` as the shell would read it.
pub fn expand_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::var_os("HOME")) {
        (Ok(rest), Some(home)) => Path::new(&home).join(rest),
        _ => path.to_path_buf(),
    }
}
