//! Bursts of the sizes in which Linux sends (TSO, GSO).
//!
//! ```text
//!   what was written   | buffer of 64 kB (45 segments) | buffer | ...
//!   a burst            up to the end of the buffer, the room in the window, half the window,
//!                      and what the pacing rate gives in 1 ms (at least 2 segments)
//!   it waits           while it could become larger: the last one left within 1 ms, the room
//!                      is less than a full burst and a third of the window, and the next ACK
//!                      is due within 1 ms
//! ```
//!
//! A burst of several segments has the PSH flag at its end, so that the receiver's application
//! reads it at once, and what it reads is acknowledged. Nothing waits in recovery or after a
//! timeout. A flow that paces sends a burst and then waits for the time of all of it.
//!
//! Source: net/ipv4/tcp_output.c of Linux (`tcp_tso_should_defer`, with the rule of October 2025
//! on the next ACK, as in 6.18: before it was half of SRTT; `tcp_tso_autosize`, `tcp_cwnd_test`,
//! `tcp_mss_split_point`). From memory: the size of a buffer, and PSH. Left out: the limit on what
//! waits in the host's own queue (TSQ).

use tusker_core::{Duration, Time};

use super::{Phase, Sender};

/// `sk_gso_max_size` less what headers may take (MAX_TCP_HEADER), in bytes.
const BUFFER: u64 = 65_536 - 320;

/// `tcp_min_tso_segs`.
const LEAST: u64 = 2;

/// `sk_pacing_shift`: a burst takes 1/1024 s.
const PER_SECOND: f64 = 1_024.0;

/// `tcp_tso_rtt_log`: on paths shorter than 16 ms bursts are larger. In nanoseconds.
const RTT_STEP: u64 = 1_000 << 9;

const MILLISECOND: Duration = Duration::from_millis(1);

/// `tcp_tso_win_divisor`.
const WINDOW_DIVISOR: u64 = 3;

/// Linux paces (and sizes bursts) by twice the window per round trip while the window is below
/// half of ssthresh, and by 1.2 times it afterwards.
const GAIN_SLOW_START: f64 = 2.0;
const GAIN_AVOIDANCE: f64 = 1.2;

/// The burst under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bursts {
    /// Segments in a buffer.
    buffer: u64,
    /// The first buffer begins with this segment.
    from: u64,
    /// Segments of this burst that may still leave.
    left: u64,
    /// How many it has.
    size: u64,
    /// When a segment last left (`tcp_wstamp_ns`).
    last: Time,
}

impl Bursts {
    /// Nothing was sent yet; `payload` is that of a segment, in bytes.
    pub fn new(payload: u64) -> Self {
        let buffer = (BUFFER / payload.max(1)).max(1);
        Self { buffer, from: 0, left: 0, size: 1, last: Time::ZERO }
    }

    /// The first segment has this number.
    pub fn starting_at(self, seq: u64) -> Self {
        Self { from: seq, ..self }
    }

    /// The segments that leave together.
    pub fn size(&self) -> u32 {
        self.size as u32
    }

    /// A segment of a burst leaves. Returns whether it is the last of several.
    pub fn on_new(&mut self, now: Time) -> bool {
        self.last = now;
        self.left = self.left.saturating_sub(1);
        self.left == 0 && self.size > 1
    }

    /// A retransmission leaves, alone.
    pub fn on_again(&mut self, now: Time) {
        (self.last, self.left, self.size) = (now, 0, 1);
    }
}

impl Sender {
    /// Whether a new segment may leave as part of a burst: of the one under way, or of one that
    /// begins now.
    #[inline(always)]
    pub(super) fn fits_a_burst(&mut self, now: Time) -> bool {
        match &self.bursts {
            Some(bursts) if bursts.left == 0 || bursts.last != now => self.begins_a_burst(now),
            _ => true,
        }
    }

    /// Whether a burst may begin with a new segment; it then does.
    #[inline(never)]
    fn begins_a_burst(&mut self, now: Time) -> bool {
        let Some(bursts) = self.bursts else { return true };
        let next = self.board.next();
        let cwnd = self.cc.cwnd() as u64;
        let room = self.room();
        // one that ends where the buffer or what was written ends gets no larger
        let here =
            (bursts.buffer - (next - bursts.from) % bursts.buffer).min(self.job.segments - next);
        let is_last = next + here == self.job.segments;
        let full = (room >= here && !is_last) || room >= cwnd / WINDOW_DIVISOR;
        if here > 1 && !full && self.may_wait(now) && room < self.largest_burst() {
            self.window_limited = true;
            return false;
        }
        let quota = room.min((cwnd / 2).max(1));
        let window = self.buffer - self.board.flight();
        let mut size = quota.min(here).min(window).max(1);
        if size > LEAST {
            size = size.min(self.largest_burst());
        }
        self.bursts = Some(Bursts { left: size, size, ..bursts });
        true
    }

    /// The last segment was sent: it ends a burst of several, or all that was written.
    pub(super) fn ends_burst(&mut self, retransmission: bool, now: Time) -> bool {
        let Some(bursts) = &mut self.bursts else { return false };
        if retransmission {
            bursts.on_again(now);
            return false;
        }
        bursts.on_new(now) || self.board.next() >= self.job.segments
    }

    /// Segments for which the window has room.
    fn room(&self) -> u64 {
        match (&self.repair.prr, self.repair.phase) {
            (Some(prr), Phase::Recovery(_) | Phase::Open) => prr.quota(),
            _ => (self.cc.cwnd() as u64).saturating_sub(self.board.pipe()),
        }
    }

    /// `tcp_tso_autosize`.
    fn largest_burst(&self) -> u64 {
        let payload = self.tcp.payload().get().max(1) as f64;
        let srtt = self.rto.srtt().unwrap_or(MILLISECOND).secs().max(1e-9);
        let rate = match self.cc.pacing_rate() {
            Some(rate) => rate.bits_per_sec() as f64 / 8.0,
            None => {
                let cwnd = self.cc.cwnd();
                let gain =
                    if cwnd < self.cc.ssthresh() / 2.0 { GAIN_SLOW_START } else { GAIN_AVOIDANCE };
                gain * cwnd.max(self.board.flight() as f64) * payload / srtt
            }
        };
        let steps = self.min_rtt.map_or(u64::MAX, |min| min.nanos() / RTT_STEP);
        let bonus = if steps < 32 { (65_536_u64 >> steps) as f64 } else { 0.0 };
        let bytes = (rate / PER_SECOND + bonus).min(BUFFER as f64);
        ((bytes / payload) as u64).max(LEAST)
    }

    /// The conditions under which Linux lets a burst wait (`tcp_tso_should_defer`): not in
    /// recovery, and something happens soon.
    fn may_wait(&self, now: Time) -> bool {
        let Some(bursts) = &self.bursts else { return false };
        if self.repair.phase != Phase::Open || now.since(bursts.last) > MILLISECOND {
            return false;
        }
        let head = self.rack.as_ref().and_then(|rack| rack.head_left());
        let (Some(head), Some(srtt)) = (head, self.rto.srtt()) else { return false };
        let soon = Duration::from_nanos(srtt.nanos() / 2).min(MILLISECOND);
        head + srtt <= now + soon
    }
}
