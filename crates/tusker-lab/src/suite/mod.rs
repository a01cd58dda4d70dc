//! Suites: sets of experiments by which a congestion control or a queue policy is evaluated,
//! beside another one.
//!
//! A suite is data (`suites/<name>/suite.toml`, docs/suites.md). Every experiment is a change
//! to one base scenario. The points of all experiments are those of one sweep, so runs are
//! stored, continued and distributed as those of any other sweep.
//!
//! ```text
//! suite.toml --Suite::find--> Suite --Expanded::of--> points --Sweep::run--> runs
//!                                                        \--Evaluation::of--> verdicts
//! ```

mod baseline;
pub mod claims;
mod evaluation;
mod expand;
mod model;
mod values;
mod verdict;

use tusker_core::{Bytes, Duration, Rate};
use tusker_scenario::Written;

pub use baseline::{Baseline, Regression};
pub use evaluation::{
    ClaimResult, Comparison, Counts, Criterion, Evaluation, LeftOut, OnPath, Published, schema,
    within,
};
pub use expand::Expanded;
pub use model::{Experiment, Need, PublishedValue, Same, Subject, Suite};
pub use verdict::{Better, Overall, Verdict};

use crate::Trouble;

/// What is evaluated, and on which path.
#[derive(Clone, Debug)]
pub struct Request {
    /// The congestion control or queue policy: a name, or `NAME:PARAM=VALUE`.
    pub subject: String,
    /// What it is compared with, in the same form.
    pub against: String,
    /// Rate of the bottleneck.
    pub rate: Rate,
    /// Round-trip time without queueing.
    pub rtt: Duration,
    /// Simulated time of each run.
    pub duration: Duration,
    /// Runs of each experiment.
    pub replicates: u32,
    /// The seed of the first.
    pub seed: u64,
}

impl Request {
    /// What the suite says, where nothing else is asked for.
    ///
    /// # Errors
    /// If a value cannot be read.
    pub fn of(
        suite: &Suite,
        subject: String,
        against: Option<String>,
        [rate, rtt, duration]: [Option<&str>; 3],
    ) -> Result<Self, Trouble> {
        let rate = given("--rate", rate)?.unwrap_or(suite.path.rate.0);
        let rtt = given("--rtt", rtt)?.unwrap_or(suite.path.rtt.0);
        let own = || suite.duration.of(rate, rtt);
        let duration = given("--duration", duration)?.unwrap_or_else(own);
        let against = against.unwrap_or_else(|| suite.against.clone());
        if against == subject {
            return Err(asked(
                format!("{subject} would be compared with itself"),
                "name another one with --against",
            ));
        }
        let (replicates, seed) = (suite.replicates, 1);
        Ok(Self { subject, against, rate, rtt, duration, replicates, seed })
    }

    /// As it is stored.
    pub fn path(&self) -> OnPath {
        OnPath {
            rate_bps: self.rate.bits_per_sec(),
            rtt_s: self.rtt.secs(),
            duration_s: self.duration.secs(),
            replicates: self.replicates,
            seed: self.seed,
        }
    }
}

fn given<T: Written>(option: &str, text: Option<&str>) -> Result<Option<T>, Trouble> {
    let read =
        |text| T::read(text).map_err(|(what, help)| asked(format!("{option}: {what}"), help));
    text.map(read).transpose()
}

fn asked(message: impl Into<String>, help: impl Into<String>) -> Trouble {
    Trouble::Asked { message: message.into(), help: help.into() }
}

/// The bandwidth-delay product.
fn bdp(rate: Rate, rtt: Duration) -> Bytes {
    Bytes::new((rate.bits_per_sec() as f64 * rtt.secs() / 8.0).round() as u64)
}
