//! Runs the rows that claims need, and reads what is known about them.

use tusker_papers::asked::Asked;
use tusker_papers::rows::{BASE, Row, Taken};

use super::super::conclusions::possible;
use super::super::verdict::Failing;
use super::super::{Job, Measured, ROWS, readings};
use super::{judged, page, save, show};
use crate::failure::Failure;
use crate::output::say;

impl Job<'_> {
    /// Runs these rows as often and under as many readings as was asked for, and answers.
    pub(super) fn claims(
        &self,
        asked: &[Asked],
        rows: &[Row<'_>],
        mut verdict: Failing<'_>,
    ) -> Result<(), Failure> {
        let wanted = self.wanted(rows)?;
        let main = wanted[0].1.clone();
        self.tell_assumptions(&main);
        let all: Vec<_> = wanted.iter().map(|(_, taken)| (taken, rows.to_vec())).collect();
        let (measured, outcome) = self.run(&all, &[], ROWS)?;
        if !self.args.conclusions {
            let more = self.known(&main, &measured[0]);
            self.save_all(&main, &measured[0], &more)?;
        }
        // and what earlier commands ran
        let mut all = [wanted, possible(self.paper, &self.args.sets)?].concat();
        if let Some(seed) = self.args.how.seed {
            // rows with another first seed have folders of their own
            let sets = [self.args.sets.clone(), vec![format!("seed={seed}")]].concat();
            let with_seed = |(name, _): &(String, Taken<'_>)| {
                let names = if name == BASE { Vec::new() } else { readings::parts(name) };
                Ok((name.clone(), self.paper.take(&names, &sets)?))
            };
            let own: Result<Vec<_>, Failure> = all.iter().map(with_seed).collect();
            all.extend(own?);
        }
        let runs = self.read_runs(rows, &all)?;
        let answers = judged(self.paper, self.args, asked, &runs, rows)?;
        let doubt = self.beside(&main, &measured[0], &Measured::default()).phase_note();
        let page = page::page(self.paper, self.args, &answers, doubt);
        let printed = show(&answers, &page, self.args);
        let saved = match self.stopped() {
            true => None,
            false => Some(save(self.paper, &self.folder, self.args, asked, &answers, &page)?),
        };
        let finished = self.finish(outcome, &measured.iter().collect::<Vec<_>>());
        if let Some(page) = saved.filter(|_| !self.args.how.quiet) {
            say(&format!("the claim's page, which can be sent: {}", self.shared.shown(&page)));
        }
        finished?;
        printed?;
        verdict.add_claims(self.paper, &answers.claims);
        verdict.end()
    }

    /// What is run: first the reading that is judged; then, if they were asked for, other
    /// readings, or the seeds and readings of conclusions.toml.
    fn wanted(&self, rows: &[Row<'_>]) -> Result<Vec<(String, Taken<'_>)>, Failure> {
        let (paper, args) = (self.paper, self.args);
        let own = self.paper.conclusions.readings.clone();
        let names = match (args.compare_readings, args.conclusions) {
            (false, false) => return Ok(vec![(super::reading(args)?, self.taken(rows)?)]),
            (true, _) if !args.readings.is_empty() => args.readings.clone(),
            (true, _) => paper.readings.iter().map(|reading| reading.name.clone()).collect(),
            (false, true) => own,
        };
        let mut wanted = vec![(BASE.to_owned(), paper.take(&[], &args.sets)?)];
        let seed = args.how.seed.map_or_else(|| paper.seed(), Ok);
        let seed = seed.map_err(crate::scenarios::wrong)?;
        let sets = match args.conclusions {
            true => [args.sets.clone(), vec![format!("seed={seed}")]].concat(),
            false => args.sets.clone(),
        };
        if args.conclusions {
            wanted.clear();
            for own in std::iter::once(seed).chain(paper.conclusions.seeds.iter().copied()) {
                let sets = [args.sets.clone(), vec![format!("seed={own}")]].concat();
                wanted.push((BASE.to_owned(), paper.take(&[], &sets)?));
            }
        }
        for name in self.not_replaced(rows, names) {
            wanted.push((name.clone(), paper.take(&readings::parts(&name), &sets)?));
        }
        Ok(wanted)
    }
}
