//! Packets that cross a junction, many at a time: first all of them enter its link, in order of
//! time, and then those of each ring continue, one after the other. So the same few instructions
//! run for many packets, with the data of one link and one receiver at hand.
//!
//! This changes no result: see [`Source::Junction`].

use tusker_core::{Duration, Time};
use tusker_path::{Hop, Outcome};

use super::Net;
use super::ends::delay_ack;
use crate::agenda::Order;
use crate::headers::HeaderStore;
use crate::packet::{Packet, State, flag};
use crate::processes::Source;
use crate::rings::Rings;
use crate::stage::Stage;
use crate::tcp::InOrder;
use crate::topology::{Step, Target, Then};

/// Packets that cross a junction together: as many as the cache holds easily.
const MOST: u64 = 256;

/// Packets that are crossing a junction.
#[derive(Debug, Default)]
pub(super) struct Crossing {
    /// The rings in which they were seen.
    rings: Vec<u32>,
    /// What comes next in each of these, by the entry on the agenda.
    ahead: Vec<Ahead>,
    /// Those of one ring.
    packets: Vec<Packet>,
    /// Those that the junction's link dropped.
    dropped: Vec<Packet>,
}

/// The first two packets of a ring that were not seen yet. The place of the second in the order of
/// time is known before the first one enters the link: a processor that had to find it out then
/// would wait for that longer than for all else.
#[derive(Clone, Copy, Debug, Default)]
struct Ahead {
    first: u32,
    second: u32,
    /// That of the second on the agenda.
    key: u64,
}

/// What packets touch on their way into a junction's link.
struct Way<'a> {
    hop: &'a mut Hop,
    rings: &'a mut Rings,
    sources: &'a [Source],
    headers: &'a mut HeaderStore,
    crossing: &'a mut Crossing,
}

impl Way<'_> {
    /// At most so many packets of all rings enter the link before `until`, in order of time, as
    /// long as nothing else comes first. Returns how many did. Those that are dropped stay in
    /// their ring as packets that never arrive.
    #[inline(always)]
    fn enter(&mut self, order: &mut impl Order, until: Time, most: u64) -> u64 {
        let Self { hop, rings, sources, headers, crossing } = self;
        for done in 0..most {
            let (at, entry) = order.next();
            let Source::Junction(ring) = sources[entry] else { return done };
            if at >= until {
                return done;
            }
            let index = ring as usize;
            if let Some(first) = rings.see_first(index) {
                crossing.rings.push(ring);
                let (second, due) = rings.behind(index, first);
                crossing.ahead[entry] = Ahead { first, second, key: order.key(entry, due) };
            }
            let Ahead { first, second, key } = crossing.ahead[entry];
            order.set(entry, key);
            let (third, due) = rings.behind(index, second);
            let key = order.key(entry, due);
            crossing.ahead[entry] = Ahead { first: second, second: third, key };
            let packet = rings.see(index, first);
            let state = packet.state;
            let outcome = hop.offer(at, state.size(), state.is(flag::ECT), || {
                headers.header(packet.whose.blocks())
            });
            match outcome {
                Outcome::Arrives { at, marked } => {
                    packet.at = at;
                    if marked {
                        packet.state.mark(flag::CE);
                    }
                }
                Outcome::Dropped(_) => {
                    crossing.dropped.push(*packet);
                    packet.at = Time::NEVER;
                }
            }
        }
        most
    }
}

impl Net {
    /// The packets that wait in front of a junction, the acting process, cross it: those that
    /// arrive at `first` or before `until`, as long as nothing else comes first. The first is
    /// in `ring`.
    #[inline(never)]
    pub fn cross(&mut self, ring: u32, first: Time, until: Time) {
        let Target::Link(link) = self.targets[ring as usize] else { return };
        // more than one packet may arrive at `first`
        let until = until.max(first + Duration::from_nanos(1));
        let most = self.work.left().min(MOST);
        let Self { hops, rings, processes, headers, crossing, .. } = self;
        let (agenda, sources) = processes.acting();
        if crossing.ahead.len() < sources.len() {
            crossing.ahead.resize(sources.len(), Ahead::default());
        }
        let Stage::Hop(hop) = &mut hops[link] else {
            unreachable!("packets cross a link that is observed one by one")
        };
        let mut way = Way { hop, rings, sources, headers, crossing };
        self.work.events += if let Some(mut agenda) = agenda.sized::<32>() {
            way.enter(&mut agenda, until, most)
        } else if let Some(mut agenda) = agenda.sized::<64>() {
            way.enter(&mut agenda, until, most)
        } else {
            way.enter(agenda, until, most)
        };
        let dropped = !self.crossing.dropped.is_empty();
        if dropped {
            let mut list = std::mem::take(&mut self.crossing.dropped);
            list.drain(..).for_each(|packet| self.on_drop(link, packet));
            self.crossing.dropped = list;
        }
        while let Some(ring) = self.crossing.rings.pop() {
            let mut packets = std::mem::take(&mut self.crossing.packets);
            self.rings.take_seen(ring as usize, &mut packets);
            if dropped {
                packets.retain(|packet| packet.at != Time::NEVER);
            }
            let mut rest = &packets[..];
            while let Some(&(mut packet)) = rest.first() {
                let mut done = self.go_on_together(rest);
                if done == 0 {
                    packet.state.set_step(packet.state.step() + 1);
                    self.forward(packet, packet.at);
                    done = 1;
                }
                rest = &rest[done..];
            }
            packets.clear();
            self.crossing.packets = packets;
        }
    }

