//! The results of a sweep, one row per point: the content of `sweep.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::super::Error;
use super::super::folder::{self, Change, Kind};
use super::{BASE, POINTS, Run, Setting, setting};
use tusker_measure::csv::{quoted, written};
use tusker_measure::doubts::{self, Doubt, Expected};
use tusker_measure::stats::{Estimate, Over, half_width, mean};
use tusker_measure::summary::{Entry, Link, Quantity, Total, Transfers, entry};

/// The content of `sweep.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepSummary {
    /// Version of this format.
    pub format: u32,
    /// Name of the sweep.
    pub name: String,
    /// The command line.
    pub command: Vec<String>,
    /// Command lines of earlier sweeps in the same folder of which there are points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Vec<String>>,
    /// What is set at all points, as `--set` takes it; none if the sweep is older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<Vec<String>>,
    /// What is varied.
    pub axes: Vec<AxisSummary>,
    /// The measures, each with its unit as suffix, as in `summary.json`.
    pub measures: Vec<String>,
    /// Pairs of measures that are drawn against each other; see [`super::pairs()`].
    #[serde(default)]
    pub pairs: Vec<[String; 2]>,
    /// The congestion control of each group of flows that has the same one at all points.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub laws: BTreeMap<String, String>,
    /// What the points have in common, and how far they differ.
    #[serde(default, deserialize_with = "setting::read", skip_serializing_if = "Option::is_none")]
    pub setting: Option<Setting>,
    /// There is one flow at every point: tables and figures then widen the interval of the
    /// utilisation, if need be, to what a sawtooth in the measuring window changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lone: bool,
    /// The points, in their order.
    pub points: Vec<PointSummary>,
}

/// What is varied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AxisSummary {
    /// What `--set` takes, or `cc`.
    pub key: String,
    /// The option that gave it, such as `buffer`, if it was not given by its key: its name in
    /// tables and figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// Its unit, if its values are numbers of one unit: `bps`, `s`, `bytes`, `pkt`,
    /// `bdp`, or nothing.
    pub unit: String,
    /// Whether its values are numbers.
    pub numeric: bool,
}

impl AxisSummary {
    /// The name of its column in tables with a row per run or per point.
    pub fn column(&self) -> String {
        column(self.name(), &self.unit)
    }

    /// What tables and figures call it.
    pub fn name(&self) -> &str {
        self.option.as_ref().unwrap_or(&self.key)
    }
}

/// The column of an axis. Those called `seed` and `replicates` are what was run.
pub(super) fn column(key: &str, unit: &str) -> String {
    match (key, unit) {
        ("seed" | "replicates", _) => format!("scenario.{key}"),
        (_, "") => key.to_owned(),
        _ => format!("{key}_{unit}"),
    }
}

/// A point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointSummary {
    /// The values of the axes, as written.
    pub values: Vec<String>,
    /// What they set, as `--set` takes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The same as numbers in their unit; null if not a number.
    pub numbers: Vec<Option<f64>>,
    /// Number of stored replicates.
    pub replicates: u32,
    /// Mean of each measure, median of `convergence_s`; null if there is none.
    pub mean: Vec<Option<f64>>,
    /// Half the width of the 95 % confidence interval of the mean, over replicates
    /// by Student's t; null for fewer than two.
    pub ci95: Vec<Option<f64>>,
    /// Older sweeps have it; nothing reads it.
    #[serde(default, skip_serializing)]
    pub spread: IgnoredAny,
    /// Why the means may not say what they seem to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
}

/// A doubt about some points of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct PointsDoubt {
    /// What is doubtful.
    pub kind: doubts::Kind,
    /// The points, by their numbers from 0.
    pub points: Vec<usize>,
    /// How many points there are.
    pub all: usize,
    /// The congestion controls of the groups that it concerns, and where.
    pub laws: BTreeMap<String, BTreeSet<usize>>,
    /// What is said of the first.
    pub about: String,
    /// A run of this many seconds should be long enough at all of them.
    pub duration_s: Option<f64>,
    /// The longest estimate of the time from one loss to the next, if it is so long somewhere that
    /// no duration is advised.
    pub cycle_s: Option<f64>,
}

