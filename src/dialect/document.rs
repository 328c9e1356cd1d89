//! What reading settings has in common: JSON or YAML, and keys nobody knows.

use crate::diag::{Diagnostic, Source};
use crate::model::did_you_mean;
use crate::model::doc::{JsonRules, Member, Node, parse_json, parse_yaml};

/// The document of `source`: JSON if it begins like an object, else YAML.
pub fn json_or_yaml(source: &Source) -> Result<Node, Box<Diagnostic>> {
    let json = source.text.trim_start().starts_with('{');
    let parsed = if json { parse_json(&source.text, JsonRules::Comments) } else { parse_yaml(source) };
    let (id, syntax) = if json { ("invalid-json", "JSON") } else { ("invalid-yaml", "YAML") };
    parsed.map_err(|e| Box::new(Diagnostic::error(id, format!("not valid {syntax}: {e}")).at(source, e.span)))
}

/// The members of `node` whose key is none of `known`; the consequence is the host's.
pub fn unknown_keys(source: &Source, node: &Node, known: &[&str], consequence: &str) -> Vec<Diagnostic> {
    let members = node.as_object().unwrap_or_default().iter();
    let unknown = members.filter(|m| !known.contains(&m.key.as_str()));
    unknown.map(|m| unknown_key(source, m, known, consequence)).collect()
}

/// A key that is none of `known`.
pub fn unknown_key(source: &Source, member: &Member, known: &[&str], consequence: &str) -> Diagnostic {
    let hint = did_you_mean(&member.key, known.iter().copied());
    let message = format!("unknown key `{}`{hint}", member.key);
    Diagnostic::warning("unknown-key", message).consequence(consequence).at(source, member.key_span)
}
