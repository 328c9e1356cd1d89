//! What changed when: each row undoes one change. Only changes whose version is known are here; everything else
//! follows the newest rules.

use super::events::ELICITATION_BEFORE;
use super::profile;
use crate::dialect::event::{Conditions, DirPattern, Drops, Handlers, Matching};
use crate::dialect::{BrokenJson, ChangeRow, Profile};

pub const NEWEST: &str = "2.1.325";

/// The table, oldest first.
#[rustfmt::skip]
pub const CHANGES: &[ChangeRow] = &[
    ChangeRow { since: "2.1.122", about: "a broken entry drops only itself, except under PreToolUse and PermissionRequest; before, it dropped the whole file", before: |p| p.each_event(|e| e.bad_entry = Drops::File) },
    ChangeRow { since: "2.1.172", about: "CLAUDE_CODE_CHILD_SESSION is set", before: |p| without_variable(p, "CLAUDE_CODE_CHILD_SESSION") },
    ChangeRow { since: "2.1.191", about: "a comma separates names in a matcher; before, it made the matcher a regular expression", before: |p| list_characters(p, "") },
    ChangeRow { since: "2.1.195", about: "a hyphen keeps a matcher an exact list; before, it made the matcher a regular expression", before: |p| list_characters(p, " ,") },
    ChangeRow { since: "2.1.214", about: "CLAUDE_PID is set, and `dir/**` in a condition stands for that directory below cwd; before, at any depth", before: |p| { without_variable(p, "CLAUDE_PID"); any_depth(p); } },
    ChangeRow { since: "2.1.248", about: "stdout that looks like a JSON object and is none is an error; before, it was plain text", before: |p| p.broken_json = BrokenJson::Text },
    ChangeRow { since: "2.1.251", about: "PreModelSwitch and PostModelSwitch exist", before: |p| p.events.to_mut().retain(|e| !e.name.ends_with("ModelSwitch")) },
    ChangeRow { since: "2.1.280", about: "agent hooks are skipped on PermissionRequest; before, they ran", before: |p| p.change_event("PermissionRequest", |e| e.handlers = Handlers::ALL) },
    ChangeRow { since: "2.1.284", about: "decision block declines an elicitation; before, it had no effect", before: |p| ["Elicitation", "ElicitationResult"].iter().for_each(|n| p.change_event(n, |e| e.top = ELICITATION_BEFORE)) },
    ChangeRow { since: "2.1.295", about: "onFailure is read; before, it was ignored", before: |p| p.failure_key = None },
];

fn without_variable(profile: &mut Profile, name: &str) {
    profile.variables.to_mut().retain(|v| *v != name);
}

/// Events whose lists take no other character keep theirs.
fn list_characters(profile: &mut Profile, more: &'static str) {
    let narrow = Matching::ListOrRegex { more: "" };
    profile.each_event(|e| e.matching = if e.matching == narrow { narrow } else { Matching::ListOrRegex { more } });
}

fn any_depth(profile: &mut Profile) {
    profile.each_event(|e| {
        if e.conditions != Conditions::Never {
            e.conditions = Conditions::Read(DirPattern::AnyDepth);
        }
    });
}

/// The rules of version `text`, any of 2.x.y up to the newest known: the newest without what it lacks, newest first.
pub fn at(text: &str) -> Option<Profile> {
    let version = numbers(text).filter(|v| v[0] == 2 && Some(*v) <= numbers(NEWEST))?;
    let mut profile = profile();
    let lacks = |c: &&ChangeRow| numbers(c.since).is_some_and(|since| since > version);
    CHANGES.iter().rev().filter(lacks).for_each(|c| (c.before)(&mut profile));
    profile.version = text.to_string();
    Some(profile)
}

fn numbers(text: &str) -> Option<[u16; 3]> {
    let mut parts = text.split('.').map(|p| p.parse::<u16>().ok());
    let version = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_newest_without_what_it_lacks() {
        let profile = at("2.1.194").unwrap();
        assert_eq!(profile.row("PreToolUse").matching, Matching::ListOrRegex { more: " ," });
        assert!(profile.event("PreModelSwitch").is_none() && profile.failure_key.is_none());
        assert_eq!(at(NEWEST).unwrap().label(), "claude@2.1.325");
        assert!(at("2.1.326").is_none() && at("1.0.0").is_none() && at("2.1").is_none());
        assert!(CHANGES.windows(2).all(|w| numbers(w[0].since) <= numbers(w[1].since)));
    }
}
