//! A paper's folder as types, read and checked.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use miette::Diagnostic;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::claims::Claim;
use crate::measure::Measure;
use crate::published::{Published, TwoGroups};
use crate::reasons::Reasons;

mod check;

/// The files of `papers/KEY`, so that the program needs none of them.
macro_rules! embedded {
    ($key:literal) => {
        Files {
            paper: embedded!($key, "paper.toml"),
            scenario: embedded!($key, "scenario.toml"),
            cases: embedded!($key, "cases.toml"),
            published: embedded!($key, "published.csv"),
            claims: embedded!($key, "claims.toml"),
            readings: embedded!($key, "readings.toml"),
            reasons: embedded!($key, "reasons.toml"),
        }
    };
    ($key:literal, $file:literal) => {
        Cow::Borrowed(include_str!(concat!("../../../papers/", $key, "/", $file)))
    };
}

/// The papers that come with the program.
const EMBEDDED: &[(&str, Files)] = &[
    ("ghstcp", embedded!("ghstcp")),
    ("ghstcp-web", embedded!("ghstcp-web")),
    ("ghstcp-testbed", embedded!("ghstcp-testbed")),
    ("ngtcp", embedded!("ngtcp")),
    ("hcc", embedded!("hcc")),
];

/// The files of one paper as text.
#[derive(Clone, Debug)]
pub struct Files {
    paper: Cow<'static, str>,
    scenario: Cow<'static, str>,
    cases: Cow<'static, str>,
    published: Cow<'static, str>,
    claims: Cow<'static, str>,
    readings: Cow<'static, str>,
    reasons: Cow<'static, str>,
}

/// What is wrong with a paper's folder, or with what was asked of it.
#[derive(Debug, Error, Diagnostic)]
#[error("{place}: {message}")]
#[diagnostic(help("{help}"))]
pub struct Error {
    place: String,
    message: String,
    help: String,
}

impl Error {
    /// A mistake at a place, and the remedy.
    pub fn new(
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self { place: place.into(), message: message.into(), help: help.into() }
    }
}

/// A published set of experiments.
#[derive(Clone, Debug)]
pub struct Paper {
    /// What it is, and what is measured.
    pub about: About,
    /// The base scenario as text.
    pub scenario: Cow<'static, str>,
    /// Which rows there are.
    pub cases: Cases,
    /// The numbers that it prints.
    pub published: Published,
    /// What its text says.
    pub claims: Vec<Claim>,
    /// What else its text may mean.
    pub readings: Vec<Reading>,
    /// Why rows and claims are off.
    pub reasons: Reasons,
}

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimsFile {
    claims: Vec<Claim>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingsFile {
    #[serde(default)]
    readings: Vec<Reading>,
}

impl Paper {
    /// Keys of the papers that come with the program.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|(key, _)| *key)
    }

    /// A paper by its key, or from a folder of such files.
    ///
    /// # Errors
    /// If there is none, or it is not as it should be.
    pub fn find(name: &str) -> Result<Self, Error> {
        if let Some((key, files)) = EMBEDDED.iter().find(|(key, _)| *key == name) {
            return Self::read(&format!("papers/{key}"), files);
        }
        if Path::new(name).is_dir() {
            return Self::load(Path::new(name));
        }
        let near = Self::keys()
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        let known: Vec<&str> = Self::keys().collect();
        let hint = near.filter(|near| strsim::jaro_winkler(near, name) > 0.7);
        let hint = hint.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        Err(Error::new(
            name,
            "no such paper",
            format!("{hint}There is {}; or give a folder that has a paper.toml", known.join(", ")),
        ))
    }

    /// A paper from a folder.
    ///
    /// # Errors
    /// If a file is missing or not as it should be.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let text = |name: &str| {
            let path = folder.join(name);
            let read = std::fs::read_to_string(&path).map(Cow::Owned);
            read.map_err(|error| {
                let help = "papers/ghstcp of the source code has all files that a paper needs";
                Error::new(path.display().to_string(), format!("cannot be read: {error}"), help)
            })
        };
        let files = Files {
            paper: text("paper.toml")?,
            scenario: text("scenario.toml")?,
            cases: text("cases.toml")?,
            published: text("published.csv")?,
            claims: text("claims.toml")?,
            readings: text("readings.toml")?,
            reasons: text("reasons.toml")?,
        };
        Self::read(&folder.display().to_string(), &files)
    }

    fn read(place: &str, files: &Files) -> Result<Self, Error> {
        let about: About = toml(place, "paper.toml", &files.paper)?;
        let cases: Cases = toml(place, "cases.toml", &files.cases)?;
        let claims: ClaimsFile = toml(place, "claims.toml", &files.claims)?;
        let readings: ReadingsFile = toml(place, "readings.toml", &files.readings)?;
        let reasons = toml(place, "reasons.toml", &files.reasons)?;
        let published = Published::read(&files.published, &about)
            .map_err(|(message, help)| wrong(place, "published.csv", message, help))?;
        let paper = Self {
            about,
            scenario: files.scenario.clone(),
            cases,
            published,
            claims: claims.claims,
            readings: readings.readings,
            reasons,
        };
        paper.check(place)?;
        Ok(paper)
    }

    /// The figure of this number.
    ///
    /// # Errors
    /// If there is none.
    pub fn figure(&self, id: &str) -> Result<&Figure, Error> {
        let found = self.about.figures.iter().find(|figure| figure.id == id);
        found.ok_or_else(|| {
            let ids: Vec<&str> = self.about.figures.iter().map(|f| f.id.as_str()).collect();
            Error::new(
                format!("--figure {id}"),
                "no such figure",
                format!("there are {}", ids.join(", ")),
            )
        })
    }
}

fn toml<T: DeserializeOwned>(place: &str, file: &str, text: &str) -> Result<T, Error> {
    toml_edit::de::from_str(text).map_err(|error| {
        let help = "papers/ghstcp of the source code shows what each file holds";
        wrong(place, file, error.to_string(), help)
    })
}

fn wrong(place: &str, file: &str, message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::new(format!("{place}/{file}"), message, help)
}
