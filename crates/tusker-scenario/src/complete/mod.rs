//! Completes a scenario: short forms become a graph, every value is filled in and
//! checked once, and the result is a plan.
//!
//! ```text
//!  Scenario --short--> links --graph--> wires --routes--> ways
//!      flows, arrivals, web, background: each with its way --> hosts, limits
//!      wires with who passes them --queues--> links
//!  all of it --add_to--> Plan, and --written--> Scenario with everything said
//! ```

mod access;
mod app;
mod arrivals;
mod background;
mod count;
mod flows;
mod graph;
mod groups;
mod names;
mod origins;
mod queues;
mod reroutes;
mod routes;
mod short;
mod specs;
mod times;
mod trace;
mod traffic;
mod web;

pub use count::MAX_FLOWS;

use tusker_core::{Duration, Time};
use tusker_plan::plan::{self, Plan};

use super::error::{Error, Fault, Mistake};
use super::forms::HostTime;
use super::model::{Measure, Scenario, Trace};
use super::print;
use super::source::Source;
use super::text::{Profile, Text};
use graph::Graph;
use origins::Origins;
use times::time;
use traffic::Traffic;

/// A scenario with every value filled in and checked: the profile is expanded,
/// limits are in packets or bytes, names are resolved, and there is a plan.
///
/// Its type guarantees that nothing is missing; written as a scenario again
/// ([`Self::to_scenario`]) it is a graph with the same plan.
pub struct Complete {
    title: Option<String>,
    profile: Profile,
    seed: u64,
    replicates: u32,
    graph: Graph,
    traffic: Traffic,
    trace: Option<Trace>,
    plan: Plan,
}

impl Scenario {
    /// Fills in every value that was left open, and checks everything.
    ///
    /// # Errors
    /// If something in it is invalid.
    pub fn complete(&self) -> Result<Complete, Error> {
        let mut origins = Origins::default();
        Complete::of(self, &mut origins)
            .map_err(|fault| self.source.error(origins.translate(fault, &self.source)))
    }
}

impl Complete {
    /// What executors take.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What executors take.
    pub fn into_plan(self) -> Plan {
        self.plan
    }

    /// Whose defaults it has.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Seed of the first replicate.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many replicates.
    pub fn replicates(&self) -> u32 {
        self.replicates
    }

    /// The scenario as a graph, with every value filled in.
    pub fn to_scenario(&self) -> Scenario {
        let nodes = &self.graph.nodes;
        let Traffic { flows, arrivals, web, background } = &self.traffic;
        let since_start = |time: Time| Text(time.since(Time::ZERO));
        Scenario {
            title: self.title.clone(),
            profile: self.profile.into(),
            duration: since_start(self.plan.end),
            measure: Some(Measure {
                from: since_start(self.plan.measure_from),
                to: Some(since_start(self.plan.measure_to)),
            }),
            seed: Some(self.seed),
            replicates: Some(self.replicates),
            trace: self.trace.as_ref().map(|trace| trace::written(trace, &self.plan)),
            host_time: Some(HostTime(self.plan.host_time)),
            hosts: None,
            tcp: None,
            dumbbell: None,
            parking_lot: None,
            nodes: nodes.clone(),
            links: graph::written(&self.graph, &self.plan.links),
            flows: flows.iter().map(|flows| flows.written(&self.graph)).collect(),
            arrivals: arrivals.iter().map(|arrivals| arrivals.written(nodes)).collect(),
            web: web.iter().map(|web| web.written(nodes)).collect(),
            background: background.iter().map(|source| source.written(nodes)).collect(),
            source: Source::default(),
        }
    }

    /// The same as a scenario file.
    pub fn to_toml(&self) -> String {
        print::toml(&self.to_scenario())
    }

    /// The same, and without its seed and number of replicates.
    pub fn to_tomls(&self) -> (String, String) {
        let mut document = print::document(&self.to_scenario());
        let whole = print::text(&document);
        document.remove("seed");
        document.remove("replicates");
        (whole, print::text(&document))
    }

