//! CUBIC as implemented in Linux: in whole segments, on a clock of ticks.
//!
//! ```text
//!   every cnt segments acknowledged:  w + 1
//!   cnt = w/(W(t + delay_min) - w), asked once per tick (1/hz s)
//!       = 20 at most, as long as there was no loss since the start or a timeout
//!       = w/(W_est - w) at most (TCP-friendliness), 2 at least
//! ```
//!
//! Source: net/ipv4/tcp_cubic.c (as of Linux 6.10; for what differs we also read
//! tools/testing/selftests/bpf/progs/bpf_cubic.c), with the names used there; Ha, Rhee and Xu
//! 2008. It has its own slow start: `hystart_linux.rs`.

use super::hystart_linux::{HyStartLinux, HyStartLinuxParams};
use super::window::climb;
use super::{Ack, Law, Options, Window, cubic};
use crate::params::{Counts, Family, Linux, Look, Module, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "cubic-linux",
    title: "CUBIC as implemented in Linux",
    family: Family::Loss,
    source: "Linux, net/ipv4/tcp_cubic.c (6.10); Ha, Rhee, Xu: CUBIC, \
             ACM SIGOPS OSR 42(5), 2008",
    equations: "\
per loss:  W_max <- w; if that is below the previous W_max: W_max <- w (1024 + beta)/2048
           w <- w beta/1024
W(t) = W_max + bic_scale 10/1024 (t - K)^3/1024^3,  W(0) = w;  t and K: 1/1024 s
per tick:  cnt = w/(W(t + delay_min) - w), or 100 w if W(t + delay_min) <= w
           cnt <= 20 as long as W_max is 0 (no loss since the start or a timeout)
           W_est + 1 per w beta_scale/8 segments acknowledged;  cnt <= w/(W_est - w)
           beta_scale = 8 (1024 + beta)/3/(1024 - beta)
           cnt >= 2;  all divisions are integer divisions
w <- w + 1 for every cnt segments acknowledged, in whole segments
slow start (its own; slow_start has no effect): w + 1 per segment, until
  a train of ACKs at most 2 ms apart lasts longer than (delay_min + 1 ms)/2 (not halved if
  the flow paces), or the smallest RTT of a round (of over 8 samples) is above delay_min + d,
  d = delay_min/8 within 4 .. 16 ms;  both only from 16 segments on.  Then ssthresh = w",
    differs: "\
The cube root is exact; the kernel's is off by 0.2 % on average. Script: \
cubic_linux.
Idle time is excluded from t as far as ACKs show it: from the departure of the \
last segment acknowledged before the pause to that of the first segment \
acknowledged after it (of the second, if ACKs are delayed). Script: \
cubic_linux_idle.
A HyStart round begins with its first ACK, as in Linux since 6.10; before that it \
began with the second. Script: cubic_linux_hystart.
The default of hz is that of Debian's kernels; Ubuntu has used 1000 since 24.10. \
HyStart adds to delay_min the time that four times 64 kB take at the pacing rate, 1 \
ms at most. Segments count as 1,448 bytes for this; below 2 Gbit/s it is 1 ms for \
any segment size.
A loss reduces the amount in flight if that is less than cwnd, as RFC 5681 says; Linux \
reduces cwnd. Script: reno.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: false,
    linux: Linux {
        module: Some(Module::of("cubic", Counts::Segments)),
        today: "This is what Linux runs today, by default and as `cubic`.",
        ..Linux::NONE
    },
    // it has the RFC's C of 0.4 and its beta of 0.7
    losses: cubic::SHEET.losses,
    look: Look { hue: 2, dash: 3 },
    states: &[],
    params: CubicLinuxParams::LIST,
};

params! { pub(super) struct CubicLinuxParams {
    /// 1024ths of the window that remain after a loss
    beta: u32 = 717.0 "1/1024" in 103.0..=1_000.0,
    /// how fast the window moves away from and towards W_max: C = 10 bic_scale/1024
    bic_scale: u32 = 41.0 "1/1024" in 1.0..=10_000.0,
    /// lower W_max further if the loss comes below the last W_max
    fast_convergence: bool = true,
    /// grow like Reno where Reno grows faster
    tcp_friendliness: bool = true,
    /// ticks of the kernel's clock per second (CONFIG_HZ)
    hz: u32 = 250.0 "1/s" in 100.0..=1_000.0,
    hystart: HyStartLinuxParams,
} }

