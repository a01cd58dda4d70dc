//! Time series: one row per interval, so that only what is needed is recorded.

use tusker_core::{Duration, Time};
use tusker_plan::plan::Plan;
use tusker_plan::run::{Series, Trace};

use crate::flow::FlowState;
use crate::stage::Stage;

/// Records the series that a plan asks for.
#[derive(Debug, Default)]
pub struct Recorder {
    trace: Trace,
    /// The number of rows.
    rows: usize,
}

impl Recorder {
    /// Nothing has been recorded yet.
    pub fn new(plan: &Plan) -> Self {
        let rows = plan.trace.rows(plan.end) as usize;
        Self { trace: Trace { times: Vec::with_capacity(rows), series: Vec::new() }, rows }
    }

    /// Memory in bytes: allocated for all rows from the first one on.
    pub fn memory(&self) -> u64 {
        let columns = 1 + self.trace.series.len();
        (columns * self.rows * size_of::<f64>()) as u64
    }

    /// The number of values in a row.
    pub(crate) fn record(
        &mut self,
        now: Time,
        plan: &Plan,
        flows: &[FlowState],
        hops: &mut [Stage],
    ) -> usize {
        self.trace.times.push(now);
        let mut row = Row { series: &mut self.trace.series, rows: self.rows, next: 0 };
        if plan.trace.flows {
            for (flow, state) in plan.flows[..plan.lasting()].iter().zip(flows) {
                of_flow(state, &mut |quantity, value| row.push(&flow.name, quantity, value));
            }
        }
        for &link in &plan.trace.links {
            let name = &plan.links[link].name;
            let hop = &mut hops[link];
            of_link(hop, now, &mut |quantity, value| row.push(name, quantity, value));
        }
        row.next
    }

    /// The recorded series.
    pub fn finish(self) -> Trace {
        self.trace
    }
}

/// The values of a flow.
pub fn of_flow(state: &FlowState, see: &mut dyn FnMut(&'static str, f64)) {
    let cc = state.sender.cc();
    see("cwnd", state.cwnd());
    see("ssthresh", cc.ssthresh());
    see("srtt", state.sender.srtt().map_or(f64::NAN, Duration::secs));
    see("flight", state.sender.flight() as f64);
    see("delivered", state.sender.delivered() as f64);
    cc.inspect(see);
}

/// The values of a link.
pub fn of_link(hop: &mut Stage, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
    see("queue", hop.backlog(now) as f64);
    hop.inspect(now, see);
}

/// Fills the columns in the order of the first row.
struct Row<'a> {
    series: &'a mut Vec<Series>,
    rows: usize,
    next: usize,
}

impl Row<'_> {
    fn push(&mut self, subject: &str, quantity: &str, value: f64) {
        if self.next == self.series.len() {
            let (subject, quantity) = (subject.to_owned(), quantity.to_owned());
            let values = Vec::with_capacity(self.rows);
            self.series.push(Series { subject, quantity, values });
        }
        self.series[self.next].values.push(value);
        self.next += 1;
    }
}
