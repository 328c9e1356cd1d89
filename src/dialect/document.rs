//! What reading settings has in common: JSON or YAML, and saying what is wrong in them.

use crate::diag::{Diagnostic, Source, Span};
use crate::dialect::Profile;
use crate::model::did_you_mean;
use crate::model::doc::{JsonRules, Member, Node, parse_json, parse_yaml};

pub fn json(source: &Source, rules: JsonRules) -> Result<Node, Box<Diagnostic>> {
    parse_json(&source.text, rules)
        .map_err(|e| Box::new(Diagnostic::error("invalid-json", format!("not valid JSON: {e}")).at(source, e.span)))
}

pub fn yaml(source: &Source) -> Result<Node, Box<Diagnostic>> {
    parse_yaml(source)
        .map_err(|e| Box::new(Diagnostic::error("invalid-yaml", format!("not valid YAML: {e}")).at(source, e.span)))
}

/// The document of `source`: JSON if it begins like an object, else YAML.
pub fn json_or_yaml(source: &Source) -> Result<Node, Box<Diagnostic>> {
    if source.text.trim_start().starts_with('{') { json(source, JsonRules::Comments) } else { yaml(source) }
}

/// The words for an event that `profile` does not have; none if it has it.
pub fn unknown_event(profile: &Profile, event: &str) -> Option<String> {
    let hint = || did_you_mean(event, profile.event_names());
    profile.event(event).is_none().then(|| format!("unknown event `{event}`{}", hint()))
}

/// What is found wrong in one file; every finding has the consequence its host draws.
pub struct Findings<'a> {
    pub source: &'a Source,
    pub all: &'a mut Vec<Diagnostic>,
}

impl Findings<'_> {
    pub fn error(&mut self, id: &'static str, message: impl Into<String>, consequence: &str, span: Span) {
        self.add(Diagnostic::error(id, message).consequence(consequence), span);
    }

    pub fn warning(&mut self, id: &'static str, message: impl Into<String>, consequence: &str, span: Span) {
        self.add(Diagnostic::warning(id, message).consequence(consequence), span);
    }

    pub fn add(&mut self, diagnostic: Diagnostic, span: Span) {
        self.all.push(diagnostic.at(self.source, span));
    }

    /// The keys of `node` that are none of `known`.
    pub fn unknown_keys(&mut self, node: &Node, known: &[&str], consequence: &str) {
        let members = node.as_object().unwrap_or_default().iter();
        members.filter(|m| !known.contains(&m.key.as_str())).for_each(|m| self.unknown_key(m, known, consequence));
    }

    pub fn unknown_key(&mut self, member: &Member, known: &[&str], consequence: &str) {
        let hint = did_you_mean(&member.key, known.iter().copied());
        self.warning("unknown-key", format!("unknown key `{}`{hint}", member.key), consequence, member.key_span);
    }
}