/// Without a W_max: "increase cwnd 5% per RTT".
const UNKNOWN: f64 = 20.0;

/// "cwnd grows at 1.5x per RTT" at most.
const LEAST: f64 = 2.0;

/// Linux's CUBIC with its HyStart.
#[derive(Clone, Debug)]
pub struct CubicLinux {
    params: CubicLinuxParams,
    hystart: HyStartLinux,
    /// Slow start ends with this ACK.
    leave: bool,
    /// Segments acknowledged since the window last grew by one.
    cwnd_cnt: f64,
    ca: Bictcp,
    /// Set while nothing is in flight: when the last segment left.
    idle_since: Option<Time>,
}

/// State that a timeout clears.
#[derive(Clone, Debug, Default)]
struct Bictcp {
    cnt: f64,
    last_max_cwnd: f64,
    last_cwnd: f64,
    last_time: u64,
    origin_point: f64,
    k: f64,
    /// In microseconds; 0 if unknown.
    delay_min: u64,
    epoch_start: Option<u64>,
    ack_cnt: f64,
    tcp_cwnd: f64,
}

impl CubicLinux {
    pub(super) fn new(params: CubicLinuxParams, options: &Options) -> Self {
        Self {
            params,
            hystart: HyStartLinux::new(params.hystart, options.pacing.is_some()),
            leave: false,
            cwnd_cnt: 0.0,
            ca: Bictcp::default(),
            idle_since: None,
        }
    }

    fn ticks(&self, time: Time) -> u64 {
        let ticks = u128::from(time.nanos()) * u128::from(self.params.hz) / 1_000_000_000;
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }

    /// `cubictcp_cwnd_event`: the curve stops while nothing is sent.
    fn leave_idle_out(&mut self, ack: &Ack) {
        if let (Some(since), Some(epoch)) = (self.idle_since.take(), self.ca.epoch_start) {
            let pause = self.ticks(ack.departed).saturating_sub(self.ticks(since));
            self.ca.epoch_start = Some((epoch + pause).min(self.ticks(ack.now)));
        }
        if ack.in_flight == 0 {
            self.idle_since = Some(ack.departed);
        }
    }

    /// `bictcp_update`: how many acknowledged segments let the window grow by one.
    fn update(&mut self, cwnd: f64, acked: f64, now: u64) {
        self.ca.ack_cnt += acked;
        let passed = now.saturating_sub(self.ca.last_time);
        if self.ca.last_cwnd == cwnd && passed <= u64::from(self.params.hz / 32) {
            return;
        }
        // "The CUBIC function can update ca->cnt at most once per jiffy."
        if self.ca.epoch_start.is_none() || passed > 0 {
            (self.ca.last_cwnd, self.ca.last_time) = (cwnd, now);
            let epoch = match self.ca.epoch_start {
                Some(epoch) => epoch,
                None => self.begin_epoch(cwnd, acked, now),
            };
            self.ca.cnt = self.cubic(cwnd, now.saturating_sub(epoch));
        }
        if self.params.tcp_friendliness {
            self.befriend(cwnd);
        }
        self.ca.cnt = self.ca.cnt.max(LEAST);
    }

    fn begin_epoch(&mut self, cwnd: f64, acked: f64, now: u64) -> u64 {
        self.ca.ack_cnt = acked;
        self.ca.tcp_cwnd = cwnd;
        if self.ca.last_max_cwnd <= cwnd {
            self.ca.k = 0.0;
            self.ca.origin_point = cwnd;
        } else {
            // cube_factor, in 1/1024 s
            let factor = libm::floor(1_099_511_627_776.0 / f64::from(self.params.bic_scale * 10));
            self.ca.k = libm::floor(libm::cbrt(factor * (self.ca.last_max_cwnd - cwnd)));
            self.ca.origin_point = self.ca.last_max_cwnd;
        }
        *self.ca.epoch_start.insert(now)
    }

