//! `hookdbg help TOPIC`: pages made from the tables the code itself reads, and a page of recipes. The same pages lie in
//! `assets/docs/`; a test keeps them equal.

use std::fmt::Write as _;

use super::events::effects;
use super::failure::Failure;
use super::output;
use super::test::EXPECTATIONS;
use crate::check::LINTS;
use crate::check::secrets::SECRETS;
use crate::dialect::event::{AnswerField, Exit};
use crate::dialect::{Dialect, FieldRow, Presence, Profile, registry};
use crate::model::did_you_mean;
use crate::record::FORMATS;

const RECIPES: &str = include_str!("../../assets/docs/recipes.md");

/// The pages beside those of the dialects.
const PAGES: [&str; 5] = ["recipes", "keys", "lints", "recordings", "cases"];

pub fn run(topic: Option<&str>) -> Result<(), Failure> {
    let Some(topic) = topic else {
        let mut command = super::command();
        let topics = topics().join(", ");
        return output::print(&format!("{}\nTopics of `hookdbg help`: {topics}\n", command.render_long_help()));
    };
    if let Some(page) = page(topic) {
        return output::print(&page);
    }
    let mut command = super::command();
    command.build();
    if let Some(sub) = command.find_subcommand_mut(topic) {
        return output::print(&sub.render_long_help().to_string());
    }
    let known = topics();
    let hint = did_you_mean(topic, known.iter().map(String::as_str));
    Err(Failure::input(format!("there is no page `{topic}`{hint}; there are: {}", known.join(", "))))
}

/// What `help TOPIC` takes: the pages, then the dialects; subcommands are not listed.
pub fn topics() -> Vec<String> {
    let dialects = registry::all().into_iter().map(|d| d.profile().name.to_string());
    PAGES.iter().map(|p| (*p).to_string()).chain(dialects).collect()
}

/// The page as Markdown; `None` for a topic that has none.
pub fn page(topic: &str) -> Option<String> {
    match topic {
        "recipes" => Some(RECIPES.to_string()),
        "keys" => Some(keys()),
        "lints" => Some(lints()),
        "recordings" => Some(recordings()),
        "cases" => Some(cases()),
        other => registry::find(other).ok().map(|d| host_page(d.as_ref())),
    }
}

/// The page of one host, made of its profile.
pub fn host_page(dialect: &dyn Dialect) -> String {
    let profile = dialect.profile();
    let mut out = format!("# {}\n\n{}.\n\n", profile.name, profile.about);
    let _ = writeln!(out, "## Answers\n\nHow an answer is read: {}.\n", profile.rule);
    let (top, specific) = (profile.top_fields(), profile.specific_fields());
    let names = |fields: &[&AnswerField]| code(&fields.iter().map(|f| f.name).collect::<Vec<_>>());
    if !top.is_empty() {
        let _ = writeln!(out, "Fields at the top: {}.", names(&top));
    }
    if !specific.is_empty() {
        let _ = writeln!(out, "\nFields of `{}`: {}.", profile.specific_key, names(&specific));
    }
    for (field, words) in top.iter().chain(&specific).filter_map(|f| Some((f.name, f.words()?))) {
        let _ = writeln!(out, "\n`{field}` is one of {}.", code(words));
    }
    out.push_str(&parameters(profile));
    let _ = writeln!(out, "\n## Settings\n");
    for place in profile.places {
        let root = match place.root {
            crate::dialect::Root::Project => "the project".to_string(),
            crate::dialect::Root::Repository => "the top of the repository".into(),
            crate::dialect::Root::ProjectWith(marker) => format!("a project with `{marker}`"),
            crate::dialect::Root::Home => "home".into(),
            crate::dialect::Root::Config(variable, below) => format!("`${variable}`, else `~/{below}`"),
            crate::dialect::Root::System => "the system".into(),
        };
        let _ = writeln!(out, "- {}: `{}` in {root}", place.layer, place.path);
    }
    if !profile.changes.is_empty() {
        let _ = writeln!(out, "\n## Versions\n\n| since | what changed |\n|---|---|");
    }
    for change in profile.changes {
        let _ = writeln!(out, "| {} | {} |", change.since, change.about);
    }
    let _ = writeln!(
        out,
        "\n## Events\n\n| event | when | hooks can | matcher is compared with | fields |\n|---|---|---|---|---|"
    );
    for event in profile.events.iter() {
        let effects = effects(event);
        let field = |f: &FieldRow| match f.presence {
            Presence::Always { .. } => format!("`{}`", f.name),
            Presence::NotEmpty => format!("`{}`?", f.name),
        };
        let fields: Vec<_> = event.fields.iter().map(field).collect();
        let matched = event.matched_on.words();
        let _ = writeln!(out, "| {} | {} | {effects} | {matched} | {} |", event.name, event.when, fields.join(" "));
    }
    out
}

