//! ACKs that reach their sender, as many as may be handled in one go.

use std::ops::Deref;

use tusker_core::Time;
use tusker_plan::plan::Plan;

use super::Engine;
use crate::flow::totals;
use crate::packet::{NO_BLOCKS, Packet, flag};
use crate::tcp::{AckIn, Segment};

/// What a packet tells its sender, without blocks.
#[inline(always)]
pub(super) fn plain(packet: &Packet, now: Time, ece: bool) -> AckIn<'static> {
    AckIn {
        now,
        ack: packet.seq,
        echo: packet.sent,
        reached: packet.reached,
        retransmission: packet.is(flag::RETRANSMISSION),
        ece,
        ace: packet.state.ace(),
        blocks: &[],
        feedback: None,
    }
}

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

    /// The same for ACKs of new data without blocks and marks, from the first one on, if their
    /// sender has nothing else to do than sending segments, and does not share its process.
    /// Returns whether there were any.
    #[inline(always)]
    fn on_acks_in_order(&mut self, ring: u32, entry: usize, now: Time, until: Time) -> bool {
        let Some(flow) = self.net.sender_of(ring) else { return false };
        let state = &self.flows[flow];
        if !state.only_sends() || self.net.processes.other_of_two(entry).is_none() {
            return false;
        }
        match state.sender.is_steady(now) {
            true => {
                let until = until.min(state.sender.stops());
                self.run_of_acks::<true>(flow, ring, entry, now, until)
            }
            false => self.run_of_acks::<false>(flow, ring, entry, now, until),
        }
    }

    /// Such a run. `STEADY`: its sender [is](crate::tcp::Sender::is_steady).
    #[inline(never)]
    fn run_of_acks<const STEADY: bool>(
        &mut self,
        flow: usize,
        ring: u32,
        entry: usize,
        mut now: Time,
        until: Time,
    ) -> bool {
        let Self { plan, net, flows, .. } = self;
        let (left, state) = (net.work.left(), &mut flows[flow]);
        let Some(mut timer) = net.processes.other_of_two(entry) else { return false };
        let Some(mut way) = net.departing(flow, state.size, state.ecn) else { return false };
        state.cuts.pass_with(now, || totals(&state.sender));
        let measured = (plan.measure_from..plan.measure_to).contains(&now);
        let until = until.min(state.cuts.next());
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
            let ack = plain(&packet, now, false);
            let mut sent = 0;
            if STEADY {
                let segments = state.sender.on_ack_steady(&ack);
                sent = segments.end - segments.start;
                segments.for_each(|seq| way.send(Segment::new(seq), now));
                timer = timer.min(state.sender.steady_timer());
            } else {
                state.sender.on_ack(&ack);
                while let Some(segment) = state.sender.next_segment(now) {
                    way.send(segment, now);
                    sent += 1;
                }
                timer = timer.min(state.sender.timer());
            }
            more += u64::saturating_sub(sent, 1);
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
