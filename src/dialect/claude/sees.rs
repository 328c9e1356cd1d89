//! The host's own composition of what the model and the user read, in its words.
//!
//! Texts for the model are paragraphs with a blank line between them; what is a tool result comes first.

use serde_json::Value;

use super::answer::Parsed;
use super::facts::{ClaudeDraft, ClaudeEffect};
use super::merge::{BlockKind, BlockReason, ClaudeMerge};
use super::result::ClaudeResult;
use crate::dialect::event::{ContextStyle, Exit, Inside, MergeClass, NamedBy, OtherExit, SharedFields, TextAs, Texts};
use crate::model::{Handler, HostMode};

/// Characters of one context string before it goes to a file.
const CONTEXT_CAP: usize = 10_000;
const PREVIEW: usize = 2_000;

/// Exit codes that mean the hook never gave an answer.
const NO_ANSWER: [i32; 3] = [126, 127, 255];

impl ClaudeMerge<'_> {
    /// `Event:value` where the host names hooks so.
    pub(super) fn hook_name(&self) -> String {
        let value = super::matcher::value(self.payload, self.row, self.profile.aliases);
        match value.filter(|v| !v.is_empty() && self.row.named_by != NamedBy::Event) {
            Some(value) => format!("{}:{value}", self.event()),
            None => self.event().to_string(),
        }
    }

    /// The name in front of context, which drops the value on three events.
    fn context_name(&self) -> String {
        match self.row.named_by {
            NamedBy::ValueButContext => self.event().to_string(),
            NamedBy::Event | NamedBy::Value => self.hook_name(),
        }
    }

    pub(super) fn notices(&self, v: &mut ClaudeDraft, results: &[&ClaudeResult]) {
        let waited = || results.iter().filter(|r| !r.background);
        let mut notices: Vec<String> = waited().filter_map(|r| r.notice.clone()).collect();
        if self.row.exit.two == Exit::Notice {
            let blocked = waited().filter(|r| r.exit == Some(2));
            notices.extend(blocked.map(|r| format!("[{}]: {}", r.hook.name, r.stderr)));
            notices.extend(waited().filter_map(|r| r.blocked_by_failure.clone()));
        }
        if self.row.exit.other == OtherExit::Quiet {
            notices.clear();
        }
        v.facts.notices = notices;
        if self.row.inside == Inside::Subagent && self.row.exit.two == Exit::Notice {
            v.facts.notices_in = Some("subagent");
        }
    }

    /// Texts for the model's context: whole ones in the verdict, over-long ones as a preview.
    pub(super) fn context(&self, v: &mut ClaudeDraft, results: &[&ClaudeResult]) {
        let whole: Vec<String> = results.iter().flat_map(|r| self.context_of(r)).map(|c| c.text).collect();
        let later: Vec<String> = results.iter().filter(|r| r.background).flat_map(|r| next_turn_context(r)).collect();
        v.facts.context_truncated = whole.iter().map(|t| is_long(t)).collect();
        v.facts.preview_max_chars = PREVIEW;
        v.facts.next_turn_context = later;
        if self.row.inside == Inside::Subagent {
            v.facts.context_in = Some("subagent");
        }
        v.context = whole.into_iter().map(preview_if_long).collect();
    }

    /// What `result` gives the model beside decisions: plain stdout before its `additionalContext`.
    fn context_of(&self, result: &ClaudeResult) -> Vec<Context> {
        let mut found = Vec::new();
        if result.background {
            return found;
        }
        if let (Parsed::Text(text), TextAs::Context, Some(0)) = (&result.parsed, self.row.text, result.exit) {
            found.push(Context { plain: true, text: text.clone() });
        }
        let mut said = |text: Option<String>| found.extend(text.map(|text| Context { plain: false, text }));
        if self.row.heeds("additionalContext") {
            said(ClaudeResult::text(result.own("additionalContext")));
        }
        if let SharedFields::MessageToModel(field, value) = self.row.shared
            && self.payload.text(field) != Some(value)
        {
            said(ClaudeResult::text(result.field("systemMessage")));
        }
        found
    }

    /// The paragraphs of context in the host's words.
    fn context_paragraphs(&self, results: &[&ClaudeResult]) -> Vec<String> {
        let found = results.iter().flat_map(|r| self.context_of(r));
        let found: Vec<Context> = found.map(|c| Context { text: preview_if_long(c.text), ..c }).collect();
        let name = self.context_name();
        let added = |text: &str| format!("{name} hook additional context: {text}");
        let success = |c: &Context| format!("{} hook success: {}", self.hook_name(), c.text);
        let joined: Vec<&str> = found.iter().filter(|c| !c.plain).map(|c| c.text.as_str()).collect();
        match self.row.context {
            ContextStyle::Joined => {
                let plain = found.iter().filter(|c| c.plain).map(success);
                plain.chain((!joined.is_empty()).then(|| added(&joined.join("\n")))).collect()
            }
            ContextStyle::Reminder => {
                let inside = found.iter().map(|c| format!("Stop hook additional context: {}", c.text));
                inside.map(|text| format!("<system-reminder>\n{text}\n</system-reminder>")).collect()
            }
            ContextStyle::Line => found.iter().map(|c| format!("{} hook: {}", self.event(), c.text)).collect(),
            ContextStyle::Each => found.iter().map(|c| if c.plain { success(c) } else { added(&c.text) }).collect(),
        }
    }

    pub(super) fn model_sees(&self, v: &ClaudeDraft, results: &[&ClaudeResult], blocks: &[BlockReason<'_>]) -> String {
        let name = self.hook_name();
        let mut parts: Vec<String> = Vec::new();
        let to_model = matches!(v.reason_to.as_deref(), Some("claude" | "subagent" | "teammate"));
        let turn = self.row.merge == MergeClass::Turn;
        match self.row.texts {
            Texts::Call => parts.extend(self.tool_result(v, blocks)),
            Texts::Request if v.blocked && to_model => {
                parts.push(v.reason.clone().unwrap_or_else(|| "Permission denied by hook".into()));
            }
            _ if self.row.merge == MergeClass::Prompt && v.blocked => return String::new(),
            _ if to_model && (v.blocked || !turn) => {
                for block in blocks {
                    parts.extend(self.block_paragraphs(&name, block));
                }
            }
            _ => {}
        }
        let feedback_taken = turn && !blocks.is_empty();
        if !feedback_taken {
            parts.extend(self.context_paragraphs(results));
        }
        if v.halt && (self.row.merge != MergeClass::Batch || blocks.is_empty()) {
            parts.push(format!("{name} hook stopped continuation: {}", v.stop_reason.as_deref().unwrap_or_default()));
        }
        parts.join("\n\n")
    }

    /// The result of a call that was refused, or that nobody could be asked about.
    fn tool_result(&self, v: &ClaudeDraft, blocks: &[BlockReason<'_>]) -> Option<String> {
        let name = self.hook_name();
        if v.facts.effect == Some(ClaudeEffect::InvalidRewrite) {
            return v.reason.clone();
        }
        match v.decision.as_deref() {
            Some("deny") => {
                let text = blocks.last().map_or_else(|| v.reason.clone(), |b| Some(b.text.clone()));
                Some(format!("{name} hook error: {}", text.unwrap_or_else(|| "Blocked by hook".into())))
            }
            Some("ask") if self.host.mode == HostMode::Headless => {
                Some(v.reason.clone().unwrap_or_else(|| format!("Hook {name} asked for confirmation for this tool")))
            }
            _ => None,
        }
    }

    fn block_paragraphs(&self, name: &str, block: &BlockReason<'_>) -> Vec<String> {
        let text = &block.text;
        match self.row.texts {
            Texts::Turn => {
                let feedback = format!("Stop hook feedback:\n{text}");
                let reminder = format!("{name} hook blocking error from command: \"{}\": {text}", block.by.hook.name);
                match block.kind {
                    BlockKind::Exit => vec![feedback],
                    BlockKind::Json | BlockKind::Failure | BlockKind::Reply => vec![feedback, reminder],
                }
            }
            Texts::AfterCall => {
                vec![format!("{name} hook blocking error from command: \"{}\": {text}", block.by.hook.name)]
            }
            Texts::Batch => vec![format!("{name} hook stopped continuation: {text}")],
            Texts::Task => vec![format!("{} hook feedback:\n{text}", self.event())],
            Texts::Reason | Texts::Call | Texts::Request | Texts::Prompt | Texts::Compaction | Texts::Switch => {
                vec![text.clone()]
            }
        }
    }

    pub(super) fn user_sees(&self, v: &ClaudeDraft, results: &[&ClaudeResult], blocks: &[BlockReason<'_>]) -> String {
        let name = self.hook_name();
        let mut parts: Vec<String> =
            v.facts.notices.iter().map(|n| notice_line(&name, n.lines().next().unwrap_or_default())).collect();
        parts.extend(self.no_verdict(results));
        let texts = || blocks.iter().map(|b| b.text.clone()).collect::<Vec<_>>().join("\n");
        match self.row.texts {
            Texts::Prompt if v.blocked => {
                let shown = v.facts.original_prompt_shown != Some(false);
                let prompt = self.payload.text("prompt").unwrap_or_default();
                let original = if shown { format!("\n\nOriginal prompt: {prompt}") } else { String::new() };
                parts.push(format!("{} operation blocked by hook:\n{}{original}", self.event(), texts()));
            }
            Texts::Switch => parts.extend(switch_refused(v, results)),
            Texts::Call if self.host.mode == HostMode::Interactive => match v.decision.as_deref() {
                Some("deny") => {
                    let text = self.tool_result(v, blocks).unwrap_or_default();
                    let first = text.lines().next().unwrap_or_default();
                    parts.push(format!("Not run · permission denied\nReason: {first}"));
                }
                Some("ask") => parts.push(format!(
                    "Hook {name} requires confirmation for this command:\n{} [settings]",
                    v.reason.as_deref().unwrap_or_default()
                )),
                _ => {}
            },
            Texts::Request if v.blocked && v.reason_to.as_deref() == Some("user") => {
                parts.extend(v.reason.clone());
            }
            Texts::Compaction if self.payload.text("trigger") == Some("auto") => {}
            Texts::Turn if v.blocked && self.host.mode == HostMode::Interactive => {
                parts.extend(blocks.iter().map(|b| format!("Stop hook error: {}", b.text)));
            }
            Texts::AfterCall if !blocks.is_empty() && self.host.mode == HostMode::Interactive => {
                parts.extend(blocks.iter().map(|b| format!("{name} hook returned blocking error\n{}", b.text)));
            }
            Texts::Turn if self.row.inside == Inside::Session && v.facts.effect == Some(ClaudeEffect::CapOverride) => {
                parts.push(v.rule.clone());
            }
            _ if v.reason_to.as_deref() == Some("user") && !blocks.is_empty() => parts.push(texts()),
            _ => {}
        }
        parts.extend(v.system_messages.iter().map(|m| format!("{name} says: {m}")));
        if v.halt {
            parts.push(format!("Operation stopped by hook: {}", v.stop_reason.as_deref().unwrap_or_default()));
        }
        parts.join("\n")
    }

    /// The warning that a guard did not guard.
    fn no_verdict(&self, results: &[&ClaudeResult]) -> Option<String> {
        // A message of the stream; the screen of a person does not have it.
        if self.row.texts != Texts::Call || self.host.mode == HostMode::Interactive {
            return None;
        }
        let of_use = |r: &&&ClaudeResult| !r.background && r.blocked_by_failure.is_none();
        let late = results.iter().filter(of_use).any(|r| r.run == "cancelled");
        let unusable = |r: &&ClaudeResult| {
            let bad_json = matches!(r.parsed, Parsed::ParseError(_) | Parsed::SchemaError(_));
            let no_verdict = matches!(r.hook.configured(), Handler::Prompt { .. } | Handler::Agent { .. });
            r.run == "non_blocking_error"
                && (bad_json || no_verdict || r.exit.is_none_or(|c| NO_ANSWER.contains(&c)) || r.signalled)
        };
        let useless = results.iter().filter(of_use).any(unusable);
        if useless {
            Some("A hook gave no usable answer, so it didn't check this action.".into())
        } else {
            late.then(|| "A hook didn't answer in time, so it didn't check this action.".into())
        }
    }
}

fn switch_refused(v: &ClaudeDraft, results: &[&ClaudeResult]) -> Option<String> {
    const BLOCKED: &str = "Model switch blocked by a PreModelSwitch hook";
    if !v.blocked {
        return None;
    }
    let late = results.iter().any(|r| r.run == "cancelled");
    Some(match (v.decision.as_deref(), &v.reason) {
        (Some("ask"), _) => format!("{BLOCKED}: confirmation required, and this session cannot ask"),
        (_, Some(reason)) => format!("{BLOCKED}: {reason}"),
        (_, None) if late => format!("{BLOCKED}: it did not respond before its timeout"),
        (_, None) => BLOCKED.to_string(),
    })
}

/// A notice that is a sentence of its own stands alone.
fn notice_line(name: &str, first: &str) -> String {
    if first.contains(" timed out after ") { first.to_string() } else { format!("{name} hook error: {first}") }
}

struct Context {
    plain: bool,
    text: String,
}

/// What a hook in the background leaves for the next turn: read leniently, all of it or its last JSON line; a field of
/// the wrong type is dropped alone.
fn next_turn_context(result: &ClaudeResult) -> Vec<String> {
    let object = |t: &str| serde_json::from_str::<Value>(t).ok().filter(Value::is_object);
    let answer = object(&result.stdout).or_else(|| result.stdout.lines().rev().find_map(object));
    let Some(answer) = answer else { return Vec::new() };
    let texts = [answer.get("systemMessage"), answer.pointer("/hookSpecificOutput/additionalContext")];
    texts.into_iter().filter_map(ClaudeResult::text).collect()
}

fn is_long(text: &str) -> bool {
    text.chars().count() > CONTEXT_CAP
}

/// A text over the cap is kept in a file of the session; the model gets its beginning.
#[expect(clippy::cast_precision_loss, reason = "a size for people")]
pub(super) fn preview_if_long(text: String) -> String {
    if !is_long(&text) {
        return text;
    }
    let preview: String = text.chars().take(PREVIEW).collect();
    format!(
        "<persisted-output>\nOutput too large ({:.1}KB). Full output saved to: <a file in the session's directory>\n\nPreview \
         (first 2KB):\n{preview}\n...\n</persisted-output>",
        text.len() as f64 / 1024.0
    )
}
