//! How punctual the emulator was.

use tusker_core::{Duration, Time};
pub use tusker_plan::audit::{Audit, Limits};
use tusker_plan::plan::Plan;
use tusker_plan::run::Histogram;

/// Collects the contents of an [`Audit`].
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
    oversized: u64,
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
            oversized: 0,
            busy: Duration::ZERO,
        }
    }

    fn measures(&self, now: Time) -> bool {
        now >= self.window.0 && now < self.window.1
    }

    /// A packet that was due at that time leaves now.
    pub fn delivered(&mut self, due: Time, now: Time) {
        if self.measures(now) {
            let late = now.since(due);
            self.lateness.record(late.nanos());
            self.max = self.max.max(late);
        }
    }

    /// The thread should have continued at `due` at the latest, and does so now.
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

    /// A packet that belongs to no flow or source.
    pub fn foreign(&mut self) {
        self.foreign += 1;
    }

    /// A packet is longer than a host's device allows.
    pub fn oversized(&mut self) {
        self.oversized += 1;
    }

    /// The thread was busy between these times.
    pub fn worked(&mut self, from: Time, to: Time) {
        if self.measures(from) {
            self.busy += to.since(from);
        }
    }

    /// Counting ends at `end`.
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
            oversized: self.oversized,
            unseen: 0,
            idle: None,
            held: None,
        }
    }
}
