//! The state of senders for an observer: the `TCP_INFO` of a flow, read whenever sockets are
//! polled.

use std::sync::mpsc::{SyncSender, TrySendError};

use tusker_core::{Duration, Rate, Time};
use tusker_plan::observe::Metrics;

use crate::sights::Handed;
use crate::socket::Info;

/// States of linux/tcp.h without a connection: SYN sent, SYN received, closed (which a socket is
/// before it connects). The segment size is not known in these.
const OPENING: [u8; 3] = [2, 3, 7];

/// Reports the flows that the observer asked for.
pub struct Senders {
    /// The last report for each.
    flows: Vec<(usize, Option<Metrics>)>,
    to: SyncSender<Handed>,
}

impl Senders {
    /// Of these flows.
    pub fn new(flows: &[usize], to: SyncSender<Handed>) -> Self {
        Self { flows: flows.iter().map(|&flow| (flow, None)).collect(), to }
    }

    /// The state of a flow's socket at a time; handed over if it has changed.
    pub fn look(&mut self, flow: usize, at: Time, info: &Info) {
        let Some((_, last)) = self.flows.iter_mut().find(|(own, _)| *own == flow) else { return };
        if OPENING.contains(&info.state) {
            return;
        }
        let now = metrics(info);
        if *last == Some(now) {
            return;
        }
        match self.to.try_send(Handed::Sender(flow, at, now)) {
            Ok(()) => *last = Some(now),
            // the next poll has later values; an observer that has gone needs none
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

/// Packets of the kernel are segments of `snd_mss` bytes of payload.
fn metrics(info: &Info) -> Metrics {
    let mss = u64::from(info.snd_mss);
    // as the kernel's tcp_packets_in_flight() counts them
    let out = u64::from(info.unacked) + u64::from(info.retrans);
    let in_flight = out.saturating_sub(u64::from(info.sacked) + u64::from(info.lost));
    let time = |time: std::time::Duration| Duration::from_nanos(time.as_nanos() as u64);
    Metrics {
        window: u64::from(info.snd_cwnd) * mss,
        threshold: info.snd_ssthresh.map(|packets| u64::from(packets) * mss),
        in_flight: in_flight * mss,
        segments_in_flight: in_flight,
        smoothed_rtt: Some(info.rtt).filter(|rtt| !rtt.is_zero()).map(time),
        min_rtt: info.min_rtt.map(time),
        pacing: info.pacing_rate.map(|bytes| Rate::from_bits_per_sec(bytes.saturating_mul(8))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::sync_channel;

    /// 20 packets out: 3 acknowledged by SACK, 4 considered lost, 2 of these retransmitted;
    /// so 15 are in the network.
    #[test]
    fn packets_become_bytes_and_only_news_is_told() {
        let opening =
            [7, 2].map(|state| Info { state, snd_mss: 524, snd_cwnd: 10, ..Info::default() });
        let info = Info {
            state: 1,
            snd_mss: 1_448,
            snd_cwnd: 10,
            snd_ssthresh: Some(7),
            unacked: 20,
            sacked: 3,
            lost: 4,
            retrans: 2,
            rtt: std::time::Duration::from_micros(25_500),
            min_rtt: None,
            pacing_rate: Some(1_000_000),
            ..Info::default()
        };
        let (to, from) = sync_channel(2);
        let mut senders = Senders::new(&[4], to);
        opening.iter().for_each(|info| senders.look(4, Time::ZERO, info));
        for (flow, at) in [(3, 1), (4, 2), (4, 3)] {
            senders.look(flow, Time::from_nanos(at), &info);
        }
        drop(senders);
        let told: Vec<Handed> = from.iter().collect();
        let [Handed::Sender(4, at, metrics)] = &told[..] else {
            panic!("{} were reported", told.len())
        };
        assert_eq!(at.nanos(), 2);
        let expected = Metrics {
            window: 14_480,
            threshold: Some(10_136),
            in_flight: 21_720,
            segments_in_flight: 15,
            smoothed_rtt: Some(Duration::from_nanos(25_500_000)),
            min_rtt: None,
            pacing: Some(Rate::from_bits_per_sec(8_000_000)),
        };
        assert_eq!(*metrics, expected);
    }
}
