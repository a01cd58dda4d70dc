//! RACK-TLP (RFC 8985): a segment is lost if one that left sufficiently later has arrived; a
//! probe at the tail elicits the ACK that shows this.
//!
//! Where we differ: the reordering timer is set for the first segment that may become lost,
//! while the RFC sets it for the last. The same segments are declared lost, only earlier (test
//! `the_reordering_timer_marks_what_the_window_excused`). `TLP.max_ack_delay` is fixed at 200
//! ms (script `tlp`).

use std::collections::VecDeque;

use tusker_core::{Duration, Time};
use tusker_path::room;

/// What is known of one outstanding segment: when it was last sent, in quarters of a
/// nanosecond, and two flags in the lowest bits.
#[derive(Clone, Copy, Debug)]
struct Sent(u64);

const DELIVERED: u64 = 1;
const RETRANSMITTED: u64 = 2;

impl Sent {
    #[inline]
    fn new(at: Time, retransmitted: bool) -> Self {
        Self(at.nanos() << 2 | if retransmitted { RETRANSMITTED } else { 0 })
    }

    /// Its latest transmission.
    #[inline]
    fn at(self) -> Time {
        Time::from_nanos(self.0 >> 2)
    }

    #[inline]
    fn is_retransmitted(self) -> bool {
        self.0 & RETRANSMITTED != 0
    }

    #[inline]
    fn is_delivered(self) -> bool {
        self.0 & DELIVERED != 0
    }

    /// It was sent once and is not delivered.
    #[inline]
    fn is_original(self) -> bool {
        self.0 & (DELIVERED | RETRANSMITTED) == 0
    }
}

/// A retransmission.
#[derive(Clone, Copy, Debug)]
struct Again {
    at: Time,
    seq: u64,
    /// It was sent before this new segment and after those with lower numbers.
    before: u64,
}

/// RFC 8985, section 3.3.2: DSACKs keep the window enlarged for 16 recoveries.
const REO_WND_PERSIST: u32 = 16;

/// RFC 8985, section 7.2: the longest time for which the receiver may delay an ACK.
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);

/// The state of RACK and of the tail loss probe of one sender.
#[derive(Clone, Debug, Default)]
pub struct Rack {
    /// SND.UNA: the number of the first entry of `sent`.
    una: u64,
    sent: VecDeque<Sent>,
    /// The transmissions that may still be found lost, in the order of time: new segments are
    /// in the order of their numbers, from this one on; ...
    first: u64,
    /// ... retransmissions, between them.
    again: VecDeque<Again>,
    /// RACK.xmit_ts and RACK.end_seq: of the most recently sent segment that
    /// was delivered.
    latest: (Time, u64),
    /// The most recently sent segment of those that the current ACK delivers.
    newest: Option<(Time, u64)>,
    /// RACK.rtt.
    rtt: Duration,
    /// RACK.reo_wnd.
    reo_wnd: Duration,
    min_rtt: Option<Duration>,
    /// RACK.fack: highest delivered.
    fack: u64,
    reordering_seen: bool,
    reo_wnd_mult: u32,
    reo_wnd_persist: u32,
    dsack_round: Option<u64>,
    /// TLP.end_seq and TLP.is_retrans while a probe is out.
    probe: Option<(u64, bool)>,
    /// Segments that no longer count as lost are not watched.
    unwatched: bool,
    /// No RTT was measured since the last probe.
    stale_rtt: bool,
}

/// What happened to a tail loss probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeVerdict {
    /// Nothing was lost, or it is not known yet.
    None,
    /// The probe repaired a loss: the window must be reduced for it.
    RepairedLoss,
}

impl Rack {
    /// RACK.segment delivered nothing yet.
    pub fn new() -> Self {
        Self { reo_wnd_mult: 1, ..Self::default() }
    }

    /// The first segment has this number.
    pub fn starting_at(seq: u64) -> Self {
        Self { una: seq, first: seq, ..Self::new() }
    }

