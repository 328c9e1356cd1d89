//! What a `user` record and a tool's result are: the two questions the whole derivation turns on.

use super::transcript_record::{ContentBlock, TranscriptRecord, content_text};

/// What a text of the user's side is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserText {
    Prompt(String),
    /// A command of the program itself: its name and arguments.
    Local(String, String),
    /// The output of such a command, or of a line typed with `!`.
    LocalOutput,
    Interrupt,
    /// The summary after a compaction.
    Summary(String),
    /// A Stop hook kept the turn going, with this text.
    StopFeedback(String),
    /// Text the program put in itself.
    Injected,
}

const LOCAL_OUTPUT: [&str; 5] =
    ["<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>", "<bash-input>", "<bash-stdout>"];
/// Blocks of a prompt that the editor added.
const ADDED_BLOCKS: [&str; 3] = ["<ide_opened_file>", "<ide_selection>", "<system-reminder>"];
const FEEDBACK: &str = "Stop hook feedback:";

/// What the text blocks of a `user` record are.
pub fn user_text(line: &TranscriptRecord<'_>, blocks: &[ContentBlock<'_>]) -> UserText {
    let texts = blocks.iter().filter_map(|b| b.text.as_deref());
    let kept: Vec<&str> = texts.filter(|t| !ADDED_BLOCKS.iter().any(|a| t.trim_start().starts_with(a))).collect();
    let text = kept.join("\n");
    let begins = |start: &str| text.starts_with(start);
    if line.is_compact_summary == Some(true) {
        return UserText::Summary(text);
    }
    if line.is_meta == Some(true) || line.is_synthetic == Some(true) {
        return match text.strip_prefix(FEEDBACK) {
            Some(reason) => UserText::StopFeedback(reason.trim_start_matches('\n').to_string()),
            None => UserText::Injected,
        };
    }
    if begins("[Request interrupted by user") {
        UserText::Interrupt
    } else if LOCAL_OUTPUT.iter().any(|start| begins(start)) {
        UserText::LocalOutput
    } else if begins("<command-name>") {
        UserText::Local(tag(&text, "command-name"), tag(&text, "command-args"))
    } else if begins("<command-message>") {
        // The hook gets what was typed.
        UserText::Prompt(format!("{} {}", tag(&text, "command-name"), tag(&text, "command-args")))
    } else if kept.is_empty() {
        UserText::Injected
    } else {
        UserText::Prompt(text)
    }
}

/// The text between `<name>` and `</name>`.
pub fn tag(text: &str, name: &str) -> String {
    let inside = text.split_once(&format!("<{name}>")).and_then(|(_, rest)| rest.split_once(&format!("</{name}>")));
    inside.map_or_else(String::new, |(inside, _)| inside.to_string())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolOutcome {
    Worked,
    /// It ran and failed, with this text.
    Failed(String),
    /// Its input was not accepted: no hook saw it.
    Invalid,
    /// The user refused or interrupted it.
    Refused,
    /// A hook refused it, with this text.
    Denied(String),
}

/// Texts of inputs that old versions refused without marking it.
const OLD_INVALID: [&str; 5] = [
    "String to replace not found in file", "File has not been read yet", "File has been modified since read",
    "File does not exist.", "No changes to make:",
];
const REFUSED: [&str; 3] =
    ["The user doesn't want to proceed", "The user doesn't want to take this action", "[Request interrupted by user"];

/// What `block`, the result of a call of `tool`, says.
pub fn tool_outcome(line: &TranscriptRecord<'_>, block: &ContentBlock<'_>, tool: &str) -> ToolOutcome {
    if block.is_error != Some(true) {
        return ToolOutcome::Worked;
    }
    let text = content_text(block.content);
    let structured = line.tool_use_result.map_or("", serde_json::value::RawValue::get);
    let by_hook = line.permission_decision.is_some_and(|d| d.get().contains("\"source\":\"hook\""));
    let hook_words = text.contains(" hook error: ") && text.starts_with("PreToolUse:")
        || text.contains(" operation blocked by hook:")
        || text.starts_with("Hook PreToolUse:");
    let edits = ["Edit", "MultiEdit", "Write", "Read", "NotebookEdit"].contains(&tool);
    let found_many = text.starts_with("Found ") && text.contains(" matches of the string to replace");
    if by_hook || hook_words {
        ToolOutcome::Denied(text)
    } else if text.contains("<tool_use_error>") || text.starts_with("InputValidationError") {
        ToolOutcome::Invalid
    } else if REFUSED.iter().any(|r| text.starts_with(r)) || structured.contains("User rejected tool use") {
        ToolOutcome::Refused
    } else if edits && (found_many || OLD_INVALID.iter().any(|t| text.starts_with(t))) {
        ToolOutcome::Invalid
    } else {
        ToolOutcome::Failed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> UserText {
        let line: TranscriptRecord<'_> = serde_json::from_str(json).unwrap();
        user_text(&line, &line.message.as_ref().unwrap().content.0)
    }

    #[test]
    fn the_roles_of_a_user_record() {
        let text =
            |t: &str| format!(r#"{{"type":"user","message":{{"content":{}}}}}"#, serde_json::to_string(t).unwrap());
        assert_eq!(of(&text("fix it")), UserText::Prompt("fix it".into()));
        assert_eq!(of(&text("[Request interrupted by user]")), UserText::Interrupt);
        assert_eq!(of(&text("<bash-input>ls</bash-input>")), UserText::LocalOutput);
        let local = "<command-name>/compact</command-name>\n<command-args>short</command-args>";
        assert_eq!(of(&text(local)), UserText::Local("/compact".into(), "short".into()));
        let prompt = "<command-message>init</command-message>\n<command-name>/init</command-name>";
        assert_eq!(of(&text(prompt)), UserText::Prompt("/init ".into()));
        let meta = r#"{"isMeta":true,"message":{"content":"Stop hook feedback:\n[x]: no"}}"#;
        assert_eq!(of(meta), UserText::StopFeedback("[x]: no".into()));
        let ide = r#"{"message":{"content":[{"type":"text","text":"<ide_selection>a"},{"type":"text","text":"go"}]}}"#;
        assert_eq!(of(ide), UserText::Prompt("go".into()));
    }

    #[test]
    fn the_ways_a_call_ends() {
        let of = |text: &str, tool: &str| {
            let json = format!(r#"{{"is_error":true,"content":{}}}"#, serde_json::to_string(text).unwrap());
            tool_outcome(&TranscriptRecord::default(), &serde_json::from_str(&json).unwrap(), tool)
        };
        assert_eq!(of("Exit code 1\nno", "Bash"), ToolOutcome::Failed("Exit code 1\nno".into()));
        assert_eq!(of("<tool_use_error>no</tool_use_error>", "Edit"), ToolOutcome::Invalid);
        assert_eq!(of("String to replace not found in file.", "Edit"), ToolOutcome::Invalid);
        assert_eq!(
            of("String to replace not found in file.", "Bash").clone(),
            ToolOutcome::Failed("String to replace not found in file.".into())
        );
        assert_eq!(of("The user doesn't want to proceed with this tool use.", "Bash"), ToolOutcome::Refused);
        assert!(matches!(of("PreToolUse:Bash hook error: no", "Bash"), ToolOutcome::Denied(_)));
        assert!(matches!(of("Bash operation blocked by hook:\n- [x]: no", "Bash"), ToolOutcome::Denied(_)));
    }
}
