//! From the answers of a firing to its verdict, event by event, within the rights each event gives its hooks.

use serde_json::{Map, Value, json};

use super::answer::SyncAnswer;
use crate::dialect::{Capability, EventSpec};
use crate::model::{Payload, Verdict};

/// What a firing has gathered.
#[derive(Debug, Default)]
pub struct Results {
    /// Label and answer of every hook that succeeded, in order.
    pub answers: Vec<(String, SyncAnswer)>,
    /// Failed hooks, one sentence each.
    pub errors: Vec<String>,
    /// Ignored fields, one sentence each.
    pub warnings: Vec<String>,
    /// Seconds given to each second phase.
    pub async_seconds: Vec<u64>,
}

/// What the tool result says when a hook hides the output.
pub const SUPPRESSED: &str = "[output suppressed by hook]";

fn can(spec: Option<&EventSpec>, what: Capability) -> bool {
    spec.is_some_and(|s| s.can(what))
}

fn name(spec: Option<&EventSpec>) -> &str {
    spec.map_or("this event", |s| s.name)
}

/// `deny` or `allow` of one PreToolUse answer: its permissionDecision before its decision.
fn tool_decision(answer: &SyncAnswer) -> Option<(&'static str, &'static str)> {
    match answer.specific_text("PreToolUse", "permissionDecision") {
        Some("deny") => return Some(("deny", "permissionDecision")),
        Some("allow") => return Some(("allow", "permissionDecision")),
        _ => {}
    }
    plain_decision(answer).map(|d| (d, "decision"))
}

fn plain_decision(answer: &SyncAnswer) -> Option<&'static str> {
    match answer.decision.as_str() {
        "deny" => Some("deny"),
        "allow" => Some("allow"),
        _ => None,
    }
}

/// Whether this answer alone would block what the event guards.
pub fn denies(spec: Option<&EventSpec>, answer: &SyncAnswer) -> bool {
    match name(spec) {
        "PreToolUse" => tool_decision(answer).is_some_and(|(d, _)| d == "deny"),
        "PermissionRequest" => {
            plain_decision(answer) == Some("deny") || (plain_decision(answer).is_none() && answer.go_on == Some(false))
        }
        "UserPromptSubmit" => plain_decision(answer) == Some("deny"),
        "TeammateIdle" | "TaskCompleted" => answer.go_on == Some(false) && !answer.reason.is_empty(),
        _ => false,
    }
}

fn reason_of(answer: &SyncAnswer, event: &str) -> Option<String> {
    answer
        .specific_text(event, "permissionDecisionReason")
        .or(Some(answer.reason.as_str()).filter(|r| !r.is_empty()))
        .map(str::to_string)
}

/// Fields of `answer` that have no effect at this event, each with why.
pub fn ignored_fields(spec: Option<&EventSpec>, payload: &Payload, answer: &SyncAnswer) -> Vec<String> {
    let event = name(spec);
    let mut ignored = Vec::new();
    let mut without_right = |there: bool, right: Capability, field: &str| {
        if there && !can(spec, right) {
            ignored.push(format!("`{field}` has no effect: {event} hooks cannot {}", right.word()));
        }
    };
    let specific = answer.specific_for(event);
    let has = |key: &str| specific.is_some_and(|s| s.get(key).is_some_and(|v| !v.is_null()));
    without_right(plain_decision(answer).is_some(), Capability::Deny, "decision");
    without_right(answer.suppress_output == Some(true), Capability::SuppressOutput, "suppressOutput");
    without_right(!answer.system_message.is_empty(), Capability::AddContext, "systemMessage");
    without_right(has("additionalContext"), Capability::AddContext, "hookSpecificOutput.additionalContext");
    without_right(has("updatedInput"), Capability::ModifyInput, "hookSpecificOutput.updatedInput");
    without_right(has("updatedMCPToolOutput"), Capability::ModifyOutput, "hookSpecificOutput.updatedMCPToolOutput");
    if has("updatedInput")
        && can(spec, Capability::ModifyInput)
        && specific.is_some_and(|s| !s["updatedInput"].is_object())
    {
        ignored.push("`hookSpecificOutput.updatedInput` has no effect: it must be an object".into());
    }
    if has("updatedMCPToolOutput") && can(spec, Capability::ModifyOutput) && !is_mcp(payload) {
        ignored.push("`hookSpecificOutput.updatedMCPToolOutput` has no effect: the tool is no MCP tool".into());
    }
    if !answer.decision.is_empty() && plain_decision(answer).is_none() {
        ignored.push(format!(
            "`decision` \"{}\" decides nothing: the words are allow, deny, approve, block",
            answer.decision
        ));
    }
    match &answer.specific {
        Some(Value::Object(s)) if specific.is_none() => ignored.push(format!(
            "`hookSpecificOutput` has no effect: its hookEventName is {}, and this event is {event}",
            s.get("hookEventName").unwrap_or(&Value::Null)
        )),
        Some(Value::Object(_)) | None => {}
        Some(_) => ignored.push("`hookSpecificOutput` has no effect: it is no object".into()),
    }
    if let Some(word) =
        answer.specific_text(event, "permissionDecision").filter(|w| !["allow", "deny", "ask"].contains(w))
    {
        ignored.push(format!("`permissionDecision` \"{word}\" decides nothing: the words are allow, deny, ask"));
    }
    ignored.extend(answer.unknown.iter().map(|k| match k.as_str() {
        "async" => {
            "`async` has no effect: it must be the boolean true, with `asyncTimeout` a whole number or left out".into()
        }
        _ => format!("`{k}` is no key of an answer"),
    }));
    ignored
}

