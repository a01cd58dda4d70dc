//! A paper's measures, taken from a summary.
//!
//! `of` is the address of a measure ([`MeasureRef`]): `NAME` of the whole experiment,
//! `groups.GROUP.NAME`, `transfers.GROUP.NAME`, `links.LINK.NAME` (of any link, bottleneck or
//! not) or `bottleneck.NAME` (of the first bottleneck), with the names used in `summary.json`. A
//! trailing `/ capacity` divides by the sum of the bottlenecks' rates. `scale` converts to the
//! paper's unit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_measure::stats::Estimate;
use tusker_measure::summary::{MeasureRef, Range, Summary, entry};

/// How a source of values is written.
pub const FORM: &str = "write NAME, groups.GROUP.NAME, transfers.GROUP.NAME, links.LINK.NAME or \
     bottleneck.NAME, as `tusker list measure` shows them, with / capacity at the end for a share";

/// A quantity measured in every row.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Its name, as claims use it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The column head: its name, if that is short enough.
    #[serde(default)]
    pub head: String,
    /// Where it is in `summary.json`.
    pub of: String,
    /// The factor applied to the summary's value.
    #[serde(default = "one", skip_serializing)]
    #[schemars(skip)]
    pub scale: f64,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// Decimals worth showing.
    #[serde(default)]
    pub decimals: usize,
    /// How far ours may be from the paper's; null if the measure is not judged.
    pub tolerance: Option<f64>,
    /// The tolerance in words.
    #[serde(default)]
    pub within: String,
    /// Where the paper's numbers are.
    #[serde(skip_serializing)]
    #[schemars(skip)]
    pub published: Option<Column>,
    /// Tables show it beside the judged measures.
    #[serde(default)]
    pub beside: bool,
    /// The least that it can be, in its unit.
    #[serde(default)]
    pub least: Option<f64>,
    /// The greatest that it can be, in its unit: 1 of an index.
    #[serde(default)]
    pub greatest: Option<f64>,
}

/// Columns of `published.csv`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Source<'a> {
    address: MeasureRef<'a>,
    per_capacity: bool,
}

impl Measure {
    /// Fills in its head, and the least and the greatest that it can be, where its nature says so:
    /// a share of a whole, an index and a utilisation end at one, and nothing here is below zero.
    pub(crate) fn complete(&mut self) {
        if self.head.is_empty() {
            self.head.clone_from(&self.name);
        }
        let share = self.source().is_ok_and(|source| {
            let quantity = entry(source.address.name).map(|entry| entry.quantity.range());
            source.per_capacity || matches!(quantity, Some(Range::Share | Range::Index))
        });
        (self.least, self.greatest) = (Some(0.0), share.then_some(self.scale));
    }

    /// Without what no file has.
    pub(crate) fn into_stored(self) -> Self {
        Self { scale: one(), published: None, ..self }
    }

    /// The ends of an interval around a mean, cut at the bounds of the measure; nothing
    /// if they need no cut.
    pub fn cut(&self, mean: f64, half: f64) -> Option<(f64, f64)> {
        let [low, high] = [mean - half, mean + half];
        let least = self.least.filter(|least| low < *least && *least <= mean);
        let greatest = self.greatest.filter(|greatest| high > *greatest && *greatest >= mean);
        let cut = least.is_some() || greatest.is_some();
        cut.then_some((least.unwrap_or(low), greatest.unwrap_or(high)))
    }

    pub(crate) fn source(&self) -> Result<Source<'_>, String> {
        Source::read(&self.of).ok_or_else(|| format!("a summary has no value `{}`", self.of))
    }

    /// Its value in a summary, in the paper's unit.
    pub fn value(&self, summary: &Summary) -> Option<Estimate> {
        let estimate = self.source().ok()?.find(summary)?;
        let scaled = |value: f64| value * self.scale;
        Some(Estimate { mean: scaled(estimate.mean), ci95: estimate.ci95.map(scaled), ..estimate })
    }
}

impl<'a> Source<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (address, per_capacity) = match text.split_once('/') {
            Some((address, per)) if per.trim() == "capacity" => (address, true),
            Some(_) => return None,
            None => (text, false),
        };
        Some(Self { address: MeasureRef::parse(address.trim())?, per_capacity })
    }

    fn find(&self, summary: &Summary) -> Option<Estimate> {
        let found = summary.find(self.address)?;
        let bottlenecks = summary.links.iter().filter(|link| link.bottleneck);
        let capacity: f64 = bottlenecks.map(|link| link.rate_bps).sum();
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
    use tusker_measure::summary::Owner;

    use super::*;

    #[test]
    fn sources_are_understood_or_refused() {
        let read = Source::read("groups.S1.throughput_bps / capacity").unwrap();
        assert_eq!(read.address.of, Owner::Group("S1"));
        assert_eq!((read.address.name, read.per_capacity), ("throughput_bps", true));
        let read = Source::read("links.R1->R2.goodput_utilisation").unwrap();
        assert_eq!(read.address.of, Owner::Link("R1->R2"));
        for wrong in ["total", "links.a", "total.a.b", "groups.a", "jain / 2", "queue.x"] {
            assert_eq!(Source::read(wrong), None, "{wrong}");
        }
    }
}
