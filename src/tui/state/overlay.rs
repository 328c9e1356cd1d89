//! What can lie over the panes: help, palette, questions and prompts. Only one at a time, and it gets all keys.

use std::collections::VecDeque;

use serde_json::Value;

use super::Cursor;
use crate::settings::ConsentItem;
use crate::tui::fire_order::FireOrder;

#[derive(Debug)]
pub enum Overlay {
    /// The keys that work in the focused pane.
    Help {
        top: usize,
    },
    /// A list of commands to search.
    Palette {
        query: String,
        cursor: Cursor,
    },
    Consent {
        /// What is fired if the user agrees.
        order: Box<FireOrder>,
        /// The commands that are new or changed.
        asked: Vec<ConsentItem>,
        top: usize,
    },
    /// The question what a model would reply to a hook.
    Reply {
        /// What is fired once all replies are there.
        order: Box<FireOrder>,
        /// Hooks still without a reply, the current one first.
        asked: VecDeque<ReplyRequest>,
        /// Replies so far, in the order of their hooks.
        given: Vec<Value>,
        text: String,
    },
    Quit,
    /// A list of templates and recorded payloads to start from.
    Events {
        query: String,
        cursor: Cursor,
    },
    /// A line to type in place of the footer.
    Prompt {
        kind: PromptKind,
        text: String,
    },
}

/// A hook that needs a reply from a model or a tool server, which hookdbg never makes up.
#[derive(Debug, Clone)]
pub struct ReplyRequest {
    /// The hook's name; replies are remembered by it.
    pub hook: String,
    /// `prompt`, `agent` or `mcp_tool`.
    pub kind: String,
    /// The prompt, or the tool to call.
    pub text: String,
}

impl ReplyRequest {
    /// A reply to start typing from.
    pub fn example(&self) -> &'static str {
        if self.kind == "mcp_tool" { "{}" } else { r#"{"ok": true}"# }
    }
}

/// What happens with the line of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// It filters the focused list, or is searched for in the details.
    Filter,
    /// It is a tool name to try all matchers with.
    Playground,
    /// It is a file of payloads to open.
    OpenFile,
    /// It is the recording the selected firing is added to.
    SaveTo,
}
