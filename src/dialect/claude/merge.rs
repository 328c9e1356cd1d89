//! From the results of a firing, in the order they finished, to its verdict.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::answer::Parsed;
use super::conduct::{Exit2, Other, Plain, Universal, conduct, takes_context};
use super::matcher;
use super::result::Result;
use crate::model::{Payload, Verdict};

/// Continuations a Stop hook gets in a row.
const STOP_CAP: i64 = 8;
/// Characters of one context string before it goes to a file.
const CONTEXT_CAP: usize = 10_000;
/// Characters of its preview.
const PREVIEW: usize = 2_000;

/// A block and its text.
struct Block {
    label: String,
    reason: Option<String>,
    sees: String,
}

/// The merge while results come in.
pub struct Merge {
    pub(super) payload: Payload,
    pub(super) host: Arc<Map<String, Value>>,
    results: Vec<(usize, Result)>,
}

impl Merge {
    /// For one event.
    pub fn new(payload: Payload, host: Arc<Map<String, Value>>) -> Self {
        Self { payload, host, results: Vec::new() }
    }

    /// The next to finish.
    pub fn add(&mut self, hook: usize, result: Result) {
        self.results.push((hook, result));
    }

    pub(super) fn event(&self) -> &str {
        &self.payload.event
    }

    /// `Event:value` where the event has one the host shows.
    fn hook_name(&self) -> String {
        let bare =
            ["UserPromptSubmit", "Stop", "SubagentStop", "PostToolBatch", "MessageDisplay"].contains(&self.event());
        match matcher::value(&self.payload).filter(|v| !v.is_empty() && !bare) {
            Some(value) => format!("{}:{value}", self.event()),
            None => self.event().to_string(),
        }
    }

    /// Whether this result alone would block.
    pub fn would_block(&self, result: &Result) -> bool {
        !result.background
            && (self.block_of(result).is_some() || self.permission_of(result).is_some_and(|p| p == "deny"))
    }

    /// How `result` blocks, if it does.
    fn block_of(&self, result: &Result) -> Option<Block> {
        let conduct = conduct(self.event());
        let name = self.hook_name();
        if result.background {
            return None;
        }
        if let Some(text) = &result.blocked_by_failure {
            return Some(Block {
                label: result.label.clone(),
                reason: Some(text.clone()),
                sees: format!("{name} hook error: {text}"),
            });
        }
        if let Some(reply) = result.reply.as_ref().filter(|r| !r.ok && !r.impossible) {
            let sees = match reply.kind.as_str() {
                "agent" => format!(
                    "{name} hook error: Agent hook condition was not met: {}",
                    reply.reason.clone().unwrap_or_default()
                ),
                _ => format!("{name} hook error: {}", reply.reason.clone().unwrap_or_default()),
            };
            let silent = ["PermissionRequest", "PermissionDenied"].contains(&self.event());
            return (!silent).then(|| Block { label: result.label.clone(), reason: reply.reason.clone(), sees });
        }
        let json_block = conduct.decides
            && conduct.universal != Universal::NoJson
            && result.field("decision") == Some(&json!("block"));
        let exit2 = result.exit == Some(2) && result.run == "blocking_error";
        if !json_block && !exit2 {
            return None;
        }
        let json_reason = Result::text(result.own("permissionDecisionReason"))
            .filter(|_| result.own("permissionDecision") == Some(&json!("deny")));
        let denies = result.own("permissionDecision") == Some(&json!("deny"));
        let top_reason = Result::text(result.field("reason")).filter(|_| json_block || denies);
        let reason = json_reason
            .or(top_reason)
            .or_else(|| Some(result.stderr.trim_end().to_string()).filter(|t| exit2 && !t.is_empty()));
        let stderr = if result.stderr.is_empty() { "No stderr output" } else { &result.stderr };
        let sees = match (json_block, &reason) {
            (true, Some(reason)) => format!("{name} hook error: {reason}"),
            (true, None) => format!("{name} hook error: Blocked by hook"),
            (false, _) => format!("{name} hook error: [{}]: {stderr}", result.command),
        };
        Some(Block { label: result.label.clone(), reason, sees })
    }

