//! Builds the JSON text of an object from pieces that are JSON already, so that nothing is parsed to be printed again.

#[derive(Debug, Clone)]
pub struct JsonObject(String);

impl Default for JsonObject {
    fn default() -> Self {
        Self("{".into())
    }
}

impl JsonObject {
    /// Keys are names of fields, which need no escapes.
    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push('"');
        self.0.push_str(key);
        self.0.push_str("\":");
    }

    /// A field whose value is JSON text.
    pub fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        self.key(key);
        if json.contains('\n') {
            // Written over several lines; an event is one.
            self.0.push_str(&one_line(json));
            return self;
        }
        self.0.reserve(json.len() + 64);
        self.0.push_str(json);
        self
    }

    pub fn text(&mut self, key: &str, text: &str) -> &mut Self {
        self.key(key);
        self.0.push_str(&quoted(text));
        self
    }

    pub fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// The same JSON without line ends: inside texts there are none, they are escaped.
fn one_line(json: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(json).ok();
    value.map_or_else(|| json.replace('\n', " "), |v| v.to_string())
}

pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".into())
}
