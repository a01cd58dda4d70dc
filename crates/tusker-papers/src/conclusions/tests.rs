//! Tests of verdicts on claims and conclusions, with rows worked out by hand.

use std::collections::BTreeMap;

use tusker_measure::stats::{Estimate, Over};

use super::*;
use crate::recorded::Measured;

/// Fairness of Cases 7 and 4 at three delays, one run.
fn run(reading: &str, seed: u64, seven: [f64; 3], four: [f64; 3]) -> Run {
    let measured = |mean: f64| {
        let own = Estimate { mean, ci95: None, n: 1, over: Over::Batches };
        let values = BTreeMap::from([("fairness".to_owned(), own)]);
        Measured { replicates: 1, values, ..Measured::default() }
    };
    let mut rows = BTreeMap::new();
    for (i, at) in ["25", "50", "100"].into_iter().enumerate() {
        rows.insert(format!("7@{at}"), measured(seven[i]));
        rows.insert(format!("4@{at}"), measured(four[i]));
    }
    Run { reading: reading.to_owned(), seed, rows }
}

const FAIRER: &str = "case7-fairer-than-4";

fn answer_in(runs: Vec<Run>, rows: &[&str]) -> Answer {
    let paper = Paper::find("ghstcp").unwrap();
    let claim = paper.claims.iter().find(|claim| claim.id == FAIRER).unwrap();
    let rows = rows.iter().map(|row| (*row).to_owned()).collect();
    Answer::of(claim, &paper, &Runs(runs), BASE, None, &rows).unwrap()
}

fn answer(runs: Vec<Run>) -> Answer {
    answer_in(runs, &["7@25", "4@25", "7@50", "4@50", "7@100", "4@100"])
}

fn counts(own: &Robust) -> [usize; 4] {
    [own.held, own.of, own.runs, own.readings]
}

fn reversed(own: &Answer) -> Vec<(&str, usize)> {
    own.reversed_by.iter().map(|own| (own.reading.as_str(), own.comparisons.len())).collect()
}

const FAIR: [f64; 3] = [0.95, 0.90, 0.85];
const UNFAIR: [f64; 3] = [0.65, 0.60, 0.55];

#[test]
fn every_comparison_counts_once_in_each_run() {
    let mut runs = vec![run(BASE, 1, FAIR, UNFAIR), run(BASE, 2, FAIR, UNFAIR)];
    let own = answer(runs.clone());
    assert_eq!((own.ours.verdict, own.ours.held, own.ours.of), (Verdict::Holds, 3, 3));
    assert_eq!((counts(&own.robust), own.robust.worst), ([6, 6, 2, 1], None));
    runs.push(run("count-link", 1, UNFAIR, FAIR));
    runs.push(run("newreno", 1, [0.95, 0.50, 0.85], UNFAIR));
    let own = answer(runs.clone());
    // the verdict is that of the base
    assert_eq!((own.ours.verdict, counts(&own.robust)), (Verdict::Holds, [8, 12, 4, 3]));
    let worst = Worst { reading: "count-link".to_owned(), held: 0, of: 3 };
    assert_eq!(own.robust.worst, Some(worst));
    assert_eq!(reversed(&own), [("count-link", 3), ("newreno", 1)]);
    assert_eq!(own.readings[2].runs[0].fail, ["fairness(7@50) > fairness(4@50)"]);
    // an experiment counts for nothing, and what changes nothing is no evidence
    runs.push(run("no-background", 1, UNFAIR, FAIR));
    runs.push(run("gared", 1, FAIR, UNFAIR));
    let own = answer(runs);
    assert_eq!((counts(&own.robust), reversed(&own).len()), ([8, 12, 4, 3], 2));
    assert_eq!(own.unmoved, ["gared"]);
    assert!(own.readings.iter().any(|own| own.experiment && own.judged.held == 0));
}

/// Case 7 at 50 ms has 0.8, 0.9 and 1.0 with three seeds: 0.9 +- 4.303 * 0.1 / sqrt(3) = 0.248,
/// and 0.43 for a single run.
#[test]
fn a_difference_that_chance_covers_changes_no_verdict() {
    let seven = |at_50: f64| [0.95, at_50, 0.85];
    let base = [0.8, 0.9, 1.0].into_iter().zip(1..).map(|(v, s)| run(BASE, s, seven(v), UNFAIR));
    let with =
        |at_50: f64| answer(base.clone().chain([run("x", 1, seven(at_50), UNFAIR)]).collect());
    let own = with(0.598);
    // 0.9 - 0.6 is more than 0.248, 0.598 - 0.6 less than 0.43
    assert_eq!(own.ours.verdict, Verdict::Holds);
    assert_eq!(own.readings[1].judged.comparisons[1].verdict, Verdict::Undecided);
    assert_eq!((reversed(&own).len(), counts(&own.robust)), (0, [11, 12, 4, 2]));
    let half = own.ours.comparisons[1].differences[0].ci95.unwrap();
    assert!((half - 4.302_65 * 0.1 / 3.0_f64.sqrt()).abs() < 1e-4, "{half}");
    // 0.1 - 0.6 is beyond it
    assert_eq!(reversed(&with(0.1)), [("x", 1)]);
}