    fn permission_of(&self, result: &Result) -> Option<String> {
        if !matches!(self.event(), "PreToolUse" | "PreModelSwitch") {
            return None;
        }
        if self.block_of(result).is_some() {
            return Some("deny".into());
        }
        // Deferring a call works only where nobody sits in front of the screen.
        let headless = self.host.get("interactive") == Some(&Value::Bool(false));
        Result::text(result.own("permissionDecision"))
            .filter(|d| d != "defer" || headless)
            .or_else(|| (result.field("decision") == Some(&json!("approve"))).then(|| "allow".into()))
            .or_else(|| (self.event() == "PreModelSwitch" && result.run == "cancelled").then(|| "deny".into()))
    }

    /// The merged result.
    pub fn verdict(&mut self) -> Verdict {
        let mut v = Verdict { rule: "No hook decided anything.".into(), ..Verdict::default() };
        let order: Vec<(usize, Result)> = std::mem::take(&mut self.results);
        let results: Vec<&Result> = order.iter().map(|(_, r)| r).collect();
        self.notices(&mut v, &results);
        self.context(&mut v, &results);
        self.universal(&mut v, &results);
        match self.event().to_string().as_str() {
            "PreToolUse" | "PreModelSwitch" => self.permissions(&mut v, &results),
            "PermissionRequest" => Self::permission_request(&mut v, &results),
            "PermissionDenied" => self.permission_denied(&mut v, &results),
            _ => self.blocks(&mut v, &results),
        }
        self.specials(&mut v, &results);
        let mut by_place: Vec<&(usize, Result)> = order.iter().collect();
        by_place.sort_by_key(|(hook, _)| *hook);
        v.host.insert("run".into(), by_place.iter().map(|(_, r)| Value::from(r.run)).collect());
        v.host.insert("parse".into(), by_place.iter().map(|(_, r)| Value::from(r.parsed.word())).collect());
        v.errors = results.iter().filter_map(|r| r.notice.as_ref().map(|n| format!("{}: {n}", r.label))).collect();
        v
    }

    fn notices(&self, v: &mut Verdict, results: &[&Result]) {
        let conduct = conduct(self.event());
        let mut notices: Vec<String> =
            results.iter().filter(|r| !r.background).filter_map(|r| r.notice.clone()).collect();
        if conduct.exit2 == Exit2::Notice {
            let blocked = results.iter().filter(|r| r.exit == Some(2) && !r.background);
            notices.extend(blocked.map(|r| format!("[{}]: {}", r.command, r.stderr)));
            notices.extend(results.iter().filter_map(|r| r.blocked_by_failure.clone()));
        }

        if conduct.other == Other::Quiet {
            notices.clear();
        }
        if !notices.is_empty() {
            v.user_sees = notices
                .iter()
                .map(|n| format!("{} hook error: {}", self.hook_name(), n.lines().next().unwrap_or_default()))
                .collect::<Vec<_>>()
                .join("\n");
        }
        v.host.insert("notices".into(), json!(notices));
        if self.event() == "SubagentStart" {
            v.host.insert("notices_in".into(), json!("subagent"));
        }
    }

    fn context(&self, v: &mut Verdict, results: &[&Result]) {
        let conduct = conduct(self.event());
        let mut whole = Vec::new();
        let mut later = Vec::new();
        for result in results {
            if result.background {
                // Read leniently: all of it or its last JSON line; a field of the wrong type is dropped alone.
                let object = |t: &str| serde_json::from_str::<Value>(t).ok().filter(Value::is_object);
                let answer = object(&result.stdout).or_else(|| result.stdout.lines().rev().find_map(object));
                if let Some(answer) = answer {
                    later.extend(Result::text(answer.get("systemMessage")));
                    later.extend(Result::text(answer.pointer("/hookSpecificOutput/additionalContext")));
                }
                continue;
            }
            if let (Parsed::Text(text), Plain::Context, Some(0)) = (&result.parsed, conduct.plain, result.exit) {
                whole.push(text.clone());
            }
            if takes_context(self.event()) {
                whole.extend(Result::text(result.own("additionalContext")));
            }
            if self.event() == "DirectoryAdded" && self.payload.text("source") != Some("register_repo_root") {
                whole.extend(Result::text(result.field("systemMessage")));
            }
        }
        let long = |t: &String| t.chars().count() > CONTEXT_CAP;
        v.host.insert("context_truncated".into(), whole.iter().map(|t| Value::Bool(long(t))).collect());
        v.host.insert("preview_max_chars".into(), json!(PREVIEW));
        v.host.insert("next_turn_context".into(), json!(later));
        if matches!(self.event(), "SubagentStart" | "SubagentStop") {
            v.host.insert("context_in".into(), json!("subagent"));
        }
        v.context = whole
            .into_iter()
            .map(|t| if long(&t) { format!("{}…", t.chars().take(PREVIEW).collect::<String>()) } else { t })
            .collect();
        if !v.context.is_empty() {
            let name = self.hook_name();
            v.model_sees =
                v.context.iter().map(|c| format!("{name} hook additional context: {c}")).collect::<Vec<_>>().join("\n");
        }
    }

