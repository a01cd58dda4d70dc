//! The window of a receiver whose buffer Linux enlarges (dynamic right-sizing).
//!
//! Linux 6.1, `tcp_rcv_space_adjust`, with its names: once per round trip, if more was received
//! than in the best round trip before, the buffer becomes large enough for twice as much, and for
//! what slow start adds:
//!
//! ```text
//! rcvwin <- 2 copied + 16 advmss;  rcvwin += 2 rcvwin (copied - space) / space
//! rcvbuf <- max(rcvbuf, min(rcvwin / advmss * rcvmem, tcp_rmem[2]));  space <- copied
//! window <- rcvbuf / 2                                          (tcp_adv_win_scale 1)
//! ```
//!
//! rcvmem is what a segment takes, at least twice its payload. The buffer begins with
//! tcp_rmem\[1\], 128 KiB, and `space` with ten segments. The round trip is measured at the
//! receiver by timestamps, one sample per millisecond, with a gain of 1/8.
//!
//! The sender computes this when an ACK arrives, from what the ACK tells of the receiver: how
//! far it had received, and when. So a lost ACK postpones a step to the next one. Left out:
//! `rcv_ssthresh`, which grows by two segments for each that arrives, faster than slow start;
//! the scale of the window field; and what data out of order takes of the buffer, for which the
//! factor 2 makes room.

use tusker_core::{Duration, Time};
use tusker_plan::plan::Tcp;

/// `tcp_rmem[1]`.
const INITIAL: u64 = 131_072;

/// `TCP_INIT_CWND`.
const INITIAL_WINDOW: u64 = 10;

/// IPv4 and TCP without options.
const HEADERS: u64 = 40;

/// The window of a tuned receiver.
#[derive(Clone, Debug)]
pub(super) struct ReceiveWindow {
    /// Payload of a packet.
    payload: u64,
    advmss: u64,
    /// Memory for a segment of `advmss`.
    rcvmem: u64,
    /// `tcp_rmem[2]`.
    most: u64,
    rcvbuf: u64,
    /// What was received in the best round trip.
    space: u64,
    /// What the current round trip began with, and when.
    seq: u64,
    since: Option<Time>,
    /// Eight times the smoothed round trip, in nanoseconds, and the millisecond of its last sample.
    rtt: i64,
    sampled_ms: Option<u64>,
    /// The first segment that may not be sent.
    edge: u64,
    /// As many segments as other buffers allow to be outstanding.
    others: u64,
}

impl ReceiveWindow {
    /// For a connection that begins with segment 0, of which other buffers allow so many
    /// segments to be outstanding; `None` if the receiver does not enlarge its buffer.
    pub fn of(tcp: &Tcp, others: u64) -> Option<Box<Self>> {
        let most = tcp.rmem?.get();
        let advmss = tcp.segment().get().saturating_sub(HEADERS).max(1);
        let window = Self {
            payload: tcp.payload().get().max(1),
            advmss,
            rcvmem: memory_of(advmss),
            most,
            rcvbuf: INITIAL.min(most),
            space: INITIAL_WINDOW * advmss,
            seq: 0,
            since: None,
            rtt: 0,
            sampled_ms: None,
            edge: 0,
            others,
        };
        Some(Box::new(window.starting_at(0)))
    }

    /// The same for a connection that begins with this segment.
    pub fn starting_at(mut self, seq: u64) -> Self {
        self.seq = seq;
        self.edge = seq + self.segments();
        self
    }

    /// Segments that may be outstanding.
    pub fn segments(&self) -> u64 {
        (self.rcvbuf / 2 / self.payload).max(1).min(self.others)
    }

    /// The receiver had everything before `ack` at `reached`. Returns how many segments may be
    /// outstanding from there on.
    pub fn on_ack(&mut self, ack: u64, reached: Time, rtt: Duration) -> u64 {
        let ms = reached.nanos() / 1_000_000;
        if self.sampled_ms.replace(ms) != Some(ms) {
            let sample = rtt.nanos() as i64;
            self.rtt = if self.rtt == 0 { 8 * sample } else { self.rtt + sample - self.rtt / 8 };
        }
        let since = *self.since.get_or_insert(reached);
        if reached.since(since).nanos() as i64 >= self.rtt / 8 {
            self.adjust((ack - self.seq) * self.payload);
            (self.seq, self.since) = (ack, Some(reached));
        }
        // the right edge of a window does not move back
        self.edge = self.edge.max(ack + self.segments());
        self.edge - ack
    }