    /// Packets that enter the same link go on as with [`Net::forward_inline`], as long as they
    /// have the same way and nothing special happens. Returns how many did.
    #[inline(always)]
    fn go_on_together(&mut self, packets: &[Packet]) -> usize {
        // that of the junction is still the next one
        let number = packets[0].state.step() + 1;
        match self.steps[number].then {
            Then::Receive => self.answer_together(number, packets),
            Then::Wait(ring) => self.wait_together::<false>(number, ring, packets),
            Then::Take(ring) => self.wait_together::<true>(number, ring, packets),
            Then::Pass | Then::Mix(_) => 0,
        }
    }

    /// They wait in the same ring behind the link; if the sender's host `TAKES` them, until it
    /// acts.
    #[inline(never)]
    fn wait_together<const TAKES: bool>(
        &mut self,
        number: usize,
        ring: u32,
        packets: &[Packet],
    ) -> usize {
        let Self { steps, hops, rings, processes, hosts, headers, .. } = self;
        let link = steps[number].link as usize;
        let Stage::Hop(hop) = &mut hops[link] else { return 0 };
        for (i, &packet) in packets.iter().enumerate() {
            let Packet { at, whose, mut state, .. } = packet;
            if state.step() + 1 != number {
                return i;
            }
            let outcome =
                hop.offer(at, state.size(), state.is(flag::ECT), || headers.header(whose.blocks()));
            match outcome {
                Outcome::Arrives { mut at, marked } => {
                    if marked {
                        state.mark(flag::CE);
                    }
                    if TAKES {
                        at = hosts.sees(whose.flow(), at);
                    }
                    state.set_step(number + 1);
                    rings.push(ring as usize, Packet { at, state, ..packet }, |at| {
                        processes.set(Source::Ring(ring), at);
                    });
                }
                Outcome::Dropped(_) => {
                    self.on_drop(link, packet);
                    return i + 1;
                }
            }
        }
        packets.len()
    }

    /// They reach a receiver behind the link, and its ACKs wait in a ring: in front of their
    /// first link or behind it.
    #[inline(never)]
    fn answer_together(&mut self, number: usize, packets: &[Packet]) -> usize {
        let flow = packets[0].whose.flow();
        let Self { steps, hops, rings, processes, hosts, headers, ends, .. } = self;
        let link = steps[number].link as usize;
        let (route, Some(end)) = (self.routes[flow], ends.get_mut(flow)) else { return 0 };
        let Step { link: first, then } = steps[route.ack as usize];
        let (hop, mut back, ring) = match (route.ack_ring, then) {
            (Some(ring), _) => match &mut hops[link] {
                Stage::Hop(hop) => (hop, None, ring),
                _ => return 0,
            },
            (None, Then::Wait(ring)) => match hops.get_disjoint_mut([link, first as usize]) {
                Ok([Stage::Hop(hop), Stage::Hop(back)]) => (hop, Some(back), ring),
                _ => return 0,
            },
            _ => return 0,
        };
        let ack_step = route.ack as usize + usize::from(back.is_some());
        for (i, &packet) in packets.iter().enumerate() {
            let Packet { at, sent, seq, whose, mut state, .. } = packet;
            if state.step() + 1 != number {
                return i;
            }
            let outcome =
                hop.offer(at, state.size(), state.is(flag::ECT), || headers.header(whose.blocks()));
            let Outcome::Arrives { mut at, marked } = outcome else {
                self.on_drop(link, packet);
                return i + 1;
            };
            if marked {
                state.mark(flag::CE);
            }
            match end.receiver.take_in_order(seq, sent, at, state) {
                InOrder::Acknowledged(cause) => {
                    end.count(at, true, self.end);
                    at = hosts.answers(flow, at);
                    let mut state = State::ack(cause.again, end.ack_size);
                    state.set_step(ack_step);
                    let (sent, reached, seq) = (cause.sent, cause.reached, seq + 1);
                    if let Some(back) = &mut back {
                        match back.offer(at, state.size(), false, || None) {
                            Outcome::Arrives { at: arrives, marked } => {
                                at = arrives;
                                if marked {
                                    state.mark(flag::CE);
                                }
                            }
                            Outcome::Dropped(_) => {
                                let ack = Packet { at, sent, reached, seq, whose, state };
                                self.on_drop(first as usize, ack);
                                return i + 1;
                            }
                        }
                    }
                    let ack = Packet { at, sent, reached, seq, whose, state };
                    rings.push(ring as usize, ack, |at| processes.set(Source::Ring(ring), at));
                }
                InOrder::Waits(until) => {
                    end.count(at, true, self.end);
                    delay_ack(end, flow, until, processes);
                }
                InOrder::No => {
                    state.set_step(number + 1);
                    self.receive_slow(Packet { at, state, ..packet });
                    return i + 1;
                }
            }
        }
        packets.len()
    }
}
