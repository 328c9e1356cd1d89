//! From the results of a firing, in the order they finished, to its verdict.

use serde_json::{Value, json};

use super::facts::{ClaudeDraft, ClaudeEffect};
use super::result::ClaudeResult;
use crate::dialect::event::{Effect, Exit, Late, MergeClass, ModelRefusal, SharedFields, To};
use crate::dialect::{Done, EventRow, Profile};
use crate::model::{Handler, HostMode, HostState, Payload, Verdict};

/// Continuations a Stop hook gets in a row.
const STOP_CAP: i64 = 8;
/// What a turn that a hook ends says without a reason.
const STOPPED: &str = "Execution stopped by hook";

pub(super) struct BlockReason<'a> {
    pub by: &'a ClaudeResult,
    pub kind: BlockKind,
    pub reason: Option<String>,
    /// The reason as the host words it.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Exit,
    Json,
    /// A failure whose hook says that it blocks.
    Failure,
    Reply,
}

#[derive(Clone, Copy)]
pub struct ClaudeMerge<'a> {
    pub payload: &'a Payload,
    pub host: &'a HostState,
    pub row: &'a EventRow,
    pub profile: &'a Profile,
}

impl ClaudeMerge<'_> {
    pub(super) fn event(&self) -> &str {
        &self.payload.event
    }

    pub fn would_block(&self, result: &ClaudeResult) -> bool {
        let refuses = self.row.merge == MergeClass::Request
            && (result.blocked_by_failure.is_some()
                || result.own("decision").is_some_and(|d| d.get("behavior") == Some(&json!("deny"))));
        let denies = self.permission_of(result).is_some_and(|p| p == "deny");
        !result.background && (refuses || denies || (self.can_block() && self.block_of(result).is_some()))
    }

    /// Whether a block stops anything: not where it comes too late, and not with a payload that nothing can block.
    fn can_block(&self) -> bool {
        let never = self.row.never_blocks.is_some_and(|(field, value)| self.payload.text(field) == Some(value));
        matches!(self.row.exit.two, Exit::Blocks(_)) && !never
    }

    fn receiver(&self) -> Option<&'static str> {
        match self.row.exit.two {
            Exit::Blocks(to) | Exit::TooLate(to) => Some(receiver(to)),
            Exit::Notice | Exit::Nothing | Exit::Fails => None,
        }
    }

    fn block_of<'a>(&self, result: &'a ClaudeResult) -> Option<BlockReason<'a>> {
        if result.background {
            return None;
        }
        let block = |kind: BlockKind, reason: Option<String>, text: String| {
            Some(BlockReason { by: result, kind, reason, text })
        };
        if let Some(text) = &result.blocked_by_failure {
            return block(BlockKind::Failure, Some(text.clone()), text.clone());
        }
        if let Some(reply) = result.reply.as_ref().filter(|r| !r.ok && !r.impossible) {
            if matches!(self.row.merge, MergeClass::Request | MergeClass::Retry) {
                return None;
            }
            let said = reply.reason.clone().unwrap_or_default();
            let agent = matches!(result.hook.handler, Handler::Agent { .. });
            let text = if agent { format!("Agent hook condition was not met: {said}") } else { said };
            return block(BlockKind::Reply, reply.reason.clone(), text);
        }
        let json_block = self.row.top_field("decision").is_some_and(|f| f.effect == Effect::LikeExitTwo)
            && self.row.shared != SharedFields::NoJson
            && result.field("decision") == Some(&json!("block"));
        let exit2 = result.exit == Some(2) && result.run == "blocking_error";
        if !json_block && !exit2 {
            return None;
        }
        let denies = result.own("permissionDecision") == Some(&json!("deny"));
        let said = ClaudeResult::text(result.own("permissionDecisionReason"))
            .filter(|_| denies)
            .or_else(|| ClaudeResult::text(result.field("reason")).filter(|_| json_block || denies));
        match said {
            Some(said) => block(BlockKind::Json, Some(said.clone()), said),
            None if exit2 => {
                let reason = Some(result.stderr.trim_end().to_string()).filter(|t| !t.is_empty());
                let stderr = if result.stderr.is_empty() { "No stderr output" } else { &result.stderr };
                block(BlockKind::Exit, reason, format!("[{}]: {stderr}", result.hook.name))
            }
            None => block(BlockKind::Json, None, "Blocked by hook".into()),
        }
    }

    fn permission_of(&self, result: &ClaudeResult) -> Option<String> {
        if self.row.merge != MergeClass::Permission {
            return None;
        }
        if self.block_of(result).is_some() {
            return Some("deny".into());
        }
        // Deferring a call works only where nobody sits in front of the screen.
        ClaudeResult::text(result.own("permissionDecision"))
            .filter(|d| d != "defer" || self.host.mode == HostMode::Headless)
            .or_else(|| (result.field("decision") == Some(&json!("approve"))).then(|| "allow".into()))
            .or_else(|| (self.row.late == Late::Denies && result.run == "cancelled").then(|| "deny".into()))
    }

    pub fn verdict(&self, done: &[Done<ClaudeResult>]) -> Verdict {
        let mut v = ClaudeDraft::default();
        v.rule = "No hook decided anything.".into();
        let results: Vec<&ClaudeResult> = done.iter().map(|d| &d.answer).collect();
        self.notices(&mut v, &results);
        self.context(&mut v, &results);
        self.shared_fields(&mut v, &results);
        let blocks = match self.row.merge {
            MergeClass::Permission => self.permissions(&mut v, &results),
            MergeClass::Request => Self::permission_request(&mut v, &results),
            MergeClass::Retry => self.permission_denied(&mut v, &results),
            _ => self.blocks(&mut v, &results),
        };
        self.specials(&mut v, &results);
        v.model_sees = self.model_sees(&v, &results, &blocks);
        v.user_sees = self.user_sees(&v, &results, &blocks);
        v.refusal = v.blocked.then(|| v.model_sees.clone());
        let mut by_place: Vec<&Done<ClaudeResult>> = done.iter().collect();
        by_place.sort_by_key(|d| d.hook);
        v.facts.run = by_place.iter().map(|d| d.answer.run).collect();
        v.facts.exit_codes = by_place.iter().map(|d| d.answer.host_exit()).collect();
        v.facts.parse = by_place.iter().map(|d| d.answer.parsed.word()).collect();
        v.facts.version.clone_from(&self.profile.version);
        v.errors = results.iter().filter_map(|r| r.notice.as_ref().map(|n| format!("{}: {n}", r.hook.label))).collect();
        v.finish()
    }

    fn shared_fields(&self, v: &mut ClaudeDraft, results: &[&ClaudeResult]) {
        if matches!(self.row.shared, SharedFields::All | SharedFields::Message) {
            let messages = results.iter().filter_map(|r| ClaudeResult::text(r.field("systemMessage")));
            v.system_messages = messages.map(super::sees::preview_if_long).collect();
        }
        let halts = self.row.shared == SharedFields::All
            && !(self.event() == "TaskCompleted" && self.host.trigger.as_deref() == Some("TaskUpdate"));
        for result in results.iter().filter(|r| halts && r.field("continue") == Some(&Value::Bool(false))) {
            v.halt = true;
            v.stop_reason = Some(ClaudeResult::text(result.field("stopReason")).unwrap_or_else(|| STOPPED.into()));
        }
        let sequence = results
            .iter()
            .filter_map(|r| ClaudeResult::text(r.field("terminalSequence")))
            .find(|s| allowed_sequence(s));
        let heard = self.host.mode == HostMode::Interactive && self.row.shared != SharedFields::NoJson;
        v.facts.terminal_sequence = sequence.filter(|_| heard);
    }

    fn permissions<'a>(&self, v: &mut ClaudeDraft, results: &[&'a ClaudeResult]) -> Vec<BlockReason<'a>> {
        let asked: Vec<(&ClaudeResult, String)> =
            results.iter().filter(|r| !r.background).filter_map(|r| Some((*r, self.permission_of(r)?))).collect();
        let rank = |word: &str| ["allow", "ask", "defer", "deny"].iter().position(|w| *w == word).unwrap_or(0);
        let Some(decision) = asked.iter().map(|(_, d)| d.clone()).max_by_key(|d| rank(d)) else {
            self.rewrites(v, results);
            if self.permission_rule_matches(&self.host.permission_rules.deny) {
                Self::drop_halt(v);
            }
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
            v.decided_by = Some(result.decider());
            let block = self.block_of(result);
            let said = || {
                let top = ClaudeResult::text(result.field("reason")).filter(|_| decision == "deny");
                ClaudeResult::text(result.own("permissionDecisionReason")).or(top)
            };
            v.reason = block.as_ref().map_or_else(said, |b| b.reason.clone());
            if decision == "deny" {
                blocks.extend(block);
                v.reason_to = self.receiver().map(Into::into);
            } else {
                let headless = self.host.mode == HostMode::Headless;
                v.reason_to = match decision.as_str() {
                    "ask" if headless => self.receiver().map(Into::into),
                    "ask" => Some("user".into()),
                    _ => v.reason.is_some().then(|| "debug_log".into()),
                };
                // Nobody can be asked, so it is refused, and a refusal by the host itself forgets the end of the turn.
                if decision == "ask" && headless {
                    v.blocked = true;
                    Self::drop_halt(v);
                }
            }
        }
        if decision == "deny" {
            Self::halt_on_refusal(v, results);
        }
        if !matches!(decision.as_str(), "deny" | "defer") {
            self.rewrites(v, results);
        }
        self.rules(v);
        blocks
    }

    /// A model's refusal ends the turn, unless its hook says otherwise.
    fn halt_on_refusal(v: &mut ClaudeDraft, results: &[&ClaudeResult]) {
        let ends = |r: &&&ClaudeResult| {
            let asked = matches!(r.hook.handler, Handler::Prompt { .. }) && !r.hook.options.continues_on_block;
            asked && r.reply.as_ref().is_some_and(|p| !p.ok && !p.impossible)
        };
        if let Some(result) = results.iter().find(ends) {
            v.halt = true;
            let reason = result.reply.as_ref().and_then(|r| r.reason.clone());
            v.stop_reason.get_or_insert_with(|| reason.unwrap_or_else(|| STOPPED.into()));
        }
    }

    /// The host's own refusal of a call forgets that a hook wanted to end the turn.
    fn drop_halt(v: &mut ClaudeDraft) {
        if std::mem::take(&mut v.halt) {
            v.stop_reason = None;
            let warning = "the call is refused by the host itself, so `continue: false` is lost and the turn goes on";
            v.warnings.push(warning.into());
        }
    }

    /// Whether one of these permission rules names the tool.
    fn permission_rule_matches(&self, rules: &[String]) -> bool {
        let tool = self.payload.text("tool_name").unwrap_or_default();
        rules.iter().any(|r| r == tool)
    }

    /// Permission rules are looked at after the hooks, on the input they left.
    fn rules(&self, v: &mut ClaudeDraft) {
        let tool = self.payload.text("tool_name").unwrap_or_default();
        if v.decision.as_deref() != Some("allow") {
            return;
        }
        let rules = &self.host.permission_rules;
        let effect = if self.permission_rule_matches(&rules.deny) {
            Self::drop_halt(v);
            ClaudeEffect::RuleDenies
        } else if self.permission_rule_matches(&rules.ask) {
            ClaudeEffect::RulePrompts
        } else if ["AskUserQuestion", "ExitPlanMode"].contains(&tool) && v.updated_input.is_none() {
            ClaudeEffect::PromptStillRequired
        } else {
            return;
        };
        v.facts.effect = Some(effect);
        let warning = "allow does not win over this host's own rules: the call is still refused or asked about";
        v.warnings.push(warning.into());
    }

    /// The last rewrite to finish counts.
    fn rewrites(&self, v: &mut ClaudeDraft, results: &[&ClaudeResult]) {
        let inputs: Vec<(&ClaudeResult, &Value)> =
            results.iter().filter_map(|r| Some((*r, r.own("updatedInput")?))).collect();
        if let Some((_, input)) = inputs.last() {
            v.updated_input = Some((*input).clone());
            self.check_rewrite(v, input);
        }
        if inputs.len() > 1 {
            let names: Vec<_> = inputs.iter().map(|(r, _)| r.hook.label.as_str()).collect();
            let names = names.join(" and ");
            v.warnings.push(format!("{names} rewrite the same input: the last to finish wins, which is a race"));
        }
    }

    /// An input that is not the tool's keeps the call from running.
    fn check_rewrite(&self, v: &mut ClaudeDraft, input: &Value) {
        let tool = self.payload.text("tool_name").unwrap_or_default();
        let Some(missing) = super::tools::missing(tool, input) else { return };
        v.updated_input = None;
        v.blocked = true;
        v.reason_to = Some("claude".into());
        let text = format!(
            "PreToolUse hook for {tool} returned updatedInput that failed schema validation: {missing}\nThe tool input from \
             the model was valid; the hook's rewrite of it was not."
        );
        v.rule = format!("The rewritten input is not one of {tool}: {missing}.");
        v.reason = Some(text);
        v.facts.effect = Some(ClaudeEffect::InvalidRewrite);
    }

    fn permission_request<'a>(v: &mut ClaudeDraft, results: &[&'a ClaudeResult]) -> Vec<BlockReason<'a>> {
        for result in results.iter().filter(|r| !r.background) {
            if result.blocked_by_failure.is_some() {
                v.decision = Some("deny".into());
                v.reason.clone_from(&result.blocked_by_failure);
            } else if let Some(decision) = result.own("decision") {
                v.decision = ClaudeResult::text(decision.get("behavior"));
                v.reason = ClaudeResult::text(decision.get("message"));
                v.updated_input =
                    decision.get("updatedInput").filter(|_| v.decision.as_deref() == Some("allow")).cloned();
                v.facts.interrupt = Some(decision.get("interrupt") == Some(&Value::Bool(true)));
                v.facts.updated_permissions = Some(decision.get("updatedPermissions").cloned().unwrap_or_default());
            } else {
                continue;
            }
            v.decided_by = Some(result.decider());
            v.blocked = v.decision.as_deref() == Some("deny");
            v.rule = "The first decision to finish wins.".into();
            let receiver = if v.facts.interrupt == Some(true) { "user" } else { "claude" };
            v.reason_to = v.blocked.then(|| receiver.into());
            break;
        }
        Vec::new()
    }

    fn permission_denied<'a>(&self, v: &mut ClaudeDraft, results: &[&'a ClaudeResult]) -> Vec<BlockReason<'a>> {
        let wants = results.iter().any(|r| r.own("retry") == Some(&Value::Bool(true)));
        let evaluated = self.payload.text("reason").is_none_or(|r| !r.contains("could not evaluate"));
        v.facts.retry = Some(wants && evaluated);
        v.rule = "PermissionDenied hooks can only ask for another try.".into();
        Vec::new()
    }

    fn blocks<'a>(&self, v: &mut ClaudeDraft, results: &[&'a ClaudeResult]) -> Vec<BlockReason<'a>> {
        if self.receiver().is_none() {
            return Vec::new();
        }
        let mut blocks: Vec<BlockReason<'_>> = results.iter().filter_map(|r| self.block_of(r)).collect();
        if self.row.merge == MergeClass::Prompt {
            blocks.truncate(1);
        }
        let stops = self.row.merge == MergeClass::Turn;
        let feedback = stops && blocks.is_empty() && !v.context.is_empty();
        if blocks.is_empty() && !feedback {
            return Vec::new();
        }
        if let Some(first) = blocks.first() {
            v.decided_by = Some(first.by.decider());
            v.reason.clone_from(&first.reason);
            v.rule = match self.row.exit.two {
                Exit::Blocks(_) => format!("`{}` blocked {}.", first.by.hook.label, self.event()),
                _ => format!("`{}` spoke up; {} cannot be undone.", first.by.hook.label, self.event()),
            };
            if self.row.merge == MergeClass::Prompt {
                v.context.clear();
            }
            if self.row.merge == MergeClass::Batch {
                v.halt = true;
                let text = if first.text.is_empty() { STOPPED } else { first.text.as_str() };
                v.stop_reason.get_or_insert_with(|| text.trim_end().to_string());
            }
            if self.row.model_refusal == ModelRefusal::EndsTurn {
                Self::halt_on_refusal(v, results);
            }
        }
        v.reason_to = self.receiver().map(Into::into);
        if matches!(self.row.exit.two, Exit::Blocks(_)) {
            v.blocked = self.can_block();
            v.resume = stops;
        }
        if feedback {
            v.facts.effect = Some(ClaudeEffect::StopHookFeedback);
            v.rule = "additionalContext alone keeps the turn going, like a block.".into();
        }
        self.cap(v, stops);
        // A sibling that ends the turn beats every block of its end.
        if stops && v.halt {
            v.blocked = false;
            v.resume = false;
        }
        v.blocked &= !(self.row.merge == MergeClass::Idle && v.halt);
        blocks
    }

    /// Eight continuations in a row are allowed; the ninth block is overridden.
    fn cap(&self, v: &mut ClaudeDraft, stops: bool) {
        let so_far = i64::from(self.host.continuations.unwrap_or(0));
        let given = self.host.variable("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").and_then(|text| text.parse().ok());
        let cap = self.host.stop_hook_block_cap.map(i64::from).or(given).unwrap_or(STOP_CAP);
        if stops && v.blocked && cap > 0 && so_far >= cap {
            v.blocked = false;
            v.resume = false;
            v.facts.effect = Some(ClaudeEffect::CapOverride);
            let times = so_far + 1;
            v.rule =
                format!("A hook blocked the turn from ending {times} consecutive times — overriding and ending turn.");
        }
    }
}

/// Who gets a text, in the words of reports.
pub(super) fn receiver(to: To) -> &'static str {
    match to {
        To::Model => "claude",
        To::User => "user",
        To::Subagent => "subagent",
        To::Teammate => "teammate",
        To::Log => "debug_log",
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
