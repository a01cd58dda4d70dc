//! Refined gHSTCP: the trend decides only where the RTT itself is inconclusive.
//!
//! Source: "Experimental Evaluations of Gentle HighSpeed TCP for Long-Fat Networks"
//! (Zhang, Hasegawa, Murata), section 3.2.
//!
//! ```text
//!   RTT of a window
//!        ^         Reno mode: the queue stands, whatever the RTT does
//!        |  - - - - - - - - - - - - - - - - RTT_min + 4 RTT_std
//!        |         by the trend of RTTs, as ghstcp
//!        |  - - - - - - - - - - - - - - - - RTT_min + 2 RTT_std
//!        |         HSTCP mode: what moves near the minimum is noise
//! ```
//!
//! On a real path round trips rise and fall even while the link is far from full. The trend
//! alone mistakes this for the start and the end of congestion, window after window.

use super::gentle::{Decide, Gentle, Mode};
use super::ghstcp::{GhstcpParams, LOSSES};
use super::hstcp::HighSpeedParams;
use super::trend::Trend;
use crate::params::{Family, Linux, Look, Sheet};
use crate::table::params;
use crate::units::Duration;

pub(super) const SHEET: Sheet = Sheet {
    name: "ghstcp-refined",
    title: "Gentle HighSpeed TCP, refined",
    family: Family::LossAndDelay,
    source: "Zhang, Hasegawa, Murata: Experimental Evaluations of Gentle HighSpeed TCP for \
             Long-Fat Networks, section 3.2",
    equations: "\
as ghstcp, but the mean RTT of a window of segments chooses the mode of the next one:
  RTT < RTT_min + s_low RTT_std:    HSTCP mode
  RTT >= RTT_min + s_high RTT_std:  Reno mode
  between:                          by the trend (Z > z: Reno mode)
RTT_min: smallest mean of a window, RTT_std: standard deviation of the RTTs, both in
the sample cycle, which begins with a loss",
    differs: "\
The paper measures \"in a sample cycle between two loss events\". We use the \
current cycle, as far as it has gone. last_cycle = 1 uses the last complete \
cycle, and the trend alone until there is one. In a complete cycle RTTs climb \
with the queue up to the loss, so RTT_std is large and the upper threshold is above \
the RTT at a full buffer. Script: ghstcp_refined_last_cycle.
RTT is the mean over a window of segments, which is how the paper plots RTTs too \
(Fig. 5). Script: ghstcp_refined.
A mean equal to RTT_min gives HSTCP mode, even if RTT_std is 0: a constant RTT is \
not a sign of a queue. Script: ghstcp_refined.
What `tusker explain ghstcp` says in the same section about windows, pairs, \
retransmissions and the decrease applies too.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux { load: Some("ghstcp --refined"), ..Linux::NONE },
    losses: LOSSES,
    look: Look { hue: 0, dash: 1 },
    states: Mode::NAMES,
    params: GhstcpRefinedParams::LIST,
};

params! { pub(super) struct GhstcpRefinedParams {
    z: f64 as in GhstcpParams,
    /// standard deviations above RTT_min below which the mode is HSTCP
    s_low: f64 = 2.0 in 0.0..=20.0,
    /// standard deviations above RTT_min from which the mode is Reno
    s_high: f64 = 4.0 in 0.0..=20.0,
    /// use RTT_min and RTT_std of the last complete cycle instead of the current one
    last_cycle: bool = false,
    count_pairs: bool as in GhstcpParams,
    high_speed: HighSpeedParams,
} }

/// The round trips between two losses, relative to the first, in nanoseconds.
#[derive(Clone, Debug, Default)]
struct Cycle {
    first: Duration,
    count: f64,
    sum: f64,
    squares: f64,
    /// Smallest mean of a window.
    min: Option<f64>,
}

impl Cycle {
    #[inline]
    fn push(&mut self, rtt: Duration) {
        if self.count == 0.0 {
            self.first = rtt;
        }
        let t = rtt.nanos().wrapping_sub(self.first.nanos()).cast_signed() as f64;
        self.count += 1.0;
        self.sum += t;
        self.squares += t * t;
    }

    /// `RTT_min` and `RTT_std` in seconds, once a window is complete.
    fn measured(&self) -> Option<(f64, f64)> {
        let mean = self.sum / self.count.max(1.0);
        let variance = (self.squares / self.count.max(1.0) - mean * mean).max(0.0);
        self.min.map(|min| (min, libm::sqrt(variance) * 1e-9))
    }
}

/// Refined gHSTCP in congestion avoidance.
pub type GhstcpRefined = Gentle<ByRtt>;

/// The mean RTT of a window decides; where it is inconclusive, the trend does.
#[derive(Clone, Debug)]
pub struct ByRtt {
    params: GhstcpRefinedParams,
    cycle: Cycle,
    /// `RTT_min` and `RTT_std` of the last complete cycle.
    last: Option<(f64, f64)>,
    rtt: f64,
    thresholds: (f64, f64),
    z: f64,
}

impl GhstcpRefined {
    pub(super) fn new(params: GhstcpRefinedParams) -> Self {
        let by_rtt = ByRtt {
            params,
            cycle: Cycle::default(),
            last: None,
            rtt: 0.0,
            thresholds: (0.0, 0.0),
            z: 0.0,
        };
        Self::deciding(by_rtt, params.high_speed, params.count_pairs)
    }
}

impl Decide for ByRtt {
    fn decide(&mut self, trend: &Trend) -> Mode {
        self.rtt = trend.mean();
        let min = self.cycle.min.map_or(self.rtt, |min| min.min(self.rtt));
        self.cycle.min = Some(min);
        self.z = trend.correlation().and_then(|r| trend.fisher_z(r)).unwrap_or(0.0);
        let by_trend = if self.z > self.params.z { Mode::Reno } else { Mode::Hstcp };
        let cycle = if self.params.last_cycle { self.last } else { self.cycle.measured() };
        let Some((min, std)) = cycle else { return by_trend };
        self.thresholds = (min + self.params.s_low * std, min + self.params.s_high * std);
        if self.rtt <= min || self.rtt < self.thresholds.0 {
            Mode::Hstcp
        } else if self.rtt < self.thresholds.1 {
            by_trend
        } else {
            Mode::Reno
        }
    }

    #[inline]
    fn pair(&mut self, rtt: Duration) {
        self.cycle.push(rtt);
    }

    /// The sample cycle ends.
    fn retransmitted(&mut self) {
        self.last = self.cycle.measured().or(self.last);
        self.cycle = Cycle::default();
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("rtt_ms", self.rtt * 1e3);
        see("low_ms", self.thresholds.0 * 1e3);
        see("high_ms", self.thresholds.1 * 1e3);
        see("z", self.z);
    }
}
