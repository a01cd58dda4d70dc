//! All that a plan sends, beside programs that use its hosts.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;

use nix::sys::eventfd::EventFd;
use tusker_core::Time;
use tusker_plan::plan::Plan;

use crate::books::Done;
use crate::coming::{self, Coming};
use crate::error::Error;
use crate::flows::{Flows, starts};
use crate::ledger::Bell;
use crate::places::Hosts;
use crate::sources;

/// Flows, transfers and background of a plan.
pub struct AllSenders<'a> {
    plan: &'a Plan,
    seed: u64,
    hosts: &'a Hosts,
    told: Receiver<(usize, Done)>,
    heard: Arc<EventFd>,
}

impl<'a> AllSenders<'a> {
    /// Nothing is sent yet. Also returns what the emulator tells of finished connections.
    pub fn new(plan: &'a Plan, seed: u64, hosts: &'a Hosts) -> Result<(Self, Option<Bell>), Error> {
        let (tell, told) = mpsc::channel();
        let heard = coming::bell()?;
        let rung = Arc::clone(&heard);
        let bell = Bell { tell, ring: Box::new(move || coming::ring(&rung)) };
        let bell = (!plan.traffic.is_empty()).then_some(bell);
        Ok((Self { plan, seed, hosts, told, heard }, bell))
    }

    /// Sends until it is `over`; when the lasting flows started, and the slots of the others.
    pub fn run(
        self,
        began: Instant,
        over: &AtomicBool,
        fail: &(dyn Fn(Error) + Sync),
    ) -> Vec<Time> {
        let Self { plan, seed, hosts, told, heard } = self;
        let failed = AtomicBool::new(false);
        let note = |done: Result<(), Error>| {
            if let Err(error) = done {
                failed.store(true, Ordering::Relaxed);
                fail(error);
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| note(sources::send(plan, seed, hosts, began, over)));
            scope.spawn(|| {
                let coming = Coming::new(plan, seed, hosts, began, told, heard);
                note(coming.and_then(|coming| coming.run(over)).map(drop));
            });
            let mut flows = Flows::new(plan, seed, hosts, began, Vec::new(), None);
            let mut progress = |_| match over.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            };
            note(flows.watch(&mut progress, &failed).map(drop));
            // while packets still move, so that none waits for an answer
            drop(flows.close());
        });
        let slots = plan.flows[plan.lasting()..].iter();
        let slots = slots.map(|slot| slot.start.time(seed, &slot.name));
        starts(plan, seed).into_iter().chain(slots).collect()
    }
}
