//! How Linux's module recognises a policer (`lt_bw`: the long-term estimator of
//! net/ipv4/tcp_bbr.c). A policer drops what exceeds its rate and queues nothing, so that BBR
//! would go on losing a share of what it sends.
//!
//! ```text
//! interval  from one loss to another one, 4 to 16 round trips
//! lossy     lost >= 50/256 delivered
//! policer   two lossy intervals in a row whose rates differ by 1/8 or 4 kbit/s at most:
//!           BtlBw <- the mean of both for 48 round trips of ProbeBW, with a pacing gain of 1
//! ```

use super::{Ack, Bbr1, RateSample, State};
use crate::units::{Bytes, Time};

/// `bbr_lt_intvl_min_rtts`, and four times as many at most.
const INTERVAL: core::ops::RangeInclusive<u32> = 4..=16;

/// `bbr_lt_loss_thresh`: 50 lost of 256 delivered.
const LOST: u64 = 50;
const DELIVERED: u64 = 256;

/// `bbr_lt_bw_ratio`, and `bbr_lt_bw_diff` in bytes per second.
const NEAR: f64 = 1.0 / 8.0;
const NEAR_BYTES: f64 = 4_000.0 / 8.0;

/// `bbr_lt_bw_max_rtts`.
const ROUNDS: u32 = 48;

/// What is known of a policer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Policer {
    /// An interval is being measured.
    sampling: bool,
    /// The rate of the last lossy interval, or the mean of the last two; segments per second.
    rate: Option<f64>,
    /// The path has a policer with that rate.
    found: bool,
    /// Round trips of the interval, or since the policer was found.
    rounds: u32,
    /// When the interval began.
    from: Counts,
}

/// Counts of the connection.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Whole milliseconds, as Linux counts here.
    ms: u64,
    delivered: u64,
    lost: u64,
}

/// One ACK.
#[derive(Clone, Copy, Debug)]
struct Seen {
    now: Counts,
    round_start: bool,
    losses: bool,
    app_limited: bool,
    in_probe_bw: bool,
    segment: Option<Bytes>,
}

/// What an ACK says about a policer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Nothing,
    Found,
    /// The rate has been used for long enough.
    Over,
}

impl Policer {
    /// Its rate in segments per second, if there is one.
    pub(super) fn rate(&self) -> Option<f64> {
        self.rate.filter(|_| self.found)
    }

    fn begin(&mut self, now: Counts) {
        self.from = now;
        self.rounds = 0;
    }

    fn update(&mut self, seen: &Seen) -> News {
        self.rounds += u32::from(seen.round_start && (!self.found || seen.in_probe_bw));
        if self.found {
            if self.rounds < ROUNDS {
                return News::Nothing;
            }
            *self = Self::default();
            return News::Over;
        }
        if !self.sampling {
            // the tokens that a policer has saved are used up at its first loss
            if !seen.losses {
                return News::Nothing;
            }
            self.begin(seen.now);
            self.sampling = true;
            self.rounds = u32::from(seen.round_start);
        }
        if seen.app_limited || self.rounds > *INTERVAL.end() {
            *self = Self::default();
        }
        if !self.sampling || self.rounds < *INTERVAL.start() || !seen.losses {
            return News::Nothing;
        }
        let delivered = seen.now.delivered.saturating_sub(self.from.delivered);
        let lost = seen.now.lost.saturating_sub(self.from.lost);
        let ms = seen.now.ms.saturating_sub(self.from.ms);
        if delivered == 0 || DELIVERED * lost < LOST * delivered || ms == 0 {
            return News::Nothing;
        }
        self.interval_ends(1e3 * delivered as f64 / ms as f64, seen)
    }

    fn interval_ends(&mut self, rate: f64, seen: &Seen) -> News {
        if let Some(last) = self.rate {
            let apart = (rate - last).abs();
            let paced = |segment: Bytes| super::linux::MARGIN * apart * segment.get() as f64;
            if apart <= NEAR * last || seen.segment.is_some_and(|s| paced(s) <= NEAR_BYTES) {
                self.rate = Some((rate + last) / 2.0);
                self.found = true;
                self.rounds = 0;
                return News::Found;
            }
        }
        self.rate = Some(rate);
        self.begin(seen.now);
        News::Nothing
    }
}

impl Bbr1 {
    /// What the path gives, in segments per second: the rate of a policer, else BtlBw.
    pub(super) fn bandwidth(&self) -> f64 {
        self.policer.rate().unwrap_or_else(|| self.btlbw.get())
    }

    /// `bbr_lt_bw_sampling`.
    pub(super) fn watch_for_policer(&mut self, ack: &Ack, rate: &RateSample) {
        let seen = Seen {
            now: Counts { ms: millis(ack.now), delivered: self.delivered, lost: self.lost },
            round_start: self.round_start,
            losses: ack.lost > 0,
            app_limited: self.is_app_limited(rate),
            in_probe_bw: self.state == State::ProbeBw,
            segment: self.segment,
        };
        match self.policer.update(&seen) {
            News::Nothing => {}
            News::Found if self.state == State::ProbeBw => self.pacing_gain = 1.0,
            News::Found => {}
            News::Over => self.enter_probe_bw(ack.now),
        }
    }
}

