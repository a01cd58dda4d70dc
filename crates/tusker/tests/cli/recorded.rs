//! What is recorded beside each paper is what the program gives today.
//!
//! `papers/KEY/quick.csv` has hundreds of rows, many of which take seconds. For each paper,
//! this runs again the cheapest rows that together cover as much as possible of what its cases
//! choose (congestion controls, queues, hosts, ...); the results must be the same to the last
//! digit. `make reproduction-quick` runs all rows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tusker_papers::Paper;
use tusker_papers::rows::{Row, Taken};
use tusker_plan::fairness::max_min;

use super::{ok, run};

/// Bits that the rows of one paper may carry: some 25 million packets.
const MOST: f64 = 300e9;

/// What flows carry in a row, at most.
fn bits(paper: &Paper, row: &Row<'_>) -> f64 {
    let scenario = paper.scenario(row, &Taken::with(&[]), paper.quick(row)).unwrap();
    let plan = scenario.plan().unwrap();
    max_min(&plan).iter().sum::<f64>() * plan.end.secs()
}

/// The cheapest rows that have something which others before have not, within
/// the limit, and at least one.
fn sample(paper: &Paper) -> Vec<Row<'_>> {
    let mut rows: Vec<(f64, Row<'_>)> =
        paper.rows().into_iter().map(|row| (bits(paper, &row), row)).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lacking: BTreeSet<(&String, &String)> =
        paper.cases.cases.iter().flat_map(|case| &case.choose).collect();
    let mut sum = 0.0;
    rows.retain(|(bits, row)| {
        let new = row.case.choose.iter().any(|choice| lacking.contains(&choice));
        let kept = new && (sum == 0.0 || sum + bits <= MOST);
        if kept {
            sum += bits;
            row.case.choose.iter().for_each(|choice| {
                lacking.remove(&choice);
            });
        }
        kept
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

#[test]
fn some_rows_of_every_quick_set_come_out_as_recorded() {
    let temp = tempfile::tempdir().unwrap();
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    for key in Paper::keys() {
        let paper = Paper::find(key).unwrap();
        let recorded = std::fs::read_to_string(papers.join(key).join("quick.csv")).unwrap();
        // those of one variant together: each command reads and judges the whole paper
        let mut by_variant: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in sample(&paper) {
            let cases = by_variant.entry(row.variant.name.clone()).or_default();
            cases.push(row.case.id.clone());
        }
        for (at, cases) in by_variant {
            let cases = cases.join(",");
            let args = ["reproduce", key, "--quick", "--quiet", "--format", "csv"];
            let args = [&args[..], &["--case", &cases, "--at", &at]].concat();
            let printed = ok(&run(temp.path(), &args));
            assert_eq!(printed.lines().count(), 1 + cases.split(',').count(), "{printed}");
            for line in printed.lines() {
                assert!(
                    recorded.lines().any(|known| known == line),
                    "{key}, {cases} at {at}: papers/{key}/quick.csv does not have\n{line}"
                );
            }
        }
    }
}
