//! A hop: a bounded FIFO under a policy, the wire behind it, the way to the
//! next node.
//!
//! ```text
//!   offer() --> policy --> limit --> | waiting ... | in transmission --> delay --> next node
//!               Signal: mark/drop    '---------- backlog ----------'     loss
//! ```
//!
//! The limit counts the packet in transmission, as ns-2's DropTail does in
//! effect (limit - 1 waiting and one on the wire). The policy sees the waiting
//! ones only, as RED of ns-2 does.

use std::collections::VecDeque;

use tusker_core::queue::{Aqm, Backlog, Meta, Policy, Verdict};
use tusker_core::{Bytes, Duration, Rate, Rng, Time};

use crate::meter::{Counters, Due, Meter, Report, Schedule};
use crate::wire::Wire;

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// As much as comes.
    Unlimited,
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
}

/// What a hop is made from.
#[derive(Debug)]
pub struct Setup {
    /// Rate of the wire.
    pub rate: Rate,
    /// Propagation delay behind the wire.
    pub delay: Duration,
    /// What the queue holds.
    pub limit: Limit,
    /// What decides below the limit.
    pub policy: Policy,
    /// Mark ECN-capable packets on the policy's signal instead of dropping.
    pub ecn: bool,
    /// Probability that a packet is lost behind the wire.
    pub loss: f64,
    /// The policy's random stream.
    pub policy_rng: Rng,
    /// The wire's random stream.
    pub loss_rng: Rng,
    /// Keep count of the backlog even if neither limit nor policy needs it.
    pub observed: bool,
}

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It arrives at the next node.
    Arrives {
        /// When its last bit arrives.
        at: Time,
        /// The policy marked it.
        marked: bool,
    },
    /// It does not arrive.
    Dropped(DropCause),
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropCause {
    /// The queue was full.
    Overflow,
    /// The policy decided so.
    Early,
    /// The wire lost it.
    Loss,
}

/// One direction of a link.
#[derive(Debug)]
pub struct Hop {
    wire: Wire,
    delay: Duration,
    limit: Limit,
    policy: Policy,
    poll_at: Time,
    ecn: bool,
    loss: f64,
    policy_rng: Rng,
    loss_rng: Rng,
    /// The backlog is kept only where somebody looks at it.
    tracked: bool,
    /// When each packet of the backlog leaves, and its size.
    inside: VecDeque<(Time, u32)>,
    inside_bytes: u64,
    /// Up to when `counters.area` is summed.
    area_until: Time,
    counters: Counters,
    meter: Meter,
}

impl Hop {
    /// An idle hop.
    pub fn new(setup: Setup, schedule: Schedule) -> Self {
        let tracked = setup.observed
            || setup.limit != Limit::Unlimited
            || !matches!(setup.policy, Policy::DropTail(_));
        Self {
            wire: Wire::new(setup.rate),
            delay: setup.delay,
            limit: setup.limit,
            poll_at: setup.policy.poll_at(),
            policy: setup.policy,
            ecn: setup.ecn,
            loss: setup.loss,
            policy_rng: setup.policy_rng,
            loss_rng: setup.loss_rng,
            tracked,
            inside: VecDeque::new(),
            inside_bytes: 0,
            area_until: Time::ZERO,
            counters: Counters::default(),
            meter: Meter::new(schedule),
        }
    }

    /// A packet arrives at `now`. Times must not decrease from call to call.
    #[inline]
    pub fn offer(&mut self, now: Time, size: u32, ecn_capable: bool) -> Outcome {
        if now >= self.meter.next() {
            self.catch_up(now);
        }
        self.counters.offered += 1;
        let mut marked = false;
        if self.tracked {
            self.advance(now);
            let verdict = self.ask_policy(now, size, ecn_capable);
            if verdict == Verdict::Drop
                || (verdict == Verdict::Signal && !(self.ecn && ecn_capable))
            {
                self.counters.dropped_early += 1;
                return Outcome::Dropped(DropCause::Early);
            }
            if self.is_full(size) {
                self.counters.overflowed += 1;
                self.policy.on_overflow();
                return Outcome::Dropped(DropCause::Overflow);
            }
            if verdict == Verdict::Signal {
                self.counters.marked += 1;
                marked = true;
            }
        }
        let (leaves, busy) = self.wire.send(now, size);
        self.counters.accepted += 1;
        self.counters.accepted_bytes += u64::from(size);
        self.counters.busy += busy;
        if self.tracked {
            self.inside.push_back((leaves, size));
            self.inside_bytes += u64::from(size);
        }
        if self.loss > 0.0 && self.loss_rng.unit() < self.loss {
            self.counters.lost += 1;
            return Outcome::Dropped(DropCause::Loss);
        }
        Outcome::Arrives { at: leaves + self.delay, marked }
    }

    /// Packets in the queue at `now`, the one in transmission included.
    pub fn backlog(&mut self, now: Time) -> usize {
        self.advance(now);
        self.inside.len()
    }

    /// When the backlog falls below `packets` again if nothing more arrives:
    /// `now` if it is below already.
    pub fn room_at(&mut self, now: Time, packets: usize) -> Time {
        let backlog = self.backlog(now);
        if backlog < packets { now } else { self.inside[backlog - packets].0 }
    }

    /// The policy's inner values at `now`, for traces.
    pub fn inspect(&mut self, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
        self.poll(now);
        self.policy.inspect(see);
    }

    /// Totals so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Closes the books at `end`: what the meter saw.
    pub fn finish(mut self, end: Time) -> Report {
        self.catch_up(end);
        self.meter.report()
    }

