//! Tests of verdicts on conclusions, with rows worked out by hand.

use std::collections::BTreeMap;

use tusker_record::stats::{Estimate, Over};

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

fn judge(runs: Vec<Run>) -> ConclusionResult {
    let paper = Paper::find("ghstcp").unwrap();
    let conclusion = Conclusion {
        id: "fairer".to_owned(),
        says: "gHSTCP is fairer.".to_owned(),
        claims: vec!["case7-fairer-than-4".to_owned()],
    };
    conclusion.judge(&paper, &Runs(runs), &|_| Verdict::Open)
}

const FAIR: [f64; 3] = [0.95, 0.90, 0.85];
const UNFAIR: [f64; 3] = [0.65, 0.60, 0.55];

#[test]
fn what_holds_with_every_seed_and_reading_stands() {
    let seeds = || vec![run(BASE, 1, FAIR, UNFAIR), run(BASE, 2, FAIR, UNFAIR)];
    let judged = judge(seeds());
    assert_eq!((judged.standing, judged.seeds), (Standing::Stands, 2));
    // 0.30 of 0.95, 0.90 and 0.85
    let margin = judged.margin.unwrap();
    assert!((margin.nearest - 0.30 / 0.95).abs() < 1e-12, "{margin:?}");
    assert!((margin.median - 0.30 / 0.90).abs() < 1e-12, "{margin:?}");
    let mut runs = seeds();
    runs.push(run("newreno", 1, FAIR, UNFAIR));
    assert_eq!(judge(runs.clone()).standing, Standing::Stands);
    runs.push(run("count-link", 1, UNFAIR, FAIR));
    let judged = judge(runs);
    assert_eq!(judged.standing, Standing::Depends);
    let told = "the reading count-link (does not hold: fairness(7@25) > fairness(4@25) and 2 \
                more fail)";
    assert_eq!(judged.depends_on, [told]);
}

/// At 25 ms the base fails as well, so that the cause is what fails at 50.
#[test]
fn a_reading_names_what_fails_under_it_and_not_in_the_base() {
    let base = run(BASE, 1, FAIR, UNFAIR);
    let one = run("newreno", 1, [0.95, 0.50, 0.85], UNFAIR);
    let told = ["the reading newreno (partly: fairness(7@50) > fairness(4@50) fails)"];
    assert_eq!(judge(vec![base, one]).depends_on, told);
    let base = run(BASE, 1, [0.60, 0.90, 0.85], UNFAIR);
    let more = run("newreno", 1, [0.60, 0.50, 0.85], UNFAIR);
    let told =
        "the reading newreno (does not hold: fairness(7@50) > fairness(4@50) and 1 more fail)";
    assert_eq!(judge(vec![base, more]).depends_on[1], told);
}

/// At 25 ms the second seed has the opposite order in the base, and so it has under the reading.
#[test]
fn a_reading_is_compared_with_the_base_of_its_own_seeds() {
    let odd = |first: f64| [first, 0.90, 0.85];
    let mut runs = vec![run(BASE, 1, FAIR, UNFAIR), run(BASE, 2, odd(0.60), UNFAIR)];
    runs.extend([run("newreno", 1, FAIR, UNFAIR), run("newreno", 2, odd(0.61), UNFAIR)]);
    let judged = judge(runs);
    assert_eq!(judged.readings[0].verdict, judged.base);
    assert!(judged.depends_on.iter().all(|cause| !cause.contains("newreno")), "{judged:?}");
}

