//! Packet captures: pcap and pcapng, with Ethernet, Linux's cooked or raw IP packets.
//!
//! Of one connection, the one that carries most data: goodput and what was in flight over time,
//! round trips from ACKs of data that was sent once, retransmissions, and how often the
//! receiver's window was full. Formats: draft-ietf-opsawg-pcap, pcapng; RFC 791, 8200, 9293.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use crate::measured::{Interval, Measured, Tool};
use crate::{Mistake, choose, mistake::quote};

/// The most connections that are told apart.
const MOST_CONNECTIONS: usize = 100_000;
/// Parts of a capture.
const PARTS: f64 = 40.0;

/// An address and a port.
type End = ([u8; 16], u16);

/// What a segment says.
#[derive(Clone, Copy)]
struct Segment {
    at: f64,
    from: End,
    to: End,
    seq: u32,
    ack: Option<u32>,
    syn: bool,
    window: u32,
    /// Window scale of a SYN.
    scale: Option<u8>,
    payload: u32,
}

/// Of the connection that carries most data, or of the one that `flow` names.
pub(crate) fn measured(name: &str, bytes: &[u8], flow: Option<&str>) -> Result<Measured, Mistake> {
    let mut totals: BTreeMap<(End, End), u64> = BTreeMap::new();
    each(name, bytes, |segment| {
        let key = (segment.from, segment.to);
        if totals.len() < MOST_CONNECTIONS || totals.contains_key(&key) {
            *totals.entry(key).or_default() += u64::from(segment.payload);
        }
    })?;
    totals.retain(|_, bytes| *bytes > 0);
    let mut all: Vec<((End, End), u64)> = totals.into_iter().collect();
    all.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    if all.is_empty() {
        let message = format!("{name}: no TCP connection carries data");
        return Err(Mistake::new(message, "capture with tcpdump -s 100 tcp, on the sender"));
    }
    let labels: Vec<String> = all.iter().map(|((from, to), _)| label(*from, *to)).collect();
    let (from, to) = all[choose::one(name, &labels, flow)?].0;
    let mut own = Connection::default();
    each(name, bytes, |segment| match (segment.from, segment.to) {
        ends if ends == (from, to) => own.sent(segment),
        ends if ends == (to, from) => own.acked(segment),
        _ => {}
    })?;
    let own = own.measured(name)?;
    Ok(Measured { connections: labels.len() as u32, ..own })
}

/// `10.0.0.1:40000>10.0.0.2:5201`.
fn label(from: End, to: End) -> String {
    let text = |(address, port): End| match address {
        [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] => {
            SocketAddr::from(([a, b, c, d], port)).to_string()
        }
        all => SocketAddr::from((all, port)).to_string(),
    };
    format!("{}>{}", text(from), text(to))
}

/// One connection as a sender sees it.
#[derive(Default)]
struct Connection {
    first: Option<f64>,
    last: f64,
    /// Sequence numbers count from the first one seen, without wrapping.
    origin: Option<u32>,
    next: u64,
    acked: u64,
    segments: u64,
    again: u64,
    /// Ends of segments that were sent once, and when.
    open: VecDeque<(u64, f64)>,
    rtts: (f64, f64, u64),
    flight: u64,
    scale: Option<u8>,
    both_scale: bool,
    full: u64,
    acks: u64,
    largest: u32,
    /// Times, and bytes acknowledged (or sent, without ACKs) by then.
    progress: Vec<(f64, u64)>,
    /// Times and round trips.
    samples: Vec<(f64, f64)>,
    /// Times and bytes in flight.
    flights: Vec<(f64, u64)>,
}

impl Connection {
    /// A sequence number without wrapping, near to what was sent last.
    fn position(&mut self, seq: u32) -> u64 {
        let origin = *self.origin.get_or_insert(seq);
        let low = seq.wrapping_sub(origin);
        let ahead = low.wrapping_sub(self.next as u32) as i32;
        self.next.saturating_add_signed(i64::from(ahead))
    }

