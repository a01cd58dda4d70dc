//! What is said of a reproduction on stderr.

use std::collections::BTreeMap;

use tusker_lab::{Experiment, Outcome};
use tusker_papers::rows::Taken;
use tusker_plan::plane::Plane;
use tusker_record::store::REPORT;

use super::cost::Cost;
use super::{Job, Measured, on_testbed};
use crate::failure::Failure;
use crate::next;
use crate::output::say;
use crate::report;

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

    /// Before rows are run under many readings and seeds: how much that is.
    pub(super) fn tell_cost(&self, experiments: &[Experiment]) -> Result<(), Failure> {
        let many = self.args.conclusions || self.args.compare_readings;
        if !many || self.args.how.quiet {
            return Ok(());
        }
        let jobs = match self.shared.elsewhere() {
            Some(there) => there.cores(),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let jobs = self.args.how.jobs.map_or(jobs, |jobs| jobs as usize);
        say(&Cost::of(experiments)?.text(jobs));
        Ok(())
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
            let mut rows: BTreeMap<String, bool> = BTreeMap::new();
            for of in measured {
                for (i, (row, summary)) in of.rows.iter().enumerate() {
                    let place = of.folders.get(i).map(|(_, folder)| folder.clone());
                    rows.insert(place.unwrap_or_else(|| row.id()), summary.complete);
                }
            }
            let (done, all) = (rows.values().filter(|done| **done).count(), rows.len());
            say(&format!(
                "{done} of {all} rows are in {folder}; the same command continues from there"
            ));
        } else if !self.args.how.quiet {
            if outcome.has_results() && self.plane == Plane::Simulator {
                say(&report::speed(&outcome.summaries));
            }
            let own = self.folder.join(REPORT);
            let page = match own.is_file() {
                true => format!(", the report is {}", self.shared.shown(&own)),
                false => String::new(),
            };
            say(&format!("results are in {folder}{page}"));
            let key = &self.paper.about.key;
            let mut steps =
                vec![(format!("reproduce {key} --readings"), "what else the text may mean")];
            if self.args.ray.is_none() {
                let folder = next::path(&self.folder);
                steps.insert(0, (format!("report {folder} --list"), "its figures, to export"));
            }
            next::steps(&steps);
        }
        outcome.ended.map_or(Ok(()), |trouble| Err(trouble.into()))
    }
}
