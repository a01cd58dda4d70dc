//! The counters of all flows and sources of a plan, and which of them a packet belongs to.
//!
//! Each flow has a TCP port at its receiver, and each background source a UDP port; this port
//! tells to which of them a packet belongs. Flows are numbered as in the plan; sources follow.

use std::sync::mpsc::Sender;

use tusker_core::Time;
use tusker_core::queue::Codepoint;
use tusker_plan::plan::{Background, Plan};
use tusker_plan::run::{self, Totals};

use crate::books::{Book, Done, Window};
use crate::ip::{Header, Protocol};
use crate::packet::Packet;

/// The receiver's port of flow or source `number`.
pub fn port(number: usize) -> u16 {
    FIRST_PORT + number as u16
}

const FIRST_PORT: u16 = 10_000;

/// How many flows, and how many sources, have ports below those that the kernel hands out
/// by itself.
pub const PORTS: usize = 20_000;

/// Where finished connections are reported.
pub struct Bell {
    /// Flow and when.
    pub tell: Sender<(usize, Done)>,
    /// Wakes the reader at the other end.
    pub ring: Box<dyn Fn() + Send>,
}

/// All counters.
pub struct Ledger {
    books: Vec<Book>,
    sinks: Vec<Sink>,
    window: Window,
    bell: Option<Bell>,
}

/// The counters of a background source.
#[derive(Debug, Default)]
struct Sink {
    arrived: u64,
    arrived_bytes: u64,
    total: Totals,
}

/// What a packet belongs to.
enum Whose {
    /// A flow, on the way to its receiver.
    Data(usize),
    /// A flow, on the way back.
    Back(usize),
    /// A background source.
    Source(usize),
}

impl Ledger {
    /// Empty.
    pub fn new(plan: &Plan, bell: Option<Bell>) -> Self {
        Self {
            books: plan.flows.iter().map(|flow| Book::new(plan, flow)).collect(),
            sinks: plan.background.iter().map(|_: &Background| Sink::default()).collect(),
            window: Window::of(plan),
            bell,
        }
    }

    /// From now on packets belong to nothing.
    pub fn clear(&mut self) {
        self.books.clear();
        self.sinks.clear();
    }

    /// The number of the flow or source that a packet belongs to.
    pub fn number(&self, header: &Header) -> Option<usize> {
        Some(match self.whose(header)? {
            Whose::Data(flow) | Whose::Back(flow) => flow,
            Whose::Source(i) => self.books.len() + i,
        })
    }

    fn whose(&self, header: &Header) -> Option<Whose> {
        let (from, to) = header.ports?;
        let at = |port: u16, many: usize| {
            let number = usize::from(port.checked_sub(FIRST_PORT)?);
            (number < many).then_some(number)
        };
        match header.protocol {
            Protocol::Udp => at(to, self.sinks.len()).map(Whose::Source),
            Protocol::Tcp => match at(to, self.books.len()) {
                Some(flow) => Some(Whose::Data(flow)),
                None => at(from, self.books.len()).map(Whose::Back),
            },
            Protocol::Other(_) => None,
        }
    }

    /// A host sent a packet.
    pub fn sent(&mut self, now: Time, header: &Header) {
        match (self.whose(header), header.segment, header.ports) {
            (Some(Whose::Data(flow)), Some(segment), Some((from, _))) => {
                let done = self.books[flow].sent(now, self.window, from, &segment);
                self.done(flow, done);
            }
            (Some(Whose::Source(i)), ..) => self.sinks[i].total.sent += 1,
            _ => {}
        }
    }

    /// A packet has reached its host.
    pub fn arrived(&mut self, at: Time, packet: &Packet) {
        let Some(header) = Header::read(&packet.bytes) else { return };
        match (self.whose(&header), header.segment, header.ports) {
            (Some(Whose::Data(flow)), Some(segment), Some((from, _))) => {
                self.books[flow].arrived(at, self.window, from, &segment);
                if header.ecn == Codepoint::Ce {
                    self.books[flow].marked(at, self.window, &segment);
                }
            }
            (Some(Whose::Back(flow)), Some(segment), Some((_, to))) => {
                if let Some(ack) = segment.ack {
                    let done = self.books[flow].acknowledged(at, self.window, to, ack);
                    self.done(flow, done);
                }
            }
            (Some(Whose::Source(i)), ..) => {
                let sink = &mut self.sinks[i];
                sink.total.arrived += 1;
                if self.window.holds(at) {
                    sink.arrived += 1;
                    sink.arrived_bytes += packet.bytes.len() as u64;
                }
            }
            _ => {}
        }
    }

    /// A packet was dropped on the way.
    pub fn dropped(&mut self, at: Time, packet: &Packet) {
        let Some(header) = Header::read(&packet.bytes) else { return };
        match (self.whose(&header), header.segment, header.ports) {
            (Some(Whose::Data(flow)), Some(segment), Some((from, _))) => {
                self.books[flow].dropped(at, self.window, from, &segment);
            }
            (Some(Whose::Source(i)), ..) => self.sinks[i].total.dropped += 1,
            _ => {}
        }
    }

    fn done(&self, flow: usize, done: Option<Done>) {
        if let (Some(done), Some(bell)) = (done, &self.bell) {
            // the other end is gone when the run is over
            let _ = bell.tell.send((flow, done));
            (bell.ring)();
        }
    }

    /// The counters of the flows, and the sources' part of a run's results.
    pub fn finish(self) -> (Vec<Book>, Vec<run::Background>) {
        let background = self.sinks.into_iter().map(|sink| {
            let mut total = sink.total;
            total.delivered = total.arrived;
            total.in_flight = total.sent.saturating_sub(total.arrived + total.dropped);
            run::Background { arrived: sink.arrived, arrived_bytes: sink.arrived_bytes, total }
        });
        (self.books, background.collect())
    }
}
