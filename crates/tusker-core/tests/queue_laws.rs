//! What holds for every queue policy of the registry, whatever the traffic, the
//! link and the parameters. A policy added to the registry is tested here
//! without a change to this file.

use std::collections::VecDeque;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use tusker_core::queue::{ALL, Aqm, Backlog, Departing, Header, Link, Meta, Policy, Verdict};
use tusker_core::{Bytes, Duration, Params, Rate, Rng, Sheet, Time};

/// proptest prints the smallest failing input; this seed finds it again.
const SEED: u64 = 1993;

/// A packet's worth of life at a queue.
#[derive(Clone, Debug)]
enum Step {
    /// So many packets at once.
    Arrivals(u32),
    /// So many transmissions end, one mean packet time apart.
    Departures(u32),
    /// Nothing arrives for so long; the link sends what it has, then is idle.
    Silence(Duration),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1..100_u32).prop_map(Step::Arrivals),
        (1..100_u32).prop_map(Step::Departures),
        (0..2_000_000_000_u64).prop_map(|ns| Step::Silence(Duration::from_nanos(ns))),
    ];
    prop::collection::vec(step, 1..100)
}

/// Where in its range a parameter lies.
fn choices() -> impl Strategy<Value = [f64; Params::CAPACITY]> {
    prop::array::uniform16(prop_oneof![Just(-1.0), Just(0.0), Just(1.0), 0.0..1.0])
}

/// The sheet's parameters at these places; small values are as likely as large
/// ones. All at their defaults if these do not fit together.
fn params(sheet: &Sheet, choices: &[f64]) -> Params {
    let mut params = Params::defaults(sheet.params);
    for (p, at) in sheet.params.iter().zip(choices) {
        if *at >= 0.0 {
            let skew = if p.max > 1e6 { 24 } else { 4 };
            let value = p.min + (p.max - p.min) * at.powi(skew);
            params.set(p.name, value).expect("within its bounds");
        }
    }
    match Policy::check(sheet.name, &params) {
        Ok(()) => params,
        Err(_) => Params::defaults(sheet.params),
    }
}

/// A queue of packets that only counts them, with the policy in front.
struct Queue {
    policy: Policy,
    rng: Rng,
    now: Time,
    packet: Bytes,
    packet_time: Duration,
    limit: u32,
    /// When each packet that waits has arrived.
    waiting: VecDeque<Time>,
    idle_since: Option<Time>,
    longest: u32,
    names: Vec<&'static str>,
    verdicts: Vec<Verdict>,
}

impl Queue {
    fn new(name: &str, params: &Params, link: &Link, limit: u32) -> Self {
        let policy = Policy::new(name, params, link).expect("in the registry");
        let names = inner(&policy).into_iter().map(|(name, _)| name).collect();
        Self {
            policy,
            rng: Rng::named(SEED, name),
            now: Time::ZERO,
            packet: link.mean_packet,
            packet_time: link.rate.time_for(link.mean_packet),
            limit,
            waiting: VecDeque::new(),
            idle_since: Some(Time::ZERO),
            longest: 0,
            names,
            verdicts: Vec::new(),
        }
    }

    fn arrival(&mut self) -> Result<(), TestCaseError> {
        let p = Meta { size: self.packet, ecn_capable: self.verdicts.len().is_multiple_of(2) };
        let q = self.backlog();
        let verdict = self.policy.on_arrival(&p, &q, self.now, &mut self.rng);
        self.verdicts.push(verdict);
        if self.idle_since.is_some() {
            // no source of any policy here has it otherwise, whatever came before
            prop_assert_eq!(verdict, Verdict::Pass, "at an idle link");
        }
        if verdict == Verdict::Drop {
            return Ok(());
        }
        if self.idle_since.is_some() {
            self.write(&p)?;
            self.waiting.push_back(self.now);
            return self.departure();
        }
        if self.waiting.len() < self.limit as usize {
            self.waiting.push_back(self.now);
            self.write(&p)?;
        } else {
            self.policy.on_overflow();
        }
        self.longest = self.longest.max(self.waiting.len() as u32);
        Ok(())
    }

