//! FAST as in ns-2.35 (`tcp/tcp-fast.cc`), with which papers of its time compare their laws:
//! here are the times at which its window moves, how far it moves, and the averages on which
//! that is based.
//!
//! ```text
//!  RTT <- moving average, weight min(3/(segments in flight), 1/256) for the newest
//!  in every other round trip, each 10 ms:
//!    target = (1 - gamma) w + gamma (baseRTT/RTT w' + alpha), at least 2
//!    down at once; up by whole segments, one per ACK at most, over 10 ms
//!  w': what was in the network when the acknowledged segment was sent
//! ```
//!
//! Within a round trip in which the window moves, w' keeps its earlier value, so
//! the window covers nearly the whole distance, whatever gamma is: with six updates
//! and gamma = 1/2, 63/64 of it.

use super::delay::{Queuing, UpdateParams};
use super::{Ack, Window};
use crate::units::{Duration, Time};

/// `cwnd_update_period_` of ns-2.
const PERIOD: Duration = Duration::from_millis(10);

/// Samples of the amount in the network, over a round trip.
const KEPT: usize = 32;

/// The amount in the network when a segment left.
#[derive(Clone, Debug)]
struct History {
    seen: [(Time, u32); KEPT],
    /// Index of the next sample.
    next: usize,
    /// Minimum time between two samples.
    spacing: Duration,
}

impl History {
    fn new() -> Self {
        Self { seen: [(Time::ZERO, 0); KEPT], next: 0, spacing: PERIOD }
    }

    /// Takes a sample, but no more often than a round trip of `rtt` needs.
    fn push(&mut self, now: Time, in_flight: u32, rtt: Duration) {
        let last = self.seen[(self.next + KEPT - 1) % KEPT].0;
        if self.next > 0 && now.nanos() < last.nanos() + self.spacing.nanos() {
            return;
        }
        self.seen[self.next % KEPT] = (now, in_flight);
        self.next += 1;
        // use half of the slots for one round trip: the delay may double meanwhile
        let rare = Duration::from_nanos(rtt.nanos() / (KEPT as u64 / 2));
        self.spacing = if rare > PERIOD { rare } else { PERIOD };
    }

    /// The last sample at or before a time; the oldest if all are later.
    fn at(&self, time: Time) -> Option<u32> {
        let kept = self.next.min(KEPT);
        let back = |i: usize| self.seen[(self.next + KEPT - 1 - i) % KEPT];
        let found = (0..kept).map(back).find(|(seen, _)| *seen <= time);
        let oldest = kept.checked_sub(1).map(back);
        found.or(oldest).map(|(_, in_flight)| in_flight)
    }
}

/// When the window moves, and how far.
#[derive(Clone, Debug)]
pub(super) struct Ns2 {
    params: UpdateParams,
    history: History,
    /// The window moves in this round trip.
    moves: bool,
    /// When the round trip ends.
    ends: Time,
    /// ACKs of this round trip, and of the one before.
    acks: (u32, u32),
    /// When the window was last set.
    set: Time,
    /// Whole segments still to add, one at a time, and how many ACKs between them.
    left: u32,
    every: u32,
    since: u32,
}

impl Ns2 {
    pub(super) fn new(params: UpdateParams) -> Self {
        Self {
            params,
            history: History::new(),
            moves: true,
            ends: Time::ZERO,
            acks: (0, 0),
            set: Time::ZERO,
            left: 0,
            every: 0,
            since: 0,
        }
    }

    /// A sample, with ns-2's weight.
    pub(super) fn observe(&mut self, rtt: &mut Queuing, ack: &Ack) {
        let Some(sample) = ack.rtt else { return };
        let in_flight = f64::from(ack.in_flight.max(1));
        rtt.push(sample.latest, (3.0 / in_flight).min(1.0 / 256.0));
        self.history.push(ack.now, ack.in_flight, sample.latest);
        if ack.now > self.ends {
            self.ends = ack.now + sample.latest;
            self.moves = !self.moves;
            self.acks = (0, self.acks.0);
        }
        self.acks.0 += 1;
    }

    /// Given the path's base and average round trip, in seconds.
    pub(super) fn grow(&mut self, w: &mut Window, ack: &Ack, base: f64, rtt: f64) {
        if rtt - base < self.params.mi_threshold {
            w.cwnd += ack.credit;
            (self.set, self.left) = (ack.now, 0);
            return;
        }
        let due = ack.now.nanos() >= self.set.nanos() + PERIOD.nanos();
        if due && self.moves {
            let UpdateParams { alpha, gamma, .. } = self.params;
            let before = self.history.at(ack.departed).map_or(w.cwnd, f64::from);
            let aim = before * base / rtt + alpha;
            let target = ((1.0 - gamma) * w.cwnd + gamma * aim).max(2.0);
            if target < w.cwnd {
                (w.cwnd, self.left) = (target, 0);
            } else {
                self.left = (target - w.cwnd) as u32;
                let acks = f64::from(self.acks.1) * PERIOD.secs() / rtt;
                self.every = (acks / f64::from(self.left.max(1))) as u32;
                self.since = 0;
            }
            self.set = ack.now;
        }
        self.since += 1;
        if self.left > 0 && self.since >= self.every && ack.credit > 0.0 {
            w.cwnd += 1.0;
            (self.left, self.since) = (self.left - 1, 0);
        }
        w.ssthresh = w.ssthresh.min(w.cwnd);
    }

