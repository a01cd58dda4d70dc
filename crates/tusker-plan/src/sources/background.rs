//! UDP without congestion control: at a constant rate, or with exponential on and off times.

use crate::plan::{self, Pattern};
use crate::streams;
use tusker_core::{Bytes, Rate, Rng, Time};

/// A source of background packets.
#[derive(Clone, Debug)]
pub struct Background {
    /// Nanoseconds between packets while on. A fraction is kept: the mean rate
    /// does not drift.
    gap: f64,
    rhythm: Rhythm,
    /// The next departure in nanoseconds.
    next: f64,
    /// End of the current on period in nanoseconds.
    on_until: f64,
    stop: Time,
    /// Nothing after this time, in nanoseconds, is needed.
    end: f64,
    /// Whether `next` is the departure of the next packet, not only a lower bound.
    settled: bool,
    rng: Rng,
    /// Packets sent.
    pub sent: u64,
}

#[derive(Clone, Copy, Debug)]
enum Rhythm {
    /// Each gap varies by up to this fraction.
    Steady(f64),
    /// Exponential periods of these means in nanoseconds.
    OnOff { on: f64, off: f64 },
}

impl Background {
    /// A source in an experiment until `end`.
    pub fn new(source: &plan::Background, seed: u64, end: Time) -> Self {
        let start = source.start.time(seed, &source.name);
        Self::starting(source, start, end, streams::background(seed, &source.name))
    }

    fn starting(source: &plan::Background, start: Time, end: Time, mut rng: Rng) -> Self {
        let start = start.nanos() as f64;
        let (mut next, mut on_until) = (start, f64::INFINITY);
        let rhythm = match source.pattern {
            Pattern::Constant { jitter } => Rhythm::Steady(jitter),
            Pattern::Vbr { share: 1.0, .. } => Rhythm::Steady(0.0),
            Pattern::Vbr { share: 0.0, .. } => {
                next = f64::INFINITY;
                Rhythm::Steady(0.0)
            }
            Pattern::OnOff { on, off } => {
                on_until = start + rng.exponential(on.nanos() as f64);
                Rhythm::OnOff { on: on.nanos() as f64, off: off.nanos() as f64 }
            }
            Pattern::Vbr { share, period } => {
                // exponential periods have no memory: in the middle they are as at
                // the start
                let period = period.nanos() as f64;
                let (on, off) = (share * period, (1.0 - share) * period);
                if rng.unit() >= share {
                    next += rng.exponential(off);
                }
                on_until = next + rng.exponential(on);
                Rhythm::OnOff { on, off }
            }
        };
        Self {
            gap: gap(source.rate, source.packet),
            rhythm,
            next,
            on_until,
            stop: source.stop.unwrap_or(Time::NEVER),
            end: source.stop.unwrap_or(end).min(end).nanos() as f64,
            settled: true,
            rng,
            sent: 0,
        }
    }

    /// When the next packet leaves; never after the stop.
    pub fn next(&self) -> Time {
        let at = Time::from_nanos(self.next as u64);
        if at < self.stop { at } else { Time::NEVER }
    }

    /// The next packet leaves. Call [`Self::settle`] afterwards.
    pub fn on_sent(&mut self) {
        self.sent += 1;
        match self.rhythm {
            Rhythm::Steady(jitter) if jitter > 0.0 => {
                self.next += self.gap * self.rng.range(1.0 - jitter, 1.0 + jitter);
            }
            Rhythm::Steady(_) => self.next += self.gap,
            Rhythm::OnOff { .. } => {
                self.next += self.gap;
                self.settled = false;
            }
        }
    }

    /// Advances by at most this many periods towards the next packet; returns
    /// whether it is reached. Call this until it is.
    pub fn settle(&mut self, most: u64) -> bool {
        let Rhythm::OnOff { on, off } = self.rhythm else { return true };
        for _ in 0..most {
            if self.next < self.on_until || self.on_until > self.end {
                self.settled = true;
                break;
            }
            // the rest of the gap continues in the next on period
            let rest = self.next - self.on_until;
            let begin = self.on_until + self.rng.exponential(off);
            self.next = begin + rest;
            self.on_until = begin + self.rng.exponential(on);
        }
        self.settled
    }

    /// Whether the departure of the next packet is known.
    pub fn is_settled(&self) -> bool {
        self.settled
    }
}

fn gap(rate: Rate, packet: Bytes) -> f64 {
    packet.get() as f64 * 8.0 * 1e9 / rate.bits_per_sec() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Duration;

    fn sent_in(pattern: Pattern, seconds: u64) -> u64 {
        let source = plan::Background {
            name: "udp".into(),
            route: vec![],
            rate: Rate::from_bits_per_sec(12_000_000),
            packet: Bytes::new(1500),
            dscp: 0,
            pattern,
            start: plan::Start::At(Time::ZERO),
            stop: None,
        };
        let end = Time::from_nanos(seconds * 1_000_000_000);
        let mut source = Background::starting(&source, Time::ZERO, end, Rng::named(5, "udp"));
        while source.next() < end {
            source.on_sent();
            while !source.settle(3) {}
        }
        source.sent
    }

    #[test]
    fn a_constant_rate_is_exact() {
        // 12 Mbit/s / 12,000 bit = 1000 packets a second
        assert_eq!(sent_in(Pattern::Constant { jitter: 0.0 }, 10), 10_000);
        // jitter: sd of a gap 0.5/sqrt(3) = 0.29; of 10,000 gaps together 29
        assert!(sent_in(Pattern::Constant { jitter: 0.5 }, 10).abs_diff(10_000) < 100);
    }

    #[test]
    fn on_off_sends_its_share() {
        // on a third of the time; 20,000 periods of 30 ms: sd about 1.3 %
        let (on, off) = (Duration::from_millis(10), Duration::from_millis(20));
        let sent = sent_in(Pattern::OnOff { on, off }, 600);
        assert!((sent as f64 / 200_000.0 - 1.0).abs() < 0.04, "{sent}");
    }

    /// Periods of 100 ms, 600 s: 6000 of them. On and off times vary as much as
    /// their means, so that the share varies by sqrt(2/6000) (1 - share) = 1.8 %
    /// of itself at most; three of those are allowed. All and nothing are exact.
    #[test]
    fn vbr_sends_its_share() {
        let period = Duration::from_millis(100);
        for share in [0.0, 0.1, 0.5, 0.9, 1.0] {
            let sent = sent_in(Pattern::Vbr { share, period }, 600) as f64 / 600_000.0;
            let deviation = (2.0_f64 / 6000.0).sqrt() * (1.0 - share);
            println!("share {share}: {sent}");
            if share == 0.0 || share == 1.0 {
                assert_eq!(sent, share);
            } else {
                assert!((sent / share - 1.0).abs() < 3.0 * deviation, "{share}: {sent}");
            }
        }
    }
}
