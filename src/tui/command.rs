//! The command table: one list feeds key bindings, footer, help, palette and docs, so they cannot disagree.

use super::app::App;
use super::state::Pane;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Command {
    Fire,
    Quit,
    Interrupt,
    Help,
    Palette,
    NextPane,
    PreviousPane,
    Go(Pane),
    Back,
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Open,
    Filter,
    NextMatch,
    PreviousMatch,
    Suspend,
    CycleTheme,
    Toggle,
    ToggleLayer,
    UndoToggles,
    Edit,
    Playground,
    PickEvent,
    EditPayload,
    Tidy,
    Rerun,
    RerunAll,
    Pin,
    Cancel,
    Kill,
    Duplicate,
    Delete,
    Follow,
    ZoomIn,
    ZoomOut,
    NextTab,
    PreviousTab,
    Fold,
    Raw,
    Yank,
    YankRepro,
    Compare,
    OpenFile,
    RunOne,
    Step,
    RunAll,
    StopReplay,
    Compose,
    Differences,
    Accept,
    Reject,
    SaveFiring,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In every pane, except while text is typed and the key is a plain character.
    Everywhere,
    In(Pane),
    /// In every pane with a list or text to move in.
    Lists,
}

#[derive(Debug, Clone, Copy)]
pub struct CommandSpec {
    pub command: Command,
    pub name: &'static str,
    /// Its keys, unless remapped.
    pub keys: &'static [&'static str],
    pub scope: Scope,
    pub about: &'static str,
    /// The footer's word; none keeps it out of the footer.
    pub hint: Option<&'static str>,
}

const fn row(
    command: Command,
    name: &'static str,
    keys: &'static [&'static str],
    scope: Scope,
    about: &'static str,
    hint: Option<&'static str>,
) -> CommandSpec {
    CommandSpec { command, name, keys, scope, about, hint }
}

use Command as C;
use Scope::{Everywhere, In, Lists};

