//! Links that are observed.

use tusker_core::Time;
use tusker_path::{DropCause, Outcome};
use tusker_plan::observe::{Observer, Wanted};
use tusker_plan::plan::Plan;

use super::Net;
use crate::capture::Capture;
use crate::headers::HeaderStore;
use crate::packet::{Blocks, Packet, flag};
use crate::senders::Senders;
use crate::stage::Stage;

impl Net {
    /// Observes from now on.
    pub fn observe(&mut self, plan: &Plan, wanted: &Wanted) {
        self.senders = Senders::new(plan.flows.len(), wanted);
        self.capture = Capture::new(plan, wanted);
        let Some(capture) = &self.capture else { return };
        let stages = std::mem::take(&mut self.hops).into_iter().enumerate();
        let watched = |(link, stage): (usize, Stage)| match capture.looks_at(link) {
            true => stage.watched(),
            false => stage,
        };
        self.hops = stages.map(watched).collect();
    }

    /// Reports what was seen before `now`.
    pub fn tell(&mut self, now: Time, observer: &mut dyn Observer) {
        if let Some(capture) = &mut self.capture {
            capture.tell(now, observer);
        }
        if let Some(senders) = &mut self.senders {
            senders.tell(observer);
        }
    }

    /// A packet reaches an observed link. The same happens to it as elsewhere
    /// ([`Net::forward_inline`]).
    pub(super) fn pass_watched(&mut self, link: usize, mut packet: Packet) {
        let Stage::Watched(hop) = &mut self.hops[link] else { return };
        let (at, state, whose) = (packet.at, packet.state, packet.whose);
        let outcome = hop
            .offer(at, state.size(), state.is(flag::ECT), || self.headers.header(whose.blocks()));
        match outcome {
            Outcome::Dropped(cause) => {
                self.see_enter(link, &packet, Some(cause));
                self.on_drop(link, packet);
            }
            Outcome::Arrives { at, marked } => {
                self.see_enter(link, &packet, None);
                if marked {
                    packet.state.mark(flag::CE);
                }
                packet.at = at;
                self.arrive(link, packet);
            }
        }
    }

    /// A packet comes to the entrance of a link.
    #[inline]
    pub(super) fn see_enter(&mut self, link: usize, packet: &Packet, dropped: Option<DropCause>) {
        if self.capture.is_some() {
            let blocks = self.look(packet);
            if let Some(capture) = &mut self.capture {
                capture.enters(link, packet, &blocks, dropped);
            }
        }
    }

    /// A packet arrives at the end of a link.
    #[inline]
    pub(super) fn see_arrive(&mut self, link: usize, packet: &Packet) {
        if self.capture.is_some() {
            let blocks = self.look(packet);
            if let Some(capture) = &mut self.capture {
                capture.arrives(link, packet, &blocks);
            }
        }
    }

    /// The SACK blocks of an ACK.
    fn look(&self, packet: &Packet) -> Blocks {
        if !packet.is(flag::ACK) {
            return Blocks::default();
        }
        let key = packet.whose.blocks();
        let key = if HeaderStore::has(key) { self.headers.blocks(key) } else { key };
        self.blocks.look(key, packet.seq)
    }
}
