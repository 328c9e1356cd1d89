//! The tools of Claude Code that hooks meet most, each with an input and an output to start from.

use serde_json::Value;

use crate::dialect::ToolRow;

const fn tool(name: &'static str, input: &'static str, output: &'static str) -> ToolRow {
    ToolRow { name, input, output }
}

/// What a tool cannot do without.
const REQUIRED: &[(&str, &[&str])] = &[
    ("Bash", &["command"]),
    ("PowerShell", &["command"]),
    ("Write", &["file_path", "content"]),
    ("Edit", &["file_path", "old_string", "new_string"]),
    ("Read", &["file_path"]),
    ("Glob", &["pattern"]),
    ("Grep", &["pattern"]),
    ("WebFetch", &["url", "prompt"]),
    ("WebSearch", &["query"]),
    ("Agent", &["description", "prompt"]),
    ("NotebookEdit", &["notebook_path", "new_source"]),
];

/// Why `input` is none of `tool`; none if it is, or the tool is not known.
pub fn missing(tool: &str, input: &Value) -> Option<String> {
    let (_, fields) = REQUIRED.iter().find(|(name, _)| *name == tool)?;
    let wrong = fields.iter().find(|f| !input.get(**f).is_some_and(Value::is_string))?;
    Some(match input.get(*wrong) {
        None => format!("the required parameter `{wrong}` is missing"),
        Some(other) => format!("the parameter `{wrong}` must be text, found {other}"),
    })
}

#[rustfmt::skip]
pub const TOOLS: &[ToolRow] = &[
    tool("Bash", r#"{"command":"ls","description":"List files"}"#, r#"{"stdout":"Cargo.toml\nsrc","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}"#),
    tool("Write", r#"{"file_path":"/home/dev/app/src/new.rs","content":"fn main() {}\n"}"#, r#"{"type":"create","filePath":"/home/dev/app/src/new.rs","content":"fn main() {}\n","structuredPatch":[],"originalFile":null}"#),
    tool("Edit", r#"{"file_path":"/home/dev/app/src/main.rs","old_string":"one","new_string":"two","replace_all":false}"#, r#"{"filePath":"/home/dev/app/src/main.rs","oldString":"one","newString":"two","originalFile":"one\n","structuredPatch":[],"userModified":false,"replaceAll":false}"#),
    tool("Read", r#"{"file_path":"/home/dev/app/README.md"}"#, r##"{"type":"text","file":{"filePath":"/home/dev/app/README.md","content":"# app\n","numLines":1,"startLine":1,"totalLines":1}}"##),
    tool("Glob", r#"{"pattern":"**/*.rs"}"#, r#"{"durationMs":3,"numFiles":1,"filenames":["/home/dev/app/src/main.rs"],"truncated":false}"#),
    tool("Grep", r#"{"pattern":"TODO","path":"/home/dev/app"}"#, r#"{"mode":"files_with_matches","numFiles":1,"filenames":["/home/dev/app/src/main.rs"]}"#),
    tool("WebFetch", r#"{"url":"https://example.com/","prompt":"What is this page about?"}"#, r#"{"bytes":1256,"code":200,"codeText":"OK","result":"An example.","durationMs":120,"url":"https://example.com/"}"#),
    tool("WebSearch", r#"{"query":"rust hooks"}"#, r#"{"query":"rust hooks","results":[],"durationSeconds":1}"#),
    tool("Agent", r#"{"description":"Look around","prompt":"Find the entry point","subagent_type":"Explore"}"#, r#"{"status":"completed","agentId":"agent-1","content":[{"type":"text","text":"src/main.rs"}],"totalTokens":100,"totalDurationMs":900,"totalToolUseCount":1,"usage":{},"prompt":"Find the entry point"}"#),
    tool("NotebookEdit", r#"{"notebook_path":"/home/dev/app/a.ipynb","new_source":"1 + 1","cell_id":"c1"}"#, "{}"),
    tool("AskUserQuestion", r#"{"questions":[{"question":"Which one?","header":"Choice","options":[{"label":"A","description":"first"},{"label":"B","description":"second"}],"multiSelect":false}]}"#, r#"{"answers":{"Which one?":"A"}}"#),
    tool("ExitPlanMode", r#"{"plan":"1. read\n2. write"}"#, r#"{"plan":"1. read\n2. write","isAgent":false}"#),
    tool("mcp__files__read", r#"{"path":"/home/dev/app/README.md"}"#, r##"[{"type":"text","text":"# app"}]"##),
];
