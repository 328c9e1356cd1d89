//! Why a command could not do its work, with its exit code.

use std::io::Write as _;
use std::process::ExitCode;

/// Why a command failed, by whose turn it is.
#[derive(Debug)]
pub enum Failure {
    /// The user can fix it: arguments, settings or payload. Exit code 2.
    Input(String),
    /// A bug, or a system that does not do its part. Exit code 3.
    Internal(color_eyre::Report),
}

impl Failure {
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    pub fn report(self) -> ExitCode {
        let (text, code) = match self {
            Self::Input(message) if message.starts_with("error: ") => (message, 2),
            Self::Input(message) => (format!("error: {message}"), 2),
            Self::Internal(report) => (format!("internal error: {report:?}"), 3),
        };
        let _ = writeln!(std::io::stderr(), "{text}");
        ExitCode::from(code)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Input(message) => f.write_str(message),
            Self::Internal(report) => write!(f, "{report}"),
        }
    }
}

impl From<color_eyre::Report> for Failure {
    fn from(report: color_eyre::Report) -> Self {
        Self::Internal(report)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Internal(error.into())
    }
}

impl From<crate::settings::SettingsError> for Failure {
    fn from(error: crate::settings::SettingsError) -> Self {
        Self::Input(error.to_string())
    }
}
