//! Delivery-rate samples (draft-ietf-ccwg-bbr-06, section 4.1): how fast the
//! network delivered over the time that one segment took.
//!
//! ```text
//! sent      ... first_sent ............ at          send_elapsed = at - first_sent
//! delivered ...   delivered_at ................ now  ack_elapsed = now - delivered_at
//! rate = (delivered now - delivered then) / max(send_elapsed, ack_elapsed)
//! ```
//!
//! Only flows whose algorithm needs samples keep them. Without SACK, data that arrives
//! beyond a hole counts only when the hole is filled; the interval is correspondingly
//! longer, so no sample is too high.
//!
//! Pairs: every 16th segment is sent together with the next one (Gu and Grossman 2007,
//! section 3.4). If segments are paced, the second leaves early; if ACKs clock them out,
//! the first waits until the window has room for both. Their spacing at the receiver is
//! read from the arrival time that each ACK carries. With delayed ACKs, where not every
//! segment has its own ACK, four leave together instead of two.

use std::collections::VecDeque;

use tusker_core::congestion::{LossSample, RateSample};
use tusker_core::{Duration, Time};
use tusker_path::room;

/// Segments from the start of one train to that of the next.
const TRAIN_EVERY: u64 = 16;

/// What is known about one outstanding segment: P of the draft.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// P.send_time, of its latest transmission.
    at: Time,
    /// P.first_send_time.
    first_sent: Time,
    /// P.delivered_time.
    delivered_at: Time,
    /// P.delivered.
    delivered: u64,
    /// C.lost when it was sent.
    lost: u64,
    /// P.tx_in_flight.
    tx_in_flight: u32,
    /// P.is_app_limited.
    app_limited: bool,
    /// It was sent before.
    again: bool,
    /// It was delivered: "P already acknowledged".
    done: bool,
}

/// The rate sampler of one sender.
#[derive(Clone, Debug, Default)]
pub struct Rates {
    /// SND.UNA: the number of the first entry of `sent`.
    una: u64,
    sent: VecDeque<Sent>,
    /// C.delivered.
    delivered: u64,
    /// C.delivered_time.
    delivered_at: Time,
    /// C.first_send_time.
    first_sent: Time,
    /// C.lost.
    lost: u64,
    /// C.app_limited: until more than this is delivered.
    app_limited: Option<u64>,
    /// The most recently sent segment of those that the current ACK delivers.
    newest: Option<(Sent, u64)>,
    /// The shortest round trip by the newest segment of an ACK.
    shortest: Option<Duration>,
    /// Found lost since the last ACK.
    newly_lost: u32,
    /// Found lost and not yet reported: HandleLostPacket().
    losses: Vec<LossSample>,
    /// Segments that leave back to back; 0 if none are wanted.
    train: u64,
    /// The last segment of a train that an ACK referred to: its number, departure and
    /// arrival.
    last_arrival: Option<(u64, Time, Time)>,
    dispersion: Option<Duration>,
}

impl Rates {
    /// Nothing has been sent yet. `train` is how many segments leave back to back at
    /// intervals, 0 for none.
    pub fn new(train: u64) -> Self {
        Self { train, ..Self::default() }
    }

    /// Its first segment has this number.
    pub fn starting_at(self, seq: u64) -> Self {
        Self { una: seq, ..self }
    }

