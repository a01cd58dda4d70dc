//! Processes ACKs: deliveries, losses, round trips.

use tusker_core::congestion::{Ack, RateSample, Rtt};
use tusker_core::{Duration, Time};
use tusker_plan::plan::{Counting, Recovery};

use super::{AckIn, Phase, Sender};
use crate::packet::Blocks;
use crate::tcp::rack::Rack;

/// What an ACK reveals about rates and losses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct News {
    lost: u32,
    rate: Option<RateSample>,
    /// How many of the segments that it delivers were marked, if the echo counts.
    marked: u32,
    /// Whose round trips it shows, if the sender remembers when its segments left.
    left: Option<Left>,
}

/// When those of the segments left that an ACK delivers and that were sent only once: the
/// oldest and the newest, in order of their numbers, of those acknowledged and of those
/// reported by SACK.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Left {
    acked: Option<(Time, Time)>,
    sacked: Option<(Time, Time)>,
    /// It acknowledges something that was sent twice.
    again: bool,
}

impl Left {
    /// The departures that give a sample for the timer and one for the law. Linux
    /// (`tcp_clean_rtx_queue`, `tcp_ack_update_rtt`): the timer is about the oldest segment,
    /// so that it allows for delayed ACKs, and the law about the newest, which did not wait
    /// for its ACK. A segment that was sent twice is timed by its timestamp alone.
    fn times(&self, echo: Option<Time>) -> Option<(Time, Time)> {
        let acked = self.acked.filter(|_| !self.again);
        let newest = self.sacked.or(acked).map(|(_, last)| last);
        match (acked.or(self.sacked), newest) {
            (Some((first, _)), Some(last)) => Some((first, last)),
            _ => echo.map(|echo| (echo, echo)),
        }
    }
}

impl Sender {
    /// [`Sender::on_ack`] without the check for the common case.
    #[cold]
    #[inline(never)]
    pub fn on_ack_slow(&mut self, ack: &AckIn) {
        self.process::<false>(ack);
    }

    /// An ACK of new data, without blocks or a mark, while nothing is missing.
    #[inline(never)]
    pub(super) fn on_ack_in_order(&mut self, ack: &AckIn) {
        self.process::<true>(ack);
    }

