//! The events of a connection: round trips, ACKs and losses, with times in whole microseconds.

use tusker_core::congestion::{Ack, Congestion, Controller, Options, Rtt, Signal, Timeout};
use tusker_core::{Duration, Rng, Time};

/// The largest window in segments, and the longest round trip in microseconds.
const MAX_WINDOW: f64 = (1_u32 << 22) as f64;
const MAX_RTT: f64 = 60e6;

/// One event that a transport reports.
pub(super) enum Event {
    Ack(Ack),
    Congestion(Congestion),
    Recovered(Time),
    Timeout(Timeout),
    Undo(Time),
}

/// Reports it.
pub(super) fn say(event: &Event, to: &mut dyn Controller) {
    match event {
        Event::Ack(ack) => to.on_ack(ack),
        Event::Congestion(congestion) => to.on_congestion(congestion),
        Event::Recovered(now) => to.on_recovered(*now),
        Event::Timeout(timeout) => to.on_timeout(timeout),
        Event::Undo(now) => to.on_undo(*now),
    }
}

/// A number of any magnitude between these.
fn any_size(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low * (high / low).powf(rng.unit())
}

/// A start in slow start or outside it, with a window of any magnitude.
pub(super) fn options(rng: &mut Rng) -> Options {
    let initial_window =
        if rng.unit() < 0.5 { 10.0 } else { any_size(rng, 1.0, MAX_WINDOW).floor() };
    let initial_ssthresh =
        if rng.unit() < 0.4 { f64::INFINITY } else { any_size(rng, 2.0, MAX_WINDOW).floor() };
    Options { initial_window, initial_ssthresh, max_window: MAX_WINDOW, ..Options::default() }
}

/// How round trips behave for a while.
enum Rtts {
    Constant,
    /// Changes of at most this much from one ACK to the next.
    Walk(f64),
    /// A queue that grows (or drains) by this much per ACK, with noise.
    Queue(f64, f64),
    /// Anything up to this much above the base.
    Jitter(f64),
}

/// Until how many steps from now, and the pattern until then.
struct Phase {
    left: u64,
    rtts: Rtts,
    /// Between ACKs, in microseconds.
    gap: f64,
    credit: u32,
    duplicates: f64,
    app_limited: bool,
    samples: bool,
    losses: f64,
}

/// A connection's clock, path and state.
pub(super) struct World {
    now: u64,
    base: f64,
    rtt: f64,
    srtt: f64,
    min: u64,
    /// Added to forward delays: the receiver has a different clock.
    apart: i64,
    /// Part of the queue that is on the forward path.
    forward: f64,
    phase: Phase,
    /// When the last round started.
    round: u64,
    /// ACKs until a recovery ends.
    recovering: Option<u32>,
    timeouts: u32,
    shrunk: bool,
}

impl World {
    /// `agree`: both ends share one clock.
    pub(super) fn new(rng: &mut Rng, agree: bool) -> Self {
        let longest = if rng.unit() < 0.9 { 1e6 } else { MAX_RTT / 2.0 };
        let base = any_size(rng, 10.0, longest);
        Self {
            now: 1 + any_size(rng, 1e6, 1e12) as u64,
            base,
            rtt: base,
            srtt: base,
            min: u64::MAX,
            apart: if agree { 0 } else { rng.range(-1e12, 1e12) as i64 },
            forward: rng.unit(),
            phase: Phase::new(rng, base, 10.0),
            round: 0,
            recovering: None,
            timeouts: 0,
            shrunk: false,
        }
    }

