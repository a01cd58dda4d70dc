//! The way of segments from a sender to the ring in which they first wait.

use tusker_core::Time;
use tusker_path::{Hop, Outcome};

use super::{Net, mark};
use crate::packet::Packet;
use crate::processes::{Processes, Source};
use crate::rings::Rings;
use crate::stage::Stage;
use crate::tcp::Segment;
use crate::topology::{Target, Then};

/// What segments of one sender touch, and the ACKs that let them go.
pub struct Departing<'a> {
    hop: &'a mut Hop,
    rings: &'a mut Rings,
    processes: &'a mut Processes,
    /// They wait here behind the link.
    ring: u32,
    /// All are like this one, but for number, time and flags.
    packet: Packet,
    /// ECN flags of new data.
    ecn: u8,
}

impl Net {
    /// The sender whose ACKs wait in this ring.
    pub fn sender_of(&self, ring: u32) -> Option<usize> {
        match self.targets[ring as usize] {
            Target::Sender(flow) => Some(flow),
            Target::Link(_) | Target::End(_) => None,
        }
    }

    /// The way of segments of this size, new ones with these ECN flags, if they wait behind their
    /// first link for a link, and that is all that happens to them.
    pub fn departing(&mut self, flow: usize, size: u16, ecn: u8) -> Option<Departing<'_>> {
        let mut packet = self.data(flow, 0, Time::ZERO, size, 0);
        let Self { steps, hops, rings, processes, targets, .. } = self;
        let number = packet.state.step();
        let Then::Wait(ring) = steps[number].then else { return None };
        packet.state.set_step(number + 1);
        match (&mut hops[steps[number].link as usize], targets[ring as usize]) {
            (Stage::Hop(hop), Target::Link(_)) if hop.takes_all() => {
                Some(Departing { hop, rings, processes, ring, packet, ecn })
            }
            _ => None,
        }
    }
}

impl Departing<'_> {
    /// The first packet of a ring of ACKs.
    #[inline(always)]
    pub fn first(&self, acks: u32) -> &Packet {
        self.rings.first(acks as usize)
    }

    /// The same, which leaves the ring; and when the next one is due.
    #[inline(always)]
    pub fn pop(&mut self, acks: u32) -> (Packet, Time) {
        self.rings.pop(acks as usize)
    }

    /// A segment leaves. What happens is the same as in [`Net::forward_inline`].
    #[inline(always)]
    pub fn send(&mut self, segment: Segment, now: Time) {
        let (seq, Packet { whose, mut state, .. }) = (segment.seq, self.packet);
        mark(&mut state, &segment, self.ecn);
        let Outcome::Arrives { at, .. } = self.hop.offer(now, state.size(), false, || None) else {
            unreachable!("the link takes all packets")
        };
        let packet = Packet { at, sent: now, reached: now, seq, whose, state };
        let Self { rings, processes, ring, .. } = self;
        rings.push(*ring as usize, packet, |at| processes.set(Source::Ring(*ring), at));
    }
}
