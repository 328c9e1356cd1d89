//! Looks at every hook of the settings, and runs none of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::doctor::means_to_refuse;
use super::lints::spec;
use super::script::{self, ProjectDirs};
use super::secrets;
use super::text::{contains_literal, executable, one_edit_away, span_of, unquoted_variable, without_comments};
use crate::diag::{Diagnostic, Severity};
use crate::dialect::event::{Exit, MatchedOn, Matching, MergeClass};
use crate::dialect::{Capability, Concurrency, Dialect, EventRow};
use crate::model::{Background, Gate, GateKind, Handler, Hook, OnFailure, Payload, Standing};
use crate::plan::gate;
use crate::settings::Settings;

/// All findings about `settings`, in the order of their places.
pub fn check(settings: &Settings, dirs: &ProjectDirs) -> Vec<Diagnostic> {
    let mut found = settings.diagnostics.clone();
    let checker = Checker { settings, dirs, dialect: settings.dialect.as_ref() };
    for hook in checker.loaded() {
        checker.matcher(hook, &mut found);
        checker.limits(hook, &mut found);
        checker.command(hook, &mut found);
        checker.target(hook, &mut found);
        checker.habits(hook, &mut found);
        checker.policy(hook, &mut found);
    }
    checker.together(&mut found);
    found.sort_by_key(|d| d.place.as_ref().map(|p| (p.path.to_string(), p.line, p.column)));
    found
}

struct Checker<'a> {
    settings: &'a Settings,
    dirs: &'a ProjectDirs,
    dialect: &'a dyn Dialect,
}

