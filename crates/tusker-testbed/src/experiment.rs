//! One execution of a plan: hosts are made, connections opened when their flows start,
//! the emulator works, and what both saw becomes a run.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tusker_core::Time;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

use crate::audit::Audit;
use crate::coming::{self, Coming};
use crate::error::Error;
use crate::flows::{Flows, mtu};
use crate::ledger::Bell;
use crate::places::Hosts;
use crate::pump::Pump;
use crate::series::{LinkRows, trace};
use crate::sources;

/// Executes a plan. `progress` is told the time now and then and may break off; then
/// there is no run.
///
/// # Errors
/// What cannot be made on this machine.
pub fn execute(
    plan: &Plan,
    seed: u64,
    progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Result<Option<(Run, Audit)>, Error> {
    more_files();
    let (hosts, devices) = Hosts::new(plan, mtu(plan))?;
    let (tell, told) = mpsc::channel();
    let heard = coming::bell()?;
    let rung = Arc::clone(&heard);
    let bell = Bell { tell, ring: Box::new(move || coming::ring(&rung)) };
    let pump = Pump::new(plan, seed, devices, (!plan.traffic.is_empty()).then_some(bell));
    let began = pump.began();
    // whoever fails ends it for all; the emulator works until the others are done
    let [failed, over, stop] = [false; 3].map(AtomicBool::new);
    let note = |_: &Error| failed.store(true, Ordering::Relaxed);
    thread::scope(|scope| {
        let emulator = scope.spawn(|| {
            let real_time = crate::sys::real_time();
            let mut links = LinkRows::default();
            let seen = pump.run(real_time, |now, network| {
                links.record(now, plan, network);
                stop.load(Ordering::Relaxed)
            });
            seen.map(|seen| (seen, links))
        });
        let source =
            scope.spawn(|| sources::send(plan, seed, &hosts, began, &over).inspect_err(note));
        let coming = scope.spawn(|| {
            let coming = Coming::new(plan, seed, &hosts, began, told, heard);
            coming.and_then(|coming| coming.run(&over)).inspect_err(note)
        });
        let mut flows = Flows::new(plan, seed, &hosts, began);
        let watched = flows.watch(progress, &failed);
        over.store(true, Ordering::Relaxed);
        // connections end while packets still move, so that none waits for an answer
        flows.close();
        let source = source.join().unwrap_or_else(|panic| resume_unwind(panic));
        let coming = coming.join().unwrap_or_else(|panic| resume_unwind(panic));
        stop.store(true, Ordering::Relaxed);
        let seen = emulator.join().unwrap_or_else(|panic| resume_unwind(panic));
        source?;
        let coming = coming?;
        if !watched? {
            return Ok(None);
        }
        let (seen, links) = seen.map_err(Error::Emulator)?;
        let audit = seen.audit.clone();
        let trace = trace(plan, flows.rows(), links);
        let run = Run {
            seed,
            flows: flows.finish(seen.books),
            links: seen.links,
            background: seen.background,
            traffic: coming.finish(),
            trace,
            ..Run::default()
        };
        Ok(Some((run, audit)))
    })
}

/// As many open files as this process may have: a connection takes three. Where it may
/// not have enough, who opens one too many says so.
fn more_files() {
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}
