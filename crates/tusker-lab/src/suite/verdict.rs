//! Which of two values is better, by the rule on 95 % intervals of [`tusker_measure::condition`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_measure::condition::{self, Decision, Relation, Value};
use tusker_measure::stats::Estimate;
use tusker_measure::summary::{Quantity, entry};

use super::Same;
use tusker_measure::harm;

/// Which values of a measure are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Larger ones.
    More,
    /// Smaller ones.
    Less,
    /// Those nearer to zero.
    Zero,
}

impl Better {
    /// A number that is larger for better values.
    pub fn rank(self, mean: f64) -> f64 {
        match self {
            Self::More => mean,
            Self::Less => -mean,
            Self::Zero => -mean.abs(),
        }
    }
}

/// How a value compares with another one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The difference is certain, and may be larger than what is the same.
    Better,
    /// The difference is certain, and not larger than that.
    SlightlyBetter,
    /// The difference, at any value of its interval, is not larger than what is the same.
    Same,
    /// As `SlightlyBetter`.
    SlightlyWorse,
    /// As `Better`.
    Worse,
    /// The difference is not certain, and may be larger than what is the same.
    Undecided,
    /// A mean has no interval.
    NoInterval,
    /// There is no mean.
    NoValue,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::SlightlyBetter => "slightly better",
            Self::Same => "same",
            Self::SlightlyWorse => "slightly worse",
            Self::Worse => "worse",
            Self::Undecided => "undecided",
            Self::NoInterval => "no interval",
            Self::NoValue => "no value",
        }
    }

    /// Of two means with 95 % intervals.
    pub fn of(
        measure: &str,
        better: Better,
        same: Same,
        a: Option<Estimate>,
        b: Option<Estimate>,
    ) -> Self {
        let Some((a, b)) = a.zip(b) else { return Self::NoValue };
        if a.mean == b.mean {
            return Self::Same;
        }
        let (mine, its) = (better.rank(a.mean), better.rank(b.mean));
        let pick = |if_better, if_worse| if mine > its { if_better } else { if_worse };
        if is_share_of_runs(measure) {
            let ([low, high], [least, most]) = (wilson(a), wilson(b));
            return match low <= most && least <= high {
                true => Self::Undecided,
                false => pick(Self::Better, Self::Worse),
            };
        }
        let Decision { sure, differences, .. } = decide(Relation::Greater, better, a, b);
        let Some((sure, half)) = sure.zip(differences[0].ci95) else { return Self::NoInterval };
        let apart = differences[0].value.abs();
        let most = match is_index(measure) {
            true => same.absolute,
            false => same.share * a.mean.abs().max(b.mean.abs()),
        };
        match (apart + half <= most, sure) {
            (true, false) => Self::Same,
            (true, true) if apart <= same.slight * most => Self::Same,
            (true, true) => pick(Self::SlightlyBetter, Self::SlightlyWorse),
            (false, true) => pick(Self::Better, Self::Worse),
            (false, false) => Self::Undecided,
        }
    }
}

/// Whether the first value is certainly worse than the second.
pub fn is_worse(measure: &str, better: Better, now: Estimate, before: Estimate) -> bool {
    if is_share_of_runs(measure) {
        return now.mean < wilson(before)[0];
    }
    decide(Relation::Less, better, now, before).surely() == condition::Verdict::Holds
}

/// Which of two values is better, by the rule on intervals.
fn decide(relation: Relation, better: Better, a: Estimate, b: Estimate) -> Decision {
    let value = |own: Estimate| Value { value: better.rank(own.mean), ci95: own.ci95 };
    relation.decide(value(a), value(b))
}

/// How a law does by a criterion with several comparisons.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Overall {
    /// Worse by some measure and better by none.
    Worse,
    /// Better by some measures, worse by others.
    Mixed,
    /// As `Worse`, slightly.
    SlightlyWorse,
    /// As `Mixed`, slightly.
    SlightlyMixed,
    /// Neither better nor worse, but undecided by some measure.
    Undecided,
    /// The same by all measures.
    Same,
    /// As `Better`, slightly.
    SlightlyBetter,
    /// Better by some measure and worse by none.
    Better,
    /// There is no value.
    NoValue,
}

impl Overall {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Mixed => "mixed",
            Self::SlightlyWorse => "slightly worse",
            Self::SlightlyMixed => "slightly mixed",
            Self::Undecided => "undecided",
            Self::Same => "same",
            Self::SlightlyBetter => "slightly better",
            Self::Better => "better",
            Self::NoValue => "no value",
        }
    }

    /// Of the verdicts of a criterion.
    pub fn of(all: &[Verdict]) -> Self {
        let has = |one| all.contains(&one);
        match (has(Verdict::Better), has(Verdict::Worse)) {
            (true, true) => return Self::Mixed,
            (true, false) => return Self::Better,
            (false, true) => return Self::Worse,
            (false, false) => {}
        }
        if all.iter().all(|own| *own == Verdict::NoValue) {
            return Self::NoValue;
        }
        if has(Verdict::Undecided) || has(Verdict::NoInterval) {
            return Self::Undecided;
        }
        match (has(Verdict::SlightlyBetter), has(Verdict::SlightlyWorse)) {
            (true, true) => Self::SlightlyMixed,
            (true, false) => Self::SlightlyBetter,
            (false, true) => Self::SlightlyWorse,
            (false, false) => Self::Same,
        }
    }
}

