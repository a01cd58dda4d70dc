//! Time series: a row per interval, decimated at the source.

use tusker_core::Time;
use tusker_core::congestion::Controller;
use tusker_plan::plan::Plan;
use tusker_plan::run::{Series, Trace};

use crate::engine::FlowState;
use crate::stage::Stage;

/// Records the series that a plan asks for.
#[derive(Debug, Default)]
pub struct Recorder {
    trace: Trace,
}

impl Recorder {
    /// A row.
    pub(crate) fn record(
        &mut self,
        now: Time,
        plan: &Plan,
        flows: &[FlowState],
        hops: &mut [Stage],
    ) {
        self.trace.times.push(now);
        let mut row = Row { series: &mut self.trace.series, next: 0 };
        if plan.trace.flows {
            for (flow, state) in plan.flows[..plan.lasting()].iter().zip(flows) {
                let mut see = |quantity: &str, value| row.push(&flow.name, quantity, value);
                see("cwnd", state.cwnd());
                see("ssthresh", state.sender.cc().ssthresh());
                see("srtt", state.sender.srtt().map_or(f64::NAN, tusker_core::Duration::secs));
                see("flight", state.sender.flight() as f64);
                see("delivered", state.sender.delivered() as f64);
                state.sender.cc().inspect(&mut |quantity, value| see(quantity, value));
            }
        }
        for &link in &plan.trace.links {
            let name = &plan.links[link].name;
            let queue = hops[link].backlog(now) as f64;
            row.push(name, "queue", queue);
            hops[link].inspect(now, &mut |quantity, value| row.push(name, quantity, value));
        }
    }

    /// What was recorded.
    pub fn finish(self) -> Trace {
        self.trace
    }
}

/// Fills the columns in the order of the first row.
struct Row<'a> {
    series: &'a mut Vec<Series>,
    next: usize,
}

impl Row<'_> {
    fn push(&mut self, subject: &str, quantity: &str, value: f64) {
        if self.next == self.series.len() {
            let (subject, quantity) = (subject.to_owned(), quantity.to_owned());
            self.series.push(Series { subject, quantity, values: Vec::new() });
        }
        self.series[self.next].values.push(value);
        self.next += 1;
    }
}
