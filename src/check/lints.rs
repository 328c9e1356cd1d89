//! Every lint: its name, how bad it is, and what `check --explain` says. Code, docs and tests read this table.

use crate::diag::Severity;

#[derive(Debug, Clone, Copy)]
pub struct LintSpec {
    pub id: &'static str,
    pub severity: Severity,
    pub title: &'static str,
    pub docs: &'static str,
}

const fn lint(id: &'static str, severity: Severity, title: &'static str, docs: &'static str) -> LintSpec {
    LintSpec { id, severity, title, docs }
}

use Severity::{Error, Note, Warning};

/// The table. The first part is found while settings are read, the second by looking at hooks and scripts.
#[rustfmt::skip]
pub const LINTS: &[LintSpec] = &[
    lint("invalid-json", Error, "the file is not valid JSON", "Hosts drop such a file as a whole, mostly without a word. The message has the place; comments and final commas are errors too where the host reads strict JSON."),
    lint("invalid-yaml", Error, "the file is not valid YAML", "The host cannot read it, so none of its hooks exist."),
    lint("not-utf8", Error, "the file is not UTF-8", "Save it as UTF-8; the message has the first byte that does not belong."),
    lint("invalid-entry", Error, "an entry the host refuses", "The consequence line says what goes with it: this entry alone, or every hook of the file."),
    lint("invalid-hooks-config", Error, "the hooks part has the wrong shape", "The consequence line says what the host drops because of it."),
    lint("wrong-type", Error, "a value of the wrong type", "The message has what was found and what is read there."),
    lint("unknown-event", Error, "an event the host does not know", "Event names are compared letter by letter, case included. Hooks below a wrong name never run, and no host says so."),
    lint("unknown-point", Error, "a point the host does not know", "Points are compared letter by letter; the hook never runs."),
    lint("unknown-type", Error, "a handler type the host does not know", "The message lists the types it knows."),
    lint("unknown-key", Warning, "a key nobody reads", "Probably a slip of the pen: the host ignores it, and what it was meant to do does not happen."),
    lint("duplicate-key", Error, "an event that stands twice in one file", "JSON keeps the last of two equal keys: everything under the first is lost, and no host says so."),
    lint("unknown-operation", Error, "an operation the host does not know", "The message lists those it knows."),
    lint("missing-handler", Warning, "an entry without anything to run", "The host skips it."),
    lint("missing-id", Error, "an agent's hooks without the agent's id", "They apply to no agent, so they never run."),
    lint("bad-timeout", Error, "a limit that isn't a number above zero", "The host refuses the entry."),
    lint("negative-timeout", Warning, "a limit below zero", "The host reads it as no limit at all."),
    lint("too-many-hooks", Error, "more hooks than the host takes", "Those over the limit are refused."),
    lint("bad-stub", Error, "a canned answer that cannot be read", "Give it as JSON."),
    lint("refused-settings", Error, "a setting the host refuses", "The message has the rule."),
    lint("once-ignored", Warning, "`once` outside the frontmatter of a skill", "Only skills honour it; in a settings file the hook runs every time."),
    lint("too-new", Warning, "a key this version of the host does not read yet", "Older versions ignore it in silence."),
    lint("dead-matcher", Error, "a matcher that can never fit", "An expression that is not valid, a permission rule in the place of a name, a bare MCP server: the hook is configured and never runs."),
    lint("case-near-miss", Error, "a matcher that differs from a tool only in case or by a letter", "Names are compared letter by letter; `bash` is not `Bash`."),
    lint("broad-matcher", Warning, "an expression that fits more tools than it names", "Regular expressions are not anchored: `Edit.*` also fits `NotebookEdit`. Anchor it: `^Edit$`."),
    lint("matcher-ignored", Warning, "a matcher on an event that has none", "The host ignores it, so the hook runs on every such event."),
    lint("dead-condition", Error, "a condition that can never hold", "Conditions hold only on events of tools, and are one rule; elsewhere the hook never runs."),
    lint("timeout-unit", Warning, "a limit that looks like the other unit", "A limit of 5000 seconds is over an hour; a limit of 5 milliseconds is over before a shell has started."),
    lint("unquoted-variable", Warning, "a path variable without quotes", "A directory with a blank in its name becomes two words. Write \"$DIR\"/script."),
    lint("relative-script", Warning, "a script path that depends on the working directory", "The host runs hooks where the session is at the moment, which follows `cd`. Begin with the variable of the project directory."),
    lint("missing-script", Error, "a script that does not exist", "The hook fails on every event; most hosts go on as if it had agreed."),
    lint("not-executable", Error, "a script without execute permission", "The shell exits with 126. chmod +x it, or name its interpreter."),
    lint("missing-interpreter", Error, "a program or interpreter that is not installed", "The shell exits with 127. Hosts started from a desktop have a shorter PATH than your shell."),
    lint("crlf-script", Error, "a script with Windows line endings", "The `#!` line then names an interpreter that ends in a carriage return."),
    lint("stop-loop", Warning, "a Stop hook that blocks and never looks at stop_hook_active", "The agent cannot end: every Stop is refused again until the host's cap. Let it pass when stop_hook_active is true."),
    lint("fail-open-guard", Warning, "a guard that refuses with an exit code that blocks nothing", "Only exit 2 (or a JSON answer) blocks; exit 1 is a failed hook, and the event goes on."),
    lint("duplicate-hook", Note, "the same hook in more than one place", "Some hosts run it once with the options of the last place, others twice."),
    lint("two-rewriters", Warning, "two hooks that rewrite the input of the same tool", "Hooks that run together see the same input, and the last to finish wins: a race."),
    lint("secret-in-command", Warning, "something that looks like a secret", "Settings files are read by other programs and often shared. Keep secrets in the environment."),
    lint("http-url-not-allowed", Error, "a url that allowedHttpHookUrls does not have", "The host never sends the request."),
    lint("unsupported-type", Error, "a handler type that is not run on its event", "The host skips it in silence or with a line in its log."),
    lint("switched-off", Note, "a hook that a governing setting switches off", "The message names the setting and its file."),
];

pub fn spec(id: &str) -> Option<&'static LintSpec> {
    LINTS.iter().find(|l| l.id == id)
}
