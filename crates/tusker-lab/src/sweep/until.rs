//! How many replicates a point needs.

use tusker_measure::stats::{half_width, mean};

/// Replicates are added if an interval is wider than wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Until {
    /// The target for half the 95 % interval, as a share of the mean.
    pub share: f64,
    /// The measure that it applies to.
    pub measure: String,
    /// The most replicates of a point.
    pub most: u32,
}

/// Fewer are not enough to estimate a spread.
const LEAST: u32 = 3;

impl Until {
    /// How many replicates a point needs, given these values of its first ones; returns
    /// their number if that is enough. It depends only on these values.
    ///
    /// The width shrinks with the square root of their number, so with n values of
    /// half-width h about n (h / wanted)^2 are needed; the number at most doubles in one
    /// step.
    pub fn next(&self, values: &[Option<f64>]) -> u32 {
        let n = values.len() as u32;
        let known: Vec<f64> = values.iter().copied().flatten().collect();
        if n < LEAST {
            return LEAST.min(self.most).max(n);
        }
        if n >= self.most || self.narrow(&known) {
            return n;
        }
        let Some(half) = half_width(&known) else { return n };
        let wanted = self.share * mean(&known).abs();
        let needed = f64::from(n) * (half / wanted).powi(2);
        let needed = if needed.is_finite() { needed.ceil() } else { f64::from(2 * n) };
        (needed as u32).clamp(n + 1, 2 * n).min(self.most)
    }

    /// Whether the interval of these values is narrow enough. With no value or only one
    /// there is no interval to wait for.
    pub fn narrow(&self, values: &[f64]) -> bool {
        half_width(values).is_none_or(|half| half <= self.share * mean(values).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 99, 100, 101: s = 1, t(0.975, 2) = 4.303, half = 4.303 / sqrt 3 = 2.484,
    /// which is 2.484 % of the mean.
    #[test]
    fn replicates_follow_from_the_interval() {
        let until = |share, most| Until { share, measure: String::new(), most };
        let values: Vec<Option<f64>> = [99.0, 100.0, 101.0].map(Some).into();
        assert_eq!(until(0.025, 100).next(&values), 3);
        // 3 (2.484 / 2)^2 = 4.63
        assert_eq!(until(0.02, 100).next(&values), 5);
        // 3 (2.484)^2 = 18.5: twice as many first
        assert_eq!(until(0.01, 100).next(&values), 6);
        assert_eq!(until(0.01, 4).next(&values), 4);
        assert_eq!(until(0.01, 3).next(&values), 3);
        assert_eq!(until(0.01, 100).next(&values[..1]), 3);
        // more runs do not help a measure without values
        assert_eq!(until(0.01, 100).next(&[None, None, None]), 3);
        assert_eq!(until(0.01, 100).next(&[Some(0.0); 3]), 3);
    }
}