    /// Two of three packets carry a header: short and long round trips, small and
    /// large windows, with and without another router before.
    fn write(&mut self, p: &Meta) -> Result<(), TestCaseError> {
        if !self.policy.writes() {
            return Ok(());
        }
        let n = self.verdicts.len() as u64;
        let ms = |ms| Some(Duration::from_millis(ms));
        let mut header = match n % 3 {
            0 => return Ok(()),
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
                prop_assert!(before <= load && load <= 3, "load {load}");
            }
            (Header::Xcp { feedback: before, .. }, Header::Xcp { feedback, .. }) => {
                let most = before.unwrap_or(f64::INFINITY);
                let told = feedback.unwrap_or(0.0);
                prop_assert!(told.is_finite() && told <= most, "{told} segments, before {most}");
            }
            _ => prop_assert!(false, "another header: {header:?}"),
        }
        Ok(())
    }

    fn backlog(&self) -> Backlog {
        let packets = self.waiting.len() as u32;
        let bytes = Bytes::new(self.packet.get() * u64::from(packets));
        Backlog { packets, bytes, idle_since: self.idle_since }
    }

    /// The link is free: it takes the next packet that the policy lets pass.
    fn departure(&mut self) -> Result<(), TestCaseError> {
        while let Some(arrived) = self.waiting.pop_front() {
            self.idle_since = None;
            let can_mark = self.verdicts.len().is_multiple_of(3);
            let p = Departing { size: self.packet, can_mark, arrived };
            let q = self.backlog();
            let verdict = self.policy.on_departure(&p, &q, self.now, &mut self.rng);
            self.verdicts.push(verdict);
            if q.packets == 0 {
                // RFC 8289, section 5: "bytes() <= maxpacket_" is below target
                prop_assert_eq!(verdict, Verdict::Pass, "the last packet of a queue");
            }
            if verdict == Verdict::Pass || (verdict == Verdict::Signal && can_mark) {
                return Ok(());
            }
        }
        if self.idle_since.is_none() {
            self.idle_since = Some(self.now);
            self.policy.on_empty(self.now);
        }
        Ok(())
    }

    fn pass(&mut self, span: Duration) -> Result<(), TestCaseError> {
        self.now += span;
        while self.policy.poll_at() <= self.now {
            let due = self.policy.poll_at();
            let q = self.backlog();
            self.policy.on_poll_with(due, &q);
            prop_assert!(self.policy.poll_at() > due, "poll_at stays at {due:?}");
        }
        Ok(())
    }

    fn live(&mut self, step: &Step) -> Result<(), TestCaseError> {
        match step {
            Step::Arrivals(n) => (0..*n).try_for_each(|_| self.arrival()),
            Step::Departures(n) => (0..*n).try_for_each(|_| {
                self.pass(self.packet_time)?;
                self.departure()
            }),
            Step::Silence(span) => {
                for _ in 0..=self.waiting.len() {
                    self.departure()?;
                }
                self.pass(*span)
            }
        }
    }

    /// What the policy shows of itself is sane.
    fn look(&self, params: &Params) -> Result<(), TestCaseError> {
        let inner = inner(&self.policy);
        prop_assert!(inner.iter().map(|(name, _)| name).eq(&self.names), "names change: {inner:?}");
        let given = |name| params.iter().find(|(p, _)| p.name == name).map(|(_, value)| value);
        for (name, value) in inner {
            prop_assert!(value.is_finite() && value >= 0.0, "{name} = {value}");
            let most = match name {
                // rounding may add a few last bits to a mean
                "avg" => f64::from(self.longest) * (1.0 + 1e-12),
                "p_b" | "drop_prob" | "dropping" => 1.0,
                "max_p" => given("top").or(given("max_p")).unwrap_or(1.0),
                _ => f64::MAX,
            };
            prop_assert!(value <= most, "{name} = {value}, more than {most}");
            if name == "max_p" {
                let least = match (given("bottom"), given("top")) {
                    (Some(bottom), _) => bottom,
                    (None, Some(_)) => f64::MIN_POSITIVE,
                    (None, None) => most,
                };
                prop_assert!(value >= least, "max_p = {value}, less than {least}");
            }
        }
        Ok(())
    }
}

fn inner(policy: &Policy) -> Vec<(&'static str, f64)> {
    let mut seen = Vec::new();
    policy.inspect(&mut |name, value| seen.push((name, value)));
    seen
}

proptest! {
    #![proptest_config(Config {
        cases: 1024,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn every_policy_stays_sane_under_any_traffic(
        steps in steps(),
        choices in choices(),
        rate in prop_oneof![
            Just(64_000_u64), Just(100_000_000), Just(2_500_000_000), Just(100_000_000_000)
        ],
        packet in prop_oneof![Just(40_u64), Just(1500), Just(9000)],
        limit in prop_oneof![Just(0_u32), Just(1), Just(50), Just(10_000)],
    ) {
        let link = Link {
            rate: Rate::from_bits_per_sec(rate),
            mean_packet: Bytes::new(packet),
        };
        for sheet in ALL {
            let params = params(sheet, &choices);
            let mut queue = Queue::new(sheet.name, &params, &link, limit);
            let mut again = Queue::new(sheet.name, &params, &link, limit);
            for step in &steps {
                queue.live(step)?;
                again.live(step)?;
                queue.look(&params)?;
            }
            prop_assert_eq!(queue.verdicts, again.verdicts, "same seed, other verdicts");
        }
    }
}

#[test]
fn every_sheet_can_be_used_as_it_stands() {
    for sheet in ALL {
        let name = sheet.name;
        let defaults = Params::defaults(sheet.params);
        assert_eq!(Policy::check(name, &defaults), Ok(()), "{name}");
        for p in sheet.params {
            assert!((p.min..=p.max).contains(&p.default), "{name}: default of {}", p.name);
            assert!(!p.about.is_empty(), "{name}: about of {}", p.name);
        }
        let alone = ALL.iter().filter(|other| other.name == name).count() == 1;
        assert!(alone, "{name} is in the registry twice");
    }
}

/// `(some_test_name)` in a sheet's `differs` names a test that exists.
#[test]
fn every_difference_names_a_test_that_exists() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = source(&here.join("src/queue")) + &source(&here.join("tests"));
    let mut names = 0;
    for sheet in ALL {
        let inner = sheet.differs.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
        for name in inner.flat_map(|(inside, _)| inside.split(", ")) {
            // parentheses hold plain words as well; a test's name has three words or more
            if !name.contains(' ') && name.matches('_').count() >= 2 {
                let wanted = format!("#[test]\n    fn {name}(");
                let outer = format!("#[test]\nfn {name}(");
                let exists = source.contains(&wanted) || source.contains(&outer);
                assert!(exists, "{}: no test {name}", sheet.name);
                names += 1;
            }
        }
    }
    assert!(names > 0, "no sheet names a test: is the pattern still right?");
}

fn source(folder: &std::path::Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all += &source(&path);
        } else {
            all += &std::fs::read_to_string(&path).expect("a source file");
        }
    }
    all
}
