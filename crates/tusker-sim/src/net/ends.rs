//! Where packets end: at receivers, which answer them, and at sinks.

use tusker_core::{Duration, Time};
use tusker_plan::plan::{self, Recovery};

use super::{Net, hears_routers};
use crate::measure::Cuts;
use crate::packet::{Packet, Whose, flag};
use crate::processes::{Processes, Source};
use crate::tcp::{AckOut, InOrder, Receiver, ReceiverSetup, ReceiverSlot, compresses_acks};
use crate::topology::Route;

/// The receiving end of a flow.
#[derive(Debug)]
pub struct End {
    pub receiver: Receiver,
    /// Routers' answers that no ACK has carried yet.
    said: Option<f64>,
    pub arrivals: Arrivals,
    pub cuts: Cuts<Arrivals>,
    /// Packets dropped within the measuring window, and in the whole run.
    pub dropped: u64,
    pub dropped_total: u64,
    /// Packets that are on their way at the end, although computed further.
    pub late: u64,
    /// For a slot: when a segment last arrived for the first time.
    pub last_fresh: Time,
    pub(super) ack_size: u16,
    /// How long before its deadline a delayed ACK enters its ring.
    ///
    /// A packet that arrives after the deadline may be computed before the clock is there,
    /// and with it the ACK. To make the ACK enter its first link in the same order among
    /// those of the same time in both cases, it enters a nanosecond early. No packet can
    /// arrive in between, because packets take that long on the last wire. A receiver that
    /// nothing reaches ahead of the clock needs no lead.
    ack_lead: Duration,
    /// When the agenda has the delayed ACK: when it is due, or earlier.
    ack_due: Time,
    /// A full segment on the wire.
    size: u32,
    /// What the SACK option adds to an ACK in addition to its blocks, if it has a size.
    sack_option: Option<u16>,
}

/// Running totals of a receiver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrivals {
    /// Segments that arrived.
    pub arrived: u64,
    /// Those that arrived for the first time.
    pub delivered: u64,
    /// Openings of connections among those that arrived.
    pub opened: u32,
    /// Those that arrived marked; it may start again at zero, differences are right.
    pub marked: u32,
    /// Those of the first transmission that one which left later overtook; as `marked`.
    pub reordered: u32,
    /// Their reordering extents together.
    pub extent: u64,
}

/// Where background packets end.
#[derive(Debug)]
pub struct Sink {
    pub arrived: u64,
    pub cuts: Cuts<u64>,
    pub dropped: u64,
    pub late: u64,
}

impl Net {
    /// A packet reaches its receiver over an observed link, and takes the short way if it would
    /// elsewhere ([`Net::forward_inline`]): of Linux's receivers, those that delay no ACKs leave
    /// segments in order out of their quick ACKs there.
    pub(super) fn receive(&mut self, packet: Packet) {
        let Packet { at, sent, seq, state, .. } = packet;
        if state.is(flag::UDP) {
            return self.sink(&packet);
        }
        let flow = packet.whose.flow();
        let end = &mut self.ends[flow];
        match end.receiver.take_in_order(seq, sent, at, state) {
            InOrder::Acknowledged(cause) => {
                end.count(at, true, self.end);
                self.send_ack(flow, &cause.ack(at, seq + 1));
            }
            InOrder::Waits(until) => {
                end.count(at, true, self.end);
                self.await_delayed_ack(flow, until);
            }
            InOrder::No => self.receive_slow(packet),
        }
    }

    /// A packet reaches its receiver and is not simply the next one in order.
    #[inline(never)]
    pub(super) fn receive_slow(&mut self, packet: Packet) {
        if packet.state.is(flag::UDP) {
            return self.sink(&packet);
        }
        let flow = packet.whose.flow();
        if packet.at >= self.ends[flow].receiver.deadline() {
            self.send_delayed_ack(flow, packet.at);
        }
        let end = &mut self.ends[flow];
        if let Some(header) = self.headers.take_header(packet.whose.blocks()) {
            end.said = header.answer(end.said);
        }
        let extent = end.receiver.extent(&packet, end.arrivals.arrived);
        let extent = extent.filter(|_| packet.at <= self.end);
        let (fresh, ack) = end.receiver.on_data(&packet);
        end.count(packet.at, fresh, self.end);
        if fresh {
            end.last_fresh = packet.at;
        } else if packet.state.size() != end.size {
            end.arrivals.opened += u32::from(packet.at <= self.end);
        }
        if packet.is(flag::CE) && packet.at <= self.end {
            end.arrivals.marked = end.arrivals.marked.wrapping_add(1);
        }
        if let Some(extent) = extent {
            end.arrivals.reordered = end.arrivals.reordered.wrapping_add(1);
            end.arrivals.extent += extent;
        }
        // an ACK that leaves may leave a compressed one behind
        let waits = end.receiver.delays_acks() && (ack.is_none() || end.receiver.is_compressing());
        if let Some(ack) = ack {
            self.send_ack(flow, &ack);
        }
        if waits {
            self.await_delayed_ack(flow, self.ends[flow].receiver.deadline());
        }
    }

    /// A delayed ACK may be due.
    pub fn on_delayed_ack(&mut self, flow: usize, now: Time) {
        self.send_delayed_ack(flow, now + self.ends[flow].ack_lead);
        let end = &mut self.ends[flow];
        end.ack_due = end.enters(end.receiver.deadline());
        self.processes.set(Source::DelayedAck(flow as u32), end.ack_due);
    }

