//! A table of printed values beside ours, with the reasons of differences as numbered notes.

use crate::span::Span;

/// The table.
#[derive(Clone, Debug, Default)]
pub struct Published {
    /// What it shows.
    pub caption: String,
    /// What a row is: `case`.
    pub first: String,
    /// The measures, with units; each has the paper's value, ours and the bar.
    pub measures: Vec<String>,
    /// Further measures, with units, of which only our value is shown.
    pub also: Vec<String>,
    /// The rows.
    pub rows: Vec<PublishedRow>,
    /// What the numbers in the rows refer to, from 1.
    pub notes: Vec<String>,
}

/// A row of a [`Published`].
#[derive(Clone, Debug)]
pub struct PublishedRow {
    /// Its name.
    pub name: String,
    /// One for each measure.
    pub pairs: Vec<Pair>,
    /// Our value of each further measure.
    pub also: Vec<String>,
    /// The verdict.
    pub verdict: Span,
    /// Number of its note.
    pub note: Option<usize>,
}

/// A printed value and ours.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// The printed value; empty if there is none.
    pub paper: String,
    /// Ours, with its interval.
    pub ours: String,
    /// Ours less the paper's, in units of the tolerance.
    pub difference: Option<f64>,
}
