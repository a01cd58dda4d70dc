//! How long hosts take before they act.
//!
//! A real host does not answer at the very instant when a packet reaches it: interrupts are
//! batched, or something else runs first. The delay differs from packet to packet by
//! microseconds, and this keeps arrivals and departures on a path with round numbers from
//! coinciding forever (Floyd and Jacobson: On Traffic Phase Effects in Packet-Switched
//! Gateways, 1992; `overhead_` of ns-2's agents).
//!
//! A receiver takes this time before its ACK leaves, a sender before it sees an ACK, and a
//! source before it sends. Packets of one connection are handled in order of arrival, so
//! one with a short delay waits for those before it. No connection is therefore reordered
//! within a host, and packets that are close together on the wire are handled together, as
//! with batched interrupts. The arrival time of data is taken on the wire, like the
//! timestamp of a network card.

use tusker_core::{Duration, Rng, Time};
use tusker_plan::plan::{HostTime, Plan};
use tusker_plan::streams;

/// All hosts of a plan.
#[derive(Debug)]
pub struct Hosts {
    time: HostTime,
    /// One per flow; empty if hosts act at once.
    receivers: Vec<Line>,
    senders: Vec<Line>,
    /// One per background source.
    sources: Vec<Line>,
}

/// Something that handles packets in order, in one line of the cache.
#[derive(Debug)]
#[repr(align(64))]
struct Line {
    rng: Rng,
    /// When it last acted.
    last: Time,
}

impl Line {
    fn new(seed: u64, what: &str, name: &str) -> Self {
        Self { rng: streams::host(seed, what, name), last: Time::ZERO }
    }

    #[inline]
    fn acts(&mut self, at: Time, time: HostTime) -> Time {
        let takes = match time {
            HostTime::UpTo(most) => self.rng.range(0.0, most.nanos() as f64),
            HostTime::Exponential(mean) => self.rng.exponential(mean.nanos() as f64),
        };
        self.last = self.last.max(at + Duration::from_nanos(takes as u64));
        self.last
    }
}

impl Hosts {
    /// The hosts of a plan, before anything has happened.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let time = plan.host_time;
        let lines = |what: &str, names: &mut dyn Iterator<Item = &String>| match time.is_zero() {
            true => Vec::new(),
            false => names.map(|name| Line::new(seed, what, name)).collect(),
        };
        let flows = || plan.flows.iter().map(|flow| &flow.name);
        Self {
            time,
            receivers: lines("receiver", &mut flows()),
            senders: lines("sender", &mut flows()),
            sources: lines("source", &mut plan.background.iter().map(|source| &source.name)),
        }
    }

    /// When the ACK leaves that a flow's receiver would send at `at` without delay.
    #[inline(always)]
    pub fn answers(&mut self, flow: usize, at: Time) -> Time {
        match self.receivers.get_mut(flow) {
            Some(line) => line.acts(at, self.time),
            None => at,
        }
    }

    /// When a flow's sender sees the ACK that reaches its host at `at`.
    #[inline(always)]
    pub fn sees(&mut self, flow: usize, at: Time) -> Time {
        match self.senders.get_mut(flow) {
            Some(line) => line.acts(at, self.time),
            None => at,
        }
    }

    /// When a source sends the packet that is due at `at`.
    pub fn sends(&mut self, source: usize, at: Time) -> Time {
        match self.sources.get_mut(source) {
            Some(line) if at != Time::NEVER => line.acts(at, self.time),
            _ => at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: HostTime = HostTime::UpTo(Duration::from_nanos(10_000));

    fn line() -> Line {
        Line::new(1, "sender", "a")
    }

    #[test]
    fn every_time_up_to_the_most_is_as_likely() {
        // 100,000 draws, far apart: the mean is 5,000 ns; the standard error of the mean of
        // a uniform time is 10,000 / sqrt(12) / sqrt(1e5) = 9.1 ns, and of each tenth's
        // share sqrt(0.09 / 1e5) = 0.00095
        let mut line = line();
        let mut tenths = [0_u32; 10];
        let mut sum = 0;
        for i in 0..100_000_u64 {
            let at = Time::from_nanos(i * 1_000_000);
            let takes = line.acts(at, TEN).since(at).nanos();
            tenths[(takes / 1_000) as usize] += 1;
            sum += takes;
        }
        assert!((sum as f64 / 1e5 - 5_000.0).abs() < 40.0, "{sum}");
        for tenth in tenths {
            assert!((f64::from(tenth) / 1e5 - 0.1).abs() < 0.004, "{tenths:?}");
        }
    }

    /// A mean of 5 us: an e-th of the times is longer than it, 1 in 100 longer than 23.0 us
    /// (5 ln 100). Standard errors of 100,000 draws: 16 ns, 0.0015 and 0.0003.
    #[test]
    fn an_exponential_time_has_its_mean_and_tail() {
        let mut line = line();
        let five = HostTime::Exponential(Duration::from_nanos(5_000));
        let takes: Vec<f64> = (0..100_000_u64)
            .map(|i| Time::from_nanos(i * 1_000_000))
            .map(|at| line.acts(at, five).since(at).nanos() as f64)
            .collect();
        let share = |least: f64| takes.iter().filter(|&&t| t > least).count() as f64 / 1e5;
        assert!((takes.iter().sum::<f64>() / 1e5 - 5_000.0).abs() < 64.0);
        assert!((share(5_000.0) - 0.3679).abs() < 0.006 && (share(23_026.0) - 0.01).abs() < 0.0012);
    }

    #[test]
    fn nothing_is_overtaken_in_a_host() {
        let mut line = line();
        // every 100 ns, with delays up to 10 us each
        let acted: Vec<Time> =
            (0..10_000).map(|i| line.acts(Time::from_nanos(i * 100), TEN)).collect();
        assert!(acted.is_sorted());
        for (i, at) in (0..).zip(&acted) {
            assert!((i * 100..i * 100 + 10_000).contains(&at.nanos()), "{i}: {at:?}");
        }
    }
}
