//! Why a command could not do its work, with its exit code.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use crate::settings::SettingsError;

/// Why a command failed, by whose turn it is.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The user can fix it: arguments, settings or payload. Exit code 2.
    #[error("{0}")]
    Input(String),
    /// A bug, or a system that does not do its part. Exit code 3.
    #[error("{0}")]
    Internal(#[from] color_eyre::Report),
    /// The user left without waiting; the exit code of the signal says so.
    #[error("abandoned")]
    Abandoned(u8),
}

impl Failure {
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// What `verb` says could not be done with the file at `path`.
    pub fn cannot<'a>(verb: &'a str, path: &'a Path) -> impl Fn(io::Error) -> Self + Copy + 'a {
        move |error| Self::Input(format!("cannot {verb} {}: {error}", path.display()))
    }

    pub fn report(self) -> ExitCode {
        let (text, code) = match self {
            Self::Input(message) if message.starts_with("error: ") => (message, 2),
            Self::Input(message) => (format!("error: {message}"), 2),
            Self::Internal(report) => (format!("internal error: {report:?}"), 3),
            Self::Abandoned(code) => return ExitCode::from(code),
        };
        let _ = writeln!(io::stderr(), "{text}");
        ExitCode::from(code)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Internal(error.into())
    }
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Self {
        Self::Input(error.to_string())
    }
}
