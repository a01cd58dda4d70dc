//! Tests of what counts from single runs, and from runs with only some of the rows.

use tusker_record::stats::Over;

use super::*;

/// 0.8 ± 0.5 and 0.6 ± 0.5 at 50 ms overlap. Within a run, that decides nothing, as some measures
/// have no such interval; over several runs it does.
#[test]
fn the_interval_within_a_single_run_decides_nothing() {
    let paper = with(&[]);
    let claim = paper.claims.iter().find(|claim| claim.id == "case7-fairer-than-4").unwrap();
    let rows = ["7@50", "4@50"].map(str::to_owned).into();
    let judged = |over| {
        let mut runs = paper.recorded_runs();
        let rows_of = runs.0.iter_mut().flat_map(|run| run.rows.values_mut());
        rows_of.flat_map(|row| row.values.values_mut()).for_each(|value| {
            (value.ci95, value.over) = (Some(0.5), over);
        });
        let all = claim.answer(&paper, &runs, BASE, &rows).unwrap().all;
        (all.held, all.chance)
    };
    assert_eq!(judged(Over::Batches), (1, 0));
    assert_eq!(judged(Over::Replicates), (0, 1));
}

/// The base holds at 50 and 100 ms, and the reading at neither with seed 1. With seed 2 it was run
/// at 50 ms alone, which decides nothing but is told.
#[test]
fn what_a_verdict_depends_on_tells_of_runs_with_some_of_the_rows() {
    let paper = with(&[
        lines("background-thin", 1, 4, [0.9; 3]),
        lines("background-thin", 1, 7, [0.5; 3]),
        "background-thin,2,4,50,0.9\nbackground-thin,2,7,50,0.5\n".to_owned(),
    ]);
    let answer = answer(&paper, BASE, &["50", "100"]).unwrap();
    let [one] = answer.depends_on.as_slice() else { panic!("{:?}", answer.depends_on) };
    let told = "the reading background-thin (does not hold: fairness(7@50) > fairness(4@50) \
        and 1 more fail; it fails with the other seed of which only some rows were run)";
    assert_eq!(one, told);
}

/// At 50 ms, the sides differ by 0.2, 0.25 and 0.15 with three seeds of the base: 0.05 is their
/// standard deviation, and t(2) = 4.303 times this 0.215. A difference of -0.1 with the only seed
/// of a reading may be chance; -0.3 is not.
#[test]
fn a_single_seed_of_a_reading_is_told_beside_what_seeds_change() {
    let told = |four: f64, seven: f64| {
        let paper = with(&[
            "base,2,4,50,0.6\nbase,2,7,50,0.85\nbase,3,4,50,0.6\nbase,3,7,50,0.75\n".to_owned(),
            format!("background-thin,1,4,50,{four}\nbackground-thin,1,7,50,{seven}\n"),
        ]);
        answer(&paper, BASE, &["50"]).unwrap().depends_on.concat()
    };
    let fails = "the reading background-thin (does not hold: fairness(7@50) > fairness(4@50) fails";
    let chance = ", by 0.10; single seeds of the base lie within ±0.22 of their mean)";
    assert_eq!(told(0.8, 0.7), format!("{fails}{chance}"));
    assert_eq!(told(0.9, 0.6), format!("{fails})"));
}

/// With seeds 1 and 2, the reading fails at 50 ms. That phase effects decide this is known of the
/// second run alone, as of a table that was recorded before they were looked for.
#[test]
fn phase_effects_of_any_run_are_told_of_what_a_verdict_depends_on() {
    let thin = "background-thin";
    let paper =
        with(&[1, 2].map(|seed| format!("{thin},{seed},4,50,0.9\n{thin},{seed},7,50,0.5\n")));
    let claim = paper.claims.iter().find(|claim| claim.id == "case7-fairer-than-4").unwrap();
    let rows = ["7@50", "4@50"].map(str::to_owned).into();
    let mut runs = paper.recorded_runs();
    let second = runs.0.iter_mut().find(|run| run.reading == thin && run.seed == 2).unwrap();
    second.rows.values_mut().for_each(|measured| measured.in_step = Some(true));
    let told = claim.answer(&paper, &runs, BASE, &rows).unwrap().depends_on.concat();
    assert_eq!(
        told,
        "the reading background-thin (does not hold with seeds 1 and 2: fairness(7@50) > \
         fairness(4@50) fails; phase effects decide 7@50, 4@50 with seed 2)"
    );
}

/// At 50 ms, a reading holds with seeds 2 and 3 that were just run and fails with the recorded
/// seed 1, with which another reading holds: this is no effect of the other reading, and what
/// was recorded of the first is told.
#[test]
fn a_recorded_seed_with_another_verdict_is_told_and_is_no_other_reading() {
    let thin = "background-thin";
    let runs = |seed: u64, four: f64, seven: f64| {
        format!("{thin},{seed},4,50,{four}\n{thin},{seed},7,50,{seven}\n")
    };
    let recorded = [runs(1, 0.9, 0.5), "min-rto-1s,1,4,50,0.5\nmin-rto-1s,1,7,50,0.9\n".to_owned()];
    let recorded = answer(&with(&recorded), thin, &["50"]).unwrap();
    let own = answer(&with(&[runs(2, 0.5, 0.9), runs(3, 0.5, 0.9)]), thin, &["50"]).unwrap();
    let beside = [recorded.all].into_iter().chain(recorded.readings).collect();
    let own = own.with_recorded(&with(&[]), beside);
    assert_eq!(own.depends_on, [""; 0]);
    assert_eq!(own.in_short(), "holds, 1 of 1, under background-thin");
    assert!(own.told.contains("; recorded with seed 1: does not hold, 0 of 1; "), "{}", own.told);
}

/// Phase effects decide that the reading fails at 50 ms. Without them, it was run at 50 ms alone,
/// where it holds with both seeds.
#[test]
fn runs_of_some_rows_without_phase_effects_are_told() {
    let thin = "background-thin";
    let of = |reading: &str, seed: u64, at: u64, four: f64, seven: f64| {
        format!("{reading},{seed},4,{at},{four}\n{reading},{seed},7,{at},{seven}\n")
    };
    let ended = format!("{thin}+host-time-10us");
    let paper = with(&[
        of(thin, 1, 50, 0.9, 0.5),
        of(thin, 1, 100, 0.5, 0.9),
        of(&ended, 1, 50, 0.5, 0.9),
        of(&ended, 2, 50, 0.5, 0.9),
    ]);
    let claim = paper.claims.iter().find(|claim| claim.id == "case7-fairer-than-4").unwrap();
    let rows = ["7@50", "4@50", "7@100", "4@100"].map(str::to_owned).into();
    let mut runs = paper.recorded_runs();
    let own = runs.0.iter_mut().find(|run| run.reading == thin).unwrap();
    own.rows.values_mut().for_each(|measured| measured.in_step = Some(true));
    let told = claim.answer(&paper, &runs, BASE, &rows).unwrap().depends_on.concat();
    let end = "; phase effects decide 7@50, 4@50; without phase effects (background-thin+host-time-10us, \
               only some rows) fairness(7@50) > fairness(4@50) holds with 2 of 2 seeds)";
    assert!(told.ends_with(end), "{told}");
}
