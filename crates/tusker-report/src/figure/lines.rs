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
    /// They are drawn as bars: x does not grow along the lines.
    pub bars: bool,
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
    /// What each point is of, if its place does not say it: `buffer 0.1 BDP`.
    pub labels: Vec<String>,
    /// Places at which the mean is doubtful, and why: their marks are hollow.
    pub doubts: Vec<(f64, String)>,
}

impl Line {
    /// A line through these points.
    pub fn new(group: Group, points: Vec<(f64, f64, Option<f64>)>) -> Self {
        Self { group, points, labels: Vec::new(), doubts: Vec::new() }
    }

    /// What a point is of; empty if its place says it.
    pub fn label(&self, nth: usize) -> &str {
        self.labels.get(nth).map_or("", String::as_str)
    }

    /// Why the mean at a place is doubtful.
    pub fn doubt(&self, x: f64) -> Option<&str> {
        self.doubts.iter().find(|(at, _)| *at == x).map(|(_, why)| why.as_str())
    }
}

impl Lines {
    /// Without panels yet.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self { x, y, ..Self::default() }
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
            let lines = order.map(|nth| Line::new(laws[nth].clone(), Vec::new()));
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