    fn sent(&mut self, segment: Segment) {
        if segment.syn {
            self.both_scale |= segment.scale.is_some();
            self.origin = Some(segment.seq.wrapping_add(1));
            return;
        }
        if segment.payload == 0 {
            return;
        }
        let start = self.position(segment.seq);
        let end = start + u64::from(segment.payload);
        self.first.get_or_insert(segment.at);
        self.last = self.last.max(segment.at);
        self.segments += 1;
        self.largest = self.largest.max(segment.payload);
        if start < self.next {
            self.again += 1;
            // samples of what was sent twice are ambiguous (Karn)
            self.open.retain(|(own, _)| *own <= start || *own > end);
        } else {
            self.open.push_back((end, segment.at));
        }
        self.next = self.next.max(end);
        let flight = self.next - self.acked.min(self.next);
        self.flight = self.flight.max(flight);
        self.flights.push((segment.at, flight));
        if self.acks == 0 {
            self.progress.push((segment.at, self.next));
        }
    }

    fn acked(&mut self, segment: Segment) {
        if segment.syn {
            self.scale = segment.scale;
            return;
        }
        let (Some(ack), Some(_)) = (segment.ack, self.first) else { return };
        let ack = self.position(ack).min(self.next);
        if self.acks == 0 {
            self.progress.clear();
        }
        self.acks += 1;
        self.last = self.last.max(segment.at);
        let mut newest = None;
        while self.open.front().is_some_and(|(end, _)| *end <= ack) {
            newest = self.open.pop_front();
        }
        if let Some((_, at)) = newest.filter(|(_, at)| segment.at > *at) {
            let sample = segment.at - at;
            let least = if self.rtts.2 == 0 { sample } else { self.rtts.1.min(sample) };
            self.rtts = (self.rtts.0 + sample, least, self.rtts.2 + 1);
            self.samples.push((segment.at, sample));
        }
        self.acked = self.acked.max(ack);
        self.progress.push((segment.at, self.acked));
        let scale = self.scale.filter(|_| self.both_scale).unwrap_or(0).min(14);
        let window = u64::from(segment.window) << scale;
        let flight = self.next - self.acked;
        self.full += u64::from(flight + u64::from(self.largest) > window);
    }

    fn measured(self, name: &str) -> Result<Measured, Mistake> {
        let first = self.first.unwrap_or_default();
        let seconds = self.last - first;
        let bytes = if self.acks > 0 { self.acked } else { self.next };
        if seconds <= 0.0 || !seconds.is_finite() || bytes == 0 {
            let message =
                format!("{name}: {} packets in no time", quote(&self.segments.to_string()));
            return Err(Mistake::new(message, "capture for some seconds"));
        }
        let samples = (self.rtts.2 > 0).then_some(self.rtts);
        // the scale of windows is in SYNs
        let limited =
            (self.scale.is_some() && self.acks > 0).then(|| self.full as f64 / self.acks as f64);
        let mut intervals = Vec::new();
        let each = seconds / PARTS;
        let (mut at, mut before) = (0, 0_u64);
        let (mut samples_left, mut flights_left) = (&self.samples[..], &self.flights[..]);
        for part in 0..PARTS as u32 {
            let [from_s, to_s] = [f64::from(part) * each, f64::from(part + 1) * each];
            let mut now = before;
            let own = upto(&mut samples_left, first + to_s);
            let sum: f64 = own.iter().map(|own| own.1).sum();
            let rtt_s = (!own.is_empty()).then(|| sum / own.len() as f64);
            let most = upto(&mut flights_left, first + to_s).iter().map(|own| own.1).max();
            let cwnd_bytes = most.filter(|_| self.acks > 0).map(|bytes| bytes as f64);
            while let Some((when, bytes)) =
                self.progress.get(at).filter(|own| own.0 - first <= to_s)
            {
                debug_assert!(when.is_finite());
                (now, at) = ((*bytes).max(now), at + 1);
            }
            let goodput_bps = (now - before) as f64 * 8.0 / each;
            intervals.push(Interval { from_s, to_s, goodput_bps, rtt_s, cwnd_bytes });
            before = now;
        }
        Ok(Measured {
            tool: Tool::Pcap,
            goodput_bps: bytes as f64 * 8.0 / seconds,
            seconds: Some(seconds),
            streams: 1,
            rtt_s: samples.map(|(sum, _, count)| sum / count as f64),
            min_rtt_s: samples.map(|(_, least, _)| least),
            retransmits: Some(self.again),
            cwnd_bytes: (self.acks > 0).then_some(self.flight as f64),
            receive_limited: limited,
            intervals,
            ..Measured::default()
        })
    }
}