    /// Bytes in use, and the most after this many more segments were sent.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        room(self.sent.len() + more, self.sent.capacity(), size_of::<Sent>())
    }

    /// The segment after this new one leaves with it.
    pub fn takes_next_along(&self, seq: u64) -> bool {
        seq % TRAIN_EVERY + 1 < self.train
    }

    /// A train starts with this new segment: this many leave together.
    pub fn train_from(&self, seq: u64) -> Option<u64> {
        (self.train > 0 && seq.is_multiple_of(TRAIN_EVERY)).then_some(self.train)
    }

    /// A segment is sent; `in_flight` counts it.
    pub fn on_sent(&mut self, seq: u64, now: Time, in_flight: u64) {
        // "if (C.inflight == 0)": only this one is in flight
        if in_flight <= 1 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let entry = Sent {
            at: now,
            first_sent: self.first_sent,
            delivered_at: self.delivered_at,
            delivered: self.delivered,
            lost: self.lost,
            tx_in_flight: in_flight as u32,
            app_limited: self.app_limited.is_some(),
            again: seq - self.una < self.sent.len() as u64,
            done: false,
        };
        let i = (seq - self.una) as usize;
        if i == self.sent.len() {
            self.sent.push_back(entry);
        } else {
            self.sent[i] = entry;
        }
    }

    /// UpdateRateSample() for segments `[low, high)`, which this ACK delivers.
    pub fn on_delivered(&mut self, low: u64, high: u64, now: Time) {
        for seq in low..high {
            let entry = &mut self.sent[(seq - self.una) as usize];
            if std::mem::replace(&mut entry.done, true) {
                continue;
            }
            self.delivered += 1;
            self.delivered_at = now;
            // IsNewestPacket()
            if self.newest.is_none_or(|(newest, s)| (newest.at, s) < (entry.at, seq)) {
                self.first_sent = entry.at;
                self.newest = Some((*entry, seq));
            }
        }
    }

    /// The segment `seq`, which caused an ACK, reached the receiver at this time.
    pub fn on_arrival(&mut self, seq: u64, reached: Time) {
        let sent = seq.checked_sub(self.una).and_then(|i| self.sent.get(i as usize));
        let Some(sent) = sent.filter(|_| seq % TRAIN_EVERY < self.train) else {
            return;
        };
        let before = self.last_arrival.replace((seq, sent.at, reached));
        // they left together: neither was retransmitted
        let same = |b: &(u64, Time, Time)| b.0 < seq && seq - b.0 < self.train && b.1 == sent.at;
        if let Some((first, _, at)) = before.filter(same)
            && reached > at
        {
            let span = reached.since(at).nanos() / (seq - first);
            self.dispersion = Some(Duration::from_nanos(span));
        }
    }

    /// SND.UNA advances.
    pub fn on_una(&mut self, una: u64) {
        self.sent.drain(..(una - self.una) as usize);
        self.una = una;
    }

    /// Segments `[low, high)` were found lost.
    pub fn on_lost(&mut self, low: u64, high: u64) {
        for seq in low..high {
            self.lost += 1;
            self.newly_lost += 1;
            let sent = &self.sent[(seq - self.una) as usize];
            self.losses.push(LossSample {
                departed: sent.at,
                tx_in_flight: sent.tx_in_flight,
                lost: (self.lost - sent.lost) as u32,
                app_limited: sent.app_limited,
            });
        }
    }

    /// CheckIfApplicationLimited() found no more to send.
    pub fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited = Some(self.delivered + in_flight);
    }

    /// Segments found lost since the last call, one by one in order.
    pub fn losses(&mut self) -> impl Iterator<Item = LossSample> {
        self.losses.drain(..)
    }

    /// How many were found lost since the last ACK.
    pub fn take_lost(&mut self) -> u32 {
        std::mem::take(&mut self.newly_lost)
    }

    /// GenerateRateSample(): none if the ACK delivered nothing, or if its interval is
    /// shorter than any round trip. `min_rtt` is taken from the oldest segment of each ACK;
    /// the newest segment of a delayed ACK shows a shorter one, and Linux compares the
    /// interval with that.
    pub fn sample(&mut self, min_rtt: Duration) -> Option<RateSample> {
        // "Clear app-limited field if bubble is ACKed and gone"
        if self.app_limited.is_some_and(|until| self.delivered > until) {
            self.app_limited = None;
        }
        let dispersion = self.dispersion.take();
        let (newest, _) = self.newest.take()?;
        let send_elapsed = newest.at.since(newest.first_sent);
        let ack_elapsed = self.delivered_at.since(newest.delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        if !newest.again {
            let rtt = self.delivered_at.since(newest.at);
            self.shortest = Some(self.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
        }
        let min_rtt = self.shortest.map_or(min_rtt, |shortest| shortest.min(min_rtt));
        (interval >= min_rtt && interval > Duration::ZERO).then_some(RateSample {
            delivered: (self.delivered - newest.delivered) as u32,
            interval,
            prior_delivered: newest.delivered,
            total_delivered: self.delivered,
            tx_in_flight: newest.tx_in_flight,
            lost: (self.lost - newest.lost) as u32,
            app_limited: newest.app_limited,
            dispersion,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    const NONE: Duration = Duration::ZERO;

    /// Four segments at 0, 10, 20, 30 ms over a path of 100 ms.
    fn four() -> Rates {
        let mut rates = Rates::new(0);
        (0..4).for_each(|i| rates.on_sent(i, at(10 * i), i + 1));
        rates
    }

    fn deliver(rates: &mut Rates, seq: u64, ms: u64) -> Option<RateSample> {
        rates.on_delivered(seq, seq + 1, at(ms));
        rates.on_una(seq + 1);
        rates.sample(Duration::from_millis(100))
    }

    /// Each was sent when nothing had been delivered and the first had left at 0: the k-th
    /// ACK, at 100 + 10 k ms, shows k + 1 delivered since 0.
    #[test]
    fn the_first_round_counts_from_its_first_segment() {
        let mut rates = four();
        for k in 0..4 {
            let sample = deliver(&mut rates, k, 100 + 10 * k).expect("delivered");
            assert_eq!(u64::from(sample.delivered), k + 1);
            assert_eq!(sample.interval, Duration::from_millis(100 + 10 * k));
            assert_eq!((sample.prior_delivered, sample.total_delivered), (0, k + 1));
            assert_eq!(u64::from(sample.tx_in_flight), k + 1);
        }
    }

    /// Sent at 105 ms, when one was delivered (at 100), and acknowledged at 205:
    /// 2, 3, 4 and itself in the 105 ms since the delivery before it left.
    #[test]
    fn a_later_sample_begins_with_the_delivery_before_its_segment() {
        let mut rates = four();
        deliver(&mut rates, 0, 100);
        rates.on_sent(4, at(105), 4);
        for k in 1..4 {
            deliver(&mut rates, k, 100 + 10 * k);
        }
        let sample = deliver(&mut rates, 4, 205).expect("delivered");
        assert_eq!((sample.delivered, sample.interval), (4, Duration::from_millis(105)));
    }

    /// Section 4.1.1.2.3: compressed ACKs suggest a higher rate than that of sending. The
    /// ACKs of 3, 4 and 5 arrive together, 110 ms after that of 2; they left within 190 ms
    /// after 2.
    #[test]
    fn a_rate_is_never_above_that_of_sending() {
        let mut rates = Rates::new(0);
        rates.on_sent(0, at(0), 1);
        deliver(&mut rates, 0, 100);
        rates.on_sent(1, at(100), 1);
        rates.on_sent(2, at(150), 2);
        deliver(&mut rates, 1, 200);
        rates.on_sent(3, at(200), 2);
        rates.on_sent(4, at(250), 3);
        deliver(&mut rates, 2, 330);
        rates.on_sent(5, at(340), 3);
        rates.on_delivered(3, 6, at(440));
        rates.on_una(6);
        let sample = rates.sample(NONE).expect("delivered");
        assert_eq!((sample.delivered, sample.interval), (3, Duration::from_millis(190)));
    }

    /// One ACK for every two segments of a paced flow: a round trip takes 101 ms by the
    /// older segment and 100 ms by the newer one, which is as long as their sample.
    #[test]
    fn the_newer_segment_of_a_delayed_ack_has_the_round_trip() {
        let mut rates = Rates::new(0);
        let min_rtt = Duration::from_millis(101);
        rates.on_sent(0, at(0), 1);
        rates.on_sent(1, at(1), 2);
        rates.on_sent(2, at(100), 3);
        rates.on_delivered(0, 2, at(101));
        rates.on_una(2);
        assert!(rates.sample(min_rtt).is_some());
        rates.on_sent(3, at(101), 2);
        rates.on_delivered(2, 4, at(201));
        rates.on_una(4);
        // since the ACK before, when it was sent: both
        let sample = rates.sample(min_rtt).expect("100 ms are a round trip");
        assert_eq!((sample.delivered, sample.interval), (2, Duration::from_millis(100)));
    }

    #[test]
    fn what_is_shorter_than_a_round_trip_is_no_sample() {
        let mut rates = four();
        for k in 0..4 {
            deliver(&mut rates, k, 100 + 10 * k);
        }
        rates.on_sent(4, at(200), 1);
        // retransmitted at 290, acknowledged at 305: that was the original
        rates.on_sent(4, at(290), 1);
        assert_eq!(deliver(&mut rates, 4, 305), None);
    }

    #[test]
    fn losses_are_counted_from_the_departure() {
        let mut rates = four();
        rates.on_lost(0, 1);
        rates.on_sent(4, at(40), 4);
        rates.on_lost(1, 3);
        // each with what was in flight when it left, and what was lost since then
        let told: Vec<_> = rates.losses().map(|l| (l.lost, l.tx_in_flight)).collect();
        assert_eq!(told, [(1, 1), (2, 2), (3, 3)]);
        assert_eq!(rates.losses().count(), 0);
        assert_eq!((rates.take_lost(), rates.take_lost()), (3, 0));
        rates.on_delivered(4, 5, at(140));
        // two were found lost since segment 4 left
        assert_eq!(rates.sample(NONE).map(|s| s.lost), Some(2));
    }

    /// Section 4.1.1.3: all samples of the next round trip are marked.
    #[test]
    fn a_pause_marks_a_round_trip() {
        let mut rates = four();
        rates.on_app_limited(4);
        rates.on_sent(4, at(35), 5);
        (0..4).for_each(|k| assert!(!deliver(&mut rates, k, 100 + 10 * k).unwrap().app_limited));
        rates.on_sent(5, at(134), 2);
        assert!(deliver(&mut rates, 4, 135).unwrap().app_limited);
        // the fifth is more than the four that were outstanding: it is over
        rates.on_sent(6, at(136), 2);
        assert!(deliver(&mut rates, 5, 234).unwrap().app_limited);
        assert!(!deliver(&mut rates, 6, 236).unwrap().app_limited);
    }

    /// 16 and 17 leave together and arrive 3 ms apart.
    #[test]
    fn a_pair_tells_how_far_apart_it_arrives() {
        let mut rates = Rates::new(2);
        assert!((0..40).filter(|&seq| rates.takes_next_along(seq)).eq([0, 16, 32]));
        assert!((0..40).filter(|&seq| rates.train_from(seq) == Some(2)).eq([0, 16, 32]));
        assert!((0..40).all(|seq| Rates::new(0).train_from(seq).is_none()));
        (0..20).for_each(|seq| rates.on_sent(seq, at(10 * (seq - seq / 17)), seq + 1));
        let mut dispersion = |seq: u64, ms: u64| {
            rates.on_delivered(seq, seq + 1, at(ms + 50));
            rates.on_arrival(seq, at(ms));
            rates.on_una(seq + 1);
            rates.sample(NONE).unwrap().dispersion
        };
        assert_eq!(dispersion(15, 200), None);
        assert_eq!(dispersion(16, 210), None);
        assert_eq!(dispersion(17, 213), Some(Duration::from_millis(3)));
        assert_eq!(dispersion(18, 220), None);
    }
}
