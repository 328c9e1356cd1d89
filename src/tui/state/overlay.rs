//! What can lie over the panes: help, palette, questions and prompts. Only one at a time, and it gets all keys.

use std::collections::VecDeque;

use serde_json::Value;

use super::Cursor;
use crate::settings::ConsentItem;
use crate::tui::fire_order::FireOrder;

#[derive(Debug)]
pub enum Overlay {
    /// The keys that work in the focused pane.
    Help { top: usize },
    /// A list to search and choose from.
    Choice { of: Choices, query: String, cursor: Cursor },
    /// May the commands that are new or changed run? If so, `order` is fired.
    Consent { order: Box<FireOrder>, items: Vec<ConsentItem>, top: usize },
    /// What would a model reply to the first of `requests`? After the last reply, `order` is fired.
    Reply { order: Box<FireOrder>, requests: VecDeque<ReplyRequest>, replies: Vec<Value>, text: String },
    /// May the hooks that run be ended?
    Quit,
    /// A line to type in place of the footer.
    Prompt { kind: PromptKind, text: String },
}

#[derive(Debug, Clone, Copy)]
pub enum Choices {
    Commands,
    /// Templates and recorded payloads to start from.
    Events,
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
