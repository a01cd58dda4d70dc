//! UDT: a rate that grows with the remaining bandwidth, once per SYN (UDT's fixed interval)
//! whatever the round trip, and falls by a ninth at a loss.

use super::bbr1::segment_rate;
use super::{Ack, Congestion, Controller, Deflate, Options, Overrule, Signal, Timeout, Window};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::table::params;
use crate::units::{Bytes, Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "udt",
    title: "UDP-based Data Transfer (its native congestion control)",
    family: Family::Rate,
    source: "Gu, Grossman: UDT: UDP-based data transfer for high-speed wide area networks, \
             Computer Networks 51(7), 2007, section 3; draft-gg-udt-03, section 7.2; \
             ccc.cpp of UDT 4 as of January 2012",
    equations: "\
B = capacity of the path, from packet pairs;  C = rate, segments/s;  S = segment, bytes
per SYN without a loss:  C <- C + inc/SYN
     left = B - C, at most B/9 while C is below what it was at the last decrease
     inc  = max(10^ceil(log10(left S 8)) beta/S, min_inc)  if B > C, else min_inc
per loss:  C <- (1 - decrease) C
window = A (RTT + SYN) + 16,  A = rate of arrival
start: w = 16, + 1 per segment acknowledged, not paced, until the first loss; then
       C = A",
    differs: "\
The draft has no bound of B/9, and its smallest increase is 1/S; here both are \
as in UDT's code, where the smallest increase was raised because rates stayed \
low for too long. min_inc = 0.00067 is the draft's value for 1500 bytes. Script: \
udt.
Here UDT runs over a transport with cumulative and selective ACKs, not over \
UDT's timed ACKs and NAKs: losses are detected as in TCP, one event per episode. \
UDT's further decreases within an episode, at random intervals, have no \
counterpart here. Script: udt.
UDT's receiver measures packet pairs and arrivals; here the sender does, from \
ACKs. A is the delivery rate (draft-ietf-ccwg-bbr) smoothed by 1/8. Test: \
a_pair_tells_how_far_apart_it_arrives.
UDT 4 also leaves slow start when the window exceeds the receiver's buffer, and \
paces at a rate of arrival that its receiver takes from the gaps between single \
packets. Here the window goes on growing, unused, and the buffer alone is the \
limit. Test: udt_uses_all_of_a_receive_buffer.
A timeout sets the window to 1 until the next ACK; UDT keeps its window. UDT \
ignores marks. Script: udt.",
    needs: &[Need::Pacing, Need::RateSamples, Need::PacketPairs, Need::RackTlp, Need::NotEct],
    grows_until_loss: true,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    // a step of a hundredth of a second each, however short the round trip
    losses: Losses { least_growth: 0.25, ..Losses::UNKNOWN },
    look: Look { hue: 1, dash: 3 },
    states: &[],
    params: UdtParams::LIST,
};

params! { pub(super) struct UdtParams {
    /// SYN, the interval of rate control
    syn: Duration = 0.01 "s" in 0.001..=10.0,
    /// how much the rate grows in proportion to the remaining bandwidth
    beta: f64 = 1.5e-6 in 0.0..=1e-3,
    /// fraction of the rate given up at a loss
    decrease: f64 = (1.0 / 9.0) in 0.0..=0.9,
    /// smallest increase per SYN
    min_inc: f64 = 0.01 "segments" in 0.0..=1.0,
} }

/// Number of packet pairs for the median.
const PAIRS: usize = 16;

/// Largest fraction of the capacity that counts as remaining, below the rate at the
/// last decrease.
const LEFT: f64 = 1.0 / 9.0;

/// Segments of the first window, and the margin above what arrives in a round trip
/// plus a SYN.
const WINDOW: f64 = 16.0;

/// UDT's rate control; names are the draft's.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Udt {
    pub(super) window: Window,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    max_window: f64,
    slow_start: bool,
    /// C, in segments per second.
    rate: f64,
    /// C before the last decrease.
    last_decrease: f64,
    /// A.
    arrival: f64,
    /// The last known SRTT: during recovery there may be no samples.
    rtt: Duration,
    /// Distances of the last packet pairs, in seconds.
    pairs: [f64; PAIRS],
    count: usize,
    /// B.
    capacity: f64,
    last_increase: Time,
    lost: bool,
    params: UdtParams,
}

