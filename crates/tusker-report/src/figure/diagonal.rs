//! Printed values on the horizontal axis, ours on the vertical one, and the line where both are
//! equal.

use super::{Axis, Group};

/// Points around the line on which ours is what was printed.
#[derive(Clone, Debug, Default)]
pub struct Diagonal {
    /// The quantity, which both axes show.
    pub axis: Axis,
    /// How far ours may be from the printed value: half the height of the band.
    pub tolerance: Option<f64>,
    /// The points.
    pub points: Vec<Match>,
}

/// A printed value and ours.
#[derive(Clone, Debug)]
pub struct Match {
    /// What it is: `case 5, delay 50 ms`.
    pub label: String,
    /// What it belongs to, which gives it its colour; the legend's entry.
    pub group: Group,
    /// The printed value.
    pub paper: f64,
    /// Ours, and half of its interval.
    pub ours: (f64, Option<f64>),
}
