//! What our own laws reveal about their state during a run: `tusker-kernel watch` reports it,
//! and it becomes part of the run, as the simulator's own traces do.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::thread::{self, JoinHandle};

use tusker_core::Time;
use tusker_core::congestion::Spec;
use tusker_measure::watched::Inner;
use tusker_plan::fairness;
use tusker_plan::plan::Plan;
use tusker_plan::run::{Run, Series};
use tusker_testbed::Names;
use tusker_testbed::ledger::port;

use crate::commands::kernel;

/// Of each connection one ACK per so long is told; gHSTCP decides once per round trip.
const EVERY: &str = "5ms";

/// Laws that are watched.
#[derive(Default)]
pub struct Watched {
    watching: Vec<(Spec, Child, JoinHandle<Inner>)>,
    /// When the run's clock was at 0, in microseconds of CLOCK_MONOTONIC.
    began_us: Option<u64>,
}

impl Watched {
    /// Watches laws of ours that were put into the kernel for a plan.
    pub fn begin(names: &Names) -> Self {
        let mut watched = Self::default();
        for (spec, name) in names.iter() {
            let Some(mut command) = kernel::found() else { break };
            command.args(["watch", name, "--json", "--every", EVERY]);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
            let Ok(mut child) = command.spawn() else { continue };
            let Some(lines) = child.stdout.take() else { continue };
            let reader = thread::spawn(move || {
                let mut inner = Inner::default();
                let lines = BufReader::new(lines).lines().map_while(Result::ok);
                // a line that was cut off is the last
                lines.for_each(|line| drop(inner.hear(&line)));
                inner
            });
            watched.watching.push((*spec, child, reader));
        }
        watched
    }

    /// The run's clock stands at `now`.
    pub fn clock(&mut self, now: Time) {
        self.began_us.get_or_insert_with(|| {
            let mono = u64::try_from(tusker_testbed::clock().as_micros()).unwrap_or(u64::MAX);
            mono.saturating_sub(now.nanos() / 1000)
        });
    }

    /// Ends it; what was told goes to the run.
    pub fn end(mut self, plan: &Plan, run: &mut Run) {
        let Some(began) = self.began_us else { return };
        let us = |time: Time| began + time.nanos() / 1000;
        let (from, to) = (us(plan.measure_from), us(plan.measure_to));
        let times: Vec<u64> = run.trace.times.iter().map(|time| us(*time)).collect();
        let fair = fairness::max_min(plan);
        for (spec, mut child, reader) in self.watching.drain(..) {
            let _ = child.kill();
            let _ = child.wait();
            let Ok(inner) = reader.join() else { continue };
            let lasting = plan.flows[..plan.lasting()].iter().enumerate();
            for (i, flow) in lasting.filter(|(_, flow)| flow.cc == spec) {
                let bdp = fairness::bdp(plan, flow, fair[i]);
                if let Some(modes) = inner.modes(port(i), bdp, from, to) {
                    run.flows[i].modes = Some(modes);
                }
                if plan.trace.flows {
                    let series = inner.series(port(i), &times).into_iter();
                    run.trace.series.extend(series.map(|(quantity, values)| Series {
                        subject: flow.name.clone(),
                        quantity,
                        values,
                    }));
                }
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        for (_, child, _) in &mut self.watching {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