/// Takes what has times up to this one.
fn upto<'a, T>(left: &mut &'a [(f64, T)], time: f64) -> &'a [(f64, T)] {
    let (own, rest) = left.split_at(left.partition_point(|own| own.0 <= time));
    *left = rest;
    own
}

/// Calls something for each TCP segment. What is not TCP is passed over, and so is an
/// incomplete packet at the end.
fn each(name: &str, bytes: &[u8], mut with: impl FnMut(Segment)) -> Result<(), Mistake> {
    let damaged = |at: usize| {
        let message = format!("{name}: the capture is damaged at byte {at}");
        Err(Mistake::new(message, "capture it again, or repair it with editcap"))
    };
    let word = |at: usize, big: bool| -> Option<u32> {
        let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(if big { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) })
    };
    let magic = word(0, true).unwrap_or_default();
    if magic != 0x0a0d_0d0a {
        let (big, unit) = match magic {
            0xa1b2_c3d4 => (true, 1e-6),
            0xd4c3_b2a1 => (false, 1e-6),
            0xa1b2_3c4d => (true, 1e-9),
            _ => (false, 1e-9),
        };
        let Some(link) = word(20, big) else { return damaged(0) };
        let mut at = 24;
        while let (Some(s), Some(part), Some(length)) =
            (word(at, big), word(at + 4, big), word(at + 8, big))
        {
            let start = at + 16;
            let Some(packet) = bytes.get(start..start.saturating_add(length as usize)) else {
                break;
            };
            let time = f64::from(s) + f64::from(part) * unit;
            segment(packet, link & 0xffff, time).map(&mut with);
            at = start + length as usize;
        }
        return Ok(());
    }
    // pcapng: blocks, each with its length before and after
    let (mut at, mut big, mut links) = (0, false, Vec::<(u32, f64)>::new());
    while let Some(kind) = word(at, big) {
        if word(at, true) == Some(0x0a0d_0d0a) {
            big = word(at + 8, true) == Some(0x1a2b_3c4d);
            links.clear();
        }
        let Some(length) = word(at + 4, big).map(|length| length as usize) else { break };
        if length < 12 || length % 4 != 0 {
            return damaged(at);
        }
        let Some(block) = bytes.get(at..at.saturating_add(length)) else { break };
        let inner = |offset: usize| word(at + offset, big).filter(|_| offset + 4 <= length);
        match kind {
            1 => {
                let link = inner(8).unwrap_or_default() & 0xffff;
                let link = if big { inner(8).unwrap_or_default() >> 16 } else { link };
                links.push((link, resolution(block, big)));
            }
            6 => {
                let (Some(interface), Some(high), Some(low), Some(kept)) =
                    (inner(8), inner(12), inner(16), inner(20))
                else {
                    return damaged(at);
                };
                let Some(&(link, unit)) = links.get(interface as usize) else { return damaged(at) };
                let ticks = (u64::from(high) << 32) | u64::from(low);
                let packet = block.get(28..28_usize.saturating_add(kept as usize));
                let Some(packet) = packet else { return damaged(at) };
                segment(packet, link, ticks as f64 * unit).map(&mut with);
            }
            _ => {}
        }
        at += length;
    }
    Ok(())
}

