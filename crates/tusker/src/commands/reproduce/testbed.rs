//! `--plane testbed`: a paper's rows on real sockets, beside what the paper prints and
//! what the simulator says.
//!
//! ```text
//!  FOLDER/rows/..., figures/...           simulated rows, as without --plane
//!  FOLDER/testbed/rows/..., figures/...   the same rows on real sockets
//!  FOLDER/testbed/reproduction.json       rows and claims, judged on these
//!  FOLDER/testbed/report.html             all that, with the curves of both planes
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use tusker_lab::{Experiment, Outcome};
use tusker_measure::table::{NONE, Table};
use tusker_papers::Reproduction;
use tusker_papers::paper::Figure;
use tusker_papers::reproduction::{MeasureInfo, RowResult};
use tusker_papers::rows::{Row, Selection, Taken};
use tusker_papers::stored::FIGURES;
use tusker_plan::plane::Plane;
use tusker_report::page::{self, Block};
use tusker_report::results;
use tusker_store::{REPORT, Stored};

use super::verdict::Failing;
use super::{Job, Measured, ROWS, figures, page as pages, text};
use crate::args::{Format, HowArgs};
use crate::commands::testbed::bench::Bench;
use crate::commands::testbed::may;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{print_and_go_on, say};
use crate::running::execute_with;
use crate::screen::{self, bold};

/// How often a row is tried until it is valid.
const TRIES: u32 = 3;

/// The folder of what was measured, within that of the paper.
const OWN: &str = "testbed";

/// Runs experiments on real sockets, one at a time.
pub fn execute(experiments: &[Experiment], how: &HowArgs) -> Result<Outcome, Failure> {
    let bench = Bench::new(TRIES, how.quiet);
    let how = HowArgs { jobs: Some(1), ..*how };
    execute_with(&bench, experiments, &how)
}

/// A row that the testbed cannot run, and why.
type Refused<'a> = (Row<'a>, tusker_testbed::Refusal);

pub fn rows(job: &Job<'_>, mut verdict: Failing<'_>) -> Result<(), Failure> {
    let taken = job.paper.take(&super::readings::combined(job.args)?, &job.args.sets)?;
    let traced = !job.args.figures.is_empty();
    let changes = if traced { job.paper.about.trace.set.as_slice() } else { &[] };
    let (rows, refused) = possible(job, &taken, wanted(job)?, changes)?;
    job.tell_assumptions(&taken);
    for (row, refusal) in &refused {
        say(&format!("{} cannot be run on the testbed: {}", row.id(), refusal.what));
    }
    if rows.is_empty() {
        let message = "none of these rows can be run on the testbed";
        return Err(Failure::input(message, "leave --plane out to simulate them"));
    }
    let needed = rows.iter().map(|row| job.ready(row, &taken, changes));
    needed.into_iter().try_for_each(|ready| may(&ready?.plan))?;
    let on =
        |plane, folder| Job { plane, folder, recorded: BTreeMap::new(), of_build: None, ..*job };
    let simulator = on(Plane::Simulator, job.folder.clone());
    let testbed = on(Plane::Testbed, job.folder.join(OWN));
    // before the first of them runs
    super::results::may(&testbed.folder)?;
    let within = if traced { FIGURES } else { ROWS };
    let (mut simulated, outcome) = simulator.run(&[(&taken, rows.clone())], changes, within)?;
    let simulated = simulated.remove(0);
    if outcome.ended.is_some() {
        return simulator.finish(outcome, &[&simulated]);
    }
    let (mut measured, outcome) = testbed.run(&[(&taken, rows)], changes, within)?;
    let measured = measured.remove(0);
    let (none, more) = (Measured::default(), testbed.known(&taken, &measured));
    let both = Both {
        job,
        simulated: simulator.beside(&taken, &simulated, &none),
        measured: testbed.beside(&taken, &measured, &more),
        refused,
    };
    let text = match job.args.how.format {
        Format::Table => both.text(),
        Format::Json => text::json(&[both.simulated.clone(), both.measured.clone()]),
        Format::Csv => both.csv(),
    };
    let printed = print_and_go_on(&text, job.args.how.quiet);
    testbed.save_all(&taken, &measured, &more)?;
    if !interrupt::stopped() {
        let page = both.page(&simulator, &simulated, &testbed, &measured, within)?;
        figures::write_page(&testbed.folder.join(REPORT), &page)?;
    }
    testbed.finish(outcome, &[&measured])?;
    verdict.add(job.paper, &both.measured, more.ids())?;
    printed.and(verdict.end())
}

/// The rows that were asked for: without a word those that the paper has for it.
fn wanted<'a>(job: &Job<'a>) -> Result<Vec<Row<'a>>, Failure> {
    let args = job.args;
    if !args.figures.is_empty() {
        let found = args.figures.iter().map(|id| job.paper.figures(id));
        let found: Vec<Vec<&Figure>> = found.collect::<Result<_, _>>()?;
        return Ok(job.rows_of(&found.concat()));
    }
    let mut selection: Selection = job.selection();
    if selection.tables.is_empty() && selection.cases.is_empty() && selection.at.is_empty() {
        selection.tables.clone_from(&job.paper.about.testbed.tables);
    }
    Ok(job.paper.select(&selection)?)
}