    /// So many bytes were received in a round trip.
    fn adjust(&mut self, copied: u64) {
        if copied <= self.space {
            return;
        }
        let [copied_wide, space] = [copied, self.space].map(u128::from);
        let rcvwin = 2 * copied_wide + 16 * u128::from(self.advmss);
        let grow = rcvwin * (copied_wide - space) / space;
        let rcvwin = rcvwin + 2 * grow;
        let rcvbuf = rcvwin / u128::from(self.advmss) * u128::from(self.rcvmem);
        self.rcvbuf = self.rcvbuf.max(rcvbuf.min(u128::from(self.most)) as u64);
        self.space = copied;
    }
}

/// `SKB_TRUESIZE(advmss + MAX_TCP_HEADER)`, and so much more that half of it holds the segment:
/// 320 bytes for headers, 256 and 320 for `sk_buff` and `skb_shared_info` on x86-64.
fn memory_of(advmss: u64) -> u64 {
    let size = advmss + 320 + 256 + 320;
    size + (2 * advmss).saturating_sub(size).div_ceil(128) * 128
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Bytes;

    fn window(rmem: u64) -> ReceiveWindow {
        let tcp = Tcp { rmem: Some(Bytes::new(rmem)), header: Bytes::new(52), ..Tcp::PLAIN };
        *ReceiveWindow::of(&tcp, u64::MAX).expect("tuned")
    }

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    const RTT: Duration = Duration::from_millis(100);

    /// 131,072/2/1448 = 45 segments. After 100 ms the receiver has 11 segments, 15,928 bytes:
    /// rcvwin = 31,856 + 23,360 = 55,216, + 2 x 55,216 x 1328/14,600 (5022) = 65,260, of which
    /// 44 x 1460 fit: 44 x 2996 = 131,824, a window of 65,912. After 200 ms it has 20 more,
    /// 28,960: 57,920 + 23,360 = 81,280, + 2 x 81,280 x 13,032/15,928 (66,501) = 214,282, or 146
    /// segments, 437,416 bytes: 218,708, or 151 segments of 1448.
    #[test]
    fn each_round_trip_makes_room_for_the_next_ones() {
        let mut window = window(6_291_456);
        assert_eq!(memory_of(1460), 2356 + 5 * 128);
        assert_eq!(window.on_ack(2, at(0), RTT), 45);
        assert_eq!(window.on_ack(10, at(1), RTT), 45);
        assert_eq!(window.rcvbuf, 131_072);
        window.on_ack(11, at(100), RTT);
        assert_eq!((window.rcvbuf, window.space), (131_824, 15_928));
        assert_eq!(window.on_ack(31, at(200), RTT), 151);
        assert_eq!((window.rcvbuf, window.space), (437_416, 28_960));
    }

    /// tcp_rmem\[2\] = 6 MiB: half of it, 3,145,728 bytes, are 2172 segments of 1448.
    #[test]
    fn it_grows_to_half_of_the_memory() {
        let mut window = window(6_291_456);
        let mut last = 0;
        for round in 0..12 {
            last = window.on_ack((10 << round) + 1, at(100 * round), RTT);
        }
        assert_eq!(last, 2172);
    }

    /// Linux 6.1 in virtual time (`machine.sh run 1 ms=4000 rate=400mbit delay=100ms laws=reno
    /// queue=pfifo,limit,20000 gso=45 rmem=4096,131072,6291456`): segments in the window of the
    /// last ACK of each round trip of slow start, when 10, 30, 70 .. have been acknowledged. Until
    /// the fourth, `rcv_ssthresh` keeps it smaller (44, 55, 130), above the congestion window.
    #[test]
    fn it_grows_as_in_linux() {
        let mut window = window(6_291_456);
        let (mut ack, mut grown) = (0, Vec::new());
        for round in 0..8 {
            let end = 10 * ((1 << (round + 1)) - 1);
            let mut last = 0;
            for (pair, acked) in (ack..end).step_by(2).enumerate() {
                let reached = at(100 * round) + Duration::from_nanos(60_000 * pair as u64);
                last = window.on_ack(acked + 2, reached, RTT);
            }
            (ack, grown) = (end, [&grown[..], &[last]].concat());
        }
        for (ours, linux) in grown[3..].iter().zip([286, 531, 1015, 1998, 2172]) {
            let apart = *ours as f64 / f64::from(linux) - 1.0;
            assert!(apart.abs() < 0.05, "{grown:?}, in Linux {linux}");
        }
        assert!(grown[..3].iter().zip([44, 55, 130]).all(|(ours, linux)| *ours >= linux));
    }

    #[test]
    fn the_right_edge_does_not_move_back() {
        let mut window = window(6_291_456);
        assert_eq!(window.on_ack(5, at(0), RTT), 45);
        assert_eq!(window.edge, 50);
        // less was received than in the best round trip
        assert_eq!(window.on_ack(6, at(500), RTT), 45);
        assert_eq!(window.rcvbuf, 131_072);
    }
}
