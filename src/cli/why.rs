//! `hookdbg why`: the plan, with the first gate that stops each hook. Runs nothing.

use std::fmt::Write as _;
use std::path::Path;

use super::args::WhyArgs;
use super::failure::Failure;
use super::{inputs, output};
use crate::dialect::registry;
use crate::plan::plan;
use crate::report::{Verbosity, plan_report, render_report};
use crate::settings::{Roots, Settings, places};

pub fn run(args: &WhyArgs) -> Result<(), Failure> {
    inputs::refuse_junit(&args.common)?;
    let args = &shorthand(args);
    let settings = inputs::settings(&args.common)?;
    let toggles = inputs::toggles(&args.common, &settings)?;
    let payload = inputs::payload(&args.source, &args.common, &settings.dialect)?;
    let planned = plan(settings.dialect.as_ref(), &settings.hooks, &payload, &toggles);
    let report = plan_report(&settings, &payload, &planned);
    output::print_report(&args.common, &report, |painter, verbosity| {
        let verbosity = if args.all { Verbosity::Full } else { verbosity };
        render_report(&report, painter, verbosity) + &missing_places(args, &settings)
    })
}

/// `why PreToolUse Bash`: words that are not files name the event and the tool.
fn shorthand(args: &WhyArgs) -> WhyArgs {
    let mut args = args.clone();
    if args.source.payload.is_some() || args.source.event.is_some() {
        return args;
    }
    let words = &mut args.common.given.settings;
    let event = |word: &String| registry::all().iter().any(|d| d.profile().event(word).is_some());
    let named = |word: &String| !word.contains('=') && !Path::new(word).exists();
    let wordlike = |w: &String| named(w) && w.chars().all(char::is_alphanumeric) && !w.is_empty();
    if let Some(at) = words.iter().position(|w| named(w) && event(w)) {
        args.source.event = Some(words.remove(at));
        if words.get(at).is_some_and(named) {
            args.source.tool = Some(words.remove(at));
        }
    } else if let Some(at) = words.iter().position(wordlike) {
        // A single word that looks like an event is taken for one, so that the answer names the nearest.
        args.source.event = Some(words.remove(at));
        words.retain(|w| !wordlike(w));
    }
    args
}

/// The usual places that hold no settings; empty where the user named the files.
fn missing_places(args: &WhyArgs, settings: &Settings) -> String {
    if !args.common.given.settings.is_empty() || !args.all {
        return String::new();
    }
    let roots = Roots::new(&args.common.given.project, args.common.given.home().as_deref());
    let mut out = String::new();
    for (layer, path) in places(settings.dialect.as_ref(), &roots) {
        if !settings.files.iter().any(|f| Path::new(&f.path) == path.as_path()) {
            let _ = writeln!(out, "  not read: the {layer} layer, {} does not exist", path.display());
        }
    }
    out
}
