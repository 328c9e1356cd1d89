//! What a replay is compared with: other settings, outcomes that were accepted, or what happened then.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::replay_all;
use super::workspace::Workspace;
use crate::cli::args::ReplayArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::engine::Control;
use crate::model::Hook;
use crate::record::{ImportOptions, Outcome, RecordedEvent, import, is_not_a_recording};
use crate::settings::{Settings, SettingsFile, read};

pub enum Baseline {
    /// The outcomes under these settings, which are called so.
    Settings(Box<Settings>, Box<Workspace>, String),
    /// What is accepted, by event and payload; of equal events the first.
    Accepted(HashMap<(String, String), Option<Outcome>>),
    Recorded,
}

impl Baseline {
    /// What the arguments ask to compare with.
    pub fn of(args: &ReplayArgs, settings: &Settings) -> Result<Option<Self>, Failure> {
        if args.against_recorded {
            return Ok(Some(Self::Recorded));
        }
        let dialect = || Some(settings.dialect.clone());
        if let Some(revision) = &args.against_rev {
            let workspace = Workspace::prepare(args, Some(revision))?;
            let files = settings.files.iter();
            let files =
                files.map(|f| SettingsFile { path: workspace.inside(Path::new(&f.path)), layer: f.layer.clone() });
            let files: Vec<_> = files.filter(|w| w.path.is_file()).collect();
            if files.is_empty() {
                return Err(Failure::input(format!("none of the settings files exists at {revision}")));
            }
            let name = format!("the project at {revision}");
            return Ok(Some(Self::Settings(Box::new(read(&files, dialect())?), Box::new(workspace), name)));
        }
        if args.against.is_empty() {
            return Ok(None);
        }
        if let [file] = args.against.as_slice()
            && Path::new(file).is_file()
            && (file.ends_with(".jsonl") || !is_not_a_recording(Path::new(file)))
        {
            let options = ImportOptions { dialect: settings.dialect.as_ref(), fields: args.fields };
            let mut accepted = HashMap::new();
            let mut accept = |e: RecordedEvent| {
                accepted.entry((e.event, e.payload)).or_insert(e.recorded);
            };
            let summary =
                import(Path::new(file), &options, &mut accept).map_err(|e| Failure::input(format!("{file}: {e}")))?;
            if summary.problems.count > 0 {
                output::warn(&format!("{file}: {} lines could not be read", summary.problems.count));
            }
            return Ok(Some(Self::Accepted(accepted)));
        }
        let files: Vec<_> = args.against.iter().map(|s| SettingsFile::parse(s)).collect();
        let settings = read(&files, dialect())?;
        let name = settings.files.iter().map(|f| f.path.as_str()).collect::<Vec<_>>().join(", ");
        Ok(Some(Self::Settings(Box::new(settings), Box::new(Workspace::prepare(args, None)?), name)))
    }

    /// The hooks that will run for it.
    pub fn hooks(&self) -> &[Arc<Hook>] {
        match self {
            Self::Settings(settings, ..) => &settings.hooks.hooks,
            Self::Accepted(_) | Self::Recorded => &[],
        }
    }

    pub fn describe(&self) -> String {
        match self {
            Self::Settings(_, _, name) => name.clone(),
            Self::Accepted(_) => "the accepted outcomes".into(),
            Self::Recorded => "what happened then".into(),
        }
    }

    /// What each of `entries` came to here, as far as is known.
    pub async fn outcomes(
        &self,
        args: &ReplayArgs,
        entries: &Arc<[RecordedEvent]>,
        control: &Control,
    ) -> Result<Vec<Option<Outcome>>, Failure> {
        let outcome = |entry: &RecordedEvent| match self {
            Self::Accepted(golden) => golden.get(&(entry.event.clone(), entry.payload.clone())).cloned().flatten(),
            Self::Recorded => entry.recorded.clone(),
            Self::Settings(..) => None,
        };
        let mut outcomes: Vec<_> = entries.iter().map(outcome).collect();
        if let Self::Settings(settings, workspace, _) = self {
            for replayed in replay_all(args, settings, workspace, entries, control, "before").await? {
                outcomes[replayed.index] = replayed.current.as_deref().cloned();
            }
        }
        Ok(outcomes)
    }
}
