//! How the window grows below ssthresh.
//!
//! | name | source | growth per segment acknowledged |
//! |---|---|---|
//! | `standard` | RFC 5681, section 3.1 | 1 |
//! | `limited` | RFC 3742 | 1 up to `max_ssthresh`, then at most `max_ssthresh`/2 per round trip |
//! | `hystart++` | RFC 9406 | 1 until round trips lengthen, then 1/4 |
//!
//! Slow start never raises the window above ssthresh: what is left of the ACK that reaches it
//! counts for congestion avoidance, as in Linux. ns-2 overshoots by a fraction of a segment.
//! Test: `slow_start_ends_at_ssthresh`.

use super::Ack;
use super::hystart::{self, HyStart};
use super::window::{Window, climb};
use crate::params::{Params, Sheet};
use crate::table::params;

/// Which slow start a connection uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SlowStart {
    /// RFC 5681, section 3.1: one segment per segment acknowledged.
    Standard,
    /// RFC 3742: above `max_ssthresh` segments, growth of at most half of that per
    /// round trip. Applies to every slow start.
    Limited {
        /// In segments; the RFC suggests 100.
        max_ssthresh: f64,
    },
    /// RFC 9406: leaves when round trips lengthen, carefully. Applies to the
    /// first slow start; later ones are standard.
    HyStartPlusPlus,
}

impl SlowStart {
    /// The sheets of all slow starts.
    pub const ALL: &[Sheet] = {
        static SHEETS: [Sheet; 3] = [STANDARD.listed(), LIMITED.listed(), hystart::SHEET.listed()];
        &SHEETS
    };

    /// The slow start of this name; `None` if there is none.
    ///
    /// # Panics
    /// If `params` belong to another slow start.
    pub fn new(name: &str, params: &Params) -> Option<Self> {
        if name == STANDARD.name {
            Some(Self::Standard)
        } else if name == LIMITED.name {
            let LimitedParams { max_ssthresh } = params.read();
            Some(Self::Limited { max_ssthresh })
        } else if name == hystart::SHEET.name {
            Some(Self::HyStartPlusPlus)
        } else {
            None
        }
    }
}

const STANDARD: Sheet = Sheet {
    name: "standard",
    title: "Slow start",
    source: "RFC 5681, section 3.1, equation 2",
    equations: "per segment acknowledged:  w <- w + 1, to ssthresh at most",
    differs: "\
RFC 5681 lets the last step pass ssthresh by a part of a segment; here the rest \
of that ACK counts for congestion avoidance. Test: slow_start_ends_at_ssthresh.",
    needs: &[],
    params: &[],
    ..Sheet::NO_LAW
};

const LIMITED: Sheet = Sheet {
    name: "limited",
    title: "Limited Slow-Start",
    source: "RFC 3742, section 2",
    equations: "\
per segment acknowledged:
  w <= max_ssthresh:  w <- w + 1
  w >  max_ssthresh:  w <- w + 1/K,  K = int(w / (0.5 max_ssthresh))",
    differs: "\
When w reaches ssthresh, the rest of that ACK counts for congestion avoidance, as in \
the slow start `standard`. Test: slow_start_ends_at_ssthresh.
An ACK for several segments uses one K for all of them.",
    needs: &[],
    params: LimitedParams::LIST,
    ..Sheet::NO_LAW
};

params! { struct LimitedParams {
    /// window above which growth is at most max_ssthresh/2 segments per round trip
    max_ssthresh: f64 = 100.0 "segments" in 2.0..=1e9,
} }

/// A slow start in progress.
#[derive(Clone, Debug)]
pub(super) enum SlowStartState {
    Standard,
    Limited { max_ssthresh: f64 },
    HyStart(HyStart),
}

impl SlowStartState {
    pub(super) fn new(kind: SlowStart, paced: bool) -> Self {
        match kind {
            SlowStart::Standard => Self::Standard,
            SlowStart::Limited { max_ssthresh } => Self::Limited { max_ssthresh },
            SlowStart::HyStartPlusPlus => Self::HyStart(HyStart::new(paced)),
        }
    }

    /// Processes any ACK while the window is below ssthresh, whether it lets the
    /// window grow or not. Returns the credit that was left at ssthresh.
    #[inline]
    pub(super) fn on_ack(&mut self, w: &mut Window, ack: &Ack) -> f64 {
        let credit = if ack.cwnd_limited { ack.credit } else { 0.0 };
        match self {
            Self::Standard => climb(w, credit, 1.0),
            Self::Limited { max_ssthresh } => climb(w, credit, limited_step(w.cwnd, *max_ssthresh)),
            // a copy, so that the ACK itself need not be in memory
            Self::HyStart(hystart) => hystart.on_ack(w, credit, &Ack { credit, ..*ack }),
        }
    }

    /// Congestion has ended slow start, or a timeout starts another one.
    pub(super) fn congested(&mut self) {
        // RFC 9406, section 4.3: use HyStart++ only for the initial slow start
        // and fall back to standard slow start for the remainder of the
        // connection lifetime.
        if matches!(self, Self::HyStart(_)) {
            *self = Self::Standard;
        }
    }
}

/// RFC 3742, section 2: cwnd grows by 1/K with K = int(cwnd/(0.5 max_ssthresh)).
fn limited_step(cwnd: f64, max_ssthresh: f64) -> f64 {
    if cwnd <= max_ssthresh { 1.0 } else { 1.0 / libm::floor(cwnd / (0.5 * max_ssthresh)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limited_growth_is_half_of_max_ssthresh_per_round_trip() {
        // RFC 3742, section 2: during Limited Slow-Start the window grows by at
        // most max_ssthresh/2 segments per round trip. With max_ssthresh = 100,
        // K = 2 from above 100, 3 from 150, 4 from 200.
        assert_eq!(limited_step(100.0, 100.0), 1.0);
        assert_eq!(limited_step(100.5, 100.0), 1.0 / 2.0);
        assert_eq!(limited_step(149.9, 100.0), 1.0 / 2.0);
        assert_eq!(limited_step(150.0, 100.0), 1.0 / 3.0);
        assert_eq!(limited_step(200.0, 100.0), 1.0 / 4.0);
        // the RFC's example: from 100 to 83,000, K grows to 1660
        assert_eq!(limited_step(83_000.0, 100.0), 1.0 / 1_660.0);
    }

    #[test]
    fn every_slow_start_has_its_name() {
        for sheet in SlowStart::ALL {
            assert!(SlowStart::new(sheet.name, &Params::defaults(sheet.params)).is_some());
        }
        assert_eq!(SlowStart::new("no such", &Params::defaults(&[])), None);
    }
}
