//! XCP's router: writes into each packet by how much its sender's window may
//! change.
//!
//! ```text
//! efficiency:  phi = alpha (C - y) - beta Q / d         what all together may gain or lose
//! fairness:    phi > 0 to all flows alike, phi < 0 from each what it has in proportion
//!              and gamma y is shuffled: taken in proportion, given back alike
//! ```
//!
//! Once per control interval the router turns phi into two prices, c_p and c_n; each packet's
//! share is then computed from its header. The router needs no state per flow: a flow with
//! window w and round trip r sends w/r packets per second, so giving each packet r/w gives
//! every flow the same amount per second.

use super::level::Level;
use super::{Aqm, Backlog, Header, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "xcp",
    title: "XCP router",
    family: Family::Routers,
    source: "Katabi, Handley and Rohrs: Congestion Control for High Bandwidth-Delay Product \
             Networks, SIGCOMM 2002, sections 3.5 and 3.6; draft-falk-xcp-spec-03, section 4",
    equations: "\
per interval d (at least 1 ms), with y the arrivals in B/s, Q the smallest queue in B within
the last (d - queue/C)/2 (at least 2 ms), and r (RTT in s), w (window in segments) and s (size
in B) of each packet:
  d   = sum(r r/w) / sum(r/w)
  phi = alpha (C - y) - beta Q/d                    B/s
  h   = max(0, gamma y - |phi|)
  c_p = (h + max(phi, 0)) / sum(r/w),  c_n = (h + max(-phi, 0)) / sum(s)
per packet:  H = c_p r/w - c_n s                    B/s, that is H r/s segments
a packet keeps the smallest H of its routers",
    differs: "\
H is computed when a packet arrives; in the draft and in ns-2 it is computed when the \
packet leaves (the_first_prices_by_hand).
The minimum of the queue is taken before arrivals and at the ends of its interval, \
which is where it occurs; the draft samples at departures \
(the_smallest_queue_is_found).
The first interval starts at 0 s; in ns-2 it starts at a random time \
(the_first_prices_by_hand).
A sender that does not know its round trip yet is told to keep its window, as in \
ns-2 (without_a_round_trip_nothing_changes).
Packets without the header count as arrivals and wait in the same queue; in the \
paper they have a separate queue (others_take_room).",
    needs: &[Need::Headers],
    params: XcpParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct XcpParams {
    /// fraction of the spare rate handed out per interval; stable below 0.555
    alpha: f64 = 0.4 in 0.0..=1.0,
    /// fraction of the standing queue drained per interval; alpha^2 sqrt(2)
    beta: f64 = 0.226 in 0.0..=1.0,
    /// fraction of the traffic redistributed per interval, for fairness
    gamma: f64 = 0.1 in 0.0..=1.0,
} }

/// Used while no round trip is known; ns-2's value.
const INITIAL: f64 = 0.05;

/// The draft's bounds of the control interval, in seconds.
const MIN_INTERVAL: f64 = 0.001;
const MAX_INTERVAL: f64 = 1.0;

/// The shortest time over which the minimum of the queue is taken.
const MIN_QUEUE_TIME: f64 = 0.002;

/// XCP's router; see `tusker explain xcp`.
#[derive(Clone, Debug)]
pub struct Xcp {
    params: XcpParams,
    level: Level,
    /// Sums over the packets of this interval: bytes, r/w, r r/w.
    input: f64,
    sum_x: f64,
    sum_rx: f64,
    /// The smallest queue of this and of the last queue time, in bytes.
    smallest: f64,
    standing: f64,
    /// Prices, and what may still be given and taken at them, in B/s.
    c_p: f64,
    c_n: f64,
    give: f64,
    take: f64,
    /// Mean round trip, and the interval that follows from it, in seconds.
    d: f64,
    interval: f64,
    /// When the control interval and the queue time end.
    next: Time,
    next_queue: Time,
}

