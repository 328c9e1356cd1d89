//! The pure core: loading settings and planning against many hooks.

use std::fmt::Write as _;

use hookdbg::diag::Source;
use hookdbg::dialect::registry;
use hookdbg::model::{Payload, Toggles};
use hookdbg::plan::plan;

fn main() {
    divan::main();
}

fn settings(hooks: usize) -> Source {
    let mut text = String::from("{\"hooks\":{\"PreToolUse\":[");
    for index in 0..hooks {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma}\n{{\"matcher\":\"mcp__server{index}__*\",\"commands\":[\"./hooks/h{index}.sh --flag\"]}}"
        );
    }
    text.push_str("]}}");
    Source::new("settings.json", "project", text)
}

#[divan::bench(args = [100, 10_000])]
fn load(bencher: divan::Bencher, hooks: usize) {
    let Ok(goat) = registry::find("goat") else { return };
    let source = settings(hooks);
    bencher.bench(|| goat.load(std::slice::from_ref(&source)));
}

#[divan::bench(args = [100, 1_000, 10_000])]
fn plan_one_event(bencher: divan::Bencher, hooks: usize) {
    let Ok(goat) = registry::find("goat") else { return };
    let Ok(loaded) = goat.load(&[settings(hooks)]) else { return };
    let fields = serde_json::json!({"tool_name": "mcp__server7__read"}).as_object().cloned().unwrap_or_default();
    let payload = Payload::new("PreToolUse", fields);
    bencher.bench(|| plan(goat.as_ref(), &loaded.hooks, &payload, &Toggles::default()));
}

/// One event against many hooks of the host whose matchers are regular expressions.
#[divan::bench(args = [1_000])]
fn plan_with_regular_expressions(bencher: divan::Bencher, hooks: usize) {
    let Ok(claude) = registry::find("claude") else { return };
    let groups: Vec<_> = (0..hooks)
        .map(|i| {
            format!(
                "{{\"matcher\":\"mcp__server{i}__.*\",\"hooks\":[{{\"type\":\"command\",\"command\":\"./h{i}.sh\"}}]}}"
            )
        })
        .collect();
    let text = format!("{{\"hooks\":{{\"PreToolUse\":[{}]}}}}", groups.join(","));
    let Ok(loaded) = claude.load(&[Source::new("settings.json", "project", text)]) else { return };
    let fields = serde_json::json!({"tool_name": "mcp__server7__read"}).as_object().cloned().unwrap_or_default();
    let payload = Payload::new("PreToolUse", fields);
    bencher.bench(|| plan(claude.as_ref(), &loaded.hooks, &payload, &Toggles::default()));
}