    /// After a cut: drops what was still to be added.
    pub(super) fn cut(&mut self, now: Time) {
        (self.left, self.set) = (0, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::Rtt;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// An ACK at a time of a segment that left a round trip of `rtt` ms before.
    fn ack(now: u64, rtt: u64, in_flight: u32) -> Ack {
        let latest = Duration::from_millis(rtt);
        let rtt = Some(Rtt { latest, smoothed: latest, min: latest, forward: None });
        let departed = ms(now - latest.nanos() / 1_000_000);
        Ack { now: ms(now), acked: 1, credit: 1.0, in_flight, rtt, departed, ..Ack::default() }
    }

    #[test]
    fn what_was_in_the_network_is_found_by_time() {
        let mut history = History::new();
        assert_eq!(history.at(ms(5)), None);
        for i in 0..100u32 {
            history.push(ms(10 * u64::from(i)), i, Duration::from_millis(100));
        }
        // 68 to 99 are kept, every 10 ms
        assert_eq!(history.at(ms(805)), Some(80));
        assert_eq!(history.at(ms(990)), Some(99));
        assert_eq!(history.at(ms(5)), Some(68));
        // nothing between two
        history.push(ms(995), 7, Duration::from_millis(100));
        assert_eq!(history.at(ms(999)), Some(99));
    }

    /// base 100 ms, RTT 125 ms, alpha 10, 100 in the network: the target is 100 *
    /// 0.8 + 10 = 90. From 100, halfway every 10 ms: 95, 92.5, 91.25.
    #[test]
    fn within_a_round_trip_it_goes_on_to_the_same_aim() {
        let params = UpdateParams { alpha: 10.0, gamma: 0.5, mi_threshold: 0.001 };
        let mut law = Ns2::new(params);
        let mut rtt = Queuing::new(0.1);
        let mut w = Window { cwnd: 100.0, ssthresh: 100.0 };
        // the first sample ends the first round trip: the window is frozen in the
        // next
        law.observe(&mut rtt, &ack(1000, 125, 100));
        law.grow(&mut w, &ack(1000, 125, 100), 0.1, 0.125);
        assert_eq!(w.cwnd, 100.0);
        for (now, cwnd) in [(1130, 95.0), (1140, 92.5), (1150, 91.25)] {
            let ack = ack(now, 125, 100);
            law.observe(&mut rtt, &ack);
            law.grow(&mut w, &ack, 0.1, 0.125);
            assert_eq!(w.cwnd, cwnd);
        }
        // and is frozen in the round trip after
        let late = ack(1260, 125, 91);
        law.observe(&mut rtt, &late);
        law.grow(&mut w, &late, 0.1, 0.125);
        assert_eq!(w.cwnd, 91.25);
    }

    /// RTT 101.5 ms: the aim is 100/1.015 + 50 = 148.5, the target from 100 is 124.26:
    /// 24 segments. 102 ACKs a round trip are 10.05 in 10 ms: one at every ACK.
    #[test]
    fn up_it_goes_by_a_segment_at_an_ack() {
        let params = UpdateParams { alpha: 50.0, gamma: 0.5, mi_threshold: 0.001 };
        let mut law = Ns2::new(params);
        let mut rtt = Queuing::new(0.1);
        let mut w = Window { cwnd: 100.0, ssthresh: 100.0 };
        law.observe(&mut rtt, &ack(1000, 102, 100));
        for now in 1001..1102 {
            law.observe(&mut rtt, &ack(now, 102, 100));
        }
        for now in 1103..1106 {
            let ack = ack(now, 102, 100);
            law.observe(&mut rtt, &ack);
            law.grow(&mut w, &ack, 0.1, 0.1015);
        }
        assert_eq!((w.cwnd, law.left, law.every), (103.0, 21, 0));
        // below the threshold it doubles per round trip
        law.grow(&mut w, &ack(1106, 100, 100), 0.1, 0.1005);
        assert_eq!((w.cwnd, law.left), (104.0, 0));
    }

    /// 3/1000 is less than 1/256, which is less than 3/100.
    #[test]
    fn samples_weigh_as_in_ns2() {
        for (in_flight, weight) in [(100, 1.0 / 256.0), (1000, 0.003)] {
            let mut rtt = Queuing::new(0.1);
            let mut law = Ns2::new(UpdateParams { alpha: 10.0, gamma: 0.5, mi_threshold: 0.001 });
            law.observe(&mut rtt, &ack(1000, 100, in_flight));
            law.observe(&mut rtt, &ack(1001, 200, in_flight));
            let queue = rtt.queue().expect("there are samples");
            assert!((queue - 0.1 * weight).abs() < 1e-9, "{queue}");
        }
    }
}