/// One plain sentence about what the host does with this answer.
pub fn says(spec: Option<&EventSpec>, answer: &SyncAnswer) -> String {
    let event = name(spec);
    let mut effects = Vec::new();
    if denies(spec, answer) {
        effects.push(match event {
            "UserPromptSubmit" => "blocks the prompt".to_string(),
            "TeammateIdle" => "keeps the teammate working".to_string(),
            "TaskCompleted" => "keeps the task open".to_string(),
            _ => "denies the call".to_string(),
        });
    } else if can(spec, Capability::Deny)
        && event != "UserPromptSubmit"
        && tool_or_plain(event, answer) == Some("allow")
    {
        effects.push("allows the call".into());
    }
    if event == "Stop" && answer.go_on == Some(true) {
        effects.push("makes the loop go on".into());
    }
    if answer.suppress_output == Some(true) && can(spec, Capability::SuppressOutput) {
        effects.push("hides the tool's output".into());
    }
    if answer.specific_for(event).is_some_and(|s| s.get("updatedInput").is_some_and(Value::is_object))
        && can(spec, Capability::ModifyInput)
    {
        effects.push("rewrites the tool's input".into());
    }
    if can(spec, Capability::AddContext) && !context_of(event, answer).is_empty() {
        effects.push("adds context for the model".into());
    }
    if answer.go_on == Some(false) && event == "PermissionRequest" {
        effects.push("interrupts the whole loop".into());
    } else if answer.go_on == Some(false) {
        effects.push("ends the firing, so later hooks do not run".into());
    }
    match effects.split_last() {
        None => "Accepted; it decides nothing.".into(),
        Some((last, [])) => format!("It {last}."),
        Some((last, rest)) => format!("It {} and {last}.", rest.join(", ")),
    }
}

fn tool_or_plain(event: &str, answer: &SyncAnswer) -> Option<&'static str> {
    if event == "PreToolUse" { tool_decision(answer).map(|(d, _)| d) } else { plain_decision(answer) }
}

fn context_of(event: &str, answer: &SyncAnswer) -> Vec<String> {
    let system = Some(answer.system_message.as_str()).filter(|m| !m.is_empty());
    system.into_iter().chain(answer.specific_text(event, "additionalContext")).map(str::to_string).collect()
}

fn is_mcp(payload: &Payload) -> bool {
    payload.text("tool_name").is_some_and(|t| t.starts_with("mcp__"))
}

/// Merge everything a firing gathered.
pub fn verdict(spec: Option<&'static EventSpec>, payload: &Payload, results: &Results) -> Verdict {
    let mut v = Verdict { errors: results.errors.clone(), warnings: results.warnings.clone(), ..Verdict::default() };
    match payload.event.as_str() {
        "PreToolUse" => pre_tool_use(&mut v, results),
        "PermissionRequest" => permission_request(&mut v, results),
        "UserPromptSubmit" => user_prompt(&mut v, results),
        "Stop" => stop(&mut v, results),
        "PostToolUse" => post_tool_use(&mut v, payload, results),
        "PostToolUseFailure" => tool_failure(&mut v, payload),
        "PreCompact" => pre_compact(&mut v, results),
        "TeammateIdle" | "TaskCompleted" => team(&mut v, payload, results),
        _ => v.rule = format!("{} hooks can only {}.", payload.event, rights(spec)),
    }
    let collects = can(spec, Capability::AddContext)
        && !(v.blocked && payload.event == "PreToolUse")
        && (payload.event != "Stop" || v.resume);
    if collects {
        v.context = results.answers.iter().flat_map(|(_, a)| context_of(&payload.event, a)).collect();
    }
    v.system_messages =
        results.answers.iter().map(|(_, a)| a.system_message.clone()).filter(|m| !m.is_empty()).collect();
    if let Some((_, last)) = results.answers.iter().find(|(_, a)| a.go_on == Some(false)) {
        v.stop_reason = Some(last.stop_reason.clone()).filter(|r| !r.is_empty());
    }
    host_fields(&mut v, results);
    sees(&mut v);
    v
}

