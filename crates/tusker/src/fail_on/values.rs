//! The values that a condition of `--fail-on` is judged by.

use tusker_record::stats::{Estimate, Over};
use tusker_record::store::sweep::SweepSummary;
use tusker_record::summary::Summary;
use tusker_record::summary::unit;

/// A measure of an experiment or of a point of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its name, as in the dataset of a sweep.
    pub name: String,
    /// Its mean.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval of the mean, if it is known.
    pub half: Option<f64>,
}

impl Value {
    /// The value of `other` beside this one, as people read both: with more digits if they
    /// would look the same.
    pub fn told(&self, other: &Self) -> (String, String) {
        let texts = (self.text(), other.text());
        if texts.0 != texts.1 || self.mean == other.mean {
            return texts;
        }
        let digits = |value: &Self| {
            let rounded: f64 = format!("{:.7e}", value.mean).parse().unwrap_or(value.mean);
            rounded.to_string()
        };
        (digits(self), digits(other))
    }

    /// The mean with its unit, and half the interval.
    pub fn text(&self) -> String {
        let (mean, ci95) = (self.mean, self.half);
        unit(&self.name).estimate(Some(Estimate { mean, ci95, n: 1, over: Over::Replicates }))
    }
}

/// The values of all measures of an experiment.
pub fn of_summary(summary: &Summary) -> Vec<Value> {
    let known = summary.measures().filter_map(|(address, found)| {
        let found = found?;
        Some(Value { name: address.to_string(), mean: found.mean, half: found.ci95 })
    });
    known.collect()
}

/// The values at each point of a sweep, with the name of the point.
pub fn of_points(summary: &SweepSummary) -> Vec<(String, Vec<Value>)> {
    let of = |point: &tusker_record::store::sweep::PointSummary| {
        let named = summary.axes.iter().zip(&point.values);
        let named: Vec<String> = named.map(|(axis, v)| format!("{}={v}", axis.name())).collect();
        let known = summary.measures.iter().zip(point.mean.iter().zip(&point.ci95));
        let values = known.filter_map(|(name, (mean, half))| {
            Some(Value { name: name.clone(), mean: (*mean)?, half: *half })
        });
        (named.join(" "), values.collect())
    };
    summary.points.iter().map(of).collect()
}
