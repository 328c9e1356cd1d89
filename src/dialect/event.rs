//! One row per event: all a host knows about it, as columns that loading, selecting, reading, merging, templates, the
//! output doctor, `help` and lints read. A host's rows are in its own folder.

use std::time::Duration;

use serde_json::{Map, Value};

/// One event or point of a host. Rows are constants made from another row by struct update.
#[derive(Debug, Clone, Copy)]
pub struct EventRow {
    /// Spelled as the host spells it.
    pub name: &'static str,
    /// When it fires.
    pub when: &'static str,
    /// The fields its payload adds to the base fields, in the order of stdin.
    pub fields: &'static [FieldRow],
    /// What a matcher is compared with.
    pub matched_on: MatchedOn,
    /// How a matcher is read (P6, P7).
    pub matching: Matching,
    /// Which handlers run.
    pub handlers: Handlers,
    /// Whether `if` conditions are read.
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
    /// How added context is put together.
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

/// What a hook may do at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Stop what the event guards.
    Deny,
    /// Hide the tool's output.
    SuppressOutput,
    /// Add text for the model.
    AddContext,
    /// Change the tool's input.
    ModifyInput,
    /// Change the tool's output.
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

    /// The words shown in the events table.
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

/// One field of a payload.
#[derive(Debug, Clone, Copy)]
pub struct FieldRow {
    /// Its key.
    pub name: &'static str,
    /// When it is written.
    pub presence: Presence,
    /// An example value, as JSON text; the template is made of these.
    pub example: &'static str,
    /// What it holds.
    pub about: &'static str,
}

/// When a field is written to stdin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Always; the empty value of its type (as JSON text) stands in when the payload lacks it.
    Always {
        /// JSON text of that value.
        empty: &'static str,
    },
    /// Only when it is there and not empty, false or null.
    NotEmpty,
}

/// What a matcher is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedOn {
    /// Nothing: a matcher is ignored.
    Nothing,
    /// The name of a tool, in this field.
    Tool(&'static str),
    /// This field.
    Field(&'static str),
    /// The file name of the path in this field.
    FileName(&'static str),
    /// The model in this field, without the mark of its context size; one without a name matches everything.
    Model(&'static str),
    /// This key of the data in the payload.
    Data(&'static str),
}

impl MatchedOn {
    /// The field or key.
    pub fn field(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Tool(field) | Self::Field(field) | Self::FileName(field) | Self::Model(field) | Self::Data(field) => {
                Some(field)
            }
        }
    }
}

/// How a matcher is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// There are no matchers.
    None,
    /// Letters, digits, `_`, `|` and these characters make an exact list; others a JavaScript expression, unanchored.
    ListOrRegex {
        /// The characters.
        more: &'static str,
    },
    /// A Go glob on the whole name.
    Glob,
    /// Python globs on the whole name, alternatives with `|`.
    GlobList,
    /// Names with `*`, alternatives with `,` or `|`, case ignored.
    Wildcards,
    /// The name itself.
    Exact,
}

/// Which handlers run at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handlers {
    /// Requests.
    pub http: Runs,
    /// Tools of MCP servers.
    pub mcp_tool: Runs,
    /// Prompts to a model.
    pub prompt: Runs,
    /// Agents.
    pub agent: Runs,
}

impl Handlers {
    /// Every type.
    pub const ALL: Self =
        Self { http: Runs::Always, mcp_tool: Runs::Always, prompt: Runs::Always, agent: Runs::Always };
}

/// Whether a type of handler runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// It does.
    Always,
    /// Not at this event.
    Never,
    /// The host has it here and skips it.
    Skipped,
    /// Only where the session already had a beginning.
    NotAtLaunch,
}

/// Whether `if` conditions are read.
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

/// What a broken entry takes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drops {
    /// Itself.
    Entry,
    /// Its file.
    File,
    /// The hooks of every file.
    AllFiles,
}

/// The limit of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    /// None.
    None,
    /// Each hook has this.
    Each(Duration),
    /// All hooks together have this, or the largest an entry gives.
    Shared(Duration),
}

impl Limits {
    /// The time itself.
    pub fn time(self) -> Option<Duration> {
        match self {
            Self::None => None,
            Self::Each(time) | Self::Shared(time) => Some(time),
        }
    }
}

/// What exit codes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExitRule {
    /// Exit 2.
    pub two: Exit,
    /// Any other code but 0, without an answer that counts.
    pub other: OtherExit,
}

/// What exit 2 does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Blocks what the event guards; the reason goes to this receiver.
    Blocks(To),
    /// It is too late to block; the text goes to this receiver.
    TooLate(To),
    /// The user gets a notice.
    Notice,
    /// Nothing.
    Nothing,
    /// It is a failed hook like any other exit.
    Fails,
}

/// Who gets a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// The model.
    Model,
    /// The user.
    User,
    /// The subagent.
    Subagent,
    /// The teammate.
    Teammate,
    /// Nobody but the debug log.
    Log,
}

/// What exit codes other than 0 and 2 do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherExit {
    /// The user gets a notice.
    Notice,
    /// Nothing the user sees.
    Quiet,
    /// The action fails.
    ActionFails,
    /// The hook counts as failed; what that means is the host's failure policy.
    HookFails,
    /// A warning becomes feedback.
    Warns,
    /// It blocks.
    Blocks,
}

