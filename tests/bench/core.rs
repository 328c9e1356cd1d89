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
    let goat = registry::all().remove(0);
    let source = settings(hooks);
    bencher.bench(|| goat.load(std::slice::from_ref(&source)));
}

#[divan::bench(args = [100, 1_000, 10_000])]
fn plan_one_event(bencher: divan::Bencher, hooks: usize) {
    let goat = registry::all().remove(0);
    let Ok(loaded) = goat.load(&[settings(hooks)]) else { return };
    let fields = serde_json::json!({"tool_name": "mcp__server7__read"}).as_object().cloned().unwrap_or_default();
    let payload = Payload::new("PreToolUse", fields);
    bencher.bench(|| plan(goat.as_ref(), &loaded.hooks, &payload, &Toggles::default()));
}
