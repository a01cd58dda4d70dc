//! Where the panels of a figure go: in rows, with as many side by side as fit.

use super::canvas::{Anchor, Canvas, Ink, shortened, width};
use crate::figure::Axis;

/// Panels beside each other, at most.
const COLUMNS: usize = 3;

/// What a panel needs to be read.
const LEAST: f64 = 140.0;

/// Right of all panels.
const MARGIN: f64 = 20.0;

/// From a panel up to the base line of its title, which the highest number of its axis
/// does not touch.
pub(super) const ABOVE: f64 = 9.0;

/// The places of panels of one size.
pub(super) struct Multiples {
    /// Where the first one begins.
    pub left: f64,
    pub top: f64,
    /// Of each.
    pub width: f64,
    pub height: f64,
    /// Beside each other.
    pub columns: usize,
    gaps: (f64, f64),
    /// What stands above it takes a line of its own.
    lower: bool,
}

impl Multiples {
    /// So many panels below and to the right of a place, with room between them, and with so much
    /// right of each for the names of its curves.
    pub fn new(
        canvas: &Canvas,
        panels: usize,
        (left, top): (f64, f64),
        height: f64,
        gaps: (f64, f64),
        names: f64,
    ) -> Self {
        let gaps = (gaps.0 + names, gaps.1);
        let room = canvas.wide - MARGIN - names - left;
        let fit = ((room + gaps.0) / (LEAST + gaps.0)) as usize;
        let columns = panels.min(COLUMNS).min(fit).max(1);
        let width = (room - gaps.0 * (columns - 1) as f64) / columns as f64;
        Self { left, top, width, height, columns, gaps, lower: false }
    }

    /// Lower, if the title of the first panel has no room beside what stands above it at
    /// the left.
    pub fn below(self, label: &str, title: &str) -> Self {
        let title = width(&shortened(title, self.width));
        let apart = 8.0 + width(label) + 12.0 <= self.left + self.width - title;
        let lower = !apart && title > 0.0;
        Self { top: if lower { self.top + 16.0 } else { self.top }, lower, ..self }
    }

    /// Left and upper edge of a panel.
    pub fn place(&self, nth: usize) -> (f64, f64) {
        let (row, column) = (nth / self.columns, nth % self.columns);
        let left = self.left + column as f64 * (self.width + self.gaps.0);
        (left, self.top + row as f64 * (self.height + self.gaps.1))
    }

    /// The labels of both axes, of the horizontal one below the last panel, which ends there.
    pub fn label(&self, canvas: &mut Canvas, bottom: f64, x: &Axis, y: &Axis) {
        let right = self.left + (self.width + self.gaps.0) * self.columns as f64 - self.gaps.0;
        let middle = f64::midpoint(self.left, right);
        canvas.text((middle, bottom + 36.0), Anchor::Middle, Ink::Text, &x.label());
        // beside the title of the first panel, or above it
        let line = self.top - if self.lower { 25.0 } else { ABOVE };
        canvas.text((8.0, line), Anchor::Start, Ink::Text, &y.label());
        canvas.height = bottom + 46.0;
    }
}