    #[inline]
    fn ask_policy(&mut self, now: Time, size: u32, ecn_capable: bool) -> Verdict {
        if matches!(self.policy, Policy::DropTail(_)) {
            return Verdict::Pass;
        }
        if now >= self.poll_at {
            self.poll(now);
        }
        let in_transmission = self.inside.front().map_or(0, |p| p.1);
        let backlog = Backlog {
            packets: self.inside.len().saturating_sub(1) as u32,
            bytes: Bytes::new(self.inside_bytes - u64::from(in_transmission)),
            idle_since: self.inside.is_empty().then(|| self.wire.busy_until()),
        };
        let meta = Meta { size: Bytes::new(u64::from(size)), ecn_capable };
        self.policy.on_arrival(&meta, &backlog, now, &mut self.policy_rng)
    }

    #[cold]
    fn poll(&mut self, now: Time) {
        while self.poll_at <= now {
            self.policy.on_poll(self.poll_at);
            self.poll_at = self.policy.poll_at();
        }
    }

    #[inline]
    fn is_full(&self, size: u32) -> bool {
        match self.limit {
            Limit::Unlimited => false,
            Limit::Packets(limit) => self.inside.len() as u64 >= limit,
            Limit::Bytes(limit) => self.inside_bytes + u64::from(size) > limit,
        }
    }

    /// Lets packets leave up to `now` and sums the area under the queue.
    #[inline]
    fn advance(&mut self, now: Time) {
        while let Some(&(leaves, size)) = self.inside.front() {
            if leaves > now {
                break;
            }
            self.add_area(leaves);
            self.inside.pop_front();
            self.inside_bytes -= u64::from(size);
        }
        self.add_area(now);
    }

    #[inline]
    fn add_area(&mut self, to: Time) {
        let span = to.since(self.area_until).nanos();
        self.counters.area += u128::from(span) * self.inside.len() as u128;
        self.area_until = to;
    }

    #[cold]
    fn catch_up(&mut self, now: Time) {
        while let Some(due) = self.meter.due(now) {
            match due {
                Due::Boundary(at) => {
                    self.advance(at);
                    let mut counters = self.counters;
                    // What is accepted keeps the wire busy beyond the boundary.
                    let beyond = self.wire.busy_until().since(at);
                    counters.busy = counters.busy - beyond.min(counters.busy);
                    self.meter.mark(counters);
                }
                Due::Sample(at) => {
                    self.advance(at);
                    self.meter.sample(self.inside.len() as u32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Params;
    use tusker_core::queue::Link;

    /// 1000 B take 1 us; 10 us to the next node.
    fn hop(limit: Limit) -> Hop {
        let rate = Rate::from_bits_per_sec(8_000_000_000);
        let link = Link { rate, mean_packet: Bytes::new(1000) };
        let setup = Setup {
            rate,
            delay: Duration::from_nanos(10_000),
            limit,
            policy: Policy::new("droptail", &Params::defaults(&[]), &link).expect("known"),
            ecn: false,
            loss: 0.0,
            policy_rng: Rng::named(1, "policy"),
            loss_rng: Rng::named(1, "loss"),
            observed: true,
        };
        let (from, to) = (Time::ZERO, Time::from_nanos(10_000));
        Hop::new(setup, Schedule::even(from, to, 2, 10))
    }

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn the_limit_counts_the_packet_in_transmission() {
        let mut hop = hop(Limit::Packets(2));
        let arrives = |ns| Outcome::Arrives { at: at(ns), marked: false };
        assert_eq!(hop.offer(at(0), 1000, false), arrives(11_000));
        assert_eq!(hop.offer(at(0), 1000, false), arrives(12_000));
        assert_eq!(hop.offer(at(0), 1000, false), Outcome::Dropped(DropCause::Overflow));
        // the first has left at exactly 1 us, so there is room again
        assert_eq!(hop.offer(at(1_000), 1000, false), arrives(13_000));
    }

    #[test]
    fn a_byte_limit_counts_bytes() {
        let mut hop = hop(Limit::Bytes(2_500));
        assert!(matches!(hop.offer(at(0), 1000, false), Outcome::Arrives { .. }));
        assert!(matches!(hop.offer(at(0), 1500, false), Outcome::Arrives { .. }));
        assert_eq!(hop.offer(at(0), 1, false), Outcome::Dropped(DropCause::Overflow));
    }

    #[test]
    fn mean_queue_is_the_area_over_the_window() {
        let mut hop = hop(Limit::Unlimited);
        // three at once: 3 inside for 1 us, then 2, then 1: 6 packet-us in 10 us
        for _ in 0..3 {
            hop.offer(at(0), 1000, false);
        }
        let report = hop.finish(at(10_000));
        assert_eq!(report.window().area, 6_000);
        assert_eq!(report.window().busy.nanos(), 3_000);
        // sampled at 0, 1, 2, .. 9 us, each before what arrives at that moment
        assert_eq!(report.samples(), [0, 2, 1, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_busy_wire_is_cut_at_the_boundary() {
        let mut hop = hop(Limit::Unlimited);
        // 4.5 us .. 6.5 us: 0.5 us in the first batch of 5 us, 1.5 in the second
        for _ in 0..2 {
            hop.offer(at(4_500), 1000, false);
        }
        let report = hop.finish(at(10_000));
        let busy: Vec<u64> = report.batches().map(|b| b.busy.nanos()).collect();
        assert_eq!(busy, [500, 1_500]);
    }

    #[test]
    fn room_comes_when_enough_have_left() {
        let mut hop = hop(Limit::Unlimited);
        for _ in 0..3 {
            hop.offer(at(0), 1000, false);
        }
        // below 3 when the first has left, below 1 when all have
        assert_eq!(hop.room_at(at(0), 4), at(0));
        assert_eq!(hop.room_at(at(0), 3), at(1_000));
        assert_eq!(hop.room_at(at(0), 1), at(3_000));
    }
}
