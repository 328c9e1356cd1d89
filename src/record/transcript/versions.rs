//! Which fields and events the payloads of each version of the host had, as a table.

/// Whose fields derived payloads get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum FieldsOf {
    /// Those of the version that wrote the transcript
    #[default]
    Recorded,
    /// Those of the newest version
    Newest,
}

/// The first version with a field or an event.
const SINCE: &[(&str, [u16; 3])] = &[
    ("permission_mode", [1, 0, 119]),
    ("agent_id", [2, 0, 42]),
    ("SubagentStart", [2, 0, 43]),
    ("tool_use_id", [2, 0, 47]),
    ("StopFailure", [2, 1, 18]),
    ("PostToolUseFailure", [2, 1, 38]),
    ("agent_type", [2, 1, 41]),
    ("last_assistant_message", [2, 1, 62]),
    ("effort", [2, 1, 146]),
    ("background_tasks", [2, 1, 146]),
    ("session_crons", [2, 1, 146]),
    ("prompt_id", [2, 1, 212]),
    ("PostCompact", [2, 1, 270]),
];

/// The version a record names; the newest if it names none.
pub fn parse(version: &str) -> [u16; 3] {
    let mut parts = version.split(['.', '-']).map(|p| p.parse::<u16>().unwrap_or(u16::MAX));
    [0; 3].map(|_| parts.next().unwrap_or(u16::MAX))
}

/// Whether payloads have `name` under these rules.
pub fn has(name: &str, version: [u16; 3], fields: FieldsOf) -> bool {
    let since = SINCE.iter().find(|(n, _)| *n == name).map_or([0; 3], |(_, since)| *since);
    fields == FieldsOf::Newest || version >= since
}
