//! What the files of a paper say, as types.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::measure::Measure;

/// `paper.toml`.
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
    /// Columns of `published.csv` that name a row.
    pub published: PublishedColumns,
    /// What is changed for a quick look.
    #[serde(default)]
    pub quick: Vec<String>,
    /// What of the recorded sets is older than the program: a law that these rows use
    /// was changed, and they were not run again.
    pub stale: Option<String>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// What its tables are called and show, where that is not every judged
    /// measure.
    #[serde(default)]
    pub tables: Vec<TableInfo>,
    /// How two groups follow from a total and an index.
    pub two_groups: Option<TwoGroups>,
    /// Figures.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// What makes a row's run a traced one.
    #[serde(default)]
    pub trace: Trace,
    /// How its rows are run on real sockets.
    #[serde(default)]
    pub testbed: OnTestbed,
}

/// How rows are run on real sockets, where a second takes a second.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnTestbed {
    /// The tables that are run unless somebody names rows; all if there are none.
    #[serde(default)]
    pub tables: Vec<String>,
    /// What is changed for a quick look; as in the simulator if there is nothing.
    #[serde(default)]
    pub quick: Vec<String>,
}

/// A table of rows: one of the paper's, or those behind a figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableInfo {
    /// As cases name it.
    pub id: String,
    /// Its heading: `Figure 9: goodput of two flows`.
    pub title: String,
    /// The measures that it shows.
    pub show: Vec<String>,
}

/// Columns that name a row.
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

/// A figure: rows over time, a measure against what rows are run at, or
/// functions.
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
    /// Measures that tell what is to be seen in it.
    #[serde(default)]
    pub show: Vec<String>,
    /// A measure against what rows are run at.
    pub sweep: Option<Sweep>,
    /// Functions, by name: see [`crate::curves`].
    pub curves: Option<String>,
    /// What the paper's text reads off it.
    #[serde(default)]
    pub points: Vec<Point>,
}

impl Figure {
    /// Every row that it shows.
    pub fn row_ids(&self) -> Vec<String> {
        let of_sweep = self.sweep.iter().flat_map(|sweep| {
            let cases = sweep.cases.iter();
            cases.flat_map(|CaseId(case)| sweep.at.iter().map(move |at| format!("{case}@{at}")))
        });
        self.rows.iter().cloned().chain(of_sweep).collect()
    }
}

/// A measure against what rows are run at: a curve per case, a point per
/// variant, at the variant's `x`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The measure.
    pub measure: String,
    /// What the variants are along: `buffer (packets)`.
    pub x: String,
    /// `x` on a logarithmic axis.
    #[serde(default)]
    pub log: bool,
    /// The cases.
    pub cases: Vec<CaseId>,
    /// The variants.
    pub at: Vec<String>,
}

/// A point that the paper's text reads off a curve.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Of which curve.
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
    /// What each case is run at.
    pub variant: Variants,
    /// For each thing that cases choose, the names and what they set.
    pub choose: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// What each case is run at.
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
    /// As rows name it: `50`.
    pub name: String,
    /// Its place on the axis of a sweep.
    pub x: Option<f64>,
    /// Changes to the scenario.
    pub set: Vec<String>,
    /// What is changed for a quick look, if not what `paper.toml` says.
    pub quick: Option<Vec<String>>,
}

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its number.
    pub id: String,
    /// The table that has it.
    pub table: String,
    /// At which variants it is run; at all if empty.
    #[serde(default)]
    pub at: Vec<String>,
    /// What is changed for a quick look, where it is not what `paper.toml` says.
    pub quick: Option<Vec<String>>,
    /// What it chooses.
    pub choose: BTreeMap<String, String>,
}

impl Case {
    /// Whether it is run at this variant.
    pub fn is_at(&self, variant: &str) -> bool {
        self.at.is_empty() || self.at.iter().any(|name| name == variant)
    }
}

/// The id of a case where others name it: `4`, or `"bic"`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Id")]
pub struct CaseId(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(u32),
    Name(String),
}

impl From<Id> for CaseId {
    fn from(id: Id) -> Self {
        match id {
            Id::Number(number) => Self(number.to_string()),
            Id::Name(name) => Self(name),
        }
    }
}

/// What else the text may mean.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Its name.
    pub name: String,
    /// Why it is possible.
    pub why: String,
    /// Changes to every row.
    #[serde(default)]
    pub set: Vec<String>,
    /// Changes to some rows.
    #[serde(default)]
    pub when: Vec<When>,
    /// Other sources of measures.
    #[serde(default)]
    pub measures: BTreeMap<String, String>,
}

/// Changes to rows that chose one of some names.
#[derive(Clone, Debug, Deserialize)]
pub struct When {
    /// Changes to the scenario.
    pub set: Vec<String>,
    /// What must have been chosen.
    #[serde(flatten)]
    pub chose: BTreeMap<String, Vec<String>>,
}

/// Two groups of equal flows, of which only the total T and Jain's index F of
/// normalised throughputs are printed.
///
/// With n flows in each group and r = x1/x2, the ratio of normalised
/// throughputs of a flow,
///
/// ```text
///   F = (n x1 + n x2)^2 / (2 n (n x1^2 + n x2^2)) = (1 + r)^2 / (2 (1 + r^2))
///   r = (1 - sqrt(1 - k^2)) / k,   k = 2 F - 1
///   T = fair1 x1 + fair2 x2
/// ```
///
/// 1/r solves it as well: which group is ahead must be known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoGroups {
    /// The measure that is the total.
    pub total: String,
    /// What makes the groups' unit of it.
    pub total_scale: f64,
    /// The measure that is Jain's index.
    pub fairness: String,
    /// The group that is behind unless said otherwise.
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
    /// The measure that is its throughput.
    pub measure: String,
    /// What is fair for all its flows together.
    pub fair: f64,
}

/// `conclusions.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusions {
    /// Seeds with which the base is run, beside its own.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// Readings under which the same rows are run.
    #[serde(default)]
    pub readings: Vec<String>,
    /// The conclusions.
    #[serde(default)]
    pub conclusions: Vec<Conclusion>,
}

/// What a paper concludes, as some of its claims.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conclusion {
    /// Its name.
    pub id: String,
    /// What it says, in our words.
    pub says: String,
    /// The claims that it is made of.
    pub claims: Vec<String>,
}
