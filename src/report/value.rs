//! The report, version 1: the shape `--format json` prints. Keys are only ever added within a version.

use serde::Serialize;
use serde_json::{Map, Value};

use super::environment::EnvironmentRow;
use crate::check::OutputFinding;
use crate::diag::Diagnostic;
use crate::model::{Answer, CallResult, Gate, HookId, HostState, Leftover, RunOutcome, ToolRun, Verdict};
use crate::settings::FileStatus;

pub const REPORT_VERSION: u32 = 1;

/// One event: who ran, who did not, and what came of it.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub version: u32,
    pub dialect: String,
    pub event: String,
    /// The tool it is about; in JSON the payload has it.
    #[serde(skip)]
    pub tool: Option<String>,
    pub settings: Vec<FileStatus>,
    /// The payload as given; very large ones are left out.
    pub payload: Value,
    /// The host's state this was judged under.
    pub host: HostState,
    /// What a person reads first.
    pub explanation: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    pub hooks: Vec<HookReport>,
    /// The merged result; none for a plan.
    pub verdict: Option<Verdict>,
    /// Wall-clock start, UTC; none for a plan.
    pub at: Option<String>,
    /// How long it took; none for a plan.
    pub duration_ms: Option<f64>,
}

#[derive(Debug, Clone, Serialize)]
pub struct CallReport {
    pub version: u32,
    pub dialect: String,
    pub pre: Report,
    pub tool: ToolRun,
    pub post: Option<Report>,
    pub result: CallResult,
    pub user_messages: Vec<String>,
    /// What a person reads first.
    pub explanation: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct HookReport {
    pub id: HookId,
    pub name: String,
    pub label: String,
    pub event: String,
    pub matcher: Option<String>,
    /// `command`, `callback`, `stub` …
    pub handler: &'static str,
    pub command: Option<String>,
    pub timeout_ms: Option<u64>,
    pub source: SourceReport,
    pub state: HookState,
    pub gate: Option<Gate>,
    /// Whether this hook decided the verdict.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decided: bool,
    pub run: Option<RunReport>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    Ran,
    /// It would run; only in plans.
    Runs,
    Skipped,
}

#[derive(Debug, Clone, Serialize)]
pub struct SourceReport {
    pub path: Option<String>,
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub layer: String,
    pub scope: Option<String>,
}

/// One run; where a hook ran twice, the last one, with `phases` telling how many there were.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    pub outcome: RunOutcome,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// Milliseconds from the firing's start.
    pub started_ms: f64,
    /// Milliseconds it took, all phases together.
    pub duration_ms: f64,
    /// Place in the order of finishing, from one.
    pub finish_order: usize,
    /// How often the host ran it in this firing.
    pub phases: usize,
    pub stdin: String,
    pub stdout: String,
    pub stderr: String,
    /// All bytes it wrote to stdout, kept or not.
    pub stdout_bytes: u64,
    /// All bytes it wrote to stderr, kept or not.
    pub stderr_bytes: u64,
    /// Whether the middle of an output is missing here.
    pub truncated: bool,
    /// `all`, `part` or `none`.
    pub stdin_read: &'static str,
    /// Bytes there were for its stdin.
    pub stdin_bytes: usize,
    /// Bytes of stdin its pipe took.
    pub stdin_written: usize,
    /// Bytes that came after its own process had ended.
    pub late_bytes: u64,
    pub leaked: bool,
    pub leftovers: Vec<Leftover>,
    pub argv: Vec<String>,
    pub cwd: Option<String>,
    pub env: Map<String, Value>,
    /// What it wrote to the file it was given; none if it was given none or left it alone.
    pub note: Option<String>,
    pub answer: Answer,
    pub says: String,
    /// Your shell, the host, this run.
    #[serde(rename = "lens")]
    pub environment: Vec<EnvironmentRow>,
    /// What is wrong with its output, each with a fix.
    pub advice: Vec<OutputFinding>,
}
