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
    /// When the window began, and how much processor time the thread had used by then.
    began: Option<(Time, Duration)>,
    /// The same of its end.
    ended: Option<(Time, Duration)>,
}

impl Auditor {
    /// For a plan's measuring window.
    pub fn new(plan: &Plan) -> Self {
        Self::of((plan.measure_from, plan.measure_to), Limits::of(plan).short)
    }

    fn of(window: (Time, Time), short: Duration) -> Self {
        Self {
            window,
            short,
            lateness: Histogram::default(),
            max: Duration::ZERO,
            longest_away: Duration::ZERO,
            away: Duration::ZERO,
            refused: 0,
            foreign: 0,
            oversized: 0,
            busy: Duration::ZERO,
            began: None,
            ended: None,
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

    /// The thread is at work; `used` reads how much processor time it has used in total.
    pub fn works(&mut self, now: Time, used: impl FnOnce() -> Option<Duration>) {
        let (from, to) = self.window;
        if now >= from && self.began.is_none() {
            self.began = used().map(|used| (now, used));
        } else if now >= to && self.ended.is_none() {
            self.ended = used().map(|used| (now, used));
        }
    }

    /// The fraction of a processor that the thread used in the window.
    fn cpu(&self) -> Option<f64> {
        let ((from, before), (to, after)) = (self.began?, self.ended?);
        (to > from).then(|| (after.secs() - before.secs()) / to.since(from).secs())
    }

    /// Counting ends at `end`, by when the thread has used this much processor time.
    pub fn finish(mut self, end: Time, used: Option<Duration>, real_time: bool) -> Audit {
        self.ended = self.ended.or(used.map(|used| (end, used)));
        let cpu = self.cpu();
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
            cpu,
            real_time,
            oversized: self.oversized,
            unseen: 0,
            idle: None,
            held: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn at(after: u64) -> Time {
        Time::ZERO + ms(after)
    }

    /// A thread that waits awake uses the processor, though it is not busy.
    #[test]
    fn processor_time_counts_in_the_window() {
        let new = || Auditor::of((at(1_000), at(3_000)), ms(1));
        let is = |cpu: Option<f64>, part: f64| cpu.is_some_and(|cpu| (cpu - part).abs() < 1e-9);
        let mut auditor = new();
        for (now, used) in
            [(500, 400), (1_000, 500), (2_000, 1_000), (3_000, 2_000), (3_500, 2_500)]
        {
            auditor.works(at(now), || Some(ms(used)));
        }
        let audit = auditor.finish(at(4_000), Some(ms(3_000)), true);
        // 0.5 s until 1 s, 2 s until 3 s
        assert!(audit.busy == 0.0 && is(audit.cpu, 0.75), "{audit:?}");
        // it stops before the window ends
        let mut auditor = new();
        auditor.works(at(1_000), || Some(ms(500)));
        let audit = auditor.finish(at(2_000), Some(ms(750)), true);
        assert!(is(audit.cpu, 0.25), "{audit:?}");
        assert_eq!(new().finish(at(500), Some(ms(1)), true).cpu, None);
    }
}
