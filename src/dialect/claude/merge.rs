//! From the results of a firing, in the order they finished, to its verdict.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::conduct::{Exit2, Universal, conduct};
use super::result::Result;
use super::version::{Change, Rules};
use crate::model::{Payload, Verdict};

/// Continuations a Stop hook gets in a row.
const STOP_CAP: i64 = 8;
/// A block and its text.
pub(super) struct Block {
    /// The hook's short name.
    pub label: String,
    /// Its command, url or prompt.
    pub command: String,
    /// How it blocked.
    pub kind: BlockKind,
    /// The reason as given.
    pub reason: Option<String>,
    /// The reason as the host words it.
    pub text: String,
}

/// The ways to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Exit 2 with stderr.
    Exit,
    /// A JSON answer.
    Json,
    /// A failure whose hook says that it blocks.
    Failure,
    /// The verdict of a model.
    Reply,
}

/// The merge while results come in.
pub struct Merge {
    pub(super) payload: Payload,
    pub(super) host: Arc<Map<String, Value>>,
    rules: Rules,
    results: Vec<(usize, Result)>,
}

impl Merge {
    /// For one event.
    pub fn new(payload: Payload, host: Arc<Map<String, Value>>, rules: Rules) -> Self {
        Self { payload, host, rules, results: Vec::new() }
    }

    /// The next to finish.
    pub fn add(&mut self, hook: usize, result: Result) {
        self.results.push((hook, result));
    }

    pub(super) fn event(&self) -> &str {
        &self.payload.event
    }

    /// Whether nobody sits in front of the screen.
    pub(super) fn headless(&self) -> bool {
        self.host.get("interactive") == Some(&Value::Bool(false))
    }

    /// Whether this result alone would block.
    pub fn would_block(&self, result: &Result) -> bool {
        !result.background
            && (self.block_of(result).is_some() || self.permission_of(result).is_some_and(|p| p == "deny"))
    }

    /// How `result` blocks, if it does.
    fn block_of(&self, result: &Result) -> Option<Block> {
        if result.background {
            return None;
        }
        let block = |kind: BlockKind, reason: Option<String>, text: String| {
            Some(Block { label: result.label.clone(), command: result.command.clone(), kind, reason, text })
        };
        if let Some(text) = &result.blocked_by_failure {
            return block(BlockKind::Failure, Some(text.clone()), text.clone());
        }
        if let Some(reply) = result.reply.as_ref().filter(|r| !r.ok && !r.impossible) {
            if ["PermissionRequest", "PermissionDenied"].contains(&self.event()) {
                return None;
            }
            let said = reply.reason.clone().unwrap_or_default();
            let agent = reply.kind == "agent";
            let text = if agent { format!("Agent hook condition was not met: {said}") } else { said };
            return block(BlockKind::Reply, reply.reason.clone(), text);
        }
        let conduct = conduct(self.event());
        let elicits = self.event().starts_with("Elicitation") && !self.rules.have(Change::ElicitationBlock);
        let json_block = conduct.decides
            && !elicits
            && conduct.universal != Universal::NoJson
            && result.field("decision") == Some(&json!("block"));
        let exit2 = result.exit == Some(2) && result.run == "blocking_error";
        if !json_block && !exit2 {
            return None;
        }
        let denies = result.own("permissionDecision") == Some(&json!("deny"));
        let said = Result::text(result.own("permissionDecisionReason"))
            .filter(|_| denies)
            .or_else(|| Result::text(result.field("reason")).filter(|_| json_block || denies));
        match said {
            Some(said) => block(BlockKind::Json, Some(said.clone()), said),
            None if exit2 => {
                let reason = Some(result.stderr.trim_end().to_string()).filter(|t| !t.is_empty());
                let stderr = if result.stderr.is_empty() { "No stderr output" } else { &result.stderr };
                block(BlockKind::Exit, reason, format!("[{}]: {stderr}", result.command))
            }
            None => block(BlockKind::Json, None, "Blocked by hook".into()),
        }
    }