fn rights(spec: Option<&EventSpec>) -> String {
    let words: Vec<_> = spec.map_or(&[][..], |s| s.rights).iter().map(|r| r.word()).collect();
    if words.is_empty() { "observe".into() } else { words.join(", ") }
}

fn pre_tool_use(v: &mut Verdict, results: &Results) {
    let decisive = results.answers.iter().find_map(|(l, a)| tool_decision(a).map(|d| (l, a, d)));
    let Some((label, answer, (decision, field))) = decisive else {
        v.decision = Some("ask".into());
        v.rule = "No hook decided, and without a decision this host asks.".into();
        update_input(v, results);
        return;
    };
    v.decision = Some(decision.into());
    v.decided_by = Some(label.clone());
    v.reason = reason_of(answer, "PreToolUse");
    v.rule = format!("The first decisive answer counts: `{label}` said {decision} by `{field}`.");
    if decision == "deny" {
        v.blocked = true;
        v.reason_to = Some("model".into());
        let text = v.reason.clone().unwrap_or_else(|| "denied by hook".into());
        v.host.insert("tool_result".into(), format!("Error: {text}").into());
        if results.answers.iter().any(|(_, a)| !context_of("PreToolUse", a).is_empty()) {
            v.warnings.push("context from hooks is dropped because the call is denied".into());
        }
    } else {
        update_input(v, results);
    }
}

fn update_input(v: &mut Verdict, results: &Results) {
    let mut rewrites = results.answers.iter().filter_map(|(l, a)| {
        a.specific_for("PreToolUse").and_then(|s| s.get("updatedInput")).filter(|u| u.is_object()).map(|u| (l, u))
    });
    let Some((first, input)) = rewrites.next() else { return };
    v.updated_input = Some(input.clone());
    if let Some((second, _)) = rewrites.next() {
        v.warnings.push(format!("`{first}` and `{second}` both rewrite the input; the first one counts"));
    }
}

fn permission_request(v: &mut Verdict, results: &Results) {
    for (label, answer) in &results.answers {
        let interrupt = answer.go_on == Some(false);
        if let Some(decision) = plain_decision(answer) {
            v.decision = Some(decision.into());
            v.reason = Some(answer.reason.clone()).filter(|r| !r.is_empty());
            if decision == "deny" {
                v.reason.get_or_insert_with(|| "denied by hook".into());
            }
            v.rule = format!("The first answer with a decision counts: `{label}` said {decision}.");
        } else if interrupt {
            v.decision = Some("deny".into());
            v.reason = Some("interrupted by hook".into());
            v.rule = format!("`{label}` answered continue: false without a decision, which denies and interrupts.");
        } else {
            continue;
        }
        v.decided_by = Some(label.clone());
        v.blocked = v.decision.as_deref() == Some("deny");
        v.halt = interrupt;
        v.reason_to = v.blocked.then(|| "model".into());
        v.host.insert("interrupt".into(), interrupt.into());
        return;
    }
    v.host.insert("interrupt".into(), false.into());
    v.rule = "No hook decided, so the next layer of the permission check is asked.".into();
}

fn user_prompt(v: &mut Verdict, results: &Results) {
    let Some((label, answer)) = results.answers.iter().find(|(_, a)| plain_decision(a) == Some("deny")) else {
        v.rule = "No hook blocked the prompt, so it is sent.".into();
        return;
    };
    v.blocked = true;
    v.decision = Some("deny".into());
    v.decided_by = Some(label.clone());
    v.reason = reason_of(answer, "UserPromptSubmit");
    v.reason_to = Some("user".into());
    v.rule = format!("`{label}` said block, so the prompt is not sent.");
}

fn stop(v: &mut Verdict, results: &Results) {
    let decider = results.answers.iter().find(|(_, a)| a.go_on == Some(true));
    v.resume = decider.is_some();
    v.decided_by = decider.map(|(l, _)| l.clone());
    v.host.insert("continue_loop".into(), v.resume.into());
    v.rule = match decider {
        Some((label, _)) => format!("`{label}` answered continue: true, and any such answer makes the loop go on."),
        None => "No hook answered continue: true, so the loop ends.".into(),
    };
}