/// Measures that say in how many runs something was so.
pub(super) fn is_share_of_runs(measure: &str) -> bool {
    entry(measure).is_some_and(|own| own.quantity == Quantity::Runs)
}

/// Measures from 0 to 1, of which a difference counts as it is.
fn is_index(measure: &str) -> bool {
    entry(measure).is_some_and(|own| matches!(own.quantity, Quantity::Harm | Quantity::Index))
}

/// Wilson's 95 % interval of a share of runs (Wilson 1927).
fn wilson(share: Estimate) -> [f64; 2] {
    const Z: f64 = 1.96;
    let n = f64::from(share.n);
    let spread = Z * Z / n;
    let half = Z * (share.mean * (1.0 - share.mean) / n + spread / (4.0 * n)).sqrt();
    let middle = share.mean + spread / 2.0;
    [middle - half, middle + half].map(|end| end / (1.0 + spread))
}

/// What a harm is a loss of.
pub(super) fn harm_of(measure: &str) -> Option<(harm::Better, &'static str)> {
    match measure {
        "harm_goodput" => Some((harm::Better::More, "goodput_bps")),
        "harm_rtt" => Some((harm::Better::Less, "rtt_mean_s")),
        "harm_loss" => Some((harm::Better::Less, "loss_rate")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use tusker_measure::stats::Over;

    use super::*;

    const SAME: Same = Same { share: 0.1, absolute: 0.05, slight: 0.1 };

    fn estimate(mean: f64, ci95: Option<f64>, n: u32) -> Option<Estimate> {
        Some(Estimate { mean, ci95, n, over: Over::Replicates })
    }

    /// Half-widths of 0.1 make one of 0.141 of the difference of 1.0 and 1.3, those of 0.25 one
    /// of 0.354. 10.0 ± 0.3 and 10.3 ± 0.3 differ by 0.3 ± 0.424, at most 0.724, which is less
    /// than 10 % of 10.3; harms of 0.51 ± 0.009 and 0.49 ± 0.009 by 0.02 ± 0.0127, at most 0.05.
    #[test]
    fn intervals_decide() {
        let judge = |measure: &str, better, (a, half_a), (b, half_b)| {
            Verdict::of(measure, better, SAME, estimate(a, half_a, 8), estimate(b, half_b, 8))
        };
        let both = |a, b, half| ((a, Some(half)), (b, Some(half)));
        let of = |measure: &str, better, (a, b)| judge(measure, better, a, b);
        use Better::{Less, More, Zero};
        assert_eq!(of("rtt_mean_s", Less, both(1.0, 1.3, 0.1)), Verdict::Better);
        assert_eq!(of("jain", More, both(1.0, 1.3, 0.1)), Verdict::Worse);
        assert_eq!(of("loss_rate", Less, both(1.0, 1.3, 0.25)), Verdict::Undecided);
        assert_eq!(of("timeouts", Less, ((3.0, None), (4.0, None))), Verdict::NoInterval);
        assert_eq!(of("goodput_bps", More, both(10.0, 10.3, 0.3)), Verdict::Same);
        assert_eq!(of("mark_rate", Less, both(0.0, 0.0, 0.0)), Verdict::Same);
        // 0.1 is nearer to 0 than -0.7
        assert_eq!(of("rtt_exponent", Zero, both(0.1, -0.7, 0.05)), Verdict::Better);
        assert_eq!(of("harm_goodput", Less, both(0.7, 0.4, 0.1)), Verdict::Worse);
        assert_eq!(of("harm_rtt", Less, both(0.51, 0.49, 0.009)), Verdict::SlightlyWorse);
        // a tenth of 10 % of the mean is no difference, however certain
        assert_eq!(of("goodput_bps", More, both(10.0, 10.05, 0.001)), Verdict::Same);
        assert_eq!(Verdict::of("jain", More, SAME, None, estimate(1.0, None, 8)), Verdict::NoValue);
    }

    /// Wilson's intervals (z = 1.96): 8 of 8 runs are from 0.676 to 1, 3 of 8 from 0.137 to
    /// 0.694, which overlap; 1 of 8 is from 0.022 to 0.471, which is apart.
    #[test]
    fn shares_of_runs_have_intervals_of_their_own() {
        let of = |share| {
            let other = estimate(share, None, 8);
            Verdict::of("converged", Better::More, SAME, estimate(1.0, None, 8), other)
        };
        assert_eq!(of(0.375), Verdict::Undecided);
        assert_eq!(of(0.125), Verdict::Better);
        let [low, high] = wilson(estimate(0.125, None, 8).unwrap());
        assert!((low - 0.022).abs() < 1e-3 && (high - 0.471).abs() < 1e-3, "{low} {high}");
    }

    #[test]
    fn a_criterion_follows_from_its_measures() {
        use Verdict::{Better, NoValue, Same, SlightlyWorse, Undecided, Worse};
        assert_eq!(Overall::of(&[Better, Same]), Overall::Better);
        assert_eq!(Overall::of(&[Better, Worse, Undecided]), Overall::Mixed);
        assert_eq!(Overall::of(&[Worse, SlightlyWorse]), Overall::Worse);
        assert_eq!(Overall::of(&[SlightlyWorse, Undecided]), Overall::Undecided);
        assert_eq!(Overall::of(&[SlightlyWorse, Same]), Overall::SlightlyWorse);
        assert_eq!(Overall::of(&[NoValue, NoValue]), Overall::NoValue);
        assert_eq!(Overall::of(&[NoValue, Same]), Overall::Same);
    }
}