    fn permission_of(&self, result: &Result) -> Option<String> {
        if !matches!(self.event(), "PreToolUse" | "PreModelSwitch") {
            return None;
        }
        if self.block_of(result).is_some() {
            return Some("deny".into());
        }
        // Deferring a call works only where nobody sits in front of the screen.
        Result::text(result.own("permissionDecision"))
            .filter(|d| d != "defer" || self.headless())
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
        let blocks = match self.event() {
            "PreToolUse" | "PreModelSwitch" => self.permissions(&mut v, &results),
            "PermissionRequest" => Self::permission_request(&mut v, &results),
            "PermissionDenied" => self.permission_denied(&mut v, &results),
            _ => self.blocks(&mut v, &results),
        };
        self.specials(&mut v, &results);
        v.model_sees = self.model_sees(&v, &results, &blocks);
        v.user_sees = self.user_sees(&v, &results, &blocks);
        let mut by_place: Vec<&(usize, Result)> = order.iter().collect();
        by_place.sort_by_key(|(hook, _)| *hook);
        v.host.insert("run".into(), by_place.iter().map(|(_, r)| Value::from(r.run)).collect());
        v.host.insert("parse".into(), by_place.iter().map(|(_, r)| Value::from(r.parsed.word())).collect());
        v.errors = results.iter().filter_map(|r| r.notice.as_ref().map(|n| format!("{}: {n}", r.label))).collect();
        v
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

    fn permissions(&self, v: &mut Verdict, results: &[&Result]) -> Vec<Block> {
        let asked: Vec<(&Result, String)> =
            results.iter().filter(|r| !r.background).filter_map(|r| Some((*r, self.permission_of(r)?))).collect();
        let rank = |word: &str| ["allow", "ask", "defer", "deny"].iter().position(|w| *w == word).unwrap_or(0);
        let Some(decision) = asked.iter().map(|(_, d)| d.clone()).max_by_key(|d| rank(d)) else {
            Self::rewrites(v, results);
            return Vec::new();
        };
        let mut blocks = Vec::new();
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
                blocks.extend(block);
                v.reason_to = Some(if self.event() == "PreModelSwitch" { "user" } else { "claude" }.into());
                // A model's refusal ends the turn, unless its hook says otherwise.
                if let Some(reply) = &result.reply {
                    v.halt |=
                        reply.kind == "prompt" && result.options.get("continueOnBlock") != Some(&Value::Bool(true));
                }
            } else {
                let headless = self.headless();
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
        blocks
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

    fn permission_request(v: &mut Verdict, results: &[&Result]) -> Vec<Block> {
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
            v.reason_to = v.blocked.then(|| if interrupts { "user" } else { "claude" }.into());
            break;
        }
        Vec::new()
    }

    fn permission_denied(&self, v: &mut Verdict, results: &[&Result]) -> Vec<Block> {
        let wants = results.iter().any(|r| r.own("retry") == Some(&Value::Bool(true)));
        let evaluated = self.payload.text("reason").is_none_or(|r| !r.contains("could not evaluate"));
        v.host.insert("retry".into(), json!(wants && evaluated));
        v.rule = "PermissionDenied hooks can only ask for another try.".into();
        Vec::new()
    }

    fn blocks(&self, v: &mut Verdict, results: &[&Result]) -> Vec<Block> {
        let conduct = conduct(self.event());
        if matches!(conduct.exit2, Exit2::Notice | Exit2::Ignored) {
            return Vec::new();
        }
        let mut blocks: Vec<(Block, &Result)> = results.iter().filter_map(|r| Some((self.block_of(r)?, *r))).collect();
        if matches!(self.event(), "UserPromptSubmit" | "UserPromptExpansion") {
            blocks.truncate(1);
        }
        let stops = matches!(self.event(), "Stop" | "SubagentStop");
        let feedback = stops && blocks.is_empty() && !v.context.is_empty();
        if blocks.is_empty() && !feedback {
            return Vec::new();
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
        blocks.into_iter().map(|(block, _)| block).collect()
    }

    /// Eight continuations in a row are allowed; the ninth block is overridden.
    fn cap(&self, v: &mut Verdict, stops: bool) {
        let number = |name: &str| self.host.get(name).and_then(Value::as_i64);
        let so_far = number("consecutive_continuations").unwrap_or(0);
        let cap = number("stop_hook_block_cap").unwrap_or(STOP_CAP);
        if stops && v.blocked && cap > 0 && so_far >= cap {
            v.blocked = false;
            v.resume = false;
            v.host.insert("effect".into(), json!("cap_override"));
            v.rule = format!(
                "A hook blocked the turn from ending {} consecutive times — overriding and ending turn.",
                so_far + 1
            );
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