/// Cases 4 and 7 have SACK and DropTail: a reading of gARED or of recovery without SACK sets
/// nothing in them, and one of utilisation is not about fairness.
#[test]
fn what_stands_says_what_was_not_tried() {
    let mut runs = vec![run(BASE, 1, FAIR, UNFAIR)];
    let judged = judge(runs.clone());
    let untried = judged.untried();
    assert_eq!(untried[0], "background-1500", "conclusions.toml asks for it first");
    for other in ["gared-from-0.1", "newreno", "count-goodput", "seed-2"] {
        assert!(!untried.contains(&other), "{other}");
    }
    let count = untried.len();
    let alone = "stands in the base alone, with one seed";
    let end = "readings that could change it were not tried";
    assert_eq!(judged.verdict(), format!("{alone}; {count} {end}"));
    let named = untried[..5].join(", ");
    let told = format!(
        "seed 1, not seeds 2 and 3; not tried, though they could change the verdict: {named} and {} more",
        count - 5
    );
    assert_eq!(judged.runs(), told);
    // gared-from-0.1 changes nothing here and is no evidence
    runs.push(run("gared-from-0.1", 1, FAIR, UNFAIR));
    assert_eq!(judge(runs.clone()).verdict(), format!("{alone}; {count} {end}"));
    runs.push(run("background-1500", 1, [0.94, 0.90, 0.85], UNFAIR));
    let told =
        format!("stands in the base and 1 other reading, with one seed; {} {end}", count - 1);
    assert_eq!(judge(runs.clone()).verdict(), told);
    runs.push(run(BASE, 2, FAIR, UNFAIR));
    assert_eq!(judge(runs).verdict(), told.replace(", with one seed", ""));
}

#[test]
fn what_fails_with_every_reading_fails() {
    let judged = judge(vec![run(BASE, 1, UNFAIR, FAIR), run("newreno", 1, UNFAIR, FAIR)]);
    assert_eq!((judged.standing, judged.base), (Standing::Fails, Verdict::DoesNotHold));
    let judged = judge(vec![run(BASE, 1, UNFAIR, FAIR), run("newreno", 1, FAIR, UNFAIR)]);
    assert_eq!(judged.depends_on, ["the reading newreno (holds)"]);
}

#[test]
fn what_one_seed_contradicts_depends_on_the_seed() {
    // at 25 ms the second seed has the opposite order
    let other = run(BASE, 2, [0.60, 0.90, 0.85], UNFAIR);
    let judged = judge(vec![run(BASE, 1, FAIR, UNFAIR), other]);
    assert_eq!((judged.standing, judged.base), (Standing::Depends, Verdict::Partly));
    let told = [
        "the setting (it holds at 50, 100, not at 25)",
        "the seed (1 of 3 comparisons lies within chance)",
    ];
    assert_eq!(judged.depends_on, told);
}

#[test]
fn a_difference_within_the_interval_of_the_seeds_is_no_support() {
    // at 25 ms 0.70, 0.72, 0.68 and 0.65, 0.69, 0.65: with t = 4.30 half intervals of
    // 0.050 and 0.057 for a difference of 0.037
    let seed =
        |seed, seven: f64, four: f64| run(BASE, seed, [seven, 0.90, 0.85], [four, 0.60, 0.55]);
    let three = vec![seed(1, 0.70, 0.65), seed(2, 0.72, 0.69), seed(3, 0.68, 0.65)];
    let judged = judge(three.clone());
    assert_eq!((judged.claims[0].held, judged.claims[0].chance), (2, 1));
    // two seeds have no useful interval: what counts is that they agree
    let judged = judge(three[..2].to_vec());
    assert_eq!((judged.standing, judged.claims[0].held), (Standing::Stands, 3));
}

#[test]
fn a_reading_is_compared_with_the_base_of_its_seed() {
    // 25 ms flips with the second seed: the cause is the seed, not the reading
    let runs = vec![
        run(BASE, 1, FAIR, UNFAIR),
        run(BASE, 2, [0.60, 0.90, 0.85], UNFAIR),
        run("newreno", 1, FAIR, UNFAIR),
    ];
    let told = judge(runs).depends_on;
    assert!(told.iter().all(|on| !on.contains("newreno")), "{told:?}");
}

/// With the second seed 25 ms fails in the base, and so it does under a reading that was run
/// with that seed only.
#[test]
fn a_reading_is_compared_with_the_base_of_its_own_seed() {
    let second = [0.60, 0.90, 0.85];
    let base = [run(BASE, 1, FAIR, UNFAIR), run(BASE, 2, second, UNFAIR)];
    let with = |reading: Run| judge([&base[..], &[reading]].concat()).depends_on;
    let told = with(run("newreno", 2, [0.60, 0.91, 0.85], UNFAIR));
    assert!(told.iter().all(|on| !on.contains("newreno")), "{told:?}");
    let told = with(run("newreno", 1, [0.60, 0.91, 0.85], UNFAIR));
    assert!(told.iter().any(|on| on.contains("newreno (partly: fairness(7@25)")), "{told:?}");
}