    fn universal(&self, v: &mut Verdict, results: &[&Result]) {
        let conduct = conduct(self.event());
        let messages = match conduct.universal {
            Universal::All => true,
            Universal::MessageOnly => self.event() != "DirectoryAdded",
            Universal::Neither | Universal::NoJson => false,
        };
        if messages {
            v.system_messages = results.iter().filter_map(|r| Result::text(r.field("systemMessage"))).collect();
        }
        let halts = conduct.universal == Universal::All
            && !(self.event() == "TaskCompleted" && self.host.get("trigger") == Some(&json!("TaskUpdate")));
        for result in results.iter().filter(|r| halts && r.field("continue") == Some(&Value::Bool(false))) {
            v.halt = true;
            v.stop_reason =
                Some(Result::text(result.field("stopReason")).unwrap_or_else(|| "Execution stopped by hook".into()));
        }
        let sequence =
            results.iter().filter_map(|r| Result::text(r.field("terminalSequence"))).find(|s| allowed_sequence(s));
        let heard = self.host.get("interactive") != Some(&Value::Bool(false)) && conduct.universal != Universal::NoJson;
        v.host.insert("terminal_sequence".into(), json!(sequence.filter(|_| heard)));
    }

    fn permissions(&self, v: &mut Verdict, results: &[&Result]) {
        let asked: Vec<(&Result, String)> =
            results.iter().filter(|r| !r.background).filter_map(|r| Some((*r, self.permission_of(r)?))).collect();
        let rank = |word: &str| ["allow", "ask", "defer", "deny"].iter().position(|w| *w == word).unwrap_or(0);
        let Some(decision) = asked.iter().map(|(_, d)| d.clone()).max_by_key(|d| rank(d)) else {
            Self::rewrites(v, results);
            return;
        };
        // Among several denies the last to finish gives the reason, among asks the first.
        let mut of_kind = asked.iter().filter(|(_, d)| *d == decision);
        let decider = if decision == "deny" { of_kind.next_back() } else { of_kind.next() };
        v.decision = Some(decision.clone());
        v.blocked = matches!(decision.as_str(), "deny" | "defer");
        v.rule = "deny before defer before ask before allow, whatever the order.".into();
        if let Some((result, _)) = decider {
            v.decided_by = Some(result.label.clone());
            let block = self.block_of(result);
            let said = || {
                let top = Result::text(result.field("reason")).filter(|_| decision == "deny");
                Result::text(result.own("permissionDecisionReason")).or(top)
            };
            v.reason = block.as_ref().map_or_else(said, |b| b.reason.clone());
            if decision == "deny" {
                let name = self.hook_name();
                let fallback =
                    format!("{name} hook error: {}", v.reason.clone().unwrap_or_else(|| "Blocked by hook".into()));
                v.model_sees = block.map_or(fallback, |b| b.sees);
                v.reason_to = Some(if self.event() == "PreModelSwitch" { "user" } else { "claude" }.into());
                // A model's refusal ends the turn, unless its hook says otherwise.
                if let Some(reply) = &result.reply {
                    v.halt |=
                        reply.kind == "prompt" && result.options.get("continueOnBlock") != Some(&Value::Bool(true));
                }
            } else {
                let headless = self.host.get("interactive") == Some(&Value::Bool(false));
                v.reason_to = match decision.as_str() {
                    "ask" if headless && self.event() == "PreToolUse" => Some("claude".into()),
                    "ask" => Some("user".into()),
                    _ => v.reason.is_some().then(|| "debug_log".into()),
                };
                v.blocked |= decision == "ask" && headless && self.event() == "PreModelSwitch";
            }
        }
        if !matches!(decision.as_str(), "deny" | "defer") {
            Self::rewrites(v, results);
        }
        self.rules(v);
    }

