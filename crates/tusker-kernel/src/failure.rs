//! Why a command ended early, and its exit code.

use std::process::ExitCode;

use miette::{Diagnostic, Report};
use thiserror::Error;

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// The user can fix it: exit code 2.
    Input(Report),
    /// Anything else: exit code 1.
    Other(Report),
    /// The reader of our output has closed it, which is no error.
    PipeClosed,
    /// This signal requested the end: exit code 128 and its number.
    Interrupted(u8),
}

#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
#[diagnostic(help("{help}"))]
struct Said {
    message: String,
    help: String,
}

impl Failure {
    /// A user's mistake, with the remedy.
    pub fn input(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Input(Said { message: message.into(), help: help.into() }.into())
    }

    /// A failure that is not the user's mistake, with the remedy.
    pub fn other(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Other(Said { message: message.into(), help: help.into() }.into())
    }

    /// The kernel refused what should have worked.
    pub fn kernel(what: &str, error: &libbpf_rs::Error) -> Self {
        Self::other(
            format!("cannot {what}: {error:#}"),
            "any messages of the kernel are printed above",
        )
    }

    /// Reports it to the user and returns the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Input(report) => {
                anstream::eprintln!("{report:?}");
                ExitCode::from(2)
            }
            Self::Other(report) => {
                anstream::eprintln!("{report:?}");
                ExitCode::FAILURE
            }
            Self::PipeClosed => ExitCode::SUCCESS,
            Self::Interrupted(signal) => ExitCode::from(128 + signal),
        }
    }
}

/// An error of stdout.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::PipeClosed;
        }
        Self::other(
            format!("cannot write the output: {error}"),
            "check the disk or the program that reads the output",
        )
    }
}
