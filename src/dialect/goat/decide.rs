//! From the answers of a firing to its verdict, event by event, within the rights each event gives its hooks.

use serde::Serialize;
use serde_json::Value;

use super::answer::SyncAnswer;
use crate::dialect::call::text;
use crate::dialect::draft::Draft;
use crate::dialect::event::MergeClass;
use crate::dialect::{Capability, Done, EventRow, FiringInput, Profile, sentence};
use crate::model::{Decider, Payload, Plan, Verdict};

#[derive(Debug)]
pub enum GoatResult {
    Accepted {
        answer: SyncAnswer,
        ignored: Vec<String>,
    },
    /// It asked for a second run of so many seconds.
    Again {
        /// Already defaulted.
        seconds: u64,
    },
    /// It failed, with the sentence that says how.
    Failed(String),
}

#[derive(Debug, Default)]
struct Results<'a> {
    /// Every hook that succeeded with its answer, in order.
    answers: Vec<(Decider, &'a SyncAnswer)>,
    errors: Vec<String>,
    warnings: Vec<String>,
    async_seconds: Vec<u64>,
}

impl<'a> Results<'a> {
    fn of(plan: &Plan, done: &'a [Done<GoatResult>]) -> Self {
        let mut results = Self::default();
        for run in done {
            let decider = plan.decider(run.hook);
            let label = &decider.label;
            match &run.answer {
                GoatResult::Accepted { answer, ignored } => {
                    results.warnings.extend(ignored.iter().map(|i| format!("{label}: {i}")));
                    results.answers.push((decider, answer));
                }
                GoatResult::Again { seconds } => results.async_seconds.push(*seconds),
                GoatResult::Failed(says) => results.errors.push(format!("{label}: {says}")),
            }
        }
        results
    }
}

/// What only a verdict of this host has, as reports print it.
#[derive(Default, Serialize)]
struct GoatFacts {
    results: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    async_timeouts: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupt: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continue_loop: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom_instructions: Option<String>,
}

/// What the tool result says when a hook hides the output.
pub const SUPPRESSED: &str = "[output suppressed by hook]";

