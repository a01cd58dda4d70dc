//! `--reading` and `--compare-readings`: other readings of a paper's text, and what they
//! change.

use std::collections::BTreeSet;
use std::path::Path;

use tusker_papers::reproduction::MeasureInfo;
use tusker_papers::rows::{Row, Taken};
use tusker_papers::{Paper, Reproduction};
use tusker_report::Page;
use tusker_report::page::{Block, Table};
use tusker_store::files;
use tusker_store::folder::{self, Kind};

use super::compared::{Compared, by_row, compared_csv};
use super::{Job, Measured, ROWS, figures, selection, text};
use crate::args::{Format, HowArgs, ReproduceArgs};
use crate::failure::Failure;
use crate::output::{print, say};
use crate::pages;
use crate::running::command_line;

/// The page of a comparison of readings, beside that of the base.
pub(super) const PAGE: &str = "readings.html";

/// Lines of rows under readings that a page shows at once; more are folded.
const MOST: usize = 100;

/// What the page shows, for `--recorded`.
pub(super) const STORED: &str = "readings.json";

/// The readings of `--reading a+b`, which are combined. A comma stands between readings that
/// are run one by one, which only --compare-readings does.
pub(super) fn combined(args: &ReproduceArgs) -> Result<Vec<String>, Failure> {
    match args.readings.as_slice() {
        [] => Ok(Vec::new()),
        [one] => Ok(parts(one)),
        several => Err(Failure::input(
            format!("--reading {}: these are {} readings", several.join(","), several.len()),
            format!(
                "--reading {} combines them; --compare-readings runs each by itself",
                several.join("+")
            ),
        )),
    }
}

/// The readings in `a+b`.
pub(super) fn parts(name: &str) -> Vec<String> {
    name.split('+').map(str::to_owned).collect()
}

/// The readings that were compared in a folder, as far as they are asked for.
pub(super) fn stored(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
) -> Result<Vec<Compared>, Failure> {
    let own = path.join(&paper.about.key);
    let files = [path.to_owned(), path.join(STORED), own.join(STORED)];
    let file = files.iter().find(|file| file.is_file()).unwrap_or(&files[1]);
    let wrong = |message: String| {
        let help = format!(
            "give a folder of results in which `tusker reproduce {} --compare-readings` ran",
            paper.about.key
        );
        Failure::input(format!("--recorded {}: {message}", file.display()), help)
    };
    let folder = file.parent().filter(|_| file.ends_with(STORED));
    let stored =
        folder.map(|folder| folder::read(folder, Kind::Reproduction, STORED)).transpose()?;
    let text = match stored.flatten() {
        Some(stored) => String::from_utf8_lossy(&stored).into_owned(),
        None => files::text(file).map_err(|error| wrong(error.to_string()))?,
    };
    let read: Vec<Reproduction> =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let base = read.first().cloned().ok_or_else(|| wrong("it has no reading".to_owned()))?;
    if base.paper.key != paper.about.key {
        return Err(wrong(format!("it is of the paper {}", base.paper.key)));
    }
    if base.quick != args.quick {
        let help = if args.quick { "leave out --quick" } else { "add --quick" };
        let message = format!("--recorded {}: its runs have another length", file.display());
        return Err(Failure::input(message, help));
    }
    let what = |r: &Reproduction| -> Vec<_> {
        r.rows.iter().map(|row| (row.changes.clone(), row.values.clone())).collect()
    };
    let same = |(i, r): (usize, &Reproduction)| i > 0 && what(r) == what(&base);
    let same: Vec<bool> = read.iter().enumerate().map(same).collect();
    let chosen = chosen(paper, args)?.is_some();
    let mut all: Vec<Compared> = read
        .into_iter()
        .zip(same)
        .map(|(reproduction, same)| Compared { reproduction, same, chosen })
        .collect();
    let there: Vec<String> = all.iter().map(|one| one.reproduction.reading.name.clone()).collect();
    if let Some(name) = args.readings.iter().find(|name| !there.iter().any(|own| is(own, name))) {
        let message = format!("--recorded {}: it has no reading {name}", file.display());
        return Err(Failure::input(message, format!("it has {}", there.join(", "))));
    }
    // the base stays, as what the others are compared with
    let asked =
        |own: &str| args.readings.is_empty() || args.readings.iter().any(|name| is(own, name));
    let mut first = true;
    all.retain(|one| std::mem::take(&mut first) || asked(&one.reproduction.reading.name));
    Ok(all)
}

