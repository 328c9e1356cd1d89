//! Reports of the vectors, through the library: each vector is read, checked, planned and fired once.

use std::fs;
use std::path::Path;

use hookdbg::check::{ProjectDirs, check};
use hookdbg::dialect::registry;
use hookdbg::engine::{EngineOptions, Runner};
use hookdbg::model::{Payload, Toggles};
use hookdbg::plan::plan;
use hookdbg::report::{
    CallReport, Painter, Report, Verbosity, call_report, findings, firing_report, plan_report, render_call,
    render_report,
};
use hookdbg::settings::{Settings, SettingsFile, read};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::input::{Act, Input};
use crate::plain::{Plain, shortened};
use crate::scene::Scene;
use crate::snapshot::Snapshots;

/// Compare the reports of all vectors of `host`.
pub fn compare(host: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(format!("{host}.json"));
    let document: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let mut out = Snapshots::default();
    for vector in document["vectors"].as_array().expect("vectors") {
        one(host, vector, &mut out);
    }
    out.compare(host);
}

fn one(host: &str, vector: &Value, out: &mut Snapshots) {
    let id = vector["id"].as_str().expect("an id").to_string();
    let (scene, vector) = Scene::new(vector);
    let input = Input::of(host, &vector, &scene);
    let dir = scene.path();
    let plain = Plain::new(&dir.display().to_string());
    let mut add = |command: &str, human: String, json: Option<Value>| {
        out.add(
            &format!("{command}.txt"),
            &id,
            &plain.text(&human.lines().flat_map(|l| [shortened(l), "\n".into()]).collect::<String>()),
        );
        if let Some(json) = json {
            out.add_json(command, &id, &plain, &json);
        }
    };
    let settings = match read(&files(&input, &dir), Some(registry::find(input.dialect).unwrap())) {
        Ok(settings) => settings,
        Err(error) => return add("check", error.to_string(), None),
    };
    let dirs = ProjectDirs { project: dir.clone(), home: Some(dir.join("home")) };
    let found = check(&settings, &dirs);
    add("check", findings::human(&found, 0, Painter::Plain), Some(findings::as_json(&found)));

    let options = EngineOptions { cwd: Some(dir), env: input.env.clone(), ..EngineOptions::default() };
    let runner = Runner::new(settings.dialect.clone(), settings.hooks.clone(), options);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match &input.act {
        Act::Plan(payload) => why(&settings, payload, true, &mut add),
        Act::Fire(payload) => {
            why(&settings, payload, false, &mut add);
            let firing = runtime.block_on(runner.fire(input.request(payload.clone())));
            let report = without_times(firing_report(&settings, &firing));
            add("fire", render_report(&report, Painter::Plain, Verbosity::Normal), Some(json(&report)));
        }
        Act::Call(fields) => {
            let opening = Payload::new("PreToolUse", Map::new());
            let call = runtime.block_on(runner.call(fields, &input.request(opening))).expect("a call");
            why(&settings, &call.pre.payload, false, &mut add);
            let report = call_report(&settings, &call);
            let report = CallReport { pre: without_times(report.pre), post: report.post.map(without_times), ..report };
            add("call", render_call(&report, Painter::Plain, Verbosity::Normal), Some(json(&report)));
        }
    }
}

/// The vector's files, as files.
fn files(input: &Input, dir: &Path) -> Vec<SettingsFile> {
    let write = |(at, (layer, text)): (usize, &(String, String))| {
        let path = dir.join(if at == 0 { "settings.json".into() } else { format!("settings-{at}.json") });
        fs::write(&path, text).unwrap();
        SettingsFile { path, layer: layer.clone() }
    };
    input.files.iter().enumerate().map(write).collect()
}

/// The plan. Its JSON says nothing that the report of the firing does not say, so only plans without one keep it.
fn why(settings: &Settings, payload: &Payload, keep_json: bool, add: &mut impl FnMut(&str, String, Option<Value>)) {
    let planned = plan(settings.dialect.as_ref(), &settings.hooks, payload, &Toggles::default());
    let report = plan_report(settings, payload, &planned);
    add("why", render_report(&report, Painter::Plain, Verbosity::Full), keep_json.then(|| json(&report)));
}

fn json(report: &impl Serialize) -> Value {
    serde_json::to_value(report).unwrap()
}

/// Times differ from run to run; the layout of a report must not follow them.
fn without_times(mut report: Report) -> Report {
    report.duration_ms = report.duration_ms.map(|_| 1.0);
    report.at = report.at.map(|_| "2026-01-01T00:00:00Z".into());
    for run in report.hooks.iter_mut().filter_map(|h| h.run.as_mut()) {
        (run.started_ms, run.duration_ms) = (0.0, 1.0);
        run.stdout = shortened(&run.stdout);
    }
    report
}
