//! The sending end: what may be sent, what is lost, when the timer expires.
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
//! The congestion control receives ACKs, one event per episode, and timeouts, and answers
//! with a window. Everything else is decided here: RFC 5681 and 6582 (duplicate ACKs), 6675
//! (SACK), 8985 (RACK-TLP), 9937 (PRR), 6298 (timer), 3042 (limited transmit), 3168 (ECN),
//! 9768 (its counting echo), 3522, 3708 and 5682 (spurious losses).
//!
//! Without SACK, `inflation` counts the segments that have left the network according to
//! duplicate ACKs. RFC 5681 adds them to cwnd; here they are subtracted from the flight,
//! which is equivalent and leaves cwnd to the congestion control.
//!
//! Where we differ from the RFCs, and what we choose where they leave a choice (the scripts are
//! in `tests/scripts`):
//! - Reno also observes `recover`, as in ns-2: a second loss in the window waits for
//!   the timer (`several_losses_reno`).
//! - At the end of NewReno recovery cwnd is ssthresh, the second choice of RFC
//!   6582, section 3.2, step 3 (`newreno`).
//! - Entering a recovery restarts the timer, as in ns-2 and Linux: RFC 6675, section 6 leaves
//!   this open, and without it, at a steady RTT above the timer's minimum, the timer expires
//!   while the retransmission is under way (`recovery_timer`).
//! - With RACK, repeating the first outstanding segment also restarts the timer, as in
//!   Linux: RFC 6298, section 5.1 starts it only if it is not running (`rack`).
//! - With `linux_details` the sender does as Linux does in RTT samples, timers, unused windows
//!   and reductions after marks (docs/scenario.md; scripts `linux`, `linux_slow_start`).
//! - With `ns2_details` the sender behaves like ns-2.35's agents where these differ
//!   (`ns2.rs`, scripts `ns2_*`).
//! - After a mark, a sender whose window is one segment sends the next one when the ACK
//!   arrives; RFC 3168, section 6.1.2 would have it wait for the timer (`ecn`).

mod acks;
mod bursts;
mod ecn;
mod frto;
mod losses;
mod ns2;
mod pacer;
mod probe;
mod repair;
mod sending;
mod steady;
mod timers;
mod undo;
mod usage;

use tusker_core::congestion::Algorithm;
use tusker_core::params::Need;
use tusker_core::{Duration, Time};
use tusker_plan::plan::{Recovery, Tcp};

use self::bursts::Bursts;
use self::ecn::Ecn;
use self::frto::Frto;
use self::pacer::Pacer;
use self::probe::Probe;
use self::repair::{Phase, Repair};
use self::undo::Undo;
use self::usage::{Usage, WindowUse};
use super::control::Control;
use super::rack::Rack;
use super::rates::Rates;
use super::receive_window::ReceiveWindow;
use super::rto::{RtoEstimator, Rule};
use super::scoreboard::Scoreboard;

/// An acknowledgment as it reaches the sender.
#[derive(Clone, Copy, Debug)]
pub struct AckIn<'a> {
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
    /// ECN echo of RFC 3168.
    pub ece: bool,
    /// The ACE field of RFC 9768, where the echo counts.
    pub ace: u8,
    /// SACK blocks, at most [`Blocks::MOST`](crate::packet::Blocks::MOST).
    pub blocks: &'a [(u64, u64)],
    /// What routers wrote into the segments that it acknowledges.
    pub feedback: Option<f64>,
}

/// A segment to be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number.
    pub seq: u64,
    /// It was sent before.
    pub retransmission: bool,
    /// It informs the receiver that the window was reduced (RFC 3168).
    pub cwr: bool,
    /// It ends a burst, or what the application has written (PSH).
    pub push: bool,
}

impl Segment {
    /// A new segment, with no flags.
    #[inline(always)]
    pub fn new(seq: u64) -> Self {
        Self { seq, retransmission: false, cwr: false, push: false }
    }
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
    /// Episodes and timeouts that were spurious and were undone.
    pub undone: u64,
}

/// The data that a sender has to send.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// Segments; `u64::MAX` for a source that never ends.
    pub segments: u64,
    /// Nothing new is sent from here on.
    pub stop: Time,
}