/// Seconds of a tick of an interface: option if_tsresol, microseconds by default.
fn resolution(block: &[u8], big: bool) -> f64 {
    let half = |at: usize| -> Option<u16> {
        let two: [u8; 2] = block.get(at..at + 2)?.try_into().ok()?;
        Some(if big { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) })
    };
    let mut at = 16;
    while let (Some(code @ 1..), Some(length)) = (half(at), half(at + 2)) {
        if code == 9 {
            let value = block.get(at + 4).copied().unwrap_or(6);
            let power = f64::from(value & 0x7f);
            return if value & 0x80 == 0 { 10_f64.powf(-power) } else { 2_f64.powf(-power) };
        }
        at += 4 + (usize::from(length)).div_ceil(4) * 4;
    }
    1e-6
}

/// The TCP segment in a packet.
fn segment(packet: &[u8], link: u32, at: f64) -> Option<Segment> {
    let half = |at: usize| Some(u16::from_be_bytes(packet.get(at..at + 2)?.try_into().ok()?));
    let mut ip = match link {
        1 => 14,
        113 => 16,
        276 => 20,
        0 | 108 => 4,
        _ => 0,
    };
    // VLAN tags
    while link == 1 && ip < 30 && matches!(half(ip - 2), Some(0x8100 | 0x88a8)) {
        ip += 4;
    }
    let first = *packet.get(ip)?;
    let mut ends = [[0; 16]; 2];
    let (tcp, length) = match first >> 4 {
        4 => {
            let head = usize::from(first & 15) * 4;
            // the first fragment has the header
            if *packet.get(ip + 9)? != 6 || half(ip + 6)? & 0x1fff != 0 {
                return None;
            }
            for (n, end) in ends.iter_mut().enumerate() {
                end[..4].copy_from_slice(packet.get(ip + 12 + 4 * n..ip + 16 + 4 * n)?);
            }
            // offloaded packets may have no length: then it is what was captured
            let total = usize::from(half(ip + 2)?);
            let total = if total == 0 { packet.len() - ip } else { total };
            (ip + head, total.checked_sub(head)?)
        }
        6 => {
            if *packet.get(ip + 6)? != 6 {
                return None;
            }
            for (n, end) in ends.iter_mut().enumerate() {
                end.copy_from_slice(packet.get(ip + 8 + 16 * n..ip + 24 + 16 * n)?);
            }
            let total = usize::from(half(ip + 4)?);
            (ip + 40, if total == 0 { packet.len().checked_sub(ip + 40)? } else { total })
        }
        _ => return None,
    };
    let quad = |at: usize| Some(u32::from_be_bytes(packet.get(at..at + 4)?.try_into().ok()?));
    let head = usize::from(packet.get(tcp + 12)? >> 4) * 4;
    let flags = *packet.get(tcp + 13)?;
    let syn = flags & 2 != 0;
    let options = packet.get(tcp + 20..tcp + head).unwrap_or_default();
    Some(Segment {
        at,
        from: (ends[0], half(tcp)?),
        to: (ends[1], half(tcp + 2)?),
        seq: quad(tcp + 4)?,
        ack: (flags & 16 != 0).then(|| quad(tcp + 8)).flatten(),
        syn,
        window: u32::from(half(tcp + 14)?),
        scale: syn.then(|| scale(options)).flatten(),
        payload: length.checked_sub(head)? as u32,
    })
}

/// RFC 7323: option 3.
fn scale(mut options: &[u8]) -> Option<u8> {
    while let [kind, rest @ ..] = options {
        match (kind, rest) {
            (0, _) => return None,
            (1, _) => options = rest,
            (3, [_, scale, ..]) => return Some(*scale),
            (_, [length @ 2..=40, ..]) => options = options.get(usize::from(*length)..)?,
            _ => return None,
        }
    }
    None
}