    /// The time of a delayed ACK has come, or a packet arrives after it.
    fn send_delayed_ack(&mut self, flow: usize, now: Time) {
        if let Some(ack) = self.ends[flow].receiver.on_deadline(now) {
            self.send_ack(flow, &ack);
        }
    }

    /// See [`delay_ack`].
    #[inline(always)]
    pub(super) fn await_delayed_ack(&mut self, flow: usize, deadline: Time) {
        delay_ack(&mut self.ends[flow], flow, deadline, &mut self.processes);
    }

    fn send_ack(&mut self, flow: usize, ack: &AckOut) {
        let end = &mut self.ends[flow];
        let mut size = end.ack_size;
        let blocks = ack.blocks.as_slice().len() as u16;
        if let (Some(option), true) = (end.sack_option, blocks > 0) {
            size += option + 8 * blocks;
        }
        let mut flags = flag::ACK;
        if ack.retransmission {
            flags |= flag::RETRANSMISSION;
        }
        if ack.ece {
            flags |= flag::ECE;
        }
        let mut key = self.blocks.keep(&ack.blocks, ack.ack);
        if let Some(said) = end.said.take() {
            key = self.headers.keep_answer(said, key);
        }
        let Route { ack: step, ack_ring, .. } = self.routes[flow];
        let mut packet = Packet {
            at: self.hosts.answers(flow, ack.at),
            reached: ack.reached,
            whose: Whose::new(flow as u32, key),
            ..Packet::new(flow as u32, ack.ack, ack.echo, step, size, flags)
        };
        packet.state.set_ace(ack.ace);
        match ack_ring {
            Some(ring) => self.wait(ring, packet),
            None => self.forward(packet, packet.at),
        }
    }

    #[cold]
    fn sink(&mut self, packet: &Packet) {
        let sink = &mut self.sinks[packet.whose.flow() - self.ends.len()];
        if packet.at <= self.end {
            sink.cuts.pass(packet.at, &sink.arrived);
            sink.arrived += 1;
        } else {
            sink.late += 1;
        }
    }
}

/// An ACK is delayed until `deadline`. One that is delayed further keeps its place on the
/// agenda, and finds there that it is not due yet.
#[inline(always)]
pub(super) fn delay_ack(end: &mut End, flow: usize, deadline: Time, processes: &mut Processes) {
    let at = end.enters(deadline);
    if at < end.ack_due {
        end.ack_due = at;
        processes.set(Source::DelayedAck(flow as u32), at);
    }
}

impl End {
    /// When a delayed ACK with this deadline enters its ring.
    #[inline(always)]
    fn enters(&self, deadline: Time) -> Time {
        match deadline {
            Time::NEVER => Time::NEVER,
            deadline => Time::from_nanos(deadline.nanos() - self.ack_lead.nanos()),
        }
    }

    pub(super) fn new(
        flow: &plan::Flow,
        short: bool,
        slot: Option<ReceiverSlot>,
        base_rtt: Duration,
        ack_lead: Duration,
        cuts: Cuts<Arrivals>,
    ) -> Self {
        let tcp = &flow.tcp;
        let sack = matches!(tcp.recovery, Recovery::Sack | Recovery::RackTlp);
        let receiver = Receiver::new(ReceiverSetup {
            sack_blocks: match (sack, tcp.timestamps) {
                (false, _) => 0,
                (true, true) => 3,
                (true, false) => 4,
            },
            dsack: tcp.recovery == Recovery::RackTlp || tcp.undo,
            delayed_ack: tcp.delayed_ack,
            gro: tcp.gro,
            timestamps: tcp.timestamps,
            accurate_ecn: tcp.ecn.is_accurate(),
            // RFC 6298, section 2.2, after one sample: RTTVAR is half of it
            quick_after: compresses_acks(tcp).then(|| base_rtt + (base_rtt * 2).max(tcp.min_rto)),
            // `tcp_comp_sack_delay_ns`, and 5 % of the round trip (33 % since Linux 6.19)
            compression: compresses_acks(tcp)
                .then(|| Duration::from_nanos(base_rtt.nanos() / 20).min(Duration::from_millis(1)))
                .filter(|&delay| delay > Duration::ZERO),
            answers: hears_routers(flow),
            short,
            slot,
        });
        Self {
            receiver,
            said: None,
            arrivals: Arrivals::default(),
            cuts,
            dropped: 0,
            dropped_total: 0,
            late: 0,
            last_fresh: Time::ZERO,
            size: tcp.packet.get() as u32,
            ack_size: tcp.ack.get() as u16,
            ack_lead,
            ack_due: Time::NEVER,
            // RFC 2018, section 3: 8 n + 2 bytes, padded to whole words; ns-2
            // (`tcp-sink.cc`) counts the blocks alone
            sack_option: tcp.sack_bytes.then_some(if tcp.ns2_details { 0 } else { 4 }),
        }
    }

    /// Counts a segment that arrives at `at`; after the end of the run it counts as under
    /// way.
    #[inline]
    pub(super) fn count(&mut self, at: Time, fresh: bool, end: Time) {
        if at > end {
            self.late += 1;
            return;
        }
        self.cuts.pass(at, &self.arrivals);
        self.arrivals.arrived += 1;
        self.arrivals.delivered += u64::from(fresh);
    }
}
