//! Packets for observers. The thread that moves packets copies their headers and continues;
//! another thread calls the observer, however long that takes.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use tusker_core::Time;
use tusker_plan::observe::{Metrics, Observer, Place, Seen, SenderEvent, Wanted};
use tusker_plan::plan::Plan;

use crate::stage::Fate;

/// The longest headers: 60 bytes of IPv4, 60 of TCP.
const HEADERS: usize = 120;

/// Packets that are handed over together, and how long they may wait for more.
const TOGETHER: usize = 512;
const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// How many of these batches may wait for the observer: 40 MB.
const WAITING: usize = 512;

/// A packet at a place.
pub struct Sight {
    at: Time,
    place: u32,
    link: u32,
    inward: bool,
    dropped: Option<&'static str>,
    size: u32,
    length: u8,
    bytes: [u8; HEADERS],
}

/// What is handed over.
pub enum Handed {
    /// Packets, and how many were left out before them for lack of room.
    Packets(Vec<Sight>, u64),
    /// The state of a flow's sender.
    Sender(usize, Time, Metrics),
}

/// Records packets while they move.
pub struct Sights {
    /// For each link, the places that observe what enters it, and what arrives at its end.
    entrances: Vec<Vec<u32>>,
    ends: Vec<Vec<u32>>,
    end: Time,
    noted: Vec<Sight>,
    since: Instant,
    missed: u64,
    to: SyncSender<Handed>,
}

impl Sights {
    /// Observes these places; the records come out at the other end, for [`tell`].
    pub fn new(plan: &Plan, wanted: &Wanted) -> (Self, Receiver<Handed>) {
        let watching = |sees: fn(Place, &Plan, usize) -> bool| {
            let at = |link| {
                let places = wanted.places.iter().enumerate();
                let there = places.filter(|(_, place)| sees(**place, plan, link));
                there.map(|(index, _)| index as u32).collect()
            };
            (0..plan.links.len()).map(at).collect::<Vec<Vec<u32>>>()
        };
        let (to, from) = sync_channel(WAITING);
        let sights = Self {
            entrances: watching(Place::sees_entrance),
            ends: watching(Place::sees_end),
            end: plan.end,
            noted: Vec::with_capacity(TOGETHER),
            since: Instant::now(),
            missed: 0,
            to,
        };
        (sights, from)
    }

    /// For others that hand over records at the same end.
    pub fn to(&self) -> SyncSender<Handed> {
        self.to.clone()
    }

    /// A packet enters a link; returns how many places saw it.
    pub fn enters(&mut self, at: Time, link: usize, bytes: &[u8]) -> usize {
        self.note(at, link, false, bytes)
    }

    /// The latest packet, seen by this many places, had this fate.
    pub fn became(&mut self, places: usize, fate: &Fate) {
        let dropped = match fate {
            Fate::Arrives { .. } => return,
            Fate::Dropped(_) => "dropped by the queue",
            Fate::Lost(_) => "lost on the wire",
        };
        let noted = self.noted.iter_mut().rev().take(places);
        noted.for_each(|sight| sight.dropped = Some(dropped));
    }

    /// A packet arrives at the end of a link.
    pub fn arrives(&mut self, at: Time, link: usize, bytes: &[u8]) {
        self.note(at, link, true, bytes);
    }

    fn note(&mut self, at: Time, link: usize, inward: bool, bytes: &[u8]) -> usize {
        if at > self.end {
            return 0;
        }
        let places = if inward { &self.ends[link] } else { &self.entrances[link] };
        for &place in places {
            let length = bytes.len().min(HEADERS);
            let mut sight = Sight {
                at,
                place,
                link: link as u32,
                inward,
                dropped: None,
                size: bytes.len() as u32,
                length: length as u8,
                bytes: [0; HEADERS],
            };
            sight.bytes[..length].copy_from_slice(&bytes[..length]);
            self.noted.push(sight);
        }
        places.len()
    }

    /// Hands over the records if there are enough or they have waited long enough.
    pub fn hand_over(&mut self) {
        if self.noted.len() >= TOGETHER
            || !self.noted.is_empty() && self.since.elapsed() >= LONGEST_WAIT
        {
            self.send();
        }
    }

    fn send(&mut self) {
        self.since = Instant::now();
        let noted = std::mem::replace(&mut self.noted, Vec::with_capacity(TOGETHER));
        let packets = noted.len() as u64;
        match self.to.try_send(Handed::Packets(noted, self.missed)) {
            Ok(()) => self.missed = 0,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => self.missed += packets,
        }
    }

    /// Hands over the rest, even if that takes time: nothing moves any more.
    pub fn finish(self) {
        // an observer that has gone needs none
        let _ = self.to.send(Handed::Packets(self.noted, self.missed));
    }
}

/// Passes what is handed over to an observer, until nothing more comes.
pub fn tell(from: &Receiver<Handed>, observer: &mut dyn Observer) {
    for handed in from {
        let (sights, missed) = match handed {
            Handed::Packets(sights, missed) => (sights, missed),
            Handed::Sender(flow, at, metrics) => {
                observer.sender(flow, at, &SenderEvent::Metrics(metrics));
                continue;
            }
        };
        if missed > 0 {
            observer.missed(missed);
        }
        for sight in sights {
            observer.packet(&Seen {
                place: sight.place as usize,
                link: sight.link as usize,
                inward: sight.inward,
                at: sight.at,
                bytes: &sight.bytes[..usize::from(sight.length)],
                size: sight.size,
                dropped: sight.dropped.is_some(),
                note: sight.dropped,
            });
        }
    }
}
