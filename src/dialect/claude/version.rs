//! Versions of the host: what changed when, as a table, and the rules of one version.
//!
//! Only changes whose version is known are here; everything else follows the newest rules.

/// A change of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A broken hook entry no longer drops its whole file, except under the two strict events.
    LoneEntries,
    /// `CLAUDE_CODE_CHILD_SESSION` is set.
    ChildSession,
    /// A comma separates names in a matcher.
    CommaLists,
    /// A hyphen keeps a matcher an exact list.
    HyphenNames,
    /// `CLAUDE_PID` is set, and `dir/**` in a condition stands for the one directory below cwd.
    ProcessId,
    /// Stdout that looks like a JSON object and is none is an error instead of plain text.
    StrictJson,
    /// The events around a switch of the model exist.
    ModelSwitch,
    /// Agent hooks are skipped on PermissionRequest.
    NoAgentRequest,
    /// `decision: "block"` declines an elicitation.
    ElicitationBlock,
    /// `onFailure` is read.
    OnFailure,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct ChangeSpec {
    /// Which.
    pub change: Change,
    /// The first version that has it.
    pub since: [u16; 3],
    /// What was before and what is now.
    pub about: &'static str,
}

/// The table, oldest first.
#[rustfmt::skip]
pub const CHANGES: &[ChangeSpec] = &[
    ChangeSpec { change: Change::LoneEntries, since: [2, 1, 122], about: "a broken entry drops only itself, except under PreToolUse and PermissionRequest; before, it dropped the whole file" },
    ChangeSpec { change: Change::ChildSession, since: [2, 1, 172], about: "CLAUDE_CODE_CHILD_SESSION is set" },
    ChangeSpec { change: Change::CommaLists, since: [2, 1, 191], about: "a comma separates names in a matcher; before, it made the matcher a regular expression" },
    ChangeSpec { change: Change::HyphenNames, since: [2, 1, 195], about: "a hyphen keeps a matcher an exact list; before, it made the matcher a regular expression" },
    ChangeSpec { change: Change::ProcessId, since: [2, 1, 214], about: "CLAUDE_PID is set, and `dir/**` in a condition stands for that directory below cwd; before, at any depth" },
    ChangeSpec { change: Change::StrictJson, since: [2, 1, 248], about: "stdout that looks like a JSON object and is none is an error; before, it was plain text" },
    ChangeSpec { change: Change::ModelSwitch, since: [2, 1, 251], about: "PreModelSwitch and PostModelSwitch exist" },
    ChangeSpec { change: Change::NoAgentRequest, since: [2, 1, 280], about: "agent hooks are skipped on PermissionRequest; before, they ran" },
    ChangeSpec { change: Change::ElicitationBlock, since: [2, 1, 284], about: "decision block declines an elicitation; before, it had no effect" },
    ChangeSpec { change: Change::OnFailure, since: [2, 1, 295], about: "onFailure is read; before, it was ignored" },
];

/// The newest version whose rules are known.
const NEWEST: [u16; 3] = [2, 1, 325];

/// The versions at which rules changed, and the newest.
pub const VERSIONS: &[&str] = &[
    "2.1.122", "2.1.172", "2.1.191", "2.1.195", "2.1.214", "2.1.248", "2.1.251", "2.1.280", "2.1.284", "2.1.295",
    "2.1.325",
];

/// The rules of one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules([u16; 3]);

impl Rules {
    /// The newest.
    pub const NEWEST: Self = Self(NEWEST);

    /// The rules of version `text`, any of 2.x.y up to the newest known.
    pub fn of(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|p| p.parse::<u16>().ok());
        let version = [parts.next()??, parts.next()??, parts.next()??];
        (parts.next().is_none() && version[0] == 2 && version <= NEWEST).then_some(Self(version))
    }

    /// Whether this version has `change`.
    pub fn have(self, change: Change) -> bool {
        CHANGES.iter().any(|c| c.change == change && c.since <= self.0)
    }

    /// As it is written.
    pub fn version(self) -> String {
        self.0.map(|n| n.to_string()).join(".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_the_changes_up_to_it() {
        let rules = Rules::of("2.1.194").unwrap();
        assert!(rules.have(Change::CommaLists) && !rules.have(Change::HyphenNames));
        assert!(Rules::of("2.1.326").is_none() && Rules::of("1.0.0").is_none() && Rules::of("2.1").is_none());
        assert!(CHANGES.windows(2).all(|w| w[0].since <= w[1].since));
        let listed: Vec<_> =
            CHANGES.iter().map(|c| Rules(c.since)).chain([Rules::NEWEST]).map(Rules::version).collect();
        assert_eq!(listed, VERSIONS);
    }
}
