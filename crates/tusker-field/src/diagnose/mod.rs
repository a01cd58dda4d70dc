//! Which limit explains a measured goodput.
//!
//! ```text
//!  Words, Measured --Question::read--> Question --diagnose--> Diagnosis
//!                                         |
//!     needed.rs    the value that each cause needs, by formula, then by simulation
//!     simulate.rs  the path with that cause, for as long as was measured
//!     evidence.rs  what the measurement says for and against it
//!     advice.rs    measurements that tell causes apart, and what to change
//! ```

mod advice;
mod evidence;
mod needed;
mod question;
mod simulate;

pub use advice::{Change, Observation, Remedy, Test};
pub use evidence::{Evidence, Finding, Verdict};
pub use question::{Question, Words};
pub use simulate::Simulated;

use serde::Serialize;
use tusker_plan::executor::Pausing;

use crate::{Measured, Mistake};

/// A limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The window that the receiver offers; its value is in bytes.
    ReceiveWindow,
    /// What the sender keeps until it is acknowledged, bytes of payload.
    SendBuffer,
    /// Slow start takes most of the time; its value is the length of a transfer that comes to
    /// this goodput, seconds.
    Start,
    /// The application sends no faster, bits per second.
    Application,
    /// Packets are lost at random; a share of 1.
    RandomLoss,
    /// The bottleneck's buffer is small, packets.
    ShallowBuffer,
    /// Something drops what exceeds a rate, bits per second on the wire.
    Policer,
    /// Other flows share the bottleneck; their number.
    CompetingFlows,
    /// A host's processor, bits per second.
    Host,
}

impl Cause {
    /// All, the most common first.
    pub const ALL: [Self; 9] = [
        Self::ReceiveWindow,
        Self::SendBuffer,
        Self::RandomLoss,
        Self::ShallowBuffer,
        Self::Start,
        Self::CompetingFlows,
        Self::Policer,
        Self::Application,
        Self::Host,
    ];
}

/// A cause, and how well it explains what was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The cause.
    pub cause: Cause,
    /// The value that it needs, in its unit; null if no value comes near.
    pub needed: Option<f64>,
    /// What a policer lets through at once, bytes.
    pub burst_bytes: Option<f64>,
    /// A simulation with this value; null for what is not simulated.
    pub simulated: Option<Simulated>,
    /// The simulated goodput is near the measured one.
    pub fits: bool,
    /// What the measurement says for and against it.
    pub findings: Vec<Finding>,
    /// How well it explains what was measured.
    pub verdict: Verdict,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    /// Rate of the path, bits per second.
    pub rate_bps: u64,
    /// Round trip without queues, seconds.
    pub rtt_s: f64,
    /// The bottleneck's buffer, as written in a scenario.
    pub buffer: String,
    /// Nobody said how large it is.
    pub buffer_assumed: bool,
    /// The congestion control.
    pub cc: String,
    /// How long it was measured from the start on, seconds; null for the rate of a long
    /// transfer.
    pub seconds: Option<f64>,
    /// How long it is simulated, seconds: less on fast paths. Of a long transfer, the second
    /// half is measured.
    pub simulated_s: f64,
    /// What was measured.
    pub measured: Measured,
    /// Bytes in flight at the measured goodput, of each connection.
    pub window_bytes: f64,
    /// The path without any further limit.
    pub unlimited: Simulated,
    /// The causes, the best explanation first.
    pub causes: Vec<Candidate>,
    /// Measurements that tell the explanations apart.
    pub tests: Vec<Test>,
    /// What to change, the most useful first.
    pub remedies: Vec<Remedy>,
}

impl Diagnosis {
    /// The causes that explain it: those that the measurement supports, or else all that are
    /// possible.
    pub fn explanations(&self) -> impl Iterator<Item = &Candidate> {
        let first = self.causes.first().map(|candidate| candidate.verdict);
        let best = first.filter(|verdict| *verdict <= Verdict::Possible);
        self.causes.iter().filter(move |candidate| Some(candidate.verdict) == best)
    }
}

impl Question {
    /// Finds the causes. `stopped` is called often, and ends it.
    ///
    /// # Errors
    /// If the path cannot be simulated; `Ok(None)` if it was stopped.
    pub fn diagnose(
        &self,
        executor: &dyn Pausing,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Diagnosis>, Mistake> {
        let bench = simulate::Bench::new(self, executor, stopped);
        let Some(unlimited) = bench.run(&bench.plain())? else { return Ok(None) };
        let Some(found) = needed::all(&bench, &unlimited)? else { return Ok(None) };
        let fits = |simulated: &Simulated| bench.fits(simulated);
        let mut causes: Vec<Candidate> = found
            .into_iter()
            .map(|needed::Found { cause, needed, burst, simulated }| Candidate {
                cause,
                needed,
                burst_bytes: burst,
                fits: simulated.as_ref().map_or(cause == Cause::Host, fits),
                simulated,
                findings: Vec::new(),
                verdict: Verdict::Possible,
            })
            .collect();
        let start = causes.iter().any(|own| own.cause == Cause::Start && own.fits);
        for candidate in &mut causes {
            evidence::judge(self, candidate, start);
        }
        let place = |cause| Cause::ALL.iter().position(|own| *own == cause);
        causes.sort_by_key(|own| (own.verdict, -own.score(), place(own.cause)));
        let Some(remedies) = advice::remedies(&bench, &causes, &unlimited)? else {
            return Ok(None);
        };
        Ok(Some(Diagnosis {
            rate_bps: self.rate.bits_per_sec(),
            rtt_s: self.rtt.secs(),
            buffer: tusker_scenario::Written::write(&self.buffer),
            buffer_assumed: self.buffer_assumed,
            cc: self.label.clone(),
            seconds: self.seconds,
            simulated_s: bench.seconds,
            measured: self.measured.clone(),
            window_bytes: self.window(),
            tests: advice::tests(self, &causes, &unlimited),
            unlimited,
            causes,
            remedies,
        }))
    }
}