    fn of(s: &Scenario, origins: &mut Origins) -> Result<Self, Fault> {
        let (end, seed, replicates) =
            (s.duration.0, s.seed.unwrap_or(1), s.replicates.unwrap_or(1));
        if end == Duration::ZERO {
            let mistake = Mistake::new("a duration of zero", "write duration = \"100s\"");
            return Err(mistake.at("duration"));
        }
        if replicates == 0 {
            return Err(Mistake::new("zero replicates", "at least 1").at("replicates"));
        }
        count::check_flows(s)?;
        check_seed(seed, replicates)?;
        let (measure_from, measure_to) = measure(s.measure, end)?;
        let graph = Graph::of(s, origins)?;
        let traffic = Traffic::of(s, &graph, origins)?;
        let mut plan = Plan {
            nodes: graph.nodes.clone(),
            links: traffic.links(&graph)?,
            groups: Vec::new(),
            flows: Vec::new(),
            applications: Vec::new(),
            traffic: Vec::new(),
            background: Vec::new(),
            end: time(end),
            measure_from: time(measure_from),
            measure_to: time(measure_to),
            host_time: host_time(s)?,
            trace: plan::Trace::default(),
        };
        traffic.add_to(&mut plan);
        // with many hosts, half of a grown list may be room
        plan.links.shrink_to_fit();
        plan.flows.shrink_to_fit();
        let sources: Vec<&str> = s.background.iter().map(|source| source.name.as_str()).collect();
        names::check_made(&plan, &graph.nodes, &sources)?;
        if let Some(trace) = &s.trace {
            plan.trace = trace::of(trace, &graph, &traffic.ways(), &plan)?;
        }
        if plan.end > plan.horizon() {
            let hours = plan.horizon().secs() / 3600.0;
            return Err(Mistake::new(
                "an experiment too long for this many flows",
                format!("at most {hours:.1} h with this topology, or fewer flows"),
            )
            .at("duration"));
        }
        let (title, profile, trace) = (s.title.clone(), s.profile.0, s.trace.clone());
        Ok(Self { title, profile, seed, replicates, graph, traffic, trace, plan })
    }
}

/// Each replicate has the next seed, and results hold them as 64-bit integers.
fn check_seed(seed: u64, replicates: u32) -> Result<(), Fault> {
    let most = i64::MAX as u64 - (u64::from(replicates) - 1);
    if seed <= most {
        return Ok(());
    }
    let message = match replicates {
        1 => format!("the seed {seed} is too large"),
        n => format!("the seed {seed} is too large for {n} replicates"),
    };
    let help = format!("at most {most}: each replicate has the next seed, below 2^63");
    Err(Mistake::new(message, help).at("seed"))
}

/// No real host takes longer than this.
const LONGEST_HOST_TIME: Duration = Duration::from_millis(1000);

fn host_time(s: &Scenario) -> Result<plan::HostTime, Fault> {
    let given = s.host_time.map_or_else(|| s.profile.0.host_time(), |given| given.0);
    let (time, says) = match given {
        plan::HostTime::UpTo(most) => (most, "up to"),
        plan::HostTime::Exponential(mean) => (mean, "a mean of"),
    };
    if time <= LONGEST_HOST_TIME {
        return Ok(given);
    }
    let help = "at most 1s; real hosts take microseconds, such as \"10us\"";
    Err(Mistake::new(format!("hosts that take {says} {time} until they act"), help).at("host_time"))
}

fn measure(measure: Option<Measure>, end: Duration) -> Result<(Duration, Duration), Fault> {
    let half = Duration::from_nanos(end.nanos() / 2);
    let from = measure.map_or(half, |m| m.from.0);
    let to = measure.and_then(|m| m.to).map_or(end, |to| to.0);
    if to > end {
        return Err(Mistake::new(
            format!("the measuring window ends at {to}, after the experiment ends at {end}"),
            "measure.to must not exceed the duration",
        )
        .at("measure.to"));
    }
    if from >= to {
        return Err(Mistake::new(
            format!("the measuring window from {from} to {to} is empty"),
            "measure.from is before measure.to, and before the end of the experiment",
        )
        .at("measure.from"));
    }
    Ok((from, to))
}
