//! Findings of `check` for people and for build servers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::explain::count;
use super::style::{Page, Paint, Painter};
use crate::check::LINTS;
use crate::diag::{Diagnostic, Place, Severity};

pub fn counts(findings: &[Diagnostic]) -> (usize, usize, usize) {
    let of = |severity: Severity| findings.iter().filter(|d| d.severity == severity).count();
    (of(Severity::Error), of(Severity::Warning), of(Severity::Note))
}

pub fn human(findings: &[Diagnostic], silenced: usize, painter: Painter) -> String {
    let mut page = Page::new(painter);
    findings.iter().for_each(|finding| super::human::diagnostic(&mut page, finding, ""));
    let hidden = if silenced > 0 { format!(", {silenced} silenced") } else { String::new() };
    if findings.is_empty() {
        page.line(&format!("{}{hidden}", painter.paint(Paint::Good, "nothing found")));
    } else {
        let (errors, warnings, notes) = counts(findings);
        let (errors, warnings, notes) = (count(errors, "error"), count(warnings, "warning"), count(notes, "note"));
        page.line(&format!("{errors}, {warnings}, {notes}{hidden}; `hookdbg check --explain ID` says more"));
    }
    page.text
}

pub fn as_json(findings: &[Diagnostic]) -> Value {
    let (errors, warnings, notes) = counts(findings);
    json!({"version": 1, "errors": errors, "warnings": warnings, "notes": notes, "findings": findings})
}

pub fn github(findings: &[Diagnostic]) -> String {
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    let mut out = String::new();
    for finding in findings {
        let word = if finding.severity == Severity::Note { "notice" } else { finding.severity.word() };
        let place = finding.place.as_ref().map_or_else(String::new, |p| {
            format!(" file={},line={},col={},title={}", property(&p.path), p.line, p.column, finding.id)
        });
        let _ = writeln!(out, "::{word}{place}::{}", escape(&sentence(finding)));
    }
    out
}

fn sentence(finding: &Diagnostic) -> String {
    let mut text = finding.message.clone();
    for more in [&finding.consequence, &finding.help].into_iter().flatten() {
        let _ = write!(text, "; {more}");
    }
    text
}

pub fn sarif(findings: &[Diagnostic]) -> Value {
    let rules: Vec<Value> = LINTS
        .iter()
        .map(|l| {
            json!({"id": l.id, "shortDescription": {"text": l.title}, "fullDescription": {"text": l.docs},
                   "defaultConfiguration": {"level": l.severity}})
        })
        .collect();
    let results: Vec<Value> = findings
        .iter()
        .map(|f| {
            let location = |p: &Place| {
                json!({"physicalLocation": {"artifactLocation": {"uri": &*p.path},
                       "region": {"startLine": p.line, "startColumn": p.column}}})
            };
            let locations: Vec<Value> = f.place.iter().map(location).collect();
            json!({"ruleId": f.id, "level": f.severity, "message": {"text": sentence(f)}, "locations": locations})
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "hookdbg", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
                  "results": results}]
    })
}