/// The sender of one flow.
#[derive(Clone, Debug)]
pub struct Sender {
    cc: Control,
    tcp: Tcp,
    job: Job,
    /// The total number of segments to send.
    total: u64,
    /// The most segments that buffers allow to be outstanding.
    buffer: u64,
    /// The window of a receiver that enlarges its buffer.
    receive_window: Option<Box<ReceiveWindow>>,
    board: Scoreboard,
    repair: Repair,
    rack: Option<Rack>,
    /// It does as Linux does.
    linux: bool,
    /// How far the window was used, as Linux keeps it.
    used: WindowUse,
    /// Segments leave in the bursts of Linux's segmentation.
    bursts: Option<Bursts>,
    /// Delivery-rate samples, for an algorithm that needs them.
    rates: Option<Box<Rates>>,
    /// None of the features that look at every segment and ACK is in use.
    plain: bool,
    /// How many segments the last ACK or timer may still release.
    may_release: u32,
    /// In addition, there is no counting echo on every ACK.
    quick: bool,
    /// ACKs in order take the short way.
    short: bool,
    ecn: Ecn,
    rto: RtoEstimator,
    /// A segment whose round trip is being timed (without timestamps).
    timed: Option<(u64, Time)>,
    min_rtt: Option<Duration>,
    /// The current round ends when this is acknowledged.
    round_end: u64,
    window_limited: bool,
    rto_at: Time,
    reorder_at: Time,
    probe: Probe,
    pacer: Pacer,
    counters: Counters,
    undo: Undo,
    /// The last ACK was of a segment that counted as lost and was only late: nothing is sent
    /// again.
    suspended: bool,
    frto: Frto,
    /// Usage of the window by the application, if that may limit the flow.
    usage: Option<Box<Usage>>,
}

/// Whether this sender does as Linux does: only with RACK it remembers when each segment left.
pub fn does_as_linux(tcp: &Tcp) -> bool {
    tcp.linux_details && tcp.recovery == Recovery::RackTlp
}

/// Whether its receiver compresses ACKs for segments out of order, as Linux does unless all ACKs
/// are quick (`quickack` of a route): so `delayed_ack = false` acts on Linux. Packets of several
/// segments have no delayed ACKs because each is enough for one.
pub fn compresses_acks(tcp: &Tcp) -> bool {
    does_as_linux(tcp) && (tcp.delayed_ack.is_some() || tcp.segments_per_packet > 1)
}

/// Whether its receiver may delay ACKs: those for two segments, those for segments that its host
/// merges, or those that it compresses.
pub fn delays_acks(tcp: &Tcp) -> bool {
    tcp.delayed_ack.is_some() || tcp.gro.is_some() || compresses_acks(tcp)
}

/// How it computes the timeout.
fn rule(tcp: &Tcp) -> Rule {
    match tcp {
        Tcp { ns2_details: true, .. } => Rule::Ns2,
        tcp if does_as_linux(tcp) => Rule::Linux,
        _ => Rule::Rfc,
    }
}

impl Sender {
    /// A sender that has sent nothing.
    pub fn new(cc: Algorithm, tcp: Tcp, job: Job) -> Self {
        let payload = tcp.payload().get().max(1);
        let segments = |buffer: Option<tusker_core::Bytes>| {
            buffer.map_or(u64::MAX, |bytes| (bytes.get() / payload).max(1))
        };
        let buffer = segments(tcp.send_buffer).min(segments(tcp.receive_buffer));
        let receive_window = ReceiveWindow::of(&tcp, buffer);
        let rack = tcp.recovery == Recovery::RackTlp;
        let rates = cc.needs(Need::RateSamples);
        let train = match tcp.delayed_ack {
            _ if !cc.needs(Need::PacketPairs) => 0,
            None => 2,
            Some(_) => 4,
        };
        Self {
            cc: Control::new(cc, tcp.segments_per_packet),
            job,
            total: job.segments,
            buffer: receive_window.as_ref().map_or(buffer, |window| window.segments()),
            receive_window,
            board: Scoreboard::default(),
            repair: Repair::new(),
            rack: rack.then(Rack::new),
            linux: does_as_linux(&tcp),
            used: WindowUse::default(),
            bursts: (does_as_linux(&tcp) && tcp.segmentation && train == 0)
                .then(|| Bursts::new(payload)),
            rates: rates.then(|| Box::new(Rates::new(train))),
            plain: !rack && !rates && tcp.max_burst.is_none(),
            quick: !rack
                && !rates
                && tcp.max_burst.is_none()
                && tcp.rmem.is_none()
                && !tcp.ecn.is_accurate(),
            short: true,
            may_release: tcp.max_burst.unwrap_or(u32::MAX),
            ecn: Ecn::default(),
            rto: {
                let Tcp { initial_rto, min_rto, max_rto, granularity, .. } = tcp;
                RtoEstimator::new(initial_rto, min_rto, max_rto, granularity, rule(&tcp))
            },
            timed: None,
            min_rtt: None,
            round_end: 0,
            window_limited: false,
            rto_at: Time::NEVER,
            reorder_at: Time::NEVER,
            probe: Probe::new(),
            pacer: Pacer::new(does_as_linux(&tcp)),
            counters: Counters::default(),
            undo: Undo::default(),
            suspended: false,
            frto: Frto::default(),
            usage: None,
            tcp,
        }
    }

