//! Why a command ended early, and the exit code that says so.

use std::process::ExitCode;

use miette::{Diagnostic, Report};
use thiserror::Error;

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// The user can mend it: exit code 2.
    Input(Report),
    /// Anything else: exit code 1.
    Other(Report),
    /// Whoever read our output has seen enough, which is no error.
    PipeClosed,
    /// Ctrl-C, or a signal that asks to end.
    Interrupted,
}

#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
#[diagnostic(help("{help}"))]
struct Said {
    message: String,
    help: String,
}

impl Failure {
    /// A mistake of the user, and the remedy.
    pub fn input(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Input(Said { message: message.into(), help: help.into() }.into())
    }

    /// Something that went wrong for no mistake of the user, and the remedy.
    pub fn other(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Other(Said { message: message.into(), help: help.into() }.into())
    }

    /// The kernel refused what should have worked.
    pub fn kernel(what: &str, error: &libbpf_rs::Error) -> Self {
        Self::other(
            format!("cannot {what}: {error:#}"),
            "the kernel's own words stand above, if it had any",
        )
    }

    /// Tells the user, and gives the exit code.
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
            // as a shell reports a program that SIGINT ended
            Self::Interrupted => ExitCode::from(130),
        }
    }
}

/// An error of stdout.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self::PipeClosed;
        }
        Self::other(format!("cannot write the output: {error}"), "the output has no place to go")
    }
}
