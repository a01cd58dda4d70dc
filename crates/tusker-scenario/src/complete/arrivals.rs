//! Transfers that come and go: a Poisson process.

use tusker_core::{Bytes, Duration};
use tusker_plan::plan::{Demand, Distribution, Plan, Traffic};

use super::access::{self, Access};
use super::graph::Graph;
use super::groups::{Group, Way};
use super::times::{check_times, time};
use crate::draws::Draw;
use crate::error::{Fault, Mistake};
use crate::forms::Start;
use crate::model::Scenario;
use crate::text::Text;
use crate::traffic;

/// Largest mean number of transfers of one demand: each is kept in memory.
const MAX_TRANSFERS: f64 = 1e7;

const CONNECTIONS: u64 = 100;

/// A demand for transfers.
pub struct Arrivals {
    pub group: Group,
    pub access: Option<Access>,
    connections: u64,
    /// Per second.
    rate: f64,
    size: Draw<Text<Bytes>>,
    sizes: Distribution,
    handshake: bool,
    start: Duration,
    stop: Option<Duration>,
}

/// Connections that it may have at the same time.
pub fn connections(w: &traffic::Arrivals) -> u64 {
    w.connections.unwrap_or(CONNECTIONS)
}

impl Arrivals {
    pub fn of(
        s: &Scenario,
        graph: &Graph,
        w: &traffic::Arrivals,
        way: Way,
        path: &str,
    ) -> Result<Self, Fault> {
        let asked = Wanted::of(w, path)?;
        let sizes = w.size.distribution(1.0, &format!("{path}.size"))?;
        let group = Group::of(s, w.into(), way, path)?;
        let access = Access::of(s, &group, w.access.as_ref(), w.host_queue, path)?;
        let (start, stop) = (w.start.map_or(Duration::ZERO, |t| t.0), w.stop.map(|t| t.0));
        check_times(Start::At(start), stop, 1, s.duration.0, path)?;
        let rate = match asked {
            Wanted::Rate(rate) => rate,
            Wanted::Load(load) => {
                let way = group.way.there.iter().map(|&w| graph.wires[w].rate);
                let slowest = way.chain(access.as_ref().map(|access| access.rate)).min();
                let slowest = slowest.map_or(0.0, |rate| rate.bits_per_sec() as f64);
                load * slowest / group.on_the_wire(sizes.mean())
            }
        };
        let transfers = rate * s.duration.0.secs();
        if transfers > MAX_TRANSFERS {
            let help = format!(
                "at most {MAX_TRANSFERS}, as each is kept in memory; shorten the experiment or lower the rate"
            );
            return Err(Mistake::new(format!("about {transfers:.0} transfers"), help).at(path));
        }
        Ok(Self {
            group,
            access,
            connections: connections(w),
            rate,
            size: w.size.clone(),
            sizes,
            handshake: w.handshake.unwrap_or(true),
            start,
            stop,
        })
    }

    /// The longest round trip of a transfer, without queues.
    pub fn rtt(&self) -> Duration {
        self.group.way.delay + self.access.as_ref().map_or(Duration::ZERO, Access::round_trip)
    }

    pub fn add_to(&self, plan: &mut Plan) {
        let (group, first) = (plan.groups.len(), plan.flows.len());
        access::Connections {
            group: &self.group,
            access: self.access.as_ref(),
            count: self.connections,
            parallel: 1,
            start: Start::At(self.start),
            stop: self.stop,
            size: None,
            app: None,
            lasting: false,
        }
        .add_to(plan);
        let (rate, size) = (self.rate, self.sizes.clone());
        plan.traffic.push(Traffic {
            group,
            slots: first..plan.flows.len(),
            handshake: self.handshake,
            stop: self.stop.map(time),
            mean_rate: rate * self.group.on_the_wire(size.mean()),
            demand: Demand::Arrivals { rate, size, start: time(self.start) },
        });
    }

    /// As written in a scenario, with every value filled in.
    pub fn written(&self, nodes: &[String]) -> traffic::Arrivals {
        let (recovery, tcp) = self.group.written_tcp();
        traffic::Arrivals {
            hosts: None,
            name: self.group.name.clone(),
            rate: Some(self.rate),
            load: None,
            size: self.size.clone(),
            connections: Some(self.connections),
            handshake: Some(self.handshake),
            from: Some(nodes[self.group.way.from].clone()),
            to: Some(nodes[self.group.way.to].clone()),
            direction: None,
            cc: self.group.written_cc(),
            recovery,
            access: self.access.as_ref().map(Access::written),
            host_queue: self.access.as_ref().map(|access| Text(access.own.limit.into())),
            start: Some(self.start.into()),
            stop: self.stop.map(Text),
            tcp,
        }
    }
}

/// How many transfers are started.
enum Wanted {
    /// This many per second.
    Rate(f64),
    /// This share of the slowest link on their path.
    Load(f64),
}

impl Wanted {
    fn of(w: &traffic::Arrivals, path: &str) -> Result<Self, Fault> {
        let wrong = |message: &str, help: &str, key: &str| {
            Err(Mistake::new(message, help).at(format!("{path}{key}")))
        };
        match (w.rate, w.load) {
            (Some(rate), None) if rate > 0.0 && rate.is_finite() => Ok(Self::Rate(rate)),
            (None, Some(load)) if load > 0.0 && load <= 10.0 => Ok(Self::Load(load)),
            (Some(rate), None) => {
                let message = format!("{rate} transfers per second");
                wrong(&message, "a number above 0, as in rate = 20", ".rate")
            }
            (None, Some(load)) => {
                let message = format!("a load of {load} is out of range");
                wrong(&message, "above 0, as in load = 0.5; at most 10", ".load")
            }
            (Some(_), Some(_)) => {
                wrong("`load` together with `rate`", "keep one of the two", ".load")
            }
            (None, None) => {
                wrong("neither `rate` nor `load` is given", "write rate = 20 or load = 0.5", "")
            }
        }
    }
}
