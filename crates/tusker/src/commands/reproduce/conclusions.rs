//! `--conclusions`: the rows that a paper's conclusions need, with every seed and
//! under every reading that `conclusions.toml` names.

use std::collections::BTreeSet;

use tusker_papers::Paper;
use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{self, Conclusion, Run, Runs};
use tusker_papers::recorded::Measured as Recorded;
use tusker_papers::rows::{BASE, Taken};

use super::{Job, Measured, ROWS, selection, text};
use crate::args::{Format, ReproduceArgs};
use crate::failure::Failure;
use crate::output::print;

/// The names of the conclusions that are about one of the rows that were asked for; of all
/// if none was.
pub(super) fn about(paper: &Paper, args: &ReproduceArgs) -> Result<BTreeSet<String>, Failure> {
    let rows = paper.select(&selection(args))?;
    let rows: BTreeSet<String> = rows.iter().map(|row| row.id()).collect();
    let whole = rows.len() == paper.rows().len();
    let named = |one: &&Conclusion| {
        whole || one.operands(paper).iter().any(|operand| rows.contains(&operand.row))
    };
    let found = paper.conclusions.conclusions.iter().filter(named);
    let found: BTreeSet<String> = found.map(|one| one.id.clone()).collect();
    if found.is_empty() && !paper.conclusions.conclusions.is_empty() {
        let message = "--conclusions: none is about these rows";
        return Err(Failure::input(message, "leave out --table, --case or --at"));
    }
    Ok(found)
}

impl Job<'_> {
    pub(super) fn conclusions(&self) -> Result<(), Failure> {
        let wanted = &self.paper.conclusions;
        if wanted.conclusions.is_empty() {
            let key = &self.paper.about.key;
            return Err(Failure::input(
                format!("--conclusions: {key} has no conclusions.toml"),
                "papers/ghstcp in the source code has one; its first lines describe the format",
            ));
        }
        let seed = self.args.how.seed.map_or_else(|| self.paper.seed(), Ok);
        let seed = seed.map_err(crate::scenarios::wrong)?;
        let mut asked: Vec<(String, u64, Taken<'_>)> = Vec::new();
        for own in std::iter::once(seed).chain(wanted.seeds.iter().copied()) {
            let mut sets = self.args.sets.clone();
            sets.push(format!("seed={own}"));
            asked.push((BASE.to_owned(), own, self.paper.take(&[], &sets)?));
        }
        let chosen = about(self.paper, self.args)?;
        let mut rows = self.paper.rows_of_conclusions();
        let of_chosen = wanted.conclusions.iter().filter(|one| chosen.contains(&one.id));
        let needed: BTreeSet<String> =
            of_chosen.flat_map(|one| one.operands(self.paper)).map(|o| o.row).collect();
        rows.retain(|row| needed.contains(&row.id()));
        for name in self.not_replaced(&rows, wanted.readings.clone()) {
            let taken = self.paper.take(std::slice::from_ref(&name), &self.args.sets)?;
            asked.push((name, seed, taken));
        }
        let all: Vec<_> = asked.iter().map(|(_, _, taken)| (taken, rows.clone())).collect();
        let (measured, outcome) = self.run(&all, &[], ROWS)?;
        let run =
            |((reading, seed, taken), measured): (&(String, u64, Taken<'_>), &Measured<'_>)| {
                let beside = self.beside(taken, measured, &Measured::default());
                let own = beside.rows.into_iter().map(|row| {
                    let values = row.values.into_iter();
                    let values =
                        values.filter_map(|(name, cell)| Some((name, cell.ours?))).collect();
                    let (replicates, window) = (row.replicates, row.window);
                    (row.id, Recorded { replicates, window, values, ..Recorded::default() })
                });
                Run { reading: reading.clone(), seed: *seed, rows: own.collect() }
            };
        let runs = Runs(asked.iter().zip(&measured).map(run).collect());
        let mut results = conclusions::judge_on(self.paper, &runs, &|_| Verdict::Open);
        results.retain(|one| chosen.contains(&one.id));
        print(&match self.args.how.format {
            Format::Table => text::conclusions::all(&results),
            Format::Json => conclusions::to_json(&results),
            Format::Csv => runs.to_csv(self.paper),
        })?;
        self.finish(outcome, &measured.iter().collect::<Vec<_>>())
    }
}