impl Checker<'_> {
    /// The hooks that are not rejected as a whole.
    fn loaded(&self) -> impl Iterator<Item = &Hook> {
        let hooks = self.settings.hooks.hooks.iter().map(AsRef::as_ref);
        hooks.filter(|h: &&Hook| !matches!(h.standing, Standing::Rejected(_)))
    }

    /// A finding about `hook`, at `needle` inside its entry.
    fn finding(&self, hook: &Hook, id: &'static str, message: impl Into<String>, needle: &str) -> Diagnostic {
        let severity = spec(id).map_or(Severity::Warning, |l| l.severity);
        let diagnostic = Diagnostic::new(severity, id, message);
        let Some(place) = &hook.origin.place else { return diagnostic };
        let Some(source) = self.settings.sources.iter().find(|s| s.path == place.path) else { return diagnostic };
        let start = source.offset(place.line, place.column);
        diagnostic.at(source, span_of(source, start, needle))
    }

    fn spec(&self, hook: &Hook) -> Option<&EventRow> {
        self.dialect.profile().event(&hook.event)
    }

    fn tools(&self) -> Vec<&'static str> {
        self.dialect.profile().tool_names()
    }

    /// A payload of the hook's event about `tool`.
    fn payload(&self, spec: &EventRow, tool: &str) -> Payload {
        let value = self.dialect.profile().template(spec);
        let mut fields: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
        if let Some(field) = spec.matched_on.field() {
            fields.insert(field.into(), tool.into());
        }
        Payload::new(spec.name, fields)
    }

    /// The gate that stops `hook` because of its matcher, if that is what stops it.
    fn matcher_gate(&self, hook: &Hook, payload: &Payload) -> Option<Gate> {
        gate(self.dialect, hook, payload).filter(|g| g.gate == GateKind::Matcher)
    }

    fn matcher(&self, hook: &Hook, found: &mut Vec<Diagnostic>) {
        let (Some(spec), Some(matcher)) = (self.spec(hook), hook.matcher.as_deref()) else { return };
        if matcher.is_empty() || matcher == "*" {
            return;
        }
        // A dialect without any such field keeps its matchers elsewhere.
        if self.dialect.profile().events.iter().all(|e| e.matched_on.field().is_none()) {
            return;
        }
        if spec.matched_on == MatchedOn::Nothing {
            let message = format!("{} has nothing to match, so `{matcher}` is ignored", hook.event);
            found.push(self.finding(hook, "matcher-ignored", message, matcher));
            return;
        }
        if !matches!(spec.matched_on, MatchedOn::Tool(_)) {
            return;
        }
        let fitting: Vec<&str> =
            self.tools().into_iter().filter(|t| self.matcher_gate(hook, &self.payload(spec, t)).is_none()).collect();
        let parts: Vec<&str> = matcher.split(['|', ',']).map(str::trim).filter(|p| !p.is_empty()).collect();
        let any = self.matcher_gate(hook, &self.payload(spec, self.tools()[0]));
        if let Some(gate) = any.as_ref().filter(|g| g.why.contains("no valid")) {
            let why = gate.why.clone();
            return found.push(self.finding(hook, "dead-matcher", why, matcher));
        }
        if matcher.contains('(') && fitting.is_empty() {
            let message = format!("`{matcher}` is a permission rule, and a matcher takes names: no tool is called so");
            let help = "write the name alone, and put the rule into the hook's `if`";
            return found.push(self.finding(hook, "dead-matcher", message, matcher).help(help));
        }
        let odd = |p: &&str| !p.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') || p.contains(' ');
        let foreign = matcher.contains("mcp__") || matcher.contains(['*', '+', '?', '[']) || matcher.contains(".*");
        if fitting.is_empty() && !foreign && (parts.is_empty() || parts.iter().all(odd)) {
            let why = any.map_or_else(String::new, |g| g.why);
            return found.push(self.finding(hook, "dead-matcher", format!("it fits no tool: {why}"), matcher));
        }
        for part in &parts {
            self.part(hook, part, matcher, found);
        }
        let plain = |p: &&str| p.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let named: Vec<&str> = parts.iter().copied().filter(plain).collect();
        let extra = fitting.into_iter().filter(|t| !named.contains(t) && contains_literal(matcher, t));
        let extra: Vec<&str> = extra.collect::<BTreeSet<_>>().into_iter().collect();
        if !extra.is_empty() && !matcher.contains(['^', '$']) && !matcher.starts_with(".*") {
            let message = format!("`{matcher}` also fits {}", extra.join(", "));
            let names: Vec<&str> = parts.iter().map(|p| p.trim_matches(['*', '.', '(', ')'])).collect();
            let help = format!("anchor it: `^({})$`", names.join("|"));
            found.push(self.finding(hook, "broad-matcher", message, matcher).help(help));
        }
    }

    /// One name of a list.
    fn part(&self, hook: &Hook, part: &str, matcher: &str, found: &mut Vec<Diagnostic>) {
        let tools = self.tools();
        if tools.contains(&part) || !part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
            return;
        }
        let lower = self.tools().into_iter().any(|t| t.to_lowercase() == part)
            && self.spec(hook).is_some_and(|row| row.matching == Matching::Wildcards);
        if part.starts_with("mcp__") {
            if part.matches("__").count() == 1 {
                let message = format!("`{part}` names a server and no tool, so it fits nothing");
                let help = format!("write `{part}__.*`");
                found.push(self.finding(hook, "dead-matcher", message, matcher).help(help));
            }
            return;
        }
        if let Some(tool) = tools.iter().find(|t| t.eq_ignore_ascii_case(part)).filter(|_| !lower) {
            let message = format!("`{part}` is not `{tool}`: names are compared letter by letter");
            found.push(self.finding(hook, "case-near-miss", message, matcher).help(format!("write `{tool}`")));
        } else if let Some(tool) = one_edit_away(part, &tools).filter(|_| !lower) {
            let message = format!("no tool is called `{part}`; did you mean `{tool}`?");
            found.push(self.finding(hook, "case-near-miss", message, matcher).help(format!("write `{tool}`")));
        }
    }

    fn limits(&self, hook: &Hook, found: &mut Vec<Diagnostic>) {
        let Some(limit) = hook.timeout else { return };
        let seconds = limit.as_secs_f64();
        let (message, help) = match self.dialect.profile().limit_unit {
            crate::dialect::LimitUnit::Seconds if seconds >= 1000.0 && seconds % 1000.0 == 0.0 => (
                format!("a limit of {seconds} seconds is {:.0} minutes", seconds / 60.0),
                format!("this host counts seconds; for {seconds} ms write {}", (seconds / 1000.0).max(1.0)),
            ),
            crate::dialect::LimitUnit::Milliseconds if seconds < 0.1 && seconds > 0.0 => (
                format!("a limit of {:.0} ms is over before a shell has started", seconds * 1000.0),
                format!("this host counts milliseconds; for {:.0} s write {:.0}", seconds * 1e3, seconds * 1e6),
            ),
            _ => return,
        };
        found.push(self.finding(hook, "timeout-unit", message, "timeout").help(help));
    }

    fn command(&self, hook: &Hook, found: &mut Vec<Diagnostic>) {
        let Some(command) = hook.handler.command() else { return };
        if matches!(hook.handler, Handler::Shell { .. })
            && let Some(name) = unquoted_variable(command)
        {
            let message = format!("`${name}` isn't quoted; a directory with a space in its name becomes two words");
            found.push(self.finding(hook, "unquoted-variable", message, command).help(format!("write \"${name}\"/…")));
        }
        if let Some((what, _)) = secrets::find(command) {
            let message = format!("the command holds what looks like {what}");
            let help = "keep it in the environment and name the variable";
            found.push(self.finding(hook, "secret-in-command", message, command).help(help));
        }
        let headers = if let Handler::Http { headers, .. } = &hook.handler { &headers[..] } else { &[] };
        let headers = headers.iter().fold(String::new(), |all, (name, value)| format!("{all}{name}: {value}\n"));
        if let Some((what, _)) = secrets::find(&headers) {
            let message = format!("a header holds what looks like {what}");
            found.push(self.finding(hook, "secret-in-command", message, "headers").help("name a variable: `$NAME`"));
        }
    }

    fn target(&self, hook: &Hook, found: &mut Vec<Diagnostic>) {
        let Some(target) = script::target(hook, self.dirs) else { return };
        let command = hook.handler.command().unwrap_or_default();
        if let Some(program) = target.program.as_deref().filter(|p| !script::installed(p)) {
            found.push(self.finding(hook, "missing-interpreter", format!("`{program}` is not in PATH"), command));
        }
        let Some(file) = &target.file else { return };
        // Where the host names the project in a variable, a path without it depends on the directory of the moment.
        if target.relative
            && let Some(variable) = self.dialect.profile().project_variable
        {
            let message = format!("`{}` is looked for where the session is at the moment", target.word);
            let help = format!("write \"${variable}\"/{}", target.word.trim_start_matches("./"));
            found.push(self.finding(hook, "relative-script", message, command).help(help));
        }
        if !file.exists() {
            let message = format!("{} does not exist", file.display());
            return found.push(self.finding(hook, "missing-script", message, command));
        }
        if target.executed && !executable(file) {
            let message = format!("{} has no execute permission", file.display());
            let help = format!("chmod +x {}", file.display());
            found.push(self.finding(hook, "not-executable", message, command).help(help));
        }
        let text = script::read(file).unwrap_or_default();
        let first = text.split('\n').next().unwrap_or_default();
        if first.starts_with("#!") && first.ends_with('\r') {
            let message = format!("{} has Windows line endings", file.display());
            found.push(self.finding(hook, "crlf-script", message, command).help("save it with Unix line endings"));
        } else if let Some(line) = first.strip_prefix("#!").filter(|_| target.executed) {
            self.interpreter(hook, line, command, found);
        }
    }

    fn interpreter(&self, hook: &Hook, line: &str, command: &str, found: &mut Vec<Diagnostic>) {
        let mut words = line.split_whitespace();
        let Some(program) = words.next() else { return };
        let named = words.find(|w| !w.starts_with('-')).filter(|_| program.ends_with("/env"));
        let (name, there) = match named {
            Some(name) => (name, script::installed(name)),
            None => (program, std::path::Path::new(program).exists()),
        };
        if !there {
            let message = format!("the #! line names {name}, which is not installed");
            found.push(self.finding(hook, "missing-interpreter", message, command));
        }
    }

    fn habits(&self, hook: &Hook, found: &mut Vec<Diagnostic>) {
        let (Some(command), Some(row)) = (hook.handler.command(), self.spec(hook)) else { return };
        if hook.options.background == Background::Detached {
            return;
        }
        let text = without_comments(&script::text(hook, self.dirs));
        let two_blocks = row.exit.two != Exit::Fails;
        let any = |needles: &[&str]| needles.iter().any(|n| text.contains(n));
        let blocks = ["exit 2", "\"block\"", "'block'", "\\\"block\\\"", "sys.exit(2)", "process.exit(2)"];
        if row.merge == MergeClass::Turn
            && any(&blocks)
            && two_blocks
            && let Some(field) = self.dialect.profile().continued_field.filter(|f| !text.contains(f))
        {
            let message = format!("it keeps the agent from ending and never looks at {field}");
            found.push(self.finding(hook, "stop-loop", message, command).help("let it pass when that field is true"));
        }
        let guards = row.guards.is_some();
        let refuses = (any(&["exit 1\n", "exit 1;", "exit 1 ", "sys.exit(1)", "process.exit(1)"])
            || text.ends_with("exit 1"))
            && means_to_refuse(&text)
            && hook.options.on_failure != OnFailure::Blocks;
        let decides = any(&["exit 2", "(2)", "\"deny\"", "'deny'", "\"block\"", "abort"]);
        if guards && refuses && !decides {
            let message = "it exits with 1 and never with a code that blocks, so what it guards proceeds anyway";
            let help = if two_blocks { "exit 2 to block" } else { "answer with JSON to deny" };
            found.push(self.finding(hook, "fail-open-guard", message, command).help(help));
        }
    }

    fn policy(&self, hook: &Hook, found: &mut Vec<Diagnostic>) {
        let Some(spec) = self.spec(hook) else { return };
        let fitting = spec.matched_on.field().and_then(|_| {
            let named = hook.matcher.as_deref().unwrap_or_default();
            let mut names = named.split(['|', ',']).map(str::trim).chain(self.tools()).map(|t| self.payload(spec, t));
            names.find(|payload| self.matcher_gate(hook, payload).is_none())
        });
        let payload = fitting.unwrap_or_else(|| self.payload(spec, ""));
        let Some(gate) = gate(self.dialect, hook, &payload) else { return };
        let needle = hook.handler.command().unwrap_or("type");
        match gate.gate {
            GateKind::Policy => {
                let says = |words: &str| gate.why.contains(words);
                let id = match hook.standing {
                    _ if says("allowedHttpHookUrls") => "http-url-not-allowed",
                    _ if says("hooks are not run on") || says("skipped on") => "unsupported-type",
                    Standing::Off(_) if !says("at launch") => "switched-off",
                    _ => return,
                };
                found.push(self.finding(hook, id, format!("it never runs: {}", gate.why), needle));
            }
            GateKind::Condition if gate.why.contains("never runs") => {
                let condition = hook.options.condition.as_deref().unwrap_or("if");
                found.push(self.finding(hook, "dead-condition", gate.why, condition));
            }
            _ => {}
        }
    }

    /// What only several hooks together do.
    fn together(&self, found: &mut Vec<Diagnostic>) {
        let mut seen: BTreeMap<_, &Hook> = BTreeMap::new();
        for hook in self.loaded() {
            let Some(command) = hook.handler.command() else { continue };
            let key = (&hook.event, command, &hook.matcher, &hook.options.condition);
            match seen.get(&key) {
                Some(first) => {
                    let place = first.origin.place.as_ref().map(ToString::to_string).unwrap_or_default();
                    let message = format!("the same command under the same event is also at {place}");
                    found.push(self.finding(hook, "duplicate-hook", message, command));
                }
                None => drop(seen.insert(key, hook)),
            }
        }
        let fields = self.dialect.profile().fields_with(Capability::ModifyInput);
        let rewrites = |h: &&Hook| {
            let text = script::text(h, self.dirs);
            fields.iter().any(|field| text.contains(field))
        };
        let rewriters: Vec<&Hook> = self.loaded().filter(rewrites).collect();
        // Only where hooks run together is it a race.
        let together = self.dialect.profile().concurrency == Concurrency::Parallel;
        for (at, hook) in rewriters.iter().enumerate().filter(|_| together) {
            let Some(spec) = self.spec(hook) else { continue };
            let runs = |h: &Hook, tool: &str| self.matcher_gate(h, &self.payload(spec, tool)).is_none();
            let apart = |o: &Hook| o.options.condition.is_some() && hook.options.condition.is_some();
            let other = rewriters[..at].iter().find(|o| {
                o.event == hook.event
                    && !apart(o)
                    && self.tools().into_iter().any(|tool| runs(o, tool) && runs(hook, tool))
            });
            if let Some(other) = other {
                let message = format!("it rewrites the input, and so does `{}`: the last to finish wins", other.label);
                let command = hook.handler.command().unwrap_or_default();
                found.push(self.finding(hook, "two-rewriters", message, command));
            }
        }
    }
}
