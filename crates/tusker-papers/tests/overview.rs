//! `docs/reproduction.md` is what was recorded of the papers.

use std::path::{Path, PathBuf};

use tusker_papers::overview::{self, Record};
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

#[test]
fn the_page_is_what_was_recorded() {
    let record = |key| {
        let paper = Paper::find(key).unwrap();
        let quick = reproduction(&paper, "quick.csv", true);
        let has_full = root().join(path(&paper, "full.csv")).is_file();
        let full = has_full.then(|| reproduction(&paper, "full.csv", false));
        Record { paper, quick, full }
    };
    let page = overview::page(&Paper::keys().map(record).collect::<Vec<_>>());
    let path = root().join("docs/reproduction.md");
    if std::env::var_os("TUSKER_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(page == current, "docs/reproduction.md is old: TUSKER_BLESS=1 writes it anew");
}
