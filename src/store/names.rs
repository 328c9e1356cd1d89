//! Texts that repeat (events, tools, hooks, decisions) stored once.

use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Name(u32);

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
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.index.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(0));
        self.texts.push(text.into());
        self.index.insert(text.into(), name);
        name
    }

    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
}

/// Which names contain a text, without regard to case. Each name is looked at once, whenever it comes.
#[derive(Debug, Default)]
pub struct Marks {
    needle: String,
    marked: Vec<bool>,
}

impl Marks {
    /// For `needle`; no name is looked at yet.
    pub fn new(needle: &str) -> Self {
        Self { needle: needle.to_lowercase(), marked: Vec::new() }
    }

    /// Look at the names that have come since the last time.
    pub fn catch_up(&mut self, names: &Names) {
        let fresh = &names.texts[self.marked.len()..];
        self.marked.extend(fresh.iter().map(|t| !t.is_empty() && t.to_lowercase().contains(&self.needle)));
    }

    pub fn contains(&self, name: Name) -> bool {
        self.marked.get(name.0 as usize).copied().unwrap_or(false)
    }
}
