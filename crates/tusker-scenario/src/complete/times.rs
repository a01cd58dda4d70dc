//! When things start and stop.

use tusker_core::{Duration, Time};
use tusker_plan::plan;

use crate::error::{Fault, Mistake};
use crate::forms::Start;

/// Checks that `count` things with these starts and stops fit into an experiment
/// that ends at `end`.
pub fn check_times(
    start: Start,
    stop: Option<Duration>,
    count: u64,
    end: Duration,
    path: &str,
) -> Result<(), Fault> {
    let last = match start {
        Start::At(time) => time,
        Start::Uniform(_, to) => to,
        Start::Staggered { first, every } => {
            let later = every * count.saturating_sub(1);
            Duration::from_nanos(first.nanos().saturating_add(later.nanos()))
        }
    };
    if last >= end {
        return Err(Mistake::new(
            format!("a start at {last} is not before the end of the experiment at {end}"),
            "start earlier, or make the experiment longer",
        )
        .at(format!("{path}.start")));
    }
    match stop {
        Some(stop) if stop <= last => Err(Mistake::new(
            format!("a stop at {stop} is not after the start at {last}"),
            "stop after the last start",
        )
        .at(format!("{path}.stop"))),
        _ => Ok(()),
    }
}

pub fn time(since_start: Duration) -> Time {
    Time::ZERO + since_start
}

/// When the i-th of several things starts.
pub fn start(start: Start, i: u64) -> plan::Start {
    match start {
        Start::At(at) => plan::Start::At(time(at)),
        Start::Uniform(from, to) => plan::Start::Uniform(time(from), time(to)),
        Start::Staggered { first, every } => plan::Start::At(time(first + every * i)),
    }
}
