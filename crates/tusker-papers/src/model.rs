//! The contents of a paper's files, as types.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
pub use tusker_lab::suite::claims::CaseId;

use crate::measure::Measure;

/// `suite.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Short name, for folders and the command line.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Who wrote it.
    pub authors: String,
    /// Which part of it is here.
    pub covers: String,
    /// How its rows are named, where the names do not say it.
    pub row_names: Option<String>,
    /// Columns of `published.csv` that identify a row, if there is such a file.
    pub published: Option<PublishedColumns>,
    /// Changes for a quick look.
    #[serde(default)]
    pub quick: Vec<String>,
    /// Which recorded results are older than the program: a law in these rows was changed,
    /// and they were not run again.
    pub stale: Option<String>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// Measures that tables show beside the judged ones, such as the throughput of each
    /// group; a table that names its measures shows only these.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Titles of its tables and the measures that they show, where these are not all judged
    /// measures.
    #[serde(default)]
    pub tables: Vec<TableInfo>,
    /// How the values of two groups follow from a total and an index.
    pub two_groups: Option<TwoGroups>,
    /// Figures.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// Changes for rows that are traced.
    #[serde(default)]
    pub trace: Trace,
    /// How its rows are run on real sockets.
    #[serde(default)]
    pub testbed: OnTestbed,
}

/// How rows are run on real sockets, in real time.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnTestbed {
    /// The tables that are run if no rows are named; all if empty.
    #[serde(default)]
    pub tables: Vec<String>,
    /// Changes for a quick look; the simulator's if empty.
    #[serde(default)]
    pub quick: Vec<String>,
}

/// A table of rows: one of the paper's, or those behind a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableInfo {
    /// The name that cases use.
    pub id: String,
    /// Its heading: `Figure 9: goodput of two flows`.
    pub title: String,
    /// The measures that it shows.
    pub show: Vec<String>,
}

/// Columns that identify a row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedColumns {
    /// Of the case.
    pub case: String,
    /// Of the variant.
    pub variant: String,
}

/// Changes for figures that show something over time.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Changes to the scenario.
    pub set: Vec<String>,
}

/// A figure: rows over time, a measure against the variants, bars, or functions.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its number.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// Rows that are traced: `8@50`.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Measures that show what can be seen in it.
    #[serde(default)]
    pub show: Vec<String>,
    /// The panels that rows over time have: `queue`; all if empty.
    #[serde(default)]
    pub panels: Vec<String>,
    /// A measure against the variants.
    pub sweep: Option<Sweep>,
    /// Measures of cases as bars.
    pub bars: Option<BarChart>,
    /// Functions, by name: see [`crate::curves`].
    pub curves: Option<String>,
    /// What the paper's text reads from it.
    #[serde(default)]
    pub points: Vec<Point>,
}

impl Figure {
    /// Every row in it.
    pub fn row_ids(&self) -> Vec<String> {
        let of_sweep = self.sweep.iter().flat_map(|sweep| {
            let cases = sweep.cases.iter();
            cases.flat_map(|CaseId(case)| sweep.at.iter().map(move |at| format!("{case}@{at}")))
        });
        let of_bars = self.bars.iter().flat_map(|bars| {
            let at = |bar: &Bar| {
                bars.cases
                    .iter()
                    .map(|CaseId(case)| format!("{case}@{}", bar.at))
                    .collect::<Vec<_>>()
            };
            bars.panels.iter().flat_map(|panel| &panel.bars).flat_map(at).collect::<BTreeSet<_>>()
        });
        self.rows.iter().cloned().chain(of_sweep).chain(of_bars).collect()
    }

    /// Whether it has this panel of a row over time: `queue` stands for those of all links.
    pub fn has_panel(&self, name: &str) -> bool {
        let named = |own: &String| {
            name.strip_prefix(own.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        self.panels.is_empty() || self.panels.iter().any(named)
    }

    /// Its rows are those of the tables, and nothing is drawn over time.
    pub fn is_of_tables(&self) -> bool {
        self.sweep.is_some() || self.bars.is_some()
    }
}

/// A measure against the variants: one curve per case, one point per variant, at the
/// variant's `x`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The measure.
    pub measure: String,
    /// What the variants vary: `buffer (packets)`.
    pub x: String,
    /// `x` on a logarithmic axis.
    #[serde(default)]
    pub log: bool,
    /// The cases.
    pub cases: Vec<CaseId>,
    /// The variants.
    pub at: Vec<String>,
}

/// Bars: each case has the bars of a panel.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarChart {
    /// The cases, from the left.
    pub cases: Vec<CaseId>,
    /// What they are called; by what they choose if empty.
    #[serde(default)]
    pub names: Vec<String>,
    /// The panels, from the top.
    pub panels: Vec<BarPanel>,
}

