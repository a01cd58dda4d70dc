//! What a wire does to packets, as numbers: when it can send, how it loses packets, how it
//! delays them. Shared by the code that describes a path and the
//! code that carries packets over it.

use crate::units::{Bytes, Duration, Time};

/// What a delivery opportunity of a trace carries (Mahimahi's packet size).
pub const OPPORTUNITY: Bytes = Bytes::new(1504);

const NANOS_PER_MS: u64 = 1_000_000;

/// Opportunities of a trace at or before a time. A trace is a list of ascending
/// milliseconds, repeated from its end; the last is above zero.
pub fn opportunities(trace: &[u32], until: Time) -> u64 {
    let Some(&last) = trace.last() else { return 0 };
    let period = u64::from(last) * NANOS_PER_MS;
    let (rounds, rest) = (until.nanos() / period, until.nanos() % period);
    let within = trace.partition_point(|&ms| u64::from(ms) * NANOS_PER_MS <= rest);
    rounds * trace.len() as u64 + within as u64
}

/// Opportunities of a trace strictly before a time.
pub fn opportunities_before(trace: &[u32], time: Time) -> u64 {
    match time.nanos() {
        0 => 0,
        ns => opportunities(trace, Time::from_nanos(ns - 1)),
    }
}

/// The time of the opportunity with this number, counted from zero.
///
/// # Panics
/// If the trace is empty.
pub fn opportunity_at(trace: &[u32], number: u64) -> Time {
    let (last, length) = (trace[trace.len() - 1], trace.len() as u64);
    let ms = number / length * u64::from(last) + u64::from(trace[(number % length) as usize]);
    Time::from_nanos(ms * NANOS_PER_MS)
}

/// How a wire loses packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Each packet with this probability.
    Bernoulli(f64),
    /// In bursts: a chain of two states, with a step before every packet (Gilbert
    /// 1960, Elliott 1963). It starts in the good state.
    GilbertElliott {
        /// Probability of a step from good to bad.
        p: f64,
        /// Probability of a step from bad to good.
        r: f64,
        /// Probability of a loss in the good state (1 - k of the literature).
        loss_good: f64,
        /// Probability of a loss in the bad state (1 - h).
        loss_bad: f64,
    },
}

impl Loss {
    /// No packet is lost.
    pub const NONE: Self = Self::Bernoulli(0.0);

    /// The chain that loses everything in the bad state and nothing in the good
    /// one, so that this fraction of packets is lost in bursts of this mean length:
    /// `r = 1 / burst`, `p = r mean / (1 - mean)`.
    pub fn bursts(mean: f64, burst: f64) -> Self {
        let r = 1.0 / burst;
        Self::GilbertElliott { p: r * mean / (1.0 - mean), r, loss_good: 0.0, loss_bad: 1.0 }
    }

    /// The fraction of packets lost in the long run.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Bernoulli(loss) => loss,
            Self::GilbertElliott { p, r, loss_good, loss_bad } => {
                let bad = if p > 0.0 { p / (p + r) } else { 0.0 };
                bad * loss_bad + (1.0 - bad) * loss_good
            }
        }
    }
}

/// A random delay on top of the propagation delay, between zero and `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Uniform.
    Uniform {
        /// The largest delay.
        max: Duration,
    },
    /// Normal, redrawn until it is within the bounds.
    Normal {
        /// Mean before truncation.
        mean: Duration,
        /// Standard deviation before truncation; at most `max`.
        sd: Duration,
        /// The largest delay; at least the mean.
        max: Duration,
    },
    /// Exponential, truncated at `max`.
    Exponential {
        /// Mean before truncation.
        mean: Duration,
        /// The largest delay.
        max: Duration,
    },
}

impl Spread {
    /// The largest delay.
    pub fn most(self) -> Duration {
        match self {
            Self::Uniform { max } | Self::Normal { max, .. } | Self::Exponential { max, .. } => max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * NANOS_PER_MS)
    }

    #[test]
    fn a_trace_repeats_at_its_end() {
        // 2, 2, 5 | 7, 7, 10 | 12, ..
        let trace = [2, 2, 5];
        let times = [2, 2, 5, 7, 7, 10, 12, 12, 15];
        for (number, at) in times.into_iter().enumerate() {
            assert_eq!(opportunity_at(&trace, number as u64), ms(at));
        }
        assert_eq!(opportunities(&trace, ms(1)), 0);
        assert_eq!(opportunities(&trace, ms(2)), 2);
        assert_eq!(opportunities(&trace, ms(5)), 3);
        assert_eq!(opportunities(&trace, ms(6)), 3);
        // the two at 2 ms are not before 2 ms
        let before: [u64; 4] = [0, 2, 3, 5].map(|at| opportunities_before(&trace, ms(at)));
        assert_eq!(before, [0, 0, 2, 2]);
        assert_eq!(opportunities(&trace, ms(10)), 6);
        // at zero and at the end, one after the other
        assert_eq!(opportunities(&[0, 3], ms(3)), 3);
        assert_eq!(opportunity_at(&[0, 3], 2), ms(3));
    }

    #[test]
    fn bursts_have_their_closed_form() {
        // 2 % in bursts of 4: r = 0.25, p = 0.25 x 0.02 / 0.98 = 0.005102
        let loss = Loss::bursts(0.02, 4.0);
        let Loss::GilbertElliott { p, r, .. } = loss else { unreachable!("it has bursts") };
        assert!((p - 0.005_102_040_8).abs() < 1e-9 && r == 0.25, "{p} {r}");
        assert!((loss.mean() - 0.02).abs() < 1e-12);
        // in the bad state a third of the time: 1/3 x 0.5 + 2/3 x 0.1
        let loss = Loss::GilbertElliott { p: 0.1, r: 0.2, loss_good: 0.1, loss_bad: 0.5 };
        assert!((loss.mean() - 0.7 / 3.0).abs() < 1e-12);
    }
}
