//! ACKs that reach their sender, as many as may be handled in one go.

use std::ops::Deref;

use tusker_core::Time;
use tusker_plan::plan::Plan;

use super::Engine;
use crate::flow::totals;
use crate::packet::{NO_BLOCKS, flag};
use crate::tcp::AckIn;

impl<P: Deref<Target = Plan>> Engine<P> {
    /// Handles the ACKs of a ring one after the other, as long as nothing else that the
    /// process has to do comes first.
    #[inline(never)]
    pub(super) fn on_acks(&mut self, ring: u32, entry: usize, mut now: Time, until: Time) {
        if self.on_acks_in_order(ring, entry, now, until) {
            return;
        }
        loop {
            self.net.work.events += 1;
            let (packet, behind) = self.net.pop(ring);
            let alone = behind < until && self.net.processes.other_of_two(entry).is_some();
            if !alone {
                // what is sent now may return into the ring, which is now empty
                self.net.processes.set_own(entry, behind);
            }
            self.on_ack(&packet, now);
            if !alone {
                return;
            }
            if self.net.processes.other_of_two(entry).is_none_or(|other| other <= behind)
                || self.net.work.is_enough()
            {
                return self.net.processes.set_own(entry, behind);
            }
            now = behind;
        }
    }

    /// The same for ACKs of new data in order, from the first one on, if their sender is
    /// [steady](crate::tcp::Sender::is_steady) and does not share its process. Returns whether
    /// there were any.
    #[inline(always)]
    fn on_acks_in_order(&mut self, ring: u32, entry: usize, mut now: Time, until: Time) -> bool {
        let Self { plan, net, flows, .. } = self;
        let (Some(flow), Some(mut timer)) =
            (net.sender_of(ring), net.processes.other_of_two(entry))
        else {
            return false;
        };
        let state = &mut flows[flow];
        if !state.is_steady(now) {
            return false;
        }
        let left = net.work.left();
        let Some(mut way) = net.departing(flow, state.size, state.ecn) else { return false };
        state.cuts.pass_with(now, || totals(&state.sender));
        let measured = (plan.measure_from..plan.measure_to).contains(&now);
        let until = until.min(state.cuts.next()).min(state.sender.stops());
        let (mut acks, mut more) = (0, 0);
        let behind = loop {
            let first = way.first(ring);
            let special = first.whose.blocks() != NO_BLOCKS || first.is(flag::ECE);
            if special || !state.sender.is_in_order(first.seq) {
                break now;
            }
            let (packet, behind) = way.pop(ring);
            acks += 1;
            if measured {
                state.round_trips.record(now.since(packet.sent));
            }
            let segments = state.sender.on_ack_steady(&AckIn {
                now,
                ack: packet.seq,
                echo: packet.sent,
                reached: packet.reached,
                retransmission: packet.is(flag::RETRANSMISSION),
                ece: false,
                ace: 0,
                blocks: &[],
                feedback: None,
            });
            more += (segments.end - segments.start).saturating_sub(1);
            for seq in segments {
                way.send(seq, now);
            }
            timer = timer.min(state.sender.steady_timer());
            if behind >= until || timer <= behind || acks + more >= left {
                break behind;
            }
            now = behind;
        };
        net.work.events += acks;
        net.work.add(more);
        net.processes.set_own(entry, behind);
        net.processes.advance_timer(flow, timer);
        acks > 0
    }
}
