//! A JSON value as lines that can be folded.

use std::collections::HashSet;

use serde_json::Value;

use crate::report::visible;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLine {
    pub depth: usize,
    /// The key or index before the value.
    pub key: String,
    /// The value, or a summary of what is folded away.
    pub value: String,
    /// Where it is, as a path; the name of its fold.
    pub path: String,
    /// Whether it can be folded, and is.
    pub folded: Option<bool>,
}

/// The lines of `value` with `folds` folded away.
pub fn tree_lines(value: &Value, folds: &HashSet<String>) -> Vec<TreeLine> {
    let mut lines = Vec::new();
    walk(value, String::new(), String::from("$"), 0, folds, &mut lines);
    lines
}

fn walk(value: &Value, key: String, path: String, depth: usize, folds: &HashSet<String>, lines: &mut Vec<TreeLine>) {
    let line = |key, value, path, folded| TreeLine { depth, key, value, path, folded };
    let (open, children): (_, Vec<_>) = match value {
        Value::Object(map) => ("{", map.iter().map(|(k, v)| (visible(k), format!("{path}.{k}"), v)).collect()),
        Value::Array(items) => {
            let child = |(i, v): (usize, _)| (i.to_string(), format!("{path}[{i}]"), v);
            ("[", items.iter().enumerate().map(child).collect())
        }
        Value::String(text) => return lines.push(line(key, format!("\"{}\"", visible(text)), path, None)),
        other => return lines.push(line(key, other.to_string(), path, None)),
    };
    let folded = folds.contains(&path);
    let value = match children.len() {
        1 if folded => format!("{open}1 entry"),
        count if folded || count == 0 => format!("{open}{count} entries"),
        _ => open.to_string(),
    };
    lines.push(line(key, value, path, Some(folded)));
    if !folded {
        children.into_iter().for_each(|(key, path, value)| walk(value, key, path, depth + 1, folds, lines));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fold_hides_what_is_below() {
        let value = json!({"a": {"b": [1, 2]}, "c": "x\u{1b}"});
        let all = tree_lines(&value, &HashSet::new());
        assert_eq!(all.len(), 6);
        assert_eq!(all[5].value, "\"x\\e\"");
        let folded = tree_lines(&value, &HashSet::from(["$.a".to_string()]));
        assert_eq!(folded.len(), 3);
        assert_eq!((folded[1].value.as_str(), folded[1].folded), ("{1 entry", Some(true)));
    }
}
