//! Reads a paper's folder into types and checks it.

use std::borrow::Cow;
use std::path::Path;

use miette::Diagnostic;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::claims::Claim;
pub use crate::model::{
    About, Bar, BarChart, BarPanel, Case, CaseId, Cases, Conclusions, Figure, OnTestbed, Point,
    PublishedColumns, Reading, Sweep, TableInfo, Trace, Variant, Variants, When,
};
use crate::published::Published;
use crate::reasons::Reasons;

mod check;

/// The files of `papers/KEY`, embedded so that the program does not need them on disk.
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
            quick: Some(embedded!($key, "quick.csv")),
            full: Some(embedded!($key, "full.csv")),
            conclusions: Some(embedded!($key, "conclusions.toml")),
            runs: Some(embedded!($key, "conclusions.csv")),
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
    quick: Option<Cow<'static, str>>,
    full: Option<Cow<'static, str>>,
    conclusions: Option<Cow<'static, str>>,
    runs: Option<Cow<'static, str>>,
}

/// What is wrong with a paper's folder or with a request for its rows.
#[derive(Debug, Error, Diagnostic)]
#[error("{place}: {message}")]
#[diagnostic(help("{help}"))]
pub struct Error {
    place: String,
    message: String,
    help: String,
}

impl Error {
    /// A mistake at a place, with its remedy.
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
    /// The printed numbers.
    pub published: Published,
    /// The claims of its text.
    pub claims: Vec<Claim>,
    /// Other meanings that its text may have.
    pub readings: Vec<Reading>,
    /// Why rows and claims are off.
    pub reasons: Reasons,
    /// The results of our shortened runs, as CSV, if recorded.
    pub quick_csv: Option<Cow<'static, str>>,
    /// The same for full-length runs.
    pub full_csv: Option<Cow<'static, str>>,
    /// Its conclusions.
    pub conclusions: Conclusions,
    /// The runs on which conclusions are judged in addition to the full set, as CSV, if
    /// recorded.
    pub conclusions_csv: Option<Cow<'static, str>>,
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
    /// The reading that gives hosts random times and nothing else, which ends phase effects.
    pub fn random_hosts(&self) -> Option<&str> {
        let random = |set: &String| set.starts_with("host_time=");
        let only = |reading: &&Reading| {
            matches!(reading.set.as_slice(), [one] if random(one)) && reading.when.is_empty()
        };
        self.readings.iter().find(only).map(|reading| reading.name.as_str())
    }

    /// Whether this reading, or one that is combined in it, is against the text.
    pub fn is_experiment(&self, name: &str) -> bool {
        let is_one = |part: &str| self.readings.iter().any(|r| r.experiment && r.name == part);
        name.split('+').any(is_one)
    }

    /// Keys of the papers that come with the program.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|(key, _)| *key)
    }

    /// A paper by its key, or from a folder of such files.
    ///
    /// # Errors
    /// If there is none, or it is invalid.
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
            format!("{hint}There are {}; or name a folder with a paper.toml", known.join(", ")),
        ))
    }

    /// A paper from a folder.
    ///
    /// # Errors
    /// If a file is missing or invalid.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let text = |name: &str| {
            let path = folder.join(name);
            let read = tusker_store::files::text(&path).map(Cow::Owned);
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
            quick: text("quick.csv").ok(),
            full: text("full.csv").ok(),
            conclusions: text("conclusions.toml").ok(),
            runs: text("conclusions.csv").ok(),
        };
        Self::read(&folder.display().to_string(), &files)
    }

    fn read(place: &str, files: &Files) -> Result<Self, Error> {
        let about: About = toml(place, "paper.toml", &files.paper)?;
        let cases: Cases = toml(place, "cases.toml", &files.cases)?;
        let claims: ClaimsFile = toml(place, "claims.toml", &files.claims)?;
        let readings: ReadingsFile = toml(place, "readings.toml", &files.readings)?;
        let reasons = toml(place, "reasons.toml", &files.reasons)?;
        let conclusions = files.conclusions.as_deref();
        let conclusions = conclusions.map(|text| toml(place, "conclusions.toml", text));
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
            quick_csv: files.quick.clone(),
            full_csv: files.full.clone(),
            conclusions: conclusions.transpose()?.unwrap_or_default(),
            conclusions_csv: files.runs.clone(),
        };
        paper.check(place)?;
        Ok(paper)
    }

    /// The figure with this number, or its parts: `8` has `8a` and `8b`.
    ///
    /// # Errors
    /// If there is none.
    pub fn figures(&self, id: &str) -> Result<Vec<&Figure>, Error> {
        let all = &self.about.figures;
        let is_part = |own: &str| {
            let part = own.strip_prefix(id);
            !id.is_empty()
                && part.is_some_and(|part| part.starts_with(|c: char| c.is_ascii_lowercase()))
        };
        let found = match all.iter().find(|figure| figure.id == id) {
            Some(one) => vec![one],
            None => all.iter().filter(|figure| is_part(&figure.id)).collect(),
        };
        if found.is_empty() {
            let ids: Vec<&str> = all.iter().map(|f| f.id.as_str()).collect();
            let message = format!("{} has no such figure", self.about.key);
            let help = match ids.is_empty() {
                true => "it has no figures".to_owned(),
                false => format!("there are {}", ids.join(", ")),
            };
            return Err(Error::new(format!("--figure {id}"), message, help));
        }
        Ok(found)
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
