//! `docs/reproduction.md` and the scores in the README match the recorded results, and the
//! reasons fit the rows.

use std::path::{Path, PathBuf};

use tusker_lab::suite::claims::{Need, Verdict};
use tusker_papers::overview::{self, Record};
use tusker_papers::reproduction::RowResult;
use tusker_papers::rows::BASE;
use tusker_papers::{Paper, Reproduction, recorded};

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn path(paper: &Paper, file: &str) -> String {
    format!("papers/{}/{file}", paper.about.key)
}

fn reproduction(paper: &Paper, file: &str, quick: bool) -> Reproduction {
    let path = path(paper, file);
    let rows = recorded::read(&text(&path), &paper.cases.variant.name)
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    let lacking: Vec<String> =
        paper.rows().iter().map(|row| row.id()).filter(|id| !rows.contains_key(id)).collect();
    assert!(lacking.is_empty(), "{path} lacks {}", lacking.join(", "));
    Reproduction::recorded(paper, &rows, quick)
}

fn records() -> Vec<Record> {
    let record = |key| {
        let paper = Paper::find(key).unwrap();
        let quick = reproduction(&paper, "quick.csv", true);
        let has_full = root().join(path(&paper, "full.csv")).is_file();
        let full = has_full.then(|| reproduction(&paper, "full.csv", false));
        Record { paper, quick, full }
    };
    Paper::keys().map(record).collect()
}

/// The rows of full length with the paper's own seed alone, if `conclusions.csv` has them.
fn one_seed(paper: &Paper) -> Option<Reproduction> {
    let (runs, seed) = (paper.recorded_runs(), paper.seed().unwrap());
    let run = runs.of(BASE).into_iter().find(|run| run.seed == seed)?;
    run.rows
        .values()
        .all(|row| row.replicates == 1)
        .then(|| Reproduction::recorded(paper, &run.rows, false))
}

