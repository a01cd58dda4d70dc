//! What a law with two modes decided, told apart by how large the window was.
//!
//! gHSTCP is to be in HSTCP mode while its window is below the bandwidth-delay
//! product and in Reno mode above it ("Experimental Evaluations of Gentle
//! HighSpeed TCP for Long-Fat Networks", section 3.1). A law cannot know the
//! product; whoever does gives it the window to tell decisions apart by. Counted
//! where the law decides, once per window of segments, so that it costs nothing
//! per ACK.

/// A controller with two modes.
pub trait TwoModes {
    /// Tells decisions apart by this window, in segments, from here on.
    fn watch(&mut self, window: f64);

    /// What was decided so far.
    fn modes(&self) -> Modes;
}

/// Decisions so far, below the window that is watched and from it on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// With a smaller window.
    pub below: Decisions,
    /// With this window or a larger one.
    pub above: Decisions,
}

/// Decisions for a mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// All.
    pub made: u64,
    /// Those for the gentle mode: Reno's.
    pub gentle: u64,
    /// Those that changed the mode. What a retransmission does to it is no
    /// decision.
    pub switches: u64,
}

impl Modes {
    /// Those since an earlier count.
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
    /// Without a window to watch everything is below it.
    fn default() -> Self {
        Self { window: f64::INFINITY, modes: Modes::default() }
    }
}

impl Watch {
    /// Tells decisions apart by this window from here on.
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
