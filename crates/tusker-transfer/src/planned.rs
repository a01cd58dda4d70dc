//! What a plan for a transfer keeps in its folder, besides the runs that it is
//! based on.
//!
//! ```text
//! tonight/
//!   runs/          finished runs, as of a sweep
//!   plan.json      the ranking (schema: `tusker schema plan`)
//!   plan.parquet   a row per way to do the transfer, in the order of the ranking
//!   report.html    the page made of it
//!   manifest.json  hashes of the two files with the ranking
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use tusker_store::folder::{self, Change, Kind};
use tusker_store::{Error, Format};

use crate::answer::{FORMAT, PlanSummary};

/// The file with the ranking.
pub const PLAN: &str = "plan.json";

/// The table beside it, without its extension.
pub const TABLE: &str = "plan";

/// Whether a plan was stored in this folder.
pub fn is_plan(dir: &Path) -> bool {
    folder::kind(dir) == Some(Kind::Plan) && dir.join(PLAN).is_file()
}

/// Folders of the plans for several buffers, within the folder that was named for them.
pub const BUFFER: &str = "buffer-";

/// The folder of the plan for one of several buffers.
pub fn of_buffer(dir: &Path, buffer: &str) -> PathBuf {
    dir.join(format!("{BUFFER}{buffer}"))
}

/// The folders of plans for several buffers in this one, by name; none if it is a plan itself.
pub fn of_buffers(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).ok().filter(|_| !is_plan(dir));
    let mut plans: Vec<PathBuf> =
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let is_of_buffer = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(BUFFER))
    };
    plans.retain(|path| is_of_buffer(path) && is_plan(path));
    plans.sort();
    plans
}

/// Stores a plan in an existing folder, replacing the earlier one.
///
/// # Errors
/// If a file cannot be written; the earlier files stay.
pub fn write(summary: &PlanSummary, dir: &Path, format: Format) -> Result<(), Error> {
    let name = |format: Format| format!("{TABLE}.{}", format.extension());
    let mut change = Change::begin(dir, Kind::Plan)?;
    change.table(&name(format), format, Box::new(std::iter::once(summary.columns())))?;
    for other in [Format::Parquet, Format::Csv].into_iter().filter(|other| *other != format) {
        // it would be of an earlier ranking
        change.remove(&name(other));
    }
    change.put(PLAN, summary.to_json().as_bytes())?;
    change.commit()
}

/// Reads the plan of a folder.
///
/// # Errors
/// If there is none, it has changed since it was stored, or has another version.
pub fn read(dir: &Path) -> Result<PlanSummary, Error> {
    let path = dir.join(PLAN);
    let text = folder::read(dir, Kind::Plan, PLAN)?;
    let text = text.ok_or_else(|| Error::NoResults(dir.to_owned()))?;
    let cause = match serde_json::from_slice::<PlanSummary>(&text) {
        Ok(summary) if summary.format == FORMAT => return Ok(summary),
        Ok(_) => "it is not a plan of this version".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Error::OtherFormat { path, cause })
}
