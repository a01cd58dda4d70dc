//! How well a real-time executor kept time, which decides whether a run can be
//! trusted.

use tusker_core::{Bytes, Duration};

use crate::plan::{Background, Flow, Limit, Plan};

/// How late packets left, and how busy the emulator was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Packets delivered within the measuring window.
    pub packets: u64,
    /// Mean lateness.
    pub mean: Duration,
    /// 99th percentile of the lateness.
    pub p99: Duration,
    /// Largest lateness.
    pub max: Duration,
    /// The longest time for which the emulator did not get the processor when it
    /// should have; packets that arrive meanwhile are read late, all at once.
    pub longest_away: Duration,
    /// Fraction of the window in which it was without the processor for longer than
    /// [`Limits::short`] at a time.
    pub away: f64,
    /// Packets for which a host's device had no room.
    pub refused: u64,
    /// Packets that were not complete IPv4 packets between hosts of the plan.
    pub foreign: u64,
    /// Fraction of the window in which the emulator's thread was busy.
    pub busy: f64,
    /// Fraction of one processor's time that the thread used in the window, also while it
    /// waited awake for a packet to be due.
    pub cpu: Option<f64>,
    /// Whether it ran with real-time scheduling.
    pub real_time: bool,
    /// Packets that were longer than a host's device allows, and were lost.
    pub oversized: u64,
    /// Packets that a host dropped because its device's queue was full, over the whole
    /// run: the emulator never saw them.
    pub unseen: u64,
    /// The unlimited flow whose sender had nothing to send for the largest fraction
    /// of the window, and that fraction.
    pub idle: Option<(String, f64)>,
    /// The unlimited flow that was limited by its receiver's window for the largest
    /// fraction of the window, although no buffer is set, and that fraction.
    pub held: Option<(String, f64)>,
}

/// The limits within which a run is valid. A packet that is late by a small
/// fraction of the shortest round trip does not disturb any congestion control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// 99 % of the packets must not be later than this.
    pub p99: Duration,
    /// Flows do not notice absences up to this length.
    pub short: Duration,
    /// Longer absences may take at most this fraction of the time.
    pub away: f64,
    /// The emulator's thread may be busy for at most this fraction of the time.
    pub busy: f64,
    /// Largest fraction of all packets for which devices had no room.
    pub refused: f64,
    /// The ends of a flow may be limited by something else for at most this
    /// fraction of the time.
    pub ends: f64,
}

impl Limits {
    /// Packets may be late by a fortieth of the shortest round trip of a plan, at
    /// most 2 ms. What arrives while the emulator is absent is read all at once: an
    /// eighth of the shortest queue is not a significant burst; at most a quarter
    /// of a round trip, but always at least a millisecond.
    pub fn of(plan: &Plan) -> Self {
        let delay = |link: &usize| plan.links[*link].propagation().nanos();
        let round = |flow: &Flow| flow.route.iter().chain(&flow.reverse).map(delay).sum::<u64>();
        // if nothing comes back, as if it did
        let there = |source: &Background| 2 * source.route.iter().map(delay).sum::<u64>();
        let shortest = plan.flows.iter().map(round).min();
        let shortest = shortest.or(plan.background.iter().map(there).min()).unwrap_or(0);
        let p99 = Duration::from_nanos((shortest / 40).clamp(50_000, 2_000_000));
        let queue = plan.flows.iter().filter_map(|flow| drain(plan, flow)).min();
        let short = queue.map_or(u64::MAX, |queue| queue.nanos() / 8).min(shortest / 4);
        let short = Duration::from_nanos(short.max(1_000_000));
        Self { p99, short, away: 1e-3, busy: 0.9, refused: 1e-5, ends: 0.02 }
    }
}

/// How long the queue of a flow's slowest link takes to drain, if it has a limit.
fn drain(plan: &Plan, flow: &Flow) -> Option<Duration> {
    let slowest = flow.route.iter().map(|&link| &plan.links[link]).min_by_key(|link| link.rate)?;
    let bytes = match slowest.queue.limit {
        Limit::Packets(n) => n * flow.tcp.packet.get(),
        Limit::Bytes(n) => n,
        Limit::Unlimited | Limit::Backpressure(_) => return None,
    };
    Some(slowest.rate.time_for(Bytes::new(bytes)))
}

impl Audit {
    /// The reasons why the run cannot be trusted; empty if it can.
    pub fn faults(&self, limits: &Limits) -> Vec<String> {
        let mut faults = Vec::new();
        if self.p99 > limits.p99 {
            faults.push(format!(
                "1 % of the packets were more than {:.0} us late, {:.0} us are allowed",
                self.p99.secs() * 1e6,
                limits.p99.secs() * 1e6
            ));
        }
        if self.away > limits.away {
            faults.push(format!(
                "the emulator did not get the processor for {:.2} % of the time, {:.1} ms at once",
                self.away * 100.0,
                self.longest_away.secs() * 1e3
            ));
        }
        if self.busy > limits.busy {
            faults
                .push(format!("the emulator was busy for {:.0} % of the time", self.busy * 100.0));
        }
        if self.refused as f64 > limits.refused * self.packets as f64 {
            faults.push(format!(
                "{} packets were lost because a host's device was full",
                self.refused
            ));
        }
        if self.unseen as f64 > limits.refused * self.packets as f64 {
            faults.push(format!("hosts dropped {} of their own packets", self.unseen));
        }
        if let Some((flow, part)) = self.idle.as_ref().filter(|idle| idle.1 > limits.ends) {
            let percent = part * 100.0;
            faults.push(format!(
                "the sender of {flow} had nothing to send for {percent:.0} % of the time"
            ));
        }
        if let Some((flow, part)) = self.held.as_ref().filter(|held| held.1 > limits.ends) {
            let percent = part * 100.0;
            faults.push(format!(
                "the receiver of {flow} held it back for {percent:.0} % of the time"
            ));
        }
        if self.oversized > 0 {
            faults.push(format!("{} packets were longer than the MTU", self.oversized));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_ends_lack_is_a_fault() {
        let limits = Limits {
            p99: Duration::ZERO,
            short: Duration::ZERO,
            away: 0.0,
            busy: 0.0,
            refused: 0.0,
            ends: 0.02,
        };
        let of = |part| Some(("a.0".to_owned(), part));
        let audit = |idle, held| Audit { idle, held, ..Audit::default() }.faults(&limits);
        assert_eq!(audit(of(0.02), of(0.02)), [""; 0]);
        let [sender, receiver] = [
            "the sender of a.0 had nothing to send for 7 % of the time",
            "the receiver of a.0 held it back for 30 % of the time",
        ];
        assert_eq!(audit(of(0.07), None), [sender]);
        assert_eq!(audit(None, of(0.3)), [receiver]);
    }
}
