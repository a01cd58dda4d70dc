//! Whether the rows that a claim compares agree with the paper, and whether phase effects
//! decide them.
//!
//! ```text
//!  as paper   ok, off*    both rows of a comparison, in the order of its cases
//!  ok         within the tolerances      ?   chance decides      -  the paper has no number
//!  off        outside                    *   phase effects decide this row
//! ```

use tusker_papers::Paper;
use tusker_papers::conclusions::{Answer, Compare, InRuns, Mark, Miss};
use tusker_papers::reproduction::RowVerdict;
use tusker_papers::rows::BASE;
use tusker_record::table::NONE;

use super::super::text::number;
use super::known;

/// The head of the column.
pub(super) const HEAD: &str = "as paper";

/// Rows of a comparison that are marked one by one.
const ONE_BY_ONE: usize = 3;

fn word(verdict: RowVerdict) -> &'static str {
    match verdict {
        RowVerdict::Within => "ok",
        RowVerdict::Off => "off",
        RowVerdict::Undecided => "?",
        RowVerdict::Open => NONE,
    }
}

fn star(mark: &Mark) -> &'static str {
    if mark.in_step.is_empty() { "" } else { "*" }
}

/// Whether the paper prints a number of some row, or phase effects decide one.
pub(super) fn any(runs: &InRuns) -> bool {
    runs.rows.iter().any(|mark| mark.verdict != RowVerdict::Open || !mark.in_step.is_empty())
}

/// Of the rows of one comparison: `ok, off*`; of many `3 ok, 1 off`.
pub(super) fn of_comparison(runs: &InRuns, one: &Compare) -> String {
    let marks: Vec<Option<&Mark>> = one.rows.iter().map(|row| runs.mark(row)).collect();
    if marks.len() <= ONE_BY_ONE {
        let each = marks.iter().map(|mark| match mark {
            Some(mark) => format!("{}{}", word(mark.verdict), star(mark)),
            None => NONE.to_owned(),
        });
        return each.collect::<Vec<String>>().join(", ");
    }
    counted(&marks.into_iter().flatten().collect::<Vec<_>>())
}

/// Of all rows of some runs: `4 ok, 1 off, 1 ? (2 *)`.
pub(super) fn of_runs(runs: &InRuns) -> String {
    counted(&runs.rows.iter().collect::<Vec<_>>())
}

fn counted(marks: &[&Mark]) -> String {
    let all = [RowVerdict::Within, RowVerdict::Off, RowVerdict::Undecided].into_iter();
    let count = |such: &dyn Fn(&Mark) -> bool| marks.iter().filter(|mark| such(mark)).count();
    let each = all.map(|verdict| (count(&|mark| mark.verdict == verdict), word(verdict)));
    let each: Vec<String> =
        each.filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    if each.is_empty() {
        return NONE.to_owned();
    }
    // a row with a star is one of those
    let stars = match count(&|mark| !mark.in_step.is_empty()) {
        0 => String::new(),
        stars => format!(" ({stars} *)"),
    };
    each.join(", ") + &stars
}

/// What the column says, if there is one.
pub(super) fn legend(answer: &Answer) -> Option<String> {
    any(&answer.all).then(|| {
        format!(
            "{HEAD}: whether each row agrees with the paper's numbers (ok: within the tolerances; \
             off: not; ?: chance decides; *: phase effects decide this row), in the order of the \
             cases"
        )
    })
}

/// What is known of phase effects in all these runs, in one sentence.
pub(super) fn phase(paper: &Paper, answer: &Answer) -> String {
    let mut decided: Vec<String> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    for runs in known::runs(answer) {
        let own = known::reading(answer, runs);
        if runs.rows.iter().any(|mark| !mark.phase_known) && !unknown.contains(&own) {
            unknown.push(own);
        }
        let rows = runs.rows.iter().filter(|mark| !mark.in_step.is_empty());
        let rows: Vec<&str> = rows.map(|mark| mark.row.as_str()).collect();
        // what several seeds have together was told of each
        if !rows.is_empty() && (runs.seeds.len() == 1 || answer.seeds.is_empty()) {
            let (reading, seeds) = (known::reading(answer, runs), known::seeds(runs));
            decided.push(format!("{} with {reading}, seed {seeds}", rows.join(", ")));
        }
    }
    let recorded = unknown.join(", ");
    let ended = ended(paper, answer).map_or(String::new(), |told| format!("; {told}"));
    let not_known =
        format!("not recorded for {recorded}{ended}; they are known of rows that you run yourself");
    let all = || known::runs(answer).into_iter().flat_map(|runs| &runs.rows);
    let known = all().any(|mark| mark.phase_known);
    match (decided.is_empty(), known, unknown.is_empty()) {
        (false, _, none) => {
            let also = if none { String::new() } else { format!("; {not_known}") };
            format!(
                "phase effects decide {}: there round numbers, not congestion control, decide \
                 which flow loses packets (tusker explain phase-effects){also}",
                decided.join("; ")
            )
        }
        (true, true, true) => "phase effects decide none of these rows".to_owned(),
        (true, true, false) => {
            format!("phase effects decide none of the rows of which it is known; {not_known}")
        }
        (true, false, _) => format!("phase effects: {not_known}"),
    }
}

/// `host-time-10us, which ends them, has the same verdict`: what random times of hosts say of the
/// base, if that is judged and has none.
fn ended(paper: &Paper, answer: &Answer) -> Option<String> {
    let random = paper.random_hosts().filter(|_| answer.reading == BASE)?;
    let known = answer.readings.iter().chain(&answer.recorded);
    let all: Vec<&InRuns> = known.filter(|own| own.reading == random && own.of > 0).collect();
    let last = all.last()?;
    Some(match last.verdict == answer.all.verdict {
        true => format!("{random}, which ends them, has the verdict of the base"),
        false => format!("{random}, which ends them, has another verdict ({})", last.word()),
    })
}

/// Heads and lines: each measure of a row that is not as in the paper, in the runs that are
/// judged.
pub(super) fn misses(paper: &Paper, answer: &Answer) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let head = vec!["row", "measure", "paper", "ours", "difference", "tolerance", ""];
    let decimals = |name: &str| {
        let info = paper.about.measures.iter().find(|own| own.name == name);
        info.map(|own| own.decimals).filter(|&decimals| decimals > 0)
    };
    let line = |mark: &Mark, miss: &Miss| {
        let text = |value: f64| {
            decimals(&miss.measure).map_or_else(|| number(value), |d| format!("{value:.d$}"))
        };
        let difference = text(miss.ours - miss.paper);
        let sign = if difference.starts_with('-') { "" } else { "+" };
        let told = if miss.chance { "?" } else { "off" };
        vec![
            mark.row.clone(),
            miss.measure.clone(),
            text(miss.paper),
            text(miss.ours),
            format!("{sign}{difference}"),
            number(miss.tolerance),
            told.to_owned(),
        ]
    };
    let marks = answer.all.rows.iter();
    let lines = marks.flat_map(|mark| mark.misses.iter().map(move |miss| line(mark, miss)));
    (head, lines.collect())
}
