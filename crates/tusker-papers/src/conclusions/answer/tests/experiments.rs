//! Tests of experiments that contradict a paper's text.

use super::*;

/// The paper has background traffic: without it another verdict is an effect, no other reading.
#[test]
fn nothing_depends_on_an_experiment_against_the_text() {
    let paper = with(&[
        lines("base", 2, 4, [0.5; 3]),
        lines("base", 2, 7, [0.9; 3]),
        lines("no-background", 2, 4, [0.9; 3]),
        lines("no-background", 2, 7, [0.5; 3]),
    ]);
    let claim = paper.claims.iter().find(|c| c.id == "case7-fairer-than-4").unwrap();
    let rows = paper.rows().iter().map(|row| row.id()).collect();
    let runs = paper.recorded_runs();
    let own = claim.answer_with(&paper, &runs, BASE, Some(&(2..3)), &rows).unwrap();
    assert!(own.depends_on.is_empty(), "{:?}", own.depends_on);
    assert!(own.told.starts_with("holds: 3 of 3 comparisons"), "{}", own.told);
    assert!(own.told.contains("none of"), "it is no reading that was tried: {}", own.told);
    let end = "; an experiment against the text: does not hold (no-background: fairness(7@25) > \
               fairness(4@25) and 2 more fail)";
    assert!(own.told.ends_with(end), "{}", own.told);
    let alone: Vec<u64> = own.readings.iter().flat_map(|runs| runs.seeds.clone()).collect();
    assert_eq!(alone, [2], "it is shown");
}
