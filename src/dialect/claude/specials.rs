//! The parts of a verdict that only one or two events have: rewritten output, titles, watch lists, worktrees, wake-ups.

use serde_json::{Value, json};

use super::facts::ClaudeDraft;
use super::merge::ClaudeMerge;
use super::result::ClaudeResult;
use crate::dialect::event::{OtherExit, TextAs};
use crate::model::{Background, Handler};

impl ClaudeMerge<'_> {
    pub(super) fn specials(&self, v: &mut ClaudeDraft, results: &[&ClaudeResult]) {
        let last = |name: &str| results.iter().rev().find_map(|r| r.own(name).cloned());
        let has = |name: &str| self.row.specific_field(name).is_some();
        if has("updatedToolOutput") {
            v.updated_output = self.rewritten_output(results);
        }
        if has("suppressOriginalPrompt") {
            let shown = last("suppressOriginalPrompt") != Some(Value::Bool(true));
            v.facts.original_prompt_shown = Some(shown);
        }
        if has("watchPaths") {
            v.facts.watch_paths = Some(last("watchPaths").unwrap_or(Value::Null));
        }
        if has("displayContent") {
            let shown = last("displayContent").or_else(|| self.payload.fields.get("delta").cloned());
            v.facts.display = Some(shown.unwrap_or(Value::Null));
        }
        if has("action") {
            // A decline from any hook wins, and exit 2 makes the rest of its answer void.
            let declined = v.blocked || results.iter().any(|r| r.own("action") == Some(&json!("decline")));
            v.blocked = declined;
            let action = if declined { json!("decline") } else { last("action").unwrap_or(Value::Null) };
            v.facts.content = Some(last("content").filter(|_| !declined).unwrap_or(Value::Null));
            v.facts.action = Some(action);
        }
        match (self.row.exit.other, self.row.text) {
            (OtherExit::ActionFails, TextAs::Path) => self.worktree_create(v, results),
            (OtherExit::ActionFails, _) => {
                let there = self.host.directory_exists_after != Some(false);
                v.blocked = there && results.iter().any(|r| r.exit != Some(0));
            }
            _ => {}
        }
        let of_row = |name: &str| has(name).then(|| last(name)).flatten();
        v.facts.initial_user_message = of_row("initialUserMessage");
        v.facts.reload_skills = of_row("reloadSkills");
        v.facts.classifier_context = of_row("classifierContext");
        let titled =
            !(self.event() == "SessionStart" && matches!(self.payload.text("source"), Some("clear" | "compact")));
        v.facts.session_title = last("sessionTitle").filter(|_| titled);
        v.facts.wakes = results.iter().any(|r| r.background).then_some(false);
        let mut wakers = results.iter().filter(|r| r.hook.options.background == Background::MayWake);
        let first = wakers.clone().next();
        if let Some(waker) = wakers.find(|r| r.exit == Some(2)).or(first) {
            let wakes = waker.exit == Some(2);
            let text =
                if waker.stderr.trim().is_empty() { waker.stdout.clone() } else { waker.stderr.trim().to_string() };
            v.facts.wakes = Some(wakes);
            v.facts.wake_text = Some(if wakes { json!(text) } else { Value::Null });
        }
    }

    /// The last rewrite to finish whose shape is the tool's own; output of MCP tools is not checked.
    fn rewritten_output(&self, results: &[&ClaudeResult]) -> Option<Value> {
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
        let of = |r: &&ClaudeResult| {
            let rewrite = r.own("updatedToolOutput").or_else(|| r.own("updatedMCPToolOutput").filter(|_| mcp));
            rewrite.filter(fits).cloned()
        };
        results.iter().rev().find_map(of)
    }

    /// The last line of a command, or the field of a request; any failure fails the creation.
    fn worktree_create(&self, v: &mut ClaudeDraft, results: &[&ClaudeResult]) {
        let http = |r: &ClaudeResult| matches!(r.hook.configured(), Handler::Http { .. });
        let failed = results.iter().find(|r| r.exit != Some(0) && !r.background);
        let path = results.iter().find_map(|r| {
            if http(r) {
                return ClaudeResult::text(r.own("worktreePath"));
            }
            let plain = |line| anstream::adapter::strip_str(line).to_string().trim().to_string();
            r.stdout.lines().rev().map(plain).find(|l| !l.is_empty())
        });
        // An absolute path that climbs is refused; a relative one is one of the directory the hook ran in.
        let climbs = |p: &String| p.starts_with('/') && p.split('/').any(|part| part == ".." || part == ".");
        let path = path.filter(|p| failed.is_none() && !climbs(p)).map(|p| {
            let cwd = self.payload.text("cwd").unwrap_or_default();
            if p.starts_with('/') || cwd.is_empty() { p } else { resolved(cwd, &p) }
        });
        v.blocked = path.is_none();
        v.rule = match (failed, &path) {
            (Some(hook), _) => format!("`{}` failed, so no worktree is made.", hook.hook.label),
            (None, None) => "No hook gave a path that can be used, so no worktree is made.".into(),
            (None, Some(_)) => "The last line of stdout is the path.".into(),
        };
        v.facts.worktree_path = Some(json!(path));
    }
}

/// `path` below `cwd`, its dots resolved.
fn resolved(cwd: &str, path: &str) -> String {
    let mut parts: Vec<&str> = cwd.split('/').collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}