impl Udt {
    pub(super) fn new(params: UdtParams, options: &Options) -> Self {
        let cwnd = WINDOW.min(options.max_window).max(1.0);
        Self {
            window: Window { cwnd, ssthresh: f64::INFINITY },
            pacing_rate: None,
            segment: options.pacing,
            max_window: options.max_window,
            slow_start: true,
            rate: 0.0,
            // the code has a minimum period of 1 us: no rate of its time exceeds
            // that
            last_decrease: f64::INFINITY,
            arrival: 0.0,
            rtt: Duration::ZERO,
            pairs: [0.0; PAIRS],
            count: 0,
            capacity: 0.0,
            last_increase: Time::ZERO,
            lost: false,
            params,
        }
    }

    /// The median, then the mean of all values between an eighth and eight times
    /// the median.
    fn on_pair(&mut self, distance: f64) {
        self.pairs[self.count % PAIRS] = distance;
        self.count += 1;
        let mut sorted = self.pairs;
        let sorted = &mut sorted[..self.count.min(PAIRS)];
        sorted.sort_unstable_by(f64::total_cmp);
        let median = sorted[sorted.len() / 2];
        let near = sorted.iter().filter(|&&d| d > median / 8.0 && d < median * 8.0);
        let (sum, n) = near.fold((0.0, 0.0), |(sum, n), d| (sum + d, n + 1.0));
        if sum > 0.0 {
            self.capacity = n / sum;
        }
    }

    /// inc, in segments per SYN.
    fn increase(&self) -> f64 {
        let size = self.segment.map_or(1500.0, |segment| segment.get() as f64);
        let mut left = self.capacity - self.rate;
        if self.rate < self.last_decrease {
            left = left.min(LEFT * self.capacity);
        }
        if left <= 0.0 {
            return self.params.min_inc;
        }
        let bits = left * size * 8.0;
        let inc = libm::pow(10.0, libm::ceil(libm::log10(bits))) * self.params.beta / size;
        inc.max(self.params.min_inc)
    }

    /// The rate takes over from slow start.
    fn leave_slow_start(&mut self) {
        self.slow_start = false;
        self.rate = self.arrival.max(1.0);
        self.pace();
    }

    fn pace(&mut self) {
        self.pacing_rate = self.segment.map(|segment| segment_rate(self.rate, segment));
    }
}

impl Controller for Udt {
    window_and_rate!();

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rate) = ack.rate {
            let new = rate.rate().min(1e12);
            self.arrival =
                if self.arrival == 0.0 { new } else { self.arrival + (new - self.arrival) / 8.0 };
            if let Some(distance) = rate.dispersion {
                self.on_pair(distance.secs());
            }
        }
        if let Some(rtt) = ack.rtt {
            self.rtt = rtt.smoothed;
        }
        if self.slow_start {
            self.window.cwnd += f64::from(ack.acked);
        } else {
            let due = self.last_increase + self.params.syn;
            if ack.now >= due {
                // in step with SYN, but missed steps are not made up for after a
                // pause
                let late = ack.now.since(due) >= self.params.syn;
                self.last_increase = if late { ack.now } else { due };
                if !core::mem::take(&mut self.lost) {
                    self.rate = (self.rate + self.increase() / self.params.syn.secs()).min(1e12);
                    self.pace();
                }
            }
            let span = self.rtt.secs() + self.params.syn.secs();
            self.window.cwnd = self.arrival * span + WINDOW;
        }
        if self.window.cwnd >= self.max_window {
            self.window.cwnd = self.max_window;
            if self.slow_start {
                self.leave_slow_start();
            }
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.signal == Signal::Mark {
            return;
        }
        self.lost = true;
        if self.slow_start {
            self.leave_slow_start();
        } else {
            self.last_decrease = self.rate;
            self.rate = ((1.0 - self.params.decrease) * self.rate).max(1.0);
            self.pace();
        }
    }

    fn on_recovered(&mut self, _: Time) {}

    fn on_timeout(&mut self, _: &Timeout) {
        if self.slow_start {
            self.leave_slow_start();
        }
        self.window.cwnd = 1.0;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("rate", self.rate);
        see("capacity", self.capacity);
        see("arrival", self.arrival);
    }
}

impl Deflate for Udt {}

impl Overrule for Udt {}
