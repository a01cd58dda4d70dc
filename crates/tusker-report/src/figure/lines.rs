//! Curves through means, with bands that show their intervals, in small multiples.

use super::{Axis, Caption, Figure, Group, Plot};

/// Points that are drawn one by one, at most.
pub(crate) const MANY: usize = 5_000;

/// Of more points no single one tells of itself, nor stands in a table behind the
/// figure: a page would be slow to open.
pub(crate) const TOLD: usize = 500;

/// What lies around a mean.
pub(super) const INTERVAL: &str = "95 % interval";

/// Lines over a varied value, in one or several panels of the same axes.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// What runs to the right.
    pub x: Axis,
    /// What runs upwards.
    pub y: Axis,
    /// What the bands are: `95 % interval`.
    pub band: &'static str,
    /// What is shaded, if x is time: the measuring window.
    pub window: Option<(f64, f64)>,
    /// The panels, by rows.
    pub panels: Vec<LinePanel>,
}

/// One panel.
#[derive(Clone, Debug, Default)]
pub struct LinePanel {
    /// What it is of; empty if it is the only one.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A line through means.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name and colour, the same in all panels.
    pub group: Group,
    /// Place, mean, and half of the band there; from the left.
    pub points: Vec<(f64, f64, Option<f64>)>,
    /// Places at which the mean is doubtful, and why: their marks are hollow.
    pub doubts: Vec<(f64, String)>,
}

impl Line {
    /// Why the mean at a place is doubtful.
    pub fn doubt(&self, x: f64) -> Option<&str> {
        self.doubts.iter().find(|(at, _)| *at == x).map(|(_, why)| why.as_str())
    }
}

impl Lines {
    /// Without panels yet.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self { x, y, band: INTERVAL, window: None, panels: Vec::new() }
    }

    /// How many points it has.
    pub fn len(&self) -> usize {
        self.panels.iter().flat_map(|panel| &panel.lines).map(|line| line.points.len()).sum()
    }

    /// It shows nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives each curve dashes of its own, as far as there are some: for a drawing that may be
    /// printed without colours. The same curves have the same dashes in any order.
    fn by_dash(&mut self) {
        let mut looks: Vec<usize> = Vec::new();
        for line in self.panels.iter().flat_map(|panel| &panel.lines) {
            if !looks.contains(&line.group.colour) {
                looks.push(line.group.colour);
            }
        }
        looks.sort_unstable();
        let apart = crate::style::by_dash(&looks);
        for line in self.panels.iter_mut().flat_map(|panel| &mut panel.lines) {
            let nth = looks.iter().position(|look| *look == line.group.colour);
            line.group.colour = nth.map_or(line.group.colour, |nth| apart[nth]);
        }
    }

    /// As a figure.
    pub fn figure(mut self, name: &str, title: &str, caption: impl Into<Caption>) -> Figure {
        self.by_dash();
        Figure::new(name, title, caption, Plot::Lines(self), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another order of the same curves, as after a sweep of some of them, changes no curve.
    #[test]
    fn dashes_do_not_depend_on_the_order() {
        let laws = ["reno", "cubic", "hstcp", "ghstcp"]
            .map(|name| Group { name: name.to_owned(), colour: crate::style::of_law(name) });
        let looks = |order: [usize; 4]| {
            let lines = order.map(|nth| Line {
                group: laws[nth].clone(),
                points: Vec::new(),
                doubts: Vec::new(),
            });
            let panel = LinePanel { lines: lines.to_vec(), ..LinePanel::default() };
            let mut figure = Lines { panels: vec![panel], ..Lines::default() };
            figure.by_dash();
            let lines = &figure.panels[0].lines;
            let mut all: Vec<(String, usize)> =
                lines.iter().map(|line| (line.group.name.clone(), line.group.colour)).collect();
            all.sort();
            all
        };
        assert_eq!(looks([0, 1, 2, 3]), looks([3, 0, 1, 2]));
        assert_eq!(looks([0, 1, 2, 3]), looks([2, 3, 1, 0]));
    }
}
