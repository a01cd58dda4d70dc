//! `--fail-on`: whether a reproduction fails, for scripts.

use std::collections::BTreeSet;

use tusker_papers::conclusions::Answer;
use tusker_papers::verdicts::{self, Case, Question};
use tusker_papers::{Paper, Reproduction};

use super::on_testbed;
use crate::args::{ReproduceArgs, When};
use crate::failure::Failure;

/// What was asked for, and what was found so far.
pub struct Failing<'a> {
    args: &'a ReproduceArgs,
    questions: Vec<Question>,
    found: Vec<(String, Vec<Case>)>,
}

impl<'a> Failing<'a> {
    /// Reads the flags, and makes sure before any run that these papers can be judged so.
    pub fn asked(args: &'a ReproduceArgs, papers: &[&Paper]) -> Result<Self, Failure> {
        let asked = &args.verdict;
        let questions = asked.fail_on.iter().map(|when| question(*when)).collect();
        if let Some(when) = asked.fail_on.iter().find(|when| question(**when).needs_record()) {
            let name = format!("--fail-on {}", name(*when));
            if !args.claim.asked.is_empty() {
                let message =
                    format!("{name}: --claim shows what was recorded, but does not judge by it");
                return Err(Failure::input(message, "use --fail-on fails, or leave out --claim"));
            }
            same_assumptions(args, &name)?;
            for paper in papers {
                verdicts::record(paper, &BTreeSet::new(), args.quick).map_err(|error| {
                    let file = if args.quick { "quick.csv" } else { "full.csv" };
                    let help = format!(
                        "store what `tusker reproduce {} --format csv` prints as {file} in its folder",
                        paper.about.key
                    );
                    Failure::input(format!("{name}: {error}"), help)
                })?;
            }
        }
        Ok(Self { args, questions, found: Vec::new() })
    }

    /// Judges what came of a paper; the rows `more` were there for its claims.
    pub fn add(
        &mut self,
        paper: &Paper,
        reproduction: &Reproduction,
        more: impl IntoIterator<Item = String>,
    ) -> Result<(), Failure> {
        let record = match self.questions.iter().any(|question| question.needs_record()) {
            true => {
                let run = reproduction.rows.iter().filter(|row| row.replicates > 0);
                let rows = run.map(|row| row.id.clone()).chain(more).collect();
                let wrong = |error| Failure::other(error, "it could be read when this began");
                Some(verdicts::record(paper, &rows, self.args.quick).map_err(wrong)?)
            }
            false => None,
        };
        let cases = verdicts::cases(reproduction, record.as_ref(), &self.questions);
        self.found.push((paper.about.key.clone(), cases));
        Ok(())
    }

    /// Judges claims that were asked about by themselves.
    pub fn add_claims(&mut self, paper: &Paper, answers: &[Answer]) {
        if !self.questions.is_empty() {
            self.found.push((paper.about.key.clone(), verdicts::claims(answers)));
        }
    }

    /// Fails if there is a cause.
    pub fn end(self) -> Result<(), Failure> {
        let causes = verdicts::causes(&self.found);
        if causes.is_empty() { Ok(()) } else { Err(Failure::Verdict(causes)) }
    }
}

fn question(when: When) -> Question {
    match when {
        When::Fails => Question::Fails,
        When::Worse => Question::Worse,
        When::Changed => Question::Changed,
    }
}

fn name(when: When) -> &'static str {
    match when {
        When::Fails => "fails",
        When::Worse => "worse",
        When::Changed => "changed",
    }
}

/// Whether rows are compared with those that were recorded.
pub fn needs_record(args: &ReproduceArgs) -> bool {
    args.verdict.fail_on.iter().any(|when| question(*when).needs_record())
}

/// What was recorded has the paper's own seed, or it and those that follow, and the base
/// assumptions. Rows that are compared with it are run as often.
fn same_assumptions(args: &ReproduceArgs, what: &str) -> Result<(), Failure> {
    let given = [
        ("--reading", !args.readings.is_empty()),
        ("--set", !args.sets.is_empty()),
        ("--seed", args.how.seed.is_some()),
        ("--replicates", args.how.replicates.is_some()),
        ("--plane testbed", on_testbed(args)),
    ];
    given.iter().find(|(_, given)| *given).map_or(Ok(()), |(flag, _)| {
        let message =
            format!("{what} compares with recorded results, which were made without {flag}");
        Err(Failure::input(message, format!("leave {flag} out, or use --fail-on fails")))
    })
}
