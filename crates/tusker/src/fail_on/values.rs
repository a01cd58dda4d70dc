//! The values that a condition of `--fail-on` is judged by.

use tusker_record::stats::{Estimate, Over};
use tusker_record::store::sweep::{SweepSummary, unit};
use tusker_record::summary::{Harm, Summary};

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
    let mut values = Vec::new();
    let mut add = |of: Option<(&str, &str)>, (name, found): (&str, &Option<Estimate>)| {
        let name = of.map_or(name.to_owned(), |(kind, own)| format!("{kind}.{own}.{name}"));
        values.extend(found.map(|found| Value { name, mean: found.mean, half: found.ci95 }));
    };
    summary.total.iter().for_each(|measure| add(None, measure));
    for group in &summary.groups {
        let of = Some(("groups", group.name.as_str()));
        let harm = group.harm.iter().flat_map(Harm::iter);
        group.measured.iter().chain(harm).for_each(|measure| add(of, measure));
    }
    for transfers in &summary.transfers {
        let of = Some(("transfers", transfers.name.as_str()));
        transfers.measured.iter().for_each(|measure| add(of, measure));
    }
    for link in &summary.links {
        let of = Some(("links", link.name.as_str()));
        link.measured.iter().for_each(|measure| add(of, measure));
    }
    for source in &summary.background {
        let of = Some(("background", source.name.as_str()));
        source.measured.iter().for_each(|measure| add(of, measure));
    }
    values
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
