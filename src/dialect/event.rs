//! One row per event: all a host knows about it, as columns that loading, selecting, reading, merging, templates, the
//! output doctor, `help` and lints read. A host's rows are in its own folder.

mod answer_field;
mod outcome;

pub use answer_field::{AnswerField, Effect, Kind, Need};
pub use outcome::*;

use std::time::Duration;

use serde_json::{Map, Value};

/// One event or point of a host. Rows are constants made from another row by struct update.
#[derive(Debug, Clone, Copy)]
pub struct EventRow {
    /// Spelled as the host spells it.
    pub name: &'static str,
    pub when: &'static str,
    /// The fields its payload adds to the base fields, in the order of stdin.
    pub fields: &'static [FieldRow],
    pub matched_on: MatchedOn,
    /// How a matcher is read (P6, P7).
    pub matching: Matching,
    pub handlers: Handlers,
    pub conditions: Conditions,
    /// What a broken entry under this event takes with it (P5).
    pub bad_entry: Drops,
    /// The limit of a hook whose entry gives none (P16).
    pub limit: Limits,
    /// The variable that names a file for exports.
    pub env_file: Option<&'static str>,
    /// What exit codes do (P19).
    pub exit: ExitRule,
    /// What plain text on stdout is at exit 0 (P18).
    pub text: TextAs,
    /// Which of the fields that every event shares count.
    pub shared: SharedFields,
    /// The answer's fields at the top (P20, P21).
    pub top: &'static [AnswerField],
    /// The answer's fields inside `hookSpecificOutput` (P20, P21).
    pub specific: &'static [AnswerField],
    /// What authors guard with it, if a hook that fails lets that pass.
    pub guards: Option<&'static str>,
    /// A value of a payload field with which nothing can be blocked.
    pub never_blocks: Option<(&'static str, &'static str)>,
    /// How answers are merged (P23).
    pub merge: MergeClass,
    /// The words the host has for its outcomes.
    pub texts: Texts,
    /// How hooks are called in those words.
    pub named_by: NamedBy,
    pub context: ContextStyle,
    /// Where its notices and its context appear.
    pub inside: Inside,
    /// Whether a hook that fails can be made to block (P22).
    pub failure: FailureRule,
    /// What a hook that runs out of time does.
    pub late: Late,
    /// What exit 2 does when stderr says that the script is missing.
    pub missing_script: MissingScript,
    /// What the refusal of a hook that asks a model does besides blocking.
    pub model_refusal: ModelRefusal,
    /// Whether the first block ends the hooks still running (P12).
    pub first_block: FirstBlock,
    /// What nobody has seen the host do here.
    pub unverified: Option<&'static str>,
}

impl EventRow {
    /// A row without rules: nothing is matched, read or blocked. Hosts make their own base from it.
    pub const BLANK: Self = Self {
        name: "this event",
        when: "",
        fields: &[],
        matched_on: MatchedOn::Nothing,
        matching: Matching::None,
        handlers: Handlers::ALL,
        conditions: Conditions::Never,
        bad_entry: Drops::Entry,
        limit: Limits::None,
        env_file: None,
        exit: ExitRule { two: Exit::Fails, other: OtherExit::HookFails },
        text: TextAs::Error,
        shared: SharedFields::All,
        top: &[],
        specific: &[],
        guards: None,
        never_blocks: None,
        merge: MergeClass::Observe,
        texts: Texts::Reason,
        named_by: NamedBy::Event,
        context: ContextStyle::Each,
        inside: Inside::Session,
        failure: FailureRule::CanBlock,
        late: Late::Passes,
        missing_script: MissingScript::Blocks,
        model_refusal: ModelRefusal::Blocks,
        first_block: FirstBlock::OthersFinish,
        unverified: None,
    };

    /// What hooks of this event can do, in the order of [`Capability`].
    pub fn effects(&self) -> Vec<Capability> {
        Capability::ALL.into_iter().filter(|c| self.can(*c)).collect()
    }

    /// Whether hooks of this event can do `what`: by an exit code, by plain text or by a field of an answer.
    pub fn can(&self, what: Capability) -> bool {
        let by_exit = matches!(self.exit.two, Exit::Blocks(_)) || self.exit.other == OtherExit::Blocks;
        let by_field = |f: &AnswerField| f.can(what);
        match what {
            Capability::Deny if by_exit => true,
            Capability::AddContext if matches!(self.text, TextAs::Context | TextAs::Feedback) => true,
            _ => self.top.iter().chain(self.specific).any(by_field),
        }
    }

    /// The field `name` at the top of an answer.
    pub fn top_field(&self, name: &str) -> Option<&'static AnswerField> {
        self.top.iter().find(|f| f.name == name)
    }

    /// The field `name` inside `hookSpecificOutput`.
    pub fn specific_field(&self, name: &str) -> Option<&'static AnswerField> {
        self.specific.iter().find(|f| f.name == name)
    }

    /// Whether the field `name` of an answer does something at this event.
    pub fn heeds(&self, name: &str) -> bool {
        let field = self.top_field(name).or_else(|| self.specific_field(name));
        field.is_some_and(|f| f.effect != Effect::None)
    }
}

