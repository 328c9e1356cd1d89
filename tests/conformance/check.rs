//! Comparing what happened with what a vector expects; every difference is one sentence.

use std::time::Duration;

use serde_json::Value;

use crate::scene::Scene;

/// The differences found so far.
#[derive(Default)]
pub struct Check {
    failures: Vec<String>,
}

impl Check {
    /// `got` must equal `want`.
    pub fn equal(&mut self, key: &str, want: &Value, got: &Value) {
        if want != got {
            self.fail(format!("{key}: expected {want}, got {got}"));
        }
    }

    /// Each item of `got` must contain the item of `want` at its place.
    pub fn subsets(&mut self, key: &str, want: &Value, got: &[Value]) {
        let want = want.as_array().expect("a list");
        if want.len() != got.len() {
            return self.fail(format!("{key}: expected {} items, got {}: {got:?}", want.len(), got.len()));
        }
        for (index, (want, got)) in want.iter().zip(got).enumerate() {
            if !subset(want, got) {
                self.fail(format!("{key}[{index}]: {want} is not part of {got}"));
            }
        }
    }

    /// Each text of `want` must be part of some text of `got`; an empty list means there are none.
    pub fn mentions(&mut self, key: &str, want: &Value, got: &[String]) {
        let want = want.as_array().expect("a list");
        if want.is_empty() && !got.is_empty() {
            self.fail(format!("{key}: expected none, got {got:?}"));
        }
        for text in want.iter().filter_map(Value::as_str) {
            if !got.iter().any(|g| g.contains(text)) {
                self.fail(format!("{key}: nothing contains {text:?}: {got:?}"));
            }
        }
    }

    /// The expectations every dialect shares: what ran and what lies in the directory. False if `key` is none.
    pub fn scene(&mut self, key: &str, want: &Value, scene: &Scene) -> bool {
        match key {
            "ran" => self.equal(key, want, &scene.ran().into()),
            "skipped" => {
                for name in want.as_array().expect("a list").iter().filter_map(Value::as_str) {
                    if scene.ran().iter().any(|r| r == name) {
                        self.fail(format!("skipped: {name} ran"));
                    }
                }
            }
            "files" => want.as_object().expect("files").iter().for_each(|(name, want)| self.file(name, want, scene)),
            "elapsed_ms_max" => {
                let elapsed = scene.started.elapsed();
                if elapsed > Duration::from_millis(want.as_u64().expect("ms")) {
                    self.fail(format!("took {elapsed:?}, allowed {want} ms"));
                }
            }
            "absent_after_ms" => {
                wait_until(scene, &want["ms"]);
                let name = want["file"].as_str().expect("file");
                if scene.file(name).is_some() {
                    self.fail(format!("{name} exists: something went on running"));
                }
            }
            "ran_after_ms" => {
                let before = scene.ran();
                wait_until(scene, want);
                if scene.ran() != before {
                    self.fail(format!("ran.log grew to {:?}: something went on running", scene.ran()));
                }
            }
            _ => return false,
        }
        true
    }

    fn file(&mut self, name: &str, want: &Value, scene: &Scene) {
        let Some(text) = scene.file(name) else { return self.fail(format!("{name} was not written")) };
        for (kind, want) in want.as_object().expect("a file expectation") {
            let json = || serde_json::from_str::<Value>(&text).unwrap_or(Value::Null);
            match kind.as_str() {
                "text" => self.equal(name, want, &Value::from(text.clone())),
                "json" => self.equal(name, want, &json()),
                "json_subset" if subset(want, &json()) => {}
                "json_subset" => self.fail(format!("{name}: {want} is not part of {text}")),
                other => self.fail(format!("{name}: unknown expectation `{other}`")),
            }
        }
    }

    /// Record a difference.
    pub fn fail(&mut self, failure: String) {
        self.failures.push(failure);
    }

    /// All differences, or success.
    pub fn result(self) -> Result<(), Vec<String>> {
        if self.failures.is_empty() { Ok(()) } else { Err(self.failures) }
    }
}

fn wait_until(scene: &Scene, ms: &Value) {
    let end = Duration::from_millis(ms.as_u64().expect("ms"));
    std::thread::sleep(end.saturating_sub(scene.started.elapsed()));
}

/// Whether every key of `want` is in `got` with an equal or containing value.
pub fn subset(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => want.iter().all(|(k, w)| got.get(k).is_some_and(|g| subset(w, g))),
        _ => want == got,
    }
}
