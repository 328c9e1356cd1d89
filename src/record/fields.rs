//! Builds the JSON text of an object from pieces that are JSON already, so that nothing is parsed to be printed again.

/// An object under construction.
#[derive(Debug, Clone)]
pub struct Fields(String);

impl Default for Fields {
    fn default() -> Self {
        Self("{".into())
    }
}

impl Fields {
    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&quoted(key));
        self.0.push(':');
    }

    /// A field whose value is JSON text.
    pub fn raw(&mut self, key: &str, json: &str) -> &mut Self {
        self.key(key);
        self.0.push_str(json);
        self
    }

    /// A text field.
    pub fn text(&mut self, key: &str, text: &str) -> &mut Self {
        self.key(key);
        self.0.push_str(&quoted(text));
        self
    }

    /// The object.
    pub fn finish(&self) -> String {
        let mut text = self.0.clone();
        text.push('}');
        text
    }
}

/// `text` as a JSON string.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".into())
}
