//! The executor of the command line: it runs plans on real sockets, with the laws that they
//! need, and repeats invalid runs.

use std::sync::{Mutex, PoisonError};

use tusker_core::Time;
use tusker_plan::audit::Limits;
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Executor, Job};
use tusker_plan::run::Run;
use tusker_testbed::{Arrival, How, Iperf3, Measured, Testbed};

use super::laws;
use super::watched::Watched;
use crate::output::say;

/// Runs plans on real sockets.
pub struct Bench {
    /// How often a run is tried until it is valid; the last one counts.
    pub tries: u32,
    /// Nothing is said of those that were invalid.
    pub quiet: bool,
    /// Who sends and receives, and what is written down.
    pub how: How,
    /// What iperf3 said of the runs that count, if it was the client.
    pub said: Mutex<Vec<Iperf3>>,
    /// What came to a link in the latest run that counts, if that was to be written down.
    pub arrivals: Mutex<Vec<Arrival>>,
}

impl Bench {
    /// Our own client, and nothing is written down.
    pub fn new(tries: u32, quiet: bool) -> Self {
        Self {
            tries,
            quiet,
            how: How::default(),
            said: Mutex::default(),
            arrivals: Mutex::default(),
        }
    }
}

impl Executor for Bench {
    /// What is observed is run once: an observer hears of one run.
    fn execute(&self, job: Job<'_, '_>) -> Result<Run, Stopped> {
        let Job { plan, seed, memory, progress, mut observe } = job;
        let tries = if observe.is_some() { 1 } else { self.tries };
        // for as long as this takes
        let laws = laws::load(plan)?;
        let how = How { laws: laws.names.clone(), ..self.how.clone() };
        // whoever watches sees time go on, not begin anew
        let mut furthest = Time::ZERO;
        let limits = Limits::of(plan);
        let mut tried = 0;
        loop {
            let mut watched = Watched::begin(&laws.names);
            let mut tell = |now: Time| {
                watched.clock(now);
                furthest = furthest.max(now);
                progress(furthest)
            };
            let observe = observe.take().map(|(wanted, observer)| (wanted, observer as _));
            let job = Job { plan, seed, memory, progress: &mut tell, observe };
            let measured = Testbed.execute_with(job, &how)?;
            let Measured { mut run, iperf3: said, arrivals, .. } = measured;
            watched.end(plan, &mut run);
            let faults = run.audit.as_ref().map_or_else(Vec::new, |audit| audit.faults(&limits));
            tried += 1;
            if faults.is_empty() || tried >= tries {
                self.said.lock().unwrap_or_else(PoisonError::into_inner).extend(said);
                *self.arrivals.lock().unwrap_or_else(PoisonError::into_inner) = arrivals;
                return Ok(run);
            }
            if !self.quiet {
                let of = tries;
                say(&format!("run {tried} of at most {of} was invalid: {}", faults.join("; ")));
            }
        }
    }
}
