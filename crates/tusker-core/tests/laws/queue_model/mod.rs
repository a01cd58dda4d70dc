//! A queue that only counts packets, with a policy in front: whatever the traffic,
//! the policy must behave. It does not signal at an idle link, never drops the last
//! packet of a queue, and shows only finite values. The caller (a property test, a
//! fuzzer) chooses the steps.

use std::collections::VecDeque;

use tusker_core::params::Need;
use tusker_core::queue::{
    Aqm, Backlog, Departing, Header, Heads, Kind, Link, Meta, Policy, Spec, Verdict,
};
use tusker_core::spec::{Kind as _, SpecError};
use tusker_core::{Bytes, Duration, Rng, Time};

/// Seeds the random choices of a policy.
pub const SEED: u64 = 1993;

/// One step in the life of a queue.
#[derive(Clone, Debug)]
pub enum Step {
    /// This many packets arrive at once.
    Arrivals(u32),
    /// This many transmissions end, one mean packet time apart.
    Departures(u32),
    /// Nothing arrives for this long; the link sends what it has, then is idle.
    Silence(Duration),
}

/// A policy with its parameters at these positions of their ranges; small values
/// are as likely as large ones. If they are inconsistent, all are at their
/// defaults.
pub fn spec(kind: Kind, choices: &[f64]) -> Spec {
    let places = kind.sheet().params.iter().zip(choices).filter(|(_, at)| **at >= 0.0);
    let given = places.map(|(p, at)| {
        let skew = if p.max > 1e6 { 24.0 } else { 4.0 };
        (p.name, p.min + (p.max - p.min) * libm::pow(*at, skew))
    });
    match Spec::with(kind, given) {
        Err(SpecError::Rule(_)) => Spec::new(kind),
        spec => spec.expect("within its bounds"),
    }
}

/// A queue of packets that only counts them, with the policy in front.
pub struct Queue {
    policy: Policy,
    rng: Rng,
    now: Time,
    packet: Bytes,
    packet_time: Duration,
    limit: u32,
    /// When each packet that waits has arrived.
    waiting: VecDeque<Time>,
    /// It has a token bucket: what is not in there does not pass.
    bucket: bool,
    /// It marks what has waited for long, even the last packet of a queue.
    ce_threshold: bool,
    idle_since: Option<Time>,
    longest: u32,
    names: Vec<&'static str>,
    pub verdicts: Vec<Verdict>,
}

impl Queue {
    pub fn new(spec: &Spec, link: &Link, limit: u32) -> Self {
        let policy = Policy::new(spec, link);
        let names = inner(&policy).into_iter().map(|(name, _)| name).collect();
        Self {
            policy,
            rng: Rng::named(SEED, spec.name()),
            now: Time::ZERO,
            packet: link.mean_packet,
            packet_time: link.rate.time_for(link.mean_packet),
            limit,
            waiting: VecDeque::new(),
            bucket: spec.value("burst").is_some(),
            ce_threshold: spec.value("ce_threshold").is_some_and(|time| time > 0.0),
            idle_since: Some(Time::ZERO),
            longest: 0,
            names,
            verdicts: Vec::new(),
        }
    }

    fn arrival(&mut self) {
        let p =
            Meta { size: self.packet, ecn_capable: self.verdicts.len().is_multiple_of(2), dscp: 0 };
        let q = self.backlog();
        let verdict = self.policy.on_arrival(&p, &q, self.now, &mut self.rng);
        self.verdicts.push(verdict);
        if self.idle_since.is_some() {
            // this holds for all policies here, whatever came before
            let exceeds = self.bucket && verdict == Verdict::Drop;
            assert!(exceeds || verdict == Verdict::Pass, "at an idle link: {verdict:?}");
        }
        if verdict == Verdict::Drop {
            return;
        }
        if self.idle_since.is_some() {
            self.write(&p);
            self.waiting.push_back(self.now);
            self.departure();
            return;
        }
        if self.waiting.len() < self.limit as usize {
            self.waiting.push_back(self.now);
            self.write(&p);
        } else {
            self.policy.on_overflow();
        }
        self.longest = self.longest.max(self.waiting.len() as u32);
    }

