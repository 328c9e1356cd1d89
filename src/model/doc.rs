//! A settings document as a tree in which every value and every key knows its byte range.
//!
//! Dialects read this instead of JSON or YAML, so each diagnostic can point at its place and both syntaxes
//! give the same hooks.

mod json;
mod yaml;

pub use json::{JsonRules, parse_json};
pub use yaml::parse_yaml;

use serde_json::Value;

use crate::diag::Span;

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub kind: NodeKind,
    pub span: Span,
}

/// The six kinds of value JSON and YAML share.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    String(String),
    Array(Vec<Node>),
    /// A map; order and duplicate keys are kept.
    Object(Vec<Member>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    pub fn as_object(&self) -> Option<&[Member]> {
        match &self.kind {
            NodeKind::Object(entries) => Some(entries),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value under `key`; of duplicate keys the last, as every common parser does.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_object()?.iter().rev().find(|e| e.key == key).map(|e| &e.value)
    }

    /// What it is, for "expected a list, found …".
    pub fn word(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "null",
            NodeKind::Bool(_) => "a boolean",
            NodeKind::Number(_) => "a number",
            NodeKind::String(_) => "text",
            NodeKind::Array(_) => "a list",
            NodeKind::Object(_) => "an object",
        }
    }

    pub fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Null => Value::Null,
            NodeKind::Bool(b) => Value::Bool(*b),
            NodeKind::Number(n) => Value::Number(n.clone()),
            NodeKind::String(s) => Value::String(s.clone()),
            NodeKind::Array(items) => Value::Array(items.iter().map(Node::to_value).collect()),
            NodeKind::Object(entries) => {
                Value::Object(entries.iter().map(|e| (e.key.clone(), e.value.to_value())).collect())
            }
        }
    }
}

/// Why a text is not a document, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DocError {
    pub message: String,
    pub span: Span,
}
