//! Gentle HighSpeed TCP: HighSpeed while round trips do not lengthen, Reno
//! while they do.
//!
//! Source: "Performance Analysis and Improvement of HighSpeed TCP with
//! TailDrop/RED Routers" (Zhang, Hasegawa, Murata), section 3.2.
//!
//! ```text
//!                     Z > z over one window of segments
//!            +------------+ ------------------------> +-----------+
//!   start -->| HSTCP mode |                           | Reno mode |
//!            | a = a(w)   | <------------------------ | a = 1     |
//!            +------------+  Z <= z, or a             +-----------+
//!                            retransmission
//! ```
//!
//! Lengthening round trips mean that segments queue up at the bottleneck: the link
//! is fully used, and a flow that keeps growing at HighSpeed's rate only takes
//! bandwidth from the Reno flows beside it. The decrease is HighSpeed's in both
//! modes.

use super::gentle::{Decide, Gentle, Mode};
use super::hstcp::{self, HighSpeedParams};
use super::trend::Trend;
use crate::params::{Bound, Family, Linux, Look, Losses, Period, Sheet};
use crate::table::params;

pub(super) const SHEET: Sheet = Sheet {
    name: "ghstcp",
    title: "Gentle HighSpeed TCP",
    family: Family::LossAndDelay,
    source: "Zhang, Hasegawa, Murata: Performance Analysis and Improvement of HighSpeed TCP \
             with TailDrop/RED Routers, section 3.2",
    equations: "\
per ACK:   w <- w + a/w,  a = a(w) of hstcp in HSTCP mode, 1 in Reno mode
per loss:  w <- (1 - b(w)) w,  b(w) of hstcp in both modes
once per window of N = w segments, from its n pairs of departure time d and RTT t:
  r = sum (d - mean d)(t - mean t) / sqrt(sum (d - mean d)^2 sum (t - mean t)^2)
  Z = 1/2 ln((1 + r)/(1 - r)) sqrt(n - 3),  n = N if every segment is acknowledged
  Z > z: Reno mode;  otherwise: HSTCP mode
a retransmission: HSTCP mode",
    differs: "\
The paper prints a single square root of a sum of products as the denominator of \
r, which does not give a correlation coefficient. We use the correlation \
coefficient. Test: by_hand (trend).
An ACK gives one pair, so with delayed ACKs n is about N/2. The paper has N in Z: it \
assumes a pair for each packet. Fisher's Z is standard normal only with the number \
of pairs. With count_pairs = 1 a window ends after N pairs, which are 2 N segments \
with delayed ACKs. Script: ghstcp_delayed_acks.
The paper does not say where windows begin. Here windows follow one another \
without overlap, and N is cwnd at the first pair. Pairs are taken only in \
congestion avoidance, because what slow start and recovery do to the queue is \
not a trend. Test: pairs_are_taken_in_congestion_avoidance_only.
If r is undefined (the RTT does not change) or n <= 3, there is no evidence of a \
trend, and the mode is HSTCP. Test: a_constant_rtt_is_no_trend.
A mark has the same effect as a loss, on the mode too. A timeout retransmits, so \
it also ends Reno mode. Test: a_retransmission_ends_reno_mode.
What `tusker explain hstcp` says in the same section about a(w), b(w) and halving \
applies too, because in the paper gHSTCP takes these from HSTCP.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux { load: Some("ghstcp"), ..Linux::NONE },
    losses: LOSSES,
    look: Look { hue: 0, dash: 0 },
    states: Mode::NAMES,
    params: GhstcpParams::LIST,
};

params! { pub(super) struct GhstcpParams {
    /// threshold of Z for a trend; with 3.09, one window in 1,000 without a trend exceeds it
    z: f64 = 3.09 in 0.0..=10.0,
    /// a window ends after N pairs instead of N acknowledged packets
    count_pairs: bool = false,
    high_speed: HighSpeedParams,
} }

/// Without a trend it is HSTCP. It never grows faster, and never gives way to more.
pub(super) const LOSSES: Losses = Losses {
    window: Some(hstcp::mean_window),
    period: Some(Period {
        law: "gHSTCP",
        seconds: hstcp::period,
        bound: Bound::AtLeast,
        proportional: false,
    }),
    ..Losses::UNKNOWN
};

/// Gentle HighSpeed TCP in congestion avoidance.
pub type Ghstcp = Gentle<ByTrend>;

/// The trend of a window's round trips decides.
#[derive(Clone, Debug)]
pub struct ByTrend {
    z_threshold: f64,
    r: f64,
    z: f64,
}

impl Ghstcp {
    pub(super) fn new(params: GhstcpParams) -> Self {
        let by_trend = ByTrend { z_threshold: params.z, r: 0.0, z: 0.0 };
        Self::deciding(by_trend, params.high_speed, params.count_pairs)
    }
}