    /// Permission rules are looked at after the hooks, on the input they left.
    fn rules(&self, v: &mut Verdict) {
        let tool = self.payload.text("tool_name").unwrap_or_default();
        let names = |kind: &str| {
            self.host
                .get("permission_rules")
                .and_then(|r| r.get(kind))
                .and_then(Value::as_array)
                .is_some_and(|l| l.iter().any(|r| r == tool))
        };
        let effect = match v.decision.as_deref() {
            Some("allow") if names("deny") => Some("rule_denies"),
            Some("allow") if names("ask") => Some("rule_prompts"),
            Some("allow") if ["AskUserQuestion", "ExitPlanMode"].contains(&tool) && v.updated_input.is_none() => {
                Some("prompt_still_required")
            }
            _ => None,
        };
        if let Some(effect) = effect {
            v.host.insert("effect".into(), json!(effect));
            v.warnings
                .push("allow does not win over this host's own rules: the call is still refused or asked about".into());
        }
    }

    /// The last rewrite to finish counts.
    fn rewrites(v: &mut Verdict, results: &[&Result]) {
        let inputs: Vec<(&Result, &Value)> =
            results.iter().filter_map(|r| Some((*r, r.own("updatedInput")?))).collect();
        if let Some((_, input)) = inputs.last() {
            v.updated_input = Some((*input).clone());
        }
        if inputs.len() > 1 {
            let names: Vec<_> = inputs.iter().map(|(r, _)| r.label.clone()).collect();
            v.warnings.push(format!(
                "{} rewrite the same input: the last to finish wins, which is a race",
                names.join(" and ")
            ));
        }
    }

    fn permission_request(v: &mut Verdict, results: &[&Result]) {
        for result in results.iter().filter(|r| !r.background) {
            if result.blocked_by_failure.is_some() {
                v.decision = Some("deny".into());
                v.reason.clone_from(&result.blocked_by_failure);
            } else if let Some(decision) = result.own("decision") {
                v.decision = Result::text(decision.get("behavior"));
                v.reason = Result::text(decision.get("message"));
                v.updated_input =
                    decision.get("updatedInput").filter(|_| v.decision.as_deref() == Some("allow")).cloned();
                v.host.insert("interrupt".into(), json!(decision.get("interrupt") == Some(&Value::Bool(true))));
            } else {
                continue;
            }
            v.decided_by = Some(result.label.clone());
            v.blocked = v.decision.as_deref() == Some("deny");
            v.rule = "The first decision to finish wins.".into();
            let interrupts = v.host.get("interrupt") == Some(&Value::Bool(true));
            if v.blocked && interrupts {
                v.user_sees = v.reason.clone().unwrap_or_default();
                v.reason_to = Some("user".into());
            } else if v.blocked {
                v.model_sees = v.reason.clone().unwrap_or_else(|| "Permission denied by hook".into());
                v.reason_to = Some("claude".into());
            }
            return;
        }
    }

    fn permission_denied(&self, v: &mut Verdict, results: &[&Result]) {
        let wants = results.iter().any(|r| r.own("retry") == Some(&Value::Bool(true)));
        let evaluated = self.payload.text("reason").is_none_or(|r| !r.contains("could not evaluate"));
        v.host.insert("retry".into(), json!(wants && evaluated));
        v.rule = "PermissionDenied hooks can only ask for another try.".into();
    }

