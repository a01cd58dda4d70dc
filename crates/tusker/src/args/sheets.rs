//! How names are printed.

use clap::ValueEnum;

/// What `tusker list` and `tusker explain` print on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Sheets {
    /// For people
    #[default]
    Text,
    /// A list with everything about each, for programs
    Json,
}
