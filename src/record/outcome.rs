//! What a firing came to, in the form recordings keep, and how two of them differ.

use serde::Serialize;

use super::recorded_event::{EventOrigin, HookOutcome, Outcome, RecordedEvent};
use crate::engine::Firing;
use crate::model::Verdict;

/// Characters of each stream that are kept.
const KEPT: usize = 4 << 10;

impl RecordedEvent {
    /// A finished firing with what came of it.
    pub fn of(firing: &Firing, dialect: &str) -> Self {
        let session = firing.payload.text("session_id").map(Into::into);
        Self {
            dialect: Some(dialect.to_string()),
            event: firing.payload.event.clone(),
            payload: serde_json::to_string(firing.payload.fields.as_ref()).unwrap_or_else(|_| "{}".into()),
            origin: EventOrigin { file: "hookdbg".into(), line: 1, session, at: Some(firing.at.clone()) },
            derived: Vec::new(),
            recorded: Some(Outcome::of(firing)),
        }
    }
}

impl Outcome {
    pub fn of(firing: &Firing) -> Self {
        let hooks = firing.runs.iter().map(|record| {
            let phase = record.last();
            HookOutcome {
                hook: firing.plan.hook(record.hook).label.clone(),
                outcome: phase.reading.outcome.word().into(),
                exit_code: phase.end.exit_code(),
                stdout: phase.end.stdout.text(),
                stderr: phase.end.stderr.text(),
                duration_ms: Some(record.duration_ms()),
            }
        });
        Self::new(&firing.verdict, hooks.collect())
    }

    /// `verdict` and what became of each hook; long outputs are cut.
    pub fn new(verdict: &Verdict, mut hooks: Vec<HookOutcome>) -> Self {
        for hook in &mut hooks {
            truncate(&mut hook.stdout);
            truncate(&mut hook.stderr);
        }
        Self {
            partial: false,
            blocked: Some(verdict.blocked),
            decision: verdict.decision.clone(),
            reason: verdict.reason.clone(),
            decided_by: verdict.decided_by.clone().map(String::from),
            updated_input: verdict.updated_input.clone(),
            updated_output: verdict.updated_output.clone(),
            model_sees: Some(verdict.model_sees.clone()).filter(|t| !t.is_empty()),
            hooks,
        }
    }

    /// `blocked`, `passed`, the host's word for the decision, or none where it is not known.
    pub fn word(&self) -> Option<&str> {
        self.decision.as_deref().or(self.blocked.map(|b| if b { "blocked" } else { "passed" }))
    }

    /// The same without what differs from run to run.
    #[must_use]
    pub fn without_durations(mut self) -> Self {
        self.hooks.iter_mut().for_each(|h| h.duration_ms = None);
        self
    }

    fn duration_ms(&self) -> Option<f64> {
        self.hooks.iter().filter_map(|h| h.duration_ms).reduce(f64::max)
    }
}

fn truncate(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(KEPT) {
        text.truncate(at);
        text.push('…');
    }
}

/// In what two outcomes of one event differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// Another decision: the flip everybody looks for.
    Decision,
    /// The same decision for another reason.
    Reason,
    Input,
    Output,
    /// The model reads something else.
    Feedback,
    /// The slowest hook takes times as long, or a fraction.
    Duration,
}

impl Difference {
    pub fn words(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Reason => "reason",
            Self::Input => "rewritten input",
            Self::Output => "rewritten output",
            Self::Feedback => "feedback",
            Self::Duration => "duration",
        }
    }
}

/// Durations of one class are told apart by nobody.
const CLASSES: [f64; 4] = [20.0, 200.0, 2_000.0, 20_000.0];
/// Near the border of a class a difference is noise.
const FACTOR: f64 = 3.0;

fn duration_class(ms: f64) -> usize {
    CLASSES.iter().filter(|c| ms >= **c).count()
}

/// Whether an outcome blocks: known, or to be concluded from the decision.
fn blocks(outcome: &Outcome) -> Option<bool> {
    outcome.blocked.or_else(|| outcome.decision.as_ref().map(|d| d == "deny" || d == "block"))
}

/// In what `current` differs from `before`; what `before` does not know is no difference.
pub fn differences(before: &Outcome, current: &Outcome) -> Vec<Difference> {
    let mut found = Vec::new();
    let flipped = blocks(before).is_some() && blocks(before) != blocks(current)
        || before.decision.is_some() && before.decision != current.decision;
    if flipped {
        found.push(Difference::Decision);
    } else if before.reason.is_some() && before.reason != current.reason {
        found.push(Difference::Reason);
    }
    if !before.partial && before.updated_input != current.updated_input {
        found.push(Difference::Input);
    }
    if !before.partial && before.updated_output != current.updated_output {
        found.push(Difference::Output);
    }
    let told = before.model_sees.is_some() || (before.decided_by.is_some() && current.model_sees.is_some());
    let text = |o: &Outcome| o.model_sees.as_deref().unwrap_or_default().trim_end().to_string();
    if told && text(before) != text(current) && !flipped {
        found.push(Difference::Feedback);
    }
    if let (Some(a), Some(b)) = (before.duration_ms(), current.duration_ms())
        && !flipped
        && duration_class(a) != duration_class(b)
        && (a > b * FACTOR || b > a * FACTOR)
    {
        found.push(Difference::Duration);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(decision: &str, reason: &str, ms: f64) -> Outcome {
        Outcome {
            blocked: Some(decision == "deny"),
            decision: Some(decision.into()),
            reason: Some(reason.into()),
            hooks: vec![HookOutcome { duration_ms: Some(ms), ..HookOutcome::default() }],
            ..Outcome::default()
        }
    }

    #[test]
    fn what_counts_as_different() {
        let base = outcome("deny", "no", 5.0);
        assert_eq!(differences(&base, &outcome("deny", "no", 9.0)), []);
        assert_eq!(differences(&base, &outcome("allow", "no", 5.0)), [Difference::Decision]);
        assert_eq!(differences(&base, &outcome("deny", "other", 5.0)), [Difference::Reason]);
        assert_eq!(differences(&base, &outcome("deny", "no", 500.0)), [Difference::Duration]);
        // Another decision takes another way through the script, so its duration says nothing.
        assert_eq!(differences(&base, &outcome("allow", "no", 500.0)), [Difference::Decision]);
        // The border of a class alone is no difference.
        assert_eq!(differences(&outcome("deny", "no", 19.0), &outcome("deny", "no", 21.0)), []);
        // A transcript that only knows that it passed says nothing of the rest.
        let passed = Outcome { blocked: Some(false), ..Outcome::default() };
        assert_eq!(differences(&passed, &Outcome { blocked: Some(false), ..Outcome::default() }), []);
    }
}
