//! Turns a way to do the transfer into a scenario: one bottleneck, the transfer's connections,
//! and the other flows, which start earlier.

use crate::answer::SHORT;
use tusker_core::congestion::Kind as Law;
use tusker_core::{Bytes, Duration, Rate};
use tusker_measure::response::response;
use tusker_scenario::{
    Access, Cc, Flows, Limit, Loss, Measure, Profile, Queue, Scenario, Spread, Start, Tcp,
};

use super::Way;

/// Names of the groups: the transfer's, and the prefix of the others'.
pub(super) const OURS: &str = "transfer";

/// Each run is divided into this many parts, from the start of the transfer on.
pub(super) const BINS: usize = 400;

/// The fastest link that a scenario can have: 100 Tbit/s.
const FASTEST: u64 = 100_000_000_000_000;

/// Packets in the smallest window and in the buffer, so that several segments may be simulated
/// as one packet. docs/plan.md has what that changes.
const LEAST: f64 = 300.0;

/// The most segments in a packet, and its most bytes.
const MOST_EACH: f64 = 8.0;
const LARGEST: f64 = 65_535.0;

/// A flow may have so many times less than an equal share, beside so many streams.
const UNFAIR: f64 = 4.0;
const STREAMS: u32 = 16;

/// Round trips that the others have before the transfer starts.
const AHEAD: u64 = 40;

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
    /// Segments that a simulated packet stands for.
    pub each: u32,
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

    /// The bottleneck's buffer is below [`SHORT`] BDP.
    pub fn has_short_buffer(&self) -> bool {
        self.buffer_bytes() < SHORT * self.bdp()
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
        Self { rate, buffer, each: 1, ..self.clone() }
    }

    /// How many segments a simulated packet may stand for: a power of two, 1 unless all windows
    /// and the buffer are large. It depends on the path alone, so that all rows are alike.
    pub fn coarsest(&self) -> u32 {
        let segments = |bytes: f64| bytes / self.packet.get() as f64;
        let flows = STREAMS + self.others.iter().map(|(count, _)| count).sum::<u32>();
        // some have far less than an equal share
        let shared = segments(self.bdp()) / f64::from(flows) / UNFAIR;
        // no law has a smaller window at random loss than Reno
        let at_loss = response(Law::Reno, self.loss, self.rtt.secs()).unwrap_or(shared);
        let least = shared.min(at_loss).min(segments(self.buffer_bytes())) / LEAST;
        let each = least.min(LARGEST / self.packet.get() as f64).clamp(1.0, MOST_EACH);
        1 << each.log2().floor() as u32
    }

    /// The share of simulated packets lost at random: of those with a lost segment.
    fn loss_of_packets(&self) -> f64 {
        1.0 - (1.0 - self.loss).powi(self.each as i32)
    }

    /// The bottleneck's rate.
    pub fn segments_per_second(&self) -> f64 {
        self.rate.bits_per_sec() as f64 / 8.0 / self.packet.get() as f64
    }

    /// Payload of a segment in bytes; 52 are headers with timestamps.
    pub fn payload(&self) -> f64 {
        self.packet.get() as f64 - 52.0
    }

    /// From the start of the run to that of the transfer.
    pub fn ahead(&self) -> Duration {
        if self.others.is_empty() { Duration::ZERO } else { self.rtt * AHEAD }
    }
}

/// The scenario of a way, or of the others alone; how long it lasts is decided later.
pub(super) fn scenario(on: &On, way: Option<&Way>) -> Scenario {
    let ahead = on.ahead();
    let delay = Duration::from_nanos(on.rtt.nanos() / 2);
    let queue = Queue::droptail(on.buffer);
    let mut scenario = Scenario::dumbbell(Profile::Linux, on.rate, delay, queue);
    scenario.duration = (ahead + on.rtt + Duration::from_secs(1.0)).into();
    scenario.measure = Some(Measure { from: ahead.into(), to: None });
    let packet = Bytes::new(on.packet.get() * u64::from(on.each));
    if packet != Bytes::new(1_500) {
        let segments_per_packet = (on.each > 1).then_some(on.each);
        let packet = Some(packet.into());
        scenario.tcp = Some(Tcp { packet, segments_per_packet, ..Tcp::default() });
    }
    if let Some(dumbbell) = &mut scenario.dumbbell {
        dumbbell.loss = (on.loss > 0.0).then(|| Loss::Bernoulli(on.loss_of_packets()).into());
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
        flows.start = Some(Start::Uniform(ahead, ahead + on.rtt));
        if !way.enough {
            let send_buffer = Some(Some(way.socket).into());
            flows.tcp = Some(Tcp { send_buffer, ..Tcp::default() });
        }
        scenario.flows.push(flows);
    }
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Kind;

    fn path(rate_mbps: u64, rtt_ms: u64, loss: f64, buffer: Limit, packet: u64) -> On {
        let cc = Cc { name: "reno".to_owned(), params: Vec::new() };
        let kind = Law::named("reno").expect("a law");
        let reno = Named { label: "reno".to_owned(), cc, kind };
        On {
            rate: Rate::from_bits_per_sec(rate_mbps * 1_000_000),
            rtt: Duration::from_millis(rtt_ms),
            loss,
            buffer,
            packet: Bytes::new(packet),
            others: vec![(3, reno)],
            each: 1,
        }
    }

    /// 10 Gbit/s x 160 ms are 133,333 packets of 1500 B, 7,018 for each of 19 flows, a fourth of
    /// which is 1,754; Reno keeps sqrt(1.5e6) = 1,225 at a loss of 1e-6. 1,225/300 = 4.1,
    /// 1,754/300 = 5.8; 1 MB is 667 packets, 667/300 = 2.2. 1 Gbit/s x 80 ms are 6,667 packets,
    /// and 10 Gbit/s x 160 ms are 22,222 packets of 9000 B: 292 for a fourth of a share.
    #[test]
    fn packets_stand_for_several_segments_only_if_all_windows_are_large() {
        let tenth = Limit::Bdp(0.1);
        for (path, each) in [
            (path(10_000, 160, 1e-6, tenth, 1_500), 4),
            (path(10_000, 160, 0.0, tenth, 1_500), 4),
            (path(10_000, 160, 0.0, Limit::Bytes(1_000_000), 1_500), 2),
            (path(10_000, 160, 1e-4, tenth, 1_500), 1),
            (path(1_000, 80, 0.0, tenth, 1_500), 1),
            (path(10_000, 160, 0.0, tenth, 9_000), 1),
            (path(100_000, 160, 0.0, tenth, 1_500), 8),
        ] {
            assert_eq!(path.coarsest(), each, "{path:?}");
        }
        // 1 - (1 - 1e-6)^4 = 4e-6 - 6e-12 + ...
        let on = On { each: 4, ..path(10_000, 160, 1e-6, tenth, 1_500) };
        assert!((on.loss_of_packets() - 3.999_994e-6).abs() < 1e-12);
    }
}
