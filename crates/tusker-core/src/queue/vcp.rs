//! VCP's router: two bits that report how loaded it is.
//!
//! ```text
//!   rho     0 ............ 0.8 ......... 1 .........
//!   code        1 low          2 high      3 overload
//!   senders     multiply       add         cut
//! ```

use super::level::Level;
use super::{Aqm, Backlog, Header, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "vcp",
    title: "VCP router",
    family: Family::Routers,
    source: "Xia, Subramanian, Stoica and Kalyanaraman: One More Bit Is Enough, SIGCOMM 2005, \
             section 3.2",
    equations: "\
per interval t_rho, with lambda the bytes that arrived and q the standing queue in B:
  rho = (lambda + kappa_q q) / (gamma C t_rho)
  code: 1 (low) for rho < 0.8, 2 (high) for rho < 1, else 3 (overload)
a packet keeps the highest code of its routers",
    differs: "\
The paper filters samples of the queue, one per t_q, but does not specify the \
filter. Here q moves a quarter of the way towards the mean of an interval's \
samples, as in the authors' code for ns-2 (the_standing_queue_follows_slowly).
The load code is written when a packet arrives; in the authors' implementation it is \
written when the packet leaves.
Packets without the two bits of the load code count as arrivals.",
    needs: &[Need::Headers],
    params: VcpParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct VcpParams {
    /// interval over which the load is measured; longer than most round trips
    t_rho: f64 = 0.2 "s" in 0.001..=10.0,
    /// time between two samples of the queue
    t_q: f64 = 0.01 "s" in 0.001..=10.0,
    /// fraction of the standing queue that counts as load
    kappa_q: f64 = 0.5 in 0.0..=1.0,
    /// target utilisation of the link
    gamma: f64 = 0.98 in 0.01..=1.0,
} }

/// Weight of an interval's mean queue.
const WEIGHT: f64 = 0.25;

/// From this value on the load is high.
const HIGH: f64 = 0.8;

/// VCP's router; see `tusker explain vcp`.
#[derive(Clone, Debug)]
pub struct Vcp {
    t_rho: Duration,
    t_q: Duration,
    kappa_q: f64,
    /// Bytes that may arrive in an interval.
    target: f64,
    level: Level,
    /// Bytes that arrived in this interval; the samples of its queue.
    lambda: f64,
    sum: f64,
    samples: u32,
    /// The standing queue in bytes.
    queue: f64,
    rho: f64,
    load: u8,
    next: Time,
    next_sample: Time,
}

impl SetUp for Vcp {
    type Params = VcpParams;

    fn new(params: VcpParams, link: &Link) -> Self {
        let level = Level::new(link);
        let (t_rho, t_q) = (params.t_rho, params.t_q);
        let (interval, sample) = (Duration::from_secs(t_rho), Duration::from_secs(t_q));
        Self {
            t_rho: interval,
            t_q: sample,
            kappa_q: params.kappa_q,
            target: params.gamma * level.capacity * t_rho,
            level,
            lambda: 0.0,
            sum: 0.0,
            samples: 0,
            queue: 0.0,
            rho: 0.0,
            load: 1,
            next: Time::ZERO + interval,
            next_sample: Time::ZERO + sample,
        }
    }

    fn check(params: &VcpParams) -> Result<(), &'static str> {
        if params.t_q > params.t_rho {
            return Err(
                "t_q must not be longer than t_rho: an interval needs at least one sample of the queue",
            );
        }
        Ok(())
    }
}

impl Vcp {
    fn sample(&mut self, now: Time) {
        self.sum += self.level.at(now);
        self.samples += 1;
        self.next_sample += self.t_q;
    }

    fn measure(&mut self) {
        let mean = self.sum / f64::from(self.samples.max(1));
        self.queue += WEIGHT * (mean - self.queue);
        self.rho = (self.lambda + self.kappa_q * self.queue) / self.target;
        self.load = match self.rho {
            rho if rho < HIGH => 1,
            rho if rho < 1.0 => 2,
            _ => 3,
        };
        (self.lambda, self.sum, self.samples) = (0.0, 0.0, 0);
        self.next += self.t_rho;
    }
}

