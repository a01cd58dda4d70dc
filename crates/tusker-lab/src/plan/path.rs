//! Turns a way to do the transfer into a scenario: one bottleneck, the transfer's
//! connections, and the others, which started earlier.

use tusker_core::congestion::Kind as Law;
use tusker_core::{Bytes, Duration, Rate};
use tusker_scenario::{
    Access, Cc, Flows, Limit, Loss, Measure, Profile, Queue, Scenario, Spread, Start, Tcp, Trace,
};

use super::Way;

/// Names of the groups: the transfer's, and the prefix of the others'.
pub(super) const OURS: &str = "transfer";

/// Each run is divided into this many parts, from the start of the transfer on.
pub(super) const BINS: usize = 400;

/// The fastest link that a scenario can have: 100 Tbit/s.
const FASTEST: u64 = 100_000_000_000_000;

/// Round trips that the others have before the transfer starts.
const AHEAD: f64 = 40.0;

/// A law as named by the user.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named {
    pub label: String,
    pub cc: Cc,
    pub kind: Law,
}

/// The path, and the others on it.
#[derive(Clone, Debug)]
pub(super) struct On {
    pub rate: Rate,
    pub rtt: Duration,
    pub loss: f64,
    pub buffer: Limit,
    pub packet: Bytes,
    pub others: Vec<(u32, Named)>,
}

impl On {
    /// Bytes in flight on the path with empty queues.
    pub fn bdp(&self) -> f64 {
        self.rate.bits_per_sec() as f64 / 8.0 * self.rtt.secs()
    }

    /// The most bytes that can wait at the bottleneck.
    pub fn buffer_bytes(&self) -> f64 {
        match self.buffer {
            Limit::Packets(packets) => packets as f64 * self.packet.get() as f64,
            Limit::Bytes(bytes) => bytes as f64,
            Limit::Bdp(share) => share * self.bdp(),
            Limit::Unlimited | Limit::Backpressure(_) => 0.0,
        }
    }

    /// Twice what the path and its buffer hold, so that a window has room to grow and to
    /// repair losses at the same time.
    pub fn enough(&self) -> Bytes {
        Bytes::new((2.0 * (self.bdp() + self.buffer_bytes())).ceil() as u64)
    }

    /// The same path with another rate, and all its capacities in proportion.
    pub fn scaled(&self, rate: Rate) -> Self {
        let share = rate.bits_per_sec() as f64 / self.rate.bits_per_sec() as f64;
        let least = 2 * self.packet.get();
        let buffer = match self.buffer {
            Limit::Bdp(share) => Limit::Bdp(share),
            _ => Limit::Bytes(((self.buffer_bytes() * share) as u64).max(least)),
        };
        Self { rate, buffer, ..self.clone() }
    }

    /// Payload of a packet in bytes; 52 are headers with timestamps.
    pub fn payload(&self) -> f64 {
        self.packet.get() as f64 - 52.0
    }

    /// Seconds from the start of the run to that of the transfer.
    fn ahead(&self) -> f64 {
        if self.others.is_empty() { 0.0 } else { AHEAD * self.rtt.secs() }
    }
}

/// The scenario of a way, or of the others alone, lasting this many seconds from the start
/// of the transfer; the second half of them is measured.
pub(super) fn scenario(on: &On, way: Option<&Way>, seconds: f64) -> Scenario {
    let bin = Duration::from_secs(seconds / BINS as f64).nanos().max(1);
    let ahead = (on.ahead() * 1e9 / bin as f64).ceil() as u64 * bin;
    let nanos = Duration::from_nanos;
    let (length, ahead_time) = (bin * BINS as u64, nanos(ahead));
    let delay = nanos(on.rtt.nanos() / 2);
    let queue = Queue::droptail(on.buffer);
    let mut scenario = Scenario::dumbbell(Profile::Linux, on.rate, delay, queue);
    scenario.duration = nanos(ahead + length).into();
    scenario.measure = Some(Measure { from: nanos(ahead + length / 2).into(), to: None });
    let trace = Trace { interval: nanos(bin).into(), flows: None, links: None };
    scenario.trace = Some(trace);
    if on.packet != Bytes::new(1_500) {
        scenario.tcp = Some(Tcp { packet: Some(on.packet.into()), ..Tcp::default() });
    }
    if let Some(dumbbell) = &mut scenario.dumbbell {
        dumbbell.loss = (on.loss > 0.0).then_some(Loss::Bernoulli(on.loss));
        // the bottleneck has the whole round trip; hosts are ten times as fast
        let rate = on.rate.bits_per_sec();
        let access = Rate::from_bits_per_sec(rate.saturating_mul(10).min(FASTEST.max(rate)));
        let delay = Spread::from(Duration::ZERO);
        dumbbell.access =
            Some(Access { rate: Some(access.into()), delay: Some(delay), queue: None });
    }
    for (n, (count, other)) in on.others.iter().enumerate() {
        let mut flows = Flows::new(format!("other-{}", n + 1), other.cc.clone());
        flows.count = Some(u64::from(*count));
        flows.start = Some(Start::Uniform(Duration::ZERO, on.rtt));
        scenario.flows.push(flows);
    }
    if let Some(way) = way {
        let mut flows = Flows::new(OURS, way.law.cc.clone());
        flows.parallel = Some(u64::from(way.streams));
        flows.start = Some(Start::Uniform(ahead_time, ahead_time + on.rtt));
        if !way.enough {
            let send_buffer = Some(Some(way.socket).into());
            flows.tcp = Some(Tcp { send_buffer, ..Tcp::default() });
        }
        scenario.flows.push(flows);
    }
    scenario
}