/// Two seeds with 0.95 and 0.60 beside 0.65: 0.775 +- 0.175 against 0.65.
#[test]
fn two_seeds_have_half_of_their_distance() {
    let runs =
        |at_25: f64| vec![run(BASE, 1, FAIR, UNFAIR), run(BASE, 2, [at_25, 0.9, 0.85], UNFAIR)];
    let own = answer(runs(0.60));
    assert_eq!((own.ours.verdict, own.ours.held, own.ours.undecided), (Verdict::Partly, 2, 1));
    assert_eq!(answer(runs(0.75)).ours.held, 3);
}

#[test]
fn rows_known_as_means_are_judged_by_their_intervals() {
    let mut means = run(BASE, 1, FAIR, UNFAIR);
    for row in means.rows.values_mut() {
        row.replicates = 5;
        row.values.values_mut().for_each(|own| {
            (own.ci95, own.over) = (Some(0.25), Over::Replicates);
        });
    }
    // hypot(0.25, 0.25) = 0.354 is more than 0.3
    let own = answer(vec![means.clone()]);
    assert_eq!((own.ours.undecided, counts(&own.robust)), (3, [3, 3, 1, 1]));
    assert_eq!(own.readings[0].runs[0].seed, None);
    // single runs count where they are known
    let mut single = run(BASE, 1, FAIR, UNFAIR);
    single.rows.remove("7@100");
    let own = answer(vec![single, means]);
    assert_eq!((own.ours.held, own.ours.undecided, own.ours.missing), (2, 1, 0));
}

#[test]
fn only_chosen_rows_count_and_what_was_not_run_is_open() {
    let own = answer_in(vec![run(BASE, 1, FAIR, UNFAIR)], &["7@50", "4@50", "7@25"]);
    assert_eq!((own.ours.of, own.left_out, own.ours.verdict), (1, 2, Verdict::Holds));
    let mut part = run(BASE, 1, FAIR, UNFAIR);
    part.rows.remove("4@25");
    let own = answer(vec![part]);
    assert_eq!((own.ours.verdict, own.ours.of, own.ours.missing), (Verdict::Open, 2, 1));
}

/// Cases 4 and 7 have SACK and DropTail: a reading of gARED or of recovery without SACK sets
/// nothing in them, and one of utilisation is not about fairness.
#[test]
fn readings_that_relevant_it_are_named() {
    let own = answer(vec![run(BASE, 1, FAIR, UNFAIR)]);
    let has = |name: &str| own.untried.iter().any(|own| own == name);
    assert!(has("background-1500"));
    for other in ["gared-from-0.1", "newreno", "count-goodput", "seed-2", "no-background"] {
        assert!(!has(other), "{other}");
    }
    let tried = answer(vec![
        run(BASE, 1, FAIR, UNFAIR),
        run("background-1500", 1, [0.94, 0.90, 0.85], UNFAIR),
    ]);
    assert_eq!(tried.untried.len() + 1, own.untried.len());
}

#[test]
fn a_conclusion_has_the_counts_of_all_its_claims() {
    let paper = Paper::find("ghstcp").unwrap();
    let conclusion = Conclusion {
        id: "fairer".to_owned(),
        says: "gHSTCP is fairer.".to_owned(),
        claims: vec![FAIRER.to_owned(), FAIRER.to_owned()],
        main: false,
    };
    let runs = vec![run(BASE, 1, FAIR, UNFAIR), run("x", 1, UNFAIR, FAIR)];
    let own = conclusion.judge(&paper, &Runs(runs));
    assert_eq!((own.verdict, counts(&own.robust)), (Verdict::Holds, [6, 12, 2, 2]));
    assert_eq!((own.seeds, own.reversed_by[0].comparisons.len()), (vec![1], 6));
    assert_eq!(own.claims.len(), 2);
}

#[test]
fn several_claims_together() {
    use Verdict::{DoesNotHold, Holds, Open, Partly, Undecided};
    for (claims, verdict) in [
        (&[Holds, Holds][..], Holds),
        (&[Holds, DoesNotHold], Partly),
        (&[DoesNotHold, DoesNotHold, Holds], DoesNotHold),
        (&[Holds, Partly], Partly),
        (&[Partly, Partly], Partly),
        (&[Undecided, Undecided], Undecided),
        (&[Holds, Open], Open),
    ] {
        assert_eq!(together(claims), verdict, "{claims:?}");
    }
}

/// With seed 1, 0.95 - 0.65 at 25 ms; the paper has 0.986 and 0.652.
#[test]
fn as_csv_there_is_a_line_for_each_comparison_and_reading() {
    let own = answer(vec![run(BASE, 1, [0.75, 0.9, 0.85], [0.5, 0.6, 0.55])]);
    let csv = Answer::csv(&[own]);
    assert_eq!(csv.lines().count(), 1 + 3 + 3);
    let test = "case7-fairer-than-4,fairness(7@25) > fairness(4@25)";
    assert!(csv.contains(&format!("\n{test},base,1,0.75,,0.5,,0.25,,holds\n")), "{csv}");
    assert!(csv.contains(&format!("\n{test},paper,,0.986,,0.652,,")), "{csv}");
}
