//! The parameters of a host with a closed set of values, each with its words for the help page.
//!
//! A value that no host of today has is here because other agents have it: a profile can say so before its host exists.

use std::time::Duration;

/// An enum whose values have words of their own; the first value is the default.
macro_rules! parameter {
    ($(#[$about:meta])* $name:ident { $first:ident => $first_word:literal, $($value:ident => $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $name {
            #[default]
            $first,
            $($value,)+
        }

        impl $name {
            pub fn word(self) -> &'static str {
                match self {
                    Self::$first => $first_word,
                    $(Self::$value => $word,)+
                }
            }
        }
    };
}

parameter! {
    /// What a later file does to the lists of an earlier one.
    Layers {
        Extend => "later files add hooks",
        Replace => "a later file replaces the list of an event",
    }
}

parameter! {
    Shape {
        Nested => "event → matcher groups → handlers",
        Strings => "event → commands",
        List => "a list of registrations",
        Flat => "event → entries",
        Named => "name → event → entries",
        Files => "a file per event",
    }
}

parameter! {
    Order {
        Settings => "as listed",
        Layers => "by layer, then as listed",
        Priority => "by priority number, then as listed",
    }
}

parameter! {
    Dedupe {
        Nothing => "every entry runs",
        Command => "the same command with the same condition runs once",
        CommandAndArguments => "the same command with the same arguments runs once",
        NameAndCommand => "the same command under the same name runs once",
    }
}

parameter! {
    Concurrency {
        Sequential => "one after another",
        Parallel => "all at once",
        ParallelUnlessAsked => "all at once, unless an entry asks for one after another",
    }
}

parameter! {
    ShortCircuit {
        Never => "nothing",
        OnDeny => "the first deny",
        OnStop => "`continue: false`",
    }
}

parameter! {
    InputChain {
        Original => "the event as it came",
        Changed => "the event as earlier hooks changed it",
    }
}

parameter! {
    LimitUnit {
        None => "no limits",
        Seconds => "seconds",
        Milliseconds => "milliseconds",
    }
}

impl LimitUnit {
    /// A limit of `count`; none without limits, and for what is no time.
    pub fn duration(self, count: f64) -> Option<Duration> {
        let seconds = match self {
            Self::None => return None,
            Self::Seconds => count,
            Self::Milliseconds => count / 1000.0,
        };
        Duration::try_from_secs_f64(seconds).ok()
    }
}

parameter! {
    JsonUse {
        ExitZero => "with exit 0",
        AnyExit => "with any exit code",
        Never => "never",
    }
}

parameter! {
    BrokenJson {
        Error => "an error",
        Text => "plain text",
    }
}

parameter! {
    Forgives {
        Nothing => "nothing",
        Mark => "a byte order mark",
        Case => "the case of keys",
    }
}

parameter! {
    Stream {
        Stderr => "stderr",
        Stdout => "stdout",
        Either => "stdout, or stderr where that is empty",
    }
}

parameter! {
    FailPolicy {
        Open => "nothing: the action proceeds",
        Closed => "it blocks",
        Logged => "it is logged",
        Asks => "the user is asked",
    }
}

parameter! {
    DecisionRule {
        AnyDeny => "any deny",
        Strictest => "deny before defer before ask before allow",
        First => "the first decision",
        Last => "the last decision",
    }
}

/// What a payload may hold beside the fields of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PayloadRule {
    /// Anything: the host adds fields from version to version.
    #[default]
    Open,
    Closed {
        also: &'static [&'static str],
    },
    Within(&'static str),
}
