//! The retransmission timeout of RFC 6298, and those of ns-2 and Linux.
//!
//! Linux (`tcp_rtt_estimator` in `tcp_input.c`) takes a sample from every ACK with the RFC's
//! 1/8 and 1/4, so SRTT follows the path within a few ACKs. For the timeout it takes the
//! largest mean deviation of each round trip, at least `granularity` (200 ms), which falls by
//! a quarter per round trip at most; a deviation towards shorter round trips counts an eighth
//! if it exceeds the mean deviation.
//!
//! ns-2.35 (`tcp.cc`) measures in ticks, the number of clock boundaries crossed, and keeps 8
//! SRTT and 4 RTTVAR as integers. RTTVAR therefore never falls below 3/4 of a tick, and the
//! timeout of a steady path is SRTT + 3 ticks. After a backoff above 8 it forgets SRTT. ns-2
//! draws a random clock phase for each flow; here all flows use the simulation's clock, but
//! they start at random times.

use tusker_core::{Duration, Time};

/// Smoothed round-trip time and the timeout that follows from it.
#[derive(Clone, Debug)]
pub struct RtoEstimator {
    srtt: f64,
    rttvar: f64,
    base: f64,
    backoff: u32,
    min: f64,
    max: f64,
    granularity: f64,
    /// The resulting timeout, which is needed at every ACK.
    rto: Duration,
    smoothed: Option<Duration>,
    ticks: Option<Ticks>,
    linux: Option<Deviation>,
}

/// Linux's deviations, in seconds; times four, as there.
#[derive(Clone, Copy, Debug, Default)]
struct Deviation {
    /// `mdev_us`.
    mean: f64,
    /// `mdev_max_us`: the largest of this round trip.
    most: f64,
    /// `rttvar_us`.
    var: f64,
    /// `rtt_seq`: the round trip ends when more than this is acknowledged.
    round_end: u64,
}

impl Deviation {
    /// A round trip of `rtt` seconds, when `una` is SND.UNA and `next` is SND.NXT; `srtt`
    /// is the mean before it.
    fn sample(&mut self, rtt: f64, srtt: f64, least: f64, una: u64, next: u64) {
        if srtt == 0.0 {
            // four times half the first sample
            self.mean = 2.0 * rtt;
            self.var = self.mean.max(least);
            (self.most, self.round_end) = (self.var, next);
            return;
        }
        let error = rtt - srtt;
        let mut more = error.abs() - self.mean / 4.0;
        if error < 0.0 && more > 0.0 {
            more /= 8.0;
        }
        self.mean += more;
        if self.mean > self.most {
            self.most = self.mean;
            self.var = self.var.max(self.most);
        }
        if una > self.round_end {
            if self.most < self.var {
                self.var -= (self.var - self.most) / 4.0;
            }
            (self.most, self.round_end) = (least, next);
        }
    }
}

/// How the timeout is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// As RFC 6298 says.
    Rfc,
    /// As in ns-2, with the granularity as the tick.
    Ns2,
    /// As in Linux.
    Linux,
}

/// ns-2's integers, in ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Ticks {
    /// Nanoseconds.
    tick: u64,
    srtt8: i64,
    rttvar4: i64,
}

impl Ticks {
    fn sample(&mut self, rtt: Duration, sent: Time) {
        let crossed = (rtt.nanos() + sent.nanos() % self.tick) / self.tick;
        let m = crossed.max(1) as i64;
        if self.srtt8 == 0 {
            self.srtt8 = 8 * m;
            self.rttvar4 = 2 * m;
            return;
        }
        let d = m - (self.srtt8 >> 3);
        // srtt8 > 0 keeps the first branch for first samples
        self.srtt8 = (self.srtt8 + d).max(1);
        self.rttvar4 = (self.rttvar4 + d.abs() - (self.rttvar4 >> 2)).max(1);
    }

    fn rto(&self) -> f64 {
        let ticks = ((self.rttvar4 << 3) + self.srtt8) >> 3;
        // never less than two
        (ticks.max(2) as u64 * self.tick) as f64 * 1e-9
    }
}

/// RFC 6298, section 2.3: alpha, beta and K.
const ALPHA: f64 = 1.0 / 8.0;
const BETA: f64 = 1.0 / 4.0;
const K: f64 = 4.0;