    /// The same sender on a connection that continues from the numbers and totals of
    /// another one, as connections in the same slot do. The job's segments are given as an
    /// end number, not as a count.
    pub fn starting_at(mut self, seq: u64, totals: Counters) -> Self {
        self.board = Scoreboard::starting_at(seq);
        self.rack = self.rack.map(|_| Rack::starting_at(seq));
        self.rates = self.rates.map(|rates| Box::new(rates.starting_at(seq)));
        self.bursts = self.bursts.map(|bursts| bursts.starting_at(seq));
        self.receive_window = self.receive_window.map(|window| Box::new(window.starting_at(seq)));
        self.round_end = seq;
        self.counters = totals;
        self
    }

    /// The same sender. Without `short` no ACK takes a short way: slower, with results that must
    /// be the same.
    pub fn with_short_ways(self, short: bool) -> Self {
        Self { short, ..self }
    }

    /// Takes the RTT sample from the opening of the connection.
    pub fn knowing(mut self, opening: &Self) -> Self {
        self.min_rtt = opening.min_rtt;
        if opening.rto.srtt().is_some() {
            self.rto = opening.rto.clone();
        } else {
            // RFC 6298, section 5.7: "if the timer expires awaiting the ACK of a
            // SYN segment and the TCP implementation is using an RTO less than 3
            // seconds, the RTO MUST be re-initialized to 3 seconds"
            let Tcp { initial_rto, min_rto, max_rto, granularity, .. } = self.tcp;
            let initial = initial_rto.max(Duration::from_millis(3_000));
            let max = max_rto.max(initial);
            self.rto = RtoEstimator::new(initial, min_rto, max, granularity, rule(&self.tcp));
        }
        self
    }

    /// The congestion control.
    pub fn cc(&self) -> &Control {
        &self.cc
    }

    /// See [`Control::watch`].
    pub fn watch(&mut self, window: f64) {
        self.cc.watch(window);
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

    /// Segments that the sender knows to have arrived since the start: acknowledged,
    /// reported by SACK, or indicated by duplicate ACKs.
    pub fn delivered(&self) -> u64 {
        let told = self.repair.inflation.clamp(0, self.board.flight() as i64) as u64;
        self.board.una() + self.board.sacked() + told
    }

    /// Bytes used for outstanding data, and the most after this many more segments were
    /// sent.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let rack = self.rack.as_ref().map_or((0, 0), |rack| rack.memory(more));
        let rates = self.rates.as_ref().map_or((0, 0), |rates| rates.memory(more));
        let board = self.board.memory(more);
        let all = [rack, rates, board, self.undo.memory(more)];
        all.into_iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }

    /// Segments estimated to be in the network (`pipe` of RFC 6675).
    pub fn pipe(&self) -> u64 {
        self.board.pipe()
    }