impl SetUp for Xcp {
    type Params = XcpParams;

    fn new(params: XcpParams, link: &Link) -> Self {
        let first = Time::ZERO + Duration::from_secs(INITIAL);
        Self {
            params,
            level: Level::new(link),
            input: 0.0,
            sum_x: 0.0,
            sum_rx: 0.0,
            smallest: 0.0,
            standing: 0.0,
            c_p: 0.0,
            c_n: 0.0,
            give: 0.0,
            take: 0.0,
            d: INITIAL,
            interval: INITIAL,
            next: first,
            next_queue: first,
        }
    }
}

impl Xcp {
    /// The end of a control interval: new prices.
    fn set_prices(&mut self) {
        let y = self.input / self.interval;
        self.d = if self.sum_x > 0.0 { self.sum_rx / self.sum_x } else { INITIAL };
        let (mut phi, mut h) = (0.0, 0.0);
        if self.input > 0.0 {
            phi = self.params.alpha * (self.level.capacity - y)
                - self.params.beta * self.standing / self.d;
            h = (self.params.gamma * y - phi.abs()).max(0.0);
        }
        self.give = h + phi.max(0.0);
        self.take = h + (-phi).max(0.0);
        self.c_p = if self.sum_x > 0.0 { self.give / self.sum_x } else { 0.0 };
        self.c_n = if self.input > 0.0 { self.take / self.input } else { 0.0 };
        (self.input, self.sum_x, self.sum_rx) = (0.0, 0.0, 0.0);
        self.interval = self.d.max(MIN_INTERVAL);
        self.next += Duration::from_secs(self.interval);
    }

    /// The end of a queue time.
    fn look_at_queue(&mut self, now: Time) {
        let queue = self.level.at(now);
        self.standing = self.smallest.min(queue);
        self.smallest = queue;
        let time = ((self.d - queue / self.level.capacity) / 2.0).max(MIN_QUEUE_TIME);
        self.next_queue += Duration::from_secs(time);
    }
}

impl Aqm for Xcp {
    #[inline]
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, _: &mut Rng) -> Verdict {
        self.smallest = self.smallest.min(q.bytes.get() as f64);
        self.level.arrival(p, q, now);
        self.input += p.size.get() as f64;
        Verdict::Pass
    }

    fn on_overflow(&mut self) {
        self.level.overflow();
    }

    fn poll_at(&self) -> Time {
        self.next.min(self.next_queue)
    }

    fn on_poll(&mut self, now: Time, _: &Backlog) {
        if self.next_queue <= now {
            self.look_at_queue(now);
        }
        if self.next <= now {
            self.set_prices();
        }
    }

    fn write(&mut self, header: &mut Header, p: &Meta) {
        let Header::Xcp { cwnd, rtt, feedback } = header else { return };
        let rtt = rtt.map_or(0.0, Duration::secs);
        if rtt <= 0.0 {
            *feedback = Some(feedback.unwrap_or(0.0).min(0.0));
            return;
        }
        let size = p.size.get() as f64;
        let x = rtt / *cwnd;
        self.sum_x += x;
        self.sum_rx += rtt.min(MAX_INTERVAL) * x;
        let mut pos = (self.c_p * x).min(self.give);
        let mut neg = (self.c_n * size).min(self.take);
        // one segment more in the window, as a rate
        let segment = size / rtt;
        match feedback.map(|segments| segments * segment) {
            // an earlier router gives less: the rest is for others
            Some(less) if less < pos - neg => {
                neg = (neg + (pos - neg - less)).min(self.take);
                pos = (less + neg).max(0.0);
            }
            _ => *feedback = Some((pos - neg) / segment),
        }
        self.give = (self.give - pos).max(0.0);
        self.take = (self.take - neg).max(0.0);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("d", self.d);
        see("queue", self.standing);
        see("give", self.give);
        see("take", self.take);
    }
}

#[cfg(test)]
mod tests;