    fn blocks(&self, v: &mut Verdict, results: &[&Result]) {
        let conduct = conduct(self.event());
        if matches!(conduct.exit2, Exit2::Notice | Exit2::Ignored) {
            return;
        }
        let mut blocks: Vec<(Block, &Result)> = results.iter().filter_map(|r| Some((self.block_of(r)?, *r))).collect();
        if matches!(self.event(), "UserPromptSubmit" | "UserPromptExpansion") {
            blocks.truncate(1);
        }
        let stops = matches!(self.event(), "Stop" | "SubagentStop");
        let feedback = stops && blocks.is_empty() && !v.context.is_empty();
        if blocks.is_empty() && !feedback {
            return;
        }
        if let Some((first, result)) = blocks.first() {
            v.decided_by = Some(first.label.clone());
            v.reason.clone_from(&first.reason);
            v.rule = match conduct.exit2 {
                Exit2::Blocks(_) => format!("`{}` blocked {}.", first.label, self.event()),
                _ => format!("`{}` spoke up; {} cannot be undone.", first.label, self.event()),
            };
            if self.event().starts_with("UserPrompt") {
                v.context.clear();
            }
            let prompt_ends_turn = result.reply.as_ref().is_some_and(|r| r.kind == "prompt")
                && matches!(self.event(), "PostToolUse" | "PostToolBatch");
            let stays = result.options.get("continueOnBlock") == Some(&Value::Bool(true));
            let idle = self.event() == "TeammateIdle" && result.reply.is_some() && !stays;
            v.halt |= idle
                || self.event() == "PostToolBatch"
                || (prompt_ends_turn && result.options.get("continueOnBlock") != Some(&Value::Bool(true)));
        }
        match conduct.exit2 {
            Exit2::Blocks(to) => {
                v.blocked = !(self.event() == "ConfigChange" && self.payload.text("source") == Some("policy_settings"));
                v.reason_to = Some(to.into());
                v.resume = stops;
            }
            Exit2::Tells(to) => v.reason_to = Some(to.into()),
            Exit2::Notice | Exit2::Ignored => {}
        }
        if feedback {
            v.host.insert("effect".into(), json!("stop_hook_feedback"));
            v.rule = "additionalContext alone keeps the turn going, like a block.".into();
        }
        self.cap(v, stops);
        // A sibling that ends the turn beats every block of its end.
        if stops && v.halt {
            v.blocked = false;
            v.resume = false;
        }
        v.blocked &= !(self.event() == "TeammateIdle" && v.halt);
        self.sees(v, &blocks);
    }

    /// Eight continuations in a row are allowed; the ninth block is overridden.
    fn cap(&self, v: &mut Verdict, stops: bool) {
        let so_far = self.host.get("consecutive_continuations").and_then(Value::as_i64).unwrap_or(0);
        if stops && v.blocked && so_far >= STOP_CAP {
            v.blocked = false;
            v.resume = false;
            v.host.insert("effect".into(), json!("cap_override"));
            v.rule = format!(
                "A hook blocked the turn from ending {} consecutive times, so it is overridden and the turn ends.",
                so_far + 1
            );
        }
    }

    fn sees(&self, v: &mut Verdict, blocks: &[(Block, &Result)]) {
        let name = self.hook_name();
        let texts: Vec<String> = blocks
            .iter()
            .map(|(block, result)| {
                let json = block
                    .sees
                    .starts_with(&format!("{name} hook error: ["))
                    .then(|| format!("[{}]: {}", result.command, result.stderr));
                let text = json.unwrap_or_else(|| block.reason.clone().unwrap_or_default());
                match self.event() {
                    "Stop" | "SubagentStop" => format!("Stop hook feedback:\n{text}"),
                    "PostToolUse" | "PostToolUseFailure" => {
                        format!("{name} hook blocking error from command: \"{}\": {text}", result.command)
                    }
                    "TaskCreated" | "TaskCompleted" => format!("{} hook feedback:\n{text}", self.event()),
                    _ => text,
                }
            })
            .collect();
        match self.event() {
            "UserPromptSubmit" => {
                let prompt = self.payload.text("prompt").unwrap_or_default();
                v.user_sees = format!(
                    "UserPromptSubmit operation blocked by hook:\n{}\n\nOriginal prompt: {prompt}",
                    texts.join("\n")
                );
                v.model_sees = String::new();
            }
            _ if v.reason_to.as_deref() == Some("debug_log") => {}
            _ if v.reason_to.as_deref() == Some("user") => v.user_sees = texts.join("\n"),
            _ if !texts.is_empty() => v.model_sees = texts.join("\n"),
            _ => {}
        }
    }
}

/// Only titles, notifications and the bell; anything else voids the field.
fn allowed_sequence(text: &str) -> bool {
    if text == "\u{7}" {
        return true;
    }
    let Some(body) = text.strip_prefix("\u{1b}]") else { return false };
    let Some(body) = body.strip_suffix('\u{7}').or_else(|| body.strip_suffix("\u{1b}\\")) else { return false };
    let number = body.split(';').next().unwrap_or_default();
    ["0", "1", "2", "9", "99", "777"].contains(&number) && !body.contains(['\u{7}', '\u{1b}'])
}