    /// Everything that was to be sent is acknowledged.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.board.una() >= self.total
    }

    /// Runs of segments found lost since the last call. They are recorded only from the
    /// first call on.
    pub fn take_lost(&mut self) -> Vec<(u64, u64)> {
        self.board.take_lost()
    }

    /// Losses are found by time (RFC 8985).
    pub fn finds_by_time(&self) -> bool {
        self.rack.is_some()
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

    /// When [`Self::on_timer`] should be called next.
    #[inline]
    pub fn timer(&self) -> Time {
        self.rto_at.min(self.reorder_at).min(self.probe.at).min(self.pacer.due())
    }

    /// Whether its timer is set to later and [`Self::on_timer`] would change nothing now, nor may
    /// anything be sent if that was so before: without the rules of Linux, time opens no window.
    pub fn sleeps(&self, now: Time) -> bool {
        let due = self.timer();
        let waits = now < due.min(self.job.stop) && due < Time::NEVER;
        waits && self.plain && !self.linux && !self.suspended
    }

    /// The next segment to send now, if any may be sent. The caller repeats this until
    /// there is none, or until it has no room.
    #[inline(always)]
    pub fn next_segment(&mut self, now: Time) -> Option<Segment> {
        let segment = self.choose_segment(now);
        if segment.is_none() && self.linux {
            self.validate_window();
        }
        segment
    }

    #[inline(always)]
    fn choose_segment(&mut self, now: Time) -> Option<Segment> {
        if self.pacer.holds_back(now) {
            // the window may be full as well, and the law should know
            let known = self.window_limited;
            self.window_limited = !self.window_is_open() || known;
            return None;
        }
        self.window_limited = false;
        if self.may_release == 0 {
            return None;
        }
        let (seq, retransmission) = if self.probe.due {
            self.send_probe(now)?
        } else if self.board.has_lost() && self.frto.holds_back() {
            (self.send_fresh(now)?, false)
        } else if self.board.has_lost() && !self.suspended {
            if self.repair.forced == 0 && !self.window_is_open() {
                return None;
            }
            self.repair.forced = self.repair.forced.saturating_sub(1);
            (self.board.retransmit_lost()?, true)
        } else if !self.window_is_open() {
            return None;
        } else if let Some(hole) = self.sack1_hole() {
            (hole, true)
        } else if self.may_send_new(now) {
            if !self.plain && (self.waits_for_a_train() || !self.fits_a_burst(now)) {
                return None;
            }
            (self.board.send_new(), false)
        } else {
            (self.repeat_at_the_end()?, true)
        };
        let push = !self.plain && self.ends_burst(retransmission, now);
        self.on_sent(seq, retransmission, now);
        let cwr = self.ecn.says_cwr(seq, retransmission);
        Some(Segment { seq, retransmission, cwr, push })
    }

    /// An ACK arrives.
    #[inline(always)]
    pub fn on_ack(&mut self, ack: &AckIn) {
        let una = self.board.una();
        let advanced = ack.ack > una;
        let plain = ack.blocks.is_empty() && !ack.ece && self.short;
        if advanced && plain && self.repair.phase == Phase::Open && self.board.is_clean() {
            // the common case: in order, nothing missing
            if !self.quick {
                return self.on_ack_in_order(ack);
            }
            self.hear_in_order(ack);
            self.restart_rto(ack.now);
            return;
        }
        self.on_ack_slow(ack);
    }

    /// Reads what the next ACK needs, and so brings it into the cache. The value is nothing.
    #[inline(always)]
    pub fn warm(&self) -> u64 {
        let Self { board, repair, rto, cc, tcp, job, .. } = self;
        let times = [self.rto_at, self.probe.at, self.pacer.next(), repair.reduced_at];
        times.iter().fold(0, |all, time| all ^ time.nanos())
            ^ (board.una() ^ board.sacked() ^ repair.dup_acks)
            ^ (job.segments ^ self.round_end ^ rto.rto().nanos())
            ^ (cc.cwnd().to_bits() ^ cc.ssthresh().to_bits())
            ^ u64::from(tcp.timestamps ^ self.plain)
            ^ u64::from(rto.srtt().is_some() ^ self.min_rtt.is_some())
    }

    /// The time returned by [`Self::timer`] has come.
    pub fn on_timer(&mut self, now: Time) {
        self.release_anew();
        self.suspended = false;
        self.pacer.on_timer(now);
        if self.reorder_at <= now {
            self.reorder_at = Time::NEVER;
            let found = self.detect_by_time(now);
            self.tell_losses(now);
            if let (true, Some(prr)) = (found, &mut self.repair.prr) {
                prr.on_ack(0, self.board.pipe(), false);
            }
        }
        if self.rates.is_some() {
            self.note_app_limit(now);
        }
        if self.probe.at <= now {
            self.probe.at = Time::NEVER;
            let may_probe = self.rack.as_ref().is_some_and(Rack::may_probe);
            self.probe.due = may_probe && self.board.flight() > 0;
            // RFC 8985, section 7.2: a probe due at the same time as the retransmission
            // timeout replaces it; 7.3: the timer is then restarted, "regardless of whether
            // a loss probe was sent"
            self.rto_at = now + self.rto.rto();
        }
        if self.rto_at <= now {
            self.on_timeout(now);
        }
    }
}
