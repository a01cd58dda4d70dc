//! `--reading` and `--compare-readings`: other readings of the text, and what they change.

use std::path::Path;

use tusker_papers::rows::{Row, Taken};
use tusker_report::Page;
use tusker_report::page::{Block, Table};

use super::{Job, Measured, ROWS, figures, text};
use crate::args::Format;
use crate::failure::Failure;
use crate::output::print;

/// The page of a comparison of readings, beside that of the base.
const PAGE: &str = "readings.html";

impl Job<'_> {
    /// The readings that were asked for, together; an error if one of them would be
    /// replaced by another or by --quick.
    pub(super) fn taken(&self, rows: &[Row<'_>]) -> Result<Taken<'_>, Failure> {
        let names = &self.args.readings;
        let taken = self.paper.take(names, &self.args.sets)?;
        if let Some(found) = self.overruled(rows, names) {
            return Err(found);
        }
        let same = |row: &Row<'_>| {
            let base = Taken::with(&self.args.sets);
            self.paper.changes(row, &taken, &[]) == self.paper.changes(row, &base, &[])
        };
        if !names.is_empty() && !taken.counts_otherwise() && rows.iter().all(same) {
            self.say(&format!("the reading {} changes nothing in these rows", taken.name()));
        }
        Ok(taken)
    }

    /// The error if something replaces what a reading sets.
    fn overruled(&self, rows: &[Row<'_>], names: &[String]) -> Option<Failure> {
        let shorter = |row: &Row<'_>| match self.args.quick {
            true => self.paper.quick(row).to_vec(),
            false => Vec::new(),
        };
        let found = rows.iter().find_map(|row| self.paper.overruled(row, names, &shorter(row)));
        found.map(|found| {
            let (name, key) = (found.reading, found.key);
            match found.by {
                Some(by) => Failure::input(
                    format!("--reading: {name} and {by} both set `{key}`"),
                    "name one of them; --compare-readings runs each by itself",
                ),
                None => Failure::input(
                    format!("--reading {name} sets `{key}`, which --quick sets as well"),
                    "leave out --quick, or this reading",
                ),
            }
        })
    }

    /// The names of these readings without those that --quick replaces, which it tells.
    pub(super) fn not_replaced(&self, rows: &[Row<'_>], names: Vec<String>) -> Vec<String> {
        let (kept, out): (Vec<String>, Vec<String>) = names
            .into_iter()
            .partition(|name| self.overruled(rows, std::slice::from_ref(name)).is_none());
        if !out.is_empty() {
            let names = out.join(", ");
            self.say(&format!("left out, because --quick sets the same: {names}"));
        }
        kept
    }

    pub(super) fn compare_readings(&self) -> Result<(), Failure> {
        let rows = self.paper.select(&self.selection())?;
        let names: Vec<String> = if self.args.readings.is_empty() {
            let all = self.paper.readings.iter().map(|reading| reading.name.clone());
            self.not_replaced(&rows, all.collect())
        } else {
            let given = self.args.readings.iter();
            // each is run by itself
            for name in given.clone() {
                self.paper.take(std::slice::from_ref(name), &[])?;
                if let Some(found) = self.overruled(&rows, std::slice::from_ref(name)) {
                    return Err(found);
                }
            }
            given.cloned().collect()
        };
        let each = names.iter().map(std::slice::from_ref);
        let taken: Vec<Taken<'_>> = std::iter::once(&[][..])
            .chain(each)
            .map(|names| self.paper.take(names, &self.args.sets))
            .collect::<Result<_, _>>()?;
        let wanted: Vec<_> = taken.iter().map(|taken| (taken, rows.clone())).collect();
        let (measured, outcome) = self.run(&wanted, &[], ROWS)?;
        let none = Measured::default();
        let all: Vec<text::Compared> = taken
            .iter()
            .zip(&measured)
            .enumerate()
            .map(|(i, (taken, own))| text::Compared {
                reproduction: self.beside(taken, own, &none),
                same: i > 0 && !taken.counts_otherwise() && own.folders == measured[0].folders,
            })
            .collect();
        print(&match self.args.how.format {
            Format::Table => text::compared(&all),
            Format::Json => text::json(all.iter().map(|one| &one.reproduction)),
            Format::Csv => text::compared_csv(&all),
        })?;
        self.save_all(&taken[0], &measured[0], &none)?;
        if !self.stopped() {
            self.write_readings_page(&self.folder.join(PAGE), &all)?;
        }
        self.finish(outcome, &measured.iter().collect::<Vec<_>>())
    }

    fn write_readings_page(&self, path: &Path, all: &[text::Compared]) -> Result<(), Failure> {
        figures::write_page(path, &page(all))?;
        if !self.args.how.quiet {
            let path = self.shared.shown(path);
            self.say(&format!("the readings side by side are {path}"));
        }
        Ok(())
    }
}

fn page(all: &[text::Compared]) -> Page {
    let base = &all[0].reproduction;
    let mut page = Page {
        title: format!("Readings of {}", base.paper.title),
        lead: format!("{}; {}", base.paper.authors, base.paper.covers),
        commands: vec![tusker_report::results::command(&base.execution.command)],
        ..Page::default()
    };
    let mut score = Table::new(
        "Rows within their tolerances and claims that hold, under each reading",
        ["reading", "rows within", "claims that hold", "what it supposes"],
    );
    for text::Compared { reproduction: r, same } in all {
        let s = &r.scoreboard;
        let rows = format!("{} of {}", s.within, s.run);
        let claims = format!("{} of {}", s.hold, s.claims - s.open);
        let nothing = "changes nothing in these rows".to_owned();
        let [rows, claims] = if *same { [nothing, String::new()] } else { [rows, claims] };
        score.row(None, [r.reading.name.clone(), rows, claims, r.reading.why.join("; ")]);
    }
    page.section("Readings", vec![Block::Table(score)]);
    let mut differ = Table::new(
        "Claims whose verdict is not that of the base",
        ["reading", "what the paper says", "base", "here"],
    );
    for one in all.iter().filter(|one| !one.same) {
        for (claim, before) in text::other_verdicts(base, &one.reproduction) {
            let name = &one.reproduction.reading.name;
            let [before, now] = [before.ours.verdict.text(), claim.ours.verdict.text()];
            differ.row(None, [name.as_str(), &claim.says, before, now]);
        }
    }
    let blocks = match differ.rows.is_empty() {
        true => vec![Block::Text("Every claim comes out as under the base.".to_owned())],
        false => vec![Block::Table(differ)],
    };
    page.section("Claims", blocks);
    page
}
