//! What the kernel reports about a connection: `TCP_INFO` of tcp(7), in the layout of `struct
//! tcp_info` in linux/tcp.h, to which newer kernels only append fields.

use std::time::Duration;

use crate::error::Error;

/// Up to `tcpi_reord_seen`, of Linux 4.19.
const NEEDED: usize = 224;

/// The sender's state of a connection at one moment. Packets are segments of
/// [`snd_mss`](Self::snd_mss) bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// As numbered in linux/tcp.h: 1 is established, 4 and 5 are closed by the sender but
    /// not by the receiver, 7 is closed.
    pub state: u8,
    /// The sender's loss recovery state.
    pub ca_state: CaState,
    /// Timeouts in a row now.
    pub retransmits: u8,
    /// Retransmission timeout.
    pub rto: Duration,
    /// Payload of a full segment, bytes.
    pub snd_mss: u32,
    /// Packets sent and not yet acknowledged by number.
    pub unacked: u32,
    /// Packets of these that SACK has acknowledged.
    pub sacked: u32,
    /// Packets of these considered lost.
    pub lost: u32,
    /// Packets of these that were retransmitted and are on their way.
    pub retrans: u32,
    /// Smoothed round-trip time.
    pub rtt: Duration,
    /// Its mean deviation.
    pub rttvar: Duration,
    /// Minimum round-trip time over the last `net.ipv4.tcp_min_rtt_wlen`, 300 s. `None`
    /// before the first sample.
    pub min_rtt: Option<Duration>,
    /// Slow-start threshold, packets; `None` until there is one.
    pub snd_ssthresh: Option<u32>,
    /// Congestion window, packets.
    pub snd_cwnd: u32,
    /// The receiver's window, bytes; `None` before Linux 5.4.
    pub snd_wnd: Option<u32>,
    /// Retransmitted packets since the start.
    pub total_retrans: u32,
    /// Pacing rate limit, bytes per second; `None` if there is none.
    pub pacing_rate: Option<u64>,
    /// Bytes acknowledged by number; SYN and FIN count as one each.
    pub bytes_acked: u64,
    /// Segments sent, including those without data.
    pub segs_out: u32,
    /// Segments with data sent, including retransmissions.
    pub data_segs_out: u32,
    /// Latest delivery rate sample, bytes per second.
    pub delivery_rate: u64,
    /// Time in which there was something to send or to be acknowledged.
    pub busy: Duration,
    /// The part of it in which the receiver's window held it back.
    pub rwnd_limited: Duration,
    /// The part of it in which the send buffer held it back.
    pub sndbuf_limited: Duration,
    /// Packets delivered, by ACK number or SACK, including the SYN.
    pub delivered: u32,
    /// Packets of these that were acknowledged with an ECN mark.
    pub delivered_ce: u32,
    /// Bytes of data sent, including retransmissions.
    pub bytes_sent: u64,
    /// Bytes of these that were retransmissions.
    pub bytes_retrans: u64,
    /// Duplicates reported by the receiver.
    pub dsack_dups: u32,
    /// How often packets were seen out of order.
    pub reord_seen: u32,
    /// Timeouts since the start; `None` before Linux 6.7.
    pub total_rto: Option<u16>,
}

/// `tcpi_ca_state`: the sender's loss recovery state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaState {
    /// Nothing unusual.
    #[default]
    Open,
    /// Duplicate ACKs or SACK, not enough for a loss.
    Disorder,
    /// The window was reduced after an ECN mark.
    Cwr,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