fn millis(time: Time) -> u64 {
    time.nanos() / 1_000_000
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::super::Bbr1Params;
    use super::*;
    use crate::congestion::{Controller as _, Options, Rtt};
    use crate::units::Duration;

    /// A flow on a path with a policer: an ACK every 100 ms, each a round trip.
    struct Policed {
        policer: Policer,
        now: Counts,
    }

    impl Policed {
        fn new() -> Self {
            Self { policer: Policer::default(), now: Counts::default() }
        }

        fn round(&mut self, delivered: u64, lost: u64) -> News {
            self.now.ms += 100;
            self.now.delivered += delivered;
            self.now.lost += lost;
            self.policer.update(&Seen {
                now: self.now,
                round_start: true,
                losses: lost > 0,
                app_limited: false,
                in_probe_bw: true,
                segment: Some(Bytes::new(1_500)),
            })
        }

        fn rounds(&mut self, count: u32, delivered: u64, lost: u64) -> Vec<News> {
            (0..count).map(|_| self.round(delivered, lost)).collect()
        }
    }

    /// The first loss starts an interval whose first round trip is its own; it ends with the
    /// third one after: 300 segments in 0.3 s, of which 75 are lost in addition, 25 % >= 50/256.
    /// The next is four: 380 in 0.4 s. They differ by 50 <= 1000/8, and the mean is 975.
    #[test]
    fn two_lossy_intervals_are_a_policer() {
        let mut flow = Policed::new();
        assert_eq!(flow.rounds(8, 100, 0), [News::Nothing; 8]);
        assert_eq!(flow.rounds(4, 100, 25), [News::Nothing; 4]);
        assert_eq!((flow.policer.rate, flow.policer.rate()), (Some(1_000.0), None));
        assert_eq!(flow.rounds(3, 95, 24), [News::Nothing; 3]);
        assert_eq!(flow.round(95, 24), News::Found);
        assert_eq!(flow.policer.rate(), Some(975.0));
        // for 48 round trips, whatever happens
        assert_eq!(flow.rounds(47, 95, 40), [News::Nothing; 47]);
        assert_eq!(flow.round(95, 40), News::Over);
        assert_eq!(flow.policer.rate(), None);
    }

    /// 50/256 of 400 is 78.1: 76 lost are too few, 80 are not.
    #[test]
    fn an_interval_is_lossy_from_50_of_256_on() {
        for (lost, lossy) in [(19, false), (20, true)] {
            let mut flow = Policed::new();
            flow.round(100, 1);
            flow.rounds(4, 100, lost);
            assert_eq!(flow.policer.rate.is_some(), lossy, "{lost}");
        }
    }

    /// 1000/8 = 125; below that 4 kbit/s are 500 bytes/s, 0.34 segments of 1,500 paced at 99 %:
    /// 0.3 segments per second lie within, 0.4 do not, where an eighth is 0.125.
    #[test]
    fn rates_that_differ_are_no_policer() {
        for (first, second, near) in
            [(1_000.0, 875.0, true), (1_000.0, 874.0, false), (1.0, 1.3, true), (1.0, 1.4, false)]
        {
            let mut policer = Policer { sampling: true, ..Policer::default() };
            let seen = Seen {
                now: Counts::default(),
                round_start: true,
                losses: true,
                app_limited: false,
                in_probe_bw: true,
                segment: Some(Bytes::new(1_500)),
            };
            assert_eq!(policer.interval_ends(first, &seen), News::Nothing);
            let found = policer.interval_ends(second, &seen) == News::Found;
            assert_eq!(found, near, "{first} {second}");
        }
    }

    /// More than 16 round trips, or an application that has nothing to send.
    #[test]
    fn an_interval_is_given_up() {
        let mut flow = Policed::new();
        flow.round(100, 1);
        flow.rounds(15, 100, 1);
        assert!(flow.policer.sampling);
        flow.round(100, 1);
        assert!(!flow.policer.sampling);
        flow.round(100, 1);
        let seen = Seen {
            now: flow.now,
            round_start: false,
            losses: false,
            app_limited: true,
            in_probe_bw: true,
            segment: None,
        };
        flow.policer.update(&seen);
        assert!(!flow.policer.sampling);
    }

    /// 1,000 segments of 1,500 bytes per second pass, and a fifth of what is sent is lost: 25 of
    /// 125. Linux paces 1 % slower than the 12 Mbit/s that pass. Without it, in ProbeBW, the
    /// gains go on.
    #[test]
    fn the_rate_of_the_policer_is_paced() {
        for lt_bw in [true, false] {
            let params = Bbr1Params { linux_details: true, lt_bw, ..Bbr1Params::default() };
            let options = Options { pacing: Some(Bytes::new(1_500)), ..Options::default() };
            let mut bbr = Bbr1::new(params, &options);
            let mut gains = Vec::new();
            let mut delivered = 0;
            for i in 1..60_u64 {
                let before = delivered;
                delivered += 100;
                let now = Time::ZERO + Duration::from_millis(100 * i);
                let rtt = Duration::from_millis(100);
                bbr.on_ack(&Ack {
                    now,
                    acked: 100,
                    lost: if i > 5 { 25 } else { 0 },
                    in_flight: 100,
                    leaves: now,
                    rtt: Some(Rtt { latest: rtt, smoothed: rtt, min: rtt, forward: None }),
                    rate: Some(RateSample {
                        delivered: 100,
                        interval: rtt,
                        prior_delivered: before,
                        total_delivered: delivered,
                        tx_in_flight: 125,
                        lost: 25,
                        app_limited: false,
                        dispersion: None,
                    }),
                    ..Ack::default()
                });
                gains.push(bbr.pacing_gain);
            }
            let last = &gains[20..50];
            assert_eq!(last.iter().all(|gain| *gain == 1.0), lt_bw, "{gains:?}");
            if lt_bw {
                assert_eq!(bbr.policer.rate(), Some(1_000.0));
                assert_eq!(bbr.pacing_rate.map(crate::units::Rate::bits_per_sec), Some(11_880_000));
            }
        }
    }
}