/// The rows that were asked for; nothing if these are all.
fn chosen(paper: &Paper, args: &ReproduceArgs) -> Result<Option<BTreeSet<String>>, Failure> {
    let rows = paper.select(&selection(args))?;
    let some = rows.len() < paper.rows().len();
    Ok(some.then(|| rows.iter().map(Row::id).collect()))
}

/// Whether a reading, perhaps with further settings, has this name.
pub(super) fn is(own: &str, name: &str) -> bool {
    own.split(" --set ").next() == Some(name)
}

/// What is judged on every seed cannot be shown with one.
pub(super) fn refuse_seed(args: &ReproduceArgs, flag: &str) -> Result<(), Failure> {
    let message = format!("--seed: {flag} shows every seed that was recorded");
    let help = format!("leave out --seed, or {flag}");
    args.how.seed.map_or(Ok(()), |_| Err(Failure::input(message, help)))
}

/// `--recorded FOLDER --compare-readings`.
pub(super) fn shown_again(paper: &Paper, path: &Path, args: &ReproduceArgs) -> Result<(), Failure> {
    refuse_seed(args, "--compare-readings")?;
    let chosen = chosen(paper, args)?;
    let mut all = stored(paper, path, args)?;
    for one in &mut all {
        if let Some(rows) = &chosen {
            one.reproduction = one.reproduction.clone().between(paper, rows);
        }
        one.reproduction.execution.command = command_line();
    }
    if all[0].reproduction.rows.is_empty() {
        let message = format!("--recorded {}: it has none of these rows", path.display());
        return Err(Failure::input(message, "leave out --table, --case or --at"));
    }
    show(&all, &args.how)?;
    if let Some(out) = &args.out {
        let path = out.join(PAGE);
        figures::write(out, STORED, &text::json(all.iter().map(|one| &one.reproduction)))?;
        figures::write_page(&path, &page(&all))?;
        if !args.how.quiet {
            say(&format!("the readings side by side are {}", path.display()));
        }
    }
    Ok(())
}

fn show(all: &[Compared], how: &HowArgs) -> Result<(), Failure> {
    match how.format {
        Format::Table => pages::print(&page(all), how.quiet),
        Format::Json => print(&text::json(all.iter().map(|one| &one.reproduction))),
        Format::Csv => print(&compared_csv(all)),
    }
}

