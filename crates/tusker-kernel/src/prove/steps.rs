//! Takes the Rust version and the C version of a law, side by side, through the same random
//! steps.
//!
//! A connection starts with random legal parameters and goes through phases. In each phase
//! round trips follow one pattern and ACKs arrive at one pace, while losses, marks,
//! timeouts, undos and idle times occur at random (see `world`). Both laws receive the same
//! events. Their states are compared after every step. If their modes differ, the
//! connection is counted and ends, because from then on the laws legitimately do different
//! things.

mod world;

use std::fmt;

use tusker_core::congestion::{Algorithm, Controller, Spec, Timeout};
use tusker_core::{Param, Rng};

use crate::host::{Controlled, HostLaw, Number, units};
use world::{Event, World, say};

/// The tolerance for windows: this relative difference ...
pub const RELATIVE: f64 = 1e-3;
/// ... or this many segments.
pub const SEGMENTS: f64 = 1.0;
/// The share of decisions in which modes must agree.
pub const AGREE: f64 = 0.999;

/// How far the two laws were apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// The seed that reproduces these steps.
    pub seed: u64,
    /// Steps of all connections.
    pub steps: u64,
    /// Connections.
    pub connections: u64,
    /// The largest difference of a window or threshold, relative to it ...
    pub worst_relative: f64,
    /// ... and in segments.
    pub worst_absolute: f64,
    /// Steps at which it exceeded both [`RELATIVE`] and [`SEGMENTS`].
    pub outside: u64,
    /// Decisions between alternatives: gHSTCP's for a mode, once per window of segments;
    /// HCC's, which looks up its table once per round trip; Illinois's for an alpha, once
    /// per round trip, by whether delay is below d1; H-TCP's for a beta, once per loss, by
    /// whether its throughput was steady. Other laws have none.
    pub decisions: u64,
    /// How often the law in Rust changed its decision, for whatever reason.
    pub changes: u64,
    /// Steps after which the decision differed in C, each the last of its connection: if a
    /// number lies on the threshold, a rounding error decides.
    pub differ: u64,
    /// The first step outside the tolerance, or the first decision that differs.
    pub first: Option<String>,
}

impl Steps {
    /// Windows are close enough, and modes agree.
    pub fn hold(&self) -> bool {
        let agree = (self.decisions - self.differ.min(self.decisions)) as f64;
        self.outside == 0 && agree >= AGREE * self.decisions as f64
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, steps, connections, decisions, changes, differ, outside, .. } = self;
        write!(f, "{steps} steps of {connections} connections, seed {seed}: ")?;
        write!(f, "relative differences of windows up to {:.1e} ", self.worst_relative)?;
        write!(f, "and {:.1e} segments, {outside} outside", self.worst_absolute)?;
        if *decisions > 0 {
            write!(f, "; {decisions} decisions, {changes} changes, {differ} differ")?;
        }
        self.first.as_ref().map_or(Ok(()), |first| write!(f, "; {first}"))
    }
}

/// Runs the registry's law of this name and the one in C through this many steps. `None` if
/// there is no such law in C.
pub fn run(name: &str, seed: u64, steps: u64) -> Option<Steps> {
    run_bent(name, seed, steps, |_, _| ())
}

/// The same with the parameters of the law in C changed by `bend`, to check that
/// differences are detected.
pub fn run_bent(
    name: &str,
    seed: u64,
    steps: u64,
    bend: impl Fn(&[Number], &mut [u64]),
) -> Option<Steps> {
    let law = HostLaw::named(name)?;
    let numbers = law.params();
    let mut rng = Rng::named(seed, name);
    let mut found = Steps { seed, ..Steps::default() };
    while found.steps < steps {
        let spec = random_spec(name, &numbers, &mut rng);
        let options = world::options(&mut rng);
        let mut params = units(law, &spec).expect("only what the law in C has was set");
        bend(&numbers, &mut params);
        let rust = Algorithm::new(&spec, &options);
        let c = law.with_units(name, params, &options);
        let length = (10.0_f64.powf(rng.range(1.5, 4.0)) as u64).min(steps - found.steps);
        let decision = match name {
            "illinois" => ALPHA,
            "htcp" => BETA,
            _ => MODE,
        };
        Pair { rust, c, spec: &spec, decision, found: &mut found }.live(&mut rng, length);
        found.connections += 1;
    }
    Some(found)
}