impl Aqm for Vcp {
    #[inline]
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, _: &mut Rng) -> Verdict {
        self.level.arrival(p, q, now);
        self.lambda += p.size.get() as f64;
        Verdict::Pass
    }

    fn on_overflow(&mut self) {
        self.level.overflow();
    }

    fn poll_at(&self) -> Time {
        self.next.min(self.next_sample)
    }

    fn on_poll(&mut self, now: Time, _: &Backlog) {
        if self.next_sample <= now {
            self.sample(now);
        }
        if self.next <= now {
            self.measure();
        }
    }

    fn write(&mut self, header: &mut Header, _: &Meta) {
        if let Header::Vcp { load } = header {
            *load = self.load.max(*load);
        }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("rho", self.rho);
        see("load", f64::from(self.load));
        see("queue", self.queue);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Rate};

    /// 80 Mbit/s, 10,000,000 B/s: 2,000,000 B in 0.2 s, of which 1,960,000 may be
    /// used.
    fn vcp() -> Vcp {
        let rate = Rate::from_bits_per_sec(80_000_000);
        Vcp::new(VcpParams::default(), &Link { rate, mean_packet: Bytes::new(1000) })
    }

    fn arrive(policy: &mut Vcp, ms: u64, bytes: u64, waiting: u64) {
        let p = Meta { size: Bytes::new(bytes), ecn_capable: false, dscp: 0 };
        let q = Backlog { packets: 1, bytes: Bytes::new(waiting), idle_since: None };
        let now = Time::from_nanos(ms * 1_000_000);
        policy.on_arrival(&p, &q, now, &mut Rng::named(1, "test"));
    }

    fn pass(policy: &mut Vcp, ms: u64) {
        while policy.poll_at() <= Time::from_nanos(ms * 1_000_000) {
            policy.on_poll(policy.poll_at(), &Backlog::EMPTY);
        }
    }

    fn code(policy: &mut Vcp, before: u8) -> u8 {
        let mut header = Header::Vcp { load: before };
        policy.write(&mut header, &Meta { size: Bytes::new(1000), ecn_capable: false, dscp: 0 });
        let Header::Vcp { load } = header else { unreachable!("it was VCP's") };
        load
    }

    #[test]
    fn the_load_is_classified() {
        // before the first interval is over there is no sign of load
        let mut policy = vcp();
        assert_eq!(code(&mut policy, 0), 1);
        // 0.8 of 1,960,000 B is 1,568,000 B; one packet each, early in the interval,
        // so that the queue is empty whenever it is sampled
        for (bytes, expected) in
            [(1_567_999, 1), (1_568_000, 2), (1_959_999, 2), (1_960_000, 3), (0, 1)]
        {
            let mut policy = vcp();
            policy.lambda = f64::from(bytes);
            pass(&mut policy, 200);
            assert_eq!(code(&mut policy, 0), expected, "{bytes} B");
        }
    }

    #[test]
    fn the_most_loaded_router_wins() {
        let mut policy = vcp();
        policy.lambda = 1_800_000.0;
        pass(&mut policy, 200);
        assert_eq!([0, 1, 2, 3].map(|before| code(&mut policy, before)), [2, 2, 2, 3]);
    }

    #[test]
    fn the_standing_queue_follows_slowly() {
        // 100,000 B wait behind each packet just before a sample: 20 samples of
        // 100,000 - 10 (1 us at 10 B/us); q = a quarter of that in the first interval
        let mut policy = vcp();
        for i in 1..=20 {
            let now = Time::from_nanos(i * 10_000_000 - 1_000);
            let p = Meta { size: Bytes::new(1000), ecn_capable: false, dscp: 0 };
            let q = Backlog { packets: 99, bytes: Bytes::new(99_000), idle_since: None };
            policy.on_arrival(&p, &q, now, &mut Rng::named(1, "test"));
            pass(&mut policy, 10 * i);
        }
        assert!((policy.queue - 99_990.0 / 4.0).abs() < 1e-6, "{}", policy.queue);
        // rho = (20,000 + 0.5 * 24,997.5) / 1,960,000
        assert!((policy.rho - 32_498.75 / 1_960_000.0).abs() < 1e-12, "{}", policy.rho);
        // an empty interval reduces it by a quarter again
        pass(&mut policy, 400);
        assert!((policy.queue - 99_990.0 * 3.0 / 16.0).abs() < 1e-6, "{}", policy.queue);
    }

    #[test]
    fn the_queue_drains_between_arrivals() {
        let mut policy = vcp();
        // 50,000 B wait behind a packet at 5 ms: they have left 5 ms later
        arrive(&mut policy, 5, 1000, 49_000);
        pass(&mut policy, 10);
        assert_eq!(policy.sum, 0.0);
        arrive(&mut policy, 18, 1000, 49_000);
        pass(&mut policy, 20);
        assert_eq!(policy.sum, 30_000.0);
        // a packet that found no room does not wait
        arrive(&mut policy, 30, 1000, 49_000);
        policy.on_overflow();
        pass(&mut policy, 30);
        assert_eq!(policy.sum, 79_000.0);
    }
}
