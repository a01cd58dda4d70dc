//! The sending end: what may be sent, what is lost, when the timer runs out.
//!
//! ```text
//!             3 duplicate ACKs, SACK or RACK find a loss
//!        +------+ ------------------------------------> +----------+
//!  ----> | Open |                                       | Recovery |
//!        +------+ <------------------------------------ +----------+
//!           |  ^     everything outstanding at its           |
//!   timeout |  |     beginning is acknowledged               | timeout
//!           v  |     (Reno: anything new is)                 v
//!        +------+ <------------------------------------------+
//!        | Loss |   also left when all that was outstanding is acknowledged
//!        +------+
//! ```
//!
//! The congestion control hears of ACKs, of one event per episode and of
//! timeouts, and answers with a window. Everything else is decided here: RFC
//! 5681 and 6582 (duplicate ACKs), 6675 (SACK), 8985 (RACK-TLP), 9937 (PRR),
//! 6298 (timer), 3042 (limited transmit), 3168 (ECN).
//!
//! Without SACK, `inflation` stands for the segments that duplicate ACKs say
//! have left the network. RFC 5681 adds them to cwnd; here they are taken from
//! the flight, which is the same and leaves cwnd to its owner.

use tusker_core::congestion::{Ack, Algorithm, Congestion, Controller, Rtt, Signal, Timeout};
use tusker_core::{Duration, Time};
use tusker_record::plan::{Counting, Recovery, Tcp};

use super::prr::Prr;
use super::rack::{ProbeVerdict, Rack};
use super::rto::RtoEstimator;
use super::scoreboard::{DUP_THRESH, Scoreboard};
use crate::packet::Blocks;

/// An acknowledgment as it reaches the sender.
#[derive(Clone, Copy, Debug)]
pub struct AckIn {
    /// Now.
    pub now: Time,
    /// The next segment that the receiver expects.
    pub ack: u64,
    /// When the segment that caused it left the sender.
    pub echo: Time,
    /// When that segment reached the receiver.
    pub reached: Time,
    /// That segment was a retransmission.
    pub retransmission: bool,
    /// ECN echo.
    pub ece: bool,
    /// SACK blocks.
    pub blocks: Blocks,
}

/// A segment to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number.
    pub seq: u64,
    /// It was sent before.
    pub retransmission: bool,
    /// It tells the receiver that the window was reduced (RFC 3168).
    pub cwr: bool,
}

/// Running totals of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions.
    pub retransmitted: u64,
    /// Congestion episodes.
    pub episodes: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
}

/// What a sender has to send.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Segments; `u64::MAX` for a source that never ends.
    pub segments: u64,
    /// Nothing new is sent from here on.
    pub stop: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// Until everything below is acknowledged.
    Recovery(u64),
    /// After a timeout, until everything below is acknowledged.
    Loss(u64),
}

/// The sender of one flow.
#[derive(Clone, Debug)]
pub struct Sender {
    cc: Algorithm,
    tcp: Tcp,
    job: Job,
    /// Segments that buffers allow to be outstanding.
    buffer: u64,
    board: Scoreboard,
    phase: Phase,
    /// RFC 6582, section 3.2, step 1: what was outstanding at the last
    /// reduction must be acknowledged before another fast retransmit.
    recover: u64,
    dup_acks: u64,
    /// Segments that duplicate ACKs took off the flight (without SACK).
    inflation: i64,
    /// Retransmissions that go out whatever the window says.
    forced: u32,
    prr: Option<Prr>,
    rescued: bool,
    rack: Option<Rack>,
    /// ECN: until this is acknowledged, marks belong to the same episode.
    cwr_end: Option<u64>,
    send_cwr: bool,
    /// The segment that told the receiver of the last reduction.
    cwr_sent: Option<u64>,
    /// SND.UNA at the last timeout.
    timed_out: Option<u64>,
    rto: RtoEstimator,
    /// A segment whose round trip is being timed (without timestamps).
    timed: Option<(u64, Time)>,
    min_rtt: Option<Duration>,
    /// The current round ends when this is acknowledged.
    round_end: u64,
    window_limited: bool,
    rto_at: Time,
    reorder_at: Time,
    probe_at: Time,
    probe_due: bool,
    /// Pacing: nothing leaves before.
    next_departure: Time,
    waits_for_departure: bool,
    counters: Counters,
}

