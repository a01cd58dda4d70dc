//! Several claims in one table, each with the comparison that says most about it: the one that
//! fails by the largest margin, or is nearest to failing.

use tusker_papers::Paper;
use tusker_papers::conclusions::{Answer, Outcome};
use tusker_papers::reproduction::Printed;
use tusker_record::table::NONE;
use tusker_report::page::Table;

use super::{numbers, text};

/// Of so many comparisons in all, each has a line.
const ALL: usize = 12;

/// A line for each claim that was judged; of few comparisons, for each of them.
pub(super) fn table(paper: &Paper, answers: &[&Answer]) -> Table {
    let few = answers.iter().map(|answer| answer.comparisons.len()).sum::<usize>() <= ALL;
    let title = match few {
        true => "Every comparison of these claims",
        false => "Each claim with the comparison that fails by most, or is nearest to failing",
    };
    // what decides comes first, so that it is seen where there is no room for all
    let head = [
        "comparison",
        "result",
        "difference, ours",
        "both sides, ours",
        "both sides, paper",
        "claim",
    ];
    let mut table = Table::new(title, head);
    let places = |answer: &Answer| match few {
        true => known(answer).collect::<Vec<_>>(),
        false => nearest(answer).into_iter().collect(),
    };
    for (answer, i) in answers.iter().flat_map(|own| places(own).into_iter().map(move |i| (own, i)))
    {
        let (one, found) = (&answer.comparisons[i], &answer.all.found[i]);
        let decimals = numbers::decimals(paper, one);
        let sides = |terms: &[Printed], signed: bool| {
            let each = terms.iter().map(|own| numbers::side(Some(own), decimals, signed));
            let all = each.collect::<Vec<String>>().join(", ");
            if all.is_empty() { NONE.to_owned() } else { all }
        };
        let name = if text::is_own(answer) { "your own test" } else { &answer.id };
        table.row(
            None,
            [
                one.text.clone(),
                numbers::outcome(answer, i),
                sides(&found.differences, true),
                sides(&found.terms, false),
                sides(&answer.paper.found[i].terms, false),
                name.to_owned(),
            ],
        );
    }
    table
}

/// The places of the comparisons that have values.
fn known(answer: &Answer) -> impl Iterator<Item = usize> {
    let has = |i: &usize| answer.all.found[*i].outcome != Outcome::Missing;
    (0..answer.comparisons.len()).filter(has)
}

/// The place of that comparison: first those that fail, then those within chance. Among
/// them, the difference as a share of the right side tells, as measures have several units.
fn nearest(answer: &Answer) -> Option<usize> {
    let rank = |outcome| match outcome {
        Outcome::Fails => 0,
        Outcome::Chance => 1,
        Outcome::Holds => 2,
        Outcome::Missing => 3,
    };
    let margin = |i: usize| {
        let found = &answer.all.found[i];
        let right = found.terms.last().map_or(0.0, |own| own.value.abs());
        let margin = found.margin(&answer.comparisons[i].signs).unwrap_or(f64::INFINITY);
        if right > 0.0 { margin / right } else { margin }
    };
    let order = |i: &usize| (rank(answer.all.found[*i].outcome), margin(*i));
    known(answer).min_by(|a, b| {
        let (a, b) = (order(a), order(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    })
}
