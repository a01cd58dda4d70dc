//! How much the transfer takes from the other flows, calculated from response functions alone.
//!
//! With a share p of packets lost, every flow has the rate that its law's response function
//! gives (`tusker_measure::response`). As long as these rates together are below the rate of the
//! bottleneck, only random loss counts, and nobody takes anything from anybody. If they are above
//! it, the queue drops packets as well: p rises, for all flows alike, until the rates together are
//! that of the bottleneck. The others then get the rate that this p leaves them:
//!
//! ```text
//!   sum n_i W_i(p, R) / R = C,   R = round trip + QUEUED of the buffer,   p >= random loss
//! ```
//!
//! Real queues drop packets in bursts, and do not treat all flows alike; docs/plan.md shows how
//! far this calculation is from simulations.

use tusker_core::congestion::Kind;
use tusker_measure::response::response_in_linux;

/// The share of the buffer that is full in the mean if the link is.
const QUEUED: f64 = 0.6;

/// The least and the most loss that is looked at.
const LOSS: [f64; 2] = [1e-13, 0.5];

/// Steps of bisection.
const STEPS: usize = 60;

/// A path as far as it counts here.
pub(super) struct Shared {
    /// Segments per second.
    pub rate: f64,
    /// Seconds.
    pub rtt: f64,
    /// Share of packets lost at random.
    pub loss: f64,
    /// Seconds that a full buffer takes.
    pub buffer: f64,
}

/// So many flows of a law; each has at most this window, segments.
pub(super) type Group = (u32, Kind, f64);

/// How the bottleneck is shared.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Load {
    /// What all flows together have, as a share of the bottleneck's rate.
    all: f64,
    /// What the others have, segments per second.
    others: f64,
}

impl Shared {
    /// The share of their rate that the others lose to the transfer, and how full the
    /// bottleneck is with it. `None` if a law has no response function, or without others.
    pub fn harm(&self, ours: Group, others: &[Group]) -> Option<(f64, f64)> {
        let alone = self.load(None, others)?;
        let beside = self.load(Some(ours), others)?;
        (alone.others > 0.0).then(|| (1.0 - beside.others / alone.others, beside.all))
    }

    fn load(&self, ours: Option<Group>, others: &[Group]) -> Option<Load> {
        let rate = |groups: &[Group], p: f64, rtt: f64| -> Option<f64> {
            let each = groups.iter().map(|(count, kind, most)| {
                Some(f64::from(*count) * response_in_linux(*kind, p, rtt)?.min(*most) / rtt)
            });
            each.sum()
        };
        let ours: Vec<Group> = ours.into_iter().collect();
        let all = |p: f64, rtt: f64| Some(rate(&ours, p, rtt)? + rate(others, p, rtt)?);
        let least = self.loss.max(LOSS[0]);
        let empty = all(least, self.rtt)?;
        if empty <= self.rate {
            let others = rate(others, least, self.rtt)?;
            return Some(Load { all: empty / self.rate, others });
        }
        // the queue grows first, and then it drops packets
        let full = self.rtt + QUEUED * self.buffer;
        let more = |rtt: f64, p: f64| all(p, rtt).is_some_and(|sum| sum > self.rate);
        let (rtt, p) = if more(full, least) {
            let [low, high] = [least, LOSS[1]].map(libm::log);
            (full, libm::exp(between(low, high, |p| more(full, libm::exp(p)))))
        } else {
            (between(self.rtt, full, |rtt| more(rtt, least)), least)
        };
        Some(Load { all: 1.0, others: rate(others, p, rtt)? })
    }
}

/// Where something that is true from `low` on ends, up to `high`.
fn between(mut low: f64, mut high: f64, still: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..STEPS {
        let middle = (low + high) / 2.0;
        if still(middle) { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: f64 = f64::INFINITY;

    /// 1000 segments/s, 0.1 s, no buffer.
    fn path(loss: f64) -> Shared {
        Shared { rate: 1_000.0, rtt: 0.1, loss, buffer: 0.0 }
    }

    /// At p = 0.0015 Reno has W = sqrt(1.5/p) = 31.6 segments, 316 per second. Two have 63 % of
    /// the link, so that nothing is lost to anybody.
    #[test]
    fn where_all_rates_fit_nobody_loses_anything() {
        let (harm, all) = path(0.0015).harm((1, Kind::Reno, ANY), &[(1, Kind::Reno, ANY)]).unwrap();
        assert!(harm.abs() < 1e-12 && (all - 0.632).abs() < 0.001, "{harm} {all}");
    }

    /// Nine more want 3160 together of 1000 segments/s: each of the ten has a tenth, 100 of
    /// 316, so that the other one loses 68.4 %. Alone it is as above.
    #[test]
    fn where_they_do_not_all_have_the_same_loss() {
        let (harm, all) = path(0.0015).harm((9, Kind::Reno, ANY), &[(1, Kind::Reno, ANY)]).unwrap();
        assert!((harm - 0.684).abs() < 0.001 && all == 1.0, "{harm} {all}");
        // socket buffers of 2 segments: nine have 180 per second, and 316 fit beside
        let (harm, all) = path(0.0015).harm((9, Kind::Reno, 2.0), &[(1, Kind::Reno, ANY)]).unwrap();
        assert!(harm.abs() < 1e-12 && (all - 0.496).abs() < 0.001, "{harm} {all}");
    }

    /// Without random loss two flows of a law have half of what one has, whatever the buffer is.
    #[test]
    fn without_random_loss_equal_flows_share_equally() {
        for buffer in [0.0, 0.1] {
            let path = Shared { buffer, ..path(0.0) };
            let (harm, _) = path.harm((1, Kind::Reno, ANY), &[(1, Kind::Reno, ANY)]).unwrap();
            assert!((harm - 0.5).abs() < 1e-6, "{harm}");
        }
        assert_eq!(path(0.0).harm((1, Kind::Bbr1, ANY), &[(1, Kind::Reno, ANY)]), None);
        assert_eq!(path(0.0).harm((1, Kind::Reno, ANY), &[]), None);
    }

    /// A queue that is long enough slows all down before anything is dropped: at p = 0.0015
    /// four flows of 31.6 segments fill the link at a round trip of 0.126 s.
    #[test]
    fn a_queue_delays_before_it_drops() {
        let path = Shared { buffer: 1.0, ..path(0.0015) };
        let (harm, _) = path.harm((3, Kind::Reno, ANY), &[(1, Kind::Reno, ANY)]).unwrap();
        // 250 of 316
        assert!((harm - 0.2094).abs() < 0.001, "{harm}");
    }
}
