//! What looks like a secret: one table for the lint and for whatever leaves the machine.

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

/// The first secret in `text`: what it is and where.
pub fn find(text: &str) -> Option<(&'static str, std::ops::Range<usize>)> {
    let compiled = |pattern: &str| regress::Regex::new(pattern).ok();
    SECRETS.iter().find_map(|(what, pattern)| Some((*what, compiled(pattern)?.find(text)?.range())))
}

/// `text` with every secret replaced by `[secret]`, and how many there were.
pub fn scrub(text: &str) -> (String, usize) {
    let mut out = text.to_string();
    let mut count = 0;
    for (_, pattern) in SECRETS {
        let Ok(regex) = regress::Regex::new(pattern) else { continue };
        let found: Vec<_> = regex.find_iter(&out).map(|m| m.range()).collect();
        count += found.len();
        for range in found.into_iter().rev() {
            out.replace_range(range, "[secret]");
        }
    }
    (out, count)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            "./hooks/guard.sh --token-file x",
            "TOKEN=$MY_TOKEN ./x",
            "tool_input",
            "echo secret",
            "token = data.get(\"tool_input\")",
            "API_TOKEN=/run/secrets/api1 x",
            "token: see-the-vault",
            "password = sys.argv[0]",
        ] {
            assert!(find(plain).is_none(), "{plain}");
        }
    }
}