fn parameters(profile: &Profile) -> String {
    let none = || "none".to_string();
    let key = |key: Option<&str>| key.map_or_else(none, |k| format!("`{k}`"));
    let list = |words: &[&str]| if words.is_empty() { none() } else { code(words) };
    let limit = profile.unknown.limit.time().map_or_else(none, |t| format!("{} s", t.as_secs_f64()));
    let other = profile.events.iter().any(|e| e.limit != profile.unknown.limit);
    let limit = if other { format!("{limit}; some events and types of handlers have their own") } else { limit };
    let exit_two = profile.events.iter().any(|e| e.exit.two != Exit::Fails);
    let reason = if exit_two { profile.reason_from.word() } else { "exit 2 is a failed hook like any other exit" };
    let rows: [(&str, String); 20] = [
        ("shape of the settings", profile.shape.word().into()),
        ("several files", profile.layers.word().into()),
        ("keys of an entry", list(profile.entry_keys)),
        ("order of hooks", profile.order.word().into()),
        ("duplicates", profile.dedupe.word().into()),
        ("hooks run", profile.concurrency.word().into()),
        ("a firing is ended early by", profile.short_circuit.word().into()),
        ("each hook gets", profile.input_chain.word().into()),
        ("shell", format!("`{}`", profile.shell.word())),
        ("variables hooks get", list(&profile.variables)),
        ("variables the host goes by", list(profile.host_variables)),
        ("limits count", profile.limit_unit.word().into()),
        ("default limit", limit),
        ("JSON on stdout is read", profile.json.word().into()),
        ("broken JSON is", profile.broken_json.word().into()),
        ("forgiven", profile.forgives.word().into()),
        ("reason of exit 2", reason.into()),
        ("a hook that fails", profile.failure.word().into()),
        ("key to change that", key(profile.failure_key)),
        ("the decision", profile.merge.word().into()),
    ];
    let mut out = String::from("\n## Parameters\n\n| parameter | value |\n|---|---|\n");
    for (name, value) in rows {
        let _ = writeln!(out, "| {name} | {value} |");
    }
    let _ = writeln!(out, "| switches | {} |", list(profile.switches));
    out
}

fn code(words: &[&str]) -> String {
    words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
}

fn lints() -> String {
    let mut out = String::from(
        "# Lints\n\n`hookdbg check` runs them, `hookdbg check --explain ID` shows one. To silence one, put its id into \
         `.hookdbg.toml`\nof the project or `config.toml` of the user; `id@text` silences it only on lines with that text:\n\n\
         ```toml\n[check]\nallow = [\"relative-script\", \"broad-matcher@lint.sh\"]\n```\n\n| id | severity | finds | why |\n|---|---|---|---|\n",
    );
    for lint in LINTS {
        let _ = writeln!(out, "| {} | {} | {} | {} |", lint.id, lint.severity.word(), lint.title, lint.docs);
    }
    out
}

fn recordings() -> String {
    let mut out = String::from(
        "# Recordings\n\nA recording is JSON Lines: one event a line, each with `hookdbg` (the version), `dialect`, `event`, `payload`, \
         `origin`,\nand where known `derived` and `outcome` (assets/schema/recording.schema.json). Files can be joined with `cat`, \
         split, and compared\nin git. `hookdbg import` reads, and `hookdbg replay --from` replays:\n\n| format | told by |\n|---|---|\n",
    );
    for format in FORMATS {
        let _ = writeln!(out, "| {} | {} |", format.name, format.about);
    }
    out.push_str(
        "\nFields that a source does not have are filled with a default and named in `derived`: `permission_mode` is `default`,\n\
         `background_tasks` and `session_crons` are empty, `is_interrupt` is false, a `tool_response` that was not kept is the text \
         the model got.\nEvents that leave no trace are not invented: permission requests, notifications, agents of the program itself.\n\n\
         ## Secrets\n\nBundles (`hookdbg fire --bundle`) have these taken out: ",
    );
    let kinds: Vec<_> = SECRETS.iter().map(|(what, _)| *what).collect();
    let _ = writeln!(out, "{}.", kinds.join(", "));
    out
}

fn cases() -> String {
    let mut out = String::from(
        "# Test cases\n\n```yaml\nsettings: settings.json        # for all cases; also a list, and LAYER=PATH\ndialect: HOST\ncases:\n  - name: rm is \
         refused\n    payload: { event: PreToolUse, tool: Bash, set: { tool_input.command: \"rm -rf build\" } }\n    # or a file: event.json, or \
         the event itself\n    stubs: { other.sh: { stdout: \"\", exit: 0 } }   # or json: {…}\n    host: { interactive: false }\n    replies: \
         [{ ok: true }]\n    expect: { decision: deny }\n```\n\n| expectation | what it is compared with |\n|---|---|\n",
    )
    .replace("HOST", registry::default().profile().name);
    for (key, about) in EXPECTATIONS {
        let _ = writeln!(out, "| {key} | {about} |");
    }
    out.push_str(
        "\n`hookdbg test FILE --update` writes what was found into the file. A case that cannot be evaluated fails.\n",
    );
    out
}

#[cfg(feature = "tui")]
fn keys() -> String {
    let mut out = String::from(
        "# Keys\n\nEvery key can be changed in `config.toml` (`hookdbg --print-paths` says where):\n\n```toml\n[keys]\nfire = [\"f5\", \
         \"ctrl-r\"]\n```\n\n| command | keys | where | what |\n|---|---|---|---|\n",
    );
    for spec in crate::tui::COMMANDS {
        let scope = super::open::scope_word(spec.scope);
        let keys: Vec<_> = spec.keys.iter().map(|k| format!("`{k}`")).collect();
        let _ = writeln!(out, "| {} | {} | {scope} | {} |", spec.name, keys.join(" "), spec.about);
    }
    out
}

#[cfg(not(feature = "tui"))]
fn keys() -> String {
    "this hookdbg was built without the terminal UI\n".into()
}