/// Those that the testbed can run, and the others.
fn possible<'a>(
    job: &Job<'_>,
    taken: &Taken<'_>,
    rows: Vec<Row<'a>>,
    changes: &[String],
) -> Result<(Vec<Row<'a>>, Vec<Refused<'a>>), Failure> {
    let (mut can, mut cannot) = (Vec::new(), Vec::new());
    for row in rows {
        let ready = job.ready(&row, taken, changes)?;
        match tusker_testbed::can(&ready.plan) {
            Ok(()) => can.push(row),
            Err(refusal) => cannot.push((row, refusal)),
        }
    }
    Ok((can, cannot))
}

/// The same rows on both planes.
struct Both<'a> {
    job: &'a Job<'a>,
    simulated: Reproduction,
    measured: Reproduction,
    refused: Vec<Refused<'a>>,
}

/// A measure of a row: the paper's value, what was simulated, what was measured.
type Three = [Option<f64>; 3];

impl Both<'_> {
    fn pairs(&self) -> impl Iterator<Item = (&RowResult, &RowResult)> {
        self.simulated.rows.iter().filter_map(|row| {
            let measured = self.measured.rows.iter().find(|own| own.id == row.id)?;
            (row.replicates > 0 && measured.replicates > 0).then_some((row, measured))
        })
    }

    fn three(simulated: &RowResult, measured: &RowResult, measure: &MeasureInfo) -> Three {
        let cell = |row: &RowResult| row.values.get(&measure.name).cloned().unwrap_or_default();
        let (s, m) = (cell(simulated), cell(measured));
        [s.paper.map(|p| p.value), s.ours.map(|o| o.mean), m.ours.map(|o| o.mean)]
    }

    /// Measures that the simulator has of some row, and the testbed of none.
    fn absent(&self) -> Vec<&str> {
        let lacks = |measure: &&MeasureInfo| {
            let all = || self.pairs().map(|(s, m)| Self::three(s, m, measure));
            all().any(|three| three[1].is_some()) && all().all(|three| three[2].is_none())
        };
        self.measured.measures.iter().filter(lacks).map(|m| m.name.as_str()).collect()
    }

    /// What is known of the rows beside their numbers, a sentence each.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let absent = self.absent();
        if !absent.is_empty() {
            notes.push(format!("not measured on the testbed: {}", absent.join(", ")));
        }
        for (row, refusal) in &self.refused {
            notes.push(format!("{} was not run: {}", row.id(), refusal.what));
        }
        let invalid: Vec<&str> =
            self.pairs().filter(|(_, m)| m.invalid > 0).map(|(_, m)| m.id.as_str()).collect();
        if !invalid.is_empty() {
            notes.push(format!(
                "still invalid after {TRIES} runs, so do not use them: {}; --force runs them again",
                invalid.join(", ")
            ));
        }
        notes
    }

    /// The rows of a table, up to four lines each.
    fn table(&self, id: &str) -> Table {
        let measures = self.shown(id);
        let mut head = vec!["row".to_owned(), String::new()];
        head.extend(measures.iter().map(|measure| measure.head.clone()));
        let mut table = Table::new(head).bold_head();
        for (s, m) in self.pairs().filter(|(row, _)| row.table == id) {
            let three: Vec<Three> = measures.iter().map(|of| Self::three(s, m, of)).collect();
            let valid = if m.invalid > 0 { "measured, INVALID" } else { "measured" };
            let names = ["paper", "simulated", valid];
            let mut first = s.id.clone();
            for (at, name) in names.into_iter().enumerate() {
                if at == 0 && three.iter().all(|values| values[0].is_none()) {
                    continue;
                }
                let cell = |(values, of): (&Three, &&MeasureInfo)| {
                    let digits = of.decimals;
                    values[at].map_or(NONE.to_owned(), |value| format!("{value:.digits$}"))
                };
                let cells = three.iter().zip(&measures).map(cell);
                let line = [std::mem::take(&mut first), name.to_owned()].into_iter().chain(cells);
                table.row(line);
            }
            let apart = three.iter().map(|[_, s, m]| difference(*s, *m));
            let line = [String::new(), "difference".to_owned()].into_iter().chain(apart);
            table.row(line);
        }
        table
    }

    /// What a table shows.
    fn shown(&self, id: &str) -> Vec<&MeasureInfo> {
        let info = self.job.paper.about.tables.iter().find(|info| info.id == id);
        let shows = |m: &&MeasureInfo| match info {
            Some(info) => info.show.contains(&m.name),
            None => m.tolerance.is_some(),
        };
        self.measured.measures.iter().filter(shows).collect()
    }

    fn tables(&self) -> Vec<(&str, String)> {
        let mut ids: Vec<&str> = self.pairs().map(|(row, _)| row.table.as_str()).collect();
        ids.dedup();
        let title = |id: &str| {
            let info = self.job.paper.about.tables.iter().find(|info| info.id == id);
            info.map_or_else(|| format!("Table {id}"), |info| info.title.clone())
        };
        ids.into_iter().map(|id| (id, title(id))).collect()
    }

    fn text(&self) -> String {
        let mut text = text::heading(&self.measured, &|_| false);
        let _ = writeln!(text, "on real sockets, beside what was simulated; difference to that");
        for (id, title) in self.tables() {
            let _ = write!(text, "\n{}\n\n{}", bold(&title), screen::fit(&self.table(id)));
        }
        let notes = self.notes();
        if !notes.is_empty() {
            let _ = writeln!(text, "\n{}", notes.join("\n"));
        }
        text
    }

    /// A line per row: of every measure the paper's value, both of ours, and their
    /// difference as a part of what was simulated.
    fn csv(&self) -> String {
        let mut text = format!("table,case,{},replicates,invalid", self.measured.paper.variant);
        for MeasureInfo { name, .. } in &self.measured.measures {
            for end in ["paper", "simulated", "measured", "difference"] {
                let _ = write!(text, ",{name}_{end}");
            }
        }
        text.push('\n');
        for (s, m) in self.pairs() {
            let _ =
                write!(text, "{},{},{},{},{}", m.table, m.case, m.variant, m.replicates, m.invalid);
            for measure in &self.measured.measures {
                let three @ [_, simulated, measured] = Self::three(s, m, measure);
                for number in three.into_iter().chain([apart(simulated, measured)]) {
                    let _ = write!(text, ",{}", number.map_or(String::new(), |n| n.to_string()));
                }
            }
            text.push('\n');
        }
        text
    }

    /// Everything on a page: both planes first, then what the paper's page has.
    fn page(
        &self,
        simulator: &Job<'_>,
        simulated: &Measured<'_>,
        testbed: &Job<'_>,
        measured: &Measured<'_>,
        within: &str,
    ) -> Result<page::Page, Failure> {
        let mut blocks: Vec<Block> = self.notes().into_iter().map(Block::Warning).collect();
        for (id, title) in self.tables() {
            let mut head = vec!["row".to_owned(), "measure".to_owned()];
            head.extend(["paper", "simulated", "measured", "difference"].map(str::to_owned));
            let mut table = page::Table::new(title, head);
            for (s, m) in self.pairs().filter(|(row, _)| row.table == id) {
                let word = if m.invalid > 0 { " INVALID" } else { "" };
                for measure in self.shown(id) {
                    let three @ [_, simulated, measured] = Self::three(s, m, measure);
                    let digits = measure.decimals;
                    let cell = |value: Option<f64>| {
                        value.map_or(NONE.to_owned(), |value| format!("{value:.digits$}"))
                    };
                    let name = format!("{} {}", measure.name, measure.unit);
                    let cells = [format!("{}{word}", m.id), name].into_iter();
                    let apart = difference(simulated, measured);
                    table.row(None, cells.chain(three.map(cell)).chain([apart]));
                }
            }
            blocks.push(Block::Table(table));
        }
        let mut curves = Vec::new();
        for (id, folder) in &measured.folders {
            let Some((_, other)) = simulated.folders.iter().find(|(own, _)| own == id) else {
                continue;
            };
            let read =
                |job: &Job<'_>, name: &str| Stored::read(&job.folder.join(within).join(name), None);
            // a row that was stopped has none yet
            let (Ok(a), Ok(b)) = (read(simulator, other), read(testbed, folder)) else { continue };
            let name = format!("time-{}", id.replace('@', "-at-"));
            curves.extend(results::both_over_time(&a, &b, &name, id).map(Block::from));
        }
        let mut page = pages::page(&self.measured);
        page.title += ", on real sockets";
        let sections = [("Simulated and measured", blocks), ("Over time", curves)];
        let sections = sections.into_iter().filter(|(_, blocks)| !blocks.is_empty());
        let sections = sections.map(|(title, blocks)| page::Section {
            title: title.to_owned(),
            blocks,
            sheet: false,
        });
        page.sections.splice(0..0, sections);
        Ok(page)
    }
}

/// How far apart the two are, as a part of the first.
fn apart(simulated: Option<f64>, measured: Option<f64>) -> Option<f64> {
    let (simulated, measured) = simulated.zip(measured)?;
    match simulated {
        _ if simulated == measured => Some(0.0),
        0.0 => None,
        _ => Some(measured / simulated - 1.0),
    }
}

fn difference(simulated: Option<f64>, measured: Option<f64>) -> String {
    apart(simulated, measured).map_or(NONE.to_owned(), |part| format!("{:+.1} %", 100.0 * part))
}
