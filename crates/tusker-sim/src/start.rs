//! When what a plan starts begins.

use tusker_core::{Rng, Time};
use tusker_plan::plan::Start;

/// At its time, or drawn for this name.
pub fn time_of(start: Start, seed: u64, name: &str) -> Time {
    match start {
        Start::At(at) => at,
        Start::Uniform(from, to) => {
            let mut rng = Rng::named(seed, &format!("start/{name}"));
            Time::from_nanos(rng.range(from.nanos() as f64, to.nanos() as f64) as u64)
        }
    }
}
