//! The edges at which drawing is cut off.

use super::Canvas;
use crate::svg::Frame;
use crate::svg::clip;

impl Canvas {
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
}
