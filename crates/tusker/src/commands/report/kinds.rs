//! Folders whose results cannot share a page.

use std::path::{Path, PathBuf};

use tusker_papers::stored::is_reproduction;
use tusker_store::{folder, watched};
use tusker_transfer::planned;

use crate::args::ReportArgs;
use crate::failure::Failure;
use crate::pages;

/// What has a page of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plan,
    Sweep,
    Evaluation,
    Watched,
    Reproduction,
}

impl Kind {
    fn of(dir: &Path) -> Option<Self> {
        if planned::is_plan(dir) {
            Some(Self::Plan)
        } else if matches!(folder::kind(dir), Some(folder::Kind::Sweep | folder::Kind::Plan)) {
            Some(Self::Sweep)
        } else if super::is_evaluation(dir) {
            Some(Self::Evaluation)
        } else if watched::is_watched(dir) {
            Some(Self::Watched)
        } else {
            is_reproduction(dir).then_some(Self::Reproduction)
        }
    }

    /// What is said of a folder.
    fn is(self) -> &'static str {
        match self {
            Self::Plan => "is a plan",
            Self::Sweep => "is a sweep",
            Self::Evaluation => "is an evaluation",
            Self::Watched => "was watched in the kernel",
            Self::Reproduction => "is a reproduction",
        }
    }
}

/// Folders for one page, and what they are; nothing if they are results of runs.
struct Part<'a> {
    kind: Option<Kind>,
    dirs: Vec<&'a Path>,
}

impl Part<'_> {
    /// What makes its page; pages of several folders need names that differ.
    fn command(&self) -> String {
        let dirs: Vec<String> = self.dirs.iter().map(|dir| pages::path(dir)).collect();
        let out = match (self.dirs.len(), self.kind) {
            (1, _) => "",
            (_, None) => " --out runs.html",
            _ => " --out kernel.html",
        };
        format!("`tusker report {}{out}`", dirs.join(" "))
    }
}

/// Refuses folders that no page shows together, with the commands that make a page of each.
pub fn one_page(dirs: &[PathBuf]) -> Result<(), Failure> {
    let parts = parts(dirs);
    let [first, second, ..] = &parts[..] else { return Ok(()) };
    // what has a page of its own is named first
    let (own, other) = if first.kind.is_some() { (first, second) } else { (second, first) };
    let is = own.kind.map_or("", Kind::is);
    let message = format!(
        "{} {is} and {} {}: no page shows both",
        own.dirs[0].display(),
        other.dirs[0].display(),
        other.kind.map_or("is not", Kind::is)
    );
    let commands: Vec<String> = parts.iter().map(Part::command).collect();
    let mut help = format!("make a page of each: {}", commands.join(", "));
    if let Some(paper) = parts.iter().find(|part| part.kind == Some(Kind::Reproduction)) {
        let dir = paper.dirs[0].display();
        help += &format!("; the folders in {dir}/rows and {dir}/figures are results of runs");
    }
    Err(Failure::input(message, help))
}

/// Refuses what is of a single plan where a folder has those for several buffers: each has a
/// page of its own.
pub fn one_plan(dir: &Path, plans: &[PathBuf], args: &ReportArgs) -> Result<(), Failure> {
    let asked =
        [("--list", args.list), ("--figure", args.figure.is_some()), ("--out", args.out.is_some())];
    let Some((option, _)) = asked.iter().find(|(_, asked)| *asked && plans.len() > 1) else {
        return Ok(());
    };
    let message =
        format!("{option}: {} holds {} plans, each with its own page", dir.display(), plans.len());
    let names: Vec<String> = plans.iter().map(|plan| plan.display().to_string()).collect();
    Err(Failure::input(message, format!("name the folder of one plan: {}", names.join(", "))))
}

/// By page: results of runs share one, and so does what was watched.
fn parts(dirs: &[PathBuf]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for dir in dirs {
        let kind = Kind::of(dir);
        let shares = matches!(kind, None | Some(Kind::Watched));
        match parts.iter_mut().find(|part| part.kind == kind && (shares || part.dirs[0] == dir)) {
            Some(part) if shares => part.dirs.push(dir),
            // the same folder again
            Some(_) => {}
            None => parts.push(Part { kind, dirs: vec![dir] }),
        }
    }
    parts
}