/// A file of the repository, rewritten if `TUSKER_BLESS` is set.
fn expect(file: &str, text: &str) {
    let path = root().join(file);
    if std::env::var_os("TUSKER_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == current, "{file} is out of date: TUSKER_BLESS=1 rewrites it");
}

#[test]
fn the_page_is_what_was_recorded() {
    expect("docs/reproduction.md", &overview::page(&records()));
}

#[test]
fn the_readme_has_the_scores_of_all_papers() {
    let readme = text("README.md");
    let [begin, end] = overview::SCORES;
    let (before, rest) = readme.split_once(begin).expect("the README has a place for the scores");
    let (_, after) = rest.split_once(end).expect("and where it ends");
    expect("README.md", &[before, begin, &overview::scores(&records()), end, after].concat());
}

/// Each paper's own page has the counts, which are written by hand.
#[test]
fn the_page_of_each_paper_has_its_counts() {
    for record in records() {
        let full = record.full.expect("every paper has a full set");
        let score = &full.scoreboard;
        let page = text(&path(&record.paper, "README.md"));
        let claims = format!("{} of {} claims", score.hold, score.claims);
        assert!(page.contains(&claims), "{}: {claims}", record.paper.about.key);
        let rows = format!("{} of {} rows", score.by_means, score.run);
        assert!(score.run == 0 || page.contains(&rows), "{}: {rows}", record.paper.about.key);
    }
}

/// No reason is given for a row that is not off, and no entry of reasons.toml is unused:
/// each fits a recorded row or claim.
#[test]
fn reasons_fit_what_was_recorded() {
    let mut needless = Vec::new();
    for Record { paper, quick, full } in records() {
        let key = &paper.about.key;
        let single = one_seed(&paper);
        let sets: Vec<&Reproduction> =
            std::iter::once(&quick).chain(&full).chain(&single).collect();
        for set in &sets {
            for row in set.rows.iter().filter(|row| row.reason.is_some()) {
                assert_eq!(row.verdict, Verdict::DoesNotHold, "{key}, {}", row.id);
            }
            for claim in set.claims.iter().filter(|claim| claim.reason.is_some()) {
                assert!(claim.ours.verdict.falls_short(), "{key}, {}", claim.id);
            }
        }
        for reason in &paper.reasons.rows {
            let found = sets
                .iter()
                .flat_map(|set| &set.rows)
                .any(|row| row.reason.as_deref() == Some(&reason.why));
            assert!(
                found,
                "{key}: no recorded row is off in the way described here: {}",
                reason.why
            );
            // rows that are named one by one are all off in the way described, with one seed
            // if not with several
            for id in &reason.rows {
                let rows = sets.iter().filter(|set| reason.length.fits(set.quick));
                let fits = rows.flat_map(|set| set.rows.iter().map(|row| (row, set.quick)));
                let mut fits = fits.filter(|(row, _)| row.id == *id);
                assert!(fits.any(|(row, quick)| reason.fits(row, quick)), "{key}, {id}");
            }
        }
        for reason in &paper.reasons.claims {
            for id in &reason.ids {
                let found = sets
                    .iter()
                    .flat_map(|set| &set.claims)
                    .any(|claim| claim.id == *id && claim.reason.as_deref() == Some(&reason.why));
                if !found {
                    needless.push(format!("{key}, {id}: {}", reason.why));
                }
            }
        }
    }
    assert!(needless.is_empty(), "claims that need no such reason:\n{}", needless.join("\n"));
}

/// Who reads a reason on a page has no files: where it is shown stands apart from it.
#[test]
fn reasons_have_their_sources_in_a_field() {
    for Record { paper, .. } in records() {
        let rows = paper.reasons.rows.iter().map(|reason| (&reason.why, &reason.source));
        let claims = paper.reasons.claims.iter().map(|reason| (&reason.why, &reason.source));
        for (why, source) in rows.chain(claims) {
            for name in ["bench/", "docs/", "findings/", "papers/", "README", ".csv", ".py"] {
                assert!(!why.contains(name), "{}: {name} in {why}", paper.about.key);
            }
            if let Some(source) = source {
                let file = root().join(source.split('#').next().unwrap());
                assert!(file.is_file(), "{}: there is no {source}", paper.about.key);
            }
        }
    }
}

/// The reason given for `7@50`, "below the paper's" in full runs.
#[test]
fn a_reason_is_given_for_nothing_else() {
    let paper = Paper::find("ghstcp").unwrap();
    let full = reproduction(&paper, "full.csv", false);
    let at = |id: &str| full.rows.iter().find(|row| row.id == id).unwrap().clone();
    let found = |row: &RowResult, quick: bool| paper.reasons.of_row(row, quick).is_some();
    // 0.083 below the paper's 0.724
    let row = at("7@100");
    assert!(found(&row, false));
    // not in a shortened run, nor where the index is above the paper's
    assert!(!found(&row, true));
    let mut above = row.clone();
    above.values.get_mut("fairness").unwrap().difference = Some(0.083);
    assert!(!found(&above, false));
    // nor where something else is off as well
    let mut both = row.clone();
    let utilisation = both.values.get_mut("utilisation").unwrap();
    (utilisation.difference, utilisation.within) = (Some(-4.0), Some(false));
    assert!(!found(&both, false));
    // nor for a row within the tolerance
    let mut within = row;
    within.verdict = Verdict::Holds;
    assert!(!found(&within, false));
    // "one run is one draw" is not said about three
    let single = one_seed(&paper).unwrap();
    let mut three = single.rows.into_iter().find(|row| row.id == "17@100").unwrap();
    assert!(found(&three, false));
    three.replicates = 3;
    assert!(!found(&three, false));
}

/// Our score need not beat a table of constants everywhere; where it does not, the page
/// says so. 50 of 93, 25 of 39, 13, 5 and 3 were counted by another program.
#[test]
fn the_best_constants_are_those_counted_elsewhere() {
    for Record { paper, full, .. } in records() {
        let tables = full.map(|full| full.scoreboard.tables).unwrap_or_default();
        let counted: Vec<usize> = tables.iter().map(|table| table.baseline).collect();
        let expected: &[usize] = match paper.about.key.as_str() {
            "ghstcp" => &[6, 3, 5, 15, 10, 11],
            "ngtcp" => &[13, 5, 3],
            "hcc" => &[25],
            _ => &[],
        };
        assert_eq!(counted, expected, "{}", paper.about.key);
    }
}

/// Words that say "how much" without a number.
const VAGUE: &[&str] = &[
    "significant",
    "much",
    "slightly",
    "severe",
    "dramatic",
    "greatly",
    "rapidly",
    "hardly",
    "nearly",
    "approximately",
    "about",
    "almost",
    "most",
    "very",
    "satisfactory",
];

#[test]
fn a_claim_with_a_vague_word_has_its_threshold() {
    for key in Paper::keys() {
        for claim in &Paper::find(key).unwrap().claims {
            let says = claim.says.to_lowercase();
            let mut words = says.split(|c: char| !c.is_alphabetic());
            let vague = words.any(|word| VAGUE.iter().any(|vague| word.starts_with(vague)));
            let counts = !matches!(claim.need, Need::All | Need::Some);
            let found = !claim.read.is_empty() || !(vague || counts);
            assert!(found, "{key}, {}: `read` lacks a threshold for: {}", claim.id, claim.says);
        }
    }
}
