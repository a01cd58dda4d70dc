//! Connections that use a slot one after the other: each starts with the state of a new
//! one, and with sequence numbers that the previous connection can never reach.
//!
//! ```text
//!  idle --open--> [opening --its ACK--> ] established --all is acknowledged--> idle
//! ```
//!
//! With a handshake, the first segment is only a header and is sent alone; its ACK, a round
//! trip later, gives the first RTT sample. It is sent, queued, lost and retransmitted (by
//! the timer only) like any segment, but not marked: RFC 3168, section 6.1.1 sends it
//! without ECT. It stands for SYN and SYN-ACK, and for the packet with the request that
//! ns-2's WebTraf sends.

use tusker_core::Duration;
use tusker_plan::plan::{self, Recovery, Tcp};

use super::{FlowState, ect};
use crate::tcp::{Counters, Job, Sender, first_of};

/// What a slot keeps in addition to its current connection.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// Index of the demand that it serves.
    pub traffic: usize,
    handshake: bool,
    /// Number of its last connection, from 1.
    connection: u64,
    /// The number after the connection's last segment.
    end: u64,
    /// The connection is opening; the totals at its start.
    opening: Option<Counters>,
    /// Totals of all previous connections.
    pub min_rtt: Option<Duration>,
}

impl Slot {
    pub fn new(traffic: usize, handshake: bool) -> Self {
        Self { traffic, handshake, connection: 0, end: 0, opening: None, min_rtt: None }
    }
}

impl FlowState {
    /// A connection for this much payload starts.
    pub(crate) fn open(&mut self, flow: &plan::Flow, bytes: u64) {
        let Some(slot) = &mut self.slot else { return };
        slot.min_rtt = slot.min_rtt.into_iter().chain(self.sender.min_rtt()).min();
        slot.connection += 1;
        let first = first_of(slot.connection);
        let data = first + u64::from(slot.handshake);
        slot.end = data + bytes.div_ceil(flow.tcp.payload().get());
        let totals = *self.sender.counters();
        self.finished = None;
        let stop = tusker_core::Time::NEVER;
        let (tcp, end) = if slot.handshake {
            slot.opening = Some(totals);
            self.size = flow.tcp.header.get().max(1) as u16;
            self.ecn = 0;
            (Tcp { recovery: Recovery::Reno, prr: false, ..flow.tcp }, data)
        } else {
            (flow.tcp, slot.end)
        };
        let job = Job { segments: end, stop };
        let sender = Sender::new(flow.controller(), tcp, job).starting_at(first, totals);
        self.sender = sender.with_short_ways(self.short);
    }

    /// The connection is now open; `false` if it was open before.
    pub(crate) fn establish(&mut self, flow: &plan::Flow) -> bool {
        let Some(slot) = &mut self.slot else { return false };
        let Some(before) = slot.opening.take() else { return false };
        let totals = *self.sender.counters();
        // RFC 5681, section 3.1: "if the SYN or SYN/ACK is lost, the initial
        // window used by a sender after a correctly transmitted SYN MUST be one
        // segment"
        let lost = totals.timeouts > before.timeouts;
        let window = if lost { 1 } else { flow.tcp.initial_window };
        let job = Job { segments: slot.end, stop: tusker_core::Time::NEVER };
        let sender = Sender::new(flow.controller_from(window), flow.tcp, job);
        let data = first_of(slot.connection) + 1;
        let sender = sender.starting_at(data, totals).knowing(&self.sender);
        self.sender = sender.with_short_ways(self.short);
        self.size = flow.tcp.packet.get() as u16;
        self.ecn = ect(flow.tcp.ecn);
        self.finished = None;
        true
    }
}