impl Decide for ByTrend {
    fn decide(&mut self, trend: &Trend) -> Mode {
        let r = trend.correlation();
        self.r = r.unwrap_or(0.0);
        self.z = r.and_then(|r| trend.fisher_z(r)).unwrap_or(0.0);
        if self.z > self.z_threshold { Mode::Reno } else { Mode::Hstcp }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("r", self.r);
        see("z", self.z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::{
        Ack, Congestion, Controller, Decisions, Modes, Options, Rtt, Signal, Timeout, TwoModes,
        Windowed,
    };
    use crate::units::{Duration, Time};

    /// A connection at `cwnd` in congestion avoidance, and its clock in us.
    struct Bench(Windowed<Ghstcp>, u64);

    impl Bench {
        fn at(cwnd: f64, ssthresh: f64) -> Self {
            let options =
                Options { initial_window: cwnd, initial_ssthresh: ssthresh, ..Options::default() };
            let law = Ghstcp::new(GhstcpParams::default());
            Self(Windowed::new(law, &options), 1_000_000)
        }

        /// `count` segments, sent 10 us apart, with round trips of 100 ms that
        /// change by `slope` us each.
        fn acks(&mut self, count: u64, slope: i64) {
            for i in 0..count {
                self.1 += 10;
                let rtt = Duration::from_nanos(1_000 * (100_000 + slope * i as i64) as u64);
                let departed = Time::from_nanos(1_000 * self.1);
                self.0.on_ack(&Ack {
                    now: departed + rtt,
                    acked: 1,
                    credit: 1.0,
                    in_flight: 100,
                    rtt: Some(Rtt { latest: rtt, smoothed: rtt, min: rtt, forward: None }),
                    departed,
                    round_start: false,
                    cwnd_limited: true,
                    ..Ack::default()
                });
            }
        }

        fn mode(&self) -> f64 {
            let mut mode = None;
            self.0.inspect(&mut |name, value| {
                if name == "mode" {
                    mode = Some(value);
                }
            });
            mode.unwrap()
        }

        fn loss(&mut self) {
            let flight = self.0.cwnd() as u32;
            self.0.on_congestion(&Congestion { now: Time::ZERO, signal: Signal::Loss, flight });
        }
    }

    #[test]
    fn a_window_of_rising_round_trips_changes_to_reno() {
        let mut bench = Bench::at(1_000.0, 2.0);
        bench.acks(999, 1);
        assert_eq!(bench.mode(), 0.0);
        bench.acks(1, 1_000);
        assert_eq!(bench.mode(), 1.0);
        // from here on the window grows by 1/w per ACK
        let w = bench.0.cwnd();
        bench.acks(1, 0);
        assert_eq!(bench.0.cwnd(), w + 1.0 / w);
        // N is the window at the first pair of the second window of pairs
        bench.acks(w as u64 - 2, -1);
        assert_eq!(bench.mode(), 1.0);
        bench.acks(1, -1);
        assert_eq!(bench.mode(), 0.0);
    }

    /// a(100) = 1.80: three windows of segments end with 101.8, 102.8 and 104.6.
    #[test]
    fn decisions_are_counted_and_retransmissions_are_not() {
        let mut bench = Bench::at(100.0, 2.0);
        bench.0.watch(104.0);
        bench.acks(100, 1); // to Reno mode
        bench.acks(bench.0.cwnd() as u64, -1); // back to HSTCP mode
        let below = Decisions { made: 2, gentle: 1, switches: 2 };
        assert_eq!(bench.0.modes(), Modes { below, ..Modes::default() });
        bench.acks(bench.0.cwnd() as u64, 1); // to Reno mode
        let above = Decisions { made: 1, gentle: 1, switches: 1 };
        assert_eq!(bench.0.modes(), Modes { below, above });
        bench.loss();
        assert_eq!(bench.mode(), 0.0);
        assert_eq!(bench.0.modes(), Modes { below, above });
    }

    #[test]
    fn a_constant_rtt_is_no_trend() {
        let mut bench = Bench::at(100.0, 2.0);
        bench.acks(100, 1);
        assert_eq!(bench.mode(), 1.0);
        bench.acks(200, 0);
        assert_eq!(bench.mode(), 0.0);
        // and neither are three pairs
        let mut bench = Bench::at(3.0, 2.0);
        bench.acks(3, 1_000);
        assert_eq!(bench.mode(), 0.0);
    }

    #[test]
    fn a_retransmission_ends_reno_mode() {
        let mut bench = Bench::at(100.0, 2.0);
        bench.acks(100, 1);
        assert_eq!(bench.mode(), 1.0);
        bench.loss();
        assert_eq!(bench.mode(), 0.0);

        let mut bench = Bench::at(100.0, 2.0);
        bench.acks(100, 1);
        assert_eq!(bench.mode(), 1.0);
        bench.0.on_timeout(&Timeout { now: Time::ZERO, flight: 100, in_flight: 0, first: true });
        assert_eq!(bench.mode(), 0.0);
        assert_eq!(bench.0.cwnd(), 1.0);
    }

    #[test]
    fn a_loss_takes_b_in_both_modes() {
        // b(1000) = 0.5 - 0.4 ln(1000/38)/ln(83000/38) = 0.5 - 0.4 * 3.270169/7.689010
        //         = 0.329878
        for slope in [1, -1] {
            let mut bench = Bench::at(1_000.0, 2.0);
            bench.acks(1_000, slope);
            bench.0.on_congestion(&Congestion {
                now: Time::ZERO,
                signal: Signal::Loss,
                flight: 1_000,
            });
            assert!((bench.0.cwnd() - 670.122).abs() < 1e-3, "{}", bench.0.cwnd());
        }
    }

    #[test]
    fn pairs_are_taken_in_congestion_avoidance_only() {
        // in slow start
        let mut bench = Bench::at(10.0, 100.0);
        bench.acks(90, 1);
        assert_eq!(bench.0.cwnd(), 100.0);
        bench.acks(99, 0);
        assert_eq!(bench.mode(), 0.0);
        // in recovery
        let mut bench = Bench::at(1_000.0, 2.0);
        bench.loss();
        bench.acks(5_000, 1);
        bench.0.on_recovered(Time::ZERO);
        assert_eq!(bench.mode(), 0.0);
        // pairs from before a loss are forgotten
        let mut bench = Bench::at(200.0, 2.0);
        bench.acks(199, 1);
        bench.loss();
        bench.0.on_recovered(Time::ZERO);
        bench.acks(50, 1);
        assert_eq!(bench.mode(), 0.0);
    }
}