    fn cubic(&self, cwnd: f64, ticks: u64) -> f64 {
        let hz = u64::from(self.params.hz);
        // usecs_to_jiffies rounds up
        let ticks = ticks + self.ca.delay_min.saturating_mul(hz).div_ceil(1_000_000);
        let t = libm::floor(ticks as f64 * 1_024.0 / f64::from(self.params.hz));
        let offs = t - self.ca.k;
        let scale = f64::from(self.params.bic_scale * 10) / 1_099_511_627_776.0;
        let delta = libm::floor(scale * libm::fabs(offs * offs * offs));
        let target = self.ca.origin_point + if offs < 0.0 { -delta } else { delta };
        let cnt = if target > cwnd { libm::floor(cwnd / (target - cwnd)) } else { 100.0 * cwnd };
        if self.ca.last_max_cwnd == 0.0 { cnt.min(UNKNOWN) } else { cnt }
    }

    /// "TCP Friendly": `tcp_cwnd` is what Reno with this beta would have.
    fn befriend(&mut self, cwnd: f64) {
        let beta_scale = 8 * (1_024 + self.params.beta) / 3 / (1_024 - self.params.beta);
        let delta = libm::floor(cwnd * f64::from(beta_scale) / 8.0).max(1.0);
        if self.ca.ack_cnt > delta {
            let more = libm::ceil(self.ca.ack_cnt / delta) - 1.0;
            self.ca.ack_cnt -= more * delta;
            self.ca.tcp_cwnd += more;
        }
        if self.ca.tcp_cwnd > cwnd {
            self.ca.cnt = self.ca.cnt.min(libm::floor(cwnd / (self.ca.tcp_cwnd - cwnd)));
        }
    }

    /// `tcp_cong_avoid_ai`.
    fn add(&mut self, w: &mut Window, acked: f64) {
        if self.cwnd_cnt >= self.ca.cnt {
            self.cwnd_cnt = 0.0;
            w.cwnd += 1.0;
        }
        self.cwnd_cnt += acked;
        let more = libm::floor(self.cwnd_cnt / self.ca.cnt);
        self.cwnd_cnt -= more * self.ca.cnt;
        w.cwnd += more;
    }
}

impl Law for CubicLinux {
    const OWN_SLOW_START: bool = true;

    /// `cubictcp_acked`.
    fn observe(&mut self, w: &Window, ack: &Ack) {
        self.leave_idle_out(ack);
        let Some(rtt) = ack.rtt else { return };
        // "Discard delay samples right after fast recovery"
        let now = self.ticks(ack.now);
        if self.ca.epoch_start.is_some_and(|epoch| now < epoch + u64::from(self.params.hz)) {
            return;
        }
        let delay = (rtt.latest.nanos() / 1_000).max(1);
        if self.ca.delay_min == 0 || delay < self.ca.delay_min {
            self.ca.delay_min = delay;
        }
        self.leave = w.cwnd < w.ssthresh && self.hystart.update(w, ack, delay, self.ca.delay_min);
    }

    /// `hystart_update` sets ssthresh itself.
    fn leaves_slow_start(&mut self) -> bool {
        core::mem::take(&mut self.leave)
    }

    /// `cubictcp_cong_avoid`.
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let acked = if w.cwnd < w.ssthresh { climb(w, ack.credit, 1.0) } else { ack.credit };
        if acked > 0.0 {
            self.update(libm::floor(w.cwnd), acked, self.ticks(ack.now));
            self.add(w, acked);
        }
    }

    /// `cubictcp_recalc_ssthresh`.
    fn shrink(&mut self, w: f64) -> f64 {
        let (w, beta) = (libm::floor(w), f64::from(self.params.beta));
        self.ca.epoch_start = None;
        let falling = w < self.ca.last_max_cwnd && self.params.fast_convergence;
        self.ca.last_max_cwnd =
            if falling { libm::floor(w * (1_024.0 + beta) / 2_048.0) } else { w };
        libm::floor(w * beta / 1_024.0)
    }

    /// `tcp_init_cwnd_reduction` restarts the count.
    fn shrunk(&mut self, _: Time) {
        (self.leave, self.cwnd_cnt) = (false, 0.0);
    }

    /// `bictcp_reset`.
    fn reset(&mut self, now: Time) {
        (self.ca, self.leave) = (Bictcp::default(), false);
        // what tcp_enter_loss sets to 0
        self.cwnd_cnt = 0.0;
        self.hystart.reset(now);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("w_max", self.ca.last_max_cwnd);
        see("k", self.ca.k / 1_024.0);
        see("w_est", self.ca.tcp_cwnd);
        see("cnt", self.ca.cnt);
        see("delay_min_ms", self.ca.delay_min as f64 / 1e3);
    }
}