    /// Two of three packets carry a header: short and long round trips, small and
    /// large windows, with and without another router before.
    fn write(&mut self, p: &Meta) {
        if !self.policy.needs(Need::Headers) {
            return;
        }
        let n = self.verdicts.len() as u64;
        let ms = |ms| Some(Duration::from_millis(ms));
        let mut header = match n % 3 {
            0 => return,
            1 => Header::Vcp { load: (n % 4) as u8 },
            _ => Header::Xcp {
                cwnd: [1.0, 10.0, 1e5][n as usize % 5 % 3],
                rtt: [None, ms(1), ms(100), ms(10_000)][n as usize % 4],
                feedback: [None, Some(2.0), Some(-0.5)][n as usize % 7 % 3],
            },
        };
        let before = header;
        self.policy.write(&mut header, p);
        match (before, header) {
            (Header::Vcp { load: before }, Header::Vcp { load }) => {
                assert!(before <= load && load <= 3, "load {load}");
            }
            (Header::Xcp { feedback: before, .. }, Header::Xcp { feedback, .. }) => {
                let most = before.unwrap_or(f64::INFINITY);
                let told = feedback.unwrap_or(0.0);
                assert!(told.is_finite() && told <= most, "{told} segments, before {most}");
            }
            _ => panic!("another header: {header:?}"),
        }
    }

    fn backlog(&self) -> Backlog {
        let packets = self.waiting.len() as u32;
        let bytes = Bytes::new(self.packet.get() * u64::from(packets));
        Backlog { packets, bytes, idle_since: self.idle_since }
    }

    /// The link is free: it takes the next packet that the policy lets pass.
    fn departure(&mut self) {
        while let Some(arrived) = self.waiting.pop_front() {
            self.idle_since = None;
            let can_mark = self.verdicts.len().is_multiple_of(3);
            let q = self.backlog();
            let is_l4s = self.policy.two_queues().is_some() && can_mark;
            let l4s = is_l4s.then_some(q.packets);
            let p = Departing { size: self.packet, can_mark, arrived, l4s };
            let verdict = self.policy.on_departure(&p, &q, self.now, &mut self.rng);
            self.verdicts.push(verdict);
            if q.packets == 0 {
                // RFC 8289, section 5: "bytes() <= maxpacket_" is below target; CAKE marks it,
                // but does not drop it either
                let marks = self.policy.cake_queues().is_some() || self.ce_threshold;
                let marks = marks && can_mark;
                let kept = verdict == Verdict::Pass || (marks && verdict == Verdict::Signal);
                assert!(kept, "the last packet of a queue: {verdict:?}");
            }
            if verdict == Verdict::Pass || (verdict == Verdict::Signal && can_mark) {
                return;
            }
        }
        if self.idle_since.is_none() {
            self.idle_since = Some(self.now);
            self.policy.on_empty(self.now);
        }
    }

    fn pass(&mut self, span: Duration) {
        self.now += span;
        while self.policy.poll_at() <= self.now {
            let due = self.policy.poll_at();
            let q = self.backlog();
            let first = self.waiting.front().copied();
            let heads = match self.verdicts.len() % 3 {
                0 => Heads { l4s: first, classic: None },
                1 => Heads { l4s: None, classic: first },
                _ => Heads { l4s: first, classic: first },
            };
            if self.policy.needs(Need::TwoQueues) {
                self.policy.on_heads(&heads);
            }
            self.policy.on_poll(due, &q);
            assert!(self.policy.poll_at() > due, "poll_at stays at {due:?}");
        }
    }

    pub fn live(&mut self, step: &Step) {
        match step {
            Step::Arrivals(n) => (0..*n).for_each(|_| self.arrival()),
            Step::Departures(n) => (0..*n).for_each(|_| {
                self.pass(self.packet_time);
                self.departure();
            }),
            Step::Silence(span) => {
                for _ in 0..=self.waiting.len() {
                    self.departure();
                }
                self.pass(*span);
            }
        }
    }

    /// The values that the policy shows are sane.
    pub fn look(&self, spec: &Spec) {
        let inner = inner(&self.policy);
        assert!(inner.iter().map(|(name, _)| name).eq(&self.names), "names change: {inner:?}");
        for (name, value) in inner {
            assert!(value.is_finite() && value >= 0.0, "{name} = {value}");
            let most = match name {
                // rounding may add a few last bits to a mean
                "avg" => f64::from(self.longest) * (1.0 + 1e-12),
                "p_b" | "drop_prob" | "dropping" | "p" | "p_l" | "p_c" => 1.0,
                "max_p" => spec.value("top").or(spec.value("max_p")).unwrap_or(1.0),
                _ => f64::MAX,
            };
            assert!(value <= most, "{name} = {value}, more than {most}");
            if name == "max_p" {
                let least = match (spec.value("bottom"), spec.value("top")) {
                    (Some(bottom), _) => bottom,
                    (None, Some(_)) => f64::MIN_POSITIVE,
                    (None, None) => most,
                };
                assert!(value >= least, "max_p = {value}, less than {least}");
            }
        }
    }
}

fn inner(policy: &Policy) -> Vec<(&'static str, f64)> {
    let mut seen = Vec::new();
    policy.inspect(&mut |name, value| seen.push((name, value)));
    seen
}
