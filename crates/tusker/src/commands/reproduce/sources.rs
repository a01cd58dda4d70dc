//! `--recorded A,B`: several places of results, for one claim.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tusker_papers::Paper;
use tusker_papers::conclusions::{Run, Runs};
use tusker_papers::rows::Row;

use super::recorded;
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::output::say;

/// The places that a path names: itself if there is such a one, or else those between commas.
pub fn sources(path: &Path) -> Vec<PathBuf> {
    match path.to_str() {
        Some(text) if text.contains(',') && !path.exists() => {
            text.split(',').filter(|part| !part.is_empty()).map(PathBuf::from).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// The error if several are named where one is shown.
pub fn refuse_several(path: &Path) -> Result<(), Failure> {
    let several = sources(path).len();
    if several < 2 {
        return Ok(());
    }
    let message = format!("--recorded {}: these are {several} places", path.display());
    Err(Failure::input(message, "only --claim judges several together; name one of them"))
}

/// Runs of several places.
pub struct Joined {
    /// All of them; where two places have the same one with other numbers, that of the first.
    pub all: Runs,
    /// What each place has.
    each: Vec<(PathBuf, Runs)>,
}

impl Joined {
    /// Which of the places has which runs under these readings; nothing if there is but one.
    pub fn origins(&self, readings: &BTreeSet<&str>) -> Vec<String> {
        let of = |(place, runs): &(PathBuf, Runs)| {
            format!("{}: {}", place.display(), runs.named(readings).join("; "))
        };
        if self.each.len() < 2 { Vec::new() } else { self.each.iter().map(of).collect() }
    }
}

/// Every run of these rows that one of the places has.
pub fn runs(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
    rows: &[Row<'_>],
) -> Result<Joined, Failure> {
    let (mut all, mut each) = (Runs::default(), Vec::new());
    for (i, source) in sources(path).into_iter().enumerate() {
        let own = recorded::runs_of(paper, &source, args, rows)?;
        let differ = all.add_all(own.clone());
        if differ > 0 && !args.how.quiet {
            let others = if i == 1 { "the first place" } else { "an earlier place" };
            say(&format!(
                "{differ} rows of {} have other numbers in {others}, which counts",
                source.display()
            ));
        }
        each.push((source, own));
    }
    Ok(Joined { all, each })
}

/// The means over several seeds that the first place with such ones has of the base.
pub fn mean(paper: &Paper, path: &Path, args: &ReproduceArgs) -> Option<Run> {
    sources(path).iter().find_map(|source| recorded::mean_of(paper, source, args))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_stand_between_places_unless_a_folder_has_them() {
        let temp = tempfile::TempDir::new().unwrap();
        let odd = temp.path().join("a,b");
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(sources(&odd), std::slice::from_ref(&odd));
        assert_eq!(sources(Path::new("papers,mine")), [Path::new("papers"), Path::new("mine")]);
        assert_eq!(sources(Path::new("papers")), [Path::new("papers")]);
        assert!(refuse_several(Path::new("papers,mine")).is_err());
    }
}