#[test]
fn without_its_rows_it_is_open() {
    let mut lacking = run(BASE, 1, FAIR, UNFAIR);
    lacking.rows.remove("4@25");
    assert_eq!(judge(vec![lacking]).standing, Standing::Open);
    assert_eq!(judge(Vec::new()).standing, Standing::Open);
}

#[test]
fn a_seed_without_all_its_rows_does_not_count() {
    let mut lacking = run(BASE, 2, FAIR, UNFAIR);
    lacking.rows.remove("4@25");
    let judged = judge(vec![run(BASE, 1, FAIR, UNFAIR), lacking]);
    assert_eq!((judged.standing, judged.seeds), (Standing::Stands, 1));
    let told = "seed 1, 5 of 6 rows with seed 2, not seed 3; ";
    assert!(judged.runs().starts_with(told), "{}", judged.runs());
}

/// What was interrupted has its seeds and readings, but not their rows.
#[test]
fn only_what_was_run_counts() {
    let empty =
        |reading: &str, seed| Run { rows: BTreeMap::new(), ..run(reading, seed, FAIR, FAIR) };
    let nothing =
        judge(vec![empty(BASE, 1), empty(BASE, 2), empty(BASE, 3), empty("background-1500", 1)]);
    assert_eq!((nothing.standing, nothing.seeds), (Standing::Open, 0));
    let told = "no row; seeds 1 to 3 are asked for; not tried, though they could change the verdict: \
        background-1500, ";
    assert!(nothing.runs().starts_with(told), "{}", nothing.runs());
    // a reading of which a row is lacking is not judged by the others
    let mut some = run("background-1500", 1, UNFAIR, FAIR);
    some.rows.remove("4@25");
    let judged = judge(vec![run(BASE, 1, FAIR, UNFAIR), some]);
    assert_eq!((judged.standing, judged.readings.len()), (Standing::Stands, 0));
    assert_eq!(judged.lacking[0], "background-1500");
    // it is told apart from those that were not tried at all
    let told = judged.runs();
    assert!(told.contains("; tried in part: background-1500 (5 of 6 rows); not tried, "), "{told}");
    let far = judged.verdict();
    assert!(far.ends_with(" not tried, 1 tried in part"), "{far}");
    // rows that are those of the base were not run for it
    let mut same = run("background-1500", 1, FAIR, UNFAIR);
    same.rows.remove("4@25");
    let told = judge(vec![run(BASE, 1, FAIR, UNFAIR), same]).runs();
    assert!(told.contains(" the verdict: background-1500, ") && !told.contains("part"), "{told}");
}

/// The mean of five seeds is neither one seed nor five.
#[test]
fn a_mean_over_seeds_is_called_so() {
    let mut mean = run(BASE, 1, FAIR, UNFAIR);
    mean.rows.values_mut().for_each(|measured| measured.replicates = 5);
    let told = "means of 5 seeds, not each by itself; ";
    assert!(judge(vec![mean]).runs().starts_with(told));
}

#[test]
fn claims_together_hold_if_all_do() {
    use Verdict::{DoesNotHold, Holds, Open, Partly, Undecided};
    for (claims, expected) in [
        (&[Holds, Holds][..], Holds),
        (&[Holds, Partly], Partly),
        (&[Holds, Undecided], Partly),
        (&[Holds, DoesNotHold], Partly),
        (&[Partly, Partly], Partly),
        (&[Undecided], Undecided),
        (&[Partly, DoesNotHold, DoesNotHold], DoesNotHold),
        (&[DoesNotHold], DoesNotHold),
        (&[Holds, Open], Open),
    ] {
        assert_eq!(together(claims), expected, "{claims:?}");
    }
}

/// Each paper has five to eight, made of claims that it has.
#[test]
fn every_paper_has_a_handful_of_conclusions() {
    for key in Paper::keys() {
        let paper = Paper::find(key).unwrap();
        let conclusions = &paper.conclusions.conclusions;
        assert!((4..=8).contains(&conclusions.len()), "{key}: {}", conclusions.len());
    }
}
