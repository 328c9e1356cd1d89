//! One field of a JSON answer: its key, what it may hold, and what it does.

use super::Capability;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerField {
    pub name: &'static str,
    pub kind: Kind,
    pub need: Need,
    pub effect: Effect,
}

impl AnswerField {
    pub const fn new(name: &'static str, kind: Kind, effect: Effect) -> Self {
        Self { name, kind, need: Need::Optional, effect }
    }

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

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    Text,
    Bool,
    Number,
    Object,
    Fields(&'static [AnswerField]),
    Texts,
    List,
    /// Any value but null.
    Any,
    OneOf(&'static [&'static str]),
    EventName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that a capability names.
    None,
    Can(Capability),
    /// What exit 2 does at this event.
    LikeExitTwo,
}
