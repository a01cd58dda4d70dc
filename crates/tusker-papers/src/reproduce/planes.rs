//! Rows on real sockets, beside what the paper prints and what the simulator says.
//!
//! ```text
//!  FOLDER/rows/..., figures/...           simulated rows, as without --plane
//!  FOLDER/testbed/rows/..., figures/...   the same rows on real sockets
//!  FOLDER/testbed/reproduction.json       rows and claims, judged on these
//!  FOLDER/testbed/report.html             all that, with the curves of both planes
//! ```

use std::collections::BTreeMap;

use tusker_plan::plane::Plane;
use tusker_report::results;
use tusker_store::{REPORT, Stored};

use super::{Answered, Failure, File, Job, Measured, ROWS, Value, What, readings};
use crate::page::planes::Both;
use crate::rows::{Row, Taken};
use crate::stored::{FIGURES, REPRODUCTION};

/// The folder of what was measured, within that of the paper.
pub const TESTBED: &str = "testbed";

/// A row that the testbed cannot run, and why.
type Refused = (String, String);

impl<'a> Job<'a> {
    /// Simulates rows, and runs them on real sockets.
    pub(super) fn on_both_planes(&self) -> Result<Answered, Failure> {
        let taken = self.paper.take(&readings::combined(self.request)?, &self.request.sets)?;
        let traced = matches!(self.request.what, What::Figures(_));
        let changes = if traced { self.paper.about.trace.set.as_slice() } else { &[] };
        let (rows, refused) = self.possible(&taken, changes)?;
        self.say_assumptions(&taken);
        for (row, what) in &refused {
            self.host.say(&format!("{row} cannot be run on the testbed: {what}"), true);
        }
        if rows.is_empty() {
            let message = "none of these rows can be run on the testbed";
            let help = "leave it out to simulate them";
            return Err(Failure::mistake("--plane testbed", message, help));
        }
        for row in &rows {
            self.host.may(&self.ready(row, &taken, changes)?.plan)?;
        }
        let on = |plane, folder| {
            let (recorded, job) = (BTreeMap::new(), Job::new(self.paper, self.request, self.host));
            Job { plane, folder, recorded, ..job }
        };
        let simulator = on(Plane::Simulator, self.folder.clone());
        let testbed = on(Plane::Testbed, self.folder.join(TESTBED));
        let within = if traced { FIGURES } else { ROWS };
        let (mut simulated, outcome) = simulator.run(&[(&taken, rows.clone())], changes, within)?;
        let simulated = simulated.remove(0);
        if outcome.ended.is_some() {
            let none = simulator.of_rows(&taken, &simulated, &Measured::default());
            return Ok(Answered::rows(&none).ran(outcome, &[&simulated]));
        }
        let (mut measured, outcome) = testbed.run(&[(&taken, rows)], changes, within)?;
        let measured = measured.remove(0);
        let more = testbed.others(&taken, &measured);
        let both = Both {
            tables: &self.paper.about.tables,
            simulated: simulator.of_rows(&taken, &simulated, &Measured::default()),
            measured: testbed.of_rows(&taken, &measured, &more),
            refused,
        };
        let mut curves = Vec::new();
        for (id, folder) in &measured.folders {
            let Some((_, other)) = simulated.folders.iter().find(|(own, _)| own == id) else {
                continue;
            };
            let read =
                |job: &Job<'_>, name: &str| Stored::read(&job.folder.join(within).join(name), None);
            // a row that was stopped has none yet
            let (Ok(a), Ok(b)) = (read(&simulator, other), read(&testbed, folder)) else {
                continue;
            };
            let name = format!("time-{}", id.replace('@', "-at-"));
            curves.extend(results::both_over_time(&a, &b, &name, id));
        }
        let (csv, page) = (both.csv(), both.page(curves));
        let mut files = testbed.files(&taken, &measured, &more);
        files.retain(|file| matches!(file, File::Data(name, _) if name == REPRODUCTION));
        files.push(File::Page(REPORT.to_owned(), Box::new(page.clone())));
        let value = Value::Several(vec![both.simulated, both.measured]);
        let others = more.ids();
        Ok(Answered { files, others, ..Answered::new(value, csv, page) }.ran(outcome, &[&measured]))
    }

    /// The rows that were asked for (without a word those that the paper has for it) and that
    /// the testbed can run; the others, and why it cannot.
    fn possible(
        &self,
        taken: &Taken<'_>,
        changes: &[String],
    ) -> Result<(Vec<Row<'a>>, Vec<Refused>), Failure> {
        let rows = match &self.request.what {
            What::Figures(ids) => self.rows_of(&self.named(ids)?),
            _ => {
                let mut selection = self.request.selection.clone();
                if selection.is_all() {
                    selection.tables.clone_from(&self.paper.about.testbed.tables);
                }
                self.paper.select(&selection)?
            }
        };
        let (mut can, mut cannot) = (Vec::new(), Vec::new());
        for row in rows {
            match self.host.refuses(&self.ready(&row, taken, changes)?.plan) {
                None => can.push(row),
                Some(what) => cannot.push((row.id(), what)),
            }
        }
        Ok((can, cannot))
    }
}