impl Job<'_> {
    /// The readings that were asked for, together; an error if one of them would be
    /// replaced by another or by --quick.
    pub(super) fn taken(&self, rows: &[Row<'_>]) -> Result<Taken<'_>, Failure> {
        let names = combined(self.args)?;
        let taken = self.paper.take(&names, &self.args.sets)?;
        if let Some(found) = self.overruled(rows, &names) {
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
        let kept = self.not_replaced_silently(rows, names.clone());
        let out: Vec<String> = names.into_iter().filter(|name| !kept.contains(name)).collect();
        if !out.is_empty() {
            let names = out.join(", ");
            self.say(&format!("left out, because --quick sets the same: {names}"));
        }
        kept
    }

    /// The same, without a word.
    pub(super) fn not_replaced_silently(
        &self,
        rows: &[Row<'_>],
        names: Vec<String>,
    ) -> Vec<String> {
        let stays = |name: &String| self.overruled(rows, std::slice::from_ref(name)).is_none();
        names.into_iter().filter(stays).collect()
    }

    pub(super) fn compare_readings(&self) -> Result<(), Failure> {
        let rows = self.paper.select(&self.selection())?;
        let names: Vec<String> = if self.args.readings.is_empty() {
            let all = self.paper.readings.iter().map(|reading| reading.name.clone());
            self.not_replaced(&rows, all.collect())
        } else {
            let given = self.args.readings.iter();
            // each is run by itself
            for names in given.clone().map(|name| parts(name)) {
                self.paper.take(&names, &[])?;
                if let Some(found) = self.overruled(&rows, &names) {
                    return Err(found);
                }
            }
            given.cloned().collect()
        };
        let each = names.iter().map(|name| parts(name));
        let taken: Vec<Taken<'_>> = std::iter::once(Vec::new())
            .chain(each)
            .map(|names| self.paper.take(&names, &self.args.sets))
            .collect::<Result<_, _>>()?;
        let wanted: Vec<_> = taken.iter().map(|taken| (taken, rows.clone())).collect();
        let (measured, outcome) = self.run(&wanted, &[], ROWS)?;
        let none = Measured::default();
        let chosen = chosen(self.paper, self.args)?;
        let all: Vec<Compared> = taken
            .iter()
            .zip(&measured)
            .enumerate()
            .map(|(i, (taken, own))| {
                let all = self.beside(taken, own, &none);
                Compared {
                    reproduction: match &chosen {
                        Some(rows) => all.between(self.paper, rows),
                        None => all,
                    },
                    same: i > 0 && !taken.counts_otherwise() && own.folders == measured[0].folders,
                    chosen: chosen.is_some(),
                }
            })
            .collect();
        show(&all, &self.args.how)?;
        self.save_all(&taken[0], &measured[0], &none)?;
        if !self.stopped() {
            self.write_readings_page(&self.folder.join(PAGE), &all)?;
            figures::write(
                &self.folder,
                STORED,
                &text::json(all.iter().map(|one| &one.reproduction)),
            )?;
        }
        self.finish(outcome, &measured.iter().collect::<Vec<_>>())
    }

    fn write_readings_page(&self, path: &Path, all: &[Compared]) -> Result<(), Failure> {
        figures::write_page(path, &page(all))?;
        if !self.args.how.quiet {
            let path = self.shared.shown(path);
            self.say(&format!("the readings side by side are {path}"));
        }
        Ok(())
    }
}

fn page(all: &[Compared]) -> Page {
    let base = &all[0].reproduction;
    let mut page = Page {
        title: format!("Readings of {}", base.paper.title),
        lead: format!("{}; {}", base.paper.authors, base.paper.covers),
        commands: vec![tusker_report::results::command(&base.execution.command)],
        ..Page::default()
    };
    let between = match all.iter().any(|one| one.chosen) {
        true => format!(" ({})", text::BETWEEN),
        false => String::new(),
    };
    let mut score = Table::new(
        format!("Rows within their tolerances and claims that hold{between}, under each reading"),
        ["reading", "rows within", "claims that hold", "what it supposes"],
    );
    for one in all {
        let r = &one.reproduction;
        let rows = format!("{} of {}", r.scoreboard.by_means, r.scoreboard.run);
        let nothing = "changes nothing in these rows".to_owned();
        let [rows, claims] = if one.same { [nothing, String::new()] } else { [rows, one.claims()] };
        score.row(None, [one.name(), rows, claims, r.reading.why.join("; ")]);
    }
    page.table = Some(score);
    let mut blocks = Vec::new();
    for one in all.iter().map(|one| &one.reproduction) {
        if let Some(note) = one.phase_note() {
            let text = format!("Doubtful under {}: {note}.", one.reading.name);
            blocks.push(Block::Warning(text));
        }
    }
    if !blocks.is_empty() {
        page.section("Readings", blocks);
    }
    let by_row = by_row(all);
    let mut rows = Table::new("Each row as the paper has it and under each reading", by_row.head);
    by_row.lines.into_iter().for_each(|line| rows.row(None, line));
    let about = |m: &&MeasureInfo| m.tolerance.is_some() || m.beside;
    let heads = base.measures.iter().filter(about);
    let heads: Vec<String> = heads.map(|m| format!("{}: {}", m.head, m.about)).collect();
    let rows = match rows.rows.len() {
        0..=MOST => Block::Table(rows),
        _ => Block::FoldedTable(rows),
    };
    page.section("Rows", vec![Block::Text(format!("{}.", heads.join("; "))), rows]);
    let mut differ = Table::new(
        "Claims whose verdict is not that under the base",
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
        true => vec![Block::Text("Every claim has the same verdict as under the base.".to_owned())],
        false => vec![Block::Table(differ)],
    };
    page.section("Claims", blocks);
    page
}