    /// Bytes in use, and the most after this many more segments were sent.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let sent = room(self.sent.len() + more, self.sent.capacity(), size_of::<Sent>());
        let again = room(self.again.len() + more, self.again.capacity(), size_of::<Again>());
        (sent.0 + again.0, sent.1 + again.1)
    }

    /// A segment is sent.
    #[inline]
    pub fn on_sent(&mut self, seq: u64, now: Time, retransmission: bool) {
        let i = (seq - self.una) as usize;
        if i == self.sent.len() {
            self.sent.push_back(Sent::new(now, retransmission));
        } else {
            self.sent[i] = Sent::new(now, true);
            self.again.push_back(Again { at: now, seq, before: self.next() });
        }
    }

    /// The next new segment.
    fn next(&self) -> u64 {
        self.una + self.sent.len() as u64
    }

    /// RFC 8985, section 6.2, steps 1 to 3 for segments `[low, high)`, which this ACK
    /// delivers; `echo` is its timestamp, if it has one. Returns when the first and the last
    /// of those left that were sent once.
    #[inline]
    pub fn on_delivered(
        &mut self,
        low: u64,
        high: u64,
        now: Time,
        echo: Option<Time>,
    ) -> Option<(Time, Time)> {
        let (from, to) = ((low - self.una) as usize, (high - self.una) as usize);
        if from < to && high > self.fack && (from..to).all(|i| self.sent[i].is_original()) {
            return Some(self.on_originals(from, to, now));
        }
        let mut once: Option<(Time, Time)> = None;
        for seq in low..high {
            let entry = &mut self.sent[(seq - self.una) as usize];
            if entry.is_delivered() {
                continue;
            }
            entry.0 |= DELIVERED;
            let (at, retransmitted) = (entry.at(), entry.is_retransmitted());
            if !retransmitted {
                once = Some((once.map_or(at, |(first, _)| first), at));
            }
            if seq + 1 > self.fack {
                self.fack = seq + 1;
            } else if seq + 1 < self.fack && !retransmitted {
                self.reordering_seen = true;
            }
            let rtt = now.since(at);
            if !retransmitted {
                self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
            } else if echo.is_some_and(|echo| echo < at)
                || self.min_rtt.is_some_and(|min| rtt < min)
            {
                // step 2: it acknowledges the original, not the retransmission
                continue;
            }
            self.newest = self.newest.max(Some((at, seq + 1)));
        }
        once
    }

    /// The same for segments that were sent once, in order of their numbers: only the last one
    /// matters, and when the first one left.
    #[inline]
    fn on_originals(&mut self, from: usize, to: usize, now: Time) -> (Time, Time) {
        let (first, last) = (self.sent[from].at(), self.sent[to - 1].at());
        (from..to).for_each(|i| self.sent[i].0 |= DELIVERED);
        let end = self.una + to as u64;
        // one below what had arrived already was overtaken
        self.reordering_seen |= self.una + (from as u64) + 1 < self.fack;
        self.fack = end;
        let rtt = now.since(last);
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        self.newest = self.newest.max(Some((last, end)));
        (first, last)
    }

    /// SND.UNA advances. Returns whether anything that it passes was retransmitted.
    #[inline]
    pub fn on_una(&mut self, una: u64) -> bool {
        let mut again = false;
        for _ in self.una..una {
            again |= self.sent.pop_front().is_some_and(Sent::is_retransmitted);
        }
        self.una = una;
        again
    }

    /// When the first outstanding segment last left.
    pub fn head_left(&self) -> Option<Time> {
        self.sent.front().map(|sent| sent.at())
    }

    /// Step 4: the reordering window, adapted by D-SACKs.
    pub fn on_dsack(&mut self, next: u64) {
        if self.dsack_round.is_some_and(|round| self.una >= round) {
            self.dsack_round = None;
        }
        if self.dsack_round.is_none() {
            self.dsack_round = Some(next);
            self.reo_wnd_mult += 1;
            self.reo_wnd_persist = REO_WND_PERSIST;
        }
    }

    /// The same in Linux, for a duplicate of segment `seq` (`tcp_dsack_seen`): only once packets
    /// were reordered, and not of a tail loss probe, which a timer sends and not RACK.
    pub fn on_dsack_in_linux(&mut self, seq: u64, next: u64) {
        let is_probe = self.probe.is_some_and(|(end, _)| end == seq + 1);
        if self.reordering_seen && !is_probe {
            self.on_dsack(next);
        }
    }

    /// A recovery ends.
    pub fn on_recovered(&mut self) {
        self.reo_wnd_persist = self.reo_wnd_persist.saturating_sub(1);
        if self.reo_wnd_persist == 0 {
            self.reo_wnd_mult = 1;
        }
    }

    /// All that was sent again in a recovery was reported as a duplicate
    /// (`tcp_try_undo_dsack` of Linux).
    pub fn on_dsack_undo(&mut self) {
        self.reo_wnd_persist = (self.reo_wnd_persist + 1).min(REO_WND_PERSIST);
    }

    /// What waits for retransmission no longer counts as lost, and is not watched before the next
    /// timeout: Linux has removed it from its list.
    pub fn on_partial_undo(&mut self) {
        self.unwatched = true;
    }

    /// A segment that counted as lost was only late.
    pub fn on_reordering(&mut self) {
        self.reordering_seen = true;
    }

    /// A retransmission is under way: it has neither arrived nor been found lost.
    pub fn has_retransmissions(&self) -> bool {
        self.again.iter().any(|&again| self.is_current(again))
    }

    fn reo_wnd(&self, recovering: bool, sacked: u64, srtt: Duration) -> Duration {
        const DUP_THRESH: u64 = 3;
        if !self.reordering_seen && (recovering || sacked >= DUP_THRESH) {
            return Duration::ZERO;
        }
        let quarter = self.min_rtt.unwrap_or_default().nanos() / 4;
        Duration::from_nanos(quarter * u64::from(self.reo_wnd_mult)).min(srtt)
    }

    /// Step 5: marks what is lost by now and returns when the next segment may be. `lost`
    /// is called with a segment and, if it was a retransmission, when it left.
    #[inline]
    pub fn detect(
        &mut self,
        now: Time,
        recovering: bool,
        sacked: u64,
        srtt: Duration,
        mut lost: impl FnMut(u64, Option<Time>),
    ) -> Time {
        if let Some(newest) = self.newest.take() {
            // step 2: RACK.rtt is that of the most recently sent one that arrived
            self.rtt = now.since(newest.0);
            self.latest = self.latest.max(newest);
        }
        self.reo_wnd = self.reo_wnd(recovering, sacked, srtt);
        let patience = self.rtt + self.reo_wnd;
        while let Some((at, seq, retransmitted)) = self.oldest() {
            // only segments that left before one that was delivered
            if (at, seq + 1) >= self.latest {
                return Time::NEVER;
            }
            if at + patience > now {
                return at + patience;
            }
            lost(seq, retransmitted.then_some(at));
            self.pass_oldest(retransmitted);
        }
        Time::NEVER
    }

    /// Of the transmissions that may be found lost and have not arrived, the oldest: when it
    /// left, its segment, and whether it is a retransmission.
    #[inline]
    fn oldest(&mut self) -> Option<(Time, u64, bool)> {
        self.first = self.first.max(self.una);
        loop {
            if let Some(&again) = self.again.front().filter(|again| again.before <= self.first) {
                if self.is_current(again) {
                    return Some((again.at, again.seq, true));
                }
                self.again.pop_front();
                continue;
            }
            let sent = *self.sent.get((self.first - self.una) as usize)?;
            if sent.is_original() {
                return Some((sent.at(), self.first, false));
            }
            self.first += 1;
        }
    }

    /// The oldest transmission is dealt with.
    fn pass_oldest(&mut self, retransmitted: bool) {
        if retransmitted {
            self.again.pop_front();
        } else {
            self.first += 1;
        }
    }

    /// The retransmission is the segment's latest transmission and has not arrived.
    fn is_current(&self, again: Again) -> bool {
        let index = again.seq.checked_sub(self.una);
        let sent = index.and_then(|i| self.sent.get(i as usize));
        sent.is_some_and(|sent| sent.at() == again.at && !sent.is_delivered())
    }

    /// RFC 8985, section 6.3: on a retransmission timeout, the first segment and all that
    /// are older than a round trip are lost.
    pub fn on_timeout(&mut self, now: Time, mut lost: impl FnMut(u64)) {
        if std::mem::take(&mut self.unwatched) {
            // `tcp_timeout_mark_lost` looks at all that is outstanding
            self.on_undo();
        }
        let patience = self.rtt + self.reo_wnd;
        // those that are not lost stay; among new segments they are the last ones
        let mut kept = VecDeque::new();
        let mut first = None;
        while let Some((at, seq, retransmitted)) = self.oldest() {
            if seq == self.una || at + patience <= now {
                lost(seq);
            } else if retransmitted {
                kept.extend(self.again.front().copied());
            } else {
                first = first.or(Some(seq));
            }
            self.pass_oldest(retransmitted);
        }
        self.first = first.unwrap_or_else(|| self.next());
        self.again = kept;
    }

    /// Segments considered lost are not lost after all: they are watched again.
    pub fn on_undo(&mut self) {
        let sent = self.sent.iter().zip(self.una..).filter(|(sent, _)| !sent.is_delivered());
        let (again, originals): (Vec<_>, Vec<_>) =
            sent.map(|(sent, seq)| (sent, sent.at(), seq)).partition(|s| s.0.is_retransmitted());
        let mut again: Vec<_> = again.into_iter().map(|(_, at, seq)| (at, seq)).collect();
        again.sort_unstable();
        let mut originals = originals.into_iter().map(|(_, at, seq)| (at, seq)).peekable();
        self.first = self.una;
        self.again.clear();
        for (at, seq) in again {
            while originals.next_if(|&original| original < (at, seq)).is_some() {}
            let before = originals.peek().map_or(self.next(), |original| original.1);
            self.again.push_back(Again { at, seq, before });
        }
    }

    /// The segment that the outstanding probe repeats, if it repeats one and that has not
    /// arrived.
    pub fn repeated_probe(&self) -> Option<u64> {
        let (end, retransmission) = self.probe?;
        let seq = end.checked_sub(1).filter(|_| retransmission)?;
        let sent = self.sent.get(seq.checked_sub(self.una)? as usize)?;
        (!sent.is_delivered()).then_some(seq)
    }

    /// Section 7.2: the time from now until a probe is sent.
    pub fn probe_timeout(&self, srtt: Option<Duration>, flight: u64) -> Duration {
        let Some(srtt) = srtt else {
            return Duration::from_secs(1.0);
        };
        if flight == 1 { srtt * 2 + MAX_ACK_DELAY } else { srtt * 2 }
    }

    /// An RTT was measured.
    pub fn on_rtt(&mut self) {
        self.stale_rtt = false;
    }

    /// Section 7.3: no probe is sent unless "the sender has obtained an RTT
    /// measurement since the last loss probe transmission".
    pub fn may_probe(&self) -> bool {
        !self.is_probing() && !self.stale_rtt
    }

    /// A probe is out already.
    pub fn is_probing(&self) -> bool {
        self.probe.is_some()
    }

    /// Section 7.3: a probe was sent; `next` is SND.NXT after it.
    pub fn on_probe_sent(&mut self, next: u64, retransmission: bool) {
        self.probe = Some((next, retransmission));
        self.stale_rtt = true;
    }

    /// Section 7.1: TLP.end_seq is reset when a recovery begins.
    pub fn end_probing(&mut self) {
        self.probe = None;
    }

    /// Section 7.4: what an ACK reveals about the probe.
    pub fn on_ack_of_probe(
        &mut self,
        ack: u64,
        dsack: Option<u64>,
        plain_dup: bool,
    ) -> ProbeVerdict {
        let Some((end, retransmission)) = self.probe else {
            return ProbeVerdict::None;
        };
        if ack < end {
            return ProbeVerdict::None;
        }
        let mut verdict = ProbeVerdict::None;
        if !retransmission || dsack == Some(end - 1) || plain_dup {
            self.probe = None;
        } else if ack > end {
            self.probe = None;
            verdict = ProbeVerdict::RepairedLoss;
        }
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * MS)
    }

    fn lost(rack: &mut Rack, now: u64, sacked: u64) -> (Vec<u64>, Time) {
        let mut seqs = Vec::new();
        let timer =
            rack.detect(at(now), false, sacked, Duration::from_millis(100), |s, _| seqs.push(s));
        (seqs, timer)
    }

    /// Sent at 0, 10, 20, 30 ms; the RTT is 100 ms.
    fn four() -> Rack {
        let mut rack = Rack::new();
        (0..4).for_each(|i| rack.on_sent(i, at(10 * i), false));
        rack
    }

    #[test]
    fn the_reordering_timer_marks_what_the_window_excused() {
        let mut rack = four();
        // segment 1 arrives first: rtt 100, reo_wnd = min_rtt/4 = 25 ms
        rack.on_delivered(1, 2, at(110), None);
        // segment 0 left at 0: lost at 0 + 100 + 25 = 125 ms
        assert_eq!(lost(&mut rack, 110, 1), (vec![], at(125)));
        assert_eq!(lost(&mut rack, 125, 1), (vec![0], Time::NEVER));
    }

    #[test]
    fn three_sacked_close_the_window() {
        let mut rack = four();
        rack.on_delivered(1, 4, at(130), None);
        assert_eq!(lost(&mut rack, 130, 3), (vec![0], Time::NEVER));
    }

    #[test]
    fn a_lost_retransmission_is_found() {
        let mut rack = four();
        rack.on_delivered(1, 4, at(130), None);
        assert_eq!(lost(&mut rack, 130, 3).0, [0]);
        rack.on_sent(0, at(131), true);
        rack.on_sent(4, at(132), false);
        // the new segment, sent after the retransmission, arrives: RTT 100
        rack.on_delivered(4, 5, at(232), None);
        assert_eq!(lost(&mut rack, 232, 4).0, [0]);
    }

    #[test]
    fn a_dsack_widens_the_window() {
        let mut rack = four();
        rack.on_delivered(1, 2, at(110), None);
        rack.on_dsack(4);
        // reo_wnd_mult 2: 2 * 25 ms
        assert_eq!(lost(&mut rack, 110, 1).1, at(150));
    }

    /// Linux, `tcp_dsack_seen`: "RACK ignores DSACKs that happen without having seen reordering, or
    /// that match TLP probes".
    #[test]
    fn linux_widens_the_window_only_for_its_own_mistakes() {
        let mut rack = four();
        rack.on_delivered(1, 2, at(110), None);
        rack.on_dsack_in_linux(1, 4);
        // no reordering so far: 25 ms
        assert_eq!(lost(&mut rack, 110, 1).1, at(125));
        rack.on_delivered(0, 1, at(115), None);
        // segment 3 was sent again as a probe, and both arrived
        rack.on_probe_sent(4, true);
        rack.on_dsack_in_linux(3, 4);
        assert_eq!(rack.reo_wnd_mult, 1);
        rack.on_dsack_in_linux(0, 4);
        assert_eq!(rack.reo_wnd_mult, 2);
    }

    /// Section 6.3: "SEG.SEQ = SND.UNA or Segment.xmit_ts + RACK.rtt +
    /// RACK.reo_wnd - Now() <= 0".
    #[test]
    fn a_timeout_marks_the_first_and_what_is_old() {
        let mut rack = four();
        rack.on_delivered(1, 2, at(110), None);
        // RACK.rtt = 110 - 10 = 100, reo_wnd = 25
        assert_eq!(lost(&mut rack, 110, 1), (vec![], at(125)));
        let mut seqs = Vec::new();
        // 2 left at 20: 145 <= 150; 3 left at 30: 155 > 150
        rack.on_timeout(at(150), |seq| seqs.push(seq));
        assert_eq!(seqs, [0, 2]);
        // the first in any case
        let mut rack = four();
        rack.on_delivered(1, 2, at(110), None);
        lost(&mut rack, 110, 1);
        seqs.clear();
        rack.on_timeout(at(111), |seq| seqs.push(seq));
        assert_eq!(seqs, [0]);
    }

    /// Section 6.2, step 2: "ACK.ts_option.echo_reply < Segment.xmit_ts".
    #[test]
    fn an_older_echo_is_not_of_the_retransmission() {
        for (echo, known) in [(Some(at(10)), at(10)), (Some(at(120)), at(120))] {
            let mut rack = four();
            rack.on_delivered(1, 2, at(110), None);
            lost(&mut rack, 110, 3);
            rack.on_sent(0, at(120), true);
            // 110 ms later: not too early for the retransmission
            rack.on_delivered(0, 1, at(230), echo);
            lost(&mut rack, 230, 1);
            assert_eq!(rack.latest.0, known);
        }
    }

    #[test]
    fn a_second_probe_waits_for_a_round_trip() {
        let mut rack = four();
        assert!(rack.may_probe());
        rack.on_probe_sent(4, false);
        assert_eq!(rack.on_ack_of_probe(4, None, false), ProbeVerdict::None);
        assert!(!rack.is_probing() && !rack.may_probe());
        rack.on_rtt();
        assert!(rack.may_probe());
    }

    #[test]
    fn a_probe_that_repairs_a_loss_is_answered() {
        let mut rack = four();
        rack.on_probe_sent(4, true);
        assert_eq!(rack.on_ack_of_probe(3, None, false), ProbeVerdict::None);
        assert!(rack.is_probing());
        assert_eq!(rack.on_ack_of_probe(5, None, false), ProbeVerdict::RepairedLoss);
        rack.on_probe_sent(5, true);
        assert_eq!(rack.on_ack_of_probe(5, Some(4), false), ProbeVerdict::None);
        assert!(!rack.is_probing());
    }
}
