//! Counts the decisions of a law with two modes, separately for small and large
//! windows.
//!
//! gHSTCP should be in HSTCP mode while its window is below the bandwidth-delay product and in
//! Reno mode above it ("Experimental Evaluations of Gentle HighSpeed TCP for Long-Fat
//! Networks", section 3.1). A law cannot know the product; a caller that knows it sets the
//! window that separates the two counts. Decisions are counted where the law makes them, once
//! per window of segments, so there is no cost per ACK.

/// A controller with two modes.
pub trait TwoModes {
    /// From now on counts decisions separately below and above this window, in
    /// segments.
    fn watch(&mut self, window: f64);

    /// The decisions so far.
    fn modes(&self) -> Modes;
}

/// Decisions so far, below the watched window and from it upwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// Decisions with a smaller window.
    pub below: Decisions,
    /// Decisions with this window or a larger one.
    pub above: Decisions,
}

/// Decisions for a mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// All decisions.
    pub made: u64,
    /// Decisions for the gentle mode: Reno's.
    pub gentle: u64,
    /// Decisions that changed the mode. A change by a retransmission does not count
    /// as a decision.
    pub switches: u64,
}

impl Modes {
    /// Decisions since an earlier count.
    pub fn since(&self, earlier: &Self) -> Self {
        Self { below: self.below.since(&earlier.below), above: self.above.since(&earlier.above) }
    }
}

impl Decisions {
    fn since(&self, earlier: &Self) -> Self {
        Self {
            made: self.made - earlier.made,
            gentle: self.gentle - earlier.gentle,
            switches: self.switches - earlier.switches,
        }
    }
}

/// Counts decisions.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    window: f64,
    modes: Modes,
}

impl Default for Watch {
    /// If no window is watched, every decision counts as below.
    fn default() -> Self {
        Self { window: f64::INFINITY, modes: Modes::default() }
    }
}

impl Watch {
    /// From now on counts decisions separately below and above this window.
    pub(super) fn at(&mut self, window: f64) {
        self.window = window;
    }

    /// A decision with a window of `cwnd` segments.
    pub(super) fn decided(&mut self, cwnd: f64, gentle: bool, switched: bool) {
        let side = match cwnd < self.window {
            true => &mut self.modes.below,
            false => &mut self.modes.above,
        };
        side.made += 1;
        side.gentle += u64::from(gentle);
        side.switches += u64::from(switched);
    }

    pub(super) fn modes(&self) -> Modes {
        self.modes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_told_apart_by_the_window() {
        let mut watch = Watch::default();
        watch.at(100.0);
        watch.decided(99.9, false, false);
        watch.decided(99.9, true, true);
        let before = watch.modes();
        watch.decided(100.0, true, false);
        watch.decided(300.0, false, true);
        watch.decided(99.0, true, true);
        let below = Decisions { made: 3, gentle: 2, switches: 2 };
        let above = Decisions { made: 2, gentle: 1, switches: 1 };
        assert_eq!(watch.modes(), Modes { below, above });
        let below = Decisions { made: 1, gentle: 1, switches: 1 };
        assert_eq!(watch.modes().since(&before), Modes { below, above });
    }

    #[test]
    fn without_a_window_all_are_below() {
        let mut watch = Watch::default();
        watch.decided(1e9, true, true);
        assert_eq!(watch.modes().above, Decisions::default());
        assert_eq!(watch.modes().below, Decisions { made: 1, gentle: 1, switches: 1 });
    }
}
