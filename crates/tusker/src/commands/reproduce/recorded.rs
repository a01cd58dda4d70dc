//! `--recorded`: rows that an earlier run printed as CSV, judged again without
//! a run.

use std::path::Path;

use tusker_papers::{Paper, Reproduction, recorded};

use crate::failure::Failure;

/// What `PATH` has of a paper: `PATH` itself, or `PATH/KEY/full.csv` (with
/// `--quick` `quick.csv`) if it is a folder.
pub fn read(paper: &Paper, path: &Path, quick: bool) -> Result<Reproduction, Failure> {
    let file = if quick { "quick.csv" } else { "full.csv" };
    let path = match path.is_dir() {
        true => path.join(&paper.about.key).join(file),
        false => path.to_owned(),
    };
    let help = format!(
        "give a file that `tusker reproduce {} --format csv` printed, or a folder like papers/ \
         that holds one as {}/{file}",
        paper.about.key, paper.about.key
    );
    let wrong = |message: String| Failure::input(format!("{}: {message}", path.display()), &help);
    let text = std::fs::read_to_string(&path)
        .map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let mut rows = recorded::read(&text, &paper.cases.variant.name).map_err(wrong)?;
    recorded::add_windows(paper, &mut rows, quick).map_err(wrong)?;
    let mut reproduction = Reproduction::recorded(paper, &rows, quick);
    reproduction.execution.command = super::command_line();
    Ok(reproduction)
}
