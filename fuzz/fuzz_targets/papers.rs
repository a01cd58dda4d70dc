//! A paper's folder with an edit in one of its files: never a panic; if it can be read,
//! the scenarios of its rows are made or rejected, and no name leads out of the results
//! folder.
#![no_main]

mod edits;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use edits::Edit;
use libfuzzer_sys::fuzz_target;
use tusker_papers::Paper;
use tusker_papers::rows::Taken;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../papers/ghstcp");
const FILES: [&str; 7] = [
    "suite.toml",
    "scenario.toml",
    "cases.toml",
    "published.csv",
    "claims.toml",
    "readings.toml",
    "reasons.toml",
];

/// A copy of the paper, and what its files say.
static COPY: LazyLock<(PathBuf, Vec<Vec<u8>>)> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("papers-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    let read = |name: &&str| fs::read(Path::new(SOURCE).join(name)).expect("the paper is there");
    let texts: Vec<Vec<u8>> = FILES.iter().map(read).collect();
    for (name, text) in FILES.iter().zip(&texts) {
        fs::write(folder.join(name), text).expect("a file can be written");
    }
    (folder, texts)
});

fuzz_target!(|bytes: &[u8]| {
    let Some(edit) = Edit::read(bytes) else { return };
    let (folder, texts) = &*COPY;
    let which = edit.of(FILES.len());
    let path = folder.join(FILES[which]);
    fs::write(&path, edit.apply(&texts[which])).expect("a file can be written");
    match Paper::load(folder) {
        Ok(paper) => {
            let key = Path::new(&paper.about.key);
            let plain = key.components().count() == 1 && key.file_name().is_some();
            assert!(plain, "a key that leads elsewhere: {key:?}");
            // one scenario is enough: the others differ by changes of the same kind
            if let Some(row) = paper.rows().first() {
                let _ = paper.scenario(row, &Taken::with(&[]), paper.quick(row));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty(), "an error without words"),
    }
    fs::write(&path, &texts[which]).expect("a file can be written");
});
