//! Table 1 of the testbed paper of gHSTCP, the max-min fair rates of its experiments, beside those
//! that `tusker check` computes.

use tusker_papers::Paper;
use tusker_plan::fairness::max_min_applications;

/// Socket buffer of Flow-2 in KB; then Flow-1 and the two connections of Flow-2, in Mbit/s.
type Printed = [(&'static str, [f64; 3]); 2];

const SCENARIO_1: Printed = [("64", [76.0, 12.0, 12.0]), ("512", [33.0, 33.0, 33.0])];
const SCENARIO_2: Printed = [("64", [176.0, 12.0, 12.0]), ("512", [100.0, 50.0, 50.0])];

#[test]
fn fair_rates_are_those_of_table_1() {
    let paper = Paper::find("ghstcp-testbed").unwrap();
    let taken = paper.take(&[], &[]).unwrap();
    let mut rows = 0;
    for (cases, printed) in [(["1", "2", "3", "4"], SCENARIO_1), (["5", "6", "7", "8"], SCENARIO_2)]
    {
        for (case, (at, wanted)) in
            cases.iter().flat_map(|case| printed.map(|printed| (*case, printed)))
        {
            let id = format!("{case}@{at}");
            let row = paper.rows().into_iter().find(|row| row.id() == id).unwrap();
            let plan = paper.scenario(&row, &taken, &[]).unwrap().plan().unwrap();
            let rates = max_min_applications(&plan);
            assert_eq!(rates.len(), 3, "{id}: {rates:?}");
            for (rate, wanted) in rates.iter().zip(wanted) {
                // the paper has whole numbers
                assert!((rate / 1e6 - wanted).abs() < 1.0, "{id}: {rates:?} against {wanted}");
            }
            rows += 1;
        }
    }
    assert_eq!(rows, 16);
}