/// `deny` or `allow` of one answer: its permissionDecision before its decision.
fn tool_decision(row: &EventRow, answer: &SyncAnswer) -> Option<(&'static str, &'static str)> {
    match answer.specific_text(row.name, "permissionDecision") {
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
pub fn denies(row: &EventRow, answer: &SyncAnswer) -> bool {
    match row.merge {
        MergeClass::Permission => tool_decision(row, answer).is_some_and(|(d, _)| d == "deny"),
        MergeClass::Request => {
            plain_decision(answer) == Some("deny")
                || (plain_decision(answer).is_none() && answer.continues == Some(false))
        }
        MergeClass::Prompt => plain_decision(answer) == Some("deny"),
        MergeClass::Stay { .. } => answer.continues == Some(false) && !answer.reason.is_empty(),
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
pub fn ignored_fields(profile: &Profile, row: &EventRow, payload: &Payload, answer: &SyncAnswer) -> Vec<String> {
    let event = row.name;
    let mut ignored = Vec::new();
    let mut without_right = |there: bool, path: &str| {
        let field = path.rsplit('.').next().unwrap_or(path);
        if let Some(right) = profile.capability(field).filter(|_| there && !row.heeds(field)) {
            ignored.push(format!("`{path}` has no effect: {event} hooks cannot {}", right.word()));
        }
    };
    let specific = answer.specific_for(event);
    let has = |key: &str| specific.is_some_and(|s| s.get(key).is_some_and(|v| !v.is_null()));
    without_right(plain_decision(answer).is_some(), "decision");
    without_right(answer.suppress_output == Some(true), "suppressOutput");
    without_right(!answer.system_message.is_empty(), "systemMessage");
    without_right(has("additionalContext"), "hookSpecificOutput.additionalContext");
    without_right(has("updatedInput"), "hookSpecificOutput.updatedInput");
    without_right(has("updatedMCPToolOutput"), "hookSpecificOutput.updatedMCPToolOutput");
    if has("updatedInput") && row.heeds("updatedInput") && specific.is_some_and(|s| !s["updatedInput"].is_object()) {
        ignored.push("`hookSpecificOutput.updatedInput` has no effect: it must be an object".into());
    }
    if has("updatedMCPToolOutput") && row.heeds("updatedMCPToolOutput") && !is_mcp(payload) {
        ignored.push("`hookSpecificOutput.updatedMCPToolOutput` has no effect: the tool is no MCP tool".into());
    }
    if !answer.decision.is_empty() && plain_decision(answer).is_none() {
        let word = &answer.decision;
        ignored.push(format!("`decision` \"{word}\" decides nothing: the words are allow, deny, approve, block"));
    }
    match &answer.specific {
        Some(Value::Object(s)) if specific.is_none() => ignored.push(format!(
            "`hookSpecificOutput` has no effect: its hookEventName is {}, and this event is {event}",
            s.get("hookEventName").unwrap_or(&Value::Null)
        )),
        Some(Value::Object(_)) | None => {}
        Some(_) => ignored.push("`hookSpecificOutput` has no effect: it is no object".into()),
    }
    let fields = profile.specific_fields();
    let words = fields.iter().find(|f| f.name == "permissionDecision").and_then(|f| f.words());
    if let (Some(word), Some(words)) = (answer.specific_text(event, "permissionDecision"), words)
        && !words.contains(&word)
    {
        ignored.push(format!("`permissionDecision` \"{word}\" decides nothing: the words are {}", words.join(", ")));
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
pub fn says(row: &EventRow, answer: &SyncAnswer) -> String {
    let event = row.name;
    let allows = || row.heeds("decision") && tool_or_plain(row, answer) == Some("allow");
    let decides = match row.merge {
        MergeClass::Prompt => denies(row, answer).then_some("blocks the prompt"),
        MergeClass::Stay { denial, .. } if denies(row, answer) => Some(denial),
        _ if denies(row, answer) => Some("denies the call"),
        _ => allows().then_some("allows the call"),
    };
    let goes_on = row.merge == MergeClass::Turn && answer.continues == Some(true);
    let hides = answer.suppress_output == Some(true) && row.heeds("suppressOutput");
    let rewrites = rewritten_input(event, answer).is_some() && row.heeds("updatedInput");
    let adds = row.can(Capability::AddContext) && !context_of(event, answer).is_empty();
    let ends = match row.merge {
        MergeClass::Request => "interrupts the whole loop",
        _ => "ends the firing, so later hooks do not run",
    };
    let effects = [
        decides,
        goes_on.then_some("makes the loop go on"),
        hides.then_some("hides the tool's output"),
        rewrites.then_some("rewrites the tool's input"),
        adds.then_some("adds context for the model"),
        (answer.continues == Some(false)).then_some(ends),
    ];
    let effects: Vec<&str> = effects.into_iter().flatten().collect();
    sentence(&effects, "Accepted; it decides nothing.")
}

fn tool_or_plain(row: &EventRow, answer: &SyncAnswer) -> Option<&'static str> {
    if row.merge == MergeClass::Permission {
        tool_decision(row, answer).map(|(d, _)| d)
    } else {
        plain_decision(answer)
    }
}

/// The input it asks for, which has to be an object.
fn rewritten_input<'a>(event: &str, answer: &'a SyncAnswer) -> Option<&'a Value> {
    answer.specific_for(event)?.get("updatedInput").filter(|u| u.is_object())
}

fn context_of(event: &str, answer: &SyncAnswer) -> Vec<String> {
    let system = Some(answer.system_message.as_str()).filter(|m| !m.is_empty());
    system.into_iter().chain(answer.specific_text(event, "additionalContext")).map(str::to_string).collect()
}

fn is_mcp(payload: &Payload) -> bool {
    payload.text("tool_name").is_some_and(|t| t.starts_with("mcp__"))
}

pub fn verdict(row: &EventRow, input: &FiringInput, done: &[Done<GoatResult>]) -> Verdict {
    let payload = &input.payload;
    let results = &Results::of(&input.plan, done);
    let mut v = Draft::<GoatFacts>::default();
    v.facts.results = results.answers.iter().map(|(_, a)| a.to_value()).collect();
    v.facts.async_timeouts.clone_from(&results.async_seconds);
    v.errors.clone_from(&results.errors);
    v.warnings.clone_from(&results.warnings);
    match row.merge {
        MergeClass::Permission => permission(&mut v, row, results),
        MergeClass::Request => permission_request(&mut v, results),
        MergeClass::Prompt => user_prompt(&mut v, row, results),
        MergeClass::Turn => stop(&mut v, results),
        MergeClass::Output => output(&mut v, row, payload, results),
        MergeClass::ToolError => tool_error(&mut v, row, payload),
        MergeClass::Summary => summary(&mut v, row, results),
        MergeClass::Stay { passes, stays, .. } => stay(&mut v, passes, stays, results),
        MergeClass::Observe | MergeClass::Retry | MergeClass::Idle | MergeClass::Batch | MergeClass::Block => {
            v.rule = format!("{} hooks can only {}.", payload.event, rights(row));
        }
    }
    let collects = row.can(Capability::AddContext)
        && !(v.blocked && row.merge == MergeClass::Permission)
        && (row.merge != MergeClass::Turn || v.resume);
    if collects {
        v.context = results.answers.iter().flat_map(|(_, a)| context_of(&payload.event, a)).collect();
    }
    v.system_messages =
        results.answers.iter().map(|(_, a)| a.system_message.clone()).filter(|m| !m.is_empty()).collect();
    if let Some((_, first)) = results.answers.iter().find(|(_, a)| a.continues == Some(false)) {
        v.stop_reason = Some(first.stop_reason.clone()).filter(|r| !r.is_empty());
    }
    sees(&mut v);
    v.finish()
}

fn rights(row: &EventRow) -> String {
    let words: Vec<_> = row.effects().iter().map(|r| r.word()).collect();
    if words.is_empty() { "observe".into() } else { words.join(", ") }
}

fn permission(v: &mut Draft<GoatFacts>, row: &EventRow, results: &Results<'_>) {
    let decisive = results.answers.iter().find_map(|(by, a)| tool_decision(row, a).map(|d| (by, a, d)));
    let Some((by, answer, (decision, field))) = decisive else {
        v.decision = Some("ask".into());
        v.rule = "No hook decided, and without a decision this host asks.".into();
        update_input(v, row, results);
        return;
    };
    v.decision = Some(decision.into());
    v.decided_by = Some(by.clone());
    v.reason = reason_of(answer, row.name);
    v.rule = format!("The first decisive answer counts: `{by}` said {decision} by `{field}`.");
    if decision == "deny" {
        v.blocked = true;
        v.reason_to = Some("model".into());
        let refusal = format!("Error: {}", v.reason.as_deref().unwrap_or("denied by hook"));
        v.facts.tool_result = Some(refusal.clone());
        v.refusal = Some(refusal);
        if results.answers.iter().any(|(_, a)| !context_of(row.name, a).is_empty()) {
            v.warnings.push("context from hooks is dropped because the call is denied".into());
        }
    } else {
        update_input(v, row, results);
    }
}

fn update_input(v: &mut Draft<GoatFacts>, row: &EventRow, results: &Results<'_>) {
    let mut rewrites = results.answers.iter().filter_map(|(by, a)| Some((by, rewritten_input(row.name, a)?)));
    let Some((first, input)) = rewrites.next() else { return };
    v.updated_input = Some(input.clone());
    if let Some((second, _)) = rewrites.next() {
        v.warnings.push(format!("`{first}` and `{second}` both rewrite the input; the first one counts"));
    }
}

fn permission_request(v: &mut Draft<GoatFacts>, results: &Results<'_>) {
    for (by, answer) in &results.answers {
        let interrupt = answer.continues == Some(false);
        if let Some(decision) = plain_decision(answer) {
            v.decision = Some(decision.into());
            v.reason = Some(answer.reason.clone()).filter(|r| !r.is_empty());
            if decision == "deny" {
                v.reason.get_or_insert_with(|| "denied by hook".into());
            }
            v.rule = format!("The first answer with a decision counts: `{by}` said {decision}.");
        } else if interrupt {
            v.decision = Some("deny".into());
            v.reason = Some("interrupted by hook".into());
            v.rule = format!("`{by}` answered continue: false without a decision, which denies and interrupts.");
        } else {
            continue;
        }
        v.decided_by = Some(by.clone());
        v.blocked = v.decision.as_deref() == Some("deny");
        v.halt = interrupt;
        v.reason_to = v.blocked.then(|| "model".into());
        v.facts.interrupt = Some(interrupt);
        return;
    }
    v.facts.interrupt = Some(false);
    v.rule = "No hook decided, so the next layer of the permission check is asked.".into();
}

fn user_prompt(v: &mut Draft<GoatFacts>, row: &EventRow, results: &Results<'_>) {
    let Some((by, answer)) = results.answers.iter().find(|(_, a)| plain_decision(a) == Some("deny")) else {
        v.rule = "No hook blocked the prompt, so it is sent.".into();
        return;
    };
    v.blocked = true;
    v.decision = Some("deny".into());
    v.decided_by = Some(by.clone());
    v.reason = reason_of(answer, row.name);
    v.reason_to = Some("user".into());
    v.rule = format!("`{by}` said block, so the prompt is not sent.");
}

fn stop(v: &mut Draft<GoatFacts>, results: &Results<'_>) {
    let decider = results.answers.iter().find(|(_, a)| a.continues == Some(true));
    v.resume = decider.is_some();
    v.decided_by = decider.map(|(l, _)| l.clone());
    v.facts.continue_loop = Some(v.resume);
    v.rule = match decider {
        Some((by, _)) => format!("`{by}` answered continue: true, and any such answer makes the loop go on."),
        None => "No hook answered continue: true, so the loop ends.".into(),
    };
}

fn output(v: &mut Draft<GoatFacts>, row: &EventRow, payload: &Payload, results: &Results<'_>) {
    v.suppress_output = results.answers.iter().any(|(_, a)| a.suppress_output == Some(true));
    let response = payload.fields.get("tool_response").cloned().unwrap_or(Value::Null);
    let replacement = results.answers.iter().find_map(|(by, a)| {
        let value = a.specific_for(row.name)?.get("updatedMCPToolOutput").filter(|o| !o.is_null())?;
        Some((by, value.clone()))
    });
    v.rule = format!("{} hooks can hide the output and add context, not undo the call.", row.name);
    let mut shown = text(&response);
    if let Some((by, value)) = replacement.filter(|_| is_mcp(payload)) {
        v.rule = format!("`{by}` replaced the output of an MCP tool by updatedMCPToolOutput.");
        v.decided_by = Some(by.clone());
        shown = text(&value);
        v.updated_output = Some(value);
    }
    if v.suppress_output {
        v.decided_by = results.answers.iter().find(|(_, a)| a.suppress_output == Some(true)).map(|(by, _)| by.clone());
        let label = v.decided_by.as_ref().map_or("a hook", |by| &by.label);
        v.rule = format!("`{label}` set suppressOutput, so the model gets a placeholder.");
        shown = SUPPRESSED.into();
        v.updated_output = Some(SUPPRESSED.into());
    }
    v.facts.tool_result = Some(shown);
}

fn tool_error(v: &mut Draft<GoatFacts>, row: &EventRow, payload: &Payload) {
    let error = payload.fields.get("error").map(text).unwrap_or_default();
    v.facts.tool_result = Some(format!("Error: {error}"));
    v.rule = format!("{} hooks can only add context.", row.name);
}

fn summary(v: &mut Draft<GoatFacts>, row: &EventRow, results: &Results<'_>) {
    let found =
        results.answers.iter().find_map(|(by, a)| Some((by, a.specific_text(row.name, "custom_instructions")?)));
    v.rule = match found {
        Some((by, text)) => {
            v.facts.custom_instructions = Some(text.into());
            v.decided_by = Some(by.clone());
            format!("The first custom_instructions count: those of `{by}` go into the summary.")
        }
        None => "No hook gave custom_instructions, so the summary is made as usual.".into(),
    };
}

fn stay(v: &mut Draft<GoatFacts>, passes: &str, stays: &str, results: &Results<'_>) {
    let found = results.answers.iter().find(|(_, a)| a.continues == Some(false) && !a.reason.is_empty());
    v.rule = format!("No hook answered continue: false with a reason, so {passes}.");
    if let Some((by, answer)) = found {
        v.blocked = true;
        v.decided_by = Some(by.clone());
        v.reason = Some(answer.reason.clone());
        v.reason_to = Some("model".into());
        v.rule = format!("`{by}` answered continue: false with a reason, so {stays}.");
    }
}

fn sees(v: &mut Draft<GoatFacts>) {
    let mut model = Vec::new();
    if let Some(text) = &v.facts.tool_result {
        model.push(format!("tool result: {text}"));
    }
    if let (true, Some(reason), None) = (v.blocked, &v.reason, &v.facts.tool_result)
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
