//! Which events of the files are replayed.

use crate::cli::args::FilterArgs;
use crate::cli::failure::Failure;
use crate::model::{Toggles, did_you_mean};
use crate::plan::plan;
use crate::record::RecordedEvent;
use crate::settings::Settings;

pub struct EventFilter<'a> {
    args: &'a FilterArgs,
    settings: &'a Settings,
    since: Option<jiff::Timestamp>,
    hooks: Option<Toggles>,
}

impl<'a> EventFilter<'a> {
    /// Unknown names fail here, before anything is read.
    pub fn new(args: &'a FilterArgs, settings: &'a Settings) -> Result<Self, Failure> {
        let events = || settings.dialect.profile().events.iter().map(|e| e.name);
        if let Some(event) = args.event.iter().find(|e| settings.dialect.profile().event(e).is_none()) {
            return Err(Failure::input(format!("--event {event}: unknown event{}", did_you_mean(event, events()))));
        }
        let hooks = (!args.hook.is_empty()).then(|| Toggles::new(&[], &[], &args.hook));
        if let Some((_, name)) = hooks.as_ref().and_then(|t| t.unknown(&settings.hooks).first().copied()) {
            let known = settings.hooks.hooks.iter().map(|h| h.label.as_str());
            return Err(Failure::input(format!("--hook {name}: no hook has that name{}", did_you_mean(name, known))));
        }
        let since = args.since.as_deref().map(parse_since).transpose().map_err(Failure::Input)?;
        Ok(Self { args, settings, since, hooks })
    }

    /// Why `entry` is not replayed; `None` if it is.
    pub fn refusal(&self, entry: &RecordedEvent) -> Option<String> {
        let dialect = self.settings.dialect.as_ref();
        let host = dialect.profile().name;
        if let Some(other) = entry.dialect.as_deref().filter(|d| *d != host) {
            return Some(format!("events of {other}, and these settings are for {host}"));
        }
        if dialect.profile().event(&entry.event).is_none() {
            return Some(format!("{} is no event of {host}", entry.event));
        }
        if !self.args.event.is_empty() && !self.args.event.contains(&entry.event) {
            return Some("--event names others".into());
        }
        let session = entry.origin.session.as_deref().unwrap_or_default();
        if !self.args.session.is_empty() && !self.args.session.iter().any(|s| session.starts_with(s.as_str())) {
            return Some("--session names others".into());
        }
        if let Some(since) = self.since {
            match entry.origin.at.as_deref().and_then(|at| at.parse::<jiff::Timestamp>().ok()) {
                Some(at) if at >= since => {}
                Some(_) => return Some("before --since".into()),
                None => return Some("without a time, and --since asks for one".into()),
            }
        }
        if self.args.tool.is_empty() && self.hooks.is_none() {
            return None;
        }
        let Ok(payload) = entry.to_payload() else { return Some("payloads that are no object".into()) };
        let tool = payload.text(dialect.profile().tool_field()).unwrap_or_default();
        if !self.args.tool.is_empty() && !self.args.tool.iter().any(|t| t == tool) {
            return Some("--tool names others".into());
        }
        let toggles = self.hooks.as_ref()?;
        let runs = plan(dialect, &self.settings.hooks, &payload, toggles).running().next().is_some();
        (!runs).then(|| "the hook does not run on them".into())
    }
}

/// A date, a time, or a span back from now.
fn parse_since(text: &str) -> Result<jiff::Timestamp, String> {
    let wrong =
        || format!("--since {text}: give a date (2026-11-01), a time (2026-11-01T08:00:00Z) or a span (30d, 12h, 45m)");
    if let Ok(span) = text.parse::<jiff::Span>() {
        let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
        return now.checked_sub(span).map(|since| since.timestamp()).map_err(|_| wrong());
    }
    text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).map_err(|_| wrong())
}
