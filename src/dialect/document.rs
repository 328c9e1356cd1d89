//! Settings that may be JSON or YAML, for hosts that read both.

use crate::diag::{Diagnostic, Source};
use crate::model::doc::{JsonRules, Node, parse_json, parse_yaml};

/// The document of `source`: JSON if it begins like an object, else YAML.
pub fn json_or_yaml(source: &Source) -> Result<Node, Box<Diagnostic>> {
    let json = source.text.trim_start().starts_with('{');
    let parsed = if json { parse_json(&source.text, JsonRules::Comments) } else { parse_yaml(source) };
    let (id, syntax) = if json { ("invalid-json", "JSON") } else { ("invalid-yaml", "YAML") };
    parsed.map_err(|e| Box::new(Diagnostic::error(id, format!("not valid {syntax}: {e}")).at(source, e.span)))
}
