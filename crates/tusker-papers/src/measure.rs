//! A paper's measures, taken from a summary.
//!
//! `of` gives the source: `total.NAME`, `group.GROUP.NAME`, `transfers.GROUP.NAME`,
//! `bottleneck.NAME` (of the first bottleneck) or `link.LINK.NAME` (of any link, bottleneck
//! or not), with the names used in `summary.json`. A trailing `/ capacity` divides by the
//! sum of the bottlenecks' rates. `scale` converts to the paper's unit.

use serde::{Deserialize, Serialize};
use tusker_record::stats::Estimate;
use tusker_record::summary::Summary;

/// How a source of values is written.
pub const FORM: &str = "write total.NAME, group.GROUP.NAME, transfers.GROUP.NAME, bottleneck.NAME \
     or link.LINK.NAME, with / capacity at the end for a share";

/// A quantity measured in every row.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Its name, as claims use it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The column head, if its name is too long for one.
    #[serde(default)]
    pub head: String,
    /// Where to find it in a summary.
    pub of: String,
    /// The factor applied to the summary's value.
    #[serde(default = "one")]
    pub scale: f64,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// Decimals shown.
    #[serde(default)]
    pub decimals: usize,
    /// How far ours may be from the paper's; if absent, the measure is not judged.
    pub tolerance: Option<f64>,
    /// The tolerance in words.
    #[serde(default)]
    pub within: String,
    /// Where the paper's numbers are.
    pub published: Option<Column>,
}

/// Columns of `published.csv`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Of the value.
    pub column: String,
    /// Of half its 95 % confidence interval.
    pub ci95: Option<String>,
    /// The factor to the measure's unit.
    #[serde(default = "one")]
    pub ci95_scale: f64,
}

fn one() -> f64 {
    1.0
}

/// The parsed source of a measure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    place: Place,
    name: String,
    per_capacity: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Place {
    Total,
    Group(String),
    Transfers(String),
    Bottleneck,
    Link(String),
}

impl Measure {
    /// The least and the greatest that it can be, where its nature says so: a share of a
    /// whole, an index and a utilisation end at one, and nothing here is below zero.
    pub fn bounds(&self) -> (Option<f64>, Option<f64>) {
        const SHARES: [&str; 6] =
            ["utilisation", "jain", "loss_rate", "idle", "synchronisation", "reno_mode"];
        let share = self.source().is_ok_and(|source| {
            source.per_capacity || SHARES.iter().any(|share| source.name.contains(share))
        });
        (Some(0.0), share.then_some(self.scale))
    }

    pub(crate) fn source(&self) -> Result<Source, String> {
        Source::read(&self.of).ok_or_else(|| format!("a summary has no value `{}`", self.of))
    }

    /// Its value in a summary, in the paper's unit.
    pub fn value(&self, summary: &Summary) -> Option<Estimate> {
        let estimate = self.source().ok()?.find(summary)?;
        let scaled = |value: f64| value * self.scale;
        Some(Estimate { mean: scaled(estimate.mean), ci95: estimate.ci95.map(scaled), ..estimate })
    }
}

impl Source {
    fn read(text: &str) -> Option<Self> {
        let (path, per_capacity) = match text.split_once('/') {
            Some((path, per)) if per.trim() == "capacity" => (path.trim(), true),
            Some(_) => return None,
            None => (text.trim(), false),
        };
        let parts: Vec<&str> = path.split('.').collect();
        let (place, name) = match parts.as_slice() {
            ["total", name] => (Place::Total, name),
            ["group", group, name] => (Place::Group((*group).to_owned()), name),
            ["transfers", group, name] => (Place::Transfers((*group).to_owned()), name),
            ["bottleneck", name] => (Place::Bottleneck, name),
            ["link", link, name] => (Place::Link((*link).to_owned()), name),
            _ => return None,
        };
        Some(Self { place, name: (*name).to_owned(), per_capacity })
    }

    fn find(&self, summary: &Summary) -> Option<Estimate> {
        let named = |(name, value): (&str, &Option<Estimate>)| {
            if name == self.name { *value } else { None }
        };
        let bottlenecks = || summary.links.iter().filter(|link| link.bottleneck);
        let found = match &self.place {
            Place::Total => summary.total.iter().find_map(named),
            Place::Group(group) => {
                let group = summary.groups.iter().find(|g| g.name == *group)?;
                group.measured.iter().find_map(named)
            }
            Place::Transfers(group) => {
                let transfers = summary.transfers.iter().find(|t| t.name == *group)?;
                transfers.measured.iter().find_map(named)
            }
            Place::Bottleneck => bottlenecks().next()?.measured.iter().find_map(named),
            Place::Link(link) => {
                let link = summary.links.iter().find(|l| l.name == *link)?;
                link.measured.iter().find_map(named)
            }
        }?;
        let capacity: f64 = bottlenecks().map(|link| link.rate_bps).sum();
        let divisor = if self.per_capacity { capacity } else { 1.0 };
        Some(Estimate {
            mean: found.mean / divisor,
            ci95: found.ci95.map(|ci| ci / divisor),
            ..found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_understood_or_refused() {
        let read = Source::read("group.S1.throughput_bps / capacity").unwrap();
        assert_eq!(read.place, Place::Group("S1".to_owned()));
        assert_eq!((read.name.as_str(), read.per_capacity), ("throughput_bps", true));
        let read = Source::read("link.R1->R2.goodput_utilisation").unwrap();
        assert_eq!(read.place, Place::Link("R1->R2".to_owned()));
        for wrong in ["total", "link.a", "total.a.b", "group.a", "total.jain / 2", "queue.x"] {
            assert_eq!(Source::read(wrong), None, "{wrong}");
        }
    }
}
