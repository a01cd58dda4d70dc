//! Means and confidence intervals.
//!
//! With n independent values of mean m and sample standard deviation s (n - 1
//! in the denominator), the 95 % confidence interval of the mean is
//!
//! ```text
//! m +- t(0.975, n - 1) s / sqrt(n)
//! ```
//!
//! where t is the quantile of Student's distribution. The values are replicates:
//! runs that differ only in their seed. With a single run they are the means of the
//! equal batches into which its measuring window is cut (the method of batch means:
//! Law, Simulation Modeling and Analysis, chapter 9). Batches follow each other, so
//! a slow oscillation makes them dependent and the interval too narrow; replicates
//! do not have this problem, which is why an estimate says what it was made from.

use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Mean of the values.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean, by Student's
    /// t; null if it is unknown.
    pub ci95: Option<f64>,
    /// Number of values behind the mean and the interval.
    pub n: u32,
    /// What the values are.
    pub over: Over,
}

/// The values behind an [`Estimate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// Runs with different seeds.
    Replicates,
    /// Equal stretches of the measuring window of one run.
    Batches,
}

/// One replicate's value of a measure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The value; `None` if this replicate has none.
    pub value: Option<f64>,
    /// The same measure over each batch of the measuring window, if known. Their
    /// mean is the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<f64>,
}

impl Sample {
    /// A value measured once over the whole window. A zero gets a positive sign (an
    /// empty sum is -0).
    pub fn once(value: Option<f64>) -> Self {
        Self { value: value.filter(|v| v.is_finite()).map(|v| v + 0.0), batches: Vec::new() }
    }

    /// A value with its batches.
    pub fn batched(value: Option<f64>, batches: Vec<f64>) -> Self {
        Self { batches, ..Self::once(value) }
    }
}

impl From<f64> for Sample {
    fn from(value: f64) -> Self {
        Self::once(Some(value))
    }
}

impl Estimate {
    /// The estimate from these replicates; `None` if none has a value.
    pub fn of<'a>(replicates: impl IntoIterator<Item = &'a Sample>) -> Option<Self> {
        let with_value: Vec<&Sample> =
            replicates.into_iter().filter(|sample| sample.value.is_some()).collect();
        let values: Vec<f64> = with_value.iter().filter_map(|sample| sample.value).collect();
        match with_value.as_slice() {
            [] => None,
            [only] if only.batches.len() > 1 => Some(Self {
                // batches may leave out the odd nanosecond of the window
                mean: values[0],
                ci95: half_width(&only.batches),
                n: only.batches.len() as u32,
                over: Over::Batches,
            }),
            _ => Some(Self {
                mean: mean(&values),
                ci95: half_width(&values),
                n: values.len() as u32,
                over: Over::Replicates,
            }),
        }
    }
}

/// The middle one, or the mean of the two in the middle; `None` for no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    Some(mean(sorted.get(n.checked_sub(1)? / 2..=n / 2)?))
}

/// Half the width of the 95 % confidence interval of the mean of `values`;
/// `None` for fewer than two.
pub fn half_width(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let m = mean(values);
    let variance = values.iter().map(|v| (v - m) * (v - m)).sum::<f64>() / (n - 1.0);
    Some(t975(values.len() - 1) * (variance / n).sqrt())
}

/// t(0.975, df). Cached, because it is slow to compute and sweeps need it once per measure.
fn t975(df: usize) -> f64 {
    static FOUND: [OnceLock<f64>; 128] = [const { OnceLock::new() }; 128];
    let find = || student_t(0.975, df as f64);
    FOUND.get(df).map_or_else(find, |found| *found.get_or_init(find))
}

/// Arithmetic mean; NaN for no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The smallest of `sorted` values with at least the share `q` of them at or
/// below it; `None` if there are none.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let rank = (q * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank.min(sorted.len()).checked_sub(1)?).copied()
}

/// The quantile `p` of Student's distribution with `df` degrees of freedom.
fn student_t(p: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).expect("at least one degree of freedom").inverse_cdf(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
        assert_eq!(median(&[90.0, 1.0]), Some(45.5));
        assert_eq!(median(&[90.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[90.0, 1.0, 5.0, 7.0]), Some(6.0));
    }

    #[test]
    fn quantiles_of_students_distribution_are_the_table() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2
        for (df, t) in [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (19, 2.093), (100, 1.984)]
        {
            let ours = student_t(0.975, f64::from(df));
            assert!((ours - t).abs() < 5.1e-4, "t(0.975, {df}) = {ours}, table {t}");
        }
    }

    #[test]
    fn interval_of_a_worked_example() {
        // 2 4 4 4 5 5 7 9: mean 5, squared deviations sum to 32, so s^2 = 32/7;
        // t(0.975, 7) = 2.365 (NIST); 2.365 sqrt(32/7/8) = 1.7877
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), 5.0);
        let half = half_width(&values).unwrap();
        assert!((half - 1.7877).abs() < 5e-4, "{half}");
    }

    #[test]
    fn one_value_has_no_interval() {
        let estimate = Estimate::of(&[Sample::from(3.0)]).unwrap();
        assert_eq!(estimate, Estimate { mean: 3.0, ci95: None, n: 1, over: Over::Replicates });
        assert_eq!(Estimate::of(&[Sample::once(None)]), None);
    }

    #[test]
    fn one_run_speaks_through_its_batches_and_several_do_not() {
        // 1 and 3: s = sqrt 2, 12.706 sqrt(2 / 2) = 12.706
        let run = Sample::batched(Some(2.0), vec![1.0, 3.0]);
        let alone = Estimate::of([&run]).unwrap();
        assert_eq!((alone.mean, alone.n, alone.over), (2.0, 2, Over::Batches));
        assert!((alone.ci95.unwrap() - 12.706).abs() < 1e-3);

        let other = Sample::batched(Some(4.0), vec![4.0, 4.0]);
        let both = Estimate::of([&run, &other]).unwrap();
        assert_eq!((both.mean, both.n, both.over), (3.0, 2, Over::Replicates));
        assert!((both.ci95.unwrap() - 12.706).abs() < 1e-3);
    }

    #[test]
    fn a_zero_has_no_sign() {
        let nothing: [f64; 0] = [];
        let sum = Sample::from(nothing.iter().sum::<f64>());
        assert_eq!(sum.value.map(f64::to_bits), Some(0.0_f64.to_bits()));
    }

    #[test]
    fn replicates_without_a_value_are_left_out() {
        let all = [Sample::from(1.0), Sample::once(None), Sample::once(Some(f64::NAN))];
        assert_eq!(Estimate::of(&all).unwrap().n, 1);
    }

    #[test]
    fn quantile_is_the_inverse_of_the_empirical_distribution() {
        let values = [15.0, 20.0, 35.0, 40.0, 50.0];
        // nearest rank: ceil(0.30 x 5) = 2, ceil(0.40 x 5) = 2, ceil(0.5 x 5) = 3
        assert_eq!(quantile(&values, 0.30), Some(20.0));
        assert_eq!(quantile(&values, 0.40), Some(20.0));
        assert_eq!(quantile(&values, 0.50), Some(35.0));
        assert_eq!(quantile(&values, 1.0), Some(50.0));
        assert_eq!(quantile(&values, 0.0), Some(15.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
