//! Reads the files of a reproduction's folder.
//!
//! ```text
//!  FOLDER/manifest.json            hashes of the two that follow, among others
//!  FOLDER/reproduction.json        rows and claims: Reproduction
//!  FOLDER/figures/figure-4.json    a figure: DrawnFigure
//!  FOLDER/figures/case-8-at-50-*/  results of a row that is drawn over time
//! ```

use std::path::Path;

use miette::Diagnostic;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tusker_store::folder::{self, Kind};

use crate::paper::{Error, Figure};
use crate::reproduction::{FORMAT, Reproduction};

/// The file of rows and claims.
pub const REPRODUCTION: &str = "reproduction.json";

/// The folder of figures, and of the rows that they draw.
pub const FIGURES: &str = "figures";

/// A figure with its settings when it was last asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawnFigure {
    /// Version of this format: that of [`Reproduction`].
    pub format: u32,
    /// The paper's description of it.
    pub figure: Figure,
    /// Its rows, and the folder of each within [`FIGURES`].
    pub folders: Vec<(String, String)>,
    /// Their results.
    pub reproduction: Reproduction,
}

impl DrawnFigure {
    /// A figure of these rows.
    pub fn new(
        figure: &Figure,
        folders: Vec<(String, String)>,
        reproduction: Reproduction,
    ) -> Self {
        Self { format: FORMAT, figure: figure.clone(), folders, reproduction }
    }

    /// Its file, within the folder.
    pub fn file(&self) -> String {
        format!("{FIGURES}/figure-{}.json", self.figure.id)
    }

    /// As JSON text.
    ///
    /// # Panics
    /// Never: it is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }
}

/// Rows and claims in a folder, if it has any.
///
/// # Errors
/// If the file cannot be read, has changed since it was stored, or has another version.
pub fn reproduction(folder: &Path) -> Result<Option<Reproduction>, Error> {
    read(folder, REPRODUCTION)
}

/// The figures of a folder, in the order of their numbers.
///
/// # Errors
/// If one cannot be read, has changed since it was stored, or has another version.
pub fn figures(folder: &Path) -> Result<Vec<DrawnFigure>, Error> {
    let names = folder::names(folder, Kind::Reproduction).map_err(|error| odd(folder, &error))?;
    let is_figure = |name: &&String| name.starts_with("figures/figure-") && name.ends_with(".json");
    let mut all: Vec<DrawnFigure> = Vec::new();
    for name in names.iter().filter(is_figure) {
        all.extend(read(folder, name)?);
    }
    let number = |drawn: &DrawnFigure| drawn.figure.id.parse().unwrap_or(u32::MAX);
    all.sort_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.figure.id.cmp(&b.figure.id)));
    Ok(all)
}

/// Whether a folder holds a reproduction.
pub fn is_reproduction(folder: &Path) -> bool {
    folder::kind(folder) == Some(Kind::Reproduction)
}

fn odd(path: &Path, error: &tusker_store::Error) -> Error {
    let help = error.help().map(|help| help.to_string()).unwrap_or_default();
    Error::new(path.display().to_string(), error.to_string(), help)
}

fn read<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, Error> {
    let path = folder.join(name);
    let text =
        folder::read(folder, Kind::Reproduction, name).map_err(|error| odd(folder, &error))?;
    let Some(text) = text else { return Ok(None) };
    let odd = |message: String| {
        let help = "repeat the `tusker reproduce` command that wrote it; finished rows are kept";
        Error::new(path.display().to_string(), message, help)
    };
    let value: Value = serde_json::from_slice(&text)
        .map_err(|error| odd(format!("cannot be read by this version: {error}")))?;
    if value["format"] != FORMAT {
        return Err(odd(format!("its format is {}, not {FORMAT}", value["format"])));
    }
    let read = T::deserialize(value);
    read.map(Some).map_err(|error| odd(format!("cannot be read by this version: {error}")))
}
