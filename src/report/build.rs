//! Makes report values from settings, plans and firings.

use serde_json::{Value, json};

use super::environment::{self, ParentShell};
use super::explain;
use super::value::{CallReport, HookReport, HookState, REPORT_VERSION, Report, RunReport, SourceReport};
use crate::check::{HookOutput, OutputFinding, examine};
use crate::engine::{Call, Firing, RunRecord};
use crate::model::{Hook, HostState, Payload, Plan, PlanEntry, RunOutcome};
use crate::settings::Settings;

/// Payloads and stdin texts beyond this are not copied into reports.
const MAX_COPIED: usize = 1 << 20;

pub fn plan_report(settings: &Settings, payload: &Payload, plan: &Plan) -> Report {
    let hooks = plan.entries.iter().map(planned).collect();
    report(settings, payload, hooks)
}

pub fn firing_report(settings: &Settings, firing: &Firing) -> Report {
    firing_report_in(settings, firing, &ParentShell::ours())
}

/// A finished firing, as seen from `shell`.
pub fn firing_report_in(settings: &Settings, firing: &Firing, shell: &ParentShell<'_>) -> Report {
    let mut runs: Vec<Option<&RunRecord>> = vec![None; firing.plan.entries.len()];
    for record in &firing.runs {
        runs[record.hook] = Some(record);
    }
    let hooks = firing.plan.entries.iter().zip(runs).map(|(entry, record)| match record {
        Some(record) => {
            let run = run(record, &firing.payload, settings, shell);
            HookReport { state: HookState::Ran, run: Some(run), ..planned(entry) }
        }
        None => HookReport { state: HookState::Skipped, ..planned(entry) },
    });
    let mut report = report(settings, &firing.payload, hooks.collect());
    report.host = firing.host.as_ref().clone();
    if let Some(hook) = firing.verdict.decided_by.as_ref().and_then(|d| report.hooks.get_mut(d.hook)) {
        hook.decided = true;
    }
    report.verdict = Some(firing.verdict.clone());
    report.at = Some(firing.at.clone());
    report.duration_ms = Some(firing.duration_ms);
    report.explanation = explain::firing(&report);
    report
}

pub fn call_report(settings: &Settings, call: &Call) -> CallReport {
    let pre = firing_report(settings, &call.pre);
    let post = call.post.as_ref().map(|p| firing_report(settings, p));
    CallReport {
        version: REPORT_VERSION,
        dialect: settings.dialect.profile().label(),
        explanation: explain::call(&pre, &call.tool, post.as_ref()),
        pre,
        tool: call.tool.clone(),
        post,
        result: call.result.clone(),
        user_messages: call.user_messages.clone(),
    }
}

fn report(settings: &Settings, payload: &Payload, hooks: Vec<HookReport>) -> Report {
    let mut diagnostics = settings.diagnostics.clone();
    diagnostics.extend(settings.dialect.profile().check_payload(payload));
    let mut report = Report {
        version: REPORT_VERSION,
        dialect: settings.dialect.profile().label(),
        event: payload.event.clone(),
        tool: payload.text(settings.dialect.profile().tool_field()).map(str::to_string),
        settings: settings.files.clone(),
        payload: copied_payload(payload),
        host: HostState::default(),
        explanation: Vec::new(),
        diagnostics,
        hooks,
        verdict: None,
        at: None,
        duration_ms: None,
    };
    report.explanation = explain::plan(&report);
    report
}

/// What the doctor says; only processes print.
fn advice(record: &RunRecord, payload: &Payload, settings: &Settings) -> Vec<OutputFinding> {
    let phase = record.last();
    if phase.invocation.is_none() || phase.reading.outcome == RunOutcome::Background {
        return Vec::new();
    }
    let (stdout, stderr) = (phase.end.stdout.text(), phase.end.stderr.text());
    let seen = HookOutput {
        event: &payload.event,
        stdout: &stdout,
        stderr: &stderr,
        exit: phase.end.exit_code(),
        payload: &payload.fields,
    };
    let mut found = examine(&seen, settings.dialect.profile());
    // The engine has looked at the file itself; its word counts more than what the exit code lets guess.
    if let (Some(diagnosis), Some(first)) = (&phase.end.diagnosis, found.first_mut())
        && matches!(first.id, "not-found" | "not-executable")
    {
        first.says.clone_from(diagnosis);
        if diagnosis.contains("carriage return") {
            (first.id, first.fix) = ("crlf", "save it with Unix line ends: sed -i 's/\\r$//' SCRIPT".into());
        }
    }
    found
}

fn copied_payload(payload: &Payload) -> Value {
    let size = serde_json::to_vec(payload.fields.as_ref()).map_or(0, |b| b.len());
    if size > MAX_COPIED { json!({"$left_out_bytes": size}) } else { Value::Object(payload.fields.as_ref().clone()) }
}

fn planned(entry: &PlanEntry) -> HookReport {
    let hook: &Hook = &entry.hook;
    let place = hook.origin.place.as_ref();
    HookReport {
        id: hook.id.clone(),
        name: hook.name.clone(),
        label: hook.label.clone(),
        event: hook.event.clone(),
        matcher: hook.matcher.clone(),
        handler: hook.handler.word(),
        command: hook.handler.command().map(str::to_string),
        timeout_ms: hook.timeout.map(|t| u64::try_from(t.as_millis()).unwrap_or(u64::MAX)),
        source: SourceReport {
            path: place.map(|p| p.path.to_string()),
            line: place.map(|p| p.line),
            column: place.map(|p| p.column),
            layer: hook.origin.layer.to_string(),
            scope: hook.origin.scope.as_ref().map(ToString::to_string),
        },
        state: if entry.gate.is_some() { HookState::Skipped } else { HookState::Runs },
        gate: entry.gate.clone(),
        decided: false,
        run: None,
    }
}

fn run(record: &RunRecord, payload: &Payload, settings: &Settings, shell: &ParentShell<'_>) -> RunReport {
    let phase = record.last();
    let end = &phase.end;
    let invocation = phase.invocation.as_ref();
    let stdin = invocation.map_or(&[][..], |i| &i.stdin);
    let env = invocation.into_iter().flat_map(|i| &i.env).map(|(k, v)| (k.clone(), v.clone().into())).collect();
    RunReport {
        outcome: phase.reading.outcome,
        exit_code: end.exit_code(),
        signal: end.signal(),
        started_ms: record.phases[0].end.started_ms,
        duration_ms: record.duration_ms(),
        finish_order: record.finish_order,
        phases: record.phases.len(),
        stdin: String::from_utf8_lossy(&stdin[..stdin.len().min(MAX_COPIED)]).into_owned(),
        stdout: end.stdout.text(),
        stderr: end.stderr.text(),
        stdout_bytes: end.stdout.total,
        stderr_bytes: end.stderr.total,
        truncated: end.stdout.truncated() || end.stderr.truncated(),
        stdin_read: end.stdin.word(),
        stdin_bytes: end.stdin.total,
        stdin_written: end.stdin.written,
        late_bytes: end.late_bytes,
        leaked: !end.leftovers.is_empty(),
        leftovers: end.leftovers.clone(),
        argv: invocation.map_or_else(Vec::new, |i| i.argv.clone()),
        cwd: invocation.and_then(|i| i.cwd.as_ref()).map(|c| c.display().to_string()),
        env,
        note: end.note.clone(),
        answer: phase.reading.answer.clone(),
        environment: invocation.map_or_else(Vec::new, |i| environment::rows(i, payload, shell)),
        advice: advice(record, payload, settings),
        says: phase.reading.says.clone(),
    }
}
