//! What may be drawn where: the height of panels, the edges at which drawing is cut off, and
//! places that are already taken.

use super::Canvas;
use crate::svg::Frame;
use crate::svg::clip;
use crate::svg::format::Keys;

impl Canvas {
    /// Height of a panel: the usual one, unless another is needed.
    pub(in crate::svg) fn panel(&mut self, usual: f64) -> f64 {
        *self.panel.get_or_insert(usual)
    }

    /// The left and right edge of panels below each other that need so much at either side.
    pub(in crate::svg) fn edges(&mut self, left: f64, room: f64) -> (f64, f64) {
        let (left, room) = (left.max(self.format.edges.0), room.max(self.format.edges.1));
        self.edges = Some((left, room));
        (left, self.wide - room)
    }

    /// Whatever is drawn from now on stays within a frame.
    pub(in crate::svg) fn clip(&mut self, frame: &Frame) {
        self.clip = Some([frame.left, frame.top, frame.right, frame.bottom]);
    }

    /// Whatever is drawn from now on may be anywhere.
    pub(in crate::svg) fn unclip(&mut self) {
        self.clip = None;
    }

    /// Nothing of something at this place is seen.
    pub(in crate::svg) fn hides(&self, at: (f64, f64)) -> bool {
        self.clip.is_some_and(|edges| !clip::within(at, edges))
    }

    /// Remembers what is drawn, if keys are to stand beside it.
    pub(super) fn takes(&mut self, points: &[(f64, f64)]) {
        if self.format.keys != Keys::Inside || points.is_empty() {
            return;
        }
        self.drawn.extend(points);
        for pair in points.windows(2) {
            let far = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
            let steps = if far.is_finite() { (far / 4.0) as u32 } else { 0 };
            let at = |step: u32| {
                let share = f64::from(step) / f64::from(steps);
                let between = |a: f64, b: f64| a + share * (b - a);
                (between(pair[0].0, pair[1].0), between(pair[0].1, pair[1].1))
            };
            self.drawn.extend((1..steps).map(at));
        }
    }
}
