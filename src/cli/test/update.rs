//! `test --update`: what was found becomes what is expected, in place: only the values change, the rest of the file
//! stays byte for byte.

use super::CaseResult;
use super::case::CaseFile;

/// Write what every miss of `file` found as what is expected; returns how many there were.
pub fn accept(file: &CaseFile, results: &[CaseResult<'_>]) -> Result<usize, String> {
    let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for CaseResult { case, misses, .. } in results.iter().filter(|r| std::ptr::eq(r.file, file)) {
        for miss in misses {
            let Some(node) = case.node.get("expect").and_then(|e| e.get(&miss.key)) else {
                return Err(format!("{}: {}", case.name, miss.sentence()));
            };
            let range = node.span.start..node.span.end;
            if file.source.text.get(range.clone()).is_none_or(|t| t.contains('\n') || t.starts_with(['|', '>'])) {
                let fix = "is written over several lines; write it in one to have it accepted";
                return Err(format!("{}: `{}` {fix}", case.name, miss.key));
            }
            // JSON is YAML too, so one form serves both.
            edits.push((range, miss.found.to_string()));
        }
    }
    let count = edits.len();
    if count == 0 {
        return Ok(0);
    }
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = file.source.text.to_string();
    for (range, value) in edits {
        text.replace_range(range, &value);
    }
    std::fs::write(&file.path, text).map_err(|e| format!("cannot write {}: {e}", file.path.display()))?;
    Ok(count)
}
