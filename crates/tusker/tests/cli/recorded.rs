//! What is recorded beside each paper is what the program gives today.
//!
//! `papers/KEY/quick.csv` has hundreds of rows, most of a second or more. Of
//! each paper enough of them are run again to have everything that its cases
//! choose (congestion controls, queues, hosts, ...) once; they must come out
//! alike to the last digit. `make reproduction-quick` runs all.

use std::path::Path;

use tusker_papers::Paper;

use super::{ok, run};

#[test]
fn some_rows_of_every_quick_set_come_out_as_recorded() {
    let temp = tempfile::tempdir().unwrap();
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    for key in Paper::keys() {
        let paper = Paper::find(key).unwrap();
        let recorded = std::fs::read_to_string(papers.join(key).join("quick.csv")).unwrap();
        for row in paper.sample() {
            let (case, at) = (row.case.id.as_str(), row.variant.name.as_str());
            let args = [
                "reproduce",
                key,
                "--quick",
                "--quiet",
                "--format",
                "csv",
                "--case",
                case,
                "--at",
                at,
            ];
            let printed = ok(&run(temp.path(), &args));
            for line in printed.lines() {
                assert!(
                    recorded.lines().any(|known| known == line),
                    "{key}, {}: papers/{key}/quick.csv does not have\n{line}",
                    row.id()
                );
            }
        }
    }
}
