//! The parameters of a host with a closed set of values, each with its words for the help page.
//!
//! A value that no host of today has is here because other agents have it: a profile can say so before its host exists.

/// An enum whose values have words of their own.
macro_rules! parameter {
    ($(#[$about:meta])+ $name:ident { $($(#[$what:meta])+ $value:ident => $word:literal,)+ }) => {
        $(#[$about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$what])+ $value,)+
        }

        impl $name {
            /// The words of the help page.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }
        }
    };
}

parameter! {
    /// What a later file does to the lists of an earlier one.
    Layers {
        /// It adds to them.
        Extend => "later files add hooks",
        /// It replaces the list of each event it names.
        Replace => "a later file replaces the list of an event",
    }
}

parameter! {
    /// The shape of settings.
    Shape {
        /// Events, matcher groups, handlers.
        Nested => "event → matcher groups → handlers",
        /// Events with lists of commands.
        Strings => "event → commands",
        /// A list of registrations.
        List => "a list of registrations",
        /// Events with lists of entries.
        Flat => "event → entries",
        /// Names, each with events.
        Named => "name → event → entries",
        /// A file per event.
        Files => "a file per event",
    }
}

parameter! {
    /// The order of hooks.
    Order {
        /// As the settings list them.
        Settings => "as listed",
        /// By the layer of their file, then as listed.
        Layers => "by layer, then as listed",
        /// By their number, then as listed.
        Priority => "by priority number, then as listed",
    }
}

parameter! {
    /// Which hooks run only once.
    Dedupe {
        /// None.
        Nothing => "every entry runs",
        /// Those with the same command and condition.
        Command => "the same command with the same condition runs once",
        /// Those with the same command and arguments.
        CommandAndArguments => "the same command with the same arguments runs once",
        /// Those with the same name and command.
        NameAndCommand => "the same command under the same name runs once",
    }
}

parameter! {
    /// How many hooks run at a time.
    Concurrency {
        /// All.
        Parallel => "all at once",
        /// One.
        Sequential => "one after another",
        /// All, unless an entry that runs asks for one after another.
        ParallelUnlessAsked => "all at once, unless an entry asks for one after another",
    }
}

parameter! {
    /// What ends a firing early.
    ShortCircuit {
        /// Nothing.
        Never => "nothing",
        /// A deny.
        OnDeny => "the first deny",
        /// `continue: false`.
        OnStop => "`continue: false`",
    }
}

parameter! {
    /// What input a hook gets.
    InputChain {
        /// The event's.
        Original => "the event as it came",
        /// The one that earlier hooks left.
        Changed => "the event as earlier hooks changed it",
    }
}

parameter! {
    /// What a limit counts.
    LimitUnit {
        /// Seconds.
        Seconds => "seconds",
        /// Milliseconds.
        Milliseconds => "milliseconds",
        /// There are no limits.
        None => "no limits",
    }
}

parameter! {
    /// When JSON on stdout is read.
    JsonUse {
        /// With exit 0.
        ExitZero => "with exit 0",
        /// With any exit code.
        AnyExit => "with any exit code",
        /// It is text like any other.
        Never => "never",
    }
}

parameter! {
    /// What broken JSON is.
    BrokenJson {
        /// An error.
        Error => "an error",
        /// Plain text.
        Text => "plain text",
    }
}

parameter! {
    /// What a reader forgives.
    Forgives {
        /// Nothing.
        Nothing => "nothing",
        /// A byte order mark.
        Mark => "a byte order mark",
        /// The case of keys.
        Case => "the case of keys",
    }
}

parameter! {
    /// A stream of a process.
    Stream {
        /// Standard output.
        Stdout => "stdout",
        /// Standard error.
        Stderr => "stderr",
        /// Standard output, or standard error where that is empty.
        Either => "stdout, or stderr where that is empty",
    }
}

parameter! {
    /// What a failed hook does.
    FailPolicy {
        /// Nothing: what the event guards proceeds.
        Open => "nothing: the action proceeds",
        /// It blocks.
        Closed => "it blocks",
        /// It is logged, unless its entry says otherwise.
        Logged => "it is logged",
        /// The user is asked.
        Asks => "the user is asked",
    }
}

parameter! {
    /// Which decision wins.
    DecisionRule {
        /// The strictest one.
        Strictest => "deny before defer before ask before allow",
        /// A deny, whoever says it.
        AnyDeny => "any deny",
        /// The first.
        First => "the first decision",
        /// The last.
        Last => "the last decision",
    }
}

/// What a payload may hold beside the fields of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadRule {
    /// Nothing but these.
    Closed {
        /// Fields that may be there too.
        also: &'static [&'static str],
    },
    /// Anything: the host adds fields from version to version.
    Open,
    /// Anything, inside this field.
    Within(&'static str),
}