    /// Processes an ACK. `IN_ORDER`: the conditions of [`Self::on_ack_in_order`] hold, and what
    /// can then do nothing is left out.
    #[inline(always)]
    fn process<const IN_ORDER: bool>(&mut self, ack: &AckIn) {
        let una = self.board.una();
        let advanced = IN_ORDER || ack.ack > una;
        if ack.ack < una {
            return; // overtaken by a later ACK
        }
        let now = ack.now;
        self.release_anew();
        if self.rates.is_some() {
            // "at the beginning of ACK processing"
            self.note_app_limit(now);
        }
        let cumulative = ack.ack - una;
        let dsack = if IN_ORDER { None } else { self.dsack(ack) };
        let mut delivered = 0;
        let newly_sacked;
        let hears_sack = !IN_ORDER && self.hears_sack(ack.ack, advanced);
        let mut left = Left::default();
        {
            let echo = self.tcp.timestamps.then_some(ack.echo);
            let Self { board, rack, rates, frto, tcp, .. } = self;
            let mut see = |low, high, times: &mut Option<(Time, Time)>| {
                if let Some(rack) = rack {
                    let once = rack.on_delivered(low, high, now, echo);
                    let first = |last| times.map_or(last, |times| times.0);
                    *times = once.map(|(one, last)| (first(one), last)).or(*times);
                }
                if let Some(rates) = rates {
                    rates.on_delivered(low, high, now);
                }
                frto.on_delivered(low, high);
            };
            if IN_ORDER {
                see(una, ack.ack, &mut left.acked);
                delivered += board.on_next(ack.ack);
            } else {
                delivered +=
                    board.on_cumulative(ack.ack, |low, high| see(low, high, &mut left.acked));
            }
            let cumulatively = delivered;
            if hears_sack {
                // most repeat those of earlier ACKs
                let covered = board.una() + u64::from(tcp.scoreboard.unwrap_or(u32::MAX));
                let reported = ack.blocks.iter().skip(usize::from(dsack.is_some()));
                let mut fresh: Blocks = reported
                    .map(|&(low, high)| (low, high.min(covered)))
                    .filter(|&block| !board.was_reported(block))
                    .collect();
                // RFC 8985, section 6.2, step 3: "in ascending order"
                for &block in fresh.ascending() {
                    delivered += board.on_sack(block, |low, high| {
                        see(low, high, &mut left.sacked);
                    });
                }
            }
            newly_sacked = delivered > cumulatively;
        }
        if self.rates.is_some() {
            self.note_arrival(ack, una);
        }
        if let Some(rack) = &mut self.rack {
            left.again = rack.on_una(ack.ack);
            let next = self.board.next();
            match dsack {
                Some(seq) if self.linux => rack.on_dsack_in_linux(seq, next),
                Some(_) => rack.on_dsack(next),
                None => {}
            }
        }
        if advanced {
            self.repair.dup_acks = 0;
        }
        let plain = !advanced && self.board.flight() > 0 && dsack.is_none();
        let duplicate = match self.tcp.recovery {
            Recovery::Reno | Recovery::NewReno => plain,
            Recovery::Sack if self.is_sack1() => self.is_sack1_duplicate(ack, newly_sacked),
            // RFC 6675, section 2: "carrying a SACK block that identifies
            // previously unacknowledged and un-SACKed octets", even if it moves
            // the cumulative acknowledgment point
            Recovery::Sack | Recovery::RackTlp => newly_sacked,
        };
        self.repair.dup_acks += u64::from(duplicate);
        let before = self.repair.phase;
        let was_recovering = !IN_ORDER && matches!(before, Phase::Recovery(_));
        if !IN_ORDER {
            self.undo_if_spurious(ack, advanced, dsack);
        }
        self.settle_frto(ack, advanced);
        self.leave_phase(ack.ack, cumulative, now);
        let plain_dup = plain && ack.blocks.is_empty();
        self.settle_probe(ack, cumulative, dsack, plain_dup);
        let new_loss = (IN_ORDER || !self.suspended) && self.find_losses(duplicate, now);
        self.settle_as_sack1(advanced, was_recovering);
        let reducing = !matches!(self.repair.phase, Phase::Loss(_));
        if let (true, Some(prr)) = (reducing, &mut self.repair.prr) {
            if self.repair.phase != before {
                // the ACK that started the recovery; it delivered part of what was
                // outstanding before it arrived
                prr.count_before(delivered);
                prr.on_ack(delivered, self.board.pipe(), false);
            } else if delivered > 0 {
                prr.on_ack(delivered, self.board.pipe(), advanced && !new_loss);
            }
        }
        if self.repair.phase == Phase::Open && newly_sacked && !self.tcp.limited_transmit {
            // segments reported by SACK make no room before a loss is found
            self.repair.inflation = -(self.board.sacked() as i64);
        }
        let marked = self.hear_ecn(ack, cumulative, delivered);
        // an ACK of repaired losses does not indicate room for more
        let repairs = (was_recovering && !self.grows_at_the_end()) || self.repair.is_recovering();
        let grows = match self.repair.phase {
            _ if repairs => 0,
            // RFC 3168, section 6.1.2: "SHOULD NOT increase the congestion
            // window in response to the receipt of an ECN-Echo ACK"
            _ if marked.told => 0,
            // segments that SACK reported before the timeout are not credited again
            Phase::Loss(_) => delivered.min(cumulative),
            // RFC 3465, section 2.1: "previously unacknowledged bytes"
            _ => cumulative,
        };
        let news = self.news(ack);
        let left_if_known = self.linux.then_some(left);
        let news = News { marked: marked.segments, left: left_if_known, ..news };
        let sampled = self.hear::<false>(ack, delivered, grows, advanced, news);
        if let (true, Some(rack)) = (sampled, &mut self.rack) {
            rack.on_rtt();
        }
        debug_assert!(self.board.is_sound(), "{:?}", self.board);
        if let (true, Some(window)) = (advanced, &mut self.receive_window) {
            self.buffer = window.on_ack(ack.ack, ack.reached, now.since(ack.echo));
        }
        if advanced {
            self.restart_rto_after_partial(now, was_recovering);
            self.schedule_probe(now);
        } else if self.linux {
            self.restart_rto_at_sack(left.sacked, now);
        }
    }

    /// Restarts the timer, as Linux does, when SACK reports a segment that left before the
    /// first outstanding one did for the last time: its ACK may still come.
    fn restart_rto_at_sack(&mut self, sacked: Option<(Time, Time)>, now: Time) {
        let head = self.rack.as_ref().and_then(Rack::head_left);
        if let (Some((first, _)), Some(head)) = (sacked, head)
            && first < head
        {
            self.restart_rto(now);
        }
    }

    /// RFC 2883, section 4: the first block is a D-SACK if it lies below the
    /// cumulative ACK or within the second block.
    pub(super) fn dsack(&self, ack: &AckIn) -> Option<u64> {
        let blocks = ack.blocks;
        let first = *blocks.first()?;
        let inside = |outer: &(u64, u64)| outer.0 <= first.0 && first.1 <= outer.1;
        (first.1 <= ack.ack || blocks.get(1).is_some_and(inside)).then_some(first.0)
    }

    /// How much an ACK counts where ACKs count, in packets. A packet of n segments is
    /// acknowledged at once; a receiver that delays ACKs sends n/2 for them.
    fn acks_of_a_packet(&self) -> f64 {
        if self.tcp.segments_per_packet > 1 { 0.5 } else { 1.0 }
    }