impl Sender {
    /// A sender that has sent nothing.
    pub fn new(cc: Algorithm, tcp: Tcp, job: Job) -> Self {
        let payload = tcp.payload().get().max(1);
        let segments = |buffer: Option<tusker_core::Bytes>| {
            buffer.map_or(u64::MAX, |bytes| (bytes.get() / payload).max(1))
        };
        Self {
            cc,
            job,
            buffer: segments(tcp.send_buffer).min(segments(tcp.receive_buffer)),
            board: Scoreboard::default(),
            phase: Phase::Open,
            recover: 0,
            dup_acks: 0,
            inflation: 0,
            forced: 0,
            prr: None,
            rescued: false,
            rack: (tcp.recovery == Recovery::RackTlp).then(Rack::new),
            cwr_end: None,
            send_cwr: false,
            cwr_sent: None,
            timed_out: None,
            rto: RtoEstimator::new(tcp.initial_rto, tcp.min_rto, tcp.max_rto, tcp.granularity),
            timed: None,
            min_rtt: None,
            round_end: 0,
            window_limited: false,
            rto_at: Time::NEVER,
            reorder_at: Time::NEVER,
            probe_at: Time::NEVER,
            probe_due: false,
            next_departure: Time::ZERO,
            waits_for_departure: false,
            counters: Counters::default(),
            tcp,
        }
    }

    /// The congestion control.
    pub fn cc(&self) -> &Algorithm {
        &self.cc
    }

    /// Totals so far.
    #[inline]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Segments sent and not cumulatively acknowledged.
    pub fn flight(&self) -> u64 {
        self.board.flight()
    }

    /// Segments estimated to be in the network (`pipe` of RFC 6675).
    pub fn pipe(&self) -> u64 {
        self.board.pipe()
    }

