//! What is said about a reproduction on stderr.

use std::collections::BTreeMap;
use std::path::Path;

use tusker_lab::Outcome;
use tusker_papers::rows::Taken;
use tusker_plan::plane::Plane;
use tusker_store::REPORT;

use super::all::ALL;
use super::{Job, Measured, on_testbed};
use crate::failure::Failure;
use crate::next;
use crate::output::say;
use crate::running::speed;

impl Job<'_> {
    /// Says something, unless somebody else than the terminal looks on.
    pub(super) fn say(&self, text: &str) {
        if self.watch.is_none() {
            say(text);
        }
    }

    pub(super) fn tell_assumptions(&self, taken: &Taken<'_>) {
        if self.args.how.quiet {
            return;
        }
        let about = &self.paper.about;
        say(&about.title);
        say(&about.authors);
        say(&format!("{}; reading: {}", about.covers, taken.name()));
        if self.args.quick {
            let mine =
                Some(&about.testbed.quick).filter(|q| on_testbed(self.args) && !q.is_empty());
            let changes = mine.unwrap_or(&about.quick).join(", ");
            let own = self.paper.cases.cases.iter().any(|case| case.quick.is_some());
            let most = if own { " (most rows)" } else { "" };
            say(&format!(
                "quick: {changes}{most}; without --quick the runs have their full length"
            ));
        }
    }

    pub(super) fn finish(
        &self,
        outcome: Outcome,
        measured: &[&Measured<'_>],
    ) -> Result<(), Failure> {
        let folder = self.shared.shown(&self.folder);
        if outcome.ended.is_none() {
            self.shared.push(&self.folder, &|| self.stopped())?;
        }
        if outcome.ended.is_some() {
            // readings that change nothing in a row share its folder
            let mut rows: BTreeMap<String, (usize, usize)> = BTreeMap::new();
            for of in measured {
                for (i, (row, summary)) in of.rows.iter().enumerate() {
                    let place = of.folders.get(i).map(|(_, folder)| folder.clone());
                    let runs = (summary.seeds.len(), summary.wanted as usize);
                    rows.insert(place.unwrap_or_else(|| row.id()), runs);
                }
            }
            say(&kept(&rows.into_values().collect::<Vec<_>>(), &folder));
        } else if !self.args.how.quiet {
            if outcome.has_results() && self.plane == Plane::Simulator {
                say(&speed(&outcome.summaries));
            }
            let own = self.folder.join(REPORT);
            let claim = !self.args.claim.asked.is_empty();
            let page = match own.is_file() {
                true if claim => format!(
                    "; all rows run so far, not only this claim's: {}",
                    self.shared.shown(&own)
                ),
                true => format!(", the report is {}", self.shared.shown(&own)),
                false => String::new(),
            };
            say(&format!("results are in {folder}{page}"));
            if claim {
                // it has its own next steps
                return Ok(());
            }
            // a folder is found by its path, not by its name
            let name = match self.args.paper.as_str() {
                ALL => self.paper.about.key.clone(),
                own => next::path(Path::new(own)),
            };
            let mut steps =
                vec![(format!("reproduce {name} --readings"), "lists other ways to read the text")];
            if self.args.ray.is_none() {
                let folder = next::path(&self.folder);
                steps.insert(
                    0,
                    (format!("report {folder} --list"), "lists its figures, to export them"),
                );
            }
            next::steps(&steps);
        }
        outcome.ended.map_or(Ok(()), |trouble| Err(trouble.into()))
    }
}

/// What is kept of rows that were interrupted: the finished and the asked for runs of each.
fn kept(rows: &[(usize, usize)], folder: &str) -> String {
    let again = "the same command continues from there";
    if rows.iter().all(|(_, all)| *all <= 1) {
        let done = rows.iter().filter(|(done, all)| done >= all).count();
        return format!("{done} of {} rows are in {folder}; {again}", rows.len());
    }
    // each run is kept by itself, as soon as it is finished
    let sum = |(done, all), (own, of): &(usize, usize)| (done + own, all + of);
    match rows.iter().fold((0, 0), sum) {
        (0, all) => format!("none of {all} runs was finished, so nothing is kept"),
        (1, all) => format!("1 of {all} runs is kept in {folder}; {again}"),
        (done, all) => format!("{done} of {all} runs are kept in {folder}; {again}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six rows of three runs each.
    #[test]
    fn each_finished_run_of_a_row_is_kept() {
        let again = "the same command continues from there";
        let mut rows = [(0, 3); 6];
        assert_eq!(kept(&rows, "r"), "none of 18 runs was finished, so nothing is kept");
        rows[0].0 = 1;
        assert_eq!(kept(&rows, "r"), format!("1 of 18 runs is kept in r; {again}"));
        rows[1].0 = 3;
        assert_eq!(kept(&rows, "r"), format!("4 of 18 runs are kept in r; {again}"));
        assert_eq!(kept(&[(1, 1), (0, 1)], "r"), format!("1 of 2 rows are in r; {again}"));
    }
}
