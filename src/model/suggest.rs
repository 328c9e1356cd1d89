//! "Did you mean …?" over a list of known words.

/// The known word nearest to `word`, if one is near enough to be a slip.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(&lower, &k.to_lowercase()), k))
        .filter(|(distance, k)| *distance <= 1 + k.chars().count() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

/// ` (did you mean …?)`, or nothing.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |k| format!(" (did you mean `{k}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = ["PreToolUse", "PostToolUse", "Stop"];
        assert_eq!(nearest("preToolUse", known), Some("PreToolUse"));
        assert_eq!(nearest("PreTolUse", known), Some("PreToolUse"));
        assert_eq!(nearest("Elephant", known), None);
    }
}