    /// Everything that was to be sent is acknowledged.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.board.una() >= self.job.segments
    }

    /// SRTT, once there is a sample.
    pub fn srtt(&self) -> Option<Duration> {
        self.rto.srtt()
    }

    /// The smallest RTT seen.
    pub fn min_rtt(&self) -> Option<Duration> {
        self.min_rtt
    }

    /// The current retransmission timeout.
    pub fn rto(&self) -> Duration {
        self.rto.rto()
    }

    /// When [`Self::on_timer`] wants to be called next.
    #[inline]
    pub fn timer(&self) -> Time {
        let departure = if self.waits_for_departure { self.next_departure } else { Time::NEVER };
        self.rto_at.min(self.reorder_at).min(self.probe_at).min(departure)
    }

    /// The next segment to be sent now, if any may be sent. The caller asks
    /// until there is none, or until it has no room.
    #[inline]
    pub fn next_segment(&mut self, now: Time) -> Option<Segment> {
        if self.is_paced_out(now) {
            // the window may be full too, and the law should know
            self.window_is_open();
            return None;
        }
        self.window_limited = false;
        let (seq, retransmission) = if self.probe_due {
            self.probe(now)?
        } else if self.board.has_lost() {
            if self.forced == 0 && !self.window_is_open() {
                return None;
            }
            self.forced = self.forced.saturating_sub(1);
            (self.board.retransmit_lost()?, true)
        } else if !self.window_is_open() {
            return None;
        } else if self.may_send_new(now) {
            (self.board.send_new(), false)
        } else {
            (self.repeat_at_the_end()?, true)
        };
        self.on_sent(seq, retransmission, now);
        Some(Segment {
            seq,
            retransmission,
            cwr: self.send_cwr && !retransmission && self.says_cwr(seq),
        })
    }

    /// An ACK arrives.
    #[inline]
    pub fn on_ack(&mut self, ack: &AckIn) {
        let una = self.board.una();
        let advanced = ack.ack > una;
        let plain = ack.blocks.as_slice().is_empty() && !ack.ece && self.rack.is_none();
        if advanced && plain && self.phase == Phase::Open && self.board.is_clean() {
            // the common case: in order, nothing missing
            let acked = self.board.on_cumulative(ack.ack, |_, _| {});
            self.dup_acks = 0;
            self.inflation = 0;
            self.end_ecn_episode(ack.now);
            self.tell_cc(ack, acked, acked, true);
            self.restart_rto(ack.now);
            return;
        }
        self.on_ack_slow(ack, advanced);
    }

    /// The time that [`Self::timer`] named has come.
    pub fn on_timer(&mut self, now: Time) {
        if self.waits_for_departure && self.next_departure <= now {
            self.waits_for_departure = false;
        }
        if self.reorder_at <= now {
            self.reorder_at = Time::NEVER;
            let found = self.detect_by_time(now);
            if let (true, Some(prr)) = (found, &mut self.prr) {
                prr.on_ack(0, self.board.pipe(), false);
            }
        }
        if self.probe_at <= now {
            self.probe_at = Time::NEVER;
            self.probe_due = self.board.flight() > 0;
        }
        if self.rto_at <= now {
            self.on_timeout(now);
        }
    }

    // ---- what may be sent

    fn window_is_open(&mut self) -> bool {
        let open = match (&self.prr, self.phase) {
            (Some(prr), Phase::Recovery(_)) => prr.quota() > 0,
            _ => {
                let pipe = self.board.pipe() as i64 - self.inflation;
                pipe < self.cc.cwnd() as i64
            }
        };
        self.window_limited = !open;
        open
    }

    /// RFC 3168, section 6.1.2: CWR is set on "the first new data packet sent
    /// after the window reduction", whatever the reduction was for.
    #[cold]
    fn says_cwr(&mut self, seq: u64) -> bool {
        self.send_cwr = false;
        self.cwr_sent = Some(seq);
        true
    }

    #[inline]
    fn may_send_new(&self, now: Time) -> bool {
        let next = self.board.next();
        next < self.job.segments && self.board.flight() < self.buffer && now < self.job.stop
    }

    /// Rules 3 and 4 of NextSeg (RFC 6675, section 4): no new data is left.
    fn repeat_at_the_end(&mut self) -> Option<u64> {
        if self.tcp.recovery != Recovery::Sack || !matches!(self.phase, Phase::Recovery(_)) {
            return None;
        }
        self.board.retransmit_hole().or_else(|| {
            let once = !std::mem::replace(&mut self.rescued, true);
            once.then(|| self.board.retransmit_last()).flatten()
        })
    }

    fn is_paced_out(&mut self, now: Time) -> bool {
        self.waits_for_departure = now < self.next_departure;
        self.waits_for_departure
    }

    #[inline]
    fn on_sent(&mut self, seq: u64, retransmission: bool, now: Time) {
        self.counters.sent += 1;
        if retransmission {
            self.counters.retransmitted += 1;
            // Karn: what was sent twice is not timed
            self.timed = None;
        } else if self.timed.is_none() && !self.tcp.timestamps {
            self.timed = Some((seq, now));
        }
        if let Some(prr) = &mut self.prr {
            prr.on_sent();
        }
        // RFC 6298, section 5.1: the timer runs whenever data is outstanding
        if self.rto_at == Time::NEVER {
            self.rto_at = now + self.rto.rto();
        }
        if let Some(rack) = &mut self.rack {
            rack.on_sent(seq, now, retransmission);
            if !retransmission {
                self.schedule_probe(now);
            }
        }
        if let Some(rate) = self.cc.pacing_rate() {
            self.next_departure = self.next_departure.max(now) + rate.time_for(self.tcp.packet);
        }
    }

    // ---- what ACKs say

    #[cold]
    #[inline(never)]
    fn on_ack_slow(&mut self, ack: &AckIn, advanced: bool) {
        let una = self.board.una();
        if ack.ack < una {
            return; // overtaken by a later ACK
        }
        let now = ack.now;
        let cumulative = ack.ack - una;
        let dsack = self.dsack(ack);
        let mut delivered = 0;
        let newly_sacked;
        {
            let echo = self.tcp.timestamps.then_some(ack.echo);
            let Self { board, rack, .. } = self;
            let mut see = |low, high| {
                if let Some(rack) = rack {
                    rack.on_delivered(low, high, now, echo);
                }
            };
            delivered += board.on_cumulative(ack.ack, &mut see);
            let cumulatively = delivered;
            if self.tcp.recovery == Recovery::Sack || self.tcp.recovery == Recovery::RackTlp {
                let mut blocks = ack.blocks;
                // RFC 8985, section 6.2, step 3: "in ascending order"
                for &block in blocks.ascending(usize::from(dsack.is_some())) {
                    delivered += board.on_sack(block, &mut see);
                }
            }
            newly_sacked = delivered > cumulatively;
        }
        if let Some(rack) = &mut self.rack {
            rack.on_una(ack.ack);
            if dsack.is_some() {
                rack.on_dsack(self.board.next());
            }
        }
        if advanced {
            self.dup_acks = 0;
        }
        let plain = !advanced && self.board.flight() > 0 && dsack.is_none();
        let duplicate = match self.tcp.recovery {
            Recovery::Reno | Recovery::NewReno => plain,
            // RFC 6675, section 2: "carrying a SACK block that identifies
            // previously unacknowledged and un-SACKed octets", even if it moves
            // the cumulative acknowledgment point
            Recovery::Sack | Recovery::RackTlp => newly_sacked,
        };
        self.dup_acks += u64::from(duplicate);
        let before = self.phase;
        let was_recovering = matches!(before, Phase::Recovery(_));
        self.leave_phase(ack.ack, cumulative, now);
        let plain_dup = plain && ack.blocks.as_slice().is_empty();
        self.settle_probe(ack, dsack, plain_dup);
        let new_loss = self.find_losses(duplicate, now);
        if let (Phase::Recovery(_), Some(prr)) = (self.phase, &mut self.prr) {
            if self.phase != before {
                // the ACK that began the recovery; it delivered part of what
                // was outstanding before it came
                prr.count_before(delivered);
                prr.on_ack(delivered, self.board.pipe(), false);
            } else if delivered > 0 {
                prr.on_ack(delivered, self.board.pipe(), advanced && !new_loss);
            }
        }
        if self.phase == Phase::Open && newly_sacked && !self.tcp.limited_transmit {
            // what SACK reports makes no room before a loss is found
            self.inflation = -(self.board.sacked() as i64);
        }
        self.hear_ecn(ack);
        // an ACK that repairs what was lost is not a sign of room for more
        let repairs = was_recovering || matches!(self.phase, Phase::Recovery(_));
        let grows = match self.phase {
            _ if repairs => 0,
            // RFC 3168, section 6.1.2: "SHOULD NOT increase the congestion
            // window in response to the receipt of an ECN-Echo ACK"
            _ if ack.ece && self.tcp.ecn => 0,
            // what SACK reported before the timeout is not paid for again
            Phase::Loss(_) => delivered.min(cumulative),
            // RFC 3465, section 2.1: "previously unacknowledged bytes"
            _ => cumulative,
        };
        self.tell_cc(ack, delivered, grows, advanced);
        if advanced {
            self.restart_rto_after_partial(now, was_recovering);
            self.schedule_probe(now);
        }
    }

    /// RFC 2883, section 4: the first block is a D-SACK if it lies below the
    /// cumulative ACK or within the second block.
    fn dsack(&self, ack: &AckIn) -> Option<u64> {
        let blocks = ack.blocks.as_slice();
        let first = *blocks.first()?;
        let inside = |outer: &(u64, u64)| outer.0 <= first.0 && first.1 <= outer.1;
        (first.1 <= ack.ack || blocks.get(1).is_some_and(inside)).then_some(first.0)
    }

    /// Ends recovery or the repair after a timeout if this ACK does.
    fn leave_phase(&mut self, ack: u64, cumulative: u64, now: Time) {
        match self.phase {
            Phase::Open => {
                if cumulative > 0 {
                    self.inflation = 0;
                }
            }
            Phase::Recovery(until) => {
                // RFC 5681, section 3.2, step 6: without NewReno any new data
                // ends recovery; RFC 6582, 6675, 8985: all that was outstanding
                let reno = self.tcp.recovery == Recovery::Reno && cumulative > 0;
                if ack >= until || reno {
                    self.end_recovery(now);
                } else if cumulative > 0 && self.tcp.recovery == Recovery::NewReno {
                    // RFC 6582, section 3.2, step 3: a partial ACK: "retransmit
                    // the first unacknowledged segment", deflate by what was
                    // acknowledged, add back one segment
                    self.board.mark_lost(ack);
                    self.forced += 1;
                    self.inflation += 1 - cumulative as i64;
                }
            }
            Phase::Loss(until) => {
                if ack >= until {
                    self.phase = Phase::Open;
                    self.inflation = 0;
                    self.forced = 0;
                    if let Some(rack) = &mut self.rack {
                        rack.on_recovered();
                    }
                }
            }
        }
    }

    fn end_recovery(&mut self, now: Time) {
        self.phase = Phase::Open;
        self.inflation = 0;
        self.forced = 0;
        self.dup_acks = 0;
        self.prr = None;
        self.rescued = false;
        self.board.begin_recovery();
        self.cc.on_recovered(now);
        if let Some(rack) = &mut self.rack {
            rack.on_recovered();
        }
    }

    /// Looks for losses by the rules of this flow's recovery; whether any was
    /// newly found.
    fn find_losses(&mut self, duplicate: bool, now: Time) -> bool {
        match self.tcp.recovery {
            Recovery::Reno | Recovery::NewReno => {
                self.count_duplicates(duplicate, now);
                false
            }
            Recovery::Sack => self.find_by_sack(duplicate, now),
            Recovery::RackTlp => self.detect_by_time(now),
        }
    }

    fn count_duplicates(&mut self, duplicate: bool, now: Time) {
        if !duplicate {
            return;
        }
        match self.phase {
            // RFC 5681, section 3.2, step 4: "for each additional duplicate ACK"
            Phase::Recovery(_) => self.inflation += 1,
            Phase::Open if self.dup_acks >= DUP_THRESH && self.is_beyond_recover() => {
                self.board.mark_lost(self.board.una());
                self.enter_recovery(now);
                // step 3: "the three segments that have left the network"
                self.inflation = DUP_THRESH as i64;
            }
            // RFC 3042: new data for the first two
            Phase::Open if self.tcp.limited_transmit => {
                self.inflation = self.dup_acks.min(DUP_THRESH - 1) as i64;
            }
            Phase::Open | Phase::Loss(_) => {}
        }
    }

    /// RFC 6582, section 3.2, step 2: fast retransmit only if "the Cumulative
    /// Acknowledgment field covers more than recover": something sent after the
    /// last reduction is acknowledged. Duplicates of what was outstanding then
    /// may be echoes of needless retransmissions.
    fn is_beyond_recover(&self) -> bool {
        self.recover == 0 || self.board.una() > self.recover
    }

    fn find_by_sack(&mut self, duplicate: bool, now: Time) -> bool {
        match self.phase {
            Phase::Open => {
                if self.board.una() < self.recover {
                    return false;
                }
                // what the recovery that just ended found lost beyond its end
                let left = self.board.has_lost();
                let found = duplicate && self.board.mark_lost_by_sack();
                // RFC 6675, section 5: DupThresh duplicates, or IsLost(HighACK + 1)
                if left || found || (duplicate && self.dup_acks >= DUP_THRESH) {
                    self.board.mark_lost(self.board.una());
                    self.enter_recovery(now);
                    return true;
                }
                false
            }
            Phase::Recovery(_) => self.board.mark_lost_by_sack(),
            // until the recovery point is passed there is no new episode
            Phase::Loss(_) => false,
        }
    }

    fn detect_by_time(&mut self, now: Time) -> bool {
        let Self { rack: Some(rack), board, .. } = self else {
            return false;
        };
        let before = board.pipe();
        let recovering = self.phase != Phase::Open;
        let srtt = self.rto.srtt().unwrap_or(Duration::MAX);
        let sacked = board.sacked();
        self.reorder_at = rack.detect(now, recovering, sacked, srtt, |seq| board.mark_lost(seq));
        let found = board.pipe() < before;
        if self.phase == Phase::Open && self.board.has_lost() {
            // also what the recovery that just ended found lost beyond its end
            self.enter_recovery(now);
        }
        if self.reorder_at != Time::NEVER {
            // RFC 8985, section 8: one of the timers at a time
            self.probe_at = Time::NEVER;
        }
        found
    }

    fn enter_recovery(&mut self, now: Time) {
        let flight = self.board.flight();
        let known = self.board.sacked();
        self.counters.episodes += 1;
        self.recover = self.board.next();
        self.phase = Phase::Recovery(self.recover);
        // an ECN episode that is still open is this same congestion
        if self.cwr_end.take().is_none() {
            self.cc.on_congestion(&Congestion { now, signal: Signal::Loss, flight: flight as u32 });
        }
        self.forced = 1;
        self.rescued = false;
        self.inflation = 0;
        self.end_probing();
        if self.tcp.prr {
            // "bytes SACKed before entering recovery" do not count
            self.prr = Some(Prr::new(self.cc.ssthresh(), flight - known));
        }
        self.send_cwr = self.tcp.ecn;
    }

    fn hear_ecn(&mut self, ack: &AckIn) {
        self.end_ecn_episode(ack.now);
        if !(ack.ece && self.tcp.ecn && self.phase == Phase::Open) {
            return;
        }
        // RFC 3168, section 6.1.2: at most once per window of data. The
        // receiver repeats ECE until CWR reaches it, so until that segment is
        // acknowledged nothing new is said.
        let una = self.board.una();
        let repeated = self.send_cwr || self.cwr_sent.is_some_and(|seq| una <= seq);
        if self.cwr_end.is_none() && !repeated {
            let flight = self.board.flight() as u32;
            self.counters.episodes += 1;
            self.cc.on_congestion(&Congestion { now: ack.now, signal: Signal::Mark, flight });
            self.cwr_end = Some(self.board.next());
            self.send_cwr = true;
        }
    }

    fn end_ecn_episode(&mut self, now: Time) {
        if self.cwr_end.is_some_and(|end| self.board.una() >= end) {
            self.cwr_end = None;
            if self.phase == Phase::Open {
                self.cc.on_recovered(now);
            }
        }
    }

    /// Measures the round trip and tells the congestion control.
    #[inline]
    fn tell_cc(&mut self, ack: &AckIn, delivered: u64, grows: u64, advanced: bool) {
        let una = self.board.una();
        let valid = self.tcp.timestamps || !ack.retransmission;
        let latest = ack.now.since(ack.echo);
        if valid && self.min_rtt.is_none_or(|min| latest < min) {
            self.min_rtt = Some(latest);
        }
        if self.tcp.timestamps && advanced {
            // RFC 7323, section 4.1: only "if the segment advances the left
            // edge of the send window"; appendix G: samples per round trip
            let per_round = (self.board.flight() as f64 / 2.0).ceil().max(1.0);
            self.rto.sample(latest, per_round);
        } else if let Some((seq, sent)) = self.timed
            && una > seq
        {
            self.rto.sample(ack.now.since(sent), 1.0);
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
            Counting::Segments(_) if slow_start && matches!(self.phase, Phase::Loss(_)) => 1.0,
            Counting::Segments(limit) if slow_start => grows.min(u64::from(limit)) as f64,
            Counting::Segments(_) => grows as f64,
        };
        let pipe = self.board.pipe();
        // A sender that filled half its window in slow start will fill it.
        let limited = self.window_limited || (slow_start && cwnd < 2.0 * (pipe + delivered) as f64);
        self.cc.on_ack(&Ack {
            now: ack.now,
            acked: delivered as u32,
            credit,
            in_flight: pipe as u32,
            rtt,
            departed: ack.echo,
            round_start,
            cwnd_limited: limited,
        });
    }

    // ---- timers

    #[inline]
    fn restart_rto(&mut self, now: Time) {
        // RFC 6298, sections 5.2 and 5.3
        self.rto_at = if self.board.flight() == 0 { Time::NEVER } else { now + self.rto.rto() };
    }

    /// RFC 6582, section 4: the impatient variant restarts the timer at the
    /// first partial ACK only.
    fn restart_rto_after_partial(&mut self, now: Time, was_recovering: bool) {
        let partial = was_recovering && matches!(self.phase, Phase::Recovery(_));
        let newreno = self.tcp.recovery == Recovery::NewReno && self.tcp.impatient;
        // `prr` is never used with NewReno; `rescued` marks its first partial ACK
        if newreno && partial && std::mem::replace(&mut self.rescued, true) {
            return;
        }
        self.restart_rto(now);
    }

    #[cold]
    fn on_timeout(&mut self, now: Time) {
        let flight = self.board.flight();
        if flight == 0 {
            self.rto_at = Time::NEVER;
            return;
        }
        self.counters.timeouts += 1;
        // RFC 5681, section 3.1: ssthresh is held if "the given segment has
        // already been retransmitted by way of the retransmission timer"
        let first = self.timed_out.replace(self.board.una()) != Some(self.board.una());
        self.cc.on_timeout(&Timeout { now, flight: flight as u32, first });
        let Self { board, rack, .. } = self;
        if let Some(rack) = rack {
            rack.on_timeout(now, |seq| board.mark_lost(seq));
        } else {
            board.mark_all_lost(self.tcp.forget_sack_on_timeout);
        }
        self.recover = self.board.next();
        self.phase = Phase::Loss(self.recover);
        self.prr = None;
        self.cwr_end = None;
        self.dup_acks = 0;
        self.inflation = 0;
        self.forced = 1;
        self.timed = None;
        self.end_probing();
        self.send_cwr = self.tcp.ecn;
        self.next_departure = now;
        // RFC 6298, sections 5.5 and 5.6
        self.rto.back_off();
        self.rto_at = now + self.rto.rto();
    }

    // ---- tail loss probe (RFC 8985, section 7)

    /// Section 7.1: TLP state is reset when a recovery begins.
    fn end_probing(&mut self) {
        self.probe_at = Time::NEVER;
        self.probe_due = false;
        if let Some(rack) = &mut self.rack {
            rack.end_probing();
        }
    }

    /// Section 7.2: not in recovery, nothing sacked, no probe under way.
    fn schedule_probe(&mut self, now: Time) {
        let flight = self.board.flight();
        let Some(rack) = &self.rack else { return };
        let quiet = self.phase == Phase::Open && self.board.sacked() == 0;
        if !quiet || flight == 0 || rack.is_probing() {
            self.probe_at = Time::NEVER;
            return;
        }
        let at = now + rack.probe_timeout(self.rto.srtt(), flight);
        // "the PTO must not be later than the RTO"
        self.probe_at = at.min(self.rto_at);
    }

    fn probe(&mut self, now: Time) -> Option<(u64, bool)> {
        self.probe_due = false;
        let new = self.may_send_new(now);
        let (seq, retransmission) = if new {
            (self.board.send_new(), false)
        } else {
            (self.board.retransmit_last()?, true)
        };
        if let Some(rack) = &mut self.rack {
            rack.on_probe_sent(self.board.next(), retransmission);
        }
        // section 7.3: after the probe the retransmission timer runs anew
        self.rto_at = now + self.rto.rto();
        Some((seq, retransmission))
    }

    fn settle_probe(&mut self, ack: &AckIn, dsack: Option<u64>, plain_dup: bool) {
        let Some(rack) = &mut self.rack else { return };
        let verdict = rack.on_ack_of_probe(ack.ack, dsack, plain_dup);
        if verdict == ProbeVerdict::RepairedLoss && self.phase == Phase::Open {
            // one reduction for the loss that the probe repaired
            let flight = self.board.flight() as u32;
            self.counters.episodes += 1;
            self.cc.on_congestion(&Congestion { now: ack.now, signal: Signal::Loss, flight });
            self.cc.on_recovered(ack.now);
            self.send_cwr = self.tcp.ecn;
        }
    }
}
