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
use tusker_papers::verdicts::replicates;
use tusker_plan::fairness::max_min;

use super::{ok, run};

/// What `results.md` says of a paper, from `full.csv`, judged anew and without a
/// run. `TUSKER_BLESS=1` writes it; `bench/record.sh` does so after a run.
#[test]
fn results_are_what_the_full_sets_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut old = Vec::new();
    for key in Paper::keys() {
        let printed = ok(&run(&root, &["reproduce", key, "--recorded", "papers"]));
        let counts = replicates(&Paper::find(key).unwrap(), false);
        let counts: BTreeSet<u32> = counts.into_values().collect();
        let (runs, flag) = match counts.last() {
            Some(most) if *most > 1 => {
                let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
                let runs = format!("{} seeds for each row", counts.join(" or "));
                (runs, format!(" --replicates {most}"))
            }
            _ => ("one run for each row".to_owned(), String::new()),
        };
        let again = match counts.len() {
            1 => "runs all rows again and prints the same".to_owned(),
            _ => format!("runs all rows again, each with {} seeds", counts.last().unwrap()),
        };
        let text = format!(
            "# What the full set gave\n\n\
             The results below are from `full.csv`: {runs}, under the default reading (the base). \
             [reproduction.md](../../docs/reproduction.md) has claims, conclusions and reasons. `tusker reproduce {key}{flag}` {again}.\
             \n\n```\n$ tusker reproduce {key} --recorded papers\n{printed}```\n"
        );
        let path = root.join("papers").join(key).join("results.md");
        if std::env::var_os("TUSKER_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        if std::fs::read_to_string(&path).unwrap() != text {
            old.push(path);
        }
    }
    assert!(old.is_empty(), "old, TUSKER_BLESS=1 writes them anew: {old:?}");
}

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
