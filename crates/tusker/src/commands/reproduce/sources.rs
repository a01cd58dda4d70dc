//! `--recorded A,B`: results from several places, for one claim.

use std::path::{Path, PathBuf};

use tusker_papers::Paper;
use tusker_papers::conclusions::Runs;
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

/// Every run of these rows that one of the places has. Where two have other numbers for a row,
/// the first counts.
pub fn runs(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
    rows: &[Row<'_>],
) -> Result<Runs, Failure> {
    let mut all = Runs::default();
    for source in sources(path) {
        let differ = all.add_all(recorded::runs_of(paper, &source, args, rows)?);
        if differ > 0 && !args.how.quiet {
            let place = source.display();
            say(&format!(
                "{differ} rows of {place} have other numbers in an earlier place, which counts"
            ));
        }
    }
    Ok(all)
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
