//! What a reproduction keeps in its folder besides the rows.

use std::path::{Path, PathBuf};

use tusker_papers::Paper;
use tusker_papers::page;
use tusker_papers::reproduce::{
    Answered, FIGURES_PAGE, File, READINGS, READINGS_PAGE, Request, TESTBED, What,
};
use tusker_papers::stored::{self, FIGURES, REPRODUCTION};
use tusker_plan::plane::Plane;
use tusker_report::{Page, html};
use tusker_store::folder::{self, Change, Kind};
use tusker_store::{Error, REPORT};

use super::cluster::Shared;
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::outfile;

/// The folder of rows, of which only runs have one.
const ROWS: &str = "rows";

/// Makes sure that the results of a paper can go into a folder. Nothing is written.
pub fn may(folder: &Path) -> Result<(), Failure> {
    folder::check(folder, Kind::Reproduction)?;
    let listed = folder::names(folder, Kind::Reproduction)?;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let claim = name.starts_with("claim-");
        let page = name == FIGURES_PAGE || name == READINGS_PAGE;
        if page || claim && name.ends_with(".html") {
            outfile::within(&path)?;
            outfile::check(&path, outfile::Kind::Page)?;
        } else if (name == READINGS || claim && name.ends_with(".json")) && !listed.contains(&name)
        {
            return Err(Error::NotOurs(path).into());
        }
    }
    Ok(())
}

/// Makes a folder that of a reproduction, or says why it cannot be.
pub fn claim(folder: &Path, is_mirror: bool) -> Result<(), Failure> {
    if is_mirror {
        // what shared storage had is there, perhaps without a manifest
        return Ok(folder::adopt(folder, Kind::Reproduction)?);
    }
    may(folder)?;
    Ok(folder::claim(folder, Kind::Reproduction)?)
}

/// Puts the files of an answer where they were asked for; what there is to say of them.
pub fn put(
    paper: &Paper,
    request: &Request,
    answered: &Answered,
    (args, shared): (&ReproduceArgs, &Shared),
    stopped: bool,
) -> Result<Vec<String>, Failure> {
    let folder = match (request.plane, &request.recorded) {
        (_, Some(_)) if args.out.is_none() => return Ok(Vec::new()),
        (Plane::Testbed, None) => request.folder.join(TESTBED),
        _ => request.folder.clone(),
    };
    let recorded = request.recorded.is_some();
    let is_rows = |file: &File| matches!(file, File::Data(name, _) if name == REPRODUCTION);
    if recorded && folder.join(ROWS).is_dir() && answered.files.iter().any(is_rows) {
        let message = format!("--out {}: it has results of its own", folder.display());
        return Err(Failure::input(message, "name another folder for what is recorded"));
    }
    if answered.files.is_empty() {
        return Ok(Vec::new());
    }
    let mut change = Change::begin(&folder, Kind::Reproduction)?;
    for file in &answered.files {
        if let File::Data(name, text) = file {
            change.put(name, text.as_bytes())?;
        }
    }
    change.commit()?;
    if stopped {
        // who stops it does not wait for a page; the same command makes it
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    let shown = |name: &str| shared.shown(&folder.join(name));
    for file in &answered.files {
        let File::Page(name, page) = file else { continue };
        write_page(&folder.join(name), page)?;
        let what = match name.as_str() {
            // what was run says where it is, the report included
            REPORT if !recorded => continue,
            REPORT => "the report is",
            READINGS_PAGE => "the readings side by side are",
            _ => "the claim's page, which can be sent:",
        };
        lines.push(format!("{what} {}", shown(name)));
    }
    if let What::Figures(ids) = &request.what
        && request.plane == Plane::Simulator
    {
        let mut all = stored::figures(&folder)?;
        all.retain(|drawn| drawn.reproduction.paper.key == paper.about.key);
        write_page(&folder.join(FIGURES_PAGE), &page::figures::page(&all, &folder, None)?)?;
        let data = answered.files.iter().filter_map(|file| match file {
            File::Data(name, _) if name.ends_with(".csv") => Some(name.as_str()),
            _ => None,
        });
        lines.extend(data.chain([FIGURES_PAGE]).map(|name| format!("written: {}", shown(name))));
        let over_time = ids.iter().filter_map(|id| paper.figures(id).ok()).flatten();
        if over_time.into_iter().any(|figure| !figure.rows.is_empty()) {
            lines.push(format!("series over time: {}/*/replicates/*/series.*", shown(FIGURES)));
        }
    }
    Ok(lines)
}

/// Writes a page into such a folder, not over anything else.
fn write_page(path: &Path, page: &Page) -> Result<(), Failure> {
    outfile::within(path)?;
    Ok(outfile::write(path, outfile::Kind::Page, html::html(page).as_bytes())?)
}

/// The pages of a folder of a reproduction, and the file of each.
///
/// `replicate` is the one that figures show over time.
pub fn pages(folder: &Path, replicate: Option<u32>) -> Result<Vec<(PathBuf, Page)>, Failure> {
    let mut pages = Vec::new();
    if let Some(reproduction) = stored::reproduction(folder)? {
        pages.push((folder.join(REPORT), page::page(&reproduction)));
    }
    let figures = stored::figures(folder)?;
    if replicate.is_some() && figures.iter().all(|drawn| drawn.folders.is_empty()) {
        let message = format!("--replicate: {} has no series over time", folder.display());
        let help = "leave it out, or run `tusker reproduce` with --figure first";
        return Err(Failure::input(message, help));
    }
    if !figures.is_empty() {
        let page = page::figures::page(&figures, folder, replicate)?;
        pages.push((folder.join(FIGURES_PAGE), page));
    }
    Ok(pages)
}
