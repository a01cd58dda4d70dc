//! Folders for the results of experiments.

use std::path::Path;

use tusker_lab::{Experiment, Ready};
use tusker_store::{Existing, Format, Store, folder};

use crate::failure::Failure;

/// Makes a folder that of a comparison, with folders of these names in it; or else changes
/// nothing.
///
/// # Errors
/// If something else is in one of them, or it cannot be written.
pub fn claim<'a>(
    dir: &Path,
    names: impl Iterator<Item = &'a str>,
    existing: Existing,
) -> Result<(), Failure> {
    folder::check(dir, folder::Kind::Comparison)?;
    for name in names {
        Store::check(&dir.join(name), existing)?;
    }
    Ok(folder::claim(dir, folder::Kind::Comparison)?)
}

/// Opens a folder for each experiment of a comparison, in one folder. A mistake in the last one
/// leaves no folder of the first.
pub fn open_each(
    experiments: &mut [Experiment],
    dir: &Path,
    existing: Existing,
) -> Result<(), Failure> {
    claim(dir, experiments.iter().map(|own| own.ready.name.as_str()), existing)?;
    for Experiment { ready, store } in experiments {
        *store = Some(open(ready, &dir.join(&ready.name), existing, Format::default())?);
    }
    Ok(())
}

/// Opens the folder of an experiment.
pub fn open(
    ready: &Ready,
    dir: &Path,
    existing: Existing,
    format: Format,
) -> Result<Store, Failure> {
    let needed = tusker_store::estimate(&ready.plan, ready.replicates, format);
    Ok(Store::open(dir, &ready.identity, existing, format, needed)?)
}
