//! What looks like a secret: one table for the lint and for whatever leaves the machine.

use std::ops::Range;
use std::sync::LazyLock;

/// Patterns of secrets, with what they are.
pub const SECRETS: &[(&str, &str)] = &[
    ("an API key", r"\bsk-[A-Za-z0-9_-]{16,}"),
    ("a GitHub token", r"\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"),
    ("an AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a Slack token", r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    ("a Google key", r"\bAIza[0-9A-Za-z_-]{30,}"),
    ("a bearer token", r"(?<=\b[Bb]earer\s)[A-Za-z0-9._~+/-]{20,}=*"),
    ("a JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"),
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"),
    // The value alone: what names it and its quotes stay, so that files remain what they are. Code has no digit there,
    // or goes on with a dot, a bracket or a slash.
    (
        "a password",
        r#"(?<=(?:[Pp]assword|[Pp]asswd|[Ss]ecret|[Tt]oken|[Aa]pi[_-]?[Kk]ey|TOKEN|SECRET|PASSWORD|API_KEY)["']?\s?[=:]\s?["']?)(?=[A-Za-z_+=-]*[0-9])[A-Za-z0-9_+=-]{8,}(?=["'\s;,&)]|$)"#,
    ),
];

/// The table's expressions, compiled when first asked for: a check asks twice for each hook.
static COMPILED: LazyLock<Vec<(&str, regress::Regex)>> = LazyLock::new(|| {
    SECRETS.iter().filter_map(|(what, pattern)| Some((*what, regress::Regex::new(pattern).ok()?))).collect()
});

/// The first secret in `text`: what it is and where.
pub fn find(text: &str) -> Option<(&'static str, Range<usize>)> {
    COMPILED.iter().find_map(|(what, regex)| Some((*what, regex.find(text)?.range())))
}

/// Where the secrets of `text` stand, in order; those that overlap are one.
fn all(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<_> = COMPILED.iter().flat_map(|(_, regex)| regex.find_iter(text).map(|m| m.range())).collect();
    found.sort_unstable_by_key(|range| range.start);
    found.dedup_by(|next, kept| {
        let one = next.start < kept.end;
        if one {
            kept.end = kept.end.max(next.end);
        }
        one
    });
    found
}

/// `text` with every secret replaced by `[secret]`, and how many there were.
pub fn scrub(text: &str) -> (String, usize) {
    let found = all(text);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in &found {
        out.push_str(&text[from..range.start]);
        out.push_str("[secret]");
        from = range.end;
    }
    out.push_str(&text[from..]);
    (out, found.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_is_one() {
        assert_eq!(COMPILED.len(), SECRETS.len());
    }

    /// The text is copied once, between ranges found in the text as it is: no secret moves what follows it.
    #[test]
    fn many_secrets_are_replaced_in_one_pass() {
        let text = "x AKIAIOSFODNN7EXAMPLE ä token: abcdefgh1234 ".repeat(500);
        let found = all(&text);
        assert!(found.is_sorted_by(|a, b| a.end <= b.start) && found.len() == 1000);
        assert_eq!(scrub(&text), ("x [secret] ä token: [secret] ".repeat(500), 1000));
        let twice = "token=sk-abcdefghijklmnopqrst12 x";
        assert_eq!(scrub(twice), ("token=[secret] x".into(), 1), "one secret in two ways");
    }

    #[test]
    fn secrets_are_found_and_nothing_else() {
        for secret in [
            "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz'",
            "API_KEY=abcdefgh12345678 ./x.sh",
            "x sk-abcdefghijklmnopqrst y",
            "ghp_abcdefghijklmnopqrstuvwxyz0123",
            "AKIAIOSFODNN7EXAMPLE",
            "{\"token\": \"abcdefgh1234\"}",
        ] {
            assert!(find(secret).is_some(), "{secret}");
            assert!(!scrub(secret).0.contains("abcdefgh"), "{}", scrub(secret).0);
        }
        assert_eq!(scrub("{\"API_KEY\":\"abcdefgh12345678\"}").0, "{\"API_KEY\":\"[secret]\"}");
        for plain in [
            "./hooks/guard.sh --token-file x", "TOKEN=$MY_TOKEN ./x", "tool_input", "echo secret",
            "token = data.get(\"tool_input\")", "API_TOKEN=/run/secrets/api1 x", "token: see-the-vault",
            "password = sys.argv[0]",
        ] {
            assert!(find(plain).is_none(), "{plain}");
        }
    }
}
