//! The directory a vector runs in: its scripts, its macros, and what is left there afterwards.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

/// One vector's stage.
pub struct Scene {
    dir: tempfile::TempDir,
    /// When the firing began.
    pub started: Instant,
}

impl Scene {
    /// An empty directory with the vector's scripts in it.
    pub fn new(vector: &Value) -> (Self, Value) {
        let dir = tempfile::tempdir().expect("a directory");
        let vector = expand(vector, &dir.path().canonicalize().unwrap().display().to_string());
        for (name, text) in vector["scripts"].as_object().into_iter().flatten() {
            let file = dir.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, text.as_str().expect("script text")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        (Self { dir, started: Instant::now() }, vector)
    }

    /// The directory.
    pub fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// Names of the hooks that ran, in order.
    pub fn ran(&self) -> Vec<String> {
        fs::read_to_string(self.dir.path().join("ran.log")).unwrap_or_default().lines().map(str::to_string).collect()
    }

    /// A file the hooks wrote.
    pub fn file(&self, name: &str) -> Option<String> {
        fs::read(self.dir.path().join(name)).ok().map(|b| String::from_utf8_lossy(&b).into_owned())
    }

    /// Note that an in-process hook ran, as scripts do themselves.
    pub fn note(dir: &Path, name: &str) {
        use std::io::Write as _;
        let mut log = fs::OpenOptions::new().create(true).append(true).open(dir.join("ran.log")).unwrap();
        writeln!(log, "{name}").unwrap();
    }
}

/// Replace the macros of the vector format.
fn expand(value: &Value, dir: &str) -> Value {
    match value {
        Value::String(s) => Value::String(s.replace("{{DIR}}", dir)),
        Value::Array(items) => items.iter().map(|v| expand(v, dir)).collect(),
        Value::Object(map) => match map.get("$repeat") {
            Some(r) => {
                let part = |key: &str| r[key].as_str().unwrap_or_default();
                let count = usize::try_from(r["count"].as_u64().unwrap_or(0)).unwrap();
                Value::String(format!("{}{}{}", part("prefix"), part("text").repeat(count), part("suffix")))
            }
            None => Value::Object(map.iter().map(|(k, v)| (k.clone(), expand(v, dir))).collect()),
        },
        other => other.clone(),
    }
}