/// The table. Within a scope the order is the footer's priority.
#[rustfmt::skip]
pub const COMMANDS: &[CommandSpec] = &[
    row(C::Toggle, "toggle-hook", &["space"], In(Pane::Hooks), "switch the hook off for this run, then for this project, then on again", Some("on/off")),
    row(C::ToggleLayer, "toggle-layer", &["L"], In(Pane::Hooks), "switch all hooks of this one's layer off for this run, or on again", None),
    row(C::Playground, "matcher-playground", &["m"], In(Pane::Hooks), "type a tool name and see which matchers fit", Some("matchers")),
    row(C::Edit, "edit", &["e"], In(Pane::Hooks), "open the settings file at this hook in your editor", Some("edit")),
    row(C::UndoToggles, "undo-toggle", &["u"], In(Pane::Hooks), "undo the last on/off", Some("undo")),
    row(C::PickEvent, "pick-event", &["ctrl-o"], In(Pane::Composer), "start from a template or a recorded payload", Some("templates")),
    row(C::EditPayload, "edit-payload", &["ctrl-g"], In(Pane::Composer), "edit the payload in your editor", Some("editor")),
    row(C::Tidy, "tidy-payload", &["ctrl-t"], In(Pane::Composer), "indent the payload", Some("tidy")),
    row(C::Rerun, "rerun", &["r"], In(Pane::Timeline), "fire the selected event again", Some("re-run")),
    row(C::Pin, "pin", &["p"], In(Pane::Timeline), "fire it again on every save of settings or script", Some("pin")),
    row(C::Cancel, "cancel", &["x"], In(Pane::Timeline), "interrupt the selected firing", Some("cancel")),
    row(C::Duplicate, "duplicate", &["d"], In(Pane::Timeline), "edit a copy of its payload in the composer", Some("edit copy")),
    row(C::Follow, "follow", &["f"], In(Pane::Timeline), "stay at the newest, or hold still; recording goes on either way", Some("follow")),
    row(C::SaveFiring, "save-firing", &["w"], In(Pane::Timeline), "add the event and its outcome to a recording", None),
    row(C::Kill, "kill", &["X"], In(Pane::Timeline), "kill the selected run", None),
    row(C::RerunAll, "rerun-all", &["R"], In(Pane::Timeline), "fire every listed event again, oldest first", None),
    row(C::Delete, "delete", &["D"], In(Pane::Timeline), "take it off the list", None),
    row(C::ZoomIn, "zoom-in", &["+", "="], In(Pane::Timeline), "wider bars", None),
    row(C::ZoomOut, "zoom-out", &["-"], In(Pane::Timeline), "narrower bars", None),
    row(C::NextTab, "next-tab", &["l", "right"], In(Pane::Detail), "next tab", Some("next tab")),
    row(C::PreviousTab, "previous-tab", &["h", "left"], In(Pane::Detail), "previous tab", None),
    row(C::Fold, "fold", &["space"], In(Pane::Detail), "fold or unfold the JSON under the cursor", Some("fold")),
    row(C::Raw, "raw", &["t"], In(Pane::Detail), "show stdin as its exact text, or as a tree", Some("raw/tree")),
    row(C::Yank, "copy", &["y"], In(Pane::Detail), "copy what this tab shows", Some("copy")),
    row(C::YankRepro, "copy-repro", &["Y"], In(Pane::Detail), "copy a shell line that reproduces the run", None),
    row(C::Compare, "compare", &["b"], In(Pane::Detail), "mark this run as the one the Diff tab compares with", None),
    row(C::NextMatch, "next-match", &["n"], In(Pane::Detail), "next match", None),
    row(C::PreviousMatch, "previous-match", &["N"], In(Pane::Detail), "previous match", None),
    row(C::RunOne, "run-one", &["r"], In(Pane::Replay), "fire the selected payload", Some("run")),
    row(C::Step, "step", &["s"], In(Pane::Replay), "fire it and go to the next", Some("step")),
    row(C::RunAll, "run-all", &["a"], In(Pane::Replay), "fire all of them in order", Some("run all")),
    row(C::StopReplay, "stop-replay", &["x"], In(Pane::Replay), "stop after the one that runs", Some("stop")),
    row(C::OpenFile, "open-file", &["o"], In(Pane::Replay), "open a recording, a payload log or a transcript", Some("open")),
    row(C::Compose, "compose", &["c"], In(Pane::Replay), "edit it in the composer", Some("edit")),
    row(C::Differences, "differences", &["f"], In(Pane::Replay), "list only events that differ from what happened then, both answers side by side", Some("differences")),
    row(C::Accept, "accept", &["A"], In(Pane::Replay), "it is right now: add it with its outcome to the accepted ones", None),
    row(C::Reject, "reject", &["X"], In(Pane::Replay), "it was right then: mark the difference as wrong", None),
    row(C::Edit, "edit-problem", &["e"], In(Pane::Problems), "open the file at this place in your editor", Some("edit")),
    row(C::Up, "up", &["k", "up"], Lists, "one up", None),
    row(C::Down, "down", &["j", "down"], Lists, "one down", None),
    row(C::PageUp, "page-up", &["ctrl-u", "pageup"], Lists, "half a page up", None),
    row(C::PageDown, "page-down", &["ctrl-d", "pagedown"], Lists, "half a page down", None),
    row(C::Top, "top", &["g", "home"], Lists, "to the top", None),
    row(C::Bottom, "bottom", &["G", "end"], Lists, "to the bottom", None),
    row(C::Open, "open", &["enter"], Lists, "show the selected thing in detail", None),
    row(C::Filter, "filter", &["/"], Lists, "filter the list, or search the text", Some("filter")),
    row(C::Fire, "fire", &["ctrl-r"], Everywhere, "fire the event in the composer", Some("fire")),
    row(C::Palette, "commands", &[":", "ctrl-p"], Everywhere, "find and run any command", Some("commands")),
    row(C::Help, "help", &["?", "f1"], Everywhere, "keys of this pane", Some("help")),
    row(C::Quit, "quit", &["q"], Everywhere, "leave; asks only while hooks run", Some("quit")),
    row(C::Interrupt, "interrupt", &["ctrl-c"], Everywhere, "interrupt running hooks, again kill them; leave when none run", None),
    row(C::NextPane, "next-pane", &["tab"], Everywhere, "next pane", None),
    row(C::PreviousPane, "previous-pane", &["backtab"], Everywhere, "previous pane", None),
    row(C::Go(Pane::Hooks), "hooks", &["1"], Everywhere, "go to the hooks", None),
    row(C::Go(Pane::Composer), "composer", &["2"], Everywhere, "go to the composer", None),
    row(C::Go(Pane::Timeline), "timeline", &["3"], Everywhere, "go to the timeline", None),
    row(C::Go(Pane::Detail), "detail", &["4"], Everywhere, "go to the details", None),
    row(C::Go(Pane::Replay), "replay", &["5"], Everywhere, "go to the recorded payloads", None),
    row(C::Go(Pane::Problems), "problems", &["6"], Everywhere, "go to the problems", None),
    row(C::Back, "back", &["esc"], Everywhere, "one step back: closes, clears, never quits", None),
    row(C::Suspend, "suspend", &["ctrl-z"], Everywhere, "suspend; timers stand still meanwhile", None),
    row(C::CycleTheme, "theme", &["T"], Everywhere, "next theme", None),
];

