//! How well the emulator kept its times, which says whether a run may be believed.

use tusker_core::{Bytes, Duration, Time};
use tusker_plan::plan::{Background, Flow, Limit, Plan};
use tusker_plan::run::Histogram;

/// How late packets left, and what the emulator took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// Packets delivered within the measuring window.
    pub packets: u64,
    /// Mean lateness.
    pub mean: Duration,
    /// What 99 % of all packets were not later than.
    pub p99: Duration,
    /// The latest of all.
    pub max: Duration,
    /// The longest time for which the emulator did not get the processor when it should
    /// have; what comes meanwhile is read late, all at once.
    pub longest_away: Duration,
    /// Part of the window in which it was away so, for longer than [`Limits::short`] at a
    /// time.
    pub away: f64,
    /// Packets that a host's device had no room for.
    pub refused: u64,
    /// Packets that were no whole IPv4 packets between hosts of the plan.
    pub foreign: u64,
    /// Part of the window in which the emulator's thread was busy.
    pub busy: f64,
    /// It ran with real-time scheduling.
    pub real_time: bool,
}

/// Within which a run is valid. A packet that is late by a fraction of the shortest
/// round trip disturbs no congestion control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// 99 % of the packets must not be later.
    pub p99: Duration,
    /// Being away so long at once is nothing that a flow notices.
    pub short: Duration,
    /// It must not be away longer than that for a larger part of the time.
    pub away: f64,
    /// The emulator's thread must not be busy for a larger part of the time.
    pub busy: f64,
    /// Packets that devices had no room for, as a part of all.
    pub refused: f64,
}

impl Limits {
    /// Packets may be late by a fortieth of the shortest round trip of a plan, at most
    /// 2 ms. What comes while the emulator is away is read all together: an eighth of
    /// the shortest queue is no burst to speak of, but not more than a quarter of a round
    /// trip, and a millisecond in any case.
    pub fn of(plan: &Plan) -> Self {
        let delay = |link: &usize| plan.links[*link].delay.nanos();
        let round = |flow: &Flow| flow.route.iter().chain(&flow.reverse).map(delay).sum::<u64>();
        // where nothing comes back, as if it did
        let there = |source: &Background| 2 * source.route.iter().map(delay).sum::<u64>();
        let shortest = plan.flows.iter().map(round).min();
        let shortest = shortest.or(plan.background.iter().map(there).min()).unwrap_or(0);
        let p99 = Duration::from_nanos((shortest / 40).clamp(50_000, 2_000_000));
        let queue = plan.flows.iter().filter_map(|flow| drain(plan, flow)).min();
        let short = queue.map_or(u64::MAX, |queue| queue.nanos() / 8).min(shortest / 4);
        let short = Duration::from_nanos(short.max(1_000_000));
        Self { p99, short, away: 1e-3, busy: 0.9, refused: 1e-5 }
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
    /// Why the run is not to be believed; empty if it is.
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
            faults.push(format!("{} packets found a host's device full", self.refused));
        }
        faults
    }
}

/// Collects what an [`Audit`] says.
#[derive(Debug)]
pub struct Auditor {
    window: (Time, Time),
    short: Duration,
    lateness: Histogram,
    max: Duration,
    longest_away: Duration,
    away: Duration,
    refused: u64,
    foreign: u64,
    busy: Duration,
}

impl Auditor {
    /// For a plan's measuring window.
    pub fn new(plan: &Plan) -> Self {
        Self {
            window: (plan.measure_from, plan.measure_to),
            short: Limits::of(plan).short,
            lateness: Histogram::default(),
            max: Duration::ZERO,
            longest_away: Duration::ZERO,
            away: Duration::ZERO,
            refused: 0,
            foreign: 0,
            busy: Duration::ZERO,
        }
    }

    fn measures(&self, now: Time) -> bool {
        now >= self.window.0 && now < self.window.1
    }

    /// A packet that was due then leaves now.
    pub fn delivered(&mut self, due: Time, now: Time) {
        if self.measures(now) {
            let late = now.since(due);
            self.lateness.record(late.nanos());
            self.max = self.max.max(late);
        }
    }

    /// The thread should have gone on at `due` at the latest, and does now.
    pub fn woke(&mut self, due: Time, now: Time) {
        let late = now.since(due);
        if self.measures(now) {
            self.longest_away = self.longest_away.max(late);
            if late > self.short {
                self.away += late;
            }
        }
    }

    /// A host's device had no room for a packet.
    pub fn refused(&mut self, now: Time) {
        self.refused += u64::from(self.measures(now));
    }

    /// A packet that belongs to nothing here.
    pub fn foreign(&mut self) {
        self.foreign += 1;
    }

    /// The thread worked from one time to another.
    pub fn worked(&mut self, from: Time, to: Time) {
        if self.measures(from) {
            self.busy += to.since(from);
        }
    }

    /// The books are closed at `end`.
    pub fn finish(self, end: Time, real_time: bool) -> Audit {
        let nanos = |x: Option<f64>| Duration::from_nanos(x.unwrap_or(0.0) as u64);
        let window = self.window.1.min(end).since(self.window.0).secs();
        Audit {
            packets: self.lateness.count(),
            mean: nanos(self.lateness.mean()),
            p99: nanos(self.lateness.quantile(0.99)),
            max: self.max,
            longest_away: self.longest_away,
            away: if window > 0.0 { self.away.secs() / window } else { 0.0 },
            refused: self.refused,
            foreign: self.foreign,
            busy: if window > 0.0 { self.busy.secs() / window } else { 0.0 },
            real_time,
        }
    }
}