    /// The next event for a window of `cwnd`.
    pub(super) fn next(&mut self, rng: &mut Rng, cwnd: f64) -> Event {
        if self.phase.left == 0 {
            self.phase = Phase::new(rng, self.base, cwnd);
        }
        self.phase.left -= 1;
        if rng.unit() < 5e-4 {
            // idle: a millisecond to a day
            self.now += any_size(rng, 1e3, 8.64e10) as u64;
        }
        let now = Time::from_nanos(1_000 * self.now);
        if let Some(left) = self.recovering {
            self.recovering = left.checked_sub(1);
            if self.recovering.is_none() {
                return Event::Recovered(now);
            }
        }
        let chance = rng.unit() / self.phase.losses;
        let flight = match rng.unit() {
            ..0.1 => u32::MAX,
            0.1..0.2 => (rng.unit() * cwnd) as u32,
            _ => cwnd as u32,
        };
        match chance {
            ..1.0 if self.recovering.is_none() => {
                self.recovering = Some(rng.exponential(20.0) as u32);
                self.shrunk = true;
                let signal = if rng.unit() < 0.8 { Signal::Loss } else { Signal::Mark };
                Event::Congestion(Congestion { now, signal, flight })
            }
            1.0..1.1 => {
                self.recovering = None;
                self.shrunk = true;
                self.timeouts = if rng.unit() < 0.3 { self.timeouts + 1 } else { 0 };
                let first = self.timeouts == 0;
                Event::Timeout(Timeout { now, flight, in_flight: 0, first })
            }
            1.1..1.3 if self.shrunk => {
                self.shrunk = false;
                Event::Undo(now)
            }
            _ => Event::Ack(self.ack(rng, cwnd)),
        }
    }

    fn ack(&mut self, rng: &mut Rng, cwnd: f64) -> Ack {
        self.timeouts = 0;
        self.now += rng.exponential(self.phase.gap).round() as u64;
        self.rtt = match self.phase.rtts {
            Rtts::Constant => self.rtt,
            Rtts::Walk(step) => self.rtt + rng.range(-step, step),
            Rtts::Queue(slope, noise) => self.rtt + slope + rng.range(-noise, noise),
            Rtts::Jitter(most) => self.base + rng.range(0.0, most),
        }
        .clamp(self.base, MAX_RTT.min(10.0 * self.base + 1e5));
        let rtt = self.rtt.round().max(1.0) as u64;
        let departed = self.now.saturating_sub(rtt);
        let sampled = self.phase.samples || rng.unit() < 0.5;
        if sampled {
            self.srtt += (self.rtt - self.srtt) / 8.0;
            self.min = self.min.min(rtt);
        }
        let round_start = departed >= self.round;
        if round_start {
            self.round = self.now;
        }
        let credit = match rng.unit() < self.phase.duplicates {
            true => 0,
            false => 1 + (f64::from(self.phase.credit) * rng.unit()) as u32,
        };
        let micros = |us: u64| Duration::from_nanos(1_000 * us);
        let forward = self.base / 2.0 + self.forward * (self.rtt - self.base);
        let forward = (forward as i64 + self.apart).wrapping_mul(1_000).cast_unsigned();
        Ack {
            now: Time::from_nanos(1_000 * self.now),
            acked: credit.max((rng.unit() * 2.0) as u32),
            credit: f64::from(credit),
            in_flight: cwnd as u32,
            rtt: sampled.then(|| Rtt {
                latest: micros(rtt),
                smoothed: micros(self.srtt as u64),
                min: micros(self.min),
                forward: Some(Duration::from_nanos(forward)),
            }),
            departed: Time::from_nanos(1_000 * departed),
            round_start,
            cwnd_limited: !self.phase.app_limited,
            ..Ack::default()
        }
    }
}

impl Phase {
    fn new(rng: &mut Rng, base: f64, cwnd: f64) -> Self {
        let scale = any_size(rng, 1e-4, 1.0) * base;
        let rtts = match rng.unit() {
            ..0.15 => Rtts::Constant,
            0.15..0.4 => Rtts::Walk(scale),
            0.4..0.8 => {
                // from trends hidden by noise to obvious ones
                let slope = any_size(rng, 1e-4, 0.1) * scale;
                let slope = if rng.unit() < 0.6 { slope } else { -slope };
                Rtts::Queue(slope, if rng.unit() < 0.3 { 0.0 } else { scale })
            }
            _ => Rtts::Jitter(scale),
        };
        let credit = if rng.unit() < 0.8 { 1 } else { (64.0 * rng.unit()) as u32 };
        let clocked = base * f64::from(credit.max(1)) / cwnd;
        Self {
            left: any_size(rng, 10.0, 3e3) as u64,
            rtts,
            gap: if rng.unit() < 0.7 { clocked } else { any_size(rng, 1.0, 2.0 * base) },
            credit,
            duplicates: if rng.unit() < 0.8 { 0.01 } else { 0.3 },
            app_limited: rng.unit() < 0.1,
            samples: rng.unit() < 0.9,
            losses: any_size(rng, 1e-5, 1e-2),
        }
    }
}
