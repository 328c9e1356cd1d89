//! YAML 1.2 (core schema) into the same spanned tree as JSON. Aliases are resolved with a node budget, so a
//! "billion laughs" file is an error, not an exhausted machine. Only the first document is read.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span as YamlSpan, StrInput};

use super::{DocError, Member, Node, NodeKind};
use crate::diag::{Source, Span};

/// Nodes one file may expand to.
const NODE_BUDGET: usize = 1_000_000;
/// Nesting one file may have.
const DEPTH_BUDGET: usize = 128;

pub fn parse_yaml(source: &Source) -> Result<Node, DocError> {
    let mut builder =
        Builder { parser: Parser::new_from_str(&source.text), source, anchors: HashMap::new(), budget: NODE_BUDGET };
    loop {
        let (event, span) = builder.next()?;
        match event {
            Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
            Event::StreamEnd | Event::DocumentEnd => {
                return Err(builder.error("the file is empty", span));
            }
            other => return builder.node(other, span, 0),
        }
    }
}

struct Builder<'a> {
    parser: Parser<'a, StrInput<'a>>,
    source: &'a Source,
    anchors: HashMap<usize, (Node, usize)>,
    budget: usize,
}

impl<'a> Builder<'a> {
    fn next(&mut self) -> Result<(Event<'a>, YamlSpan), DocError> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(e)) => {
                let at = self.source.offset(e.marker().line(), e.marker().col());
                Err(DocError { message: e.info().to_string(), span: Span::new(at, at) })
            }
            None => Ok((Event::StreamEnd, YamlSpan::default())),
        }
    }

    fn span(&self, span: YamlSpan) -> Span {
        let start = self.source.offset(span.start.line(), span.start.col());
        Span::new(start, self.source.offset(span.end.line(), span.end.col()).max(start))
    }

    fn error(&self, message: &str, span: YamlSpan) -> DocError {
        DocError { message: message.into(), span: self.span(span) }
    }

    fn spend(&mut self, nodes: usize, span: YamlSpan) -> Result<(), DocError> {
        match self.budget.checked_sub(nodes) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(self.error("the aliases of this file expand to more than a million values", span)),
        }
    }

    fn node(&mut self, event: Event<'a>, span: YamlSpan, depth: usize) -> Result<Node, DocError> {
        if depth > DEPTH_BUDGET {
            return Err(self.error("nested more than 128 levels deep", span));
        }
        self.spend(1, span)?;
        let before = self.budget;
        let (kind, anchor, end) = match event {
            Event::Scalar(text, style, anchor, _) => (scalar(&text, style), anchor, span),
            Event::SequenceStart(anchor, _) => {
                let (items, end) = self.items(depth)?;
                (NodeKind::Array(items), anchor, end)
            }
            Event::MappingStart(anchor, _) => {
                let (entries, end) = self.entries(depth)?;
                (NodeKind::Object(entries), anchor, end)
            }
            Event::Alias(id) => {
                let Some((node, size)) = self.anchors.get(&id).cloned() else {
                    return Err(self.error("this alias refers to the value it stands in", span));
                };
                self.spend(size, span)?;
                return Ok(Node { kind: node.kind, span: self.span(span) });
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => return Err(self.error("a value is missing here", span)),
        };
        let start = self.span(span);
        let node = Node { kind, span: Span::new(start.start, self.span(end).end.max(start.end)) };
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), before - self.budget + 1));
        }
        Ok(node)
    }

    fn items(&mut self, depth: usize) -> Result<(Vec<Node>, YamlSpan), DocError> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok((items, span));
            }
            items.push(self.node(event, span, depth + 1)?);
        }
    }

    fn entries(&mut self, depth: usize) -> Result<(Vec<Member>, YamlSpan), DocError> {
        let mut entries: Vec<Member> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::MappingEnd {
                return Ok((entries, span));
            }
            let key = self.node(event, span, depth + 1)?;
            let (event, value_span) = self.next()?;
            let value = self.node(event, value_span, depth + 1)?;
            let name = match &key.kind {
                NodeKind::String(text) => text.clone(),
                NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) => key.to_value().to_string(),
                NodeKind::Array(_) | NodeKind::Object(_) => return Err(self.error("a key must be a plain word", span)),
            };
            entries.push(Member { key: name, key_span: key.span, value });
        }
    }
}

/// The core schema of YAML 1.2: only plain scalars are anything but text.
fn scalar(text: &str, style: ScalarStyle) -> NodeKind {
    if style != ScalarStyle::Plain {
        return NodeKind::String(text.into());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeKind::Null,
        "true" | "True" | "TRUE" => NodeKind::Bool(true),
        "false" | "False" | "FALSE" => NodeKind::Bool(false),
        _ => number(text).map_or_else(|| NodeKind::String(text.into()), NodeKind::Number),
    }
}

fn number(text: &str) -> Option<serde_json::Number> {
    let first = text.trim_start_matches(['+', '-']).chars().next()?;
    if !first.is_ascii_digit() && first != '.' {
        return None;
    }
    if let Ok(n) = text.parse::<i64>() {
        return Some(n.into());
    }
    let radix = |digits: &str, radix| i64::from_str_radix(digits, radix).ok().map(Into::into);
    if let Some(hex) = text.strip_prefix("0x") {
        return radix(hex, 16);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return radix(octal, 8);
    }
    serde_json::Number::from_f64(text.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str) -> serde_json::Value {
        parse_yaml(&Source::new("f", "project", text)).unwrap().to_value()
    }

    #[test]
    fn plain_scalars_follow_the_core_schema() {
        assert_eq!(value("[1, '1', yes, true, ~, 1.5, 0x10]"), json!([1, "1", "yes", true, null, 1.5, 16]));
    }

    #[test]
    fn anchors_are_resolved() {
        assert_eq!(value("a: &x {k: 1}\nb: *x\n"), json!({"a": {"k": 1}, "b": {"k": 1}}));
    }

    #[test]
    fn exploding_aliases_are_an_error() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for i in 1..9 {
            let p = i - 1;
            text = format!("{text}a{i}: &a{i} [{}]\n", vec![format!("*a{p}"); 10].join(", "));
        }
        assert!(parse_yaml(&Source::new("f", "project", text)).is_err());
    }

    #[test]
    fn spans_point_at_the_value() {
        let source = Source::new("f", "project", "ä: 1\nhooks:\n  - run: ./x.sh\n");
        let doc = parse_yaml(&source).unwrap();
        let run = doc.get("hooks").unwrap().as_array().unwrap()[0].get("run").unwrap();
        assert_eq!(&source.text[run.span.start..run.span.end], "./x.sh");
    }

    #[test]
    fn a_tab_as_indent_is_an_error_with_its_line() {
        let source = Source::new("f", "project", "hooks:\n\t- x\n");
        let error = parse_yaml(&source).unwrap_err();
        assert_eq!(source.place(error.span.start).line, 2);
    }
}