impl RtoEstimator {
    /// An estimator without samples. Section 2.1: until the first sample, the RTO is
    /// `initial`.
    pub fn new(
        initial: Duration,
        min: Duration,
        max: Duration,
        granularity: Duration,
        rule: Rule,
    ) -> Self {
        let tick = granularity.nanos().max(1);
        let mut estimator = Self {
            srtt: 0.0,
            rttvar: 0.0,
            base: initial.secs(),
            backoff: 0,
            min: min.secs(),
            max: max.secs(),
            granularity: granularity.secs(),
            rto: initial,
            smoothed: None,
            ticks: (rule == Rule::Ns2).then(|| Ticks { tick, ..Ticks::default() }),
            linux: (rule == Rule::Linux).then(Deviation::default),
        };
        estimator.settle();
        estimator
    }

    /// Processes a sample. `per_round` is how many samples a round trip gives: RFC 7323,
    /// appendix G divides alpha and beta by it, so that many samples do not shorten the
    /// memory. `sent` is when the segment left.
    pub fn sample(&mut self, rtt: Duration, per_round: f64, sent: Time) {
        let r = rtt.secs();
        if self.srtt == 0.0 {
            // Section 2.2: the first sample.
            self.srtt = r;
            self.rttvar = r / 2.0;
        } else {
            // Section 2.3: RTTVAR before SRTT.
            let (alpha, beta) = (ALPHA / per_round, BETA / per_round);
            self.rttvar += beta * ((self.srtt - r).abs() - self.rttvar);
            self.srtt += alpha * (r - self.srtt);
        }
        self.base = self.srtt + (K * self.rttvar).max(self.granularity);
        if let Some(ticks) = &mut self.ticks {
            ticks.sample(rtt, sent);
            self.base = ticks.rto();
        }
        self.sampled();
    }

    /// Processes a sample as Linux does; `una` is SND.UNA after the ACK, `next` is SND.NXT.
    pub fn sample_linux(&mut self, rtt: Duration, una: u64, next: u64) {
        let Some(deviation) = &mut self.linux else { return };
        let r = rtt.secs();
        deviation.sample(r, self.srtt, self.granularity, una, next);
        self.srtt = if self.srtt == 0.0 { r } else { self.srtt + ALPHA * (r - self.srtt) };
        self.base = self.srtt + deviation.var;
        self.sampled();
    }

    /// Section 5: "once a new RTT measurement is obtained", the backoff ends.
    fn sampled(&mut self) {
        self.backoff = 0;
        self.smoothed = Some(Duration::from_secs(self.srtt));
        self.settle();
    }

    /// SRTT, once there is a sample.
    #[inline]
    pub fn srtt(&self) -> Option<Duration> {
        self.smoothed
    }

    /// The timeout with its backoff.
    #[inline]
    pub fn rto(&self) -> Duration {
        self.rto
    }

    /// Section 5.5: the timer expired, "back off the timer".
    pub fn back_off(&mut self) {
        self.backoff += 1;
        if let Some(ticks) = &mut self.ticks
            && self.backoff > 3
        {
            // more than 8 times
            ticks.rttvar4 += ticks.srtt8 >> 3;
            ticks.srtt8 = 0;
        }
        self.settle();
    }

    /// The backoff ends without a sample.
    pub fn end_backoff(&mut self) {
        self.backoff = 0;
        self.settle();
    }

