//! The host's own sentences and its merging of feedback, byte for byte.

use crate::dialect::event::OtherExit;

pub fn silent_denial(event: &str, tool: &str) -> String {
    format!("{event} hook denied tool `{tool}`")
}

pub fn warning(command: &str, code: i32, stdout: &str, stderr: &str) -> String {
    let head = format!("Hook `{command}` exited with status {code}; allowing tool execution to continue");
    with_detail(head, stdout, stderr)
}

/// An exit code that fails, for the newest program.
pub fn failure(command: &str, code: i32, stderr: &str) -> String {
    with_detail(format!("Hook `{command}` exited with status {code}"), "", stderr)
}

fn with_detail(head: String, stdout: &str, stderr: &str) -> String {
    match [stdout, stderr].into_iter().find(|t| !t.is_empty()) {
        Some(detail) => format!("{head}: {detail}"),
        None => head,
    }
}

pub fn signalled(event: &str, command: &str, tool: &str) -> String {
    format!("{event} hook `{command}` terminated by signal while handling `{tool}`")
}

pub fn not_started(event: &str, command: &str, tool: &str, error: &str) -> String {
    format!("{event} hook `{command}` failed to start for `{tool}`: {error}")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    Plain,
    Denied,
    /// `Hook feedback (error):`, the newest program's word.
    Error,
}

impl Label {
    /// The label of feedback that denies, where a failing hook does this.
    pub fn denied(failing: OtherExit) -> Self {
        if failing == OtherExit::Blocks { Self::Error } else { Self::Denied }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Plain => "Hook feedback:",
            Self::Denied => "Hook feedback (denied):",
            Self::Error => "Hook feedback (error):",
        }
    }
}

/// `messages` under their label; none if there are none.
pub fn feedback(messages: &[String], label: Label) -> Option<String> {
    (!messages.is_empty()).then(|| format!("{}\n{}", label.text(), messages.join("\n")))
}

/// The newest program's message for an answer that begins like JSON and is none.
pub fn invalid_json(phase: &str, tool: &str, command: &str, detail: &str, stdout: &str, stderr: &str) -> String {
    format!(
        "hook_invalid_json: phase={phase} tool={tool} command={} detail={detail} stdout_preview={} stderr_preview={}",
        preview(command),
        preview(stdout),
        preview(stderr)
    )
}

fn preview(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return "<empty>".into();
    }
    let cut: String = text.chars().take(160).collect();
    let more = if text.chars().count() > 160 { "…" } else { "" };
    let shown: String = cut
        .chars()
        .flat_map(|c| match c {
            '\n' => vec!['\\', 'n'],
            '\r' => vec!['\\', 'r'],
            '\t' => vec!['\\', 't'],
            c if c.is_control() => c.escape_unicode().collect(),
            c => vec![c],
        })
        .collect();
    format!("{shown}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::call::with_feedback;

    #[test]
    fn merging_keeps_every_byte_of_the_output() {
        let merge =
            |messages: &[String], output: &str, label| with_feedback(output, feedback(messages, label).as_deref());
        let one = [String::from("m")];
        assert_eq!(merge(&[], "x\n", Label::Plain), "x\n");
        assert_eq!(merge(&one, "x\n", Label::Plain), "x\n\n\nHook feedback:\nm");
        assert_eq!(merge(&one, " \n", Label::Denied), "Hook feedback (denied):\nm");
        assert_eq!(preview(&"ä".repeat(200)).chars().count(), 161);
    }
}