/// Random legal parameters that fixed point can represent, half of them the defaults.
fn random_spec(name: &str, numbers: &[Number], rng: &mut Rng) -> Spec {
    let sheet = *Spec::named(name, []).expect("the registry has it").sheet();
    loop {
        let mut given = Vec::new();
        let moved = rng.unit() < 0.5;
        for param in sheet.params {
            let number = numbers.iter().find(|number| number.name == param.name);
            if let (Some(number), true) = (number, moved && rng.unit() < 0.5) {
                given.push((param.name, random_value(param, number, rng)));
            }
        }
        if let Ok(spec) = Spec::named(name, given) {
            return spec;
        }
    }
}

/// A whole number of units; for wide ranges every order of magnitude is equally likely.
fn random_value(param: &Param, number: &Number, rng: &mut Rng) -> f64 {
    let (min, max, one) = (param.min, param.max, number.one as f64);
    let value = match rng.unit() {
        ..0.1 => min,
        0.1..0.2 => max,
        _ if param.unit == "flag" || max < 100.0 * min.max(1e-3) => rng.range(min, max),
        _ => {
            let least = min.max(1e-6 * max);
            least * (max / least).powf(rng.unit())
        }
    };
    ((value * one).round() / one).clamp(min, max)
}

const MODE: &str = "mode";
const ALPHA: &str = "alpha";
const BETA: &str = "beta";

/// Both laws of a connection.
struct Pair<'a> {
    rust: Algorithm,
    c: Controlled,
    spec: &'a Spec,
    /// The internal value that shows the decision.
    decision: &'static str,
    found: &'a mut Steps,
}

impl Pair<'_> {
    fn live(&mut self, rng: &mut Rng, steps: u64) {
        // a known base requires clocks that agree
        let agree = self.spec.value("base_forward").is_some_and(|base| base > 0.0);
        let mut world = World::new(rng, agree);
        for _ in 0..steps {
            let (counted, before) = (self.counted(), self.decided(&self.rust));
            let event = world.next(rng, self.rust.cwnd());
            say(&event, &mut self.rust);
            say(&event, &mut self.c);
            self.found.steps += 1;
            if let (Some(rust), Some(c)) = (self.decided(&self.rust), self.decided(&self.c)) {
                self.found.decisions += match (self.counted(), counted) {
                    (Some(after), Some(before)) => after - before,
                    _ => u64::from(self.decides_at(&event)),
                };
                self.found.changes += u64::from(before != Some(rust));
                if (rust - c).abs() > RELATIVE * rust.max(1.0) {
                    self.found.differ += 1;
                    let decision = self.decision;
                    self.tell(|| format!("{decision} is {rust} in Rust, {c} in C"));
                    return;
                }
            }
            self.compare_windows();
        }
    }

    /// For laws that do not count their decisions.
    fn decides_at(&self, event: &Event) -> bool {
        match event {
            Event::Ack(ack) => self.decision != BETA && ack.round_start,
            Event::Congestion(_) | Event::Timeout(Timeout { first: true, .. }) => {
                self.decision == BETA
            }
            _ => false,
        }
    }

    /// Decisions that the law in Rust counts.
    fn counted(&self) -> Option<u64> {
        self.rust.two_modes().map(|modes| modes.modes().below.made)
    }

    /// The decision that `law` shows: a whole number, or a part of the window.
    fn decided(&self, law: &dyn Controller) -> Option<f64> {
        let mut decided = None;
        law.inspect(&mut |name, value| {
            if name == self.decision {
                decided = Some(value);
            }
        });
        decided
    }

    fn compare_windows(&mut self) {
        let (rust, c) = (&self.rust, &self.c);
        for (rust, c) in [(rust.cwnd(), c.cwnd()), (rust.ssthresh(), c.ssthresh())] {
            if rust == c {
                continue;
            }
            let off = (rust - c).abs();
            let relative = off / rust.min(c);
            self.found.worst_absolute = self.found.worst_absolute.max(off);
            self.found.worst_relative = self.found.worst_relative.max(relative);
            if !(relative <= RELATIVE || off <= SEGMENTS) {
                self.found.outside += 1;
                self.tell(|| format!("{rust} in Rust, {c} in C"));
            }
        }
    }

    fn tell(&mut self, what: impl Fn() -> String) {
        let Steps { connections, steps, first, .. } = &mut *self.found;
        let spec = self.spec;
        first.get_or_insert_with(|| {
            let moved = spec.iter().filter(|(param, value)| *value != param.default);
            let moved: Vec<_> = moved.map(|(param, v)| format!(" {}={v}", param.name)).collect();
            let what = what();
            format!("connection {connections}{}, step {steps}: {what}", moved.concat())
        });
    }
}