impl Info {
    /// Parses what the kernel wrote.
    pub(super) fn new(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() < NEEDED {
            return Err(Error::Kernel { found: bytes.len(), expected: NEEDED });
        }
        let later = |at: usize, length: usize| bytes.get(at..at + length);
        let u32_at = |at| u32::from_ne_bytes(field(bytes, at));
        let u64_at = |at| u64::from_ne_bytes(field(bytes, at));
        let micros = |at| Duration::from_micros(u64::from(u32_at(at)));
        Ok(Self {
            state: bytes[0],
            ca_state: match bytes[1] {
                0 => CaState::Open,
                1 => CaState::Disorder,
                2 => CaState::Cwr,
                3 => CaState::Recovery,
                _ => CaState::Loss,
            },
            retransmits: bytes[2],
            rto: micros(8),
            snd_mss: u32_at(16),
            unacked: u32_at(24),
            sacked: u32_at(28),
            lost: u32_at(32),
            retrans: u32_at(36),
            rtt: micros(68),
            rttvar: micros(72),
            // TCP_INFINITE_SSTHRESH
            snd_ssthresh: Some(u32_at(76)).filter(|&packets| packets < 0x7fff_ffff),
            snd_cwnd: u32_at(80),
            total_retrans: u32_at(100),
            pacing_rate: Some(u64_at(104)).filter(|&rate| rate < u64::MAX),
            bytes_acked: u64_at(120),
            segs_out: u32_at(136),
            min_rtt: Some(u32_at(148))
                .filter(|&rtt| rtt < u32::MAX)
                .map(|rtt| Duration::from_micros(u64::from(rtt))),
            data_segs_out: u32_at(156),
            delivery_rate: u64_at(160),
            busy: Duration::from_micros(u64_at(168)),
            rwnd_limited: Duration::from_micros(u64_at(176)),
            sndbuf_limited: Duration::from_micros(u64_at(184)),
            delivered: u32_at(192),
            delivered_ce: u32_at(196),
            bytes_sent: u64_at(200),
            bytes_retrans: u64_at(208),
            dsack_dups: u32_at(216),
            reord_seen: u32_at(220),
            snd_wnd: later(228, 4).map(|_| u32_at(228)),
            total_rto: later(240, 2).map(|_| u16::from_ne_bytes(field(bytes, 240))),
        })
    }
}

fn field<const LENGTH: usize>(bytes: &[u8], at: usize) -> [u8; LENGTH] {
    bytes[at..at + LENGTH].try_into().expect("as long as it says")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every 32-bit word of the answer holds its own number.
    fn numbered(words: u32) -> Vec<u8> {
        (0..words).flat_map(u32::to_ne_bytes).collect()
    }

    /// Counted in `struct tcp_info` of linux/tcp.h: 8 bytes, then 24 words, then the
    /// 64-bit fields and what stands between them, without gaps.
    #[test]
    fn fields_are_read_where_the_header_has_them() {
        let info = Info::new(&numbered(62)).expect("long enough");
        let two = |word: u64| {
            if cfg!(target_endian = "little") {
                (word + 1) << 32 | word
            } else {
                word << 32 | (word + 1)
            }
        };
        assert_eq!(info.snd_mss, 4);
        assert_eq!((info.unacked, info.sacked, info.lost, info.retrans), (6, 7, 8, 9));
        assert_eq!((info.rtt, info.rttvar), (Duration::from_micros(17), Duration::from_micros(18)));
        assert_eq!((info.snd_ssthresh, info.snd_cwnd), (Some(19), 20));
        assert_eq!((info.total_retrans, info.pacing_rate), (25, Some(two(26))));
        assert_eq!((info.bytes_acked, info.segs_out), (two(30), 34));
        assert_eq!(info.min_rtt, Some(Duration::from_micros(37)));
        assert_eq!((info.data_segs_out, info.delivery_rate), (39, two(40)));
        assert_eq!((info.delivered, info.delivered_ce), (48, 49));
        assert_eq!((info.bytes_sent, info.bytes_retrans), (two(50), two(52)));
        assert_eq!((info.dsack_dups, info.reord_seen, info.snd_wnd), (54, 55, Some(57)));
        assert_eq!(info.total_rto, Some(60));
    }

    #[test]
    fn an_older_kernel_tells_less_and_one_too_old_is_refused() {
        let info = Info::new(&numbered(56)).expect("Linux 4.19");
        assert_eq!((info.reord_seen, info.snd_wnd, info.total_rto), (55, None, None));
        let error = Info::new(&numbered(55)).expect_err("Linux 4.18").to_string();
        assert!(error.contains("220 bytes of TCP_INFO, expected 224"), "{error}");
    }

    #[test]
    fn what_is_not_there_yet_is_none() {
        let info = Info::new(&[0xff; 248]).expect("long enough");
        assert_eq!((info.min_rtt, info.pacing_rate, info.snd_ssthresh), (None, None, None));
    }
}
