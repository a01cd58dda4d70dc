//! Reads the files of a reproduction's folder.
//!
//! ```text
//!  FOLDER/reproduction.json        rows and claims: Reproduction
//!  FOLDER/figures/figure-4.json    a figure: DrawnFigure
//!  FOLDER/figures/case-8-at-50-*/  results of a row that is drawn over time
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

    /// Its file.
    pub fn file(&self, folder: &Path) -> PathBuf {
        folder.join(FIGURES).join(format!("figure-{}.json", self.figure.id))
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
/// If the file cannot be read or has another version.
pub fn reproduction(folder: &Path) -> Result<Option<Reproduction>, Error> {
    let path = folder.join(REPRODUCTION);
    if path.is_file() { read(&path).map(Some) } else { Ok(None) }
}

/// The figures of a folder, in the order of their numbers.
///
/// # Errors
/// If one cannot be read or has another version.
pub fn figures(folder: &Path) -> Result<Vec<DrawnFigure>, Error> {
    let mut all: Vec<DrawnFigure> =
        files(folder).iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let number = |drawn: &DrawnFigure| drawn.figure.id.parse().unwrap_or(u32::MAX);
    all.sort_by(|a, b| number(a).cmp(&number(b)).then_with(|| a.figure.id.cmp(&b.figure.id)));
    Ok(all)
}

/// Whether a folder holds a reproduction.
pub fn is_reproduction(folder: &Path) -> bool {
    folder.join(REPRODUCTION).is_file() || !files(folder).is_empty()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join(FIGURES)).into_iter().flatten().flatten();
    let figure = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("figure-") && name.ends_with(".json")
    };
    entries.map(|entry| entry.path()).filter(figure).collect()
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let odd = |message: String| {
        let help = "repeat the `tusker reproduce` command that wrote it; finished rows are kept";
        Error::new(path.display().to_string(), message, help)
    };
    let text = fs::read(path).map_err(|error| odd(format!("cannot be read: {error}")))?;
    let value: Value = serde_json::from_slice(&text)
        .map_err(|error| odd(format!("cannot be read by this version: {error}")))?;
    if value["format"] != FORMAT {
        return Err(odd(format!("its format is {}, not {FORMAT}", value["format"])));
    }
    T::deserialize(value).map_err(|error| odd(format!("cannot be read by this version: {error}")))
}
