//! What a reproduction keeps in its folder besides the rows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tusker_papers::paper::Figure;
use tusker_papers::rows::Taken;
use tusker_papers::stored::{self, DrawnFigure, REPRODUCTION};
use tusker_report::Page;
use tusker_store::folder::{self, Kind};

use super::{FIGURES_PAGE, Job, Measured, drawings, figures, page, readings};
use crate::failure::Failure;
use crate::outfile;

/// Makes sure that the results of a paper can go into a folder. Nothing is written.
pub fn may(folder: &Path) -> Result<(), Failure> {
    folder::check(folder, Kind::Reproduction)?;
    let listed = folder::names(folder, Kind::Reproduction)?;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let claim = name.starts_with("claim-");
        let page = name == FIGURES_PAGE || name == readings::PAGE;
        if page || claim && name.ends_with(".html") {
            outfile::within(&path)?;
            outfile::check(&path, outfile::Kind::Page)?;
        } else if (name == readings::STORED || claim && name.ends_with(".json"))
            && !listed.contains(&name)
        {
            return Err(tusker_store::Error::NotOurs(path).into());
        }
    }
    Ok(())
}

impl Job<'_> {
    /// Makes the folder that of a reproduction, or says why it cannot be.
    pub(super) fn claim(&self) -> Result<(), Failure> {
        if self.shared.is_mirror() {
            // what shared storage had is there, perhaps without a manifest
            return Ok(folder::adopt(&self.folder, Kind::Reproduction)?);
        }
        may(&self.folder)?;
        Ok(folder::claim(&self.folder, Kind::Reproduction)?)
    }

    /// What the page of figures needs of one, as `figures/figure-N.json`.
    pub(super) fn save_figure(
        &self,
        figure: &Figure,
        taken: &Taken<'_>,
        measured: &Measured<'_>,
    ) -> Result<(), Failure> {
        let wanted = figure.row_ids();
        let own = |id: &str| wanted.iter().any(|row| row == id);
        let mut rows = measured.pairs();
        rows.retain(|(row, _)| own(&row.id()));
        let over_time = !figure.is_of_tables();
        let folders = measured.folders.iter().filter(|(id, _)| over_time && own(id));
        let folders = folders.cloned().collect();
        let drawn = DrawnFigure::new(figure, folders, self.reproduction(taken, &rows, &[]));
        figures::write(&self.folder, &drawn.file(), &drawn.to_json())
    }

    /// The page of all figures of this paper that are in the folder; where it is.
    pub(super) fn write_figures_page(&self) -> Result<Option<PathBuf>, Failure> {
        let folder = &self.folder;
        let mut all = stored::figures(folder)?;
        all.retain(|drawn| drawn.reproduction.paper.key == self.paper.about.key);
        if all.is_empty() {
            return Ok(None);
        }
        let page = drawings::page(&all, folder, None)?;
        let path = folder.join(FIGURES_PAGE);
        figures::write_page(&path, &page)?;
        Ok(Some(path))
    }

    /// Everything that is known, as `reproduction.json` in the folder.
    pub(super) fn save_all(
        &self,
        taken: &Taken<'_>,
        measured: &Measured<'_>,
        more: &Measured<'_>,
    ) -> Result<(), Failure> {
        let mut rows = measured.pairs();
        rows.extend(more.pairs());
        let order: BTreeMap<String, usize> =
            self.paper.rows().iter().enumerate().map(|(i, row)| (row.id(), i)).collect();
        rows.sort_by_key(|(row, _)| order.get(&row.id()).copied());
        let reproduction = self.reproduction(taken, &rows, &[]);
        figures::write(&self.folder, REPRODUCTION, &reproduction.to_json())?;
        if self.stopped() {
            // who stops it does not wait for a page; the same command makes it
            return Ok(());
        }
        figures::write_page(&self.folder.join(tusker_store::REPORT), &page::page(&reproduction))
    }
}

/// The pages of a folder of a reproduction, and the file of each.
///
/// `replicate` is the one that figures show over time.
pub fn pages(folder: &Path, replicate: Option<u32>) -> Result<Vec<(PathBuf, Page)>, Failure> {
    let mut pages = Vec::new();
    if let Some(reproduction) = stored::reproduction(folder)? {
        pages.push((folder.join(tusker_store::REPORT), page::page(&reproduction)));
    }
    let figures = stored::figures(folder)?;
    if replicate.is_some() && figures.iter().all(|drawn| drawn.folders.is_empty()) {
        let message = format!("--replicate: {} has no series over time", folder.display());
        let help = "leave it out, or run `tusker reproduce` with --figure first";
        return Err(Failure::input(message, help));
    }
    if !figures.is_empty() {
        let page = drawings::page(&figures, folder, replicate)?;
        pages.push((folder.join(FIGURES_PAGE), page));
    }
    Ok(pages)
}
