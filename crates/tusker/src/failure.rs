//! Why a command ended early, and the exit code that says so.

use std::io;
use std::process::ExitCode;

use miette::{Diagnostic, Report};
use thiserror::Error;
use tusker_lab::Trouble;
use tusker_record::store;

use crate::screen::{Mood, coloured};

/// Why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// The user can correct it: exit code 2.
    Input(Report),
    /// Anything else: exit code 1.
    Other(Report),
    /// The reader of our output closed it, which is not an error.
    PipeClosed,
    /// A condition of `--fail-on` is met: exit code 3, and a line for each cause.
    Verdict(Vec<String>),
    /// Ctrl-C.
    Interrupted,
    /// A program that was run has reported why; its exit code.
    Told(u8),
    /// The user's program cannot be started, with the exit code of shells: 127 if there is no
    /// such program, else 126.
    NotRun(Report, u8),
}

/// A mistake on the command line, and the remedy.
#[derive(Debug, Error, Diagnostic)]
#[error("{message}")]
#[diagnostic(help("{help}"))]
pub struct Mistake {
    message: String,
    help: String,
}

impl Failure {
    /// A mistake of the user, and the remedy.
    pub fn input(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Input(Mistake { message: message.into(), help: help.into() }.into())
    }

    /// Something that went wrong for no mistake of the user, and the remedy.
    pub fn other(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Other(Mistake { message: message.into(), help: help.into() }.into())
    }

    /// A program that the user named cannot be started.
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    pub fn not_run(message: impl Into<String>, help: impl Into<String>, why: &io::Error) -> Self {
        let code = if why.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
        Self::NotRun(Mistake { message: message.into(), help: help.into() }.into(), code)
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
            Self::Verdict(causes) => {
                let failed = coloured("failed", Mood::Bad);
                causes.iter().for_each(|cause| anstream::eprintln!("{failed} on {cause}"));
                ExitCode::from(3)
            }
            Self::PipeClosed => ExitCode::SUCCESS,
            // as a shell reports a program that SIGINT ended
            Self::Interrupted => ExitCode::from(130),
            Self::Told(code) => ExitCode::from(code),
            Self::NotRun(report, code) => {
                anstream::eprintln!("{report:?}");
                ExitCode::from(code)
            }
        }
    }
}

/// An error of stdout.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::PipeClosed;
        }
        Self::other(format!("cannot write the output: {error}"), "the output has no place to go")
    }
}

/// A mistake in a paper's folder, or in what was asked of it.
impl From<tusker_papers::Error> for Failure {
    fn from(error: tusker_papers::Error) -> Self {
        Self::Input(error.into())
    }
}

impl From<store::Error> for Failure {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Stopped => Self::Interrupted,
            store::Error::Exists(_)
            | store::Error::Watched(_)
            | store::Error::InUse(_)
            | store::Error::NoManifest(_)
            | store::Error::Damaged { .. }
            | store::Error::OtherBuild { .. }
            | store::Error::OtherLaw { .. }
            | store::Error::OtherPlane { .. }
            | store::Error::Foreign(_)
            | store::Error::OtherScenario(_)
            | store::Error::NoResults(_)
            | store::Error::NoReplicate(_)
            | store::Error::NoSeries { .. }
            | store::Error::OtherFormat { .. }
            | store::Error::OtherVersion { .. } => Self::Input(error.into()),
            store::Error::Io { .. } | store::Error::Lost(_) | store::Error::NoRoom { .. } => {
                Self::Other(error.into())
            }
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Interrupted => Self::Interrupted,
            Trouble::Store(error) => error.into(),
            Trouble::Scenario(_)
            | Trouble::Replicates(_)
            | Trouble::Asked { .. }
            | Trouble::NoMeasure { .. }
            | Trouble::TooLarge { .. } => Self::Input(trouble.into()),
            Trouble::OverBudget { .. }
            | Trouble::Failed { .. }
            | Trouble::Elsewhere { .. }
            | Trouble::OtherRun { .. }
            | Trouble::Impossible { .. } => Self::Other(trouble.into()),
        }
    }
}
