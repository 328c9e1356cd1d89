//! The parts of a verdict that only one or two events have: rewritten output, titles, watch lists, worktrees, wake-ups.

use serde_json::{Value, json};

use super::merge::Merge;
use super::result::Result;
use crate::model::Verdict;

impl Merge {
    /// What only one or two events have.
    pub(super) fn specials(&self, v: &mut Verdict, results: &[&Result]) {
        let last = |name: &str| results.iter().rev().find_map(|r| r.own(name).cloned());
        match self.event() {
            "PostToolUse" => v.updated_output = self.rewritten_output(results),
            "UserPromptSubmit" | "UserPromptExpansion" => {
                v.host.insert(
                    "original_prompt_shown".into(),
                    json!(last("suppressOriginalPrompt") != Some(Value::Bool(true))),
                );
            }
            "CwdChanged" | "FileChanged" | "SessionStart" => {
                v.host.insert("watch_paths".into(), last("watchPaths").unwrap_or(Value::Null));
            }
            "MessageDisplay" => {
                let shown = last("displayContent")
                    .unwrap_or_else(|| self.payload.fields.get("delta").cloned().unwrap_or(Value::Null));
                v.host.insert("display".into(), shown);
            }
            "Elicitation" | "ElicitationResult" => {
                // A decline from any hook wins, and exit 2 makes the rest of its answer void.
                let declined = v.blocked || results.iter().any(|r| r.own("action") == Some(&json!("decline")));
                v.blocked = declined;
                let action = if declined { json!("decline") } else { last("action").unwrap_or(Value::Null) };
                v.host.insert("content".into(), last("content").filter(|_| !declined).unwrap_or(Value::Null));
                v.host.insert("action".into(), action);
            }
            "WorktreeCreate" => Self::worktree_create(v, results),
            "WorktreeRemove" => {
                let there = self.host.get("directory_exists_after") != Some(&Value::Bool(false));
                v.blocked = there && results.iter().any(|r| r.exit != Some(0));
            }
            _ => {}
        }
        let titled =
            !(self.event() == "SessionStart" && matches!(self.payload.text("source"), Some("clear" | "compact")));
        if let Some(title) = last("sessionTitle").filter(|_| titled) {
            v.host.insert("session_title".into(), title);
        }
        if results.iter().any(|r| r.background) {
            v.host.insert("wakes".into(), json!(false));
        }
        let waker = results.iter().find(|r| r.options.get("asyncRewake") == Some(&Value::Bool(true)));
        if let Some(waker) = waker {
            let wakes = waker.exit == Some(2);
            let text =
                if waker.stderr.trim().is_empty() { waker.stdout.clone() } else { waker.stderr.trim().to_string() };
            v.host.insert("wakes".into(), json!(wakes));
            v.host.insert("wake_text".into(), if wakes { json!(text) } else { Value::Null });
        }
    }

    /// The last rewrite to finish whose shape is the tool's own; output of MCP tools is not checked.
    fn rewritten_output(&self, results: &[&Result]) -> Option<Value> {
        let tool = self.payload.text("tool_name").unwrap_or_default();
        let mcp = tool.starts_with("mcp__");
        let needed: &[&str] = match tool {
            "Bash" => &["stdout", "stderr", "interrupted"],
            "Write" => &["filePath", "content"],
            "Edit" => &["filePath", "oldString", "newString"],
            "Read" => &["type", "file"],
            "Glob" | "Grep" => &["filenames"],
            _ => &[],
        };
        let fits = |v: &&Value| mcp || v.as_object().is_some_and(|o| needed.iter().all(|k| o.contains_key(*k)));
        let of = |r: &&Result| {
            let rewrite = r.own("updatedToolOutput").or_else(|| r.own("updatedMCPToolOutput").filter(|_| mcp));
            rewrite.filter(fits).cloned()
        };
        results.iter().rev().find_map(of)
    }

    fn worktree_create(v: &mut Verdict, results: &[&Result]) {
        let path = results.iter().find_map(|r| {
            if let Some(path) = Result::text(r.own("worktreePath")) {
                return Some(path);
            }
            let line = r.stdout.lines().rev().map(|l| strip_ansi(l).trim().to_string()).find(|l| !l.is_empty());
            line.filter(|_| r.exit == Some(0))
        });
        // A path that climbs is refused.
        let path = path.filter(|p| !p.split('/').any(|part| part == ".." || part == "."));
        v.blocked = path.is_none();
        v.rule = if v.blocked {
            "No hook gave a path, so no worktree is made.".into()
        } else {
            "The last line of stdout is the path.".into()
        };
        v.host.insert("worktree_path".into(), json!(path));
    }
}

fn strip_ansi(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            while chars.next().is_some_and(|c| !c.is_ascii_alphabetic()) {}
        } else {
            out.push(c);
        }
    }
    out
}