impl Default for EventRow {
    fn default() -> Self {
        Self::BLANK
    }
}

/// What a hook may do at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Stop what the event guards.
    Deny,
    SuppressOutput,
    AddContext,
    ModifyInput,
    ModifyOutput,
    /// Make the loop go on, or end it.
    OverrideContinue,
}

impl Capability {
    const ALL: [Self; 6] = [
        Self::Deny,
        Self::SuppressOutput,
        Self::AddContext,
        Self::ModifyInput,
        Self::ModifyOutput,
        Self::OverrideContinue,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::SuppressOutput => "suppress output",
            Self::AddContext => "add context",
            Self::ModifyInput => "modify input",
            Self::ModifyOutput => "modify output",
            Self::OverrideContinue => "override continue",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct FieldRow {
    pub name: &'static str,
    pub presence: Presence,
    /// An example value, as JSON text; the template is made of these.
    pub example: &'static str,
    pub about: &'static str,
}

/// A field that is always written, as the JSON text `empty` where a payload lacks it.
pub const fn always(name: &'static str, empty: &'static str, example: &'static str, about: &'static str) -> FieldRow {
    FieldRow { name, presence: Presence::Always { empty }, example, about }
}

/// A field that is left out where it is empty.
pub const fn optional(name: &'static str, example: &'static str, about: &'static str) -> FieldRow {
    FieldRow { name, presence: Presence::NotEmpty, example, about }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Always; the empty value of its type (as JSON text) stands in when the payload lacks it.
    Always { empty: &'static str },
    /// Only when it is there and not empty, false or null.
    NotEmpty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedOn {
    /// Nothing: a matcher is ignored.
    Nothing,
    /// The name of a tool, in this field.
    Tool(&'static str),
    Field(&'static str),
    /// The file name of the path in this field.
    FileName(&'static str),
    /// The model in this field, without the mark of its context size; one without a name matches everything.
    Model(&'static str),
    /// This key of the data in the payload.
    Data(&'static str),
}

impl MatchedOn {
    /// What is compared, for the events table.
    pub fn words(self) -> String {
        match self {
            Self::Nothing => "-".into(),
            Self::FileName(field) => format!("the file name in `{field}`"),
            Self::Tool(field) | Self::Field(field) | Self::Model(field) | Self::Data(field) => format!("`{field}`"),
        }
    }

    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Tool(field) | Self::Field(field) | Self::FileName(field) | Self::Model(field) | Self::Data(field) => {
                Some(field)
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    None,
    /// Letters, digits, `_`, `|` and these characters make an exact list; others a JavaScript expression, unanchored.
    ListOrRegex {
        more: &'static str,
    },
    /// A Go glob on the whole name.
    Glob,
    /// Python globs on the whole name, alternatives with `|`.
    GlobList,
    /// Names with `*`, alternatives with `,` or `|`, case ignored.
    Wildcards,
    Exact,
    Regex {
        flavour: Flavour,
        extent: Extent,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    JavaScript,
    Rust,
    Go,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Part,
    Whole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handlers {
    pub http: Runs,
    pub mcp_tool: Runs,
    pub prompt: Runs,
    pub agent: Runs,
}

impl Handlers {
    pub const ALL: Self =
        Self { http: Runs::Always, mcp_tool: Runs::Always, prompt: Runs::Always, agent: Runs::Always };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    Always,
    Never,
    /// The host has it here and skips it.
    Skipped,
    /// Only where the session already had a beginning.
    NotAtLaunch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conditions {
    /// No: a hook with one never runs here.
    Never,
    /// Yes, and `dir/**` means this.
    Read(DirPattern),
}

/// What `dir/**` in a condition means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirPattern {
    /// That directory below the working directory.
    BelowCwd,
    /// One of that name at any depth.
    AnyDepth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drops {
    Entry,
    Group,
    File,
    AllFiles,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    None,
    Each(Duration),
    /// All hooks together have this, or the largest an entry gives.
    Shared(Duration),
}

impl Limits {
    pub fn time(self) -> Option<Duration> {
        match self {
            Self::None => None,
            Self::Each(time) | Self::Shared(time) => Some(time),
        }
    }
}

/// A tool of a host, with values to start from.
#[derive(Debug, Clone, Copy)]
pub struct ToolRow {
    pub name: &'static str,
    /// An input, as JSON text.
    pub input: &'static str,
    /// An output, as JSON text.
    pub output: &'static str,
}

impl ToolRow {
    /// Put this tool into `payload` where it speaks of one.
    pub fn put_into(&self, payload: &mut Map<String, Value>) {
        let values = [("tool_name", None), ("tool_input", Some(self.input)), ("tool_response", Some(self.output))];
        for (field, text) in values {
            if let Some(place) = payload.get_mut(field) {
                *place = text.map_or_else(|| self.name.into(), |t| serde_json::from_str(t).unwrap_or(Value::Null));
            }
        }
    }
}

/// Whether a value counts as absent for [`Presence::NotEmpty`].
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(b) => !b,
        Value::String(s) => s.is_empty(),
        Value::Array(a) => a.is_empty(),
        Value::Object(o) => o.is_empty(),
        Value::Number(_) => false,
    }
}
