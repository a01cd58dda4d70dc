//! Why a command ended early, and the exit code that says so.

use std::fmt;
use std::io;
use std::process::ExitCode;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Report, SourceCode};
use thiserror::Error;
use tusker_lab::Trouble;
use tusker_scenario::shown;

use crate::interrupt;
use crate::screen::{Mood, coloured, say_line};

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
    /// A signal asked for the end: exit code 128 and its number.
    Interrupted,
    /// A program that was run has reported why; its exit code.
    Reported(u8),
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

    /// A mistake: the scenario has no `what` of this name, but all these.
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    pub fn unknown<'a>(what: &str, name: &str, all: impl Iterator<Item = &'a String>) -> Self {
        Trouble::unknown(what, name, all).into()
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

    /// What [`Self::report`] prints on stderr, without colours, and whether the user can mend
    /// it; nothing of what is no error.
    pub fn text(&self) -> Option<(String, bool)> {
        let (report, input) = match self {
            Self::Input(report) | Self::NotRun(report, _) => (report, true),
            Self::Other(report) => (report, false),
            Self::Verdict(causes) => {
                let lines = causes.iter().map(|cause| format!("failed on {cause}"));
                return Some((lines.collect::<Vec<_>>().join("\n"), false));
            }
            Self::PipeClosed | Self::Interrupted | Self::Reported(_) => return None,
        };
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
        let mut text = String::new();
        let written = handler.with_width(80).render_report(&mut text, report.as_ref());
        if written.is_err() {
            text = report.to_string();
        }
        Some((text.trim_matches('\n').to_owned(), input))
    }

    /// Tells the user, and gives the exit code.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Input(report) => {
                tell(report);
                ExitCode::from(2)
            }
            Self::Other(report) => {
                tell(report);
                ExitCode::FAILURE
            }
            Self::Verdict(causes) => {
                let failed = coloured("failed", Mood::Bad);
                causes.iter().for_each(|cause| say_line(&format!("{failed} on {cause}")));
                ExitCode::from(3)
            }
            Self::PipeClosed => ExitCode::SUCCESS,
            Self::Interrupted => ExitCode::from(interrupt::exit_code()),
            Self::Reported(code) => ExitCode::from(code),
            Self::NotRun(report, code) => {
                tell(report);
                ExitCode::from(code)
            }
        }
    }
}

/// An error whose texts a terminal can show as they are. A scenario's error already quotes its
/// source so.
#[derive(Debug)]
struct Shown {
    message: String,
    help: Option<String>,
    cause: Option<Box<Self>>,
    report: Option<Report>,
}

impl Shown {
    fn of(report: Report) -> Self {
        let help = report.help().map(|help| shown(&help.to_string()).into_owned());
        let message = shown(&report.to_string()).into_owned();
        let causes: Vec<String> = report.chain().skip(1).map(ToString::to_string).collect();
        let cause = causes.iter().rev().fold(None, |cause, message| {
            let message = shown(message).into_owned();
            Some(Box::new(Self { message, help: None, cause, report: None }))
        });
        Self { message, help, cause, report: Some(report) }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl Diagnostic for Shown {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.report.as_ref()?.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.report.as_ref()?.labels()
    }
}

fn tell(report: Report) {
    anstream::eprintln!("{:?}", Report::new(Shown::of(report)));
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

/// A mistake of the user, and the remedy.
impl From<(String, String)> for Failure {
    fn from((message, help): (String, String)) -> Self {
        Self::input(message, help)
    }
}

impl From<tusker_store::Error> for Failure {
    fn from(error: tusker_store::Error) -> Self {
        match &error {
            tusker_store::Error::Stopped => Self::Interrupted,
            tusker_store::Error::Exists(_)
            | tusker_store::Error::Watched(_)
            | tusker_store::Error::InUse(_)
            | tusker_store::Error::NoManifest(_)
            | tusker_store::Error::Damaged { .. }
            | tusker_store::Error::OtherBuild { .. }
            | tusker_store::Error::OtherLaw { .. }
            | tusker_store::Error::OtherPlane { .. }
            | tusker_store::Error::Foreign(_)
            | tusker_store::Error::OtherKind { .. }
            | tusker_store::Error::NotOurs(_)
            | tusker_store::Error::OtherFile { .. }
            | tusker_store::Error::OtherScenario(_)
            | tusker_store::Error::NoResults(_)
            | tusker_store::Error::NoReplicate(_)
            | tusker_store::Error::NoSeries { .. }
            | tusker_store::Error::OtherFormat { .. }
            | tusker_store::Error::OtherVersion { .. } => Self::Input(error.into()),
            // a link or a device, or a file that is too long
            tusker_store::Error::Io { cause, .. }
                if matches!(
                    cause.kind(),
                    io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
                ) =>
            {
                Self::Input(error.into())
            }
            tusker_store::Error::Io { .. }
            | tusker_store::Error::NoFile { .. }
            | tusker_store::Error::Lost(_)
            | tusker_store::Error::NoRoom { .. } => Self::Other(error.into()),
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
