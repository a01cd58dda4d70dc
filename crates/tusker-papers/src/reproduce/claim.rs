//! One or several claims, judged with every seed and reading for which there are runs.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use tusker_lab::suite::claims::Claim;
use tusker_report::Page;
use tusker_report::results::command;

use super::runs::possible;
use super::{
    Answered, Failure, File, Job, Measured, Mistake, Over, ROWS, Request, Value, What, readings,
};
use crate::conclusions::{Answer, Answers, Runs};
use crate::lookup::Named;
use crate::page;
use crate::rows::{BASE, Row, Taken};

impl<'a> Job<'a> {
    /// Answers to these names, by what is recorded or by rows that are run.
    pub(super) fn claims(
        &self,
        names: &[String],
        path: Option<&Path>,
    ) -> Result<Answered, Failure> {
        let named = self.paper.claims_named(names)?;
        let rows = self.needed(&named)?;
        let Some(path) = path else { return self.run_claims(&named, &rows) };
        let runs = self.runs_of(path, &rows)?;
        let answers = self.judged(&named, &runs, &rows)?;
        nothing_recorded(&answers, self.request, path)?;
        Ok(self.answers(&named, answers, None))
    }

    /// Runs these rows as often and under as many readings as was asked for, and answers.
    fn run_claims(&self, named: &[Named], rows: &[Row<'a>]) -> Result<Answered, Failure> {
        let wanted = self.wanted(rows)?;
        let main = wanted[0].1.clone();
        self.say_assumptions(&main);
        let all: Vec<_> = wanted.iter().map(|(_, taken)| (taken, rows.to_vec())).collect();
        let (measured, outcome) = self.run(&all, &[], ROWS)?;
        // and what earlier commands ran
        let mut all = [wanted, possible(self.paper, &self.request.sets)?].concat();
        if let Some(seed) = self.request.seed {
            // rows with another first seed have folders of their own
            let sets = [self.request.sets.clone(), vec![format!("seed={seed}")]].concat();
            let with_seed = |(name, _): &(String, Taken<'_>)| {
                let names = if name == BASE { Vec::new() } else { readings::parts(name) };
                Ok((name.clone(), self.paper.take(&names, &sets)?))
            };
            let own: Result<Vec<_>, Failure> = all.iter().map(with_seed).collect();
            all.extend(own?);
        }
        let runs = self.read_runs(rows, &all)?;
        let answers = self.judged(named, &runs, rows)?;
        let doubt = self.of_rows(&main, &measured[0], &Measured::default()).phase_note();
        let mut answered = self.answers(named, answers, doubt);
        if self.over() != Over::Conclusions {
            let more = self.others(&main, &measured[0]);
            answered.files.splice(0..0, self.files(&main, &measured[0], &more));
        }
        Ok(answered.ran(outcome, &measured.iter().collect::<Vec<_>>()))
    }

    fn over(&self) -> Over {
        match &self.request.what {
            What::Claims { over, .. } => *over,
            _ => Over::One,
        }
    }

    fn answers(&self, named: &[Named], answers: Answers, doubt: Option<String>) -> Answered {
        let Request { what, selection, sets, quick, recorded, .. } = self.request;
        let names = match what {
            What::Claims { names, .. } => names.as_slice(),
            _ => &[],
        };
        let scope = page::claim::Scope {
            names,
            selection,
            sets,
            quick: *quick,
            all_readings: self.over() == Over::Readings,
            recorded: recorded.as_deref(),
        };
        let page = page::claim::page(self.paper, &scope, &answers, doubt);
        let csv = Answer::csv(&answers.claims);
        let value = Value::Claims(Box::new(answers));
        let name = file_name(named);
        let files = vec![
            File::Data(format!("{name}.json"), value.json()),
            File::Page(format!("{name}.html"), Box::new(self.to_send(page.clone()))),
        ];
        Answered { files, ..Answered::new(value, csv, page) }
    }

    /// The page as a file, for whoever does not know what it is of.
    fn to_send(&self, mut page: Page) -> Page {
        let about = &self.paper.about;
        page.lead = format!("{}; {}; {}", about.title, about.authors, about.covers);
        page.commands = vec![command(&self.request.command)];
        if let What::Claims { title: Some(title), .. } = &self.request.what {
            page.title.clone_from(title);
        }
        page
    }

    /// What is run: first the reading that is judged; then, if they were asked for, other
    /// readings, or the seeds and readings of conclusions.toml.
    fn wanted(&self, rows: &[Row<'a>]) -> Result<Vec<(String, Taken<'a>)>, Failure> {
        let (paper, request) = (self.paper, self.request);
        let mut sets = request.sets.clone();
        let (mut wanted, names) = match self.over() {
            Over::One => return Ok(vec![(self.reading()?, self.taken(rows)?)]),
            Over::Readings if !request.readings.is_empty() => {
                (vec![(BASE.to_owned(), paper.take(&[], &sets)?)], request.readings.clone())
            }
            Over::Readings => {
                let all = paper.readings.iter().map(|reading| reading.name.clone());
                (vec![(BASE.to_owned(), paper.take(&[], &sets)?)], all.collect())
            }
            Over::Conclusions => {
                let seed = self.first_seed()?;
                sets.push(format!("seed={seed}"));
                let seeds = self.seeds(seed)?.into_iter().map(|(name, _, taken)| (name, taken));
                (seeds.collect(), paper.conclusions.readings.clone())
            }
        };
        for name in self.not_replaced(rows, names) {
            wanted.push((name.clone(), paper.take(&readings::parts(&name), &sets)?));
        }
        Ok(wanted)
    }

    /// The rows that the comparisons need, as far as they were chosen.
    fn needed(&self, named: &[Named]) -> Result<Vec<Row<'a>>, Failure> {
        let paper = self.paper;
        let chosen = paper.select(&self.request.selection)?;
        let ids: BTreeSet<String> = chosen.iter().map(Row::id).collect();
        let needs = |claim: &Claim| claim.operands(paper).unwrap_or_default();
        let claims = || named.iter().flat_map(|one| &one.claims);
        let none = Runs::default();
        let answers =
            claims().filter_map(|claim| Answer::of(claim, paper, &none, BASE, None, &ids));
        let rows: BTreeSet<String> = answers.flat_map(|answer| answer.row_ids).collect();
        if rows.is_empty() {
            let all: BTreeSet<String> =
                claims().flat_map(needs).map(|operand| operand.row.to_string()).collect();
            let some: Vec<String> = all.into_iter().take(6).collect();
            let message = "none of its comparisons has all its rows among the chosen ones";
            let help = format!(
                "it compares {}, ...; leave out --table, --case or --at, or name more",
                some.join(", ")
            );
            return Err(Failure::mistake("--claim", message, help));
        }
        Ok(chosen.into_iter().filter(|row| rows.contains(&row.id())).collect())
    }

    /// What these runs say, and no other ones.
    fn judged(&self, named: &[Named], runs: &Runs, rows: &[Row<'a>]) -> Result<Answers, Failure> {
        let (paper, quick) = (self.paper, self.request.quick);
        let (reading, seeds) = (self.reading()?, self.judging_seeds());
        let ids: BTreeSet<String> = rows.iter().map(Row::id).collect();
        let mut answers = Answers {
            paper: paper.about.key.clone(),
            quick: quick && rows.iter().any(|row| !paper.quick(row).is_empty()),
            reading,
            conclusions: Vec::new(),
            claims: Vec::new(),
        };
        for one in named {
            let of = |claim: &Claim| {
                Answer::of(claim, paper, runs, &answers.reading, seeds.as_ref(), &ids)
            };
            let mut found: Vec<Answer> = one.claims.iter().filter_map(of).collect();
            if self.request.sets.is_empty() {
                found.iter_mut().for_each(|answer| answer.explain(paper, quick));
            }
            let all = found.len() == one.claims.len();
            answers.conclusions.extend(one.conclusion.iter().filter(|_| all).map(|c| c.of(&found)));
            for answer in found {
                if !answers.claims.iter().any(|own| own.id == answer.id) {
                    answers.claims.push(answer);
                }
            }
        }
        Ok(answers)
    }

    /// The reading under which claims are judged; the base if several are run.
    fn reading(&self) -> Result<String, Failure> {
        let several = self.over() == Over::Readings;
        let names = if several { Vec::new() } else { readings::combined(self.request)? };
        Ok(if names.is_empty() { BASE.to_owned() } else { names.join("+") })
    }

    /// The seeds that judge, if some were asked for.
    fn judging_seeds(&self) -> Option<Range<u64>> {
        let first = self.request.seed.filter(|_| self.over() != Over::Conclusions)?;
        let count = u64::from(self.request.replicates.unwrap_or(1));
        Some(first..first.saturating_add(count))
    }
}

/// What the files of these claims are called.
fn file_name(named: &[Named]) -> String {
    const LONGEST: usize = 60;
    let ids: Vec<&str> = match named {
        [Named { conclusion: Some(own), .. }] => vec![own.id.as_str()],
        all => all.iter().flat_map(|one| &one.claims).map(|claim| claim.id.as_str()).collect(),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = ids.join("-").chars().map(plain).collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    let name: String = parts.join("-").chars().take(LONGEST).collect();
    format!("claim-{}", name.trim_end_matches('-'))
}

fn nothing_recorded(answers: &Answers, request: &Request, path: &Path) -> Result<(), Mistake> {
    if answers.claims.iter().any(|answer| answer.ours.of > 0) {
        return Ok(());
    }
    let others = answers.claims.iter().flat_map(|answer| &answer.readings[1..]);
    let there: BTreeSet<&str> = others.map(|own| own.reading.as_str()).collect();
    let seed = request.seed.map_or(String::new(), |seed| format!(" with seed {seed}"));
    let message = format!("it has none of these rows under the reading {}{seed}", answers.reading);
    let help = match there.len() {
        0 => "leave out --recorded to run them".to_owned(),
        _ => format!("it has them under {}", Vec::from_iter(there).join(", ")),
    };
    Err(Mistake::new(format!("--recorded {}", path.display()), message, help))
}
