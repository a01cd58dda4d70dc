//! Packets as captures show them: what passes a place, in order of time.
//!
//! A link is computed ahead of the clock, so its packets are known before the time at which
//! they pass, and the packets at a node come from several links. So observed packets wait here
//! until the clock has passed them. Observation changes nothing about the links; an observed
//! link only takes a slower code path to the same results.
//!
//! Packets seen at the same time are ordered as the link takes them. At a node, which has
//! several links, they are ordered by flow; for one flow, arriving packets come before those
//! sent, as cause comes before effect.

mod bytes;
mod headers;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use tusker_core::Time;
use tusker_path::{DropCause, room};
use tusker_plan::observe::{Observer, Place, Wanted};
use tusker_plan::plan::Plan;

use self::headers::Headers;
use crate::packet::{Blocks, Packet};

/// Packets seen and not yet reported.
#[derive(Debug)]
pub struct Capture {
    /// For each link, the places that observe what enters it, and what arrives at its end.
    entrances: Vec<Vec<Watch>>,
    ends: Vec<Vec<Watch>>,
    waiting: BinaryHeap<Reverse<Glimpse>>,
    number: u64,
    headers: Headers,
    /// Nothing after this is observed.
    end: Time,
}

/// A place that observes a link.
#[derive(Clone, Copy, Debug)]
struct Watch {
    place: u32,
    /// Whether it observes several links.
    several: bool,
}

/// A packet at a place and a time.
#[derive(Clone, Copy, Debug)]
struct Glimpse {
    at: Time,
    /// Flow and link, where these determine the order at equal times.
    order: (u32, bool, u32),
    number: u64,
    place: u32,
    link: u32,
    inward: bool,
    packet: Packet,
    blocks: Blocks,
    dropped: Option<DropCause>,
}

impl PartialEq for Glimpse {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Glimpse {}

impl PartialOrd for Glimpse {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Glimpse {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |glimpse: &Self| (glimpse.at, glimpse.place, glimpse.order, glimpse.number);
        key(self).cmp(&key(other))
    }
}

impl Capture {
    /// Observes these places of a plan; `None` if there are none.
    pub fn new(plan: &Plan, wanted: &Wanted) -> Option<Box<Self>> {
        if wanted.places.is_empty() {
            return None;
        }
        let watching = |sees: fn(Place, &Plan, usize) -> bool| {
            let links = 0..plan.links.len();
            let at = |link| {
                let places = wanted.places.iter().enumerate();
                let there = places.filter(|(_, place)| sees(**place, plan, link));
                let watch = |(index, place): (usize, &Place)| Watch {
                    place: index as u32,
                    several: matches!(place, Place::Node(_)),
                };
                there.map(watch).collect()
            };
            links.map(at).collect::<Vec<Vec<Watch>>>()
        };
        Some(Box::new(Self {
            entrances: watching(Place::sees_entrance),
            ends: watching(Place::sees_end),
            waiting: BinaryHeap::new(),
            number: 0,
            headers: Headers::new(plan, wanted),
            end: plan.end,
        }))
    }

    /// Whether this link is observed.
    pub fn looks_at(&self, link: usize) -> bool {
        let some = |all: &[Vec<_>]| all.get(link).is_some_and(|some| !some.is_empty());
        some(&self.entrances) || some(&self.ends)
    }

    /// A packet reaches a link at `packet.at`; the link may drop it at once.
    pub fn enters(
        &mut self,
        link: usize,
        packet: &Packet,
        blocks: &Blocks,
        dropped: Option<DropCause>,
    ) {
        for nth in 0..self.entrances[link].len() {
            let watch = self.entrances[link][nth];
            self.see(watch, link, false, packet, blocks, dropped);
        }
    }

    /// A packet arrives at the end of a link at `packet.at`.
    pub fn arrives(&mut self, link: usize, packet: &Packet, blocks: &Blocks) {
        for nth in 0..self.ends[link].len() {
            let watch = self.ends[link][nth];
            self.see(watch, link, true, packet, blocks, None);
        }
    }

    fn see(
        &mut self,
        watch: Watch,
        link: usize,
        inward: bool,
        packet: &Packet,
        blocks: &Blocks,
        dropped: Option<DropCause>,
    ) {
        if packet.at > self.end {
            return;
        }
        self.number += 1;
        let flow = packet.whose.flow() as u32;
        let order = if watch.several { (flow, !inward, link as u32) } else { (0, false, 0) };
        self.waiting.push(Reverse(Glimpse {
            at: packet.at,
            order,
            number: self.number,
            place: watch.place,
            link: link as u32,
            inward,
            packet: *packet,
            blocks: *blocks,
            dropped,
        }));
    }

    /// Reports what was seen before `now`; nothing earlier can be seen any more.
    pub fn tell(&mut self, now: Time, observer: &mut dyn Observer) {
        while let Some(Reverse(glimpse)) = self.waiting.peek()
            && glimpse.at < now
        {
            self.headers.tell(glimpse, observer);
            self.waiting.pop();
        }
    }

    /// Bytes in use, and the most with this many more packets.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let (now, capacity) = (self.waiting.len(), self.waiting.capacity());
        // a packet may pass several links in one step
        room(now + 4 * more, capacity, size_of::<Glimpse>())
    }
}