    /// Sections 2.4 and 2.5: bounds.
    fn settle(&mut self) {
        let doubled = (1_i64 << self.backoff.min(32)) as f64;
        let backed_off = self.base.max(self.min) * doubled;
        self.rto = Duration::from_secs(backed_off.min(self.max));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn rto_by_hand() {
        let mut rto = RtoEstimator::new(ms(1000), ms(200), ms(60_000), ms(1), Rule::Rfc);
        assert_eq!(rto.rto(), ms(1000));
        // first sample 100 ms: SRTT 100, RTTVAR 50, RTO 100 + 4 * 50 = 300
        rto.sample(ms(100), 1.0, Time::ZERO);
        assert_eq!(rto.rto(), ms(300));
        // 180 ms: RTTVAR 3/4*50 + 1/4*80 = 57.5, SRTT 7/8*100 + 1/8*180 = 110, RTO 340
        rto.sample(ms(180), 1.0, Time::ZERO);
        assert_eq!(rto.rto(), ms(340));
    }

    #[test]
    fn ns2_counts_ticks() {
        let mut rto = RtoEstimator::new(ms(3000), ms(200), ms(60_000), ms(10), Rule::Ns2);
        // 104 ms from 0 crosses 10 boundaries: 8 SRTT = 80, 4 RTTVAR = 20,
        // RTO = (8 * 20 + 80) / 8 = 30 ticks
        rto.sample(ms(104), 1.0, Time::ZERO);
        assert_eq!(rto.rto(), ms(300));
        // a steady path: 4 RTTVAR ends at 3, RTO = SRTT + 3 ticks, here 13; the lower bound
        // is 200 ms
        (0..50).for_each(|_| rto.sample(ms(104), 1.0, Time::ZERO));
        assert_eq!(rto.rto(), ms(200));
        (0..200).for_each(|_| rto.sample(ms(304), 1.0, Time::ZERO));
        assert_eq!(rto.rto(), ms(330));
        // sixteen times is more than eight: the next sample is a first one, 40
        // ticks: (8 * 80 + 320) / 8 = 120
        (0..4).for_each(|_| rto.back_off());
        assert_eq!(rto.rto(), ms(16 * 330));
        rto.sample(ms(404), 1.0, Time::ZERO);
        assert_eq!(rto.rto(), ms(1200));
    }

    /// `tcp_rtt_estimator`: 1/8 and 1/4 for every sample, and the largest deviation of a
    /// round trip, at least 200 ms.
    #[test]
    fn linux_keeps_the_largest_deviation_of_a_round_trip() {
        let mut rto = RtoEstimator::new(ms(1000), ms(200), ms(60_000), ms(200), Rule::Linux);
        // SRTT 160, four deviations 320: RTO = 160 + 320
        rto.sample_linux(ms(160), 1, 10);
        assert_eq!(rto.rto(), ms(480));
        // 7/8*160 + 1/8*240 = 170; deviation 320 + 80 - 320/4 = 320: 170 + 320
        rto.sample_linux(ms(240), 2, 11);
        assert_eq!((rto.srtt(), rto.rto()), (Some(ms(170)), ms(490)));
        // 8 times 170: the deviation falls by a quarter each time, the largest stays
        (3..11).for_each(|una| rto.sample_linux(ms(170), una, 12));
        assert_eq!(rto.rto(), ms(490));
        // the round trip is over: 320 was still its largest, so nothing falls yet
        rto.sample_linux(ms(170), 11, 20);
        assert_eq!(rto.rto(), ms(490));
        // in the next one the largest is 200: 320 - (320 - 200)/4 = 290
        rto.sample_linux(ms(170), 21, 30);
        assert_eq!(rto.rto(), ms(460));
        // 80 ms shorter, which hardly adds to the deviation: 7/8*170 + 1/8*90 = 160
        rto.sample_linux(ms(90), 22, 30);
        assert_eq!((rto.srtt(), rto.rto()), (Some(ms(160)), ms(450)));
    }

    #[test]
    fn backoff_doubles_to_the_bound_and_ends_with_a_sample() {
        let mut rto = RtoEstimator::new(ms(1000), ms(200), ms(3_000), ms(1), Rule::Rfc);
        rto.back_off();
        assert_eq!(rto.rto(), ms(2000));
        rto.back_off();
        assert_eq!(rto.rto(), ms(3000));
        // 300 + 4 * 150 = 900
        rto.sample(ms(300), 1.0, Time::ZERO);
        assert_eq!(rto.rto(), ms(900));
    }

    #[test]
    fn a_steady_rtt_keeps_min_and_granularity() {
        let mut rto = RtoEstimator::new(ms(1000), ms(200), ms(60_000), ms(100), Rule::Rfc);
        (0..200).for_each(|_| rto.sample(ms(50), 1.0, Time::ZERO));
        // RTTVAR -> 0: max(G, 4 RTTVAR) = 100, 50 + 100 = 150 < 200
        assert_eq!(rto.rto(), ms(200));
        (0..200).for_each(|_| rto.sample(ms(150), 1.0, Time::ZERO));
        // 150 + G = 250, RTTVAR having decayed to nothing again
        assert!(rto.rto().nanos().abs_diff(ms(250).nanos()) < 1_000);
    }
}
