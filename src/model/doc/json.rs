//! JSON, strict or with comments and trailing commas, into a spanned tree.

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{DocError, Member, Node, NodeKind};
use crate::diag::Span;

/// How much a host's reader forgives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonRules {
    /// RFC 8259, nothing else.
    Strict,
    /// Comments and trailing commas too.
    Comments,
}

/// Parse one document; an empty text is an error at its end.
pub fn parse_json(text: &str, rules: JsonRules) -> Result<Node, DocError> {
    let relaxed = rules == JsonRules::Comments;
    let options = ParseOptions {
        allow_comments: relaxed,
        allow_trailing_commas: relaxed,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options)
        .map_err(|e| DocError { message: e.kind().to_string(), span: Span::new(e.range().start, e.range().end) })?;
    match parsed.value {
        Some(value) => convert(&value),
        None => Err(DocError { message: "the file is empty".into(), span: Span::new(text.len(), text.len()) }),
    }
}

fn convert(value: &ast::Value<'_>) -> Result<Node, DocError> {
    Ok(match value {
        ast::Value::NullKeyword(n) => node(NodeKind::Null, n.range),
        ast::Value::BooleanLit(b) => node(NodeKind::Bool(b.value), b.range),
        ast::Value::StringLit(s) => node(NodeKind::String(s.value.to_string()), s.range),
        ast::Value::NumberLit(n) => {
            let number = serde_json::from_str(n.value).map_err(|_| DocError {
                message: format!("{} is not a number JSON can hold", n.value),
                span: Span::new(n.range.start, n.range.end),
            })?;
            node(NodeKind::Number(number), n.range)
        }
        ast::Value::Array(a) => {
            let items = a.elements.iter().map(convert).collect::<Result<_, _>>()?;
            node(NodeKind::Array(items), a.range)
        }
        ast::Value::Object(o) => {
            let entries = o.properties.iter().map(entry).collect::<Result<_, _>>()?;
            node(NodeKind::Object(entries), o.range)
        }
    })
}

fn entry(property: &ast::ObjectProp<'_>) -> Result<Member, DocError> {
    let (key, range) = match &property.name {
        ast::ObjectPropName::String(s) => (s.value.to_string(), s.range),
        ast::ObjectPropName::Word(w) => (w.value.to_string(), w.range),
    };
    Ok(Member { key, key_span: Span::new(range.start, range.end), value: convert(&property.value)? })
}

fn node(kind: NodeKind, range: jsonc_parser::common::Range) -> Node {
    Node { kind, span: Span::new(range.start, range.end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_refuses_a_comment_and_says_where() {
        let error = parse_json("{} // x", JsonRules::Strict).unwrap_err();
        assert_eq!(error.span.start, 3);
        assert!(parse_json("{} // x", JsonRules::Comments).is_ok());
    }

    #[test]
    fn last_duplicate_key_wins() {
        let doc = parse_json(r#"{"a":1,"a":2}"#, JsonRules::Strict).unwrap();
        assert_eq!(doc.get("a").unwrap().to_value(), serde_json::json!(2));
    }

    #[test]
    fn empty_text_is_an_error() {
        assert!(parse_json("  ", JsonRules::Comments).is_err());
    }
}
