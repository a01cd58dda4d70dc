//! The average queue of RED: an exponentially weighted moving average.
//!
//! ```text
//! link busy:  avg <- (1 - w_q) avg + w_q q                  q: packets that wait
//! link idle:  avg <- (1 - w_q)^(m+1) avg + w_q q            m = floor(C x idle time)
//! automatic:  w_q = 1 - exp(-1/C)                           C: mean packets per second
//! ```
//!
//! Floyd and Jacobson 1993, sections 4 and 11; the automatic weight is that of Floyd, Gummadi
//! and Shenker 2001, section 4. An idle link counts as if it had sent m mean packets from an
//! empty queue. ns-2 counts the arrival itself as one more step (m + 1), and so do we; the
//! paper's figure does not (test: `an_idle_link_counts_as_small_packets_sent`).

use crate::queue::Link;
use crate::units::Duration;

/// Below this average, in packets, an idle link sets it to zero.
const FORGOTTEN: f64 = 1e-300;

/// Computes the average queue of one link.
#[derive(Clone, Copy, Debug)]
pub(in crate::queue) struct Estimator {
    w_q: f64,
    /// ln(1 - w_q), so that the decay over an idle period takes one `exp`.
    ln_keep: f64,
    /// Bits per second.
    rate: f64,
    /// 8e9 x bytes: the nanoseconds that a mean packet takes, times `rate`.
    mean_packet: f64,
}

impl Estimator {
    /// With this weight, or the automatic one if `w_q` is zero.
    pub(super) fn new(w_q: f64, link: &Link) -> Self {
        let rate = link.rate.bits_per_sec() as f64;
        let bytes = link.mean_packet.get().max(1) as f64;
        // expm1 keeps all digits if w_q is a few millionths
        let w_q = if w_q == 0.0 { -libm::expm1(-8.0 * bytes / rate) } else { w_q };
        Self { w_q, ln_keep: libm::log1p(-w_q), rate, mean_packet: 8e9 * bytes }
    }

    /// The average after an arrival that finds the link busy.
    #[inline]
    pub(super) fn busy(&self, avg: f64, packets: u32) -> f64 {
        avg + self.w_q * (f64::from(packets) - avg)
    }

    /// The average after an arrival that finds the link idle for this long.
    pub(super) fn idle(&self, avg: f64, packets: u32, idle: Duration) -> f64 {
        let added = self.w_q * f64::from(packets);
        // on a link that is never loaded the average would shrink into subnormal
        // numbers, which are slow, and never reach zero
        if avg < FORGOTTEN {
            return added;
        }
        // multiply first: the product is exact, so ten packet times are ten packets
        let m = libm::floor(idle.nanos() as f64 * self.rate / self.mean_packet);
        avg * libm::exp((m + 1.0) * self.ln_keep) + added
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Rate};

    fn estimator(w_q: f64) -> Estimator {
        let rate = Rate::from_bits_per_sec(2_500_000_000);
        Estimator::new(w_q, &Link { rate, mean_packet: Bytes::new(1500) })
    }

    /// |got - want| within `rel` of `want`.
    fn close(got: f64, want: f64, rel: f64) {
        assert!((got - want).abs() <= rel * want.abs(), "got {got}, want {want}");
    }

    #[test]
    fn automatic_weight_is_that_of_the_link() {
        // C = 2.5e9 / 12,000 = 208,333.3 packets/s, x = 1/C = 4.8e-6;
        // 1 - exp(-x) = x - x^2/2 + ... = 4.8e-6 - 1.152e-11 = 4.79998848e-6
        close(estimator(0.0).w_q, 4.799_988_48e-6, 1e-9);
    }

    #[test]
    fn average_moves_by_its_weight() {
        // w_q = 1/4: 0 -> 0.25 x 8 = 2 -> 0.75 x 2 + 0.25 x 8 = 3.5 -> 0.75 x 3.5 = 2.625
        let e = estimator(0.25);
        assert_eq!(e.busy(0.0, 8), 2.0);
        assert_eq!(e.busy(2.0, 8), 3.5);
        assert_eq!(e.busy(3.5, 0), 2.625);
    }

    #[test]
    fn an_idle_link_counts_as_small_packets_sent() {
        let e = estimator(0.5);
        // a packet takes 4.8 us: an idle time just below it is m = 0, one step
        close(e.idle(64.0, 0, Duration::from_nanos(4_799)), 32.0, 1e-14);
        // m = 1: 0.5^2
        close(e.idle(64.0, 0, Duration::from_nanos(4_800)), 16.0, 1e-14);
        // m = 10: 0.5^11 = 1/2048; 64/2048 = 0.03125
        close(e.idle(64.0, 0, Duration::from_nanos(48_000)), 0.031_25, 1e-13);
    }

    #[test]
    fn one_second_idle_is_one_time_constant() {
        // the automatic weight keeps exp(-1/C) per packet: C packets keep exp(-1);
        // m + 1 = 208,334 against C = 208,333.3 is 3e-6 more
        close(
            estimator(0.0).idle(1000.0, 0, Duration::from_secs(1.0)),
            1000.0 * core::f64::consts::E.recip(),
            4e-6,
        );
    }

    #[test]
    fn an_unloaded_link_ends_at_zero() {
        // each keeps a quarter: 4^-1000 is far below the smallest number
        let e = estimator(0.5);
        let avg = (0..1000).fold(1.0, |avg, _| e.idle(avg, 0, Duration::from_nanos(4_800)));
        assert_eq!(avg, 0.0);
    }

    #[test]
    fn an_endless_idle_forgets_everything() {
        for w_q in [0.0, 0.002, 1.0] {
            assert_eq!(estimator(w_q).idle(1e4, 0, Duration::MAX), 0.0);
        }
    }
}
