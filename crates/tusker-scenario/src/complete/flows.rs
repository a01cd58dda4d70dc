//! Groups of flows that exist all the time.

use tusker_core::{Bytes, Duration};
use tusker_plan::plan::{self, Plan};

use super::access::{self, Access};
use super::app;
use super::graph::Graph;
use super::groups::{Group, Way};
use super::reroutes;
use super::times::check_times;
use crate::app::App;
use crate::error::{Fault, Mistake};
use crate::forms::Start;
use crate::model::Scenario;
use crate::text::Text;
use crate::traffic;

/// A group of identical flows.
pub struct Flows {
    pub group: Group,
    count: u64,
    parallel: u64,
    pub access: Option<Access>,
    start: Start,
    stop: Option<Duration>,
    size: Option<Bytes>,
    app: Option<(App, plan::App)>,
}

impl Flows {
    pub fn of(s: &Scenario, w: &traffic::Flows, way: Way, path: &str) -> Result<Self, Fault> {
        let group = Group::of(s, w.into(), way, path)?;
        let access = Access::of(s, &group, w.access.as_ref(), w.host_queue, path)?;
        let (count, parallel) = (w.count.unwrap_or(1), w.parallel.unwrap_or(1));
        let size = w.size.map(|size| size.0);
        let wrong =
            |message: String, help| Err(Mistake::new(message, help).at(format!("{path}.size")));
        if parallel > 1 && size.is_some_and(|size| size.get() < parallel) {
            let message = format!("{parallel} connections share less than a byte each");
            return wrong(message, "a larger size, or fewer");
        }
        if size == Some(Bytes::ZERO) {
            return wrong("a flow of zero size".into(), "at least 1B");
        }
        let (start, stop) = (w.start.unwrap_or(Start::At(Duration::ZERO)), w.stop.map(|t| t.0));
        check_times(start, stop, count, s.duration.0, path)?;
        let payload = group.tcp.payload();
        let complete = |app: &App| {
            let checked = app::complete(app, payload, path)?;
            Ok((app::written(app, payload), checked))
        };
        let app = w.app.as_ref().map(complete).transpose()?;
        Ok(Self { group, count, parallel, access, start, stop, size, app })
    }

    /// The longest round trip of a flow, without queues.
    pub fn rtt(&self) -> Duration {
        self.group.way.delay + self.access.as_ref().map_or(Duration::ZERO, Access::round_trip)
    }

    pub fn add_to(&self, plan: &mut Plan) {
        access::Connections {
            group: &self.group,
            access: self.access.as_ref(),
            count: self.count,
            parallel: self.parallel,
            start: self.start,
            stop: self.stop,
            size: self.size,
            app: self.app.as_ref().map(|(_, app)| app),
            lasting: true,
        }
        .add_to(plan);
    }

    /// As written in a scenario, with every value filled in.
    pub fn written(&self, graph: &Graph) -> traffic::Flows {
        let nodes = &graph.nodes;
        let (recovery, tcp) = self.group.written_tcp();
        traffic::Flows {
            name: self.group.name.clone(),
            count: Some(self.count),
            parallel: (self.parallel != 1).then_some(self.parallel),
            from: Some(nodes[self.group.way.from].clone()),
            to: Some(nodes[self.group.way.to].clone()),
            direction: None,
            cc: self.group.written_cc(),
            recovery,
            route: reroutes::written(&self.group.way, graph),
            access: self.access.as_ref().map(Access::written),
            host_queue: self.access.as_ref().map(|access| Text(access.own.limit.into())),
            start: Some(self.start),
            stop: self.stop.map(Text),
            size: self.size.map(Text),
            app: self.app.as_ref().map(|(written, _)| written.clone()),
            hosts: None,
            tcp,
        }
    }
}
