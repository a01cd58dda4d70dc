//! Brings what senders need into the cache before they act.
//!
//! With thousands of flows, what a sender needs has left the cache since it acted last, and each
//! address is only known from what was read before: its process, its ring of ACKs, the first
//! packet there, its first link. So the processor would wait for one after the other. Before
//! several senders act, loops that do nothing else read the same part of all of them, and the
//! processor waits for all at once.
//!
//! This changes no result: nothing is done with what is read.

use std::hint::black_box;

use tusker_core::Time;

use super::Net;
use crate::stage::Stage;
use crate::topology::{Step, Then};

impl Net {
    /// Reads what the senders need that act soon after `now`; `sender` reads what one with this
    /// number keeps itself.
    #[cold]
    #[inline(never)]
    pub fn warm_up(&mut self, now: Time, sender: impl Fn(usize) -> u64) {
        let Self { processes, rings, routes, steps, hops, .. } = self;
        let senders = processes.act_soon(now);
        let step = |flow: u32| routes[flow as usize].data as usize;
        for &(ring, flow) in senders {
            black_box(rings.warm(ring) ^ sender(flow as usize) ^ step(flow) as u64);
        }
        for &(ring, flow) in senders {
            black_box(rings.warm_first(ring) ^ u64::from(steps[step(flow)].link));
        }
        for &(_, flow) in senders {
            let Step { link, then } = steps[step(flow)];
            if let Some(Stage::Hop(hop)) = hops.get(link as usize) {
                black_box(hop.warm());
            }
            if let Then::Wait(ring) = then {
                black_box(rings.warm_end(ring));
            }
        }
    }
}
