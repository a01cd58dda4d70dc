//! Steps of time in which is counted how much of each flow arrives, so that it can be
//! told when rates came to be fair.
//!
//! A step has the length that a rate needs to be one: ten of the longest round trips,
//! and a hundred segments at the smallest fair rate. They follow from the plan alone,
//! so that all replicates and executors have the same.

use tusker_core::{Duration, Time};

use crate::fairness::{base_rtt, max_min};
use crate::plan::Plan;

/// Round trips in a step, at least: a window needs some to be felt.
const ROUND_TRIPS: f64 = 10.0;

/// Segments of a flow in a step at its fair rate, at least: one more or less is 1 %.
const SEGMENTS: f64 = 100.0;

/// Steps of an experiment, at most.
const MOST: u64 = 400;

/// Flows, at most: what is counted of more would take too much memory.
const FLOWS: usize = 1_000;

/// Steps of equal length, the first from the begin of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Length of each.
    pub length: Duration,
    /// How many, at least two. They end before the first flow stops, and before the
    /// experiment.
    pub count: usize,
}

impl Steps {
    /// Those of a plan; `None` of one that is too short for two of them, or has fewer
    /// than two flows that are [`counted`], or more than a thousand.
    pub fn of(plan: &Plan) -> Option<Self> {
        // fair rates of very many flows take long
        let few = (2..=FLOWS).contains(&counted(plan).count());
        if few { Self::with(plan, &max_min(plan)) } else { None }
    }

    /// The same of a plan whose flows' max-min fair rates are `fair`.
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
        // a flow without a fair rate would need a step without end
        if secs > end.nanos() as f64 / 1e9 {
            return None;
        }
        let length = ((secs * 1e9).ceil() as u64).max(end.nanos().div_ceil(MOST)).max(1);
        let count = (end.nanos() / length) as usize;
        (count >= 2).then_some(Self { length: Duration::from_nanos(length), count })
    }

    /// When a step begins; the last one ends when the one behind it would begin.
    pub fn begin(self, step: usize) -> Time {
        Time::from_nanos(self.length.nanos() * step as u64)
    }

    /// Every begin, and the end.
    pub fn boundaries(self) -> impl Iterator<Item = Time> {
        (0..=self.count).map(move |step| self.begin(step))
    }

    /// The step that a time is in.
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