/// A panel of a [`BarChart`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BarPanel {
    /// What it is of, if its measure does not say it.
    #[serde(default)]
    pub title: String,
    /// What its axis is called, if its bars show several measures: `throughput`.
    #[serde(default)]
    pub quantity: String,
    /// What each case has, from the left.
    pub bars: Vec<Bar>,
}

/// A bar of each case.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bar {
    /// What it is called: `flow 1`.
    pub name: String,
    /// The measure that it shows.
    pub measure: String,
    /// The variant.
    pub at: String,
}

/// A point that the paper's text reads from a curve.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The curve.
    pub curve: String,
    /// Where.
    pub x: f64,
    /// What the text says.
    pub says: f64,
}

/// `cases.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    /// The variants at which cases are run.
    pub variant: Variants,
    /// For each setting that cases choose: its names, and what they set.
    pub choose: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// The variants at which cases are run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variants {
    /// What varies: `delay`.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// The values.
    pub values: Vec<Variant>,
}

/// One value of the variant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name in rows: `50`.
    pub name: String,
    /// Its position on the axis of a sweep.
    pub x: Option<f64>,
    /// Changes to the scenario.
    pub set: Vec<String>,
    /// Changes for a quick look, if not those of `suite.toml`.
    pub quick: Option<Vec<String>>,
}

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its number.
    pub id: String,
    /// The table that it is in.
    pub table: String,
    /// The variants at which it is run; all if empty.
    #[serde(default)]
    pub at: Vec<String>,
    /// Changes for a quick look, if not those of `suite.toml`.
    pub quick: Option<Vec<String>>,
    /// The congestion control that it is about, if no choice is its name alone: figures
    /// colour its points by it.
    pub law: Option<String>,
    /// Its choices.
    pub choose: BTreeMap<String, String>,
}

impl Case {
    /// Whether it is run at this variant.
    pub fn is_at(&self, variant: &str) -> bool {
        self.at.is_empty() || self.at.iter().any(|name| name == variant)
    }
}

/// Another meaning that the text may have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Its name.
    pub name: String,
    /// Why it is possible.
    pub why: String,
    /// It is no reading: the paper says otherwise. It shows an effect, and no verdict depends
    /// on it.
    #[serde(default)]
    pub experiment: bool,
    /// Changes to every row.
    #[serde(default)]
    pub set: Vec<String>,
    /// Changes to some rows.
    #[serde(default)]
    pub when: Vec<When>,
    /// Other sources for measures.
    #[serde(default)]
    pub measures: BTreeMap<String, String>,
}

/// Changes to rows with one of the named choices.
#[derive(Clone, Debug, Deserialize)]
pub struct When {
    /// Changes to the scenario.
    pub set: Vec<String>,
    /// The required choice.
    #[serde(flatten)]
    pub chose: BTreeMap<String, Vec<String>>,
}

/// Two groups of equal flows, for which only the total T and Jain's index F of the
/// normalised throughputs are printed.
///
/// With n flows in each group, and r = x1/x2 the ratio of the normalised throughputs per
/// flow,
///
/// ```text
///   F = (n x1 + n x2)^2 / (2 n (n x1^2 + n x2^2)) = (1 + r)^2 / (2 (1 + r^2))
///   r = (1 - sqrt(1 - k^2)) / k,   k = 2 F - 1
///   T = fair1 x1 + fair2 x2
/// ```
///
/// 1/r is also a solution, so it must be known which group is ahead.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoGroups {
    /// The measure that is the total.
    pub total: String,
    /// The factor from the total to the groups' unit.
    pub total_scale: f64,
    /// The measure that is Jain's index.
    pub fairness: String,
    /// The group that is behind, except in the cases below.
    pub slow: GroupShare,
    /// The other.
    pub fast: GroupShare,
    /// Cases in which the first is ahead.
    #[serde(default)]
    pub slow_ahead: Vec<String>,
}

/// One of two groups.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupShare {
    /// The measure that gives its throughput.
    pub measure: String,
    /// The fair share of all its flows together.
    pub fair: f64,
}

/// `conclusions.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusions {
    /// Seeds with which the base is run, in addition to its own.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// Readings under which the same rows are run.
    #[serde(default)]
    pub readings: Vec<String>,
    /// The conclusions.
    #[serde(default)]
    pub conclusions: Vec<Conclusion>,
}

/// A conclusion of a paper, backed by some of its claims.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// It is the one that the README shows.
    #[serde(default)]
    pub main: bool,
    /// Its name.
    pub id: String,
    /// What it says, in our words.
    pub says: String,
    /// The claims that back it.
    pub claims: Vec<String>,
}