impl PointsDoubt {
    /// `at 9 of 32 points (ghstcp at 8, hstcp at 1)`.
    pub fn places(&self) -> String {
        let laws = self.laws.iter().map(|(law, at)| format!("{law} at {}", at.len()));
        let laws = laws.collect::<Vec<_>>().join(", ");
        let laws = if laws.is_empty() { laws } else { format!(" ({laws})") };
        let s = if self.all == 1 { "" } else { "s" };
        format!("at {} of {} point{s}{laws}", self.points.len(), self.all)
    }

    /// In a sentence.
    pub fn text(&self) -> String {
        let places = self.places();
        match self.kind {
            doubts::Kind::FewEpisodes => format!(
                "{places}: fewer than {} congestion episodes per flow in the measuring window, \
                 which is too few for a long-term mean",
                doubts::FEW
            ),
            _ => format!("{places}: {}", self.about),
        }
    }
}

/// A relative difference that is rounding's, not the network's.
const DIGITS: f64 = 1e-12;

/// The value to twelve digits.
fn digits(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

impl PointSummary {
    /// From the runs of a point, of which this was expected.
    pub fn of(
        values: Vec<String>,
        numbers: Vec<Option<f64>>,
        measures: &[String],
        runs: &[Run],
        expected: Option<&Expected>,
    ) -> Self {
        // nearly always all rows have the same measures
        let same = runs.iter().all(|run| run.row.names[..] == *measures);
        let one = |(at, name): (usize, &String)| {
            let value = |run: &Run| match same {
                true => Some(run.row.values[at]).filter(|value| !value.is_nan()),
                false => run.row.value(name),
            };
            let values: Vec<f64> = runs.iter().filter_map(value).collect();
            let own = match entry(name) {
                Some(entry) => entry.over(&values),
                None => (!values.is_empty()).then(|| (mean(&values), half_width(&values))),
            };
            own.map_or((None, None), |(mean, ci95)| (Some(mean), ci95))
        };
        let (mean, ci95): (Vec<_>, Vec<_>) = measures.iter().enumerate().map(one).unzip();
        let doubts =
            expected.map_or(Vec::new(), |expected| expected.at_point(runs.len(), measures, &mean));
        let replicates = runs.len() as u32;
        let spread = IgnoredAny;
        Self { values, set: Vec::new(), numbers, replicates, mean, ci95, spread, doubts }
    }
}

/// The measure whose intervals are widened.
const UTILISATION: &str = "utilisation";

impl SweepSummary {
    /// Which point it is: `cc=reno dumbbell.queue=1bdp`.
    pub fn place(&self, point: &PointSummary) -> String {
        let keys = self.axes.iter().map(|axis| axis.key.as_str());
        let at = keys.zip(&point.values).map(|(key, value)| format!("{key}={value}"));
        at.collect::<Vec<_>>().join(" ")
    }

    /// Keeps the commands of what the folder had before, if some of its points are among these.
    pub fn after(&mut self, before: Self) {
        let goodput = |of: &Self, point: &PointSummary| of.estimate(point, "goodput_bps").0;
        let own = self.points.iter().map(|point| (point.values.as_slice(), goodput(self, point)));
        let own: BTreeMap<&[String], Option<f64>> = own.collect();
        let kept = |point: &PointSummary| {
            own.get(point.values.as_slice()) == Some(&goodput(&before, point))
        };
        if !before.points.iter().any(kept) {
            return;
        }
        self.earlier = before.earlier;
        self.earlier.push(before.command);
        self.earlier.retain(|command| *command != self.command);
    }

    /// The measures that every sweep shows ([`Entry::sweep_rank`]), of links and transfers those of
    /// the first one: as far as they have a value at some point, and fairness only if some flow
    /// gets less than another.
    pub fn first(&self) -> Vec<&str> {
        let all =
            [("", Total::ENTRIES), ("links.", Link::ENTRIES), ("transfers.", Transfers::ENTRIES)];
        let found = |of: &str, entry: &Entry| {
            let fits = |name: &&String| match name.rsplit_once('.') {
                None => of.is_empty() && **name == entry.name,
                Some((owner, own)) => !of.is_empty() && owner.starts_with(of) && own == entry.name,
            };
            let name = self.measures.iter().find(fits)?.as_str();
            let mut means = self.points.iter().filter_map(|point| self.estimate(point, name).0);
            let is_index = entry.quantity == Quantity::Index;
            let says = if is_index { means.any(|mean| mean < 1.0) } else { means.next().is_some() };
            says.then_some(name)
        };
        let all =
            all.into_iter().flat_map(|(of, entries)| entries.iter().map(move |own| (of, own)));
        let shown = all.filter(|(_, own)| own.sweep_rank.is_some());
        shown.filter_map(|(of, own)| found(of, own)).collect()
    }

    /// The doubts about its points, by kind.
    pub fn doubts(&self) -> Vec<PointsDoubt> {
        let mut all: BTreeMap<doubts::Kind, PointsDoubt> = BTreeMap::new();
        for (nth, point) in self.points.iter().enumerate() {
            for doubt in &point.doubts {
                let told = all.entry(doubt.kind).or_insert_with(|| PointsDoubt {
                    kind: doubt.kind,
                    points: Vec::new(),
                    all: self.points.len(),
                    laws: BTreeMap::new(),
                    about: doubt.about.clone(),
                    duration_s: None,
                    cycle_s: None,
                });
                if told.points.last() != Some(&nth) {
                    told.points.push(nth);
                }
                if let Some(cc) = &doubt.cc {
                    told.laws.entry(cc.clone()).or_default().insert(nth);
                }
                let most = |a: Option<f64>, b| a.into_iter().chain(b).max_by(f64::total_cmp);
                told.duration_s = most(told.duration_s, doubt.duration_s);
                told.cycle_s = most(told.cycle_s, doubt.cycle_s);
            }
        }
        all.values_mut().filter(|told| told.cycle_s.is_some()).for_each(|t| t.duration_s = None);
        all.into_values().collect()
    }

    /// Version of the format.
    pub const FORMAT: u32 = 1;

    /// Mean and interval of a measure at a point.
    pub fn estimate(&self, point: &PointSummary, measure: &str) -> (Option<f64>, Option<f64>) {
        let at = self.measures.iter().position(|own| own == measure);
        at.map_or((None, None), |at| (point.mean[at], point.ci95[at]))
    }

    /// By how much the utilisation of a point changes with one sawtooth more or less in the
    /// window, as a share: with n of them, each has an n-th of what is not used. `None` without a
    /// congestion episode.
    pub fn sawtooth(&self, point: &PointSummary) -> Option<f64> {
        let used = self.estimate(point, UTILISATION).0?;
        let episodes = self.estimate(point, "episodes").0?;
        (episodes >= 1.0).then(|| (1.0 - used).max(0.0) / episodes)
    }

    /// Whether tables and figures show a wider interval at some point than replicates give.
    pub fn is_widened(&self) -> bool {
        let wider = |point: &PointSummary| {
            let half = self.estimate(point, UTILISATION).1;
            self.sawtooth(point).zip(half).is_some_and(|(tooth, half)| tooth > half)
        };
        self.lone && self.points.iter().any(wider)
    }

    /// The same as [`estimate`](Self::estimate), as tables and figures show it: the interval of
    /// a lone flow's utilisation is at least what one sawtooth changes. `None` without a mean.
    pub fn with_interval(&self, point: &PointSummary, measure: &str) -> Option<Estimate> {
        let (mean, mut ci95) = self.estimate(point, measure);
        if self.lone && measure == UTILISATION {
            let tooth = self.sawtooth(point).unwrap_or(0.0);
            ci95 = ci95.map(|half| half.max(tooth));
        }
        Some(Estimate { mean: mean?, ci95, n: point.replicates, over: Over::Replicates })
    }

    /// As the text of `sweep.json`.
    ///
    /// # Panics
    /// Never: it is plain data.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a sweep is plain data");
        text.push('\n');
        text
    }

    /// One row per point: its values, then mean and interval of each measure, or of `only`
    /// these, to twelve digits.
    pub fn to_csv(&self, only: &[String]) -> String {
        let shown: Vec<usize> = match only {
            [] => (0..self.measures.len()).collect(),
            _ => only
                .iter()
                .filter_map(|name| self.measures.iter().position(|own| own == name))
                .collect(),
        };
        let mut text = "point".to_owned();
        for axis in &self.axes {
            let _ = write!(text, ",{}", quoted(&axis.column()));
        }
        text += ",replicates,doubts";
        for name in shown.iter().map(|&at| &self.measures[at]) {
            let interval = format!("{name}_ci95");
            let _ = write!(text, ",{},{}", quoted(name), quoted(&interval));
        }
        text.push('\n');
        let number = |value: Option<f64>| value.map_or(String::new(), written);
        for (nth, point) in self.points.iter().enumerate() {
            let _ = write!(text, "{}", nth + 1);
            for ((axis, value), numeric) in self.axes.iter().zip(&point.values).zip(&point.numbers)
            {
                let cell = if axis.numeric { number(*numeric) } else { quoted(value) };
                let _ = write!(text, ",{cell}");
            }
            let _ = write!(text, ",{},{}", point.replicates, doubts::names(&point.doubts));
            for &at in &shown {
                let (mean, ci95) = (point.mean[at], point.ci95[at]);
                // what rounding leaves of equal values is no width
                let least = mean.unwrap_or(0.0).abs() * DIGITS;
                let ci95 = ci95.map(|half| if half < least { 0.0 } else { digits(half) });
                let _ = write!(text, ",{},{}", number(mean.map(digits)), number(ci95));
            }
            text.push('\n');
        }
        text
    }

    /// Puts it into a folder, and the scenario as it was given, so that the folder alone says
    /// what was run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&self, change: &mut Change, scenario: &str) -> Result<(), Error> {
        let text = serde_json::to_string(self).expect("a sweep is plain data") + "\n";
        change.put(POINTS, text.as_bytes())?;
        change.put(BASE, scenario.as_bytes())
    }

    /// Reads that of a folder.
    ///
    /// # Errors
    /// If there is none, it has changed since it was stored, or has another version.
    pub fn read(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(POINTS);
        let text = folder::read(dir, Kind::Sweep, POINTS)?;
        let text = text.ok_or_else(|| Error::NoResults(dir.to_owned()))?;
        let read: Result<Self, _> = serde_json::from_slice(&text);
        let cause = match read {
            Ok(summary) if summary.format == Self::FORMAT && summary.is_whole() => {
                return Ok(summary);
            }
            Ok(_) => "it is not a sweep of this version".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Error::OtherFormat { path, cause })
    }

    fn is_whole(&self) -> bool {
        let (axes, measures) = (self.axes.len(), self.measures.len());
        self.points.iter().all(|point| {
            [point.values.len(), point.numbers.len()] == [axes; 2]
                && [point.mean.len(), point.ci95.len()] == [measures; 2]
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Fingerprint, Row};
    use super::*;
    use crate::Build;

    /// Of four runs three converged, after 2, 3 and 40 s: the mean would be 15 s.
    #[test]
    fn convergence_is_the_median_of_the_runs_that_converged() {
        let names = ["converged", "convergence_s", "jain"].map(str::to_owned);
        let build =
            Build { version: String::new(), hash: String::new(), plane: Default::default() };
        let own: Arc<[String]> = names.to_vec().into();
        let run = |values: [f64; 3]| {
            let row = Arc::new(Row { names: own.clone(), values: values.to_vec() });
            let key = Fingerprint::of("", &build).run(1);
            Run { point: 0, replicate: 1, seed: 1, key, row }
        };
        let runs = [[1.0, 40.0, 0.9], [0.0, f64::NAN, 0.5], [1.0, 2.0, 0.9], [1.0, 3.0, 0.9]];
        let point = PointSummary::of(Vec::new(), Vec::new(), &names, &runs.map(run), None);
        assert_eq!(point.mean[..2], [Some(0.75), Some(3.0)]);
        assert_eq!(point.ci95[..2], [None, None]);
        // of what every run has, mean and interval: s = sqrt(0.12 / 3) = 0.2, t = 3.182
        assert!((point.mean[2].unwrap() - 0.8).abs() < 1e-12);
        assert!((point.ci95[2].unwrap() - 3.182 * 0.2 / 2.0).abs() < 1e-3);
    }
}
