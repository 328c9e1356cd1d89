//! Texts that repeat (events, tools, hooks, decisions) stored once.

use std::collections::HashMap;

/// A stored text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Name(u32);

/// The texts.
#[derive(Debug)]
pub struct Names {
    texts: Vec<Box<str>>,
    index: HashMap<Box<str>, Name>,
}

impl Default for Names {
    fn default() -> Self {
        // The first name is the empty text, so that a default name means nothing.
        Self { texts: vec!["".into()], index: HashMap::from([("".into(), Name(0))]) }
    }
}

impl Names {
    /// The name of `text`.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.index.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(0));
        self.texts.push(text.into());
        self.index.insert(text.into(), name);
        name
    }

    /// The text of `name`.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    /// Which names contain `needle`, without regard to case.
    pub fn containing(&self, needle: &str) -> Vec<bool> {
        let needle = needle.to_lowercase();
        self.texts.iter().map(|t| !t.is_empty() && t.to_lowercase().contains(&needle)).collect()
    }

    /// Whether `name` is marked in a list that [`Names::containing`] gave.
    pub fn marked(marks: &[bool], name: Name) -> bool {
        marks.get(name.0 as usize).copied().unwrap_or(false)
    }
}