    /// Measures the round trip and informs the congestion control. Returns whether there
    /// was a sample for the RTO. `QUICK`: see [`Self::hear_in_order`].
    #[inline(always)]
    pub(super) fn hear<const QUICK: bool>(
        &mut self,
        ack: &AckIn,
        delivered: u64,
        grows: u64,
        advanced: bool,
        news: News,
    ) -> bool {
        let una = self.board.una();
        let (valid, departed) = match news.left {
            None => (self.tcp.timestamps || !ack.retransmission, ack.echo),
            Some(left) => {
                let echo = (self.tcp.timestamps && advanced).then_some(ack.echo);
                let times = left.times(echo);
                if let Some((oldest, _)) = times {
                    self.rto.sample_linux(ack.now.since(oldest), una, self.board.next());
                }
                (times.is_some(), times.map_or(ack.echo, |times| times.1))
            }
        };
        let latest = ack.now.since(departed);
        if valid && self.min_rtt.is_none_or(|min| latest < min) {
            self.min_rtt = Some(latest);
        }
        let mut sampled = false;
        if news.left.is_some() {
            sampled = valid;
        } else if self.tcp.timestamps && advanced {
            // RFC 7323, section 4.1: only "if the segment advances the left
            // edge of the send window"; appendix G: samples per round trip
            let per_round = self.board.flight().div_ceil(2).max(1);
            self.rto.sample(latest, per_round as f64, ack.echo);
            sampled = true;
        } else if let Some((seq, sent)) = self.timed
            && una > seq
        {
            self.rto.sample(ack.now.since(sent), 1.0, sent);
            sampled = true;
            self.timed = None;
        }
        let round_start = una > self.round_end;
        if round_start {
            self.round_end = self.board.next();
        }
        let rtt = match (valid, self.rto.srtt(), self.min_rtt) {
            (true, Some(smoothed), Some(min)) => {
                let forward = self.tcp.timestamps.then(|| ack.reached.since(ack.echo));
                Some(Rtt { latest, smoothed, min, forward })
            }
            _ => None,
        };
        let cwnd = self.cc.cwnd();
        let slow_start = cwnd < self.cc.ssthresh();
        let credit = match self.tcp.counting {
            _ if grows == 0 => 0.0,
            Counting::Acks => 1.0,
            // RFC 3465, section 2.3: after a timeout L is 1
            _ if !QUICK && slow_start && matches!(self.repair.phase, Phase::Loss(_)) => 1.0,
            Counting::Segments(limit) if slow_start => grows.min(u64::from(limit)) as f64,
            Counting::SegmentsThenAcks if !slow_start => self.acks_of_a_packet(),
            Counting::Segments(_) | Counting::SegmentsThenAcks => grows as f64,
        };
        let pipe = if QUICK { self.board.flight() } else { self.board.pipe() };
        // A sender that filled half its window in slow start will fill it; an algorithm
        // with rate samples only asks how the window was used.
        let keeps_rates = !QUICK && self.rates.is_some();
        let limited = if !QUICK && self.linux && !keeps_rates {
            self.used.fills(cwnd, slow_start)
        } else {
            self.window_limited
                || (!keeps_rates
                    && ((slow_start && cwnd < 2.0 * (pipe + delivered) as f64)
                        || self.grows_unused()))
        };
        self.cc.on_ack(|| Ack {
            now: ack.now,
            acked: delivered as u32,
            credit,
            in_flight: pipe as u32,
            rtt,
            departed,
            leaves: self.pacer.next(),
            round_start,
            cwnd_limited: limited,
            lost: news.lost,
            rate: news.rate,
            marked: news.marked,
            feedback: ack.feedback,
        });
        sampled
    }

    /// The sampler's results for this ACK.
    fn news(&mut self, ack: &AckIn) -> News {
        self.tell_losses(ack.now);
        let Some(rates) = &mut self.rates else {
            return News::default();
        };
        let latest = ack.now.since(ack.echo);
        let min_rtt = self.min_rtt.unwrap_or(Duration::MAX).min(latest);
        News { lost: rates.take_lost(), rate: rates.sample(min_rtt), ..News::default() }
    }

    /// CheckIfApplicationLimited() of draft-ietf-ccwg-bbr, section 4.1.2.4: no unsent data,
    /// room in the window, and no losses that wait for retransmission. A full buffer is a
    /// limit of the network (section 4.1.1.3.1).
    #[inline]
    pub(super) fn note_app_limit(&mut self, now: Time) {
        let no_data = self.board.next() >= self.job.segments || now >= self.job.stop;
        let pipe = self.board.pipe();
        if let (true, Some(rates)) = (no_data && !self.board.has_lost(), &mut self.rates)
            && (pipe as f64) < self.cc.cwnd()
        {
            rates.on_app_limited(pipe);
        }
    }

    /// Tells the sampler which segment caused this ACK, if that is known; `una` is SND.UNA
    /// before the ACK.
    fn note_arrival(&mut self, ack: &AckIn, una: u64) {
        let Some(rates) = &mut self.rates else { return };
        if ack.ack > una && ack.blocks.is_empty() && !ack.retransmission {
            // RFC 7323, section 4.3: with timestamps a delayed ACK refers to the first
            // segment that it covers, otherwise to the last
            let cause = if self.tcp.timestamps { una } else { ack.ack - 1 };
            rates.on_arrival(cause, ack.reached);
        }
        rates.on_una(ack.ack);
    }
}
