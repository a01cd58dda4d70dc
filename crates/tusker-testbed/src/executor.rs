//! The testbed as one of the executors.

use tusker_core::Time;
use tusker_plan::budget::{Stopped, size};
use tusker_plan::executor::{Executor, Job};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

use crate::arrivals::Arrival;
use crate::can_with;
use crate::experiment::{How, Measured, execute};

/// Executes plans on real sockets of this machine, one at a time, because two simultaneous
/// runs would disturb each other. Its runs have an audit.
///
/// The expected memory of a plan is checked before it starts. Memory is not counted while
/// packets move, because counting would take time that they need.
#[derive(Clone, Copy, Debug, Default)]
pub struct Testbed;

impl Testbed {
    /// Executes a plan as [`Executor::execute`] does, with these settings; its run has the
    /// audit.
    ///
    /// # Errors
    /// The same.
    pub fn execute_with(&self, job: Job<'_, '_>, how: &How) -> Result<Measured, Stopped> {
        let (plan, memory) = (job.plan, job.memory);
        can_with(plan, how.client)
            .map_err(|no| Stopped::Failed { why: no.what, remedy: no.help })?;
        let needed = plan.memory();
        if needed.total() > memory.get() {
            return Err(Stopped::OverBudget { budget: memory, needed, at: Time::ZERO });
        }
        let recorded = how.record.map_or(0, |link| list(plan, link));
        if needed.total().saturating_add(recorded) > memory.get() {
            return Err(Stopped::Failed {
                why: format!(
                    "recording the packets that come to the link takes about {} of memory, and the \
                     whole run may take {}",
                    size(recorded),
                    size(memory.get())
                ),
                remedy: "record a slower link, make the run shorter, or give more --memory"
                    .to_owned(),
            });
        }
        match execute(job, how.clone()) {
            Ok(Some(mut measured)) => {
                measured.run.audit = Some(measured.audit.clone());
                Ok(measured)
            }
            Ok(None) => Err(Stopped::Interrupted),
            Err(error) => Err(Stopped::Failed {
                why: error.to_string(),
                remedy: "nothing was left behind; fix this and run the command again".to_owned(),
            }),
        }
    }
}

impl Executor for Testbed {
    fn execute(&self, job: Job<'_, '_>) -> Result<Run, Stopped> {
        self.execute_with(job, &How::default()).map(|measured| measured.run)
    }
}

/// Approximate size in bytes of the list of arrivals at a link, if no packet is smaller
/// than those of the flows; a growing list has room for twice its length.
fn list(plan: &Plan, link: usize) -> u64 {
    let smallest = plan.flows.iter().map(|flow| flow.tcp.packet.get()).min();
    let rate = plan.links[link].rate.bits_per_sec() as f64;
    let packets = rate * plan.end.secs() / 8.0 / smallest.unwrap_or(1500) as f64;
    (2.0 * packets) as u64 * size_of::<Arrival>() as u64
}
