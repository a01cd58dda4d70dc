//! Time steps over which the arrivals of each flow are counted, to determine when
//! rates became fair.
//!
//! A step must be long enough for a meaningful rate: ten of the longest round
//! trips, and a hundred segments at the smallest fair rate. Steps depend only on
//! the plan, so all replicates and executors have the same.

use tusker_core::{Duration, Time};

use crate::fairness::{base_rtt, max_min};
use crate::plan::Plan;

/// Minimum number of round trips in a step: it takes a few until a change of the
/// window shows.
const ROUND_TRIPS: f64 = 10.0;

/// Minimum number of segments of a flow in a step at its fair rate: one more or
/// less is 1 %.
const SEGMENTS: f64 = 100.0;

/// The most steps of an experiment.
const MOST: u64 = 400;

/// The most flows: counts of more would take too much memory.
const FLOWS: usize = 1_000;

/// Steps of equal length, the first from the start of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Length of each step.
    pub length: Duration,
    /// Their number, at least two. They end before the first flow stops, and before
    /// the experiment does.
    pub count: usize,
}

impl Steps {
    /// The steps of a plan; `None` if it is too short for two of them, or has fewer
    /// than two [`counted`] flows or more than a thousand.
    pub fn of(plan: &Plan) -> Option<Self> {
        // fair rates of very many flows take long to compute
        let few = (2..=FLOWS).contains(&counted(plan).count());
        if few { Self::with(plan, &max_min(plan)) } else { None }
    }

    /// The same for a plan whose flows' max-min fair rates are `fair`.
    pub fn with(plan: &Plan, fair: &[f64]) -> Option<Self> {
        if !(2..=FLOWS).contains(&counted(plan).count()) {
            return None;
        }
        let (mut secs, mut end) = (0.0_f64, plan.end);
        for f in counted(plan) {
            let flow = &plan.flows[f];
            let bits = flow.tcp.packet.get() as f64 * 8.0;
            let rtt = base_rtt(plan, flow);
            secs = secs.max(ROUND_TRIPS * rtt).max(SEGMENTS * bits / fair[f]);
            end = end.min(flow.stop.unwrap_or(Time::NEVER));
        }
        // a flow without a fair rate would need an infinite step
        if secs > end.nanos() as f64 / 1e9 {
            return None;
        }
        let length = ((secs * 1e9).ceil() as u64).max(end.nanos().div_ceil(MOST)).max(1);
        let count = (end.nanos() / length) as usize;
        (count >= 2).then_some(Self { length: Duration::from_nanos(length), count })
    }

    /// When a step begins; the last one ends when the next one would begin.
    pub fn begin(self, step: usize) -> Time {
        Time::from_nanos(self.length.nanos() * step as u64)
    }

    /// The start of every step, and the end.
    pub fn boundaries(self) -> impl Iterator<Item = Time> {
        (0..=self.count).map(move |step| self.begin(step))
    }

    /// The step that contains a time.
    pub fn at(self, time: Time) -> Option<usize> {
        let step = (time.nanos() / self.length.nanos()) as usize;
        (step < self.count).then_some(step)
    }
}

/// The flows of a plan that are counted: those that always have data.
pub fn counted(plan: &Plan) -> impl Iterator<Item = usize> {
    let flows = plan.flows[..plan.lasting()].iter().enumerate();
    flows.filter(|(_, flow)| flow.size.is_none() && flow.app.is_none()).map(|(f, _)| f)
}