/// What plain text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextAs {
    /// Context for the model.
    Context,
    /// A line in the debug log.
    Log,
    /// Its last line is a path.
    Path,
    /// Feedback below the tool's output.
    Feedback,
    /// Not an answer: the hook failed.
    Error,
}

/// Which of the fields that every event shares count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedFields {
    /// `continue`, `stopReason` and `systemMessage`.
    All,
    /// Only `systemMessage`, for the user.
    Message,
    /// Only `systemMessage`, for the model, unless this payload field has this value.
    MessageToModel(&'static str, &'static str),
    /// Neither.
    Neither,
    /// No JSON is read at all.
    NoJson,
}

/// One field of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerField {
    /// Its key.
    pub name: &'static str,
    /// The values it takes.
    pub kind: Kind,
    /// Whether it has to be there.
    pub need: Need,
    /// What it does.
    pub effect: Effect,
}

impl AnswerField {
    /// A field that may be left out.
    pub const fn new(name: &'static str, kind: Kind, effect: Effect) -> Self {
        Self { name, kind, need: Need::Optional, effect }
    }

    /// A field that has to be there.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { need: Need::Required, ..self }
    }

    /// The same field where it does nothing.
    #[must_use]
    pub const fn idle(self) -> Self {
        Self { effect: Effect::None, ..self }
    }

    /// Whether it, or a field inside it, does `what`.
    pub fn can(&self, what: Capability) -> bool {
        let inside: &[AnswerField] = if let Kind::Fields(inside) = self.kind { inside } else { &[] };
        self.effect == Effect::Can(what) || inside.iter().any(|f| f.can(what))
    }

    /// The words it takes, if it takes only some.
    pub fn words(&self) -> Option<&'static [&'static str]> {
        if let Kind::OneOf(words) = self.kind { Some(words) } else { None }
    }
}

/// The values of an answer's field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Text.
    Text,
    /// True or false.
    Bool,
    /// A number.
    Number,
    /// An object.
    Object,
    /// An object with these fields.
    Fields(&'static [AnswerField]),
    /// A list of texts.
    Texts,
    /// A list.
    List,
    /// Any value but null.
    Any,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// The name of the event.
    EventName,
}

/// Whether a field has to be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It has.
    Required,
    /// It may be left out.
    Optional,
}

/// What a field does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that a capability names.
    None,
    /// This.
    Can(Capability),
    /// What exit 2 does at this event.
    LikeExitTwo,
}

/// How the answers of one event become a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeClass {
    /// Nothing is decided.
    Observe,
    /// Permission decisions are compared.
    Permission,
    /// The first decision about a request counts.
    Request,
    /// A hook can ask for another try.
    Retry,
    /// A prompt is sent unless a hook blocks it.
    Prompt,
    /// The end of a turn: a block makes it go on.
    Turn,
    /// A teammate that would idle: a block keeps it working, unless a hook ends it.
    Idle,
    /// A batch of calls: a block ends the turn.
    Batch,
    /// One block is enough.
    Block,
    /// The output of a tool can be changed.
    Output,
    /// The error of a tool is passed on.
    ToolError,
    /// Instructions for a summary can be given.
    Summary,
    /// Something stays as it is if a hook says so.
    Stay {
        /// What such a hook does.
        denial: &'static str,
        /// What happens without one.
        passes: &'static str,
        /// What happens with one.
        stays: &'static str,
    },
}

/// The words a host has for the outcomes of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// The reason alone.
    Reason,
    /// The result of a call that was refused.
    Call,
    /// An error beside the result of a call.
    AfterCall,
    /// The end of the loop.
    Batch,
    /// A request for permission.
    Request,
    /// A prompt that was blocked.
    Prompt,
    /// Feedback at the end of a turn.
    Turn,
    /// Feedback about a task.
    Task,
    /// A compaction, which says nothing when it is automatic.
    Compaction,
    /// A change of model.
    Switch,
}

/// How hooks are called in the host's texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// By their event.
    Event,
    /// By their event and the value a matcher is compared with.
    Value,
    /// By both, in front of context by the event alone.
    ValueButContext,
}

/// How added context is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextStyle {
    /// One paragraph each.
    Each,
    /// Plain texts one by one, then all others in one paragraph.
    Joined,
    /// One reminder each.
    Reminder,
    /// One line each, named by the event.
    Line,
}

/// Where something appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// In the session.
    Session,
    /// In the subagent.
    Subagent,
}

/// Whether a hook that fails can be made to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureRule {
    /// If its entry says so.
    CanBlock,
    /// Whatever its entry says, it does not.
    NeverBlocks,
}

/// What a hook that runs out of time does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Late {
    /// Nothing.
    Passes,
    /// The user gets a notice.
    Notice,
    /// It denies.
    Denies,
}

/// What exit 2 of a script that does not exist does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingScript {
    /// It blocks like any exit 2.
    Blocks,
    /// It does not block.
    Passes,
    /// It does not block if the hook is a plugin's.
    PassesForPlugins,
}

/// What the refusal of a model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelRefusal {
    /// It blocks.
    Blocks,
    /// It blocks and ends the turn.
    EndsTurn,
}

/// What the first block does to hooks still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstBlock {
    /// They finish.
    OthersFinish,
    /// They are ended.
    EndsOthers,
}

/// A tool of a host, with values to start from.
#[derive(Debug, Clone, Copy)]
pub struct ToolRow {
    /// Its name.
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
