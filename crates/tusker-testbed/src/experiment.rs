//! One execution of a plan: hosts are made, connections are opened when their flows start, the
//! emulator works, and what the sockets and the emulator observed becomes a run.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tusker_core::Time;
use tusker_plan::executor::Job;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

use crate::arrivals::Arrival;
use crate::audit::Audit;
use crate::coming::{self, Coming};
use crate::error::Error;
use crate::flows::Flows;
use crate::iperf::{Ended, Iperf3, Pair};
use crate::laws::Names;
use crate::ledger::Bell;
use crate::places::Hosts;
use crate::pump::Pump;
use crate::senders::Senders;
use crate::series::{LinkRows, trace};
use crate::sights::{self, Sights};
use crate::sources;
use crate::ways::mtu;

/// Who sends and receives for the lasting flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Client {
    /// Tusker itself.
    #[default]
    Ours,
    /// The program `iperf3`, two processes for each flow.
    Iperf3,
}

/// How a plan is executed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct How {
    /// Who sends and receives.
    pub client: Client,
    /// The link of the plan whose arrivals are recorded.
    pub record: Option<usize>,
    /// The kernel's names of laws that were loaded for the plan.
    pub laws: Names,
}

/// The results of one execution.
#[derive(Clone, Debug)]
pub struct Measured {
    /// As the emulator and the sockets saw it.
    pub run: Run,
    /// How punctual the emulator was.
    pub audit: Audit,
    /// As `iperf3` saw it, flow by flow, if it was the client.
    pub iperf3: Vec<Iperf3>,
    /// The arrivals at the recorded link, in order of time.
    pub arrivals: Vec<Arrival>,
}

/// Executes a plan. If it was stopped, there is no run. The job's limit of memory is left to
/// [`Testbed`](crate::Testbed).
///
/// # Errors
/// What this machine cannot provide.
pub fn execute(job: Job<'_, '_>, how: How) -> Result<Option<Measured>, Error> {
    let Job { plan, seed, progress, observe, .. } = job;
    let observe =
        observe.filter(|(wanted, _)| !wanted.places.is_empty() || !wanted.flows.is_empty());
    let Some((wanted, observer)) = observe else {
        return measure(plan, seed, how, progress, None);
    };
    let (sights, from) = Sights::new(plan, wanted);
    let senders = Senders::new(&wanted.flows, sights.to());
    thread::scope(|scope| {
        scope.spawn(move || sights::tell(&from, observer));
        measure(plan, seed, how, progress, Some((sights, senders)))
    })
}

fn measure(
    plan: &Plan,
    seed: u64,
    how: How,
    progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    observed: Option<(Sights, Senders)>,
) -> Result<Option<Measured>, Error> {
    let (sights, senders) = observed.unzip();
    more_files();
    let (hosts, devices) = Hosts::new(plan, how.laws)?;
    let pairs = match how.client {
        Client::Ours => 0..0,
        Client::Iperf3 => 0..plan.lasting(),
    };
    // before the clock starts, so that they listen when their clients connect
    let pairs = pairs.map(|flow| Pair::new(plan, &hosts, flow)).collect::<Result<_, _>>()?;
    let (tell, told) = mpsc::channel();
    let heard = coming::bell()?;
    let rung = Arc::clone(&heard);
    let bell = Bell { tell, ring: Box::new(move || coming::ring(&rung)) };
    let bell = (!plan.traffic.is_empty()).then_some(bell);
    let pump = Pump::new(plan, seed, mtu(plan), devices, bell).map_err(Error::Emulator)?;
    let pump = pump.recording(how.record).looking(sights);
    let began = pump.began();
    // any failure ends the run; the emulator works until all others are done
    let [failed, over, stop] = [false; 3].map(AtomicBool::new);
    let note = |_: &Error| failed.store(true, Ordering::Relaxed);
    thread::scope(|scope| {
        let emulator = scope.spawn(|| {
            let real_time = crate::rest::real_time();
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
        let mut flows = Flows::new(plan, seed, &hosts, began, pairs, senders);
        let watched = flows.watch(progress, &failed);
        over.store(true, Ordering::Relaxed);
        // connections close while packets still move, so that none waits for an answer
        let pairs = flows.close();
        let pairs = if matches!(watched, Ok(true)) && !failed.load(Ordering::Relaxed) {
            pairs.into_iter().map(Pair::ended).collect()
        } else {
            Ok(Vec::new())
        };
        let source = source.join().unwrap_or_else(|panic| resume_unwind(panic));
        let coming = coming.join().unwrap_or_else(|panic| resume_unwind(panic));
        // while their devices exist
        let unseen = hosts.dropped();
        stop.store(true, Ordering::Relaxed);
        let seen = emulator.join().unwrap_or_else(|panic| resume_unwind(panic));
        source?;
        let coming = coming?;
        if !watched? {
            return Ok(None);
        }
        let (seen, links) = seen.map_err(Error::Emulator)?;
        let pairs: Vec<Ended> = pairs?;
        let said = pairs.into_iter().zip(&seen.books);
        let said = said.map(|(pair, book)| pair.read(plan, book.first_arrival()));
        let iperf3 = said.collect::<Result<Vec<Iperf3>, Error>>()?;
        let [idle, held] = flows.lacked();
        let audit = Audit { unseen: unseen?, idle, held, ..seen.audit.clone() };
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
        Ok(Some(Measured { run, audit, iperf3, arrivals: seen.arrivals }))
    })
}

/// Raises the limit of open files as far as this process may: a connection takes three. If
/// that is not enough, opening one too many gives an error.
fn more_files() {
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}
