//! A window that the application does not use: RFC 5681, section 4.1, and RFC 2861.
//!
//! Only senders whose application writes at intervals track this; for the others, which are
//! limited by the network, it costs nothing.
//!
//! | `after_idle` | nothing was sent for longer than the RTO | less than the window was used for an RTO |
//! |---|---|---|
//! | `keep` | | |
//! | `restart` | cwnd = min(IW, cwnd) | |
//! | `halve` | cwnd halves for each RTO, to min(IW, cwnd) at least | cwnd half way down to what was used |
//!
//! With `halve`, ssthresh becomes at least 3/4 of the earlier window, so that the window
//! returns in slow start. These are the steps of Linux (tcp_cwnd_restart,
//! tcp_cwnd_application_limited, `tcp_slow_start_after_idle`). Algorithms with rate samples
//! have a model of the path instead and are left alone, as in Linux. RFC 7661's pipeACK is
//! not implemented. The RFCs are quoted from memory.

use tusker_core::{Duration, Time};
use tusker_plan::plan::AfterIdle;

use super::{Phase, Sender};

/// How far a window was used, as Linux keeps it (`tcp_cwnd_validate`): once the window was
/// the limit, it counts as used until all that was outstanding then is acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowUse {
    /// `is_cwnd_limited`.
    limited: bool,
    /// `max_packets_out`: the most that was outstanding in this window.
    most: u64,
    /// `cwnd_usage_seq`.
    until: u64,
    /// Segments have left since this was last looked at.
    pub sent: bool,
}

/// How much of the window was used recently.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    /// When a segment last left.
    sent: Option<Time>,
    /// The most that was outstanding since then.
    used: u64,
    since: Time,
}

impl WindowUse {
    /// Whether the window limits the sender (`tcp_is_cwnd_limited`): in slow start a window
    /// that was half used will be used.
    #[inline]
    pub fn fills(&self, cwnd: f64, slow_start: bool) -> bool {
        self.limited || (slow_start && cwnd < 2.0 * self.most as f64)
    }
}

impl Usage {
    /// A segment leaves.
    pub fn on_sent(&mut self, now: Time) {
        self.sent = Some(now);
    }
}

impl Sender {
    /// Everything that may be sent now has been sent (`tcp_cwnd_validate`).
    pub(super) fn validate_window(&mut self) {
        let sent = std::mem::take(&mut self.used.sent);
        let limited = self.window_limited;
        if !sent && !limited {
            return;
        }
        let out = self.board.flight();
        let WindowUse { limited: before, most, until, .. } = self.used;
        if self.board.una() >= until || limited || (!before && out > most) {
            let until = self.board.next();
            self.used = WindowUse { limited, most: out, until, sent: false };
        }
    }

    /// The same sender for an application that has written nothing yet; see
    /// [`Self::write`].
    pub fn for_application(mut self) -> Self {
        self.job.segments = self.board.next();
        self.usage = Some(Box::default());
        self.plain = false;
        self
    }

    /// The application has written this many more segments, or as many as are left to be
    /// sent at all.
    pub fn write(&mut self, segments: u64, now: Time) {
        if self.rates.is_some() {
            // "the sending application asks the transport layer to send more data"
            self.note_app_limit(now);
        }
        let nothing_waits = self.board.next() >= self.job.segments;
        if self.board.flight() == 0 && nothing_waits {
            self.begin_after_idle(now);
        }
        self.job.segments = self.job.segments.saturating_add(segments).min(self.total);
    }

    /// Nothing is under way, and the application has written.
    fn begin_after_idle(&mut self, now: Time) {
        let Some(usage) = &mut self.usage else { return };
        let idle = usage.sent.map_or(Duration::ZERO, |sent| now.since(sent));
        if idle > Duration::ZERO {
            self.cc.on_idle(now, idle);
        }
        let rto = self.rto.rto();
        if idle <= rto || self.rates.is_some() {
            return;
        }
        let (cwnd, ssthresh) = (self.cc.cwnd(), self.cc.ssthresh());
        let least = self.cc.packets(self.tcp.initial_window).min(cwnd);
        let (cwnd, ssthresh) = match self.tcp.after_idle {
            AfterIdle::Keep => return,
            AfterIdle::Restart => (least, ssthresh),
            AfterIdle::Halve => {
                let halves = (idle.nanos() - 1) / rto.nanos().max(1);
                let halved = cwnd / (1_u64 << halves.min(63)) as f64;
                (halved.max(least), ssthresh.max(0.75 * cwnd))
            }
        };
        self.cc.overrule(cwnd, ssthresh);
        (usage.used, usage.since) = (0, now);
    }

    /// The sender has sent everything that it may.
    pub fn settle_usage(&mut self, now: Time) {
        let Some(usage) = &mut self.usage else { return };
        if usage.sent != Some(now) {
            return;
        }
        let (cwnd, ssthresh) = (self.cc.cwnd(), self.cc.ssthresh());
        usage.used = usage.used.max(self.board.flight());
        let waits = self.board.next() < self.job.segments;
        // slow start continues for a sender that used half: it will use the rest
        let doubles = cwnd < ssthresh && cwnd < 2.0 * usage.used as f64;
        let fills = match self.linux {
            true => self.used.fills(cwnd, cwnd < ssthresh),
            false => self.window_limited || doubles,
        };
        if waits || fills {
            (usage.used, usage.since) = (0, now);
            return;
        }
        if now.since(usage.since) < self.rto.rto() {
            return;
        }
        let used = (usage.used as f64).max(self.cc.packets(self.tcp.initial_window));
        (usage.used, usage.since) = (0, now);
        let halves = self.tcp.after_idle == AfterIdle::Halve && self.rates.is_none();
        if halves && self.repair.phase == Phase::Open && used < cwnd {
            self.cc.overrule(f64::midpoint(cwnd, used), ssthresh.max(0.75 * cwnd));
        }
    }
}
