//! How `tusker list` and `tusker explain` print names.

use clap::ValueEnum;

/// What `tusker list` and `tusker explain` print on stdout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Sheets {
    /// Text for people
    #[default]
    Text,
    /// A list with an object for each name, for programs
    Json,
}