impl CommandSpec {
    pub fn works_in(&self, pane: Pane) -> bool {
        match self.scope {
            Scope::Everywhere => true,
            Scope::In(own) => own == pane,
            Scope::Lists => pane != Pane::Composer,
        }
    }
}

/// Why `command` cannot be used now; none if it can.
pub fn disabled(app: &App, command: Command) -> Option<&'static str> {
    let reason = |missing: bool, why: &'static str| missing.then_some(why);
    match command {
        C::Edit if app.focus == Pane::Hooks => reason(app.hook_rows().is_empty(), "no hook is selected"),
        C::Toggle | C::ToggleLayer => reason(app.selected_hook().is_none(), "no hook is selected"),
        C::Edit => reason(app.selected_problem().is_none(), "no problem is selected"),
        C::UndoToggles => reason(app.switches.undo.is_empty(), "nothing was switched"),
        C::Rerun | C::Pin | C::Duplicate | C::Delete => {
            reason(app.selected_firing().is_none(), "no firing is selected")
        }
        C::Cancel => reason(app.selected_firing().is_none_or(|id| !app.is_running(id)), "the selected firing is over"),
        C::Kill => reason(app.selected_live_run().is_none(), "no running hook is selected"),
        C::RerunAll => reason(app.store.is_empty(), "nothing was fired yet"),
        C::Yank | C::Compare | C::Fold | C::Raw => reason(app.selected_firing().is_none(), "nothing is selected"),
        C::YankRepro => reason(app.selected_run_report().is_none(), "no run is selected"),
        C::RunOne | C::Step | C::RunAll | C::Compose => reason(app.replay.items.is_empty(), "no payloads are open"),
        C::Differences => reason(app.replay.items.is_empty(), "no payloads are open"),
        C::Accept | C::Reject => reason(
            app.selected_replay().is_none_or(|i| app.replay.items[i].current.is_none()),
            "the selected event was not fired yet",
        ),
        C::SaveFiring => reason(
            app.selected_firing().is_none_or(|id| !app.reports.contains_key(&id)),
            "no finished firing is selected",
        ),
        C::StopReplay => reason(app.replay.queue.is_empty(), "no replay is running"),
        C::Fire => reason(app.composer.payload.is_err(), "the payload in the composer is not valid"),
        C::Filter => reason(
            !matches!(app.focus, Pane::Timeline | Pane::Replay | Pane::Detail),
            "this pane has no filter; the timeline, the replay list and the details have one",
        ),
        C::NextMatch | C::PreviousMatch => reason(app.detail.search.is_empty(), "nothing is searched for"),
        _ => None,
    }
}