fn post_tool_use(v: &mut Verdict, payload: &Payload, results: &Results) {
    v.suppress_output = results.answers.iter().any(|(_, a)| a.suppress_output == Some(true));
    let output = payload.fields.get("tool_response").cloned().unwrap_or(Value::Null);
    let replacement = results.answers.iter().find_map(|(l, a)| {
        let value = a.specific_for("PostToolUse")?.get("updatedMCPToolOutput").filter(|o| !o.is_null())?;
        Some((l, value.clone()))
    });
    v.rule = "PostToolUse hooks can hide the output and add context, not undo the call.".into();
    let mut text = plain_text(&output);
    if let Some((label, value)) = replacement.filter(|_| is_mcp(payload)) {
        v.rule = format!("`{label}` replaced the output of an MCP tool by updatedMCPToolOutput.");
        v.decided_by = Some(label.clone());
        text = plain_text(&value);
        v.updated_output = Some(value);
    }
    if v.suppress_output {
        let label = results.answers.iter().find(|(_, a)| a.suppress_output == Some(true)).map(|(l, _)| l.clone());
        v.rule =
            format!("`{}` set suppressOutput, so the model gets a placeholder.", label.as_deref().unwrap_or("a hook"));
        v.decided_by = label;
        text = SUPPRESSED.into();
        v.updated_output = Some(SUPPRESSED.into());
    }
    v.host.insert("tool_result".into(), text.into());
}

/// A tool's output as the text of its result.
pub fn plain_text(output: &Value) -> String {
    match output {
        Value::String(s) => s.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn tool_failure(v: &mut Verdict, payload: &Payload) {
    let error = payload.fields.get("error").map(plain_text).unwrap_or_default();
    v.host.insert("tool_result".into(), format!("Error: {error}").into());
    v.rule = "PostToolUseFailure hooks can only add context.".into();
}

fn pre_compact(v: &mut Verdict, results: &Results) {
    let found =
        results.answers.iter().find_map(|(l, a)| Some((l, a.specific_text("PreCompact", "custom_instructions")?)));
    v.rule = match found {
        Some((label, text)) => {
            v.host.insert("custom_instructions".into(), text.into());
            v.decided_by = Some(label.clone());
            format!("The first custom_instructions count: those of `{label}` go into the summary.")
        }
        None => "No hook gave custom_instructions, so the summary is made as usual.".into(),
    };
}

fn team(v: &mut Verdict, payload: &Payload, results: &Results) {
    let found = results.answers.iter().find(|(_, a)| a.go_on == Some(false) && !a.reason.is_empty());
    let (goes, stays) = match payload.event.as_str() {
        "TeammateIdle" => ("the teammate goes idle", "the teammate keeps working"),
        _ => ("the task is completed", "the task stays open"),
    };
    v.rule = format!("No hook answered continue: false with a reason, so {goes}.");
    if let Some((label, answer)) = found {
        v.blocked = true;
        v.decided_by = Some(label.clone());
        v.reason = Some(answer.reason.clone());
        v.reason_to = Some("model".into());
        v.rule = format!("`{label}` answered continue: false with a reason, so {stays}.");
    }
}

fn host_fields(v: &mut Verdict, results: &Results) {
    let mut host = Map::new();
    host.insert("results".into(), results.answers.iter().map(|(_, a)| a.to_value()).collect());
    if !results.async_seconds.is_empty() {
        host.insert("async_timeouts".into(), json!(results.async_seconds));
    }
    host.extend(std::mem::take(&mut v.host));
    v.host = host;
}

fn sees(v: &mut Verdict) {
    let mut model = Vec::new();
    if let Some(Value::String(text)) = v.host.get("tool_result") {
        model.push(format!("tool result: {text}"));
    }
    if let (true, Some(reason), None) = (v.blocked, &v.reason, v.host.get("tool_result"))
        && v.reason_to.as_deref() == Some("model")
    {
        model.push(format!("Error: {reason}"));
    }
    if !v.context.is_empty() {
        model.push(format!("added to its next system prompt: {}", v.context.join("\n")));
    }
    v.model_sees = model.join("\n");
    v.user_sees = match (&v.reason, v.reason_to.as_deref()) {
        (Some(reason), Some("user")) => reason.clone(),
        _ => String::new(),
    };
}
