//! Bars: measures of cases beside each other.

use super::{Axis, Group};

/// Bars over cases, in panels below each other.
#[derive(Clone, Debug, Default)]
pub struct Bars {
    /// The panels, from the top.
    pub panels: Vec<BarPanel>,
}

/// Bars over one vertical axis.
#[derive(Clone, Debug, Default)]
pub struct BarPanel {
    /// What it is of; empty if its axis says it.
    pub title: String,
    /// What runs upwards.
    pub y: Axis,
    /// What each bar of a case stands for, from the left.
    pub bars: Vec<Group>,
    /// The cases, from the left.
    pub cases: Vec<BarCase>,
}

/// The bars of one case.
#[derive(Clone, Debug, Default)]
pub struct BarCase {
    /// Its name.
    pub name: String,
    /// The height of each bar, and half of its interval; nothing where none is known.
    pub heights: Vec<Option<(f64, Option<f64>)>>,
}

impl BarPanel {
    /// Every bar that is known: its case, what it stands for, and its height.
    pub fn known(&self) -> impl Iterator<Item = (&BarCase, &Group, (f64, Option<f64>))> {
        self.cases.iter().flat_map(|case| {
            let heights = self.bars.iter().zip(&case.heights);
            heights.filter_map(move |(bar, height)| height.map(|height| (case, bar, height)))
        })
    }
}
