//! Reads a paper's folder into types and checks it.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::Path;

use miette::Diagnostic;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use tusker_lab::suite::claims::Claim;

pub use crate::model::{
    About, Bar, BarChart, BarPanel, Case, CaseId, Cases, Conclusions, Figure, OnTestbed, Point,
    PublishedColumns, Reading, Sweep, TableInfo, Trace, Variant, Variants, When,
};
use crate::published::Published;
use crate::reasons::Reasons;

mod check;

/// The files of `papers/KEY`, embedded so that the program does not need them on disk.
macro_rules! embedded {
    ($key:literal $(, $more:literal)*) => {
        ($key, &[
            $(embedded!(file $key, $more),)*
            embedded!(file $key, "suite.toml"),
            embedded!(file $key, "scenario.toml"),
            embedded!(file $key, "cases.toml"),
            embedded!(file $key, "claims.toml"),
            embedded!(file $key, "readings.toml"),
            embedded!(file $key, "reasons.toml"),
            embedded!(file $key, "quick.csv"),
            embedded!(file $key, "full.csv"),
            embedded!(file $key, "conclusions.toml"),
            embedded!(file $key, "conclusions.csv"),
        ])
    };
    (file $key:literal, $file:literal) => {
        ($file, include_str!(concat!("../../../papers/", $key, "/", $file)))
    };
}

/// The papers that come with the program: of each its files with their text.
const EMBEDDED: &[(&str, &[(&str, &str)])] = &[
    embedded!("ghstcp", "published.csv"),
    embedded!("ghstcp-web"),
    embedded!("ghstcp-testbed"),
    embedded!("ngtcp", "published.csv"),
    embedded!("hcc", "published.csv"),
];

/// The file that makes a folder a suite.
pub const SUITE: &str = "suite.toml";

/// The text of a file; `None` if the folder does not have it.
type File<'a> = dyn Fn(&str) -> Result<Option<Cow<'static, str>>, Error> + 'a;

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
    /// Whether this reading, or one that is combined in it, is against the text.
    pub fn is_experiment(&self, name: &str) -> bool {
        let is_one = |part: &str| self.readings.iter().any(|r| r.experiment && r.name == part);
        name.split('+').any(is_one)
    }

    /// Keys of the papers that come with the program.
    pub fn keys() -> impl Iterator<Item = &'static str> {
        EMBEDDED.iter().map(|(key, _)| *key)
    }

    /// Whether a suite has rows of its own that its claims compare: a paper that comes with the
    /// program, or a folder that lists cases.
    pub fn is_suite(name: &str) -> bool {
        Self::keys().any(|key| key == name) || Path::new(name).join("cases.toml").is_file()
    }

    /// A paper by its key, or from a folder of such files.
    ///
    /// # Errors
    /// If there is none, or it is invalid.
    pub fn find(name: &str) -> Result<Self, Error> {
        if let Some((key, files)) = EMBEDDED.iter().find(|(key, _)| *key == name) {
            let text = |name: &str| files.iter().find(|(own, _)| *own == name);
            let text = |name: &str| Ok(text(name).map(|(_, text)| Cow::Borrowed(*text)));
            return Self::read(&format!("papers/{key}"), &text);
        }
        if Path::new(name).is_dir() {
            return Self::load(Path::new(name));
        }
        let near = Self::keys()
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        let keys: Vec<&str> = Self::keys().collect();
        let hint = near.filter(|near| strsim::jaro_winkler(near, name) > 0.7);
        let hint = hint.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        Err(Error::new(
            name,
            "no such paper",
            format!(
                "{hint}There are {}; or name a folder with a suite.toml and a cases.toml",
                keys.join(", ")
            ),
        ))
    }

    /// A paper from a folder.
    ///
    /// # Errors
    /// If a file is missing or invalid.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let text = |name: &str| {
            let path = folder.join(name);
            match tusker_store::files::text(&path) {
                Ok(text) => Ok(Some(Cow::Owned(text))),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => {
                    let place = path.display().to_string();
                    Err(Error::new(place, format!("cannot be read: {error}"), EXAMPLE))
                }
            }
        };
        Self::read(&folder.display().to_string(), &text)
    }

    fn read(place: &str, text: &File<'_>) -> Result<Self, Error> {
        let mut about: About = toml(place, SUITE, text)?;
        for measure in &mut about.measures {
            measure.beside = about.beside.contains(&measure.name);
            measure.complete();
        }
        let claims: ClaimsFile = toml(place, "claims.toml", text)?;
        let readings: Option<ReadingsFile> = optional(place, "readings.toml", text)?;
        let printed = text("published.csv")?;
        let published = Published::read(printed.as_deref(), &about)
            .map_err(|(message, help)| wrong(place, "published.csv", message, help))?;
        let paper = Self {
            about,
            scenario: text("scenario.toml")?.ok_or_else(|| missing(place, "scenario.toml"))?,
            cases: toml(place, "cases.toml", text)?,
            published,
            claims: claims.claims,
            readings: readings.map_or(Vec::new(), |file| file.readings),
            reasons: optional(place, "reasons.toml", text)?.unwrap_or_default(),
            quick_csv: text("quick.csv")?,
            full_csv: text("full.csv")?,
            conclusions: optional(place, "conclusions.toml", text)?.unwrap_or_default(),
            conclusions_csv: text("conclusions.csv")?,
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

/// Where to see how a folder is written.
const EXAMPLE: &str = "papers/ghstcp of the source code shows what each file holds";

fn toml<T: DeserializeOwned>(place: &str, file: &str, text: &File<'_>) -> Result<T, Error> {
    optional(place, file, text)?.ok_or_else(|| missing(place, file))
}

fn optional<T: DeserializeOwned>(
    place: &str,
    file: &str,
    text: &File<'_>,
) -> Result<Option<T>, Error> {
    let read = text(file)?.map(|text| toml_edit::de::from_str(&text)).transpose();
    read.map_err(|error| wrong(place, file, error.to_string(), EXAMPLE))
}

fn missing(place: &str, file: &str) -> Error {
    wrong(place, file, "is missing", EXAMPLE)
}

fn wrong(place: &str, file: &str, message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::new(format!("{place}/{file}"), message, help)
}
